"""Central baselines: laws, variances, thresholds; the simulated law is the released one.

The statistical tests have fixed seeds where they simulate. A release has the operating system's randomness: its bounds
are 5 standard errors, so that fewer than one run in 10^5 fails by chance.
"""

import itertools
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from dense_contrasts import constrained_inverse, half_signs, node_sums, padded
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi2, kstest
from scipy.stats import laplace as laplace_law
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.central import (
    BASELINES,
    Geometric,
    Hierarchy,
    Laplace,
    Privelet,
    Stability,
    answers_squared_error,
    is_baseline,
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
    with refused(ArithmeticError):
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
    with refused(InputError):
        baseline.release(np.array([3, 4]))
    assert baseline.simulate(np.array([3, 4]), np.random.default_rng(1)).shape == (2,)


@every
@pytest.mark.parametrize(
    "counts",
    [
        [1.5, 2],
        [[1, 2]],
        [3, -1],
        [0, 0],
    ],
)
def test_wrong_counts_are_refused(name, counts):
    baseline = make_baseline(name, Privacy(epsilon=1))
    for work in (baseline.release, baseline.variance, baseline.expected):
        with refused(InputError):
            work(np.array(counts))
    with refused(InputError):
        baseline.simulate(np.array(counts), np.random.default_rng(1))


def test_wrong_parameters_are_refused():
    for arguments in [
        ("laplace", 1),
        ("laplace:delta=0.1", HALF),
        ("privelet:b=3", HALF),
        ("stability:delta=1", HALF),
        ("central-hh:b=1", HALF),
        ("central-hh:neighbours=near", HALF),
        ("gauss", HALF),
    ]:
        with refused(InputError):
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


ONE = Privacy(epsilon=1)
SYSTEMS = [
    *(Hierarchy(ONE, neighbours, b) for neighbours in ("replaced", "added") for b in (2, 3, 16)),
    *(Privelet(ONE, neighbours) for neighbours in ("replaced", "added")),
]
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=str)


def test_averages_over_all_ranges_are_those_of_the_published_table():
    """Kulkarni's thesis, table 5.4, from 2^8 to 2^11 items: within 0.7 %, six of the twelve to all printed digits."""
    for system, recomputed, published in [
        (Hierarchy(ONE, "added", 2), (220.065, 305.540, 410.582, 537.176), (220.06, 305.54, 409.48, 535.63)),
        (Hierarchy(ONE, "added", 16), (79.225, 163.478, 185.992, 214.136), (79.23, 164.48, 185.94, 213.87)),
        (Privelet(ONE, "added"), (221.132, 305.946, 410.292, 536.141), (221.62, 306.31, 410.29, 536.32)),
    ]:
        found = [float(system.average_variance(Ranges(1 << height))) for height in range(8, 12)]
        assert found == pytest.approx(recomputed, abs=6e-4)
        assert found == pytest.approx(published, rel=7e-3)


def test_neighbours_that_replace_pay_twice_and_save_the_total():
    """The sensitivity is 2 h for h; what is left is less than 4 times as much, as n is public."""
    for b in (2, 16):
        added, replaced = (Hierarchy(ONE, neighbours, b).average_variance(Ranges(256)) for neighbours in ORDER)
        assert 2.9 < replaced / added < 4
    assert float(Hierarchy(ONE, "replaced", 2).average_variance(Ranges(256))) == pytest.approx(4 * 198.396, abs=2e-3)


ORDER = ("added", "replaced")


def dense_covariance(system, k):
    """Covariance of the items' counts for noise of variance 1, from the matrices of what is measured."""
    side = system.side(k)
    known = system.neighbours == "replaced"
    if isinstance(system, Hierarchy):
        design = np.vstack([node_sums(size, side.leaves) for size in side.sizes[:-1]])
    else:
        design = np.vstack([half_signs(size, side.leaves) for size in side.sizes[1:]])
        design = design if known else np.vstack([design, np.ones(side.leaves)])
    ones = np.ones(len(design))
    return constrained_inverse(design, ones) if known else np.linalg.inv(design.T @ design), design


