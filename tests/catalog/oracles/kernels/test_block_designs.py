"""What a square mechanism of the LP can do: blocks in which any two items stand together equally often.

With a loss of 0 for the items of an output's block and 1 for the others, the optimum gives every item of the block the
same probability. For the seven lines of Fano's plane that is subset selection of three items, told in three bits.
"""

import pytest

from mechdesign import DesignProblem, Loss, Model, design
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.oracle import FrequencyOracle

PLANES = {7: (1, 2, 4), 13: (0, 1, 3, 9), 21: (3, 6, 7, 12, 14)}
"""Difference sets: every difference but 0 occurs once among the members, modulo k."""


def designed(k: int, epsilon: str) -> FrequencyOracle:
    block = PLANES[k]
    rows = tuple(tuple(int((item - output) % k not in block) for item in range(k)) for output in range(k))
    problem = DesignProblem(model=Model.ldp(k), epsilon=epsilon, loss=Loss.from_matrix(rows))
    return Designed.of(design(problem).mechanism, Privacy(epsilon=epsilon))


@pytest.mark.parametrize("k", [7, 13])
@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_a_plane_is_subset_selection_of_its_lines(k, epsilon):
    oracle = designed(k, epsilon)
    selection = make_oracle("ss", k, Privacy(epsilon=epsilon), size=len(PLANES[k]))
    assert oracle.approximate_variance(1) == pytest.approx(selection.approximate_variance(1), rel=1e-12)
    assert oracle.bits < selection.bits


def test_where_it_beats_the_oracles():
    """Below the variance of every other at (7, 1/2) and (21, 1); behind GRR and subset selection at (7, 2)."""
    others = ("grr", "sue", "oue", "blh", "olh", "hrr")
    for k, epsilon in ((7, "1/2"), (21, "1")):
        variance = designed(k, epsilon).approximate_variance(1)
        assert all(variance < make_oracle(name, k, Privacy(epsilon=epsilon)).approximate_variance(1) for name in others)
        assert variance <= make_oracle("ss", k, Privacy(epsilon=epsilon)).approximate_variance(1) * (1 + 1e-12)
    assert designed(7, "2").approximate_variance(1) > make_oracle("grr", 7, Privacy(epsilon="2")).approximate_variance(
        1
    )
