"""Tables of every system: a dense fit that knows laws alone, published variances, posts, and what is too large."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from joint_tables import JointTables
from marginal_forms import cell_variances
from numpy.testing import assert_allclose
from scipy.linalg import null_space
from table_doubles import incidence
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.estimates.marginals_estimate import require_tables_fit
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.decoders.tables.subsets import JointShares, PeopleShares, subsets_of
from mechdesign_catalog.randomizers.facts import information
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.tables.consistency.posts import TABLE_POSTS, TablePost, table_source
from mechdesign_catalog.systems.tables.consistency.simplex_tables import SimplexTables
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle
from mechdesign_catalog.testing import OracleLaw

HASHED = {"inpolh", "inphtcms"}  # laws over public hashes are too long to list
OPTIONS = {"inpht": ["", ":draw=uniform"], "inpes": ["", ":basis=helmert"]}
MIXED = {
    "inpht": (3, 2, 3),
    "inpes": (3, 2, 3),
    "inpps": (3, 2, 2),
    "spl": (3, 2, 2),
    "smp": (3, 2, 2),
    "rs+fd": (3, 2, 2),
    "margps": (3, 2, 2),
    "margrr": (3, 2, 2),
    "margrr:sue": (3, 2, 2),
    "calm": (2, 3, 3),
}


def make(text, domains):
    way = "" if "k" not in MARGINAL_ORACLES[text.partition(":draw")[0].partition(":basis")[0]].fields_by_option() else 2
    return parse_marginal_oracle(f"{text}:k={way}" if way else text, domains, Privacy.parse("epsilon=11/10"))


def lower_tables(oracle):
    d = len(oracle.domains)
    return [subset for size in range(1, oracle.way + 1) for subset in combinations(range(d), size)]


def drawn(oracle, users):
    generator = np.random.default_rng(5)
    people = generator.integers(0, oracle.domains, (users, len(oracle.domains)))
    people[: users // 2] = people[0]
    return oracle.simulate_sums(people, generator)


@pytest.mark.parametrize("name", MARGINAL_ORACLES)
def test_tables_agree_and_total_1(name):
    for domains in [(2, 2, 2, 2), *([MIXED[name]] if name in MIXED else [])]:
        oracle = make(name, domains)
        subsets = lower_tables(oracle)
        tables = dict(zip(subsets, oracle.least_squares.estimate(drawn(oracle, 3000), subsets), strict=True))
        for subset, table in tables.items():
            assert_allclose(table.sum(), 1.0, atol=1e-12)
            for part in tables:
                if set(part) < set(subset):
                    joint = [domains[i] for i in subset]
                    rows = incidence(joint, tuple(subset.index(i) for i in part))
                    assert_allclose(rows @ table, tables[part], atol=1e-12)


def any_reports(judge):
    """A state of reports that are drawn anyhow, from many users, and each branch's number of users and sums.

    Branches have more users than planned, some twice and three times; but INPHT's weights are those of the plan.
    """
    oracle, branches = judge.oracle, max(judge.branches) + 1
    planned = np.broadcast_to(oracle.planned_users(10_000), branches)
    uneven = 1 if oracle.name == "inpht" else 1 + np.arange(branches) % 3
    counts = np.rint(1e8 * uneven * planned / np.min(planned)).astype(int)
    generator, found = np.random.default_rng(9), np.zeros((branches, len(judge.sums[0])))
    for branch, count in enumerate(counts):
        own = np.flatnonzero(np.equal(judge.branches, branch))
        numbers = generator.multinomial(count, generator.dirichlet(np.ones(len(own))))
        found[branch] = numbers @ np.array(judge.sums)[own]
    return State(oracle.parameters, int(counts.sum()), found.sum(axis=0).astype(np.int64)), counts, found


def dense_fit(judge, counts, found):
    """Shares of all tuples by generalised least squares with total 1: some are not unique, tables of k attributes are.

    The mean report of a branch is linear in the shares. Its noise is that where all tuples are as frequent, with the
    sampling of the users; its inverse is taken where it has one.
    """
    size = judge.inputs
    normal, goal = np.zeros((size, size)), np.zeros(size)
    for branch, count in enumerate(counts):
        own = np.equal(judge.branches, branch)
        chances = judge.chances[own] / judge.chances[own].sum(axis=0)
        scores = np.array(judge.sums, dtype=float)[own]
        weight = count * np.linalg.pinv((scores.T * chances.mean(axis=1)) @ scores, rcond=1e-10, hermitian=True)
        means = scores.T @ chances
        normal += means.T @ weight @ means
        goal += means.T @ weight @ found[branch] / count
    start, free = np.full(size, 1 / size), null_space(np.ones((1, size)))
    inverse = np.linalg.pinv(free.T @ normal @ free, rcond=1e-9, hermitian=True)
    return start + free @ (inverse @ (free.T @ (goal - normal @ start)))


DENSE = [
    (name + option, domains)
    for name in MARGINAL_ORACLES
    if name not in HASHED
    for option in OPTIONS.get(name, [""])
    for domains in [(2, 2, 2), *([MIXED[name]] if name in MIXED else [])]
]


@pytest.mark.parametrize(("text", "domains"), DENSE, ids=str)
def test_least_squares_is_the_dense_fit_to_all_reports(text, domains):
    oracle = make(text, domains)
    judge = OracleLaw.of(oracle)
    state, counts, found = any_reports(judge)
    joint = dense_fit(judge, counts, found)
    subsets = lower_tables(oracle)
    for subset, table in zip(subsets, oracle.least_squares.estimate(state, subsets), strict=True):
        assert_allclose(table, incidence(domains, subset) @ joint, atol=1e-9)


def test_hashes_of_joint_items_are_said_to_be_idealised(monkeypatch):
    oracle = parse_marginal_oracle("inpolh", (2, 2), Privacy(epsilon=1))
    monkeypatch.setattr(information, "MOST_CHANCES", 0)
    assert not oracle.information().is_exact


NAMES = ("inpht:draw=uniform", "inprr:sue", "inprr:oue", "inpps", "margrr:sue", "margrr", "margps", "marght")
SETTINGS = [(4, 2, 3.0), (5, 3, 1.5), (3, 1, 3.0), (3, 3, 9.0)]


def made(system, d, k, x):
    oracle = parse_marginal_oracle(f"{system}:k={k}", (2,) * d, Privacy(alpha=1 / x))
    joint = np.random.default_rng((d, k)).dirichlet(np.ones(2**d))
    return oracle, JointShares((2,) * d, joint)


@pytest.mark.parametrize("system", NAMES)
@pytest.mark.parametrize(("d", "k", "x"), SETTINGS)
def test_published_estimates(system, d, k, x):
    oracle, shares = made(system, d, k, x)
    for subset in subsets_of(d, k):
        found = oracle.raw.variances(subset, shares, oracle.planned_users(1000))
        expected = cell_variances(
            system.partition(":draw")[0], d, k, 1 / float(oracle.privacy.alpha), shares.table(subset), 1000
        )
        assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        *((name, (2,) * 40) for name in ("inpem:k=20", "inpht:k=20", "inpes:k=20")),
        *((name, (2,) * 5000) for name in ("inpem:k=2500", "inpht:k=2500")),
        ("inpht:k=3", (1000,) * 4),
        ("calm:k=20", (2,) * 40),
        ("calm:k=20:sets=" + ".".join(map(str, range(40))), (2,) * 40),
        ("inpps:k=2", (2,) * 41),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else None,
)
def test_what_is_too_large_is_refused_at_once(text, domains):
    with refused(InputError):
        parse_marginal_oracle(text, domains, Privacy(epsilon=1))


def test_tables_whose_covariance_is_too_large_are_refused():
    attributes = Attributes.of({"street": range(1 << 20), "sex": ["f", "m"]})
    require_tables_fit(attributes, [(1,)])
    with refused(InputError):
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


BASE = JointTables((2, 3), np.array([0.6, -0.1, 0.2, 0.3, 0.1, -0.1]), np.eye(6) / 1000, 1000)


def test_tables_on_the_simplex_are_the_nearest_and_keep_the_errors_beneath():
    source = SimplexTables(BASE)
    table, below = source.table((0, 1)), BASE.table((0, 1))
    assert_allclose(table.shares, [0.55, 0, 0.15, 0.25, 0.05, 0], atol=1e-15)
    assert_allclose(table.covariance(), below.covariance())
    assert_allclose(table.standard_errors, below.standard_errors)
    assert_allclose(source.shares([(0, 1)])[0], table.shares)
    assert not source.unbiased
    assert (source.domains, source.way, source.users, source.post) == ((2, 3), 2, 1000, "norm-sub")


def test_an_unknown_post_is_said_with_the_nearest():
    with refused(InputError, about="post"):
        table_source(SimpleNamespace(name="inpht"), None, "least-square")


def test_a_post_of_other_oracles_is_refused(monkeypatch):
    monkeypatch.setitem(TABLE_POSTS, "em", TablePost("em", "", False, lambda oracle, state: BASE, ("inpem",)))
    assert table_source(SimpleNamespace(name="inpem"), None, " EM ") is BASE
    with refused(InputError):
        table_source(SimpleNamespace(name="inpht"), None, "em")
