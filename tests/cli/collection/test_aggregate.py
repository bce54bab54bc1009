"""`mechdesign local aggregate` of items: what is shown, flagged or left out, and files that are not what they say."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from local_reports import CITIES, PRIVATIZE, USERS, make_reports, write_cities
from wording import check_wording

from mechdesign.documents.tabular import Column, words
from mechdesign_catalog import CollectionState, PrivateReports, aggregate, collect, privatize, read_state
from mechdesign_catalog.collection.reports.batches import as_batches
from mechdesign_catalog.randomizers.reports.reports import Reports, joined
from mechdesign_cli.showing.progress import heard_by
from mechdesign_cli.showing.tables import print_table


def test_report_on_a_terminal(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("local", "aggregate", "r.parquet")
    lines = seen.out.splitlines()
    assert lines[0] == f"{USERS:,} reports of grr, 7 items, epsilon = 4"
    assert lines[2].startswith("Dublin ")
    assert lines.count("+-: one standard error") == 1
    assert lines[-1].startswith("above noise, for all 7 items together at 95 %: 6 (")
    check_wording(seen.err)
    make_reports(mechdesign, "few.parquet", epsilon="1/100")
    assert mechdesign("local", "aggregate", "few.parquet").out.endswith("for all 7 items together at 95 %: none\n")


@pytest.mark.slow
def test_post_processing_is_done_when_asked_for(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", "1/2", "-o", "r.parquet", "--seed", 3)
    raw = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)
    assert raw["post"] == "raw"
    assert all(row["frequency"] == row["estimate"] for row in raw["items"])
    assert min(row["frequency"] for row in raw["items"]) < 0
    for post in ("norm-sub", "em"):
        seen = mechdesign("local", "aggregate", "r.parquet", "--json", "--post", post, "-o", "e.csv", "--plot", "e.png")
        assert seen.code == 0, seen.err
        check_wording(seen.err)
        found = json.loads(seen.out)
        assert sum(row["frequency"] for row in found["items"]) == pytest.approx(1)
        assert min(row["frequency"] for row in found["items"]) >= 0
        for row, before in zip(found["items"], raw["items"], strict=True):
            assert {name: row[name] for name in ("estimate", "low", "high")} == {
                name: before[name] for name in ("estimate", "low", "high")
            }
        assert [float(row["frequency"]) for row in csv.DictReader(Path("e.csv").read_text().splitlines())] == [
            row["frequency"] for row in found["items"]
        ]
    check_wording(mechdesign("local", "aggregate", "r.parquet", "--post", "normsub").err)
    mechdesign(*PRIVATIZE, "--oracle", "oue", "--epsilon", 1, "-o", "o.parquet", "--seed", 3)
    seen = mechdesign("local", "aggregate", "o.parquet", "--post", "em")
    assert (seen.code, seen.err.count("\n")) == (2, 1)


def test_a_large_domain_does_not_travel_in_the_file(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.tasks.task.MOST_CHARACTERS", 10)
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("local", "aggregate", "r.parquet")
    assert seen.code == 2
    check_wording(seen.err)
    assert mechdesign("local", "aggregate", "r.parquet", "--domain", "cities.txt").code == 0
    Path("others.txt").write_text("\n".join(reversed(CITIES)))
    seen = mechdesign("local", "aggregate", "r.parquet", "--domain", "others.txt")
    assert seen.code == 2
    check_wording(seen.err)


def test_damaged_files_are_found_out(mechdesign):
    """Every byte in turn of a small file is changed, or it is cut: one line, or the very same estimate."""
    make_reports(mechdesign)
    good = Path("r.parquet").read_bytes()
    expected = mechdesign("local", "aggregate", "r.parquet", "--json").out
    refused = 0
    cut = [good[:length] for length in (0, 3, 100, len(good) // 2, len(good) - 9)]
    changed = [bytes([*good[:at], good[at] ^ 0x10, *good[at + 1 :]]) for at in range(0, len(good), 67)]
    for bad in (*cut, *changed):
        Path("bad.parquet").write_bytes(bad)
        seen = mechdesign("local", "aggregate", "bad.parquet", "--json")
        if seen.code == 0:
            assert (seen.out, bad in cut) == (expected, False)
        else:
            assert (seen.code, seen.err.count("\n")) == (2, 1)
            refused += 1
    assert refused > 10


@pytest.fixture
def day(tmp_path, monkeypatch):
    """Three files of ten reports, in a folder and below."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day" / "late").mkdir(parents=True)
    for name in ("one", "two", "late/three"):
        reports = privatize(["yes", "no"] * 5, "grr", epsilon=1, domain=["yes", "no"])
        reports.save(tmp_path / "day" / f"{name}.parquet")
    return tmp_path / "day"


