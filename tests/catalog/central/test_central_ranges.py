"""Ranges of central baselines: the published table of exact averages, dense covariances, simulation, releases."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from dense_contrasts import constrained_inverse, half_signs, node_sums, padded
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.central import (
    Hierarchy,
    Laplace,
    Privelet,
    Stability,
    answers_squared_error,
    is_baseline,
    make_baseline,
    parse_baseline,
)

ONE = Privacy(epsilon=1)
SYSTEMS = [
    *(Hierarchy(ONE, neighbours, b) for neighbours in ("replaced", "added") for b in (2, 3, 16)),
    *(Privelet(ONE, neighbours) for neighbours in ("replaced", "added")),
]
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=str)


@pytest.mark.parametrize(
    ("system", "recomputed", "published"),
    [
        (Hierarchy(ONE, "added", 2), (220.065, 305.540, 410.582, 537.176), (220.06, 305.54, 409.48, 535.63)),
        (Hierarchy(ONE, "added", 16), (79.225, 163.478, 185.992, 214.136), (79.23, 164.48, 185.94, 213.87)),
        (Privelet(ONE, "added"), (221.132, 305.946, 410.292, 536.141), (221.62, 306.31, 410.29, 536.32)),
    ],
    ids=["HH2", "HH16", "wavelet"],
)
def test_averages_over_all_ranges_are_those_of_the_published_table(system, recomputed, published):
    """Kulkarni's thesis, table 5.4, from 2^8 to 2^11 items: within 0.7 %, six of the twelve to all printed digits."""
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
    """20 ranges of 11 items, 2000 draws: the mean ratio is within 4.5 of its standard errors, from the draws."""
    counts = np.arange(5, 16)
    queries = Ranges(11).queries()[::3]
    generator = np.random.default_rng(11)
    errors = np.array([queries.apply(system.simulate(counts, generator) - counts) for _ in range(2000)])
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("central-hh", Hierarchy(ONE)),
        ("central-hh:b=4:neighbours=added", Hierarchy(ONE, "added", 4)),
        ("Privelet", Privelet(ONE)),
        ("stability:delta=1/1000", Stability(ONE, Fraction(1, 1000))),
        ("laplace", Laplace(ONE)),
    ],
)
def test_texts_name_baselines(text, expected):
    assert parse_baseline(text, ONE) == expected
    assert is_baseline(text)


def test_other_texts_do_not():
    assert not any(map(is_baseline, ("hh:b=4", "haar", "grr", "central")))
    for name, k in itertools.product(("central-hh", "privelet"), (1,)):
        with pytest.raises(InputError, match=f"counts must be of at least two items for {name}, got 1"):
            make_baseline(name, ONE).variance(np.array([3] * k))
