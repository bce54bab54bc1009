"""Several subsets at a time: the answer is that of one at a time, whatever else was solved meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_work import dies_at_wh
from wording import refused

from mechdesign import DesignProblem, NotCertifiedError, landscape
from mechdesign.errors import MachineError
from mechdesign.sweeps.subset_designs import design_exactly


class Solver:
    """Solves, and keeps what it was asked for; some bounds are looser than they are."""

    def __init__(self, loose=frozenset(), failing=frozenset()):
        self.asked, self._lock, self._loose, self._failing = [], Lock(), loose, failing

    def __call__(self, problem, seconds):
        with self._lock:
            self.asked.append(problem.properties)
        name = next(iter(problem.properties & self._failing), None)
        if name is not None:
            raise NotCertifiedError(f"not certified: {name}")
        found = design_exactly(problem, seconds)
        return replace(found, lower_bound=found.score / 2) if problem.properties & self._loose else found


@pytest.fixture(scope="module")
def executor():
    with ThreadPoolExecutor(4) as opened:
        yield opened


@pytest.mark.slow
@settings(max_examples=12)
@given(
    loss=st.sampled_from(["L0", "L1"]),
    alpha=st.sampled_from(["1/2", "9/10"]),
    loose=st.frozensets(st.sampled_from(["WH", "RM", "CM", "F"]), max_size=2),
)
def test_the_answer_is_that_of_one_at_a_time(executor, loss, alpha, loose):
    problem = DesignProblem(3, alpha, loss=loss)
    one, many = Solver(loose), Solver(loose)
    alone, together = landscape(problem, solve=one), landscape(problem, solve=many, executor=executor)
    assert (together.classes, together.solved) == (alone.classes, alone.solved)
    assert list(alone.solved) == one.asked
    assert set(one.asked) <= set(many.asked)
    assert len(many.asked) == len(set(many.asked))


def test_what_turns_out_to_be_needless_is_dropped_with_its_error(executor):
    problem = DesignProblem(4, "9/10")
    needed = landscape(problem).solved
    needless = Solver()
    landscape(problem, solve=needless, executor=executor)
    assert set(needless.asked) > set(needed)
    told = []
    solver = Solver(failing=frozenset({"F"}))
    with refused(NotCertifiedError):
        landscape(problem, solve=solver, executor=executor, on_progress=told.append)
    assert told == [1]


@pytest.mark.slow
def test_processes_find_the_same_and_who_kills_one_is_named():
    problem = DesignProblem(4, "9/10", loss="L1")
    assert landscape(problem, jobs=2).classes == landscape(problem).classes
    with refused(MachineError):
        landscape(problem, jobs=2, solve=dies_at_wh)