def test_files_are_found_by_folder_pattern_and_address(mechdesign, day):
    for names, users in (
        (["day"], 30),
        (["day/*.parquet"], 20),
        (["day/**/*.parquet"], 30),
        ([f"file://{day}"], 30),
        ([f"file://{day}/[ot]*.parquet", "day/late"], 30),
    ):
        seen = mechdesign("local", "aggregate", *names)
        assert (seen.code, seen.out.split()[0]) == (0, str(users)), seen.err
    twice = mechdesign("local", "aggregate", "day", "day/one.parquet")
    assert (twice.code, twice.out) == (2, "")
    check_wording(twice.err)


NAME = "a" * 30


@pytest.mark.parametrize(
    ("width", "label", "errors"), [(46, NAME, True), (45, NAME, False), (30, f"{'a' * 21}…", False)]
)
def test_spared_numbers_go_first_then_the_ends_of_labels(monkeypatch, capsys, width, label, errors):
    monkeypatch.setenv("COLUMNS", str(width))
    numbers = [Column("share", ["0.5000", "0.2500"]), Column("+-", ["0.1000", "0.2000"])]
    left_out = print_table([words("item", [NAME, "b"]), *numbers], ("+-", "other"), 8)
    assert left_out == ([] if errors else ["+-"])
    head, first, second, *explained = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["item", "share", *(["+-"] if errors else [])]
    assert first == [label, "0.5000", *(["0.1000"] if errors else [])]
    assert second == ["b", "0.2500", *(["0.2000"] if errors else [])]
    assert bool(explained) is errors


TOWNS = ["Cork", "Dublin", "Galway"]


