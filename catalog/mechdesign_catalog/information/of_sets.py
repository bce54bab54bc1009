"""Add up the information of reports that are sets of items, drawn with the same chance for all sets of one size."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.local_hashing import Olh
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import UnaryEncoding
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.probabilities import Floats, Support, direct

Counts = NDArray[np.int64]

MOST_SIZES = 1 << 20
"""How many numbers of items of each class a report can have, at most: a second."""


@dataclass(frozen=True, eq=False)
class SetLaw:
    """Hold the logarithms of the chances of one set, by its size 0..m: with the own item in it, and without."""

    inside: Floats
    outside: Floats


def set_laws(oracle: LocalOracle) -> list[SetLaw]:
    """State the law of an oracle of m items whose reports stand for sets of items that it treats alike; none of others.

    Reports of rows of bits stand for the set of ones, those of `grr` for one item. Those of `olh` stand for the items
    that a hash puts into a bucket: under fully random hashing each item by itself, with the bucket's share as chance.
    """
    if isinstance(oracle, Grr):
        return [_of_one_size(oracle.k, 1, oracle.support.p)]
    if isinstance(oracle, SubsetSelection):
        return [_of_one_size(oracle.k, oracle.selected, oracle.support.p)]
    if isinstance(oracle, UnaryEncoding) or (isinstance(oracle, DBitFlip) and oracle.drawn == oracle.k):
        return [_of_bits(oracle.k, oracle.support)]
    if isinstance(oracle, Olh):
        bucket = direct(oracle.hashes.buckets, oracle.alpha)
        widths, many = np.unique(np.diff(oracle.hashes.edges), return_counts=True)
        shares = [Fraction(width, 1 << oracle.hashes.rows) for width in widths.tolist()]
        return [_of_buckets(oracle.k, share, count, bucket) for share, count in zip(shares, many.tolist(), strict=True)]
    return []


def _of_one_size(m: int, size: int, p: Fraction) -> SetLaw:
    inside, outside = np.full(m + 1, -np.inf), np.full(m + 1, -np.inf)
    inside[size] = math.log(p) - _log_choices(m - 1, size - 1)
    outside[size] = math.log(1 - p) - _log_choices(m - 1, size)
    return SetLaw(inside, outside)


def _of_bits(m: int, support: Support) -> SetLaw:
    sizes = np.arange(m + 1)
    one, zero = math.log(support.q), math.log(1 - support.q)
    inside = math.log(support.p) + (sizes - 1) * one + (m - sizes) * zero
    return SetLaw(inside, math.log(1 - support.p) + sizes * one + (m - 1 - sizes) * zero)


def _of_buckets(m: int, share: Fraction, count: int, bucket: Support) -> SetLaw:
    """Bring so many buckets of one share together, each reported with p where it is the own one, else with q."""
    sizes = np.arange(m + 1)
    chance = sizes * math.log(share) + (m - sizes) * math.log(1 - share) + math.log(count)
    return SetLaw(chance + math.log(bucket.p), chance + math.log(bucket.q))


def _log_choices(k: int, size: int) -> float:
    return float(gammaln(k + 1) - gammaln(size + 1) - gammaln(k - size + 1))


def set_information(law: SetLaw, counts: Counts) -> Floats:
    """Add up the information of the sets, shape (m, m), where `counts[v]` of all users' inputs are the item v.

    Items of equal counts are alike, so a set counts by how many items it has of each of these classes: with x the
    chance of all such sets at an item inside, y at one outside, all of them together add to the entries of two items

        the mean over these sets of (x or y) (x or y) / (sum_v s_v (x or y)),   s = counts / their sum.

    Raises:
        InputError: for items of too many different counts.
    """
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
