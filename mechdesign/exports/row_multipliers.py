"""Put the proof of a design on the rows of its stated program, prices unrolled to multipliers of rows.

A proof names multipliers on rows of properties, and either multipliers on privacy rows or prices y of the columns, with
which the kernel finds the least value V_i of each row i over all private rows. Here the same value comes from
multipliers. Let `c_j = R[i,j] - y[j]`, R the cost less the multipliers of properties (under S: less those that even out
R and its rotation).

- Inputs on a path: walk from each end towards i, at j with t the next input. `c_j > 0` goes on `P[i,j] >= a P[i,t]`,
  which adds `a c_j` to c_t. `c_j < 0` goes on `P[i,t] >= P[i,j]` where RM is asked, adding c_j, else on
  `P[i,t] >= a P[i,j]`, adding `c_j / a`. What arrives at i is V_i.
- All inputs neighbours: positive c_j pay for negative c_l by `P[i,j] >= a P[i,l]`, each l in turn; what is not paid for
  adds up to -V_i. Where RM is asked, negative c_j are carried to i as on the path, and positive ones go on
  `P[i,j] >= a P[i,i]` at once.

A negative V_i is taken off the prices. What is left of every entry's cost is then at least 0, the multiplier of its
bound `P[i,j] >= 0`, and the multipliers times the right sides add up to the bound that the kernel proved.
"""

from collections.abc import Sequence
from fractions import Fraction

from mechdesign.certificate.proof import DualProof
from mechdesign.designs import Design
from mechdesign.errors import RefusedError
from mechdesign.exports.stated_lp import StatedLP, TwoTermRows, WideRows
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.exact.numbers import ZERO, Exact, to_exact, to_fraction
from mechdesign.rational import nearest_float

RowMultipliers = dict[int, Exact]
"""The multipliers that are not 0, by the number of the row; negative ones on equalities alone."""


def row_multipliers(design: Design, program: StatedLP) -> RowMultipliers:
    """Return multipliers on the rows of a design's program that combine to `objective >= lower_bound`.

    Raises:
        RefusedError: if they do not, which would be a fault here or in the kernel.
    """
    problem, proof = design.problem, design.proof
    unit = to_exact(problem.rescaling / proof.denominator)
    account = _Account(program, proof)
    for kind, i, j, k, h, m in proof.multipliers:
        account.put(kind, i * problem.size + j, k * problem.size + h, m * unit)
    if problem.asks_rotation:
        account.even_out()
    if proof.prices is None:
        prices = [min(account.left[j :: problem.size]) for j in range(problem.size)]
        account.charge(prices)
    else:
        account.charge([y * unit for y in proof.prices])
        account.charge(_Unrolling(account, problem).unpaid())
    return account.balanced(design.lower_bound)


class _Account:
    """Keep the multipliers put on rows, and `left`, what they leave of the cost of each entry."""

    def __init__(self, program: StatedLP, proof: DualProof) -> None:
        problem = program.problem
        size = problem.size
        self.program, self.size = program, size
        self.multipliers: RowMultipliers = {}
        chances = problem.prior.weights(size) if proof.prior is None else proof.prior
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
        if proof.prior is not None:
            first = program.start_of("loss")
            for j, chance in enumerate(proof.prior):
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
        kind = next(prop.kind for prop in self.program.problem.asked if prop.is_rotation)
        for entry in range(last // 2 + 1):
            half = (self.left[entry] - self.left[last - entry]) / 2
            if half:
                self.put(kind, entry, last - entry, half)

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


class _Unrolling:
    """Unroll the prices of columns, which have been charged, to multipliers of privacy rows and of RM."""

    def __init__(self, account: _Account, problem: DesignProblem) -> None:
        self.account, self.size = account, problem.size
        self.is_path = problem.graph.is_path
        rows_fall = (prop.kind for prop in problem.asked if prop.is_monotone and not prop.compares_rows)
        self.monotone = next(rows_fall, None)
        lengths = [edge[2] for edge in problem.graph.edges or ()] if self.is_path else [1]
        powers = {d: to_exact(problem.step_alpha_below**d) for d in set(lengths)}
        self.steps = [powers[d] for d in lengths]

    def unpaid(self) -> list[Exact]:
        """Walk along every row; return what the prices were too high, as negative numbers for each column."""
        short = [ZERO] * self.size
        for i in range(self.size):
            if self.is_path or self.monotone is not None:
                for j in range(self.size - 1, i, -1):
                    self._move(i, j, j - 1)
                for j in range(i):
                    self._move(i, j, j + 1)
            else:
                self._match(i)
            row = self.account.left[i * self.size : (i + 1) * self.size]
            short = [total + min(value, ZERO) for total, value in zip(short, row, strict=True)]
        return short

    def _move(self, i: int, j: int, t: int) -> None:
        """Move what is left of the entry (i, j) towards i: to the next input t, or to i itself."""
        here, next_, own = i * self.size + j, i * self.size + t, i * (self.size + 1)
        value = self.account.left[here]
        if value > 0:
            self.account.put("DP", here, next_ if self.is_path else own, value)
        elif value < 0 and self.monotone is not None:
            self.account.put(self.monotone, next_, here, -value)
        elif value < 0:
            self.account.put("DP", next_, here, -value / self.steps[min(j, t)])

    def _match(self, i: int) -> None:
        """Let positive entries of row i pay for negative ones, each in turn."""
        alpha, left = self.steps[0], self.account.left
        row = range(i * self.size, (i + 1) * self.size)
        paying = [entry for entry in row if left[entry] > 0]
        for owing in [entry for entry in row if left[entry] < 0]:
            while paying and left[owing] < 0:
                payer = paying[-1]
                amount = min(left[payer], -left[owing] / alpha)
                self.account.put("DP", payer, owing, amount)
                if not left[payer]:
                    paying.pop()
