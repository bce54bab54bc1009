"""The dual of a layered law: one lower bound for every number of people, in integers.

Notation of `layers`. Prices `s_j` of inputs j < B and `s + tau_j` from B on, `tau_j = (k0 + k1 j) a^j`; for j < B let
`tau_j = s_j - s`. Multipliers stand on rows of properties among outputs < B and inputs <= B, and on their mirror
images. As in `kernel`, prices prove the bound `sum_j S_j` (and what the floors of WH add) where no private row x has a
negative `sum_j (loss - S_j - coefficients) x_j`. L0: `tau_j = 0` from B on, `S_j = s + tau_j + tau_(n-j)`. A walk from
one end arrives beyond B with V, and `v -> 1 - s + a v` leads towards 1/(1+a). So V >= 1/(1+a) pays for every far output
(G), and outputs < B see at least 1/(1+a) from input B on. Both are free of n, and so is the bound.

L1, L2: k0 and k1 are such that all outputs >= B ask for one and the same inequality on the half line, (G). That a far
row's cheapest x is geometric needs C1 to C4: the tail is at most 0 and its steps lie in [0, 1] from J on; outputs from
I on lose at least the price at inputs < J. Outputs below I are walked, C5. At n >= n0 = max(2I-1, 2J) the two tails
overlap, and the prices of inputs m and n-m are lowered by the least delta such that `delta >= a^m theta`, and for i < J

    min over x with x_J = 1 of sum_(j<J) x_j (|i-j|^power - s - tau_j - coefficient + t_j) + delta x_m + right_i  >=
        (a^(2i-J) + a^(n-J)) theta + sum_(j<J) a^(|i-j|+i-J) t_j,

where `t_j = |tau_(n-j)|`, `theta = sum_(k>0) a^k |tau_(n+k)|` and right_i is the geometric rest from J on. (The value
at n of a row is its value on the half line, plus what lower prices at the far end add, less what is cut off there. By
`sum_j a^|i-j| (|i-j|^power - s) = 0` over all integers, the cut is at most the right side.) Below n0 all rows are
walked. Then the losses of all columns sum to at least `(n+1) s + 2 E' + 2 sum_(j>n) |tau_j| - 2 delta`, with E' the sum
of all tau_j and of t times the multipliers of WH. Powers of a at n are enclosed by integers over a power of two.

With penalties the loss is h(e) = w_0 + w_1 e + w_2 e^2 for e > 0, h(0) = 0, with whole w >= 0. What is summed in closed
form, s, k0 and k1 are then such sums of those of L0, L1 and L2. The argument needs of the loss that it vanishes at 0
and grows by at least as much at each step as prices do from J on: by w_1 + w_2, where they grew by at most 1 above.
Outputs from I on may then lose less than the price at some inputs < J: it is enough that a walk along the geometric row
carries no negative number from one of these to the next, with prices rounded up. (Losses grow with i, so that this is
so of all outputs from I on. From J on costs fall up to i, and what is carried, once negative, would stay so.)
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, lcm
from operator import mul

from .certificates import LAYER, Certificate
from .enclosures import power_bounds, rounded_down
from .kernel import Multiplier
from .layers import LARGEST_N, MOST_DEPTH, PROPERTIES, ahead, bulk_loss, geometric_moments, work_fault

ASKED = frozenset(PROPERTIES) - {"F"}
"""What a layered law may be asked for."""

FARTHEST = 1024
"""I is at most this."""

GUARD = 256

NO_PENALTIES = (0, 0, 0)


Penalties = tuple[int, int, int]


def counted(powers: Iterable[int], penalties: Iterable[int]) -> Penalties:
    """Count how often L0, L1 and L2 are added, given the penalties of losses of some powers."""
    found = [0, 0, 0]
    for power, penalty in zip(powers, penalties, strict=True):
        found[power] += penalty
    return found[0], found[1], found[2]


@dataclass(frozen=True)
class LayerDual:
    """Prices of the outermost inputs and multipliers, over one denominator; `lowered` is the input m of L1 and L2.

    `penalties` are how often L0, L1 and L2 are added to the loss.
    """

    alpha: Fraction
    depth: int
    denominator: int
    prices: tuple[int, ...]
    multipliers: tuple[Multiplier, ...]
    lowered: int = 0
    penalties: Penalties = NO_PENALTIES

    @classmethod
    def of(cls, alpha: Fraction, certificate: Certificate, penalties: Penalties = NO_PENALTIES) -> "LayerDual":
        """Take the arrays of a certificate, at an alpha."""
        prices, (lowered,) = certificate["prices"], certificate.get("lowered") or (0,)
        return cls(alpha, len(prices), certificate.scale, prices, certificate["rows"], lowered, penalties)

    def certificate(self, power: int) -> Certificate:
        """Return the dual as it travels with a law."""
        lowered = {"lowered": (self.lowered,)} if power or any(self.penalties) else {}
        return Certificate(LAYER, self.denominator, {"prices": self.prices, "rows": self.multipliers, **lowered})


def bulk_price(dual: LayerDual, power: int) -> Fraction:
    """Compute s, the price of an input far from both ends."""
    return _half_line(dual, power).bulk


def price_tails(dual: LayerDual, power: int, size: int) -> list[Fraction]:
    """List tau_j of the inputs j < size: the price at one end beyond that of an input far from both ends."""
    line = _half_line(dual, power)
    head = [Fraction(price, dual.denominator) - line.bulk for price in dual.prices[:size]]
    return head + [-line.fall(j) * line.a**j for j in range(dual.depth, size)]


def dual_excess(dual: LayerDual, power: int, properties: Collection[str]) -> tuple[Fraction, Fraction]:
    """Compute E'0 and E'1: `E' = E'0 + E'1/(n+1)`. E'1 is the sum of the multipliers of WH.

    Raises:
        ValueError: saying which condition on the dual does not hold.
    """
    return _proof(dual, power, frozenset(properties)).excess


def proved_from(dual: LayerDual, power: int) -> int:
    """Compute n0, from which on no rows are walked at n; 2B-1 for L0 alone.

    Raises:
        ValueError: where there is none.
    """
    line = _half_line(dual, power)
    return max(2 * line.far - 1, 2 * line.near) if line.rise else 2 * dual.depth - 1


def bound_sum(dual: LayerDual, power: int, properties: Collection[str], n: int) -> Fraction:
    """Compute what is proved of the sum of the losses of all columns at n >= 2B-1; rounded down for L1 and L2.

    Raises:
        ValueError: saying which condition on the dual does not hold.
    """
    proof, line = _proof(dual, power, frozenset(properties)), _half_line(dual, power)
    if not 2 * dual.depth - 1 <= n <= LARGEST_N:
        raise ValueError(f"a dual of depth {dual.depth} stands for n from {2 * dual.depth - 1} on")
    about = (n + 1) * line.bulk + 2 * (proof.excess[0] + proof.excess[1] / (n + 1))
    if not line.rise:
        return about
    if dual.lowered > n:
        raise ValueError("the lowered input is none")
    lowering, bits = proof.lowering(n) if n >= proved_from(dual, power) else proof.walked_lowering(n)
    low, _ = power_bounds(line.a, n + 1, bits)
    a0, a1, *_ = geometric_moments(line.a)
    saved = floor(low * (line.fall(n + 1) * a0 + abs(line.k1) * a1))
    return rounded_down(about + Fraction(2 * (saved - lowering), 1 << bits))


@lru_cache(maxsize=16)
def _half_line(dual: LayerDual, power: int) -> "_HalfLine":
    return _HalfLine(dual, power)


@lru_cache(maxsize=16)
def _proof(dual: LayerDual, power: int, properties: frozenset[str]) -> "_Proof":
    return _Proof(_half_line(dual, power), dual, properties)


class _HalfLine:
    """The prices on the inputs 0, 1, 2, ..., and how far the walks go: `near` is J, `far` is I.

    `weights` are w_0, w_1 and w_2 of the loss, and `rise` the sum of the last two.
    """

    def __init__(self, dual: LayerDual, power: int) -> None:
        if power not in (0, 1, 2) or not 0 < dual.alpha < 1:
            raise ValueError("alpha, or the power, is out of range")
        integers = [dual.depth, dual.denominator, dual.lowered, *dual.prices]
        integers += [*dual.penalties, *(x for row in dual.multipliers for x in row[1:])]
        if any(type(x) is not int for x in integers) or dual.denominator <= 0:
            raise ValueError("the dual is not of integers over a positive denominator")
        if not 1 <= dual.depth <= MOST_DEPTH or len(dual.prices) != dual.depth:
            raise ValueError("the prices are not as many as the depth")
        if len(dual.penalties) != len(NO_PENALTIES) or min(dual.penalties) < 0:
            raise ValueError("a penalty is negative, or there is another number of them")
        self.is_sum = any(dual.penalties)
        self.weights = [penalty + (k == power) for k, penalty in enumerate(dual.penalties)]
        self.rise, self.depth, self.a = sum(self.weights[1:]), dual.depth, dual.alpha
        if not self.rise and self.weights[0] > 1:
            raise ValueError("L0 stands twice")
        self.prices, self.unit = dual.prices, dual.denominator
        self.p, self.q = dual.alpha.as_integer_ratio()
        self.longest = max(map(int.bit_length, integers))
        self._require_work(dual.depth)
        self.bulk = sum((w * bulk_loss(self.a, k) for k, w in enumerate(self.weights)), Fraction(0))
        self.q0, self.q1 = self.a**2 / (1 - self.a**2), self.a**2 / (1 - self.a**2) ** 2
        a0, a1, *_ = self.moments = geometric_moments(self.a)
        _, linear, square = self.weights
        self.k1 = -2 * square * self.a * a0
        self.k0 = -linear * self.a * a0 - (self.k1 / 2 + self.k1 * self.q0 + 2 * square * self.a * (a0 + a1))
        self.near = self.far = dual.depth
        if self.rise:
            self._find_reach()
        if not 0 <= dual.lowered <= (self.near if self.rise else 0):
            raise ValueError("the lowered input is none")

    def _require_work(self, reach: int) -> None:
        if reach > FARTHEST:
            raise ValueError(f"the walks go beyond {FARTHEST} inputs")
        fault = work_fault(reach, self.a, self.longest)
        if fault:
            raise ValueError(fault)

    def loss(self, distance: int) -> int:
        """Compute the loss of an output at a distance."""
        constant, linear, square = self.weights
        return constant * (distance > 0) + linear * distance + square * distance**2

    def losses_ahead(self, d: int) -> Fraction:
        """Compute `sum_(k>=0) a^k loss(d+k)`."""
        sums = (w * ahead(self.moments, d, k) for k, w in enumerate(self.weights))
        return sum(sums, Fraction(0)) - self.weights[0] * (d == 0)

    def fall(self, j: int) -> Fraction:
        """Return K_j: beyond the depth the price is `s - K_j a^j`."""
        return -(self.k0 + self.k1 * j)

    def _find_reach(self) -> None:
        """Find J and I: conditions C1 to C4."""
        a, slope, half = self.a, abs(self.k1), self.bulk / 2
        if self.fall(self.depth) < 0:
            raise ValueError("condition C1: the tail of the prices is above s")
        while True:  # C2: the steps of the prices from J on are in [0, rise]
            step = (1 - a) * self.fall(self.near) - a * slope
            if step >= a * slope and a**self.near * step <= self.rise:
                break
            self.near += 1
            self._require_work(self.near)
        prices = [-(-x // self.unit) for x in self.prices]
        prices += [ceil(self.bulk - self.fall(m) * a**m) for m in range(self.depth, self.near)]
        if self.is_sum:  # C3 for a sum of losses: the geometric row has no negative carry at inputs < J
            reach = range(self.near, FARTHEST + 1)
            self.far = self.near + bisect_left(reach, True, key=lambda i: self._has_no_debt(i, prices))
        else:
            roots = [bisect_left(range(FARTHEST + 1), x, key=self.loss) for x in prices]
            self.far = max(self.near, *(m + x for m, x in enumerate(roots)))
        self._require_work(self.far)
        while a**self.far * (self.fall(self.far) * (1 + self.q0) + slope * self.q1) > half:  # C4
            self.far += 1
            self._require_work(self.far)

    def _has_no_debt(self, i: int, prices: Sequence[int]) -> bool:
        """Return whether the geometric walk over an output's losses less prices carries no negative number."""
        top, power = 0, 1
        for j, price in enumerate(prices):
            top = top * self.p + (self.loss(i - j) - price) * power
            if top < 0:
                return False
            power *= self.q
        return True

    def scaled_prices(self) -> tuple[list[int], int]:
        """Return the prices of inputs < I, as (integers, their unit)."""
        p, q, far = self.p, self.q, self.far
        fall = Fraction(1, lcm(self.bulk.denominator, self.k0.denominator, self.k1.denominator))
        unit = lcm(self.unit, fall.denominator * q**far) if far > self.depth else self.unit
        bulk = int(self.bulk * unit) if far > self.depth else 0
        scale = unit // q**far if far > self.depth else 0
        tail = [bulk - int(self.fall(j) * scale) * p**j * q ** (far - j) for j in range(self.depth, far)]
        return [price * (unit // self.unit) for price in self.prices] + tail, unit

    def right(self, i: int, m: int) -> tuple[int, int]:
        """Compute `sum_(j>=m) a^(j-m) (loss(j-i) - price_j)` for m >= i and m >= B, as (numerator, denominator)."""
        bulk = self.losses_ahead(m - i) - self.bulk * self.moments[0]
        tail = self.fall(m) / (1 - self.a**2) + abs(self.k1) * self.q1
        low, high = self.p**m, self.q**m
        top = bulk.numerator * tail.denominator * high + tail.numerator * bulk.denominator * low
        return top, bulk.denominator * tail.denominator * high

    def gain(self) -> Fraction:
        """Compute the left side of (G) times a^(B-1), which is at most 0; for L1 and L2."""
        p, q, b = self.p, self.q, self.depth
        weights: list[int] = [q**j * p ** (b - 1 - j) for j in range(b)]
        head = Fraction(sum(map(mul, self.prices, weights)), self.unit) - self.bulk * sum(weights)
        tail = self.k0 * (1 - b) - self.k1 * (b * (b - 1) // 2) + self.k0 * self.q0 + self.k1 * self.q1
        tail += self.a * (self.losses_ahead(1) - self.bulk * self.moments[0])
        return (head + tail * weights[0]) / weights[-1]


class _Proof:
    """The conditions of a dual that are free of n.

    Then the lowering at n is a matter of few walks.
    """

    def __init__(self, line: _HalfLine, dual: LayerDual, properties: frozenset[str]) -> None:
        self.line, self.unit, self.lowered = line, dual.denominator, dual.lowered
        self.coefficients, floors = _coefficients(dual, properties)
        if line.rise:
            self._require_walks()
        else:
            self._require_walks_of_errors()
        a, k0, k1 = line.a, line.k0, line.k1
        a0, a1, *_ = line.moments
        tail = a**line.depth * ((k0 + k1 * line.depth) * a0 + k1 * a1)
        prices = Fraction(sum(dual.prices), dual.denominator)
        self.excess = prices - line.depth * line.bulk + tail, Fraction(floors, dual.denominator)

    def _require_walks_of_errors(self) -> None:
        line, unit, b, prices = self.line, self.unit, self.line.depth, self.line.prices
        p, q = line.p, line.q
        top, bottom = _carried([unit - price for price in prices], p, q)
        if top * (p + q) < unit * bottom * p:
            raise ValueError("condition G: far outputs are not paid for")
        for i, row in enumerate(self.coefficients):
            costs = [unit * (i != j) - price - row[j] for j, price in enumerate(prices)]
            top, bottom = _carried(costs, p, q)
            if (top - row[b] * bottom) * (p + q) + unit * bottom * q < 0:
                raise ValueError(f"condition C5: output {i} is not paid for")

    def _require_walks(self) -> None:
        line = self.line
        if line.gain() > 0:
            raise ValueError("condition G: far outputs are not paid for")
        prices, unit = line.scaled_prices()
        for i in range(line.far):
            root = max(i, line.near)
            costs = [unit * line.loss(abs(i - j)) - price for j, price in enumerate(prices[:root])]
            if i < line.depth:
                for j, x in enumerate(self.coefficients[i][:root]):
                    costs[j] -= x * (unit // self.unit)
            top, bottom = _carried(costs, line.p, line.q)
            rest, one = line.right(i, root)
            left = top - self.coefficient(i, root) * (unit // self.unit) * bottom
            if left * one + rest * bottom * unit < 0:
                raise ValueError(f"condition C5: output {i} is not paid for")
            if line.right(i, root + 1)[0] < 0:
                raise ValueError(f"condition C5: beyond input {root} output {i} is not paid for")

    def coefficient(self, i: int, j: int) -> int:
        return self.coefficients[i][j] if i < self.line.depth and j <= self.line.depth else 0

    def _costs(self, i: int, prices: Sequence[int], bits: int) -> list[int]:
        """List the costs of an output times 2^bits, rounded down; the prices are scaled and rounded up."""
        losses = [(self.line.loss(abs(i - j)) << bits) - price for j, price in enumerate(prices)]
        if i >= self.line.depth:
            return losses
        return [x + (-self.coefficient(i, j) * (1 << bits) // self.unit) for j, x in enumerate(losses)]

    def lowering(self, n: int) -> tuple[int, int]:
        """Compute a sufficient delta at n >= n0, as (x, bits) for `x / 2^bits`."""
        line, m, near = self.line, self.lowered, self.line.near
        bits, rows, ends, ups = self._frame
        low, high = power_bounds(line.a, n - near, bits)
        one = 1 << bits
        theta = ceil(line.a**near * (line.fall(n) * line.q0 + abs(line.k1) * line.q1) * high)
        falls = [line.a ** (near - j) * line.fall(n - j) for j in range(near)]
        least, most = [floor(x * low) for x in falls], [ceil(x * high) for x in falls]
        marks = [int(j == m) for j in range(near)]
        found = -(-ups[near + m] * theta // one)
        for i in range(near):
            cut = (ups[2 * i] + high) * theta + sum(ups[abs(i - j) + i] * x for j, x in enumerate(most))
            costs = [x + y for x, y in zip(rows[i], least, strict=True)]
            found = _lowering([(costs, marks)], (ends[i] + (-cut // one), int(m == near)), found, line, one)
        return found, bits

    @cached_property
    def _frame(self) -> tuple[int, list[list[int]], list[int], list[int]]:
        """Return bits, the costs of outputs and inputs < J and the rest of these outputs, rounded down, and powers.

        Powers of a from -J to J are rounded up.
        """
        line, near = self.line, self.line.near
        bits = GUARD + 2 * (near + 1) * (line.q.bit_length() - line.p.bit_length() + 1)
        one = 1 << bits
        scaled, unit = line.scaled_prices()
        prices = [-(-x * one // unit) for x in scaled[:near]]
        rows = [self._costs(i, prices, bits) for i in range(near)]
        ends = []
        for i in range(near):
            top, bottom = line.right(i, near)
            ends.append(top * one // bottom + (-self.coefficient(i, near) * one // self.unit))
        return bits, rows, ends, [ceil(line.a**e * one) for e in range(-near, near + 1)]

    def walked_lowering(self, n: int) -> tuple[int, int]:
        """Compute a sufficient delta at n < n0 by a walk of every row, as (x, bits) for `x / 2^bits`."""
        line, m = self.line, self.lowered
        bits = GUARD + n * (line.q.bit_length() - line.p.bit_length() + 1)
        one = power = 1 << bits
        heads = [-(-x * one // self.unit) - floor(one * line.bulk) for x in line.prices]
        tails = []
        for j in range(n + 1):
            tails.append(heads[j] if j < line.depth else -floor(power * line.fall(j)))
            power = power * line.p // line.q
        bulk = ceil(one * line.bulk)
        prices = [bulk + x + y for x, y in zip(tails, reversed(tails), strict=True)]
        marks = [(j == m) + (j == n - m) for j in range(n + 1)]
        found = 0
        for i in range(n // 2 + 1):
            costs = self._costs(i, prices, bits)
            walks = [(costs[:i], marks[:i]), (costs[:i:-1], marks[:i:-1])]
            found = _lowering(walks, (costs[i], marks[i]), found, line, one)
        return found, bits


def _lowering(
    walks: Sequence[tuple[list[int], list[int]]], root: tuple[int, int], x: int, line: _HalfLine, one: int
) -> int:
    """Find a lowering of at least x with which a private row is not negative; more of it is as good.

    A row is (costs, marks) of the walks to its root, each from its end, and the same of its root; costs are rounded
    down, and x times the marks is added to them. The least value is concave in x, and so is met from below along its
    slopes, which are rounded down.

    Raises:
        ValueError: where no lowering is enough.
    """
    while True:
        value, slope = root[0] + root[1] * x, root[1] * one
        for costs, marks in walks:
            reached, rise = _lowered(costs, marks, x, line, one)
            value, slope = value + reached, slope + rise
        if value >= 0:
            return x
        if slope <= 0:
            raise ValueError("the lowered input pays for too little")
        x += -(value * one // slope)


def _lowered(costs: list[int], marks: list[int], x: int, line: _HalfLine, one: int) -> tuple[int, int]:
    """Return the least value that a walk carries into its root, and its slope in x over `one`, both rounded down."""
    value, slope, p, q = 0, 0, line.p, line.q
    for cost, mark in zip(costs, marks, strict=True):
        value, slope = value + cost + mark * x, slope + mark * one
        if value >= 0:
            value, slope = value * p // q, slope * p // q
        else:
            value, slope = value * q // p, slope * q // p
    return value, slope


def _carried(costs: Sequence[int], p: int, q: int) -> tuple[int, int]:
    """Return the least value that a walk along private entries carries into its root, as (numerator, denominator)."""
    top, bottom = 0, 1
    for cost in costs:
        top += cost * bottom
        top, bottom = (top * p, bottom * q) if top > 0 else (top * q, bottom * p)
    return top, bottom


def _coefficients(dual: LayerDual, properties: frozenset[str]) -> tuple[list[list[int]], int]:
    """Sum the multipliers times the coefficients of their rows, by output < B and input <= B, and those of WH.

    Raises:
        ValueError: for one that is not positive, stands twice, or stands on a row that the problem does not have.
    """
    unknown = properties - ASKED
    if unknown:
        raise ValueError(f"a layered law cannot have the property {min(unknown)}")
    b = dual.depth
    found = [[0] * (b + 1) for _ in range(b)]
    floors, seen = 0, set()
    for kind, i, j, k, h, m in dual.multipliers:
        exists = {
            "RH": i == j == k != h,
            "CH": i == j == h != k,
            "RM": i == k and abs(j - h) == 1 and abs(j - i) < abs(h - i),
            "CM": j == h and abs(i - k) == 1 and abs(i - j) < abs(k - j),
            "WH": i == j == k == h,
        }
        inside = min(i, j, k, h) >= 0 and max(i, k) < b and max(j, h) <= b
        if kind not in properties or not inside or not exists.get(kind, False):
            raise ValueError(
                f"there is no row {kind if kind in exists else 'of such a kind'} on ({i},{j}) and ({k},{h})"
            )
        if m <= 0:
            raise ValueError("a multiplier is not positive")
        if (kind, i, j, k, h) in seen:
            raise ValueError(f"the row {kind} on ({i},{j}) and ({k},{h}) stands twice")
        seen.add((kind, i, j, k, h))
        found[i][j] += m
        if kind == "WH":
            floors += m
        else:
            found[k][h] -= m
    return found, floors
