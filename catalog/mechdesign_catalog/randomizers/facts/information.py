"""The information of one report: all that the best linear estimates need of a mechanism.

With q(r, u) the chance of the report r at the item u, and s the shares of the items, it is the k x k matrix

    A = sum_r q_r q_r' / (s' q_r),   q_r = (q(r, u))_u,   A s = 1.

Of all linear unbiased estimates from full reports weighted least squares has the least variance on average over users.
For the queries of `G = W'W` together and one user it is `tr(G A^+) - sum_u s_u G_uu`, where the rows of W are in the
range of A. (McKenna, Maity, Mazumdar, Miklau, *A workload-adaptive mechanism for linear queries under local
differential privacy*, VLDB 2020.)
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.kernels.hashing import LinearHashes
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support
from mechdesign_catalog.randomizers.reports.reports import ReportLaw

Counts = NDArray[np.int64]

MOST_CHANCES = 1 << 25
"""Chances of reports at items that are gone through one by one: a second."""

AT_ONCE = 1 << 20
"""Chances that are written down at once."""

MOST_SIZES = 1 << 20
"""How many numbers of items of each class a report can have, at most: a second."""


@dataclass(frozen=True, eq=False)
class Information:
    """The information matrix of a report, k x k, at equally frequent items.

    Attributes:
        matrix: A.
        is_exact: whether it is that of the reports as they are sent; else their hashes are taken to be fully random.
    """

    matrix: Floats
    is_exact: bool


def of_law(law: ReportLaw, counts: Counts) -> Floats:
    """Add up the information of listed reports."""
    return of_rows(np.array([[float(chance) for chance in row] for row in law.values()]), counts)


def of_rows(rows: Floats, counts: Counts) -> Floats:
    """Add up the information of reports with these chances at each item, shape (reports, k)."""
    totals = rows @ (counts / counts.sum())
    there = rows[totals > 0]
    found: Floats = there.T @ (there / totals[totals > 0][:, None])
    return found


def kronecker(matrices: Sequence[Floats]) -> Floats:
    """Compute the Kronecker product of matrices: the information of attributes that are reported independently."""
    found: Floats = np.ones((1, 1))
    for matrix in matrices:
        found = np.asarray(np.kron(found, matrix), dtype=np.float64)
    return found


class HasInformation(Protocol):
    """An oracle of so many places, whose information is known at any shares."""

    @property
    def k(self) -> int:
        """Number of places."""

    def information_at(self, counts: Counts) -> Floats:
        """Compute the information where places have shares in proportion to whole numbers."""


def of_nodes(oracle: HasInformation, nodes: Counts, counts: Counts) -> Floats:
    """Compute the information about inputs, where an oracle reports about the node of each, shape (inputs,)."""
    in_nodes = np.bincount(nodes, weights=counts, minlength=oracle.k).astype(np.int64)
    return oracle.information_at(in_nodes)[np.ix_(nodes, nodes)]


def can_be_listed(k: int, hashes: LinearHashes) -> bool:
    """Return whether reports of hashes are few enough to be gone through."""
    return k * hashes.buckets << hashes.rows * hashes.word_bits <= MOST_CHANCES


def of_hashes(k: int, family: LinearHashes, bucket: Support, counts: Counts) -> Floats:
    """Go through all hashes and buckets; `bucket` has the chances of the own bucket and of another one."""
    hashes = 1 << family.rows * family.word_bits
    step = max(1, AT_ONCE // k)
    found = np.zeros((k, k))
    for start in range(0, hashes, step):
        numbers = np.arange(start, min(start + step, hashes))
        words = [numbers >> row * family.word_bits & (1 << family.word_bits) - 1 for row in range(family.rows)]
        drawn = np.stack(words, axis=1).astype(family.kind)
        own = np.stack([family.bucket(drawn, np.full(len(drawn), v)) for v in range(k)], axis=1)
        for reported in range(family.buckets):
            found += of_rows(np.where(own == reported, float(bucket.p), float(bucket.q)), counts) / hashes
    return found


def of_coefficients(values: Floats, chances: Floats, alpha: Fraction, counts: Counts) -> Floats:
    """Add up the information of coefficients in [-1, 1] that are drawn with chances, and told as a sign.

    The sign is that of a coin with the mean of the coefficient's value, through randomised response.

    Args:
        values: the value of each coefficient at each item, shape (coefficients, k).
        chances: those of the coefficients.
        alpha: that of the sign.
        counts: in proportion to the shares of the items.
    """
    kept = float((1 - alpha) / (1 + alpha))
    rows = np.concatenate([1 + kept * values, 1 - kept * values]) * np.tile(chances / 2, 2)[:, None]
    return of_rows(rows, counts)


@dataclass(frozen=True, eq=False)
class SetLaw:
    """The logarithms of the chances of one set, by its size 0..m: with the own item in it, and without."""

    inside: Floats
    outside: Floats


def sets_of_one_size(m: int, size: int, p: Fraction) -> SetLaw:
    """State the law of sets of so many of m items, all as likely but for the own item, which is in with p."""
    inside, outside = np.full(m + 1, -np.inf), np.full(m + 1, -np.inf)
    inside[size] = math.log(p) - _log_choices(m - 1, size - 1)
    outside[size] = math.log(1 - p) - _log_choices(m - 1, size)
    return SetLaw(inside, outside)


def sets_of_bits(m: int, support: Support) -> SetLaw:
    """State the law of m independent bits, the own one 1 with p and any other one with q."""
    sizes = np.arange(m + 1)
    one, zero = math.log(support.q), math.log(1 - support.q)
    inside = math.log(support.p) + (sizes - 1) * one + (m - sizes) * zero
    return SetLaw(inside, math.log(1 - support.p) + sizes * one + (m - 1 - sizes) * zero)


def sets_of_buckets(m: int, share: Fraction, count: int, bucket: Support) -> SetLaw:
    """State the law of so many buckets of one share together, under fully random hashing of each item by itself.

    Each is reported with p where it is the own one, else with q.
    """
    sizes = np.arange(m + 1)
    chance = sizes * math.log(share) + (m - sizes) * math.log(1 - share) + math.log(count)
    return SetLaw(chance + math.log(bucket.p), chance + math.log(bucket.q))


def _log_choices(k: int, size: int) -> float:
    return math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)


def set_information(law: SetLaw, counts: Counts) -> Floats:
    """Add up the information of the sets, shape (m, m), where `counts[v]` of all users' inputs are the item v.

    Items of equal counts are alike, so a set counts by how many items it has of each of these classes: with x the
    chance of all such sets at an item inside, y at one outside, all of them together add to the entries of two items

        the mean over these sets of (x or y) (x or y) / (sum_v s_v (x or y)),   s = counts / their sum.

    Raises:
        InputError: for items of too many different counts.
    """
    from scipy.special import gammaln  # takes as long to load as all oracles together

    values, kinds, many = np.unique(counts, return_inverse=True, return_counts=True)
    if math.prod((many + 1).tolist()) > MOST_SIZES:
        raise InputError(f"nodes must be of few sizes, got {len(values)} sizes of {len(counts)} nodes")
    shares = values / counts.sum()
    numbers = np.array(list(itertools.product(*(range(count + 1) for count in many.tolist()))))
    ways = np.sum(gammaln(many + 1) - gammaln(numbers + 1) - gammaln(many - numbers + 1), axis=1)
    sizes = numbers.sum(axis=1)
    inside = np.where(sizes > 0, np.exp(ways + law.inside[sizes]), 0.0)
    outside = np.where(sizes < len(counts), np.exp(ways + law.outside[sizes]), 0.0)
    means = (numbers * inside[:, None] + (many - numbers) * outside[:, None]) / many
    totals = means @ (many * shares)
    there = totals > 0
    numbers, inside, outside, means = numbers[there], inside[there], outside[there], means[there]
    scaled = means / totals[there][:, None]
    between = means.T @ scaled
    squares = numbers * inside[:, None] ** 2 + (many - numbers) * outside[:, None] ** 2
    own = np.sum(squares / totals[there][:, None], axis=0) / many
    found: Floats = between[np.ix_(kinds, kinds)]
    for kind, count in enumerate(many.tolist()):  # of two items of one class the mean has both, and each with itself
        if count > 1:
            places = np.flatnonzero(kinds == kind)
            found[np.ix_(places, places)] = (count * between[kind, kind] - own[kind]) / (count - 1)
    np.fill_diagonal(found, own[kinds])
    return found
