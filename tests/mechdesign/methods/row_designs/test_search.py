"""What a search is asked for: the time that it has, and whom it tells."""

import time

import pytest

from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.search import RowGeneration
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.workloads.ordered import Prefixes

PROGRAMME = RowProgramme.of(WorkloadProblem(Prefixes(3), epsilon=1))


@pytest.mark.parametrize(
    ("limit", "late"), [(None, False), (600.0, False), (0.0, True)], ids=["no-limit", "ten-minutes", "none"]
)
def test_a_search_is_late_when_its_clock_says_so(limit, late):
    assert RowGeneration(PROGRAMME, 1e-3, clock=Clock(limit)).is_late is late


def test_the_clock_runs_on_past_its_limit():
    clock = Clock(0.0)
    before = clock.remaining()
    time.sleep(0.001)
    assert clock.remaining() < before <= 0
    assert Clock(None).remaining() == float("inf")


def test_lines_are_told_to_whom_listens():
    lines = []
    RowGeneration(PROGRAMME, 1e-3, tell=lines.append).say("round 1")
    RowGeneration(PROGRAMME, 1e-3).say("nobody listens")
    assert lines == ["round 1"]