def honest(oracle="oue", users=900):
    return privatize(TOWNS * (users // 3), oracle, epsilon=1, domain=TOWNS)


def saved(name, oracle, *pieces):
    """Write reports that somebody else made, under the header of honest ones."""
    PrivateReports.of(honest(oracle, 3).header, joined(pieces)).save(name)


def forged(oracle, users, **columns):
    parameters = honest(oracle, 3).reports.parameters
    return Reports(parameters, {name: np.tile(np.array(row), (users, 1)) for name, row in columns.items()})


def test_honest_users_are_not_flagged(mechdesign):
    honest().save("honest.parquet")
    seen = mechdesign("local", "aggregate", "honest.parquet", "--json")
    assert (seen.code, seen.err) == (0, "")
    document = json.loads(seen.out)
    assert (document["flagged"], document["flagged_counts"], document["dropped"]) == ([], 0, 0)
    assert document["flagged_level"] == 1e-9


def test_users_who_all_say_the_same_are_flagged_by_their_item(mechdesign):
    saved("forged.parquet", "oue", honest().reports, forged("oue", 1200, bits=np.array([4], dtype=np.uint8)))
    seen = mechdesign("local", "aggregate", "forged.parquet", "--json")
    assert seen.code == 0
    assert "would come from honest users with a probability below 1e-09" in seen.err
    assert "item Galway: " in seen.err
    document = json.loads(seen.out)
    flags = {flag["place"]: flag for flag in document["flagged"]}
    assert flags[2]["trials"] == 2100
    assert flags[2]["count"] > flags[2]["expected"] == pytest.approx(1050)
    assert document["flagged_counts"] == len(flags)
    assert mechdesign("local", "aggregate", "forged.parquet", "--quiet").err == ""


def test_a_mean_has_flags_too(mechdesign):
    reports = privatize([3] * 50, "onebitmean", epsilon=1, maximum=10)
    ones = Reports(reports.reports.parameters, {"bit": np.ones(400, dtype=np.uint8)})
    PrivateReports.of(reports.header, ones).save("ones.parquet")
    seen = mechdesign("local", "aggregate", "ones.parquet", "--json")
    assert json.loads(seen.out)["flagged"][0]["count"] == 400
    check_wording(seen.err)


def test_many_flags_are_said_in_few_lines(mechdesign):
    items = [f"item{number}" for number in range(20)]
    many = privatize(items, "oue", epsilon=1, domain=items)
    rows = np.tile(np.array([255, 255, 15], dtype=np.uint8), (500, 1))
    PrivateReports.of(many.header, Reports(many.reports.parameters, {"bits": rows})).save("many.parquet")
    lines = mechdesign("local", "aggregate", "many.parquet").err.splitlines()
    assert [line for line in lines if line.startswith("- item ")] == lines[1:4]
    assert lines[4:] == ["- and 17 more (--json has them)"]


def broken(oracle, honest_rows, *others):
    """Honest reports, and others that no client makes."""
    saved("broken.parquet", oracle, honest(oracle, honest_rows).reports, *others)


def test_reports_that_no_client_makes_refuse_the_file_unless_they_are_dropped(mechdesign):
    wrong = Reports(honest("grr", 3).reports.parameters, {"item": np.array([3, 200, 255], dtype=np.uint8)})
    broken("grr", 300, wrong)
    refused = mechdesign("local", "aggregate", "broken.parquet")
    assert (refused.code, refused.out) == (2, "")
    check_wording(refused.err)
    seen = mechdesign("local", "aggregate", "broken.parquet", "--drop-invalid", "--json")
    assert seen.code == 0
    check_wording(seen.err)
    document = json.loads(seen.out)
    assert (document["users"], document["dropped"]) == (300, 3)
    honest_estimate = aggregate(PrivateReports.of(honest("grr", 3).header, reports_of("broken.parquet")[:300]))
    assert [row["estimate"] for row in document["items"]] == honest_estimate.estimates.tolist()


def reports_of(path):
    return joined(list(as_batches(path)[0].pieces()))


def test_the_state_says_what_was_dropped_and_adds_it_up(mechdesign):
    wrong = forged("oue", 2, bits=np.array([8], dtype=np.uint8))
    saved("one.parquet", "oue", honest("oue", 30).reports, wrong)
    saved("two.parquet", "oue", wrong, honest("oue", 60).reports, wrong)
    for name in ("one", "two"):
        seen = mechdesign("local", "aggregate", f"{name}.parquet", "--drop-invalid", "--state", f"{name}.state")
        assert seen.code == 0, seen.err
        check_wording(seen.err)
    both = [read_state(f"{name}.state") for name in ("one", "two")]
    assert [(state.users, state.provenance.dropped) for state in both] == [(30, 2), (60, 4)]
    seen = mechdesign("local", "aggregate", "one.state", "two.state", "--json")
    check_wording(seen.err)
    assert (json.loads(seen.out)["users"], json.loads(seen.out)["dropped"]) == (90, 6)
    together = collect(["one.parquet", "two.parquet"], drop_invalid=True)
    assert together == both[0].merge(both[1])


def test_dropping_is_the_same_in_memory_and_by_two_processes(mechdesign):
    wrong = forged("oue", 5, bits=np.array([255], dtype=np.uint8))
    saved("one.parquet", "oue", honest("oue", 30).reports, wrong)
    saved("two.parquet", "oue", wrong, honest("oue", 60).reports)
    batches = as_batches(["one.parquet", "two.parquet"])
    state = CollectionState.empty(batches[0].header.task)
    for batch in batches:
        state = state.add(batch, drop_invalid=True)
    assert state == collect(["one.parquet", "two.parquet"], drop_invalid=True, jobs=2)
    assert state.provenance.dropped == 10


def test_sums_have_no_reports_to_drop(mechdesign):
    seen = mechdesign("local", "aggregate", "--sums", "s.csv", "--users", 3, "--task", "t.json", "--drop-invalid")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


def test_heads_say_the_confidence(mechdesign):
    make_reports(mechdesign, "some.parquet")
    head = mechdesign("local", "aggregate", "some.parquet", "--confidence", "0.9").out.splitlines()[1]
    assert head.split() == ["item", "frequency", "+-", "90", "%", "interval", "for", "all", "items"]


def test_progress_is_told_in_parts_of_a_hundred(mechdesign):
    heard = []
    make_reports(mechdesign, "some.parquet")
    with heard_by(lambda label, done, total: heard.append((label, done, total))):
        mechdesign("local", "aggregate", "some.parquet")
    assert heard[0] == ("aggregating", 0, 100)
    assert heard[-1] == ("aggregating", 100, 100)
