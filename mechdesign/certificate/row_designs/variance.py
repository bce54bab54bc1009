"""The variance of a mechanism of rows: an exact rational, or rigorous bounds.

It is exact where the rational is short.

With integers `rho_r = q + (p - q) b_r` for 1/alpha = p/q, a prior pi/N on the groups and `n_r = pi'b_r`,

    A = N/(q D) sum_r w_r/(N q + (p - q) n_r) rho_r rho_r',      value = tr(G A^-) - sum_g pi_g/N G_gg.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpz, fmpz_mat
from numpy.typing import NDArray

from mechdesign.certificate.row_designs.weights import as_fraction, pivots
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.workloads.merged import MergedWorkload

MOST_EXACT_GROUPS = 32
LONGEST_EXACT = 1 << 17
"""Bits that an exact variance may have, as far as they are foreseen."""

MOST_WORK = 1 << 22
"""Bits of the longest entry of A's integers, times K^2: checkers eliminate that in plain integers (FORMAT.md)."""

PRECISIONS = (256, 512, 1024, 2048)
"""Bits of the balls that are tried."""

NEAR = Fraction(1, 10**12)
"""A ball is narrow enough where its width is less than this part of it."""


@dataclass(frozen=True, eq=False)
class RowInformation:
    """A mechanism of rows with a workload and a prior, and what its reports tell of the answers.

    Attributes:
        merged: the workload on its groups.
        mechanism: with equal letters for the items of each group.
        prior: integers for the groups, for which the linear estimates are best.

    Raises:
        InputError: for rows that tell items of a group apart, or that cannot answer the workload without bias.
    """

    merged: MergedWorkload
    mechanism: RowMechanism
    prior: tuple[int, ...]

    def __post_init__(self) -> None:
        first = [group[0] for group in self.merged.groups]
        ones = self.mechanism.ones
        if not np.array_equal(ones[:, first][:, list(self.merged.group_of)], ones):
            raise InputError("rows must have the same letter for all items that the workload does not distinguish")
        stacked = fmpz_mat([*self._basis.tolist(), *self.merged.integers.tolist()])
        if stacked.rank() != len(self._basis):
            raise InputError("rows must identify every query of the workload, so that unbiased answers exist")

    @cached_property
    def bits(self) -> NDArray[np.uint8]:
        """The rows on the groups, m x K."""
        return self.mechanism.ones[:, [group[0] for group in self.merged.groups]]

    @cached_property
    def _basis(self) -> NDArray[np.uint8]:
        """Rows that span all rows and the constant one, which they span too."""
        stacked = np.vstack([np.ones((1, self.merged.size), dtype=np.uint8), self.bits])
        basis = stacked[pivots(stacked.T)]
        if fmpz_mat(basis.tolist()).rank() != len(basis):  # a rank modulo a prime is never above the rank
            raise NotCertifiedError("not certified: the rank of the rows could not be found")
        return basis

    @cached_property
    def _groups(self) -> list[int]:
        """Groups on whose rows and columns A has its full rank, so that its inverse there is an A^-."""
        return pivots(self._basis)

    @property
    def _entry(self) -> tuple[int, int]:
        """P and q of 1/alpha = p/q."""
        return self.mechanism.alpha.denominator, self.mechanism.alpha.numerator

    @cached_property
    def _whole(self) -> int:
        return sum(self.prior)

    @cached_property
    def _chances(self) -> list[int]:
        """`N q + (p - q) n_r` for each row: `N q` times its probability under the prior."""
        p, q = self._entry
        ones = (self.bits.astype(object) * np.array(self.prior, dtype=object)).sum(axis=1)
        return [self._whole * q + (p - q) * int(n) for n in ones]

    @cached_property
    def _factors(self) -> NDArray[np.object_]:
        """The integers rho, m x K, on all groups; 1/alpha may have more bits than fit machine words."""
        p, q = self._entry
        return np.array([q, p], dtype=object)[self.bits]

    @cached_property
    def _integers(self) -> NDArray[np.object_]:
        """The integers rho, m x |S|, on the groups of full rank."""
        return self._factors[:, self._groups]

    @cached_property
    def _gram(self) -> NDArray[np.object_]:
        return self.merged.integers[np.ix_(self._groups, self._groups)]

    @property
    def _subtracted(self) -> Fraction:
        """`sum_g p_g G_gg`."""
        diagonal = self.merged.integers.diagonal()
        return Fraction(int((np.array(self.prior, dtype=object) * diagonal).sum()), self._whole) / self._unit

    @property
    def _unit(self) -> int:
        return self.merged.denominator

    def exact(self, *, at_length: bool = False) -> Fraction | None:
        """Return the mean of the variance under the prior, exactly; None where it would be long.

        Args:
            at_length: as long as one may be stated, and not only as long as one is written.
        """
        integers = self._exact_information(at_length)
        if integers is None:
            return None
        information, scale = integers
        solved = information.solve(fmpz_mat(self._gram.tolist()))
        trace = as_fraction(sum((solved[i, i] for i in range(solved.nrows())), fmpq(0)))
        return trace / scale / self._unit - self._subtracted

    def _exact_information(self, at_length: bool) -> tuple[fmpz_mat, Fraction] | None:
        """Return A on the groups of full rank as integers, and the factor to take them times; None for long ones."""
        longest = MOST_WORK // self.merged.size**2
        if not at_length:
            longest = min(longest, LONGEST_EXACT // self.merged.size)
            if self.merged.size > MOST_EXACT_GROUPS:
                return None
        common, most = 1, max(self._chances).bit_length()
        for chance in sorted(set(self._chances)):
            common = math.lcm(common, chance)
            if common.bit_length() - most > longest:
                return None
        weights = [w * (common // c) for w, c in zip(self.mechanism.weights, self._chances, strict=True)]
        scaled = fmpz_mat((self._integers * np.array(weights, dtype=object)[:, None]).tolist())
        information = fmpz_mat(self._integers.tolist()).transpose() * scaled
        if max(int(value).bit_length() for row in information.tolist() for value in row) > longest:
            return None
        return information, Fraction(self._whole, self._entry[1] * self.mechanism.denominator * common)

    def bounds(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return bounds below and above the variance v_g for a user of each group, near to one another.

        Raises:
            NotCertifiedError: where no precision makes them near.
        """
        for precision in PRECISIONS:
            with _precision(precision):
                try:
                    low, high = self._enclosed(precision)
                except ZeroDivisionError:  # no inverse at this precision
                    continue
            if all(above - below <= NEAR * abs(below) for below, above in zip(low, high, strict=True)):
                return low, high
        raise NotCertifiedError("not certified: the variance of the mechanism could not be enclosed")

    def _enclosed(self, precision: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Enclose `v_g + G_gg = sum_r theta_r r_g |z_r|^2`, then v_g."""
        squares, error = self._squares(precision)
        weights, shift = self.mechanism.weights, precision
        parts = [
            (w * square << shift) // chance**2 if square > 0 else 0
            for w, square, chance in zip(weights, squares, self._chances, strict=True)
        ]
        more = [((w * error << shift) // chance**2) + 2 for w, chance in zip(weights, self._chances, strict=True)]
        scale = Fraction(self._whole**2, self.mechanism.denominator * self._entry[1] * self._unit << shift + precision)
        factors = self._factors
        sums = (factors * np.array(parts, dtype=object)[:, None]).sum(axis=0)
        slack = (factors * np.array(more, dtype=object)[:, None]).sum(axis=0)
        own = [Fraction(int(value), self._unit) for value in self.merged.integers.diagonal()]
        low = tuple(max(Fraction(0), scale * int(s - e) - g) for s, e, g in zip(sums, slack, own, strict=True))
        return low, tuple(scale * int(s + e) - g for s, e, g in zip(sums, slack, own, strict=True))

    def _squares(self, precision: int) -> tuple[list[int], int]:
        """Return `2^precision rho'M rho` for each row, `M = A^- G A^-` without the unit of G, and how far off it is."""
        middle, error = self._sensitivity(precision)
        rows = fmpz_mat(self._integers.tolist())
        times = np.array([[int(x) for x in row] for row in (rows * middle).tolist()], dtype=object)
        squares = (times * self._integers).sum(axis=1)
        return [int(value) for value in squares], error * (len(self._groups) * self._entry[0]) ** 2

    def _sensitivity(self, precision: int) -> tuple[fmpz_mat, int]:
        """Return `2^precision M` rounded, and the most that an entry is off by."""
        inverse = self._information().inv()
        size = len(self._groups)
        gram = arb_mat(size, size, [arb(int(value)) for value in self._gram.reshape(-1)])
        sensitivity = inverse * gram * inverse
        middle, error = [], 0
        for i in range(size):
            row = []
            for j in range(size):
                ball = sensitivity[i, j] * arb(fmpz(1) << precision)
                nearest = _integer(ball.mid())
                row.append(nearest)
                error = max(error, _integer((ball - nearest).abs_upper()) + 1)
            middle.append(row)
        return fmpz_mat(middle), error

    def _information(self) -> arb_mat:
        """Return A on the groups of full rank."""
        size = len(self._groups)
        rows = arb_mat(fmpz_mat(self._integers.tolist()))
        scaled = [
            arb(int(value)) * arb(w) / arb(chance)
            for line, w, chance in zip(self._integers, self.mechanism.weights, self._chances, strict=True)
            for value in line
        ]
        products = rows.transpose() * arb_mat(len(self.bits), size, scaled)
        return products * (arb(self._whole) / arb(self._entry[1] * self.mechanism.denominator))


def _integer(value: arb) -> int:
    """Return the integer below a number that is given exactly."""
    found = value.floor().unique_fmpz() if value.is_finite() else None
    if found is None:
        raise ZeroDivisionError("no inverse at this precision")
    return int(found)


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    """Compute with balls of so many bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before
