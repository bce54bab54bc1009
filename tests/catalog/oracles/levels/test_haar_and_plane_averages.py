"""Average and largest variances of Haar and of systems on two columns against all queries, one by one."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.oracles.levels.haar import Haar
from mechdesign_catalog.oracles.levels.largest import Ends, largest_by_ends, square_factors
from mechdesign_catalog.oracles.levels.plane import equal_shares
from mechdesign_catalog.oracles.levels.plane.haar2 import Haar2
from mechdesign_catalog.oracles.levels.plane.hh2 import HierarchicalHistograms2
from mechdesign_catalog.oracles.levels.tree import Tree

ONE = Privacy(epsilon=1)
USERS = 5000


def one_by_one(oracle, workload, users=USERS):
    return oracle.answer_variance(workload.queries(), np.full(oracle.k, 1 / oracle.k), users)


@pytest.mark.parametrize("k", [2, 5, 8, 11, 16, 37])
@pytest.mark.parametrize("workload", [Ranges, Prefixes, Histogram])
@pytest.mark.parametrize("levels", ["uniform", "optimal"])
def test_haar_over_workloads(k, workload, levels):
    oracle, asked = Haar(k, Privacy(epsilon=3), levels), workload(k)
    found = one_by_one(oracle, asked)
    assert oracle.average_variance(asked, USERS) == pytest.approx(found.mean(), rel=1e-11)
    assert oracle.largest_variance(asked, USERS) == (found.max(), found.max())


PLANES = [
    Haar2(16, ONE, "4x4"),
    Haar2(15, ONE, "3x5"),
    HierarchicalHistograms2(16, ONE, "4x4", 2),
    HierarchicalHistograms2(27, ONE, "3x9", 3, "grr", "5-4-3-2-1"),
    HierarchicalHistograms2(35, ONE, "5x7", 2, "auto"),
    HierarchicalHistograms2(30, ONE, "5x6", 3, "hrr"),
]
every_plane = pytest.mark.parametrize("oracle", PLANES, ids=str)


@every_plane
def test_planes_over_workloads(oracle):
    for workload in (Grid(oracle.shape), Histogram(oracle.k)):
        found = one_by_one(oracle, workload)
        assert oracle.average_variance(workload, USERS) == pytest.approx(found.mean(), rel=1e-10)
        assert oracle.largest_variance(workload, USERS) == pytest.approx((found.max(), found.max()), rel=1e-10)


@every_plane
@pytest.mark.parametrize(("items", "factor"), [(1024, 1.9), (2, 5.5)])
def test_the_bound_of_a_plane_holds(oracle, items, factor, monkeypatch):
    """Within a factor of the truth: rows and columns are not at their worst together."""
    monkeypatch.setattr(equal_shares, "MOST_EXACT", 10)
    monkeypatch.setattr(equal_shares, "SAMPLED", 6)
    monkeypatch.setattr(equal_shares, "MOST_ITEMS", items)
    value, bound = oracle.largest_variance(Grid(oracle.shape), USERS)
    largest = one_by_one(oracle, Grid(oracle.shape)).max()
    assert value <= largest * (1 + 1e-12)
    assert largest <= bound < factor * largest


@pytest.mark.parametrize(("k", "factor"), [(8, 1.8), (64, 1.4), (512, 1.3), (50, 4.1)])
def test_the_bound_of_haar_holds(k, factor):
    oracle, shares = Haar(k, ONE, "optimal"), np.full(k, 1 / k)
    spans = oracle.side.spans[-2::-1]
    factors = square_factors((spans / k).tolist(), oracle.moments, oracle.users_by_branch(USERS)) / spans
    value, bound = largest_by_ends(
        Ends(Tree(k, 2), factors), Ranges(k), lambda queries: oracle.answer_variance(queries, shares, USERS)
    )
    largest = one_by_one(oracle, Ranges(k)).max()
    assert 0.9 * largest < value <= largest * (1 + 1e-12)
    assert largest <= bound < factor * largest


def test_haar_at_a_million_items_in_closed_form():
    """The average is near `A h^2 / (6 n)`, A = 4, its limit; the largest is told within 30 %."""
    oracle = Haar(1 << 20, Privacy(alpha="1/3"))
    average = oracle.average_variance(Ranges(1 << 20), 10**6)
    assert average == pytest.approx(4 * 20**2 / 6 / 10**6, rel=0.1)
    value, bound = oracle.largest_variance(Ranges(1 << 20), 10**6)
    assert average < value <= bound < 1.3 * value


def test_workloads_of_other_items_are_refused():
    with pytest.raises(InputError, match="workload must be on the 8 items of the oracle, got 9"):
        Haar(8, ONE).average_variance(Ranges(9), 10)
    with pytest.raises(InputError, match="workload must be grid:2,4 for haar2:sides=2x4, got grid:4,2"):
        Haar2(8, ONE, "2x4").largest_variance(Grid((4, 2)), 100)
