"""Trees: inference and sums of levels against dense algebra, and shares of levels that are best for a workload."""

import numpy as np
import pytest
from dense_trees import TREES, estimator, incidence, split
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.closed_forms import averages
from mechdesign_catalog.closed_forms.averages import WorkloadOnTree
from mechdesign_catalog.decoders.trees.inference import Averaging
from mechdesign_catalog.decoders.trees.level_sums import LevelSums, least_noise, noise, total_variance
from mechdesign_catalog.decoders.trees.node_weights import consistent_weights, decomposed_weights
from mechdesign_catalog.decoders.trees.plan import LEAST_PART, contrast_energies, optimal_chances, whole_weights
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.decoders.trees.walks import consistent_sums, decomposed_sums, running_sums
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.hadamard import Hrr
from mechdesign_catalog.systems.flat.local_hashing import Olh
from mechdesign_catalog.systems.flat.unary import Oue

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


def planned_noise(tree: Tree, workload, variances: np.ndarray, chances: np.ndarray) -> float:
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
    found = planned_noise(tree, asked, variances, chances)
    assert best - gains @ chances <= 2e-4 * found
    weights = np.array(whole_weights(chances), dtype=np.float64)
    assert planned_noise(tree, asked, variances, weights / weights.sum()) <= found * (1 + 5e-4)


def test_large_trees_are_planned_as_if_they_were_full(monkeypatch):
    tree, asked = Tree(17, 4), Prefixes(17)
    exact = optimal_chances(WorkloadOnTree(tree, asked).squares, np.ones(3))
    monkeypatch.setattr(averages, "MOST_STEPS", 0)
    filled = optimal_chances(WorkloadOnTree(tree, asked).squares, np.ones(3))
    assert planned_noise(tree, asked, np.ones(3), exact) < 0.95 * planned_noise(tree, asked, np.ones(3), filled)
    uniform = planned_noise(tree, asked, np.ones(3), np.full(3, 1 / 3))
    assert planned_noise(tree, asked, np.ones(3), filled) < uniform


def test_gain_for_all_ranges():
    """k = 256, B = 4, one variance on all levels: 0.885 of the noise of equal levels; a little less with data."""
    tree, ranges = Tree(256, 4), Ranges(256)
    best = optimal_chances(WorkloadOnTree(tree, ranges).squares, np.ones(4))
    assert planned_noise(tree, ranges, np.ones(4), best) / planned_noise(
        tree, ranges, np.ones(4), np.full(4, 1 / 4)
    ) == pytest.approx(0.885, abs=5e-4)
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
        with refused(InputError, about="k"):
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


ORACLES = [oracle(9, Privacy(epsilon=epsilon)) for oracle in (Grr, Oue, Hrr, Olh) for epsilon in ("1/2", 1, 3)]


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: f"{oracle.name} {oracle.privacy}")
def test_least_noise_is_that_of_the_best_weight_of_the_own_node(oracle):
    weights = np.random.default_rng(1).normal(size=(40, 9))
    weights[0], weights[1] = 1.0, 0.0
    sums, squares = weights.sum(axis=1), (weights**2).sum(axis=1)
    own = np.linspace(-1, 1, 2001)[:, None] * np.sqrt(squares)
    grid = np.array([oracle.moments.noise(sums, squares, u, u**2) for u in own]).min(axis=0)
    found = least_noise(oracle.moments, LevelSums(sums, squares, 0 * sums, 0 * sums))
    assert found == pytest.approx(np.maximum(grid, 0), rel=1e-4, abs=1e-3)
    for node in range(9):
        shares = np.eye(9)[node]
        assert (noise(oracle.moments, LevelSums.of(weights, shares)) >= found - 1e-9).all()


def test_sums_of_estimates_are_brought_to_what_shares_give():
    wild = LevelSums(np.ones(3), np.full(3, 4.0), np.array([-9.0, 9.0, 0.5]), np.array([16.0, 1.0, -3.0]))
    found = wild.possible()
    assert found.square_answers.tolist() == [4, 1, 0]
    assert found.answers.tolist() == [-2, 1, 0]
    assert (found.spread >= 0).all()
    same = LevelSums.of(np.array([[1.0, 0.5, 0.0]]), np.array([0.2, 0.3, 0.5])).possible()
    assert (same.answers, same.square_answers) == (pytest.approx([0.35]), pytest.approx([0.275]))


def test_one_level_has_no_spread_of_levels():
    whole, users = np.array([0.25]), np.array([7.0])
    assert total_variance([(np.array([14.0]), np.array([0.25]))], whole, users) == pytest.approx([2])


