"""Where optima of the local model are pathological."""

import itertools
from fractions import Fraction

import pytest

from mechdesign import DesignProblem, Loss, Mechanism, Model, design
from mechdesign.certificate.score import score
from mechdesign.methods.closed_forms.generalized_randomized_response import generalized_randomized_response
from mechdesign_figures.claims.counts.local import REGIONS

ALPHAS = [Fraction(text) for text in ("1/1000", "1/50", "1/10", "1/4", "1/3", "1/2", "3/4", "99/100")]


def prices(loss, k, alpha):
    """Dual prices of GRR: `(1-alpha) pi_i + alpha sum(pi) = alpha D_i`, solved by adding up."""
    table = Loss.parse(loss).matrix(k)
    total = alpha * sum(map(sum, table)) / (1 + (k - 1) * alpha)
    return [alpha * (sum(row) - total) / (1 - alpha) for row in table]


@pytest.mark.slow
@pytest.mark.parametrize("region", REGIONS, ids=lambda region: region.loss)
def test_the_region_is_that_of_the_dual_prices(region):
    for k, alpha in itertools.product(range(2, 20), ALPHAS):
        found = prices(region.loss, k, alpha)
        assert max(found) == found[0] == found[-1]
        assert region.left(k, alpha) - 1 == (1 - alpha) * (1 + (k - 1) * alpha) * (max(found) - 1)
        if max(found) <= 1:
            assert min(found) >= 0


@pytest.mark.parametrize(("region", "alpha"), [(REGIONS[0], Fraction(1, 2)), (REGIONS[1], Fraction(1, 4))])
def test_at_its_edge_there_are_optima_of_both_kinds(region, alpha):
    assert region.left(3, alpha) == 1
    problem = DesignProblem(model=Model.ldp(3), alpha=alpha, loss=region.loss)
    middle = Mechanism(((0, 0, 0), (1, 1, 1), (0, 0, 0)), 1)
    assert score(middle, problem) == score(generalized_randomized_response(3, alpha), problem) == design(problem).score