@every_system
@pytest.mark.parametrize("k", [2, 5, 8, 19])
def test_variances_are_those_of_dense_least_squares(system, k):
    covariance, design = dense_covariance(system, k)
    counts = np.arange(1, k + 1)
    general = LinearQueries(np.random.default_rng(k).normal(size=(6, k)))
    noise = float(2 * Fraction(system.sensitivity(k)) ** 2)
    for queries in (Ranges(k).queries(), general):
        weights = padded(queries.weights(), system.side(k))
        expected = noise * np.einsum("qx,xy,qy->q", weights, covariance, weights)
        assert system.answer_variance(queries, counts) == pytest.approx(expected, rel=1e-9, abs=1e-9 * noise)
    assert system.variance(counts) == pytest.approx(system.answer_variance(Histogram(k).queries(), counts))
    for workload in (Ranges(k), Prefixes(k)):
        mean = system.answer_variance(workload.queries(), counts).mean()
        assert float(system.average_variance(workload)) == pytest.approx(mean, rel=1e-12)
    changes = np.abs(design).sum(axis=0)
    assert system.sensitivity(k) == (2 if system.neighbours == "replaced" else 1) * changes.max()


@every_system
@pytest.mark.parametrize("k", [2, 5, 8, 19])
def test_without_noise_counts_come_back(system, k):
    counts = np.random.default_rng(k).integers(1, 50, k)
    sums = system.sums_of(counts)
    assert len(sums) == len(dense_covariance(system, k)[1])
    assert system.counts_from(sums, k, int(counts.sum())) == pytest.approx(counts, rel=1e-12)


@every_system
def test_simulated_ranges_have_the_exact_variance(system):
    """20 ranges of 11 items, 800 draws: the mean ratio is within 4.5 of its standard errors, from the draws."""
    counts = np.arange(5, 16)
    queries = Ranges(11).queries()[::3]
    generator = np.random.default_rng(11)
    errors = np.array([queries.apply(system.simulate(counts, generator) - counts) for _ in range(800)])
    exact = system.answer_variance(queries, counts)
    told = exact > 1e-9  # the whole is known where users are replaced
    ratios = (errors[:, told] ** 2 / exact[told]).mean(axis=1)
    assert abs(ratios.mean() - 1) < 4.5 * ratios.std() / math.sqrt(len(ratios))
    assert np.abs(errors[:, ~told]).max(initial=0) < 1e-9
    bias = errors[:, told].mean(axis=0) / np.sqrt(exact[told] / len(errors))
    assert np.abs(bias).max() < 4.5


@every_system
def test_releases_are_private_by_opendp_and_have_the_exact_variance(system):
    pytest.importorskip("opendp")
    counts = np.full(512, 40)
    k = len(counts)
    assert Fraction(system.measurement(k).map(float(system.sensitivity(k)))) <= 1
    found = system.release(counts) - counts
    if system.neighbours == "replaced":
        assert found.sum() == pytest.approx(0, abs=1e-6)
    squares = (found**2).sum() / system.variance(counts)[0]
    assert chi2.ppf(1e-7, k) / 4 < squares < 4 * chi2.ppf(1 - 1e-7, k)


def test_answers_of_independent_noise():
    counts, queries = np.array([0, 3, 40, 900]), Ranges(4).queries()
    lengths = queries.sums
    assert Laplace(ONE).answer_variance(queries, counts) == pytest.approx(8 * lengths)
    assert Laplace(ONE).average_variance(Ranges(4)) == pytest.approx(8 * lengths.mean())
    stability = Stability(ONE, Fraction(1, 10**6))
    assert answers_squared_error(Laplace(ONE), queries, counts) == pytest.approx(8 * lengths)
    bias = queries.apply(stability.expected(counts) - counts)
    assert np.abs(bias).max() > 1
    expected = queries.apply(stability.variance(counts)) + bias**2
    assert answers_squared_error(stability, queries, counts) == pytest.approx(expected)


def test_texts_name_baselines():
    for text, expected in [
        ("central-hh", Hierarchy(ONE)),
        ("central-hh:b=4:neighbours=added", Hierarchy(ONE, "added", 4)),
        ("Privelet", Privelet(ONE)),
        ("stability:delta=1/1000", Stability(ONE, Fraction(1, 1000))),
        ("laplace", Laplace(ONE)),
    ]:
        assert parse_baseline(text, ONE) == expected
        assert is_baseline(text)


def test_other_texts_do_not():
    assert not any(map(is_baseline, ("hh:b=4", "haar", "grr", "central")))
    for name, k in itertools.product(("central-hh", "privelet"), (1,)):
        with refused(InputError):
            make_baseline(name, ONE).variance(np.array([3] * k))
