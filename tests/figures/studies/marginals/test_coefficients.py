"""Histograms from several signs of each user: variances against all reports one by one, simulation against both."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.coefficients import SignSums, _different
from mechdesign_figures.studies.marginals.distances import expected_total_variation, total_variation
from mechdesign_figures.studies.registry import STUDIES


def sign(one, other):
    return (-1) ** (one & other).bit_count()


def moments(items_log2, t, x, item):
    """Mean and second moment of every item's score, over all index tuples and patterns."""
    k, patterns = 2**items_log2, list(itertools.product((1, -1), repeat=t))
    kept = x / (x + 2**t - 1)
    means, squares = [[Fraction(0)] * k for _ in range(2)]
    tuples = list(itertools.permutations(range(k), t))
    r = (x - 1) / (x + 2**t - 1)
    for indexes in tuples:
        true = tuple(sign(index, item) for index in indexes)
        for told in patterns:
            chance = (kept if told == true else (1 - kept) / (2**t - 1)) / len(tuples)
            for v in range(k):
                score = sum(s * sign(index, v) for s, index in zip(told, indexes, strict=True)) / (t * r)
                means[v] += chance * score
                squares[v] += chance * score**2
    return means, squares


@pytest.mark.parametrize(("items_log2", "t", "x"), [(2, 1, 3), (2, 2, 3), (2, 3, 5), (3, 2, 2), (2, 4, 3)])
def test_scores_by_enumeration(items_log2, t, x):
    system, item = SignSums(items_log2, t, Fraction(x)), 2
    means, squares = moments(items_log2, t, Fraction(x), item)
    for v, (mean, square) in enumerate(zip(means, squares, strict=True)):
        assert mean == (v == item)
        assert square - mean**2 == (system.own_variance if v == item else system.rare_variance)


def test_indexes_differ_and_are_uniform():
    found = _different(60_000, 3, 4, np.random.default_rng(1))
    kinds, counts = np.unique(found, axis=0, return_counts=True)
    assert sorted(map(tuple, kinds.tolist())) == list(itertools.permutations(range(4), 3))
    assert ((counts - 2500) ** 2 / 2500).sum() < 50  # chi-squared with 23 degrees of freedom, 0.1 %


@pytest.mark.parametrize("t", [1, 2, 3])
def test_simulations_have_the_exact_variances(t):
    system, users, generator = SignSums(3, t), 400, np.random.default_rng(t)
    values = np.repeat(np.arange(8), users // 8)
    estimates = np.array([system.simulate(values, generator) for _ in range(800)])
    deviations = np.sqrt(system.variances(np.full(8, 1 / 8), users))
    assert (np.abs(estimates.mean(axis=0) - 1 / 8) < 4.5 * deviations / math.sqrt(800)).all()
    assert (estimates.var(axis=0) / deviations**2).mean() == pytest.approx(1, abs=0.06)


def test_distances():
    assert total_variation(np.array([0.5, 0.6, -0.1]), np.array([0.25, 0.75, 0.0])) == pytest.approx(0.25)
    errors = np.random.default_rng(1).normal(scale=[0.1, 0.2, 0.3], size=(200_000, 3))
    assert expected_total_variation(np.array([0.01, 0.04, 0.09])) == pytest.approx(
        0.5 * np.abs(errors).sum(axis=1).mean(), rel=0.01
    )


def test_the_study():
    study = STUDIES["4.10"]
    rows = study.rows(DesignCache(), True)
    assert [row["coefficients"] for row in rows] == [1, 2, 3, 4] * 2
    for row in rows:
        assert tuple(row) == study.columns
        assert abs(row["mean"] / row["expected"] - 1) < 0.35
    assert rows[0]["rare_variance"] == rows[0]["support_rare_variance"] == 4
    with house_style():
        assert len(study.draw(rows).axes) == 2


def test_the_hadamard_matrix():
    study = STUDIES["4.1"]
    rows = study.rows(DesignCache(), False)
    matrix = np.zeros((8, 8))
    for row in rows:
        matrix[row["item"], row["coefficient"]] = row["sign"]
    two = np.array([[1, 1], [1, -1]])
    assert (matrix == np.kron(two, np.kron(two, two))).all()
    with house_style():
        assert study.draw(rows).axes
