"""Consistent estimates of a tree against dense constrained weighted least squares."""

import numpy as np
import pytest
from dense_trees import TREES, estimator, incidence, split

from mechdesign import InputError
from mechdesign.workloads.ordered import Ranges
from mechdesign_catalog.oracles.levels.inference import Averaging
from mechdesign_catalog.oracles.levels.level_sums import LevelSums
from mechdesign_catalog.oracles.levels.node_weights import consistent_weights, decomposed_weights
from mechdesign_catalog.oracles.levels.tree import Tree
from mechdesign_catalog.oracles.levels.walks import consistent_sums, decomposed_sums, running_sums

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
    with pytest.raises(InputError, match="b must be a whole number from 2 to 2"):
        Tree(10, b)


def test_a_tree_of_one_item_is_refused():
    with pytest.raises(InputError, match="at least two items, got k=1"):
        Tree(1, 4)
