"""Shares of levels that are best for a workload."""

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.levels.plan import (
    LEAST_PART,
    contrast_energies,
    optimal_chances,
    precisions,
    whole_weights,
)
from mechdesign_catalog.oracles.levels.tree import Tree

SHAPES = [Tree(256, 4), Tree(256, 2), Tree(61, 4), Tree(81, 3), Tree(1 << 20, 4), Tree(1 << 20, 2), Tree(5, 8)]
WORKLOADS = [Ranges, Prefixes, Histogram]
every = pytest.mark.parametrize("tree", SHAPES, ids=str)


def noise(tree: Tree, workload, variances: np.ndarray, chances: np.ndarray) -> float:
    energies = np.array([float(energy) for energy in contrast_energies(tree, workload)])
    return float(np.sum(energies / precisions(tree, variances, chances)))


@every
@pytest.mark.parametrize("workload", WORKLOADS)
def test_no_other_shares_are_better(tree, workload):
    """The noise is convex: its slopes bound how much any shares above the least could gain."""
    asked = workload(tree.k)
    variances = np.random.default_rng(tree.k).uniform(1, 2, tree.height)
    energies = np.array([float(energy) for energy in contrast_energies(tree, asked)])
    chances = optimal_chances(tree, asked, variances)
    least = 1 / (LEAST_PART * tree.height)
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert (chances >= least * (1 - 1e-9)).all()
    lambdas = precisions(tree, variances, chances)
    gains = np.cumsum(energies / lambdas**2) * np.array(tree.sizes) / variances
    best = least * gains.sum() + (1 - tree.height * least) * gains.max()
    found = noise(tree, asked, variances, chances)
    assert best - gains @ chances <= 2e-4 * found
    weights = np.array(whole_weights(chances), dtype=np.float64)
    assert noise(tree, asked, variances, weights / weights.sum()) <= found * (1 + 1e-4)


def test_gain_for_all_ranges():
    """k = 256, B = 4, one variance on all levels: 0.885 of the noise of equal levels; a little less with data."""
    tree, ranges = Tree(256, 4), Ranges(256)
    best = optimal_chances(tree, ranges, np.ones(4))
    assert noise(tree, ranges, np.ones(4), best) / noise(tree, ranges, np.ones(4), np.full(4, 1 / 4)) == pytest.approx(
        0.885, abs=5e-4
    )
    found = [
        make_oracle("hh", 256, Privacy(epsilon="0.8"), b=4, levels=levels).average_variance(ranges, 10**9)
        for levels in ("optimal", "uniform")
    ]
    assert found[0] / found[1] == pytest.approx(0.888, abs=5e-4)


@pytest.mark.parametrize("estimate", ["ci", "raw"])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_planned_levels_are_no_worse_for_their_workload(workload, estimate):
    for k, b, choice in ((64, 4, "oue"), (61, 4, "auto"), (33, 2, "grr")):
        asked = workload(k)
        planned, usual = (
            make_oracle("hh", k, Privacy(epsilon="1/10"), b=b, in_=choice, estimate=estimate, levels=levels)
            for levels in (asked, "uniform")
        )
        assert planned.average_variance(asked, 10**6) <= usual.average_variance(asked, 10**6) * (1 + 1e-9)


def test_names_stand_for_workloads_and_weights_are_reduced():
    privacy = Privacy(epsilon=1)
    for name, workload in (("optimal", Ranges), ("ranges", Ranges), ("prefixes", Prefixes), ("histogram", Histogram)):
        by_name, by_value = (make_oracle("hh", 64, privacy, levels=levels) for levels in (name, workload(64)))
        assert by_name == by_value
        assert by_name.parameters["levels"] == by_value.levels
    assert make_oracle("hh", 64, privacy, levels="6-4-2").levels == "3-2-1"
    assert make_oracle("hh", 64, privacy, levels="5-5-5") == make_oracle("hh", 64, privacy)
    assert make_oracle("hh", 3, privacy, levels=7).levels == "1"
