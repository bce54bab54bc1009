"""The noise-aware test holds its level on the tables of real systems, where the published one does not."""

import contextlib
import math

import numpy as np
import pytest

from mechdesign.errors import NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.dependence.associations import find_associations
from mechdesign_catalog.marginals.estimates import LinearTables
from mechdesign_catalog.marginals.registry import parse_marginal_oracle

LEVEL = 0.05
BITS = ([0.3, 0.7], [0.1, 0.9], [0.5, 0.5], [0.05, 0.95])
ITEMS = ([0.2, 0.3, 0.5], [0.1, 0.1, 0.3, 0.5], [0.4, 0.6])
COLLECTIONS = 150


def results_of_independent_attributes(name, post, laws, users=4000):
    """All pairs' tests in collections from so many users each, epsilon 1.1."""
    generator = np.random.default_rng(0)
    oracle = parse_marginal_oracle(name, tuple(map(len, laws)), Privacy(epsilon=1.1))
    for _ in range(COLLECTIONS):
        values = np.column_stack([generator.choice(len(law), size=users, p=law) for law in laws])
        state = oracle.draw_state(values, generator)
        with contextlib.suppress(NoAnswerError):  # a coefficient of which nobody told anything
            yield from find_associations(LinearTables(oracle, state, post), replicates=0).tests


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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inpht:k=2", "margps:k=2"])
def test_level_is_held_where_a_handful_of_users_told_each_coefficient(name):
    """Of 40 users all who told one coefficient may say the same; the estimated variance of it would be 0."""
    laws = ([0.3, 0.7], [0.25, 0.75], [0.86, 0.09, 0.05])
    tests = list(results_of_independent_attributes(name, "least-squares", laws, 40))
    assert len(tests) > 300
    found = np.mean([test.aware.p_value <= LEVEL for test in tests])
    assert found < LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / len(tests))
