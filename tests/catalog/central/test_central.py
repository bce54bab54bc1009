"""Central baselines: laws, variances, thresholds; the simulated law is the released one.

The statistical tests have fixed seeds where they simulate. A release has the operating system's randomness: its bounds
are 5 standard errors, so that fewer than one run in 10^5 fails by chance.
"""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import kstest
from scipy.stats import laplace as laplace_law

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.central import (
    BASELINES,
    Geometric,
    Laplace,
    Stability,
    make_baseline,
    mean_squared_error,
    parse_baseline,
)
from mechdesign_catalog.central.opendp_ import private
from mechdesign_catalog.central.stability import NEIGHBOURS

HALF = Privacy(alpha="1/2")
every = pytest.mark.parametrize("name", BASELINES)


def copies(count: int, times: int) -> np.ndarray:
    """Items that as many people have, and one that takes the rest, so that n is 10^6."""
    return np.array([*([count] * times), 10**6 - count * times])


def agrees(found: np.ndarray, mean: float, variance: float, errors: float) -> None:
    """Sample mean and sample variance within so many of their own standard errors."""
    assert abs(found.mean() - mean) <= errors * found.std() / math.sqrt(len(found)) + 1e-9
    squares = (found - mean) ** 2
    assert abs(squares.mean() - variance) <= errors * squares.std() / math.sqrt(len(found)) + 1e-9


@every
@pytest.mark.parametrize("count", [16, 20, 25, 40])
def test_simulated_moments_are_the_formulas(name, count):
    baseline = make_baseline(name, Privacy(epsilon="1.5"))
    counts = copies(count, 20_000)
    found = baseline.simulate(counts, np.random.default_rng([3, count]))[:-1]
    agrees(found, baseline.expected(counts)[0], baseline.variance(counts)[0], 4.5)
    error = mean_squared_error(baseline, counts)[0]
    assert ((found - count) ** 2).mean() == pytest.approx(error, rel=0.1)


@pytest.mark.slow
@every
@pytest.mark.parametrize("count", [20, 25])
def test_released_moments_are_the_formulas(name, count):
    pytest.importorskip("opendp")
    baseline = make_baseline(name, Privacy(epsilon="1.5"))
    counts = copies(count, 4000)
    found = baseline.release(counts)
    assert found.shape == counts.shape
    agrees(found[:-1], baseline.expected(counts)[0], baseline.variance(counts)[0], 5)


def test_golden_variances():
    counts = np.array([5, 0, 3])
    assert Laplace(Privacy(epsilon=2)).variance(counts).tolist() == [2.0, 2.0, 2.0]
    alpha = math.exp(-1)
    assert Geometric(Privacy(epsilon=2)).variance(counts) == pytest.approx(np.full(3, 2 * alpha / (1 - alpha) ** 2))
    series = sum(z * z * (1 - alpha) / (1 + alpha) * alpha ** abs(z) for z in range(-200, 201))
    assert Geometric(Privacy(epsilon=2)).variance(counts)[0] == pytest.approx(series)
    assert Geometric(Privacy(epsilon=Fraction(1, 10**6))).variance(counts)[0] == pytest.approx(8e12, rel=1e-6)


def test_simulated_laws():
    """Kolmogorov-Smirnov for Laplace; for the geometric, ratios of neighbouring counts are e^(-eps/2)."""
    counts = copies(7, 20_000)
    noise = Laplace(Privacy(epsilon=1)).simulate(counts, np.random.default_rng(1))[:-1] - 7
    assert kstest(noise, laplace_law(scale=2).cdf).pvalue > 1e-3
    whole = Geometric(Privacy(epsilon=1)).simulate(counts, np.random.default_rng(2))[:-1] - 7
    assert np.array_equal(whole, np.round(whole))
    seen = np.array([(whole == z).mean() for z in range(-3, 4)])
    a = math.exp(-1 / 2)
    law = (1 - a) / (1 + a) * a ** np.abs(np.arange(-3, 4))
    assert (np.abs(seen - law) <= 4 * np.sqrt(law / 20_000)).all()


