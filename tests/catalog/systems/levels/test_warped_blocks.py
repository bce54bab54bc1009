"""Warped blocks: laws by enumeration, variances against the bound of all mechanisms, answers of simulated users."""

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.analyses.ordered.heavy_ranges import heavy_ranges
from mechdesign_catalog.analyses.ordered.quantiles import quantiles
from mechdesign_catalog.collection.estimates import frequency_estimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.decoders.lines import information
from mechdesign_catalog.randomizers.oracle import covariance_of_pairs
from mechdesign_catalog.systems.levels import warped_blocks, warped_levels
from mechdesign_catalog.systems.levels.warped_levels import Nested
from mechdesign_catalog.systems.memory_needs import require_fit
from mechdesign_catalog.systems.registry import make_oracle

ONE = Privacy(epsilon=1)


@pytest.mark.parametrize(("epsilon", "most"), [("1/2", 1.028), (1, 1.033), ("3/2", 1.041), (2, 1.062), (3, 1.29)])
def test_prefixes_vary_little_more_than_under_any_mechanism(epsilon, most):
    privacy, workload = Privacy(epsilon=epsilon), Prefixes(256)
    oracle = make_oracle("warped-blocks", 256, privacy)
    assert 1 < oracle.average_variance(workload, 1000) / float(variance_bound(workload, privacy, 1000)) < most


@pytest.mark.parametrize(("epsilon", "k"), [("3/2", 17), ("3/2", 256), ("7/4", 97), (2, 97), (3, 97)])
def test_nested_levels_vary_less(epsilon, k):
    privacy, workload = Privacy(epsilon=epsilon), Prefixes(k)
    usual, plain = (make_oracle("warped-blocks", k, privacy, nested=nested) for nested in (None, 0))
    assert usual.nested == warped_levels.usual_nested(k, privacy) == sum(isinstance(one, Nested) for one in usual.kinds)
    assert usual.average_variance(workload, 1) < 0.99 * plain.average_variance(workload, 1)


@pytest.mark.parametrize("k", [17, 33, 64, 97])
@pytest.mark.parametrize("epsilons", [("1.386", "1.387"), ("1.621", "1.622"), ("1.9", "1.901"), ("2.639", "2.64")])
def test_variances_fall_where_levels_change(k, epsilons):
    """Calibration looks for the least epsilon, so more of it never makes answers vary more."""
    below, above = (make_oracle("warped-blocks", k, Privacy(epsilon=one)) for one in epsilons)
    assert [len(one.kinds) for one in (below, above)] == [len(below.kinds)] * 2
    assert below.own_constants() != above.own_constants()
    assert above.average_variance(Prefixes(k), 1) < below.average_variance(Prefixes(k), 1)


@pytest.mark.parametrize(("epsilon", "nested", "k"), [(1, 0, 512), (3, 0, 512), (2, 3, 512), (1, 0, 700)])
def test_weights_are_carried_up_without_loss(epsilon, nested, k, monkeypatch):
    """Those found for all the items themselves are hardly better than those carried up, from 350 to 700 items too."""
    monkeypatch.setattr(warped_levels, "REGULAR", 256 if nested == 0 else 64)
    warped_levels.best_chances.cache_clear()
    carried = warped_blocks.WarpedBlocks(k, Privacy(epsilon=epsilon), nested=nested)
    warped_levels.best_chances.cache_clear()
    levels, workload = carried.pool.levels, Prefixes(k)
    found = warped_levels.least_variance_chances(levels, workload)
    best = information.Information(levels, found).total_variance(workload)
    assert carried.pool.total_variance(workload) == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("epsilon", [1, 2])
@pytest.mark.parametrize("workload", [Prefixes(43), Ranges(43), Histogram(43)], ids=lambda w: w.name)
def test_averages_and_largest_variances_are_those_of_all_queries(workload, epsilon):
    oracle = make_oracle("warped-blocks", 43, Privacy(epsilon=epsilon), levels=workload.name)
    one_by_one = oracle.answer_variance(LinearQueries(workload.queries().weights()), np.full(43, 1 / 43), 100)
    assert oracle.at_equal_shares(100)(workload.queries()) == pytest.approx(one_by_one, abs=1e-15)
    assert oracle.average_variance(workload, 100) == pytest.approx(one_by_one.mean())
    assert oracle.largest_variance(workload, 100) == pytest.approx((one_by_one.max(),) * 2)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_covariances_are_those_of_variances_of_sums(epsilon):
    oracle, generator = make_oracle("warped-blocks", 43, Privacy(epsilon=epsilon)), np.random.default_rng(1)
    queries, shares = LinearQueries(generator.normal(size=(5, 43))), generator.dirichlet(np.ones(43))
    expected = covariance_of_pairs(lambda asked: oracle.answer_variance(asked, shares, 7), queries)
    assert oracle.answer_covariance(queries, shares, 7) == pytest.approx(expected)


