"""Tables of counts, long outputs, and what an earlier run has left of another table."""

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from wording import refused

from mechdesign import machine
from mechdesign.errors import InputError
from mechdesign.ledgers.ledger import Ledger
from mechdesign.problem.privacy import Privacy
from mechdesign.releases import designing, publishing
from mechdesign.releases.checking import check_release
from mechdesign.releases.files import release_file
from mechdesign.releases.secret_key import open_key
from mechdesign.releases.staging import OutputPaths, Stage
from mechdesign.workers import choosing
from mechdesign.workers.in_process import InProcess

ASKED = {"column": "sick", "size": "people", "alpha": "1/2", "record": "r.json"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,0,3\nC,2,2\n")
    os.utime("c.csv", (1, 1))


def test_a_table_of_counts():
    made = release_file("c.csv", "r.csv", **ASKED)
    rows = list(csv.reader(Path("r.csv").read_text().splitlines()))
    assert rows[0] == ["town", "people", "released"]
    assert [row[:2] for row in rows[1:]] == [["A", "2"], ["B", "3"], ["C", "2"]]
    assert [(entry.size, entry.groups) for entry in made.sizes] == [(2, 2), (3, 1)]
    assert (made.group, made.column, made.size_column, made.units) == (None, "sick", "people", 7)
    assert all(claim.true for claim in check_release("r.json", "r.csv"))


def test_long_outputs_go_through_a_file_without_a_name(monkeypatch):
    monkeypatch.setattr(publishing, "IN_MEMORY", 5)
    release_file("c.csv", "r.csv", **ASKED)
    assert sorted(os.listdir()) == ["c.csv", "r.csv", "r.json"]
    assert all(claim.true for claim in check_release("r.json", "r.csv"))


def test_the_same_release_is_left_and_another_takes_its_place_where_that_is_asked():
    release_file("c.csv", "r.csv", **ASKED)
    before = Path("r.csv").read_bytes(), Path("r.json").read_bytes()
    release_file("c.csv", "r.csv", **ASKED)
    assert (Path("r.csv").read_bytes(), Path("r.json").read_bytes()) == before
    for another in ({"alpha": "1/3"}, {"record": None}):
        with refused(InputError, about="output"):
            release_file("c.csv", "r.csv", **{**ASKED, **another})
        assert (Path("r.csv").read_bytes(), Path("r.json").read_bytes()) == before
    release_file("c.csv", "r.csv", **{**ASKED, "alpha": "1/3"}, replace=True)
    assert Path("r.json").read_bytes() != before[1]


def test_an_input_that_is_newer_is_released_anew_where_that_is_asked():
    date = release_file("c.csv", "r.csv", **ASKED).output_digest
    Path("c.csv").write_text("town,sick,people\nA,1,2\n")
    later = Path("r.csv").stat().st_mtime + 5
    os.utime("c.csv", (later, later))
    with refused(InputError, about="output"):
        release_file("c.csv", "r.csv", **ASKED)
    made = release_file("c.csv", "r.csv", **ASKED, replace=True)
    assert (made.groups, made.output_digest != date) == (1, True)


def test_with_a_key_the_input_itself_tells_whether_it_changed():
    release_file("c.csv", "r.csv", key="k.key", **ASKED)
    before = Path("r.csv").read_bytes()
    later = Path("r.csv").stat().st_mtime + 5
    os.utime("c.csv", (later, later))
    release_file("c.csv", "r.csv", key="k.key", **ASKED)
    assert Path("r.csv").read_bytes() == before
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,1,3\nC,2,2\n")
    with refused(InputError):
        release_file("c.csv", "r.csv", key="k.key", **ASKED)
    assert Path("r.csv").read_bytes() == before


def test_keys_that_are_made_at_once_are_one():
    for number in range(20):
        with ThreadPoolExecutor(8) as pool:
            keys = list(pool.map(lambda _, path=Path(f"{number}.key"): open_key(path), range(8)))
        assert len({key for key, _ in keys}) == 1
        assert sum(new for _, new in keys) == 1
    assert not list(Path().glob("*.unfinished"))


def test_other_rows_that_are_no_newer_are_refused():
    release_file("c.csv", "r.csv", **ASKED)
    for text in ("town,sick,people\nA,1,2\nX,0,3\nC,2,2\n", "town,sick,people\nA,1,2\n"):
        Path("c.csv").write_text(text)
        os.utime("c.csv", (1, 1))
        with refused(InputError):
            release_file("c.csv", "r.csv", **ASKED)


def test_another_key_is_refused():
    release_file("c.csv", "r.csv", key="one.key", **ASKED)
    with refused(InputError):
        release_file("c.csv", "r.csv", key="two.key", **ASKED)


def test_names_that_break_lines_are_refused():
    Path("c.csv").write_text('"to\nwn",sick,people\nA,1,2\n')
    with refused(InputError, about="columns"):
        release_file("c.csv", "r.csv", **ASKED)
    assert not Path("r.csv").exists()


def test_nothing_is_left_of_a_table_that_is_unfit():
    Path("c.csv").write_text("town,sick,people\nA,1,2\nB,4,3\n")
    with refused(InputError):
        release_file("c.csv", "r.csv", **ASKED)
    assert os.listdir() == ["c.csv"]


def test_staged_files_that_are_foreign_are_not_touched():
    Path("r.csv.unfinished").write_text("theirs")
    for record in (None, "{", "{}"):
        if record is not None:
            Path("r.json.unfinished").write_text(record)
        with refused(InputError):
            release_file("c.csv", "r.csv", **ASKED)
        assert Path("r.csv.unfinished").read_text() == "theirs"


def stop_when_drawn(output, monkeypatch, **asked):
    """Leave what a kill leaves that comes when all is staged."""

    def killed(places, stage=Stage.DRAWN, published=tuple):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutputPaths, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            release_file("c.csv", output, **asked)


def test_a_record_that_waits_for_another_output_is_not_deleted(monkeypatch):
    stop_when_drawn("a.csv", monkeypatch, **ASKED)
    staged = Path("a.csv.unfinished").read_bytes()
    with refused(InputError):
        release_file("c.csv", "b.csv", **ASKED)
    release_file("c.csv", "a.csv", **ASKED)
    assert Path("a.csv").read_bytes() == staged
    assert sorted(os.listdir()) == ["a.csv", "c.csv", "r.json"]


def test_what_was_drawn_without_a_record_is_not_published_with_one(monkeypatch):
    stop_when_drawn("r.csv", monkeypatch, **{**ASKED, "record": None})
    with refused(InputError):
        release_file("c.csv", "r.csv", **ASKED)
    assert len(OutputPaths.of(Path("r.csv"), Path("r.json")).discard()) == 2
    assert os.listdir() == ["c.csv"]


def test_what_is_staged_stays_paid_when_the_run_is_stopped_then(monkeypatch):
    """Stopped (Ctrl-C) behind the staging: the next run publishes the draw, and so its payment is not taken back."""
    book, inner = Ledger.new("office.db", 2), publishing._nameless

    @contextmanager
    def stopped(folder):
        with inner(folder) as stream:
            yield stream
        raise KeyboardInterrupt

    monkeypatch.setattr(publishing, "_nameless", stopped)
    with pytest.raises(KeyboardInterrupt):
        release_file("c.csv", "r.csv", **ASKED, ledger="office.db", dataset="towns")
    assert OutputPaths.of(Path("r.csv"), Path("r.json")).staged_output.exists()
    assert [entry.counts for entry in book.entries()] == [True]
    monkeypatch.setattr(publishing, "_nameless", inner)
    release_file("c.csv", "r.csv", **ASKED)
    assert [entry.counts for entry in book.entries()] == [True]


def test_sizes_are_designed_in_processes_where_that_pays(monkeypatch):
    jobs, told = [], []

    def chosen(choice, tasks):
        jobs.append((choice.jobs, tasks))
        return nullcontext(InProcess())

    monkeypatch.setattr(choosing.WorkerChoice, "open", chosen)
    monkeypatch.setattr(machine, "usable_cpus", lambda: 4)
    for worth, expected in ((5.0, (1, 2)), (0.0, (4, 2))):
        monkeypatch.setattr(designing, "WORTH_PROCESSES", worth)
        made = designing.DesignedSizes(designing.DesignRequest(Privacy("1/2")))
        made.prepare([2, 1, 2], told.append)
        assert jobs.pop() == expected
        assert made.mechanism(2).n_inputs == 3
    assert told == [1, 2, 1, 2]


def test_a_group_too_large_to_be_designed_for_is_said():
    made = designing.DesignedSizes(designing.DesignRequest(Privacy("1/2"), properties="F"))
    with refused(InputError):
        made.prepare([3, 9000], print)


def test_matrices_that_would_take_days_are_refused():
    made = designing.DesignedSizes(designing.DesignRequest(Privacy("1/2"), properties="F"))
    with refused(InputError):
        made.choose(range(3000, 4000))
