"""Dense matrices of trees, contrasts and Haar differences, against closed forms."""

import itertools

import numpy as np

from mechdesign_catalog.decoders.contrasts.side import Side


def node_sums(size: int, leaves: int) -> np.ndarray:
    """One row for each node of `size` leaves, with ones at these."""
    return np.array([[float(leaf // size == node) for leaf in range(leaves)] for node in range(leaves // size)])


def node_means(size: int, leaves: int) -> np.ndarray:
    """Matrix that takes a vector to the means over the nodes, written at each of their leaves."""
    sums = node_sums(size, leaves)
    return sums.T @ sums / size


def projections(side: Side) -> np.ndarray:
    """The contrasts of all heights and the constant as matrices, shape (rows, leaves, leaves)."""
    means = [node_means(size, side.leaves) for size in side.sizes]
    return np.array([*(low - high for low, high in itertools.pairwise(means)), means[-1]])


def half_signs(size: int, leaves: int) -> np.ndarray:
    """One row for each node of `size` leaves: 1 in its left half, -1 in its right half."""
    return node_sums(size, leaves) * np.where(np.arange(leaves) % size < size // 2, 1.0, -1.0)


def padded(weights: np.ndarray, side: Side) -> np.ndarray:
    """Queries on items as queries on leaves: children that are all padding have the mean of their siblings."""
    found = np.full((len(weights), side.leaves), np.nan)
    found[:, : side.items] = weights
    for size, larger in itertools.pairwise(side.sizes):
        for start in range(0, side.leaves, larger):
            children = [found[:, at : at + size] for at in range(start, start + larger, size)]
            means = [child.mean(axis=1) for child in children]
            known = [mean for mean in means if not np.isnan(mean).any()]
            for child, mean in zip(children, means, strict=True):
                if known and np.isnan(mean).any():
                    child[:] = np.mean(known, axis=0)[:, None]
    return found


def with_empty_padding(shares: np.ndarray, side: Side) -> np.ndarray:
    """Shares of items as shares of leaves, shape (leaves,)."""
    return np.pad(shares, (0, side.leaves - side.items))


def grid(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """All products of a query on rows and one on columns, in that order, as queries on their leaves row by row."""
    products = rows[:, None, :, None] * columns[None, :, None, :]
    return products.reshape(len(rows) * len(columns), -1)


def constrained_inverse(design: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Covariance of the weighted least squares estimate whose sum is known: the upper left of the KKT inverse."""
    size = design.shape[1]
    normal = design.T @ (weights[:, None] * design)
    system = np.block([[normal, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
    return np.linalg.inv(system)[:size, :size]
