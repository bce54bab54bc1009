"""Searches keep linear algebra in one thread, and give it back."""

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

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
