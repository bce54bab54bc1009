"""A long search leaves its best proved design in the named file: each minute, and when it is interrupted."""

import shutil
from pathlib import Path

import pytest
from wording import refused

from mechdesign import WorkloadProblem, design_workload, export, read_design
from mechdesign.errors import NotCertifiedError
from mechdesign.methods.row_designs.search import RowSearch
from mechdesign.program.clock import Clock
from mechdesign.workload_designs import WideGapError, default_gap
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_cli.files.unfinished import UnfinishedFile

PROBLEM = WorkloadProblem(Ranges(5), epsilon=1)
SOLVE = ("local", "design", "--k", 5, "--epsilon", 1, "--workload", "ranges", "--gap", "1e-40", "--output", "d.json")


class Watch:
    """A clock of which some time passes in each round of a search, whatever the machine does."""

    def __init__(self, round_seconds):
        self.time, self.round_seconds = 0.0, round_seconds

    def __call__(self):
        return self.time

    def tell(self, _line):
        self.time += self.round_seconds


def kept_designs(round_seconds):
    """What is kept of a search whose rounds take so long, and how it ends."""
    kept, watch = [], Watch(round_seconds)
    with pytest.raises(WideGapError) as told:
        design_workload(PROBLEM, gap="1e-40", keep=kept.append, clock=Clock(None, watch), tell=watch.tell)
    return kept, told.value.design


@pytest.fixture
def interrupt(monkeypatch):
    """Ctrl-C after a round of a search."""

    def after(rounds):
        heard = []

        def say(self, line):
            heard.append(line)
            if len(heard) > rounds:
                raise KeyboardInterrupt

        monkeypatch.setattr(RowSearch, "say", say)

    return after


def test_designs_are_kept_as_time_passes_and_each_is_proved(tmp_path):
    kept, last = kept_designs(60.0)
    assert len(kept) > 1
    gaps = [design.gap for design in kept]
    assert gaps == sorted(gaps, reverse=True)
    assert last.gap <= gaps[-1]
    assert len(kept_designs(30.0)[0]) < len(kept)
    for place, design in enumerate((kept[0], kept[-1])):
        export(design, tmp_path / f"{place}.json")
        assert read_design(tmp_path / f"{place}.json").score == design.score


def test_nothing_is_kept_before_a_minute_is_over():
    assert kept_designs(0.0)[0] == []


def test_an_interrupt_after_a_round_has_a_design_and_one_before_has_none(interrupt):
    interrupt(1)
    with refused(WideGapError) as told:
        design_workload(PROBLEM, keep=lambda design: None)
    assert told.value.was_interrupted
    assert told.value.design.gap > default_gap(PROBLEM)
    interrupt(0)
    with pytest.raises(KeyboardInterrupt):
        design_workload(PROBLEM, keep=lambda design: None)
    interrupt(1)
    with pytest.raises(KeyboardInterrupt):
        design_workload(PROBLEM)


def test_floats_that_come_to_nothing_are_no_design(monkeypatch, interrupt):
    def broken(*_args):
        raise NotCertifiedError("nothing")

    monkeypatch.setattr("mechdesign.workload_designs.certified_design", broken)
    interrupt(1)
    with pytest.raises(KeyboardInterrupt):
        design_workload(PROBLEM, keep=lambda design: None)


def test_the_command_ends_with_one_and_says_how_to_go_on(mechdesign, interrupt):
    interrupt(1)
    seen = mechdesign(*SOLVE)
    assert (seen.code, seen.out) == (1, "")
    assert seen.err.splitlines()[-1].endswith("; interrupted; go on by --start d.json")
    assert mechdesign("check", "d.json").code == 0
    first = read_design("d.json")
    interrupt(10**9)
    again = mechdesign(
        "local", "design", "--k", 5, "--epsilon", 1, "--workload", "ranges", "--start", "d.json", "-o", "d.json"
    )
    assert again.code == 0
    assert read_design("d.json").gap < first.gap


def test_without_a_document_an_interrupt_is_one(mechdesign, interrupt):
    interrupt(1)
    seen = mechdesign(*SOLVE[:-2])
    assert (seen.code, seen.err.splitlines()[-1]) == (130, "mechdesign: interrupted")
    assert mechdesign(*SOLVE[:-1], "d.csv").code == 130
    assert not Path("d.csv").exists()


@pytest.mark.parametrize("held", ["better", "other", "matrix"])
def test_what_is_there_gives_way_to_a_better_design_of_the_same_problem_alone(mechdesign, interrupt, held):
    if held == "better":
        export(design_workload(PROBLEM), "d.json")
    elif held == "other":
        export(design_workload(WorkloadProblem(Prefixes(5), epsilon=1)), "d.json")
    else:
        Path("d.json").write_text("[[1, 0], [0, 1]]")
    before = Path("d.json").read_bytes()
    interrupt(1)
    seen = mechdesign(*SOLVE)
    assert seen.code == 1
    assert Path("d.json").read_bytes() == before
    assert ("kept d.json, no design for LDP, k = 5" in seen.err) == (held != "better")
    assert ("go on by --start d.json" in seen.err) == (held == "better")


def test_a_wider_gap_is_replaced(tmp_path):
    kept, _ = kept_designs(60.0)
    wide, narrow = kept[0], kept[-1]
    path = tmp_path / "d.json"
    export(wide, path)
    shutil.copy(path, tmp_path / "wide.json")
    file = UnfinishedFile(path, PROBLEM)
    file.write(wide)
    assert path.read_bytes() == (tmp_path / "wide.json").read_bytes()
    file.write(narrow)
    assert read_design(path).gap == narrow.gap
    file.write(wide)
    assert read_design(path).gap == narrow.gap


def test_usual_gaps_by_the_number_of_groups():
    gaps = {k: float(default_gap(WorkloadProblem(Prefixes(k), epsilon=1))) for k in (16, 17, 24, 25, 32, 33, 120)}
    assert gaps == {16: 1e-8, 17: 1e-6, 24: 1e-6, 25: 1e-4, 32: 1e-4, 33: 1e-3, 120: 1e-3}
