"""Systems for several attributes refuse at once what would take minutes or all memory, and say what to change."""

import numpy as np
import pytest

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.marginals_estimate import require_tables_fit
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import PeopleShares

TABLES = "sets must be chosen for at most 2^16 tables of k attributes"
SUBSETS = "k must leave at most 2^20 sets of up to k attributes"


@pytest.mark.parametrize(
    ("text", "domains", "message"),
    [
        *((name, (2,) * 40, SUBSETS) for name in ("inpem:k=20", "inpht:k=20", "inpes:k=20")),
        *((name, (2,) * 5000, SUBSETS) for name in ("inpem:k=2500", "inpht:k=2500")),
        ("inpht:k=3", (1000,) * 4, "k must leave at most 2^26 coefficients, got k=3 with"),
        ("calm:k=20", (2,) * 40, TABLES),
        ("calm:k=20:sets=" + ".".join(map(str, range(40))), (2,) * 40, TABLES),
        ("inpps:k=2", (2,) * 41, "inpht, margps and calm need no table of all of them"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else None,
)
def test_what_is_too_large_is_refused_at_once(text, domains, message):
    with pytest.raises(InputError) as error:
        parse_marginal_oracle(text, domains, Privacy(epsilon=1))
    assert message in str(error.value)


def test_tables_whose_covariance_is_too_large_are_refused():
    attributes = Attributes.of({"street": range(1 << 20), "sex": ["f", "m"]})
    require_tables_fit(attributes, [(1,)])
    with pytest.raises(
        InputError, match=r"tables with their covariances must fit the memory .* got 1 of up to 1,048,576"
    ):
        require_tables_fit(attributes, [(0,)])


@pytest.mark.parametrize("name", ["margrr", "margps", "calm:size=3"])
def test_users_of_tables_of_different_sizes_report_their_own_cell(name):
    """At a large epsilon a report is the user's cell, whichever table was drawn."""
    domains = (3, 2, 4, 2)
    oracle = parse_marginal_oracle(name, domains, Privacy(epsilon=30))
    values = np.random.default_rng(3).integers(0, domains, size=(600, 4))
    state = oracle.aggregate(oracle.privatize(values))
    (found,) = oracle.least_squares.estimate(state, [(0, 2)])
    shares = np.bincount(values[:, 0] * 4 + values[:, 2], minlength=12) / 600
    errors = np.sqrt(
        np.diag(oracle.least_squares.covariance((0, 2), PeopleShares(domains, values), oracle.users_of(state)))
    )
    assert (np.abs(found - shares) < 4.5 * errors).all()