every_tree = pytest.mark.parametrize("tree", TREES, ids=str)
SUMS = ("sums", "squares", "answers", "square_answers")


def unequal(tree: Tree) -> np.ndarray:
    return np.random.default_rng(tree.k).uniform(0.5, 3, tree.height)


def close(found: list[LevelSums], expected: list[LevelSums]) -> bool:
    pairs = zip(found, expected, strict=True)
    return all(np.allclose(getattr(one, name), getattr(two, name), 1e-11, 1e-12) for one, two in pairs for name in SUMS)


@every_tree
def test_nodes_partition_the_items_of_their_parents(tree):
    rows = incidence(tree)
    assert tree.nodes == tuple(len(row) for row in rows)
    assert tree.b ** (tree.height - 1) < tree.k <= tree.b**tree.height
    shares = np.random.default_rng(1).dirichlet(np.ones(tree.k))
    for found, row in zip(tree.node_shares(shares), rows, strict=True):
        assert (row.sum(axis=0) == 1).all()
        assert (row.sum(axis=1) > 0).all()
        assert found == pytest.approx(row @ shares)
    assert tree.is_full == all(len(set(row.sum(axis=1))) == 1 for row in rows)


@every_tree
@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
def test_consistent_estimates_are_weighted_least_squares(tree, equal):
    variances = np.ones(tree.height) if equal else unequal(tree)
    constants, matrix = estimator(tree, variances)
    noisy = np.random.default_rng(2).normal(size=matrix.shape[1])
    dense = constants + matrix @ noisy
    found = Averaging(tree, tuple(variances)).consistent(split(tree, noisy))
    assert found[-1] == pytest.approx(dense, abs=1e-12)
    assert found[-1].sum() == pytest.approx(1, abs=1e-12)
    for level, row in zip(found, incidence(tree), strict=True):
        assert level == pytest.approx(row @ found[-1], abs=1e-12)


@every_tree
def test_weights_of_queries_are_those_of_least_squares(tree):
    variances = unequal(tree)
    constants, matrix = estimator(tree, variances)
    weights = np.random.default_rng(3).normal(size=(5, tree.k))
    found_constants, found = consistent_weights(Averaging(tree, tuple(variances)), weights)
    assert found_constants == pytest.approx(weights @ constants, abs=1e-12)
    for level, dense in zip(found, split(tree, weights @ matrix), strict=True):
        assert level == pytest.approx(dense, abs=1e-12)
        assert level.sum(axis=1) == pytest.approx(np.zeros(5), abs=1e-12)


@every_tree
def test_sums_of_ranges_are_those_of_written_weights(tree):
    ranges = Ranges(tree.k).queries()
    shares = np.random.default_rng(4).dirichlet(np.ones(tree.k))
    nodes, running = [row @ shares for row in incidence(tree)], running_sums(tree, shares)
    variances = unequal(tree)
    _, dense = estimator(tree, variances)
    written = [LevelSums.of(u, f) for u, f in zip(split(tree, ranges.weights() @ dense), nodes, strict=True)]
    assert close(list(consistent_sums(Averaging(tree, tuple(variances)), running, ranges)), written)
    _, plain = decomposed_weights(tree, ranges.weights())
    written = [LevelSums.of(u, f) for u, f in zip(plain, nodes, strict=True)]
    assert close(list(decomposed_sums(tree, running, ranges)), written)


@every_tree
def test_ranges_take_the_fewest_nodes(tree):
    """Every node that is used lies inside, no item is in two of them, and no used node's parent lies inside."""
    ranges = Ranges(tree.k).queries()
    weights, rows = ranges.weights(), incidence(tree)
    constants, found = decomposed_weights(tree, weights)
    covered = sum(u @ row for u, row in zip(found, rows, strict=True)) + constants[:, None]
    assert (covered == weights).all()
    inside = [np.ones((len(weights), 1)) * weights.all(axis=1)[:, None]]
    inside += [(weights @ row.T == row.sum(axis=1)) for row in rows]
    for level, u in enumerate(found):
        parents = np.zeros(len(rows[level]), dtype=int) if level == 0 else np.arange(len(rows[level])) // tree.b
        assert (u == (inside[level + 1] & ~inside[level].astype(bool)[:, parents])).all()


@pytest.mark.parametrize("b", [1, 0, -4, 2.0, True, (1 << 20) + 1])
def test_other_fan_outs_are_refused(b):
    with refused(InputError, about="b"):
        Tree(10, b)


def test_a_tree_of_one_item_is_refused():
    with refused(InputError):
        Tree(1, 4)
