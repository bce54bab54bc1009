"""Multipliers of the rows of a stated program, unrolled from the prices of a proof.

A proof names multipliers on rows of properties, and either multipliers on privacy rows or prices y of the columns, with
which the kernel finds the least value V_i of each row i over all private rows. Here the same value comes from
multipliers (`mechdesign.certificate.by_rows`), put on `c_j = R[i,j] - y[j]`, R the cost less the multipliers of
properties (under S: less those that even out R and its rotation).

A negative V_i is taken off the prices. What is left of every entry's cost is then at least 0, the multiplier of its
bound `P[i,j] >= 0`, and the multipliers times the right sides add up to the bound that the kernel proved.
"""

from collections.abc import Sequence
from fractions import Fraction

from mechdesign.certificate.by_rows import payments
from mechdesign.designs import Design
from mechdesign.errors import RefusedError
from mechdesign.exports.stated_lp import StatedLP, TwoTermRows, WideRows
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact, to_fraction
from mechdesign.rational import nearest_float
from mechdesign.verify.certificates import Certificate

RowMultipliers = dict[int, Exact]
"""The multipliers that are not 0, by the number of the row; negative ones on equalities alone."""


def row_multipliers(design: Design, program: StatedLP) -> RowMultipliers:
    """Return multipliers on the rows of a design's program that combine to `objective >= lower_bound`.

    Raises:
        RefusedError: if they do not, which would be a fault here or in the kernel.
    """
    problem, proof = design.problem, design.certificate
    prices = proof.get("prices")
    unit = to_exact(problem.rescaling / proof.scale)
    account = _Account(program, proof)
    for kind, i, j, k, h, m in proof["rows"]:
        account.put(kind, i * problem.size + j, k * problem.size + h, m * unit)
    if problem.asks_rotation:
        account.even_out()
    if prices is None:
        account.charge([min(account.left[j :: problem.size]) for j in range(problem.size)])
    else:
        account.charge([y * unit for y in prices])
        account.charge(account.unroll())
    return account.balanced(design.lower_bound)


class _Account:
    """The multipliers put on rows, and `left`, the rest of the cost of each entry."""

    def __init__(self, program: StatedLP, proof: Certificate) -> None:
        problem = program.problem
        size = problem.size
        self.program, self.size = program, size
        self.multipliers: RowMultipliers = {}
        own = proof.get("prior")
        chances = problem.prior.weights(size) if own is None else own
        factors = [to_exact(problem.rescaling * chance) for chance in chances]
        loss = problem.loss.matrix(size)
        self.left = [factor * to_exact(x) for row in loss for factor, x in zip(factors, row, strict=True)]
        self._ratios = {
            block.ratio: to_exact(block.ratio) for block in program.blocks if isinstance(block, TwoTermRows)
        }
        self._first_floor = {
            block.kind: start
            for start, block in zip(program.starts, program.blocks, strict=True)
            if isinstance(block, WideRows) and block.kind not in ("sum", "loss")
        }
        if own is not None:
            first = program.start_of("loss")
            for j, chance in enumerate(own):
                self.add(first + j, to_exact(chance))

    def add(self, number: int, m: Exact) -> None:
        """Add to the multiplier of a row; what the row takes off the costs is the caller's business."""
        if m:
            self.multipliers[number] = self.multipliers.get(number, ZERO) + m

    def put(self, kind: str, upper: int, lower: int, m: Exact) -> None:
        """Put a multiplier m on the row `P[upper] >= ratio P[lower]` of a kind, or on a floor or an equality."""
        if kind in self._first_floor:
            self.add(self._first_floor[kind] + upper // self.size, m)
            self.left[upper] -= m
        elif not self._put_pair(kind, upper, lower, m) and not self._put_pair(kind, lower, upper, -m):
            self._put_pair(kind, 0, lower, m)  # F compares each entry of the diagonal with the first
            self._put_pair(kind, 0, upper, -m)

    def _put_pair(self, kind: str, upper: int, lower: int, m: Exact) -> bool:
        found = self.program.find_pair(kind, upper, lower)
        if found is None:
            return False
        number, ratio = found
        self.add(number, m)
        self.left[upper] -= m
        self.left[lower] += self._ratios[ratio] * m
        return True

    def even_out(self) -> None:
        """Make what is left of each entry and of its rotation equal, by the rows of S."""
        last = self.size**2 - 1
        kind = next(prop.kind for prop in self.program.problem.required if prop.is_rotation)
        for entry in range(last // 2 + 1):
            half = (self.left[entry] - self.left[last - entry]) / 2
            if half:
                self.put(kind, entry, last - entry, half)

    def unroll(self) -> list[Exact]:
        """Pay by rows for what prices, already charged, leave; return what they were too high: minus so much a column.

        For row i that is the least value V_i that the kernel finds, where it is negative.
        """
        size, short = self.size, [ZERO] * self.size
        for i in range(size):
            inputs = slice(i * size, (i + 1) * size)
            for row in payments(self.program.problem, i, self.left[inputs]):
                self.put(row.kind, row.i * size + row.j, row.k * size + row.h, row.m)
            short = [total + min(value, ZERO) for total, value in zip(short, self.left[inputs], strict=True)]
        return short

    def charge(self, prices: Sequence[Exact]) -> None:
        """Put prices on the column sums."""
        first = self.program.start_of("sum")
        for j, price in enumerate(prices):
            if price:
                self.add(first + j, price)
                for entry in range(j, self.size**2, self.size):
                    self.left[entry] -= price

    def balanced(self, bound: Fraction) -> RowMultipliers:
        """Put what is left on the bounds of the entries; refuse if that is negative, or the sum is not the bound."""
        for entry, value in enumerate(self.left):
            if value < 0:
                raise RefusedError(f"refused: the rows' multipliers leave entry {self.program.places[entry]} unpaid")
            self.add(entry, value)
        proved = to_fraction(sum((m * rhs for m, rhs in self._right_sides()), ZERO))
        if proved != bound:
            raise RefusedError(
                f"refused: the rows' multipliers prove {nearest_float(proved):.12g}, "
                f"the kernel {nearest_float(bound):.12g}"
            )
        return {number: m for number, m in sorted(self.multipliers.items()) if m}

    def _right_sides(self) -> list[tuple[Exact, Exact]]:
        """List multipliers with right sides, where these are not 0."""
        found = []
        for start, block in zip(self.program.starts, self.program.blocks, strict=True):
            if isinstance(block, WideRows):
                for number, row in enumerate(block.rows, start=start):
                    if row.rhs and number in self.multipliers:
                        found.append((self.multipliers[number], to_exact(row.rhs)))
        return found