@pytest.fixture(scope="module")
def collected():
    """30 collections of 500 users each, whose shares are uneven, of 97 items; and the shares."""
    return collections_of("1")


@pytest.fixture(scope="module")
def nested():
    """The same, of nested levels."""
    return collections_of("2")


def collections_of(epsilon):
    oracle, generator = make_oracle("warped-blocks", 97, Privacy(epsilon=epsilon)), np.random.default_rng(2)
    items = np.sort(generator.binomial(96, 0.2, size=500))
    words = seeded_words(3)
    states = [oracle.aggregate(oracle.privatize(items, words)) for _ in range(30)]
    return oracle, states, np.bincount(items, minlength=97) / 500


@pytest.mark.parametrize("of", ["collected", "nested"])
def test_answers_of_simulated_users_are_right_and_vary_as_is_stated(of, request):
    oracle, states, shares = request.getfixturevalue(of)
    queries = Prefixes(97).queries(0, 96)
    answers = np.array([oracle.answers(state, queries) for state in states])
    errors = np.sqrt(oracle.answer_variance(queries, shares, 500))
    scores = (answers - queries.apply(shares)) / errors
    assert np.abs(scores.mean(axis=0) * 30**0.5).max() < 3.5
    assert 0.8 < (scores**2).mean() < 1.25
    told = np.array([oracle.estimated_answer_variance(queries, oracle.estimate(state), 500) for state in states[:8]])
    assert told.mean(axis=0) == pytest.approx(errors**2, rel=0.2)


def test_states_without_reports_of_some_partitions_are_answered(collected):
    oracle, states, _ = collected
    assert (oracle.split_state(states[0])[0] == 0).any()
    assert oracle.estimate(states[0]).sum() == pytest.approx(1)
    both = states[0].merge(states[1])
    halves = (oracle.estimate(states[0]) + oracle.estimate(states[1])) / 2
    assert oracle.estimate(both) == pytest.approx(halves, abs=1e-12)


def test_simulated_sums_have_the_mean_of_reports():
    oracle, generator = make_oracle("warped-blocks", 43, Privacy(epsilon=3)), np.random.default_rng(4)
    counts = generator.integers(0, 4000, size=43)
    state, queries = oracle.simulate_sums(counts, generator), Prefixes(43).queries(0, 42)
    shares = counts / counts.sum()
    scores = (oracle.answers(state, queries) - queries.apply(shares)) / np.sqrt(
        oracle.answer_variance(queries, shares, int(counts.sum()))
    )
    assert np.abs(scores).max() < 4


@pytest.mark.parametrize("of", ["collected", "nested"])
def test_iterated_answers_are_the_dense_ones(of, request, monkeypatch):
    oracle, states, _ = request.getfixturevalue(of)
    queries = Intervals(97, np.array([0, 5, 30]), np.array([10, 90, 31]))
    dense = oracle.answers(states[0], queries), oracle.estimated_answer_variance(queries, oracle.estimate(states[0]), 9)
    monkeypatch.setattr(information, "MOST_DENSE", 50)
    found = oracle.answers(states[0], queries), oracle.estimated_answer_variance(queries, oracle.estimate(states[0]), 9)
    assert found[0] == pytest.approx(dense[0], abs=1e-11)
    assert found[1] == pytest.approx(dense[1], rel=1e-3)
    bounds = oracle.solution_errors(states[0], queries)
    assert (np.abs(found[0] - dense[0]) <= bounds).all()
    assert (bounds < 1e-6 * np.sqrt(dense[1])).all()


