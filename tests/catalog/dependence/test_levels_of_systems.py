"""The noise-aware test holds its level on the tables of real systems, where the published one does not."""

import math

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.dependence.associations import find_associations
from mechdesign_catalog.marginals.estimates import LinearTables
from mechdesign_catalog.marginals.registry import parse_marginal_oracle

LEVEL = 0.05
BITS = ([0.3, 0.7], [0.1, 0.9], [0.5, 0.5], [0.05, 0.95])
ITEMS = ([0.2, 0.3, 0.5], [0.1, 0.1, 0.3, 0.5], [0.4, 0.6])
COLLECTIONS = 150


def results_of_independent_attributes(name, post, laws):
    """All pairs' tests in collections from 4,000 users each, epsilon 1.1."""
    generator = np.random.default_rng(0)
    oracle = parse_marginal_oracle(name, tuple(map(len, laws)), Privacy(epsilon=1.1))
    for _ in range(COLLECTIONS):
        values = np.column_stack([generator.choice(len(law), size=4000, p=law) for law in laws])
        source = LinearTables(oracle, oracle.draw_state(values, generator), post)
        yield from find_associations(source, replicates=0).tests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "post", "laws"),
    [
        pytest.param("inpht:k=2", "least-squares", BITS, id="inpht-bits"),
        pytest.param("inpht:k=2", "raw", ITEMS, id="inpht-items-raw"),
        pytest.param("margps:k=2", "raw", BITS, id="margps-bits-raw"),
        pytest.param("margps:k=2", "least-squares", ITEMS, id="margps-items"),
        pytest.param("inprr:oue:k=2", "least-squares", BITS, id="inprr-bits"),
    ],
)
def test_level_is_held_and_the_published_test_does_not_hold_it(name, post, laws):
    """At 5 %, give or take five standard errors of as many tests as if they were a third as many."""
    tests = list(results_of_independent_attributes(name, post, laws))
    found = np.mean([test.aware.p_value <= LEVEL for test in tests])
    assert abs(found - LEVEL) < 5 * math.sqrt(3 * LEVEL * (1 - LEVEL) / len(tests))
    defined = [test.published.p_value for test in tests if not math.isnan(test.published.p_value)]
    assert np.mean(np.array(defined) <= LEVEL) > 0.5
