"""Quantiles and named ranges: prefix estimates by definition, against true shares, as often right as they say."""

import csv
import io
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, parse_workload
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.queries import Intervals, Rectangles
from mechdesign_catalog.analyses.ordered.named_ranges import read_ranges
from mechdesign_catalog.analyses.ordered.prefixes import (
    binary_search,
    first_reaching,
    isotonic_prefixes,
    items_of_band,
    items_of_intervals,
    rising_band,
)
from mechdesign_catalog.analyses.ordered.quantiles import parse_quantiles, quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins, parse_grid
from mechdesign_catalog.decoders.estimate import Estimate
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle

DECILES = "0.1:0.9:0.1"


def counts_of(k, users=20_000):
    """Two humps with empty bins on both sides and in between."""
    if k == 2:
        return np.array([users // 2 - 50, users // 2 + 50])
    places = np.arange(k)
    weights = np.where(abs(places - 0.3 * k) < 0.12 * k, 3.0, 0.0) + np.where(abs(places - 0.8 * k) < 0.08 * k, 1.5, 0)
    return np.random.default_rng(5).multinomial(users, weights / weights.sum())


def estimate(counts, name="oue", epsilon=2, seed=1):
    oracle = make_oracle(name, len(counts), Privacy(epsilon=epsilon))
    state = oracle.simulate_sums(np.asarray(counts), np.random.default_rng(seed))
    return FrequencyEstimate.of(oracle, parse_bins(f"0:{len(counts)}:1"), state, ordered=True)


def true_items(counts, asked):
    shares = np.cumsum(counts)
    return [int(np.argmax(shares * quantile.denominator >= quantile.numerator * shares[-1])) for quantile in asked]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (120, 3)])
def test_intervals_hold_the_true_items_at_least_as_often_as_they_say(k, epsilon):
    """400 times; three standard errors of such a frequency at 90 % are 4.5 %."""
    counts = counts_of(k)
    asked = parse_quantiles(DECILES)
    truth = true_items(counts, asked)
    each, together, times = np.zeros(len(asked)), 0, 400
    for seed in range(times):
        found = quantiles(estimate(counts, epsilon=epsilon, seed=seed), asked, 0.9)
        each += (found.low <= truth) & (truth <= found.high)
        together += ((found.low_all <= truth) & (truth <= found.high_all)).all()
        assert ((found.low <= found.items) & (found.items <= found.high)).all()
        assert ((found.low_all <= found.low) & (found.high <= found.high_all)).all()
    assert (each / times).min() > 0.9 - 0.045
    assert together / times > 0.9 - 0.045


def test_with_little_noise_quantiles_are_those_of_the_users():
    counts = [0, 400_000, 0, 0, 300_000, 299_000, 1_000]
    found = quantiles(estimate(counts, epsilon=12), "0.1,0.3,0.5,0.8,0.9", 0.99)
    assert found.items.tolist() == [1, 1, 4, 5, 5]
    assert found.searched.tolist() == [1, 1, 4, 5, 5]
    assert found.low.tolist() == found.items.tolist() == found.high_all.tolist()


def test_each_kind_of_interval_comes_from_its_own_intervals_of_prefixes():
    made = estimate(counts_of(24), epsilon=1)
    found = quantiles(made, DECILES, 0.9)
    prefixes = made.cumulative()
    (low, high), (low_all, _) = prefixes.intervals(0.91), prefixes.simultaneous_intervals(0.9)
    guard_low, guard_high = prefixes.simultaneous_intervals(0.99)
    assert found.band[0][:-1] == pytest.approx(np.maximum.accumulate(np.clip(low_all[:-1], 0, 1)))
    inner, before = range(23), range(1, 24)
    for place, quantile in enumerate([float(quantile) for quantile in found.quantiles]):
        reaching = min([*(item for item in inner if high[item] >= quantile), 23])
        not_reached = max([0, *(item for item in before if low[item - 1] < quantile)])
        surely_below = max([0, *(item for item in before if guard_high[item - 1] < quantile)])
        surely_not = min([*(item for item in inner if guard_low[item] >= quantile), 23])
        assert found.low[place] == min(max(reaching, surely_below), found.items[place])
        assert found.high[place] == max(min(not_reached, surely_not), found.items[place])
        surely = min([*(item for item in inner if low_all[item] >= quantile), 23])
        assert found.high_all[place] == max(surely, found.high[place])


