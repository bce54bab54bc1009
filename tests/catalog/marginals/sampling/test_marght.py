"""MARGHT against enumeration of its reports, the closed forms of its variances, and dense inversion."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from branch_enumeration import enumerated, tuple_numbers

from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.marginals.sampling.marght import Marght
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares
from mechdesign_catalog.oracles.reports import Reports, State

ESTIMATORS = ("raw", "least_squares")
EPSILON = Privacy(epsilon="1.1")


def people(d, users, seed=3):
    generator = np.random.default_rng(seed)
    return (generator.random((users, d)) < np.linspace(0.2, 0.7, d)).astype(np.int64)


def uneven(branches, seed=5):
    return np.random.default_rng(seed).integers(1, 5, branches)


@pytest.mark.parametrize(("d", "way"), [(3, 2), (4, 2), (4, 3), (3, 1), (3, 3)])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimates_are_unbiased_and_their_covariance_is_that_of_all_reports(d, way, name):
    oracle = Marght((2,) * d, EPSILON, way)
    counts = uneven(oracle.branches)
    values = people(d, int(counts.sum()))
    shares, estimator, users = PeopleShares(oracle.domains, values), getattr(oracle, name), counts.astype(float)
    for size in range(1, way + 1):
        for subset in list(combinations(range(d), size))[:3]:
            mean, covariance = enumerated(oracle, estimator, subset, values, counts)
            assert mean == pytest.approx(shares.table(subset), abs=1e-12)
            found = estimator.covariance(subset, shares, users)
            assert found == pytest.approx(covariance, abs=1e-12 * covariance.max())
            assert estimator.variances(subset, shares, users) == pytest.approx(np.diag(covariance), rel=1e-12)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_least_variance_is_that_of_users_who_are_all_alike(name):
    oracle = Marght((2,) * 4, EPSILON, 2)
    counts = uneven(oracle.branches)
    alike = np.tile([0, 1, 1, 0], (int(counts.sum()), 1))
    estimator = getattr(oracle, name)
    _, covariance = enumerated(oracle, estimator, (1, 3), alike, counts)
    assert estimator.least_variances((1, 3), counts.astype(float)) == pytest.approx(np.diag(covariance), rel=1e-12)


def test_the_law_sums_to_one_and_loses_what_is_claimed():
    oracle = Marght((2, 2, 2), EPSILON, 2)
    law = oracle.report_law()
    assert all(sum(row[t] for row in law.values()) == 1 for t in range(8))
    assert min(min(row) / max(row) for row in law.values()) == oracle.alpha == EPSILON.alpha


def test_reports_are_drawn_by_the_law():
    oracle = Marght((2, 2, 2), EPSILON, 2)
    values = np.tile([1, 0, 1], (40_000, 1))
    reports = oracle.privatize(values, seeded_words(7))
    columns = zip(reports.columns["coefficient"].tolist(), reports.columns["bit"].tolist(), strict=True)
    place = int(tuple_numbers(oracle, values[:1])[0])
    law = {key: float(row[place]) for key, row in oracle.report_law().items()}
    found = dict.fromkeys(law, 0)
    for key in columns:
        found[key] += 1
    statistic = sum((found[key] - 40_000 * chance) ** 2 / (40_000 * chance) for key, chance in law.items())
    assert statistic < 41  # chi-squared of 17 degrees of freedom is above that with a chance of 1e-3


def test_without_noise_each_user_reports_the_own_sign_in_the_own_row():
    oracle = Marght((2, 2, 2), Privacy(epsilon=60), 2)
    values = people(3, 500)
    reports = oracle.privatize(values, seeded_words(2))
    odd = np.array([[b, a, a ^ b, c, a, a ^ c, c, b, b ^ c] for a, b, c in values])  # last attribute, first, both
    assert reports.columns["bit"].tolist() == odd[np.arange(500), reports.columns["coefficient"]].tolist()


def test_simulated_states_have_the_law_of_reports():
    oracle = Marght((2, 2), EPSILON, 2)
    values = people(2, 50)
    generator, draws = np.random.default_rng(11), 4000
    drawn = np.array([oracle.draw_state(values, generator).sums for _ in range(draws)])
    true = PeopleShares(oracle.domains, values)
    signs = [1 - 2 * true.table((1,))[1], 1 - 2 * true.table((0,))[1], (true.table((0, 1)) @ [1, -1, -1, 1])]
    expected = np.array([1 / 3] * 3 + [sign / 3 / float(oracle.scale) for sign in signs]) * 50
    assert drawn.mean(axis=0) == pytest.approx(expected, abs=4 * np.sqrt(50 / 3 / draws))


@pytest.mark.parametrize(("d", "way"), [(4, 2), (6, 3), (5, 1)])
def test_raw_variances_are_the_published_closed_form(d, way):
    """n times the sum over cells is `C (K-1)/K [(K-1) V0 + K (1 - S2)] - (1 - S2)`, as n grows."""
    oracle, n = Marght((2,) * d, EPSILON, way), 10**9
    values = people(d, 500)
    shares, x = PeopleShares(oracle.domains, values), float(1 / EPSILON.alpha)
    table, cells, tables = shares.table(tuple(range(way))), 2**way, comb(d, way)
    spread, noise = 1 - (table**2).sum(), 4 * x / (x - 1) ** 2
    expected = tables * (cells - 1) / cells * ((cells - 1) * noise + cells * spread) - spread
    found = oracle.raw.variances(tuple(range(way)), shares, oracle.planned_users(n))
    assert n * found.sum() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("d", "way"), [(5, 1), (5, 2), (6, 3)])
def test_with_pooled_coefficients_it_is_as_accurate_as_inpht_with_uniform_draws(d, way):
    """Chances in proportion to how often coefficients are needed, or equal: the variance of a table is the same."""
    domains, subset = (2,) * d, tuple(range(way))
    oracles = Marght(domains, EPSILON, way), Inpht(domains, EPSILON, way, draw="uniform")
    here, there = (
        oracle.least_squares.variances(subset, UniformShares(domains), oracle.planned_users(10**6))
        for oracle in oracles
    )
    assert here == pytest.approx(there, rel=1e-12)


def test_least_squares_makes_all_tables_agree():
    oracle = Marght((2,) * 5, EPSILON, 3)
    state = oracle.draw_state(people(5, 4000), np.random.default_rng(2))
    pairs = list(combinations(range(5), 2))
    tables = dict(zip(pairs, oracle.least_squares.estimate(state, pairs), strict=True))
    (triple,) = oracle.least_squares.estimate(state, [(0, 2, 4)])
    assert triple.sum() == pytest.approx(1, abs=1e-12)
    assert triple.reshape(2, 2, 2).sum(axis=1).reshape(-1) == pytest.approx(tables[0, 4], abs=1e-12)
    assert tables[0, 2].reshape(2, 2).sum(axis=1) == pytest.approx(tables[0, 4].reshape(2, 2).sum(axis=1), abs=1e-12)


def test_least_squares_is_never_less_accurate_at_equal_shares():
    oracle = Marght((2,) * 5, EPSILON, 3)
    shares, users = UniformShares(oracle.domains), uneven(oracle.branches).astype(float)
    for subset in ((1, 3), (0, 2, 4)):  # one-way tables use the same users in both
        raw, best = (getattr(oracle, name).variances(subset, shares, users) for name in ESTIMATORS)
        assert (best < raw).all()


def test_reports_of_parts_merge_to_those_of_all_users():
    oracle = Marght((2, 2, 2), EPSILON, 2)
    reports = oracle.privatize(people(3, 300), seeded_words(1))
    both = oracle.aggregate(reports[:100]).merge(oracle.aggregate(reports[100:]))
    assert both.sums.tolist() == oracle.aggregate(reports).sums.tolist()
    assert both.users == 300


def test_only_tables_that_nobody_told_are_refused():
    oracle = Marght((2, 2, 2), EPSILON, 2)
    counts = np.array([2, 1, 3, 1, 2, 0, 1, 0, 2])  # nobody told 1 and 3 together, or 1 in the table of 2 and 3
    values = people(3, int(counts.sum()))
    shares, users = PeopleShares(oracle.domains, values), counts.astype(float)
    for name, subset in [("raw", (0, 1)), ("least_squares", (0, 1)), ("least_squares", (1, 2)), ("raw", (2,))]:
        estimator = getattr(oracle, name)
        mean, covariance = enumerated(oracle, estimator, subset, values, counts)
        assert mean == pytest.approx(shares.table(subset), abs=1e-12)
        assert estimator.covariance(subset, shares, users) == pytest.approx(covariance, abs=1e-12 * covariance.max())
    state = State(oracle.parameters, 12, np.concatenate([counts, counts]))
    for name, subset, told in [
        ("least_squares", (0, 2), "the coefficient of attributes 1, 3 in the table of attributes 1, 3"),
        ("raw", (0, 2), "the coefficient of attributes 1, 3 in the table of attributes 1, 3"),
        ("raw", (1, 2), "the coefficient of attributes 2 in the table of attributes 2, 3"),
    ]:
        with pytest.raises(NoAnswerError, match=f"{told} must have a report, got none from 12 users, each about one"):
            getattr(oracle, name).estimate(state, [(0, 1), subset])
        with pytest.raises(NoAnswerError, match=told):
            getattr(oracle, name).least_variances(subset, users)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: Marght((2, 3), EPSILON, 1), "attributes must have 2 items for marght, got 3", id="items"),
        pytest.param(lambda: Marght((2, 2), EPSILON, 3), "k must be in 1..2, as there are 2 attributes", id="way"),
        pytest.param(
            lambda: Marght((2, 2), EPSILON, 2).privatize(np.array([[0, 1], [2, 0]])),
            "values of attribute 1 must be in 0..1, got another in row 2",
            id="value",
        ),
        pytest.param(
            lambda: parse_marginal_oracle("marght:k=2:t=1", (2, 2), EPSILON), "t must not be given", id="option"
        ),
        pytest.param(
            lambda: Marght((2, 2), EPSILON, 2).planned_users(1), "users must be at least 2 for marght", id="users"
        ),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("column", "number", "message"),
    [("coefficient", 9, "coefficient in 0..8, got 9 in row 2"), ("bit", 2, "bit in 0..1, got 2 in row 2")],
)
def test_reports_outside_the_space_are_refused(column, number, message):
    oracle = Marght((2, 2, 2), EPSILON, 2)
    columns = {"coefficient": np.array([0, 1, 2]), "bit": np.array([0, 1, 1])}
    columns[column][1] = number
    with pytest.raises(InputError, match=message):
        oracle.aggregate(Reports(oracle.parameters, columns))


@pytest.mark.parametrize(
    ("counts", "sums", "message"),
    [
        ([2, 2, 2], [3, 0, 0], "got 3 from 2 for the coefficient of attributes 2 in the table of attributes 1, 2"),
        ([2, 2, 2], [0, 1, 0], "got 1 from 2 for the coefficient of attributes 1 in"),
        ([2, 2, 1], [0, 0, 1], "must have 6 users over all branches, got 5"),
        ([2, 2, -1], [0, 0, 1], "counts in 0..6, got -1"),
        ([6, 0], [0], "must have 6 sums"),
    ],
    ids=["too large", "odd", "users", "negative", "length"],
)
def test_states_that_no_reports_add_up_to_are_refused(counts, sums, message):
    oracle = Marght((2, 2), EPSILON, 2)
    with pytest.raises(InputError, match=message):
        oracle.raw.estimate(State(oracle.parameters, 6, np.array([*counts, *sums])), [(0, 1)])


def test_the_oracle_is_made_again_from_its_parameters():
    oracle = parse_marginal_oracle("marght:k=3", (2,) * 4, EPSILON)
    assert oracle.title == "marght:k=3"
    assert oracle.parameters == {"oracle": "marght", "domains": "2,2,2,2", "privacy": "epsilon=11/10", "k": 3}
    assert marginal_oracle_of(oracle.parameters) == oracle