def test_released_laws():
    """The same two tests on what OpenDP gives; one run in 10^6 fails by chance."""
    pytest.importorskip("opendp")
    counts = copies(7, 4000)
    noise = Laplace(Privacy(epsilon=1)).release(counts)[:-1] - 7
    assert kstest(noise, laplace_law(scale=2).cdf).pvalue > 1e-6
    whole = Geometric(Privacy(epsilon=1)).release(counts)[:-1] - 7
    assert np.array_equal(whole, np.round(whole))
    a = math.exp(-1 / 2)
    law = (1 - a) / (1 + a) * a ** np.abs(np.arange(-3, 4))
    seen = np.array([(whole == z).mean() for z in range(-3, 4)])
    assert (np.abs(seen - law) <= 5.5 * np.sqrt(law / 4000)).all()


@pytest.mark.slow
@settings(max_examples=25)
@given(epsilon=st.fractions(Fraction(1, 10), 5, max_denominator=20), count=st.integers(1, 200))
def test_stability_moments_by_integration(epsilon, count):
    baseline, counts = Stability(Privacy(epsilon=epsilon), Fraction(1, 1000)), np.array([count, 0])
    scale, cut = 2 / float(epsilon), 2 * math.log(2000) / float(epsilon) + 1
    assert baseline.threshold(count) == pytest.approx(cut)
    law = laplace_law(scale=scale)
    start, top = cut - count, max(cut - count, 0) + 60 * scale
    corner = [0] if start < 0 else None
    mean, square = (
        quad(lambda z, power=power: (count + z) ** power * law.pdf(z), start, top, points=corner, limit=200)[0]
        for power in (1, 2)
    )
    assert baseline.expected(counts) == pytest.approx([mean, 0], rel=1e-5, abs=1e-8)
    assert baseline.variance(counts) == pytest.approx([square - mean**2, 0], rel=1e-4, abs=1e-7)


def test_stability_tells_nothing_of_absent_items_and_nothing_small():
    counts = np.array([0, 1, 2, 40, 500] * 2000)
    baseline = Stability(Privacy(epsilon=1), Fraction("1e-9"))
    found = baseline.simulate(counts, np.random.default_rng(5))
    cut = baseline.threshold(int(counts.sum()))
    assert cut == pytest.approx(2 * math.log(2e9) + 1)
    assert (found[counts == 0] == 0).all()
    assert ((found == 0) | (found >= cut)).all()
    assert (found[counts == 500] > 0).all()
    assert 0 < (found[counts == 40] > 0).mean() < 0.2


def test_a_lone_item_is_told_with_a_quarter_of_delta():
    delta = Fraction(4, 5)
    baseline, counts = Stability(Privacy(epsilon=1), delta), np.array([*copies(1, 40_000), *([0] * 1000)])
    told = baseline.simulate(counts, np.random.default_rng(7)) > 0
    assert not told[counts == 0].any()
    found = told[:40_000]
    assert abs(found.mean() - 0.2) <= 4 * math.sqrt(0.2 * 0.8 / 40_000)


def test_delta_by_default_is_weak_and_is_said_to_be():
    baseline = Stability(Privacy(epsilon=1))
    assert baseline.delta_for(500) == Fraction(1, 1000)
    assert baseline.threshold(500) == pytest.approx(2 * math.log(2000) + 1)
    assert "delta = 0.001 is weak for 500 users" in str(baseline.remark(500))
    assert Stability(Privacy(epsilon=1), Fraction(1, 500**2)).remark(500) is None


@pytest.mark.parametrize("epsilon", ["0.7", "3.3", "1/3", "1"])
def test_opendp_certifies_epsilon_and_half_of_delta(epsilon):
    """At 2/0.7 its map says 0.7000000000000001: the scale is raised by the least that floats have."""
    pytest.importorskip("opendp")
    claim = Fraction(epsilon)
    assert Fraction(Laplace(Privacy(epsilon=claim)).measurement().map(2.0)) <= claim
    assert Fraction(Geometric(Privacy(epsilon=claim)).measurement().map(2)) <= claim
    stability = Stability(Privacy(epsilon=claim))
    delta = float(stability.delta_for(500))
    loss, certified = stability.measurement(500).map(NEIGHBOURS)
    assert Fraction(loss) <= claim
    assert loss == pytest.approx(float(claim), rel=1e-12)
    assert certified == pytest.approx(1 - (1 - delta / 4) ** 2, rel=1e-6)
    assert certified < delta / 2


def test_the_scale_is_raised_by_the_least():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    scales = []
    private(lambda scale: scales.append(scale) or dp.m.make_geometric(*space, scale), 2, Fraction("0.7"))
    assert len(scales) > 1
    assert scales[0] == float(2 / Fraction("0.7"))
    assert scales[-1] == pytest.approx(scales[0], rel=1e-14)
    with pytest.raises(ArithmeticError, match="no scale near"):
        private(lambda scale: dp.m.make_geometric(*space, 1.0), 2, Fraction(1))


