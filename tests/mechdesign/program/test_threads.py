"""Searches keep linear algebra in one thread, and give it back; HiGHS runs by the threads that are there."""

from typing import Any

import highspy
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mechdesign.program.solvers.highs_ import SilentHighs, new_highs
from mechdesign.program.threads import one_thread


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_blas_has_one_thread_inside_and_as_many_as_before_afterwards() -> None:
    np.linalg.inv(np.eye(2))  # loads it
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == before


def solved(highs: Any) -> tuple[Any, float]:
    """How a program of one variable ended, and its value."""
    highs.addVar(0.0, 3.0)
    highs.changeColCost(0, -1.0)
    return highs.run(), highs.getObjectiveValue()


@pytest.mark.parametrize("threads", [1, 2])
def test_highs_runs_after_somebody_who_took_another_number_of_threads(threads: int) -> None:
    other = SilentHighs()
    other.setOptionValue("threads", threads)
    highspy.Highs.resetThreadScheduler(True)
    try:
        assert highspy.Highs.run(other) == highspy.HighsStatus.kOk
        assert solved(new_highs()) == (highspy.HighsStatus.kOk, -3.0)
    finally:
        highspy.Highs.resetThreadScheduler(True)
