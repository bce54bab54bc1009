"""Design local mechanisms for workloads with levels: their symmetries leave a few numbers to choose, whatever k.

Rows come in whole orbits of the symmetries, with one weight each, so columns sum exactly whatever the weights are, and
the information A has an eigenvalue for each level. For a histogram that is subset selection (Ye, Barg, IEEE
Transactions on Information Theory 64, 2018; Wang et al., arXiv:1607.08025), with fewer of its sets.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from mechdesign.certificate.by_levels import best_size, level_proof
from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.certificate.row_proof import RowProof
from mechdesign.mechanism.row_mechanism import RowMechanism, bit_texts
from mechdesign.methods.row_designs.programme import FoundRows
from mechdesign.methods.row_designs.symmetric.flat_blocks import ItemGroup, flat_rows
from mechdesign.methods.row_designs.symmetric.level_kinds import Kind, kinds_of_rows
from mechdesign.methods.row_designs.symmetric.level_mixture import fewest_rows
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.levels import Levels, levels_of

Bits = NDArray[np.uint8]

LARGEST_BLOCK_DESIGN = 128
"""Items of a histogram for which few sets are looked for."""

MOST_FLIPS = 10
"""Attributes of two items each for which rows are listed."""

MOST_BITS = 1 << 23
"""Entries of all rows of a design together."""

WEIGHT_BITS = 40
"""Weights of rows are rounded to so many bits."""


@dataclass(frozen=True, eq=False)
class SymmetricRows:
    """Hold a mechanism with the symmetries of its workload, whose columns sum exactly, and proofs of how good it is.

    Attributes:
        mechanism: in whole numbers.
        proof: of a lower bound by levels.
        found: the same mechanism in floats, with a dual and prices for a proof by all rows, for up to 32 items.
        how: the way in words, for the report.
    """

    mechanism: RowMechanism
    proof: RowProof
    found: FoundRows | None
    how: str


def find_symmetric(problem: WorkloadProblem) -> SymmetricRows | None:
    """Design a mechanism for a histogram or for marginals of attributes of two items each.

    Orbits are transitive on the items, so every item has the same variance: the worst is the mean.

    Returns:
        None for other workloads, and for more than 128 items of a histogram or 10 attributes.
    """
    levels = levels_of(problem.workload)
    if levels is None:
        return None
    even = all(value == levels.eigenvalues[0] for value in levels.eigenvalues)
    if even and levels.k <= LARGEST_BLOCK_DESIGN:
        group = ItemGroup.flips(levels.flips) if levels.flips else ItemGroup.cyclic(levels.k)
        size = best_size(levels.k, problem.alpha)
        rows, weights = flat_rows(group, size)
        how = f"subset selection: {len(rows)} sets of {size} of {levels.k} items, shifts of few blocks"
        return _symmetric(problem, levels, rows, weights, how)
    if levels.flips and levels.flips <= MOST_FLIPS:
        return _symmetric(problem, levels, *_mixed(problem.alpha, levels))
    return None


def _mixed(alpha: Fraction, levels: Levels) -> tuple[Bits, list[int], str]:
    """Mix kinds of rows: whole orbits under flips and permutations of the attributes."""
    most, d = MOST_BITS >> levels.flips, levels.flips
    while True:
        kinds = kinds_of_rows(d, most)
        shares = _shares(float(1 / alpha - 1), levels, kinds)
        chosen = [(kind, share) for kind, share in zip(kinds, shares.tolist(), strict=True) if share > 0]
        if sum(kind.count(d) for kind, _ in chosen) <= MOST_BITS >> d:
            break
        most = max(kind.count(d) for kind, _ in chosen) - 1
    rows, weights = [], []
    for kind, share in chosen:
        mean = 1 + float(1 / alpha - 1) * kind.share
        orbit = kind.rows(d)
        rows.append(orbit)
        weights += [max(1, round((1 << WEIGHT_BITS) * share / (mean * len(orbit))))] * len(orbit)
    words = ", ".join(
        f"{len(orbit)} of {kind.attributes} attributes" for orbit, (kind, _) in zip(rows, chosen, strict=True)
    )
    return np.concatenate(rows), weights, f"orbits under flips and permutations of {d} attributes: {words}"


def _shares(step: float, levels: Levels, kinds: list[Kind]) -> NDArray[np.float64]:
    """Return the share of the reports that each kind has: the variance is `sum_j dimension_j^2 gamma_j / (k x_j)`."""
    asked = [j for j, value in enumerate(levels.eigenvalues) if value]
    information = np.array(
        [(step / (1 + step * kind.share)) ** 2 * kind.level_weights(levels.flips)[asked] for kind in kinds]
    )
    costs = np.array([levels.dimensions[j] ** 2 * levels.eigenvalues[j] / levels.k for j in asked])
    return fewest_rows(costs, information, np.array([kind.count(levels.flips) for kind in kinds], dtype=np.float64))


def _symmetric(problem: WorkloadProblem, levels: Levels, rows: Bits, weights: list[int], how: str) -> SymmetricRows:
    alpha = problem.alpha
    p, q = alpha.as_integer_ratio()
    common = gcd(*weights)
    whole = [weight // common * p for weight in weights]
    ones = sum(weight for weight, first in zip(whole, rows[:, 0].tolist(), strict=True) if first)
    mechanism = RowMechanism(alpha, bit_texts(rows), tuple(whole), sum(whole) - ones + ones // p * q)
    found = _in_floats(levels, mechanism, how) if levels.k <= MOST_GROUPS else None
    return SymmetricRows(mechanism, level_proof(levels, problem.bound_alpha), found, how)


def _in_floats(levels: Levels, mechanism: RowMechanism, how: str) -> FoundRows:
    """Return the mechanism in floats, with the dual `B = A^-1` on the levels that are asked for, and even prices."""
    k, items = levels.k, np.arange(levels.k)
    theta = np.array([weight / mechanism.denominator for weight in mechanism.weights])
    rows = 1 + float(1 / mechanism.alpha - 1) * mechanism.ones
    information = (rows.T * (theta / rows.mean(axis=1))) @ rows
    if levels.flips:
        orders = np.array([s.bit_count() for s in range(k)])
        signs = 1 - 2.0 * (orders[items[:, None] & items] % 2)
        projectors = [signs[:, orders == j] @ signs[:, orders == j].T / k for j in range(1, levels.flips + 1)]
    else:
        projectors = [np.eye(k) - 1 / k]
    dual, price = np.zeros((k, k)), 0.0
    for projector, gamma, dimension in zip(projectors, levels.eigenvalues, levels.dimensions, strict=True):
        if gamma:
            inverse = dimension / float((projector * information).sum())
            dual += inverse * projector
            price += gamma * dimension * inverse
    value = price + float(levels.constant)
    return FoundRows(mechanism.ones, theta, np.full(k, 1 / k), dual, np.full(k, price / k), value, how)
