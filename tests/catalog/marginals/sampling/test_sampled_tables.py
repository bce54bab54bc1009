"""Sampled tables against enumeration of their reports, closed forms of variances, and dense least squares."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from branch_enumeration import enumerated, tuple_numbers
from scipy.stats import chi2

from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.marginals.sampling.all_tables import Margps, Margrr, MargrrSue
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports, State

ESTIMATORS = ("raw", "least_squares")
EPSILON = Privacy(epsilon="1.1")
KINDS = {"margps": Margps, "margrr": Margrr, "margrr:sue": MargrrSue}


def people(domains, users, seed=3):
    generator = np.random.default_rng(seed)
    return np.stack([generator.binomial(r - 1, 0.3, users) for r in domains], axis=1).astype(np.int64)


def uneven(branches, seed=5):
    return np.random.default_rng(seed).integers(1, 5, branches)


def require_exact(oracle, name):
    counts = uneven(oracle.branches)
    values = people(oracle.domains, int(counts.sum()))
    shares, estimator, users = PeopleShares(oracle.domains, values), getattr(oracle, name), counts.astype(float)
    for size in range(1, oracle.way + 1):
        for subset in list(combinations(range(len(oracle.domains)), size))[:3]:
            mean, covariance = enumerated(oracle, estimator, subset, values, counts)
            assert mean == pytest.approx(shares.table(subset), abs=1e-11)
            found = estimator.covariance(subset, shares, users)
            assert found == pytest.approx(covariance, abs=1e-11 * covariance.max())
            assert estimator.variances(subset, shares, users) == pytest.approx(np.diag(covariance), rel=1e-11)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(
    ("kind", "domains", "way"),
    [
        ("margps", (2, 2, 2), 2),
        ("margps", (2, 2, 2, 2), 3),
        ("margps", (3, 2, 2), 2),
        ("margps", (3, 2, 4, 2), 2),
        ("margps", (3, 2, 2), 3),
        ("margps", (3, 5), 1),
        ("margrr", (2, 2, 2), 2),
        ("margrr", (2, 2, 2, 2), 2),
        ("margrr", (3, 2, 2), 2),
        ("margrr", (2, 2, 2), 3),
        ("margrr:sue", (3, 2, 2), 2),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else str(value),
)
def test_estimates_are_unbiased_and_their_covariance_is_that_of_all_reports(kind, domains, way, name):
    require_exact(KINDS[kind](domains, EPSILON, way), name)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_least_variance_is_the_least_of_users_who_are_all_alike(kind, name):
    oracle = KINDS[kind]((3, 2, 2), EPSILON, 2)
    users, estimator = uneven(3).astype(float), getattr(oracle, name)
    for subset in ((0,), (0, 2), (1, 2)):
        alike = [
            estimator.variances(subset, PeopleShares(oracle.domains, np.array([own])), users) for own in oracle.tuples()
        ]
        assert estimator.least_variances(subset, users) == pytest.approx(np.min(alike, axis=0), rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_the_law_sums_to_one_and_its_loss_is_alpha(kind):
    oracle = KINDS[kind]((3, 2, 2), EPSILON, 2)
    law = oracle.report_law()
    assert all(sum(row[t] for row in law.values()) == 1 for t in range(12))
    assert min(min(row) / max(row) for row in law.values()) == oracle.alpha >= EPSILON.alpha


@pytest.mark.parametrize("kind", KINDS)
def test_reports_are_drawn_by_the_law(kind):
    oracle, draws = KINDS[kind]((2, 2, 2), EPSILON, 2), 40_000
    values = np.tile([1, 0, 1], (draws, 1))
    reports = oracle.privatize(values, seeded_words(9))
    widths = reports.columns["report"].widths
    assert set(widths.tolist()) == {1}  # a number below 4, or 4 bits
    found = Counter(zip(reports.columns["set"].tolist(), reports.columns["report"].data.tolist(), strict=True))
    law = {key: float(row[tuple_numbers(oracle, values[:1])[0]]) for key, row in oracle.report_law().items()}
    assert set(found) <= set(law)
    statistic = sum((found[key] - draws * chance) ** 2 / (draws * chance) for key, chance in law.items())
    assert statistic < chi2.ppf(0.999, len(law) - 1)


def test_without_noise_each_user_reports_the_own_cell_in_the_own_row():
    oracle = Margps((3, 2, 4), Privacy(epsilon=60), 2)
    values = people(oracle.domains, 500)
    reports = oracle.privatize(values, seeded_words(2))
    drawn, cells = reports.columns["set"], reports.columns["report"].data
    assert set(drawn.tolist()) == {0, 1, 2}
    own = [np.ravel_multi_index(tuple(values[:, pair].T), [oracle.domains[i] for i in pair]) for pair in oracle.sets]
    assert cells.tolist() == np.array(own)[drawn, np.arange(500)].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_states_have_the_law_of_reports(kind):
    """Estimates from drawn states and from reports have one mean and variance; here the states' are tried."""
    oracle, draws = KINDS[kind]((3, 2, 2), EPSILON, 2), 400
    values, generator = people(oracle.domains, 600), np.random.default_rng(4)
    states = [oracle.draw_state(values, generator) for _ in range(draws)]
    found = np.array([oracle.raw.estimate(state, [(0, 1)])[0] for state in states])
    shares = PeopleShares(oracle.domains, values)
    variances = np.mean([oracle.raw.variances((0, 1), shares, oracle.users_of(state)) for state in states], axis=0)
    assert found.mean(axis=0) == pytest.approx(shares.table((0, 1)), abs=4 * np.sqrt(variances.max() / draws))
    assert found.var(axis=0) == pytest.approx(variances, rel=5 * np.sqrt(2 / draws))