def test_an_estimate_that_its_band_would_leave_out_widens_the_interval():
    """One prefix is known well and far above the next, which is not: their mean is below what the band allows."""
    shares, errors = np.array([0.9, 0.0, 1.0]), np.array([0.01, 2.0, 0.01])
    domain = parse_bins("0:3:1")
    prefixes = Estimate(shares, shares, errors, lambda rows: np.diag(errors[rows] ** 2), "norm")
    stub = SimpleNamespace(domain=domain, items=domain.items, cumulative_at=lambda _: prefixes)
    stub.unbiased = stub
    found = quantiles(stub, "0.5")
    assert found.rising.tolist() == [0.45, 0.45, 1.0]
    assert (found.items[0], found.low_all[0], found.high_all[0]) == (2, 0, 2)
    assert (found.low[0], found.high[0]) == (0, 2)


def test_columns_and_the_file():
    made = estimate(counts_of(120))
    found = quantiles(made, DECILES)
    columns = found.tabulate().columns
    assert list(columns) == ["quantile", "item", "low", "high", "binary_search"]
    assert columns["quantile"] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert columns["item"] == [made.items[int(item)] for item in found.items]
    assert found.tabulate(simultaneous=True).columns["low"] == [made.items[int(item)] for item in found.low_all]
    rows = list(csv.DictReader(io.StringIO(found.tabulate(simultaneous=True).csv_bytes().decode())))
    assert [float(row["quantile"]) for row in rows] == columns["quantile"]
    assert {(row["confidence"], row["together"]) for row in rows} == {("0.95", "band")}
    assert "each" in found.tabulate().csv_bytes().decode()


def test_quantiles_that_are_none():
    for at in [
        "0",
        [0.5, -0.5],
        "0.5,1.5",
        "0.9:0.1:0.1",
        "median",
        [],
    ]:
        with refused(InputError):
            parse_quantiles(at)


def test_fractions_stay_exact():
    assert parse_quantiles("1/3,0.5") == (Fraction(1, 3), Fraction(1, 2))


def test_items_in_two_columns_have_no_quantiles():
    oracle = make_oracle("grr", 4, Privacy(epsilon=1))
    state = oracle.simulate_sums(np.array([1, 2, 3, 4]), np.random.default_rng(1))
    pairs = FrequencyEstimate.of(oracle, parse_grid(["0:2:1", "0:2:1"]), state)
    with refused(InputError):
        quantiles(pairs, "0.5")


EIGHTHS = st.integers(-3, 11).map(lambda number: number / 8)
"""With many ties and flat regions."""

PREFIXES = st.lists(EIGHTHS, min_size=2, max_size=12).map(np.array)
QUANTILES = st.lists(st.integers(1, 15).map(lambda number: number / 16), min_size=1, max_size=5).map(np.array)


def by_max_min(prefixes):
    """The isotonic regression by its formula, the last place known to be 1."""
    inner = prefixes[:-1]
    size = len(inner)
    found = [
        max(min(inner[start : stop + 1].mean() for stop in range(place, size)) for start in range(place + 1))
        for place in range(size)
    ]
    return np.append(np.clip(found, 0.0, 1.0), 1.0)


def first_by_definition(values, quantile):
    return next((place for place, value in enumerate(values) if value >= quantile), len(values) - 1)


@pytest.mark.slow
@given(PREFIXES)
def test_the_isotonic_estimate_is_the_nearest_rising_one(prefixes):
    rising = isotonic_prefixes(prefixes)
    assert rising == pytest.approx(by_max_min(prefixes), abs=1e-12)
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] == 1.0


@pytest.mark.slow
@given(PREFIXES, QUANTILES)
def test_the_first_item_that_reaches(prefixes, quantiles):
    rising = isotonic_prefixes(prefixes)
    expected = [first_by_definition(rising, quantile) for quantile in quantiles]
    assert first_reaching(rising, quantiles).tolist() == expected


