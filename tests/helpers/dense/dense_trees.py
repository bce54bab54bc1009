"""Dense matrices of trees and of their least squares, against closed forms."""

import numpy as np

from mechdesign_catalog.decoders.trees.tree import Tree

TREES = [
    Tree(16, 2),
    Tree(27, 3),
    Tree(24, 4),
    Tree(61, 4),
    Tree(120, 4),
    Tree(65, 4),
    Tree(33, 2),
    Tree(13, 3),
    Tree(7, 2),
    Tree(2, 2),
    Tree(5, 16),
    Tree(17, 16),
]
"""Full and ragged, with few and many children, of one level and of six."""


def incidence(tree: Tree) -> list[np.ndarray]:
    """For each level one row a node, with ones at its items: shape (nodes, k)."""
    items = np.arange(tree.k)
    sizes = [tree.b ** (tree.height - level) for level in range(1, tree.height + 1)]
    return [np.array([items // size == node for node in range(-(-tree.k // size))]).astype(float) for size in sizes]


def estimator(tree: Tree, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Constants (k,) and matrix (k, nodes) of least squares with the total 1, nodes weighted by inverse variances."""
    rows = incidence(tree)
    design = np.vstack(rows)
    weights = np.concatenate([np.full(len(row), 1 / variance) for row, variance in zip(rows, variances, strict=True)])
    ones = np.ones((tree.k, 1))
    system = np.block([[design.T @ (weights[:, None] * design), ones], [ones.T, np.zeros((1, 1))]])
    inverse = np.linalg.inv(system)
    return inverse[: tree.k, tree.k], inverse[: tree.k, : tree.k] @ (design.T * weights)


def split(tree: Tree, values: np.ndarray) -> list[np.ndarray]:
    """Cut the last axis, over all nodes, into the levels."""
    return np.split(values, np.cumsum([len(row) for row in incidence(tree)])[:-1], axis=-1)
