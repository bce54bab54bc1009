"""A workload problem is checked at the door."""

from typing import Any

import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Prefixes

BAD: dict[str, tuple[Any, dict[str, Any]]] = {
    "no_workload": ("prefixes", {"alpha": "1/2"}),
    "known_total": (MatrixWorkload.of([[1, 1, 1]]), {"alpha": "1/2"}),
    "aggregate": (Prefixes(4), {"alpha": "1/2", "aggregate": "best"}),
    "alpha": (Prefixes(4), {"alpha": 2}),
    "both": (Prefixes(4), {"alpha": "1/2", "epsilon": 1}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_problems_are_refused(name: str) -> None:
    workload, options = BAD[name]
    with refused(InputError):
        WorkloadProblem(workload, **options)


def test_epsilon_becomes_an_alpha_that_spends_no_more() -> None:
    problem = WorkloadProblem(Prefixes(4), epsilon=1, aggregate="worst")
    assert problem.epsilon <= 1
    assert problem.is_worst_case
    assert problem.k == 4
