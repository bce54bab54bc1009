"""Workloads as matrices of weights, listed query by query with no code of the package."""

import itertools

import numpy as np


def listed(name: str, k: int) -> np.ndarray:
    """The matrix of a named workload."""
    word, _, parameter = name.partition(":")
    if word == "grid":
        sides = [side.rpartition(":") for side in parameter.split(",")]
        rows, columns = (listed(kind or "ranges", int(size)) for kind, _, size in sides)
        return np.array([np.outer(row, column).ravel() for row, column in itertools.product(rows, columns)])
    if word == "marginals":
        return _cells(*parameter.split(":"))
    if word == "circular":
        arcs = itertools.product(range(k), range(1, k))
        return np.array([np.roll([1] * length + [0] * (k - length), first) for first, length in arcs])
    length = int(parameter or 0)
    spans = {
        "histogram": [(i, i) for i in range(k)],
        "prefixes": [(0, i) for i in range(k)],
        "ranges": [(a, b) for a in range(k) for b in range(a, k) if length in (0, b - a + 1)],
    }[word]
    return np.array([[int(a <= v <= b) for v in range(k)] for a, b in spans])


def _cells(way: str, sizes: str) -> np.ndarray:
    domains = [range(int(size)) for size in sizes.split(",")]
    tuples = list(itertools.product(*domains))
    rows = [
        [int(all(tuple_[i] == item for i, item in zip(table, cell, strict=True))) for tuple_ in tuples]
        for table in itertools.combinations(range(len(domains)), int(way))
        for cell in itertools.product(*(domains[i] for i in table))
    ]
    return np.array(rows)


def listed_energy(matrix: np.ndarray, edges: list[int]) -> float:
    """The squares of the sums of weights in each block of a partition, added up over queries and blocks."""
    sums = [matrix[:, a:b].sum(axis=1) for a, b in itertools.pairwise(edges)]
    return sum(float((column.astype(float) ** 2).sum()) for column in sums)


def tiled(k: int, size: int) -> list[int]:
    """The edges of tiles of one size."""
    return [*range(0, k, size), k]
