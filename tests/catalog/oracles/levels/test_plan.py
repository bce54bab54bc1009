"""Shares of levels that are best for a workload."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.levels import averages
from mechdesign_catalog.oracles.levels.averages import WorkloadOnTree
from mechdesign_catalog.oracles.levels.inference import Averaging
from mechdesign_catalog.oracles.levels.plan import LEAST_PART, contrast_energies, optimal_chances, whole_weights
from mechdesign_catalog.oracles.levels.tree import Tree
from mechdesign_catalog.oracles.levels.walks import consistent_sums, running_sums

SHAPES = [
    *(Tree(256, 4), Tree(256, 2), Tree(61, 4), Tree(81, 3), Tree(1 << 20, 4), Tree(1 << 20, 2), Tree(5, 8)),
    *(Tree(17, 4), Tree(65, 8), Tree(120, 4)),
]
WORKLOADS = [Ranges, Prefixes, Histogram]
every = pytest.mark.parametrize("tree", SHAPES, ids=str)


def slopes(tree: Tree, workload, variances: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """By how much the noise falls with each share: `a_l sum u^2 / p_l^2`, from the walks, in closed form if large."""
    if tree.k > 1000:
        energies = np.array([float(energy) for energy in contrast_energies(tree, workload)])
        each = np.array(tree.sizes) / variances
        return np.cumsum(energies / np.cumsum((each * chances)[::-1])[::-1] ** 2) * each
    averaging = Averaging(tree, tuple(variances / chances))
    sums = consistent_sums(averaging, running_sums(tree, np.zeros(tree.k)), workload.queries())
    return variances * np.array([of_level.squares.sum() for of_level in sums]) / chances**2


def noise(tree: Tree, workload, variances: np.ndarray, chances: np.ndarray) -> float:
    return float(slopes(tree, workload, variances, chances) @ chances)


@every
@pytest.mark.parametrize("workload", WORKLOADS)
def test_no_other_shares_are_better(tree, workload):
    """The noise is convex: its slopes bound how much any shares above the least could gain."""
    asked = workload(tree.k)
    variances = np.random.default_rng(tree.k).uniform(1, 2, tree.height)
    chances = optimal_chances(WorkloadOnTree(tree, asked).squares, variances)
    least = 1 / (LEAST_PART * tree.height)
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert (chances >= least * (1 - 1e-9)).all()
    gains = slopes(tree, asked, variances, chances)
    best = least * gains.sum() + (1 - tree.height * least) * gains.max()
    found = noise(tree, asked, variances, chances)
    assert best - gains @ chances <= 2e-4 * found
    weights = np.array(whole_weights(chances), dtype=np.float64)
    assert noise(tree, asked, variances, weights / weights.sum()) <= found * (1 + 5e-4)


def test_large_trees_are_planned_as_if_they_were_full(monkeypatch):
    tree, asked = Tree(17, 4), Prefixes(17)
    exact = optimal_chances(WorkloadOnTree(tree, asked).squares, np.ones(3))
    monkeypatch.setattr(averages, "MOST_STEPS", 0)
    filled = optimal_chances(WorkloadOnTree(tree, asked).squares, np.ones(3))
    assert noise(tree, asked, np.ones(3), exact) < 0.95 * noise(tree, asked, np.ones(3), filled)
    uniform = noise(tree, asked, np.ones(3), np.full(3, 1 / 3))
    assert noise(tree, asked, np.ones(3), filled) < uniform


def test_gain_for_all_ranges():
    """k = 256, B = 4, one variance on all levels: 0.885 of the noise of equal levels; a little less with data."""
    tree, ranges = Tree(256, 4), Ranges(256)
    best = optimal_chances(WorkloadOnTree(tree, ranges).squares, np.ones(4))
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


def test_workloads_that_do_not_fit_are_named():
    for levels in ("optimal", "ranges"):
        with pytest.raises(InputError, match=r"k must be a whole number from 1 to 2\^30 for a workload"):
            make_oracle("hh", 1 << 31, Privacy(epsilon=1), levels=levels)


@pytest.mark.parametrize("choice", ["grr", "oue", "hrr", "ss"])
def test_no_other_shares_are_better_for_estimates_as_they_are(choice):
    """Scores of GRR covary: nodes that are added up vary less. Weights are parts of 10,000."""
    workload, privacy = Prefixes(16), Privacy(epsilon="0.2")
    planned = make_oracle("hh", 16, privacy, b=4, in_=choice, estimate="raw", levels=workload)
    found = planned.average_variance(workload, 10**9)
    for part in range(500, 10_000, 250):
        other = make_oracle("hh", 16, privacy, b=4, in_=choice, estimate="raw", levels=f"{part}-{10_000 - part}")
        assert found <= other.average_variance(workload, 10**9) * (1 + 1e-3)