@pytest.mark.slow
@given(PREFIXES, QUANTILES)
def test_the_binary_search_finds_a_place_where_the_estimate_reaches(prefixes, quantiles):
    last = len(prefixes) - 1
    for item, quantile in zip(binary_search(prefixes, quantiles).tolist(), quantiles, strict=True):
        assert item == last or prefixes[item] >= quantile
        assert item == 0 or prefixes[item - 1] < quantile
        if (np.diff(prefixes) >= 0).all():
            assert item == first_by_definition(prefixes, quantile)


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12))
def test_single_intervals_leave_what_the_definition_leaves_and_both_estimates(prefixes, quantiles, widths):
    half = np.array(widths[: len(prefixes)])
    low, high = prefixes - half, prefixes + half
    first, last = items_of_intervals(low, high, quantiles)
    rising, searched = isotonic_prefixes(prefixes), binary_search(prefixes, quantiles)
    for place, quantile in enumerate(quantiles):
        k = len(prefixes)
        not_below = [item for item in range(k) if item == k - 1 or high[item] >= quantile]
        not_above = [item for item in range(k) if item == 0 or low[item - 1] < quantile]
        assert (first[place], last[place]) == (min(not_below), max(not_above))
        assert first[place] <= first_by_definition(rising, quantile - 1e-12) <= last[place]
        assert first[place] <= searched[place] <= last[place]


@pytest.mark.slow
@given(PREFIXES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12))
def test_items_rise_with_the_quantile(prefixes, widths):
    half = np.array(widths[: len(prefixes)])
    quantiles = np.arange(1, 64) / 64
    for items in (
        binary_search(prefixes, quantiles),
        first_reaching(isotonic_prefixes(prefixes), quantiles),
        *items_of_intervals(prefixes - half, prefixes + half, quantiles),
        *items_of_band(*rising_band(prefixes - half, prefixes + half), quantiles),
    ):
        assert (np.diff(items) >= 0).all()
        assert 0 <= items.min() <= items.max() < len(prefixes)


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.integers(1, 5))
def test_items_before_all_others_that_nobody_has_shift_the_quantiles(prefixes, quantiles, shift):
    moved = np.append(np.zeros(shift), np.clip(prefixes, 0.0, 1.0))
    before = first_reaching(isotonic_prefixes(np.clip(prefixes, 0.0, 1.0)), quantiles)
    assert (first_reaching(isotonic_prefixes(moved), quantiles) == before + shift).all()


@pytest.mark.slow
@given(PREFIXES, QUANTILES, st.lists(EIGHTHS.map(abs), min_size=12, max_size=12), st.data())
def test_a_band_leaves_the_quantiles_of_every_rising_function_in_it(prefixes, quantiles, widths, data):
    half = np.array(widths[: len(prefixes)])
    lows, highs = rising_band(prefixes - half, prefixes + half)
    k = len(prefixes)
    steps = data.draw(st.lists(st.integers(0, 16), min_size=k - 1, max_size=k - 1).map(sorted))
    function = np.append(np.array(steps) / 16, 1.0)
    low, high = np.clip(prefixes - half, 0.0, 1.0)[:-1], np.clip(prefixes + half, 0.0, 1.0)[:-1]
    is_inside = (low <= function[:-1]).all() and (function[:-1] <= high).all()
    assert is_inside == ((lows <= function) & (function <= highs)).all()
    if (lows > highs).any():
        return
    first, last = items_of_band(lows, highs, quantiles)
    ends = [first_reaching(highs, quantiles), first_reaching(lows, quantiles)]
    assert [first.tolist(), last.tolist()] == [end.tolist() for end in ends]
    if is_inside:
        item = first_reaching(function, quantiles)
        assert ((first <= item) & (item <= last)).all()


def test_a_band_that_no_rising_function_fits_still_gives_an_interval():
    low, high = np.array([0.8, 0.0, 1.0]), np.array([0.9, 0.2, 1.0])
    first, last = items_of_band(*rising_band(low, high), np.array([0.5]))
    assert (first.tolist(), last.tolist()) == ([0], [2])


def ranges(tmp_path, text, domain, oracle=None, **how):
    path = tmp_path / "ranges.csv"
    path.write_text(text)
    return read_ranges(path, domain, oracle, **how)


def test_bins_by_their_units_and_labels(tmp_path):
    found = ranges(tmp_path, "last,note,first\n44,x,30\n40..44,y, 30..34 \n119,z,0\n", parse_bins("0:120:5"))
    assert isinstance(found.queries, Intervals)
    assert (found.queries.first.tolist(), found.queries.last.tolist()) == ([6, 6, 0], [8, 8, 23])
    assert found.names == {"first": ["30", "30..34", "0"], "last": ["44", "40..44", "119"]}