def test_many_items_are_answered():
    k = 43_793  # a prime
    oracle, generator = make_oracle("warped-blocks", k, ONE), np.random.default_rng(5)
    items = generator.binomial(k - 1, 0.3, size=2000)
    state = oracle.aggregate(oracle.privatize(items, seeded_words(6)))
    queries = Intervals(k, np.zeros(3, dtype=np.int64), np.array([k // 10, 3 * k // 10, k // 2]))
    errors = np.sqrt(oracle.estimated_answer_variance(queries, oracle.estimate(state), 2000))
    truth = queries.apply(np.bincount(items, minlength=k) / 2000)
    assert (np.abs(oracle.answers(state, queries) - truth) < 4 * errors).all()
    assert (oracle.solution_errors(state, queries) < 1e-6 * errors).all()


def test_the_information_is_nearly_that_of_all_reports():
    oracle = make_oracle("warped-blocks", 5, Privacy(alpha="1/2"), levels="2-3")
    chances = np.array([[float(chance) for chance in row] for row in oracle.report_law().values()])
    assert oracle.information().matrix == pytest.approx(chances.T @ (chances / chances.mean(axis=1)[:, None]), rel=2e-3)
    assert not oracle.information().is_exact


def test_names_and_titles():
    oracle = make_oracle("warped-blocks", 43, ONE)
    assert oracle.title == "warped-blocks"
    assert make_oracle("warped-blocks", 43, ONE, levels=oracle.levels) == oracle
    assert make_oracle("warped-blocks", 43, ONE, levels="ranges").title.startswith("warped-blocks:levels=")
    assert make_oracle("warped-blocks", 43, Privacy(epsilon=2), nested=0).title == "warped-blocks:nested=0"
    assert make_oracle("warped-blocks", 43, Privacy(epsilon=2), nested=3).title == "warped-blocks"


@pytest.mark.parametrize("k", [2, 3, (1 << 20) + 1])
def test_other_numbers_of_items_are_refused(k):
    with refused(InputError, about="k"):
        make_oracle("warped-blocks", k, ONE)


@pytest.mark.parametrize("nested", [4, -1, True, "2x"])
def test_other_numbers_of_nested_levels_are_refused(nested):
    with refused(InputError, about="nested"):
        make_oracle("warped-blocks", 43, ONE, nested=nested)


def test_other_levels_are_refused():
    with refused(InputError, about="levels"):
        make_oracle("warped-blocks", 600, ONE, levels="ranges:3")
    with refused(InputError, about="levels"):
        make_oracle("warped-blocks", 300, ONE, levels="1-2")


def test_errors_of_very_many_answers_are_not_told():
    oracle = make_oracle("warped-blocks", 4097, ONE, levels="uniform")
    require_fit(oracle)
    assert np.isnan(oracle.estimated_variance(np.full(4097, 1 / 4097), 10)).all()
    with refused(InputError):
        oracle.variance(np.full(4097, 1 / 4097), 10)


def test_quantiles_of_many_items_come_from_known_prefixes(collected, monkeypatch):
    """The band is that of all prefixes, but for what lies between known ones; intervals hold the truth often enough."""
    oracle, states, shares = collected

    def found(state):
        estimate = FrequencyEstimate.of(oracle, parse_bins("0:97:1"), state, ordered=True)
        return estimate, quantiles(estimate, "0.1:0.9:0.1", 0.8)

    _, exact = found(states[0])
    for module in (information, warped_blocks):
        monkeypatch.setattr(module, "MOST_DENSE", 50)
    monkeypatch.setattr(warped_blocks, "MOST_SOLVED", 40)
    estimate, few = found(states[0])
    known = ~np.isnan(estimate.cumulative().standard_errors)
    assert np.isnan(estimate.standard_errors).all()
    assert 20 < known.sum() <= 40
    assert (few.items == exact.items).all()
    assert (few.band[0] <= exact.band[0] + 1e-4).all()
    assert (few.band[1] >= exact.band[1] - 1e-4).all()
    assert few.band[0][known] == pytest.approx(exact.band[0][known], abs=0.1)
    truth = np.searchsorted(np.cumsum(shares), np.linspace(0.1, 0.9, 9) - 1e-12)
    held = [(one.low <= truth) & (truth <= one.high) for one in (found(state)[1] for state in states)]
    assert np.mean(held) > 0.8


def counted(oracle_type, asked):
    """A method for variances that notes the last items of the queries, of few at once."""
    plain = oracle_type.estimated_answer_variance

    def noting(self, queries, *rest):
        if isinstance(queries, Intervals) and len(queries) <= self.most_told:
            asked.extend(queries.last.tolist())
        return plain(self, queries, *rest)

    return noting


def test_few_quantiles_of_many_items_have_their_own_known_prefixes(collected, monkeypatch):
    """Most standard errors are about the median, closer than spread ones; its intervals hold the truth often enough."""
    oracle, states, shares = collected
    for module in (information, warped_blocks):
        monkeypatch.setattr(module, "MOST_DENSE", 50)
    monkeypatch.setattr(warped_blocks, "MOST_SOLVED", 40)
    for name, number in (("SPREAD", 6), ("NEAR", 20)):
        monkeypatch.setattr(frequency_estimate, name, number)
    estimates = [FrequencyEstimate.of(oracle, parse_bins("0:97:1"), state, ordered=True) for state in states]
    half = np.array([0.5])
    for estimate in estimates:
        prefixes = estimate.cumulative_at(half)
        rising, known = np.maximum.accumulate(prefixes.estimates), ~np.isnan(prefixes.standard_errors)
        error = prefixes.standard_errors[np.searchsorted(rising, 0.5)]
        low, high = np.searchsorted(rising, 0.5 + 2.5 * error * np.array([-1, 1]))
        assert known[[low, min(high, 96)]].all()
        assert np.diff(low + np.flatnonzero(known[low : high + 1])).max() <= -(-(high - low) // 9)
    prefixes = estimates[0].cumulative_at(half)
    known = ~np.isnan(prefixes.standard_errors)
    assert known.sum() <= 27
    spread = estimates[0].cumulative().standard_errors
    both = known & ~np.isnan(spread)
    assert 3 < both.sum() < known.sum()
    assert prefixes.standard_errors[both] == pytest.approx(spread[both], rel=1e-4, abs=1e-9)
    two = estimates[0].cumulative_at(np.array([0.2, 0.5])).standard_errors  # too many for 40: the spread ones
    assert np.array_equal(two, spread, equal_nan=True)
    asked = []
    monkeypatch.setattr(type(oracle), "estimated_answer_variance", counted(type(oracle), asked))
    again = FrequencyEstimate.of(oracle, parse_bins("0:97:1"), states[0], ordered=True)
    asked.clear()
    again.cumulative()
    told = again.cumulative_at(half).standard_errors
    np.testing.assert_allclose(told, prefixes.standard_errors, rtol=1e-4, atol=1e-9)  # NaN where these are
    assert len(asked) == len(set(asked)) == (known | ~np.isnan(spread)).sum()
    truth = int(np.searchsorted(np.cumsum(shares), 0.5 - 1e-12))
    found = [quantiles(estimate, "0.5", 0.8) for estimate in estimates]
    assert np.mean([one.low[0] <= truth <= one.high[0] for one in found]) > 0.8


def test_heavy_ranges_of_many_items_are_refused_where_they_are_many(collected, monkeypatch):
    oracle, states, _ = collected
    for module in (information, warped_blocks):
        monkeypatch.setattr(module, "MOST_DENSE", 50)
    monkeypatch.setattr(warped_blocks, "MOST_SOLVED", 20)
    few = heavy_ranges(oracle, states[0], "0.9", length=40)
    assert 0 < len(few) <= 20
    assert np.isfinite(few.standard_errors).all()
    with refused(InputError):
        heavy_ranges(oracle, states[0], "0.1", length=40)


def test_unlikely_variances_are_those_of_shares():
    """One user's estimates are far from shares, and the formula would be below 0 for some answers."""
    oracle = make_oracle("warped-blocks", 43, Privacy(epsilon=5))
    state, items = oracle.aggregate(oracle.privatize(np.array([7]), seeded_words(8))), np.arange(43)
    estimates = oracle.estimate(state)
    even, plain = oracle.pool.variances(Intervals(43, items, items), estimates)
    found = oracle.estimated_variance(estimates, 1)
    unlikely = (plain < even / 2) | (plain > 2 * even)
    assert (plain < 0).any()
    assert (found > 0).all()
    assert found[~unlikely] == pytest.approx(plain[~unlikely])
    above = np.maximum(estimates, 0)
    assert found[unlikely] == pytest.approx(oracle.variance(above / above.sum(), 1)[unlikely])


def test_averages_over_all_queries_of_many_items_are_refused():
    oracle = make_oracle("warped-blocks", 4097, ONE, levels="uniform")
    with refused(InputError, about="k"):
        oracle.average_variance(Prefixes(4097), 10)
