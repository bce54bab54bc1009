"""Collisions of linear hashes: how shares at a given distance go together.

The distance of two items is their exclusive or, as linear hashes see it: x and y share a place where `h(x XOR y) = 0`.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Centred, Intervals, Queries, written_parts
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.contrasts.side_energies import block_products
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.kernels.walsh import walsh_hadamard, walsh_hadamard_of_columns
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MOST_STEPS = 1 << 34
"""Numbers that queries other than intervals may take through a transform: some minutes."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """`a(d) = sum_x f_x f_(x XOR d)` of the shares of k items, for all distances d; shape (2^bits,).

    The squares of `g(d) = sum_x f_x w_(x XOR d)` then add up to `E = sum_(v,w) w_v w_w a(v XOR w)`, for any query w.
    """

    values: Floats

    @classmethod
    def of(cls, shares: Floats) -> "Correlations":
        """Compute them from the shares."""
        return cls(_correlate(shares, shares))

    @classmethod
    def estimated(cls, estimates: Floats, moments: Moments, users: int, places: int) -> "Correlations":
        """Estimate them from unbiased estimates of the shares, unbiased.

        Two estimates have the covariance `noise/n + (a(d) - f_u f_v)/h`, d = u XOR v, so products of estimates have in
        the mean `a(d) (1 + (m(d) - 1)/h) + noise(d)/n`, where m(d) is the number of items whose partner at the distance
        d is an item as well, F(d) the share of their users, and the noise by `moments` adds up to

            others (m - 2 F) + 2 own_other F   for d != 0,   other (k - 1) + own   for d = 0.

        All a(d) together are 1, the square of the sum of shares: what is missing is spread evenly.
        """
        k = len(estimates)
        ones = np.ones(k)
        partners, partnered = np.rint(_correlate(ones, ones)), _correlate(estimates, ones)
        noise = float(moments.others) * (partners - 2 * partnered) + 2 * float(moments.own_other) * partnered
        noise[0] = float(moments.other) * (k - 1) + float(moments.own)
        there = partners > 0
        found = np.zeros(len(partners))
        own = _correlate(estimates, estimates) - noise / users
        found[there] = own[there] / (1 + (partners[there] - 1) / places)
        return cls(found + (1 - found.sum()) / len(found))

    def energy(self, queries: Queries) -> Floats:
        """Compute E for each query; shape (q,). For intervals in O(bits) a query, else by a transform of each.

        Raises:
            InputError: for too many queries to transform.
        """
        if isinstance(queries, Centred):  # E is a quadratic form, and all weights together make the form of a constant
            means, whole = queries.means, self.of_constant(queries.k)
            crossed = queries.queries.apply(whole)
            centred: Floats = self.energy(queries.queries) - 2 * means * crossed + means**2 * whole.sum()
            return centred
        if isinstance(queries, Intervals):
            first, end = queries.first, queries.last + 1
            return self._below(end, end) + self._below(first, first) - 2 * self._below(first, end)
        size = len(self.values)
        if len(queries) * size > MOST_STEPS:
            raise InputError(
                f"queries other than intervals must be at most {MOST_STEPS // size} for collisions, got {len(queries)}"
            )
        spectrum = _transformed(self.values, size)
        energies = [np.zeros(0)]
        for weights in written_parts(queries):
            padded = np.zeros((size, len(weights)))
            padded[: queries.k] = weights.T
            energies.append(spectrum @ walsh_hadamard_of_columns(padded) ** 2 / size)
        return np.concatenate(energies)

    def of_constant(self, k: int) -> Floats:
        """Return `sum_w a(v XOR w)` over all k items w, for each item v; shape (k,)."""
        return _correlate(self.values, np.ones(k))[:k]

    def energy_of_items(self) -> float:
        """Return E of any item by itself, a(0)."""
        return float(self.values[0])

    def _below(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        """Add up `a(v XOR w)` over all v below `first` and w below `second`; shape (q,).

        Both are cut into aligned blocks, one for each of their ones in binary. Over two of them `v XOR w` runs through
        one aligned block of the larger size, `2^s`, as often as the smaller has items. All smaller blocks of an end
        have the same high bits and together its low bits, `end mod 2^s`, items; a block of its own has bit s turned.
        """
        found = np.zeros(len(first))
        for s, blocks in enumerate(self._blocks):
            ones = first >> s & 1, second >> s & 1
            low = first & (1 << s) - 1, second & (1 << s) - 1
            apart = (first ^ second) >> s & len(blocks) - 1
            found += (ones[0] * low[1] + low[0] * ones[1]) * blocks[apart ^ min(1, len(blocks) - 1)]
            found += (ones[0] & ones[1]) * float(1 << s) * blocks[apart]
        return found

    @cached_property
    def _blocks(self) -> list[Floats]:
        """Sums of a(d) over aligned blocks of 1, 2, 4, .. distances, up to all of them."""
        blocks = [self.values]
        while len(blocks[-1]) > 1:
            blocks.append(blocks[-1].reshape(-1, 2).sum(axis=1))
        return blocks


def mean_energy_at_uniform_shares(workload: Workload) -> Fraction:
    """Compute the mean of E over a workload's queries where each of the k items has the share 1/k, exactly.

    `k^2 a(d)` is then the number of items whose partner at the distance d is an item. It depends on the highest one of
    d alone, bit s: of the items cut into blocks of `2^(s+1)`, all in whole blocks have a partner; of the last r those
    of the second half and theirs in the first have one, `2 (r - 2^s)` where that is above 0. All distances below `2^s`
    together are within the tiles of `2^s` items.
    """
    k = workload.k
    within = workload.block_energy(1)
    energy = k * within
    for s in range((k - 1).bit_length()):
        wider = workload.block_energy(2 << s)
        energy += _partnered(k, s) * (wider - within)
        within = wider
    return Fraction(energy, k**2) / workload.count


def _partnered(k: int, s: int) -> int:
    """Count the items with a partner among k items at a distance whose highest one is bit s."""
    rest = k % (2 << s)
    return k - rest + max(0, 2 * (rest - (1 << s)))


def mean_centred_energy_at_uniform_shares(workload: Workload) -> float:
    """Compute the mean of E over a workload's centred queries where each of the k items has the share 1/k.

    With C the matrix that takes the mean off, that is `tr(C a C W'W)` over their number, a(v XOR w) in its row and
    column: `tr(a W'W) - (2/k) (a1)'(W'W 1) + (1/k^2) (1'a 1)(1'W'W 1)`.

    All rows of `a` in a block have the same sum: blocks have as many items as the ones of k in binary say. Items of two
    blocks are at a distance whose highest one is that of the larger block.
    """
    k = workload.k
    bits = [bit for bit in reversed(range(k.bit_length())) if k >> bit & 1]
    rows = [
        sum((1 << other) * _partnered(k, max(bit, other)) for other in bits if other != bit)
        + sum((1 << s) * _partnered(k, s) for s in range(bit))
        + k
        for bit in bits
    ]
    sizes, constant = [1 << bit for bit in bits], np.array(rows) / k**2
    edges = tuple(itertools.accumulate(sizes, initial=0))
    crossed = float(constant @ block_products(workload, edges).sum(axis=1))
    known = float(constant @ np.array(sizes)) / k**2 * float(workload.block_energy(k))
    return float(mean_energy_at_uniform_shares(workload)) + (known - 2 / k * crossed) / workload.count


def _correlate(left: Floats, right: Floats) -> Floats:
    """Compute `sum_x left_x right_(x XOR d)` for all d."""
    size = 1 << (len(left) - 1).bit_length()
    product = _transformed(left, size) * _transformed(right, size)
    return _transformed(product, size) / size


def _transformed(values: Floats, size: int) -> Floats:
    result = np.zeros(size)
    result[: len(values)] = values
    walsh_hadamard(result)
    return result