def test_items_of_a_list(tmp_path):
    found = ranges(tmp_path, "first,last\nS,L\nM,M\n", Domain(("S", "M", "L")))
    assert (found.queries.first.tolist(), found.queries.last.tolist()) == ([0, 1], [2, 1])
    for text in (
        "first,last\nS,huge\n",
        "first,last\nS,M\nLL,M\n",
        "first,last\n,M\n",
        "first,last\nL,S\n",
    ):
        with refused(InputError):
            ranges(tmp_path, text, Domain(("S", "M", "L")))


def test_rectangles_of_pairs(tmp_path):
    grid = parse_grid(["0:30:10", "2020-01-01:2020-01-05:1d"])
    text = "first_1,last_1,first_2,last_2\n0,19,2020-01-02,2020-01-03\n10..19,29,2020-01-01,2020-01-04\n"
    found = ranges(tmp_path, text, grid)
    assert isinstance(found.queries, Rectangles)
    table = np.arange(12.0).reshape(3, 4)
    assert found.queries.apply(table.ravel()).tolist() == [table[:2, 1:3].sum(), table[1:].sum()]
    with refused(InputError):
        ranges(tmp_path, "first_1,last_1,first_2,last_2\n0,9,2020-01-03,2020-01-02\n", grid)
    with refused(InputError):
        ranges(tmp_path, "first,last\n0,9\n", grid)
    with refused(InputError):
        ranges(tmp_path, text, parse_bins("0:30:10"))


def designed(name):
    problem = WorkloadProblem(parse_workload(name, 6), epsilon=1)
    return WorkloadOracle.of(design_workload(problem).mechanism, problem.workload, privacy=problem.privacy)


@pytest.mark.parametrize("name", ["blocks", "hh", "oue"])
def test_ranges_run_over_the_end_where_the_reader_says_that_items_lie_on_a_circle(name, tmp_path):
    """An arc and the range that it leaves out are the whole."""
    oracle, hours = make_oracle(name, 24, Privacy(epsilon=1)), parse_bins("0:24:1")
    arcs = ranges(tmp_path, "first,last\n22,3\n4,21\n", hours, oracle, circle=True).queries
    state = oracle.aggregate(oracle.privatize(np.arange(900) % 24, seeded_words(1)))
    found = oracle.answers(state, arcs)
    assert found[0] == pytest.approx(oracle.estimate(state)[[22, 23, 0, 1, 2, 3]].sum())
    errors = oracle.answer_variance(arcs, np.full(24, 1 / 24), 900)
    assert errors[0] > 0
    if name != "oue":  # whose shares need not add up to 1
        assert found.sum() == pytest.approx(1)
        assert errors[0] == pytest.approx(errors[1])


def test_ranges_run_over_the_end_of_a_circle_where_reports_are_designed_for_it(tmp_path):
    hours, text = parse_bins("0:6:1"), "first,last\n4,1\n2,3\n"
    circle = designed("circular")
    arcs = ranges(tmp_path, text, hours, circle).queries
    assert arcs.weights().tolist() == [[1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]]
    state = circle.simulate_sums(np.array([30, 5, 10, 0, 5, 10]), np.random.default_rng(1))
    found = WorkloadEstimate.of(circle, hours, state).answers(arcs)
    assert found.shares.sum() == pytest.approx(1)
    assert found.standard_errors[0] == pytest.approx(found.standard_errors[1])
    assert isinstance(ranges(tmp_path, "first,last\n2,3\n", hours, circle).queries, Intervals)
    for other in (None, designed("ranges"), make_oracle("oue", 6, Privacy(epsilon=1))):
        with refused(InputError):
            ranges(tmp_path, text, hours, other)


def test_a_side_of_a_table_may_be_a_circle(tmp_path):
    table, oracle = parse_grid(["0:3:1", "0:2:1"]), designed("grid:circular:3,2")
    found = ranges(tmp_path, "first_1,last_1,first_2,last_2\n2,0,1,1\n1,0,0,0\n", table, oracle)
    assert found.queries.weights().tolist() == [[0, 1, 0, 0, 0, 1], [1, 0, 1, 0, 1, 0]]
    with refused(InputError):
        ranges(tmp_path, "first_1,last_1,first_2,last_2\n0,1,1,0\n", table, oracle)


def test_a_span_of_items_has_a_name():
    assert parse_bins("0:120:5").span(0, 1) == "0..9"
    assert parse_bins("0:120:1").span(7, 7) == "7"
    assert [Domain(("S", "M", "L")).span(0, last) for last in (0, 2)] == ["S", "S .. L"]
