"""Mean and variance of numbers in bins: against plain sums, simulated collections, other origins; and bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import check_wording, refused

import mechdesign as md
import mechdesign_catalog as mc
from mechdesign import InputError, Privacy
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.analyses.ordered.moments import width_statement
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate

COUNTS = np.array([400, 900, 2500, 800, 300, 100])
NUMBERS = np.arange(6) * 5 + 17.5
BINS = mc.parse_bins("15:45:5")


def collected(oracle, seed, bins=BINS, counts=COUNTS):
    state = oracle.simulate_sums(counts, np.random.default_rng(seed))
    return FrequencyEstimate.of(oracle, bins, state, ordered=True)


def oracle_for(name, k=6, epsilon="1"):
    return mc.parse_oracle(name, k, Privacy(epsilon=epsilon))


def truth(counts=COUNTS, numbers=NUMBERS):
    people = np.repeat(numbers, counts)
    return people.mean(), people.var()


def test_they_are_the_sums_of_a_textbook():
    found = collected(oracle_for("oue"), 1)
    shares = found.shares
    mean = NUMBERS @ shares
    covariance = found.answers(LinearQueries(np.array([NUMBERS, NUMBERS**2]))).covariance()
    gradient = np.array([-2 * mean, 1])
    moments = mc.moments(found)
    assert moments.estimates[0] == pytest.approx(mean)
    assert moments.standard_errors[0] == pytest.approx(np.sqrt(covariance[0, 0]))
    assert moments.estimates[1] == pytest.approx(NUMBERS**2 @ shares - mean**2 + covariance[0, 0])
    assert moments.standard_errors[1] == pytest.approx(np.sqrt(gradient @ covariance @ gradient))
    both = moments.covariance()
    assert np.sqrt(np.diag(both)) == pytest.approx(moments.standard_errors)
    assert both[0, 1] == pytest.approx(covariance[0] @ gradient)
    assert moments.labels() == [("mean",), ("variance",)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oue", "haar", "hh:b=2"])
def test_both_are_unbiased_and_their_errors_those_of_many_collections(name):
    oracle = oracle_for(name)
    found = [mc.moments(collected(oracle, [5, run])) for run in range(250)]
    estimates = np.array([one.estimates for one in found])
    spread = estimates.std(axis=0)
    assert (np.abs(estimates.mean(axis=0) - truth()) <= 4 * spread / np.sqrt(250)).all()
    errors = np.array([one.standard_errors for one in found]).mean(axis=0)
    assert errors == pytest.approx(spread, rel=0.12)
    low, high = np.array([one.intervals() for one in found]).transpose(1, 0, 2)
    held = ((low <= truth()) & (high >= truth())).mean(axis=0)
    assert (np.abs(held - 0.95) <= 0.045).all()


@given(shift=st.integers(-(10**6), 10**6), step=st.integers(1, 50))
@settings(max_examples=10)
def test_other_origins_and_units_move_them_as_they_should(shift, step):
    oracle = oracle_for("grr")
    plain = mc.moments(collected(oracle, 3, mc.parse_bins("0:6:1")))
    other = mc.moments(collected(oracle, 3, mc.parse_bins(f"{shift}:{shift + 6 * step}:{step}")))
    assert other.estimates == pytest.approx([shift + step * plain.estimates[0], step**2 * plain.estimates[1]])
    assert other.standard_errors == pytest.approx(plain.standard_errors * [step, step**2])


def test_starts_lie_half_a_width_below_middles():
    found = collected(oracle_for("grr"), 3)
    middle, start = mc.moments(found), mc.moments(found, "start")
    assert middle.estimates - start.estimates == pytest.approx([2.5, 0])
    assert middle.standard_errors == pytest.approx(start.standard_errors)


@given(st.lists(st.floats(0, 29.999), min_size=2, max_size=30))
def test_the_width_costs_no_more_than_is_said(values):
    """A textbook's moments of values and of their bins: half a width in mean and deviation, or a width from starts."""
    people = np.array(values)
    bins = np.floor(people / 5) * 5
    assert abs(people.mean() - bins.mean() - 2.5) <= 2.5 + 1e-9
    assert abs(people.std() - bins.std()) <= 2.5 + 1e-9


def test_the_width_is_said():
    for at in ("middle", "start"):
        check_wording(width_statement(BINS, at))


def test_a_post_processing_with_a_bias_changes_nothing():
    found = collected(oracle_for("oue"), 1)
    assert mc.moments(mc.postprocess(found, "norm-sub")).estimates == pytest.approx(mc.moments(found).estimates)


def test_a_design_for_a_workload_tells_them():
    oracle = mc.oracle_of_design(
        md.design(md.WorkloadProblem(md.parse_workload("prefixes", 6), alpha="0.3"), gap="0.1")
    )
    state = oracle.simulate_sums(COUNTS, np.random.default_rng(2))
    found = mc.moments(WorkloadEstimate.of(oracle, BINS, state, ordered=True))
    assert (np.abs(found.estimates - truth()) <= 5 * found.standard_errors).all()


@pytest.mark.parametrize("domain", ["dates", "list", "pairs"])
def test_only_numbers_in_bins_have_them(domain):
    asked = {
        "dates": {"bins": "2020-01-01:2020-01-05:1d"},
        "list": {"domain": ["a", "b"]},
        "pairs": {"bins": ["0:2:1", "0:2:1"], "columns": ["a", "b"]},
    }
    values = {"dates": ["2020-01-02"] * 40, "list": ["a"] * 40, "pairs": {"a": [1] * 40, "b": [0] * 40}}
    found = mc.aggregate(mc.privatize(values[domain], "grr", epsilon=4, seed=1, **asked[domain]))
    with refused(InputError):
        mc.moments(found)


def test_an_unknown_place_is_refused():
    with refused(InputError, about="at"):
        mc.moments(collected(oracle_for("grr"), 3), "end")