@pytest.mark.parametrize(("d", "way"), [(4, 2), (6, 3), (5, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_raw_variances_are_the_published_closed_forms(kind, d, way):
    """n times the sum over cells, as n grows; S2 is the sum of squared shares, C the number of tables."""
    oracle, n = KINDS[kind]((2,) * d, EPSILON, way), 10**9
    shares, x = PeopleShares(oracle.domains, people(oracle.domains, 500)), float(1 / EPSILON.alpha)
    subset, cells, tables = tuple(range(way)), 2**way, comb(d, way)
    spread = 1 - (shares.table(subset) ** 2).sum()
    symmetric, optimised = np.sqrt(x) / (np.sqrt(x) - 1) ** 2, 4 * x / (x - 1) ** 2
    expected = (tables - 1) * spread + {
        "margps": tables * (cells - 1) * (2 * x + cells - 2) / (x - 1) ** 2,
        "margrr": tables * (cells * optimised + 1),
        "margrr:sue": tables * cells * symmetric,
    }[kind]
    found = oracle.raw.variances(subset, shares, oracle.planned_users(n))
    assert n * found.sum() == pytest.approx(expected, rel=1e-6)


def dense_least_squares(oracle, tables, precisions):
    """Fit the shares of all tuples, which sum to 1, to the tables by weighted least squares."""
    tuples = np.array(oracle.tuples())
    rows, wanted = [], []
    for own, table, precision in zip(oracle.sets, tables, precisions, strict=True):
        cells = np.ravel_multi_index(tuple(tuples[:, own].T), [oracle.domains[i] for i in own])
        incidence = np.equal.outer(np.arange(len(table)), cells)
        rows.append(np.sqrt(precision) * incidence)
        wanted.append(np.sqrt(precision) * table)
    design, goal = np.concatenate(rows), np.concatenate(wanted)
    start = np.full(len(tuples), 1 / len(tuples))
    null = np.linalg.svd(np.ones((1, len(tuples))))[2][1:].T
    fitted = start + null @ np.linalg.lstsq(design @ null, goal - design @ start, rcond=None)[0]
    return fitted, tuples


@pytest.mark.parametrize("domains", [(2, 2, 2, 2), (3, 2, 4, 2)], ids=["binary", "mixed"])
@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_is_the_dense_fit(kind, domains):
    """Weights are `n_b / c_b`, c the variance of a cell less the covariance of two where all cells are as frequent."""
    oracle = KINDS[kind](domains, EPSILON, 2)
    state = oracle.draw_state(people(domains, 700), np.random.default_rng(8))
    precisions = []
    for n, cells in zip(oracle.users_of(state), oracle.parts, strict=True):
        even = np.full(cells.k, 1 / cells.k)
        report = cells.moments.covariance(even) + np.diag(even) - np.outer(even, even)
        precisions.append(n / (report[0, 0] - report[0, 1]))
    fitted, tuples = dense_least_squares(oracle, oracle.set_tables(state).values(), precisions)
    for subset in ((0,), (3,), (0, 1), (1, 2), (2, 3)):
        shape = [domains[i] for i in subset]
        cells = np.ravel_multi_index(tuple(tuples[:, subset].T), shape)
        expected = np.bincount(cells, weights=fitted, minlength=np.prod(shape))
        (found,) = oracle.least_squares.estimate(state, [subset])
        assert found == pytest.approx(expected, abs=1e-12)


def test_least_squares_is_more_accurate_at_equal_shares():
    oracle = Margps((3, 2, 4, 2), EPSILON, 2)
    shares, users = UniformShares(oracle.domains), uneven(oracle.branches).astype(float)
    for subset in combinations(range(4), 2):
        raw, best = (getattr(oracle, name).variances(subset, shares, users) for name in ESTIMATORS)
        assert best.sum() < raw.sum()


def test_reports_of_parts_merge_to_those_of_all_users():
    oracle = Margrr((3, 2, 2), EPSILON, 2)
    reports = oracle.privatize(people(oracle.domains, 300), seeded_words(1))
    both = oracle.aggregate(reports[:100]).merge(oracle.aggregate(reports[100:]))
    assert both.sums.tolist() == oracle.aggregate(reports).sums.tolist()
    assert both.users == 300


@pytest.mark.parametrize("name", ESTIMATORS)
def test_only_tables_that_nobody_told_are_refused(name):
    oracle, counts = Margps((3, 2, 2), EPSILON, 2), np.array([4, 0, 3])
    values = people(oracle.domains, 7)
    shares, users, estimator = PeopleShares(oracle.domains, values), counts.astype(float), getattr(oracle, name)
    for subset in ((0, 1), (1, 2), (2,)):
        mean, covariance = enumerated(oracle, estimator, subset, values, counts)
        assert mean == pytest.approx(shares.table(subset), abs=1e-12)
        assert estimator.covariance(subset, shares, users) == pytest.approx(covariance, abs=1e-12 * covariance.max())
    state = State(oracle.parameters, 7, np.array([*counts, *[4, 0, 0, 0, 0, 0], *[0] * 6, *[3, 0, 0, 0]]))
    message = "the table of attributes 1, 3 must have a report, got none from 7 users, each about one of 3; collect"
    with pytest.raises(NoAnswerError, match=message):
        estimator.estimate(state, [(0, 1), (0, 2)])
    with pytest.raises(NoAnswerError, match=message):
        estimator.variances((0, 2), shares, users)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_user_tells_one_table(name):
    oracle, estimator = Margps((3, 2, 2), EPSILON, 2), getattr(Margps((3, 2, 2), EPSILON, 2), name)
    values, counts = np.array([[2, 0, 1]]), np.array([0, 1, 0])
    mean, covariance = enumerated(oracle, estimator, (0, 2), values, counts)
    shares = PeopleShares(oracle.domains, values)
    assert mean == pytest.approx(shares.table((0, 2)), abs=1e-12)
    assert estimator.covariance((0, 2), shares, counts.astype(float)) == pytest.approx(covariance, rel=1e-9)


def test_reports_outside_the_space_are_refused():
    oracle = Margps((3, 2, 2), EPSILON, 2)
    for number, byte, message in [
        (3, 0, "reports must have set in 0..2, got 3 in row 2"),
        (1, 6, "item in 0..5, got 6 in row 1 among those of the table of attributes 1, 3"),
    ]:
        data = np.array([0, byte], dtype=np.uint8)
        columns = {"set": np.array([0, number]), "report": Ragged(np.array([0, 1, 2]), data)}
        with pytest.raises(InputError, match=message):
            oracle.aggregate(Reports(oracle.parameters, columns))
    with pytest.raises(InputError, match="reports must have byte strings as report"):
        oracle.aggregate(Reports(oracle.parameters, {"set": np.array([0]), "report": np.array([0])}))


def test_states_that_no_reports_add_up_to_are_refused():
    oracle = Margps((2, 2), EPSILON, 2)
    for sums, message in [
        ([3, 4, 0, 0, 0], "counts in 0..3, got 4"),
        ([2, 1, 0, 0, 0], "3 users over all branches, got 2"),
        ([3, 1, 0], "must have 5 sums"),
    ]:
        with pytest.raises(InputError, match=message):
            oracle.raw.estimate(State(oracle.parameters, 3, np.array(sums)), [(0, 1)])
    oracle = Margps((2, 2), EPSILON, 1)
    with pytest.raises(InputError, match="must have no sums of the table of attributes 2, which has no user"):
        oracle.raw.estimate(State(oracle.parameters, 3, np.array([3, 0, 1, 2, 0, 1])), [(0,)])


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_is_made_again_from_its_parameters(kind):
    oracle = parse_marginal_oracle(f"{kind}:k=3", (3, 2, 2), EPSILON)
    assert oracle.title == f"{kind}:k=3"
    assert oracle.parameters == {"oracle": kind, "domains": "3,2,2", "privacy": "epsilon=11/10", "k": 3}
    assert marginal_oracle_of(oracle.parameters) == oracle


def test_bits_are_those_of_the_number_of_the_set_and_of_the_report():
    assert Margps((2,) * 8, EPSILON, 2).bits == 5 + 2
    assert Margrr((2,) * 8, EPSILON, 2).bits == 5 + 4
    mixed = Margps((3, 2, 2), EPSILON, 2)
    assert (mixed.bits, mixed.mean_bits) == (2 + 3, pytest.approx(2 + 8 / 3))


@pytest.mark.parametrize("kind", ["margps", "margrr", "margrr:sue", "marght"])
def test_more_tables_than_can_be_listed_are_refused(kind):
    with pytest.raises(InputError, match=r"tables of k=32 attributes must be at most 2\^20, got \d+; take a smaller k"):
        parse_marginal_oracle(f"{kind}:k=32", (2,) * 64, EPSILON)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_that_do_not_fit_the_memory_are_refused(kind):
    oracle = KINDS[kind]((10**5, 10**5, 3), EPSILON, 2)
    empty = Reports(
        oracle.parameters, {"set": np.array([0]), "report": Ragged(np.array([0, 0]), np.zeros(0, np.uint8))}
    )
    for refused in (lambda: oracle.privatize(np.array([[1, 2, 0]])), lambda: oracle.aggregate(empty)):
        with pytest.raises(InputError, match=r"all tables must fit the memory .* got 10000600000 cells"):
            refused()
