"""Variances of ranges under trees of OUE and under HaarHRR from matrices, for closed forms to be held against."""

import numpy as np


def all_ranges(k):
    """A row of ones for each range of k items, by beginning and then by end."""
    items = np.arange(k)
    return np.array([(items >= a) & (items <= b) for a in range(k) for b in range(a, k)], dtype=float)


def from_starts(k, step):
    """Those that begin at a multiple of a step."""
    items = np.arange(k)
    return np.array([(items >= a) & (items <= b) for a in range(0, k, step) for b in range(a, k)], dtype=float)


def tree_levels(k, b):
    """A matrix for each level below the root: which leaves each node has; k is a power of b."""
    sizes = [b**height for height in range(k.bit_length()) if b**height < k]
    return [np.kron(np.eye(k // size), np.ones(size)) for size in sizes]


def tree_variances(queries, k, b, shares, users, x):
    """Exact variances under constrained inference, uniform levels with users / h each, and OUE with e^eps = x."""
    levels = tree_levels(k, b)
    design = np.vstack(levels)
    system = np.block([[design.T @ design, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    gains = queries @ np.linalg.inv(system)[:k, :k] @ design.T
    noise = 4 * x / (x - 1) ** 2
    total, first = np.zeros(len(queries)), 0
    for level in levels:
        u, held = gains[:, first : first + len(level)], level @ shares
        first += len(level)
        noisy = noise * (u**2).sum(axis=1) + u**2 @ held
        spread = users / (users - 1) * (u**2 @ held - (u @ held) ** 2)
        total += (noisy + spread) * len(levels) / users
    answers = queries @ shares
    return total - answers * (1 - answers) / (users - 1)


def wavelet_variances(queries, k, shares, users, x):
    """Exact variances under HaarHRR, uniform heights; k is a power of two."""
    heights = [2**height for height in range(1, k.bit_length())]
    noise = ((x + 1) / (x - 1)) ** 2
    total = np.zeros(len(queries))
    for size in heights:
        halves = np.kron(np.eye(k // size), np.r_[np.ones(size // 2), -np.ones(size // 2)])
        u = queries @ halves.T / size
        inside = np.kron(np.eye(k // size), np.ones(size)) @ shares
        mean, square = u @ (halves @ shares), u**2 @ inside
        noisy = noise * (u**2).sum(axis=1) - square
        spread = users / (users - 1) * (square - mean**2)
        total += (noisy + spread) * len(heights) / users
    answers = queries @ shares
    return total - answers * (1 - answers) / (users - 1)