def test_release_tells_nothing_of_absent_items():
    pytest.importorskip("opendp")
    counts = np.array([1] * 500 + [0] * 500)
    told = Stability(Privacy(epsilon=1), Fraction(9, 10)).release(counts) > 0
    assert 20 < told[:500].sum() < 230  # mean 112, standard deviation 9
    assert not told[500:].any()


def test_release_of_rare_items_alone_is_all_zero():
    pytest.importorskip("opendp")
    assert (
        Stability(Privacy(epsilon=1), Fraction(1, 10**12)).release(np.ones(50, dtype=np.int64)).tolist() == [0.0] * 50
    )


@every
def test_release_without_opendp_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    baseline = make_baseline(name, Privacy(epsilon=1))
    with pytest.raises(InputError, match=r"must have OpenDP, got none; pip install mechdesign\[central\]"):
        baseline.release(np.array([3, 4]))
    assert baseline.simulate(np.array([3, 4]), np.random.default_rng(1)).shape == (2,)


@every
@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1.5, 2], "whole numbers, got float64"),
        ([[1, 2]], "2 dimensions"),
        ([3, -1], "at least 0, got -1 for item 1"),
        ([0, 0], "at least one person"),
    ],
)
def test_wrong_counts_are_refused(name, counts, message):
    baseline = make_baseline(name, Privacy(epsilon=1))
    for work in (baseline.release, baseline.variance, baseline.expected):
        with pytest.raises(InputError, match=message):
            work(np.array(counts))
    with pytest.raises(InputError, match=message):
        baseline.simulate(np.array(counts), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("laplace", 1), r"privacy must be Privacy\(alpha=...\) or Privacy\(epsilon=...\), got 1"),
        (("laplace:delta=0.1", HALF), "delta must not be given for laplace, got delta=0.1; it has no options"),
        (("privelet:b=3", HALF), "b must not be given for privelet, got b=3; its options are neighbours"),
        (("stability:delta=1", HALF), r"delta must be in \(0, 1\), got delta=1"),
        (("central-hh:b=1", HALF), "b must be a whole number of at least 2, got b=1"),
        (("central-hh:neighbours=near", HALF), "neighbours must be replaced or added, got near"),
        (("gauss", HALF), "baseline must be one of laplace, geometric, stability, central-hh, privelet, got gauss"),
    ],
)
def test_wrong_parameters_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        parse_baseline(*arguments)


def test_the_tiniest_delta_has_a_threshold():
    """`2/delta` beyond the largest float; its logarithm is as good as any."""
    baseline = Stability(Privacy(epsilon=1), Fraction(1, 10**400))
    assert baseline.threshold(8) == pytest.approx(2 * (math.log(2) + 400 * math.log(10)) + 1, rel=1e-12)
    assert baseline.simulate(np.array([5, 3]), np.random.default_rng(1)).tolist() == [0, 0]
    assert baseline.remark(8) is None


def test_releases_are_not_held_to_32_bits():
    """Counts of three billion; and noise of 28 billion, with a mean square within 5.5 standard errors."""
    pytest.importorskip("opendp")
    counts = np.array([3 * 10**9, 5])
    for baseline in (
        Laplace(Privacy(epsilon=20)),
        Geometric(Privacy(epsilon=20)),
        Stability(Privacy(epsilon=20), Fraction("1e-9")),
    ):
        assert baseline.release(counts) == pytest.approx([3e9, 5], abs=40)
    wide = Geometric(Privacy(epsilon=Fraction("1e-10")))
    noise = wide.release(copies(7, 4000))[:-1] - 7
    assert np.abs(noise).max() > 2**35
    # the fourth moment of two-sided geometric noise is 6 times the square of its variance, as Laplace's
    assert np.square(noise).mean() == pytest.approx(wide.variance(counts)[0], rel=5.5 * math.sqrt(5 / 4000))
    assert wide.variance(counts)[0] == pytest.approx(8e20, rel=1e-9)


def test_items_beyond_32_bits_are_keys():
    pytest.importorskip("opendp")
    told = Stability(Privacy(epsilon=20), Fraction("1e-9")).measurement(100)({3 * 10**9: 100.0})
    assert list(told) == [3 * 10**9]
