"""The search for the least depth at which a layer and its prices meet.

It is done in floats; both are solved exactly at that depth.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from math import inf, log

from mechdesign.errors import InputError, LimitReachedError, NotCertifiedError
from mechdesign.methods.layers.half_line import (
    Geometric,
    HalfLineProgram,
    Tail,
    layer_program,
    price_program,
)
from mechdesign.methods.layers.remap import best_remap, floor_cost, remap_prices
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.problem.property import Property
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import ZERO, to_fraction
from mechdesign.program.exact.optimum import find_optimum
from mechdesign.program.exact.scaling import Scaling, numeric_program
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.program.solvers.numeric import Basis, Status
from mechdesign.rational import number_text
from mechdesign.verify.layers import MOST_DEPTH

Matrix = tuple[tuple[Fraction, ...], ...]

MEETING = 1e-8
"""Layer and prices are taken to meet, in floats, where their values differ by this part of a column's loss."""

DEEPEST = 128
"""No layer deeper than this is searched: its LP has 16,000 variables and takes a minute."""

HUGE = 1e300
SLACK = 1e-6
"""The LP of a layer ends where its value exceeds that of the prices by this part of a column's loss."""

FLOOR_PARTS = (1, 2, 4, 8)
"""The layer is affine in the floor from 0 up to one over so many times the least n."""

DEPTH_FACTORS = (0.55, 0.9, 1.4)
"""What the depth under L0, L1 and L2 is, at least, in units of `ln(1-a) / ln(a)`; it was seen at alpha to 19/20."""

DEPTH_OF_ROWS = 0.5
"""What the depth of RM without columns is under L1, at least, in units of `1/(1-a)^2`: .56 at 3/4, .74 at 17/20, .81 at
9/10, .85 at 23/25."""

DEEPENING = 5
"""A depth that is too small is raised by one in so many rows."""

TRIES = 6
"""How many depths beyond those that floats suggest are tried exactly."""


@dataclass(frozen=True)
class ExactLayer:
    """The best layer of a depth, exactly, and E, its loss without that of as many columns in the middle.

    `basis` is the optimal one of its LP, where one is known.
    """

    table: Matrix
    excess: Fraction
    basis: Basis | None = None

    @property
    def depth(self) -> int:
        """Number of rows at each end."""
        return len(self.table)


@dataclass(frozen=True)
class ExactPrices:
    """Prices of the first columns and multipliers `(kind, i, j, k, h, value)` of properties, exactly.

    `excess` is E' without a floor; with one it is more by the floor times `floor_weight`, the sum of the multipliers of
    WH. The prices are the best at `floor`; `basis` is the optimal one of their LP, where one is known.
    """

    prices: tuple[Fraction, ...]
    multipliers: tuple[tuple[str, int, int, int, int, Fraction], ...]
    excess: Fraction
    floor_weight: Fraction
    floor: Fraction
    basis: Basis | None = None

    @property
    def depth(self) -> int:
        """Number of columns with a price of their own."""
        return len(self.prices)


@dataclass(frozen=True)
class HalfLine:
    """The problem at one end of a large group: one alpha, and properties.

    Properties that others imply are left out.

    Layers of at most `deepest` rows are searched. What is found does not depend on the speed of the machine.
    `begin` is the depth at which the search begins, 0 where it is to be guessed.
    """

    line: Geometric
    properties: tuple[Property, ...]
    clock: Clock
    deepest: int
    begin: int = 0

    @cached_property
    def tail(self) -> Tail:
        """The prices of far columns."""
        return Tail.of(self.line)

    @property
    def floor_kind(self) -> str:
        """The property that sets a floor under the diagonal, empty without one."""
        return next((prop.kind for prop in self.properties if prop.floor), "")

    @cached_property
    def remap(self) -> tuple[int, ...] | None:
        """The best answers to the outputs of the geometric mechanism; None under L0, or with properties beside WH."""
        if not self.line.power or any(self.line.penalties) or any(not prop.floor for prop in self.properties):
            return None
        found = best_remap(self.line, MOST_DEPTH)
        if found is None:
            raise too_deep(self)
        return found

    @property
    def expected_depth(self) -> int:
        """Guess the depth: about `ln(1-a) / ln(a)` times a factor that was measured, 1 for L0 without columns.

        The exact search begins here, and an alpha for which this is far too deep is refused before any work.
        """
        if self.begin:
            return self.begin
        alpha, kinds = float(self.line.alpha), {prop.kind for prop in self.properties}
        if self.line.power == 0 and not kinds & {"CH", "CM"}:
            return 1
        if self.line.power == 1 and "RM" in kinds and not kinds & {"CH", "CM"}:
            return max(1, int(DEPTH_OF_ROWS / (1 - alpha) ** 2))
        return max(1, int(DEPTH_FACTORS[self.line.power] * log(1 - alpha) / log(alpha)))

    def layer_value(self, depth: int, floor: Fraction, most: float) -> float:
        """Return E at a depth as a float; infinite where it is above `most`, or no layer has the properties."""
        outside = float(depth * self.line.cost + self.line.far_loss(depth))
        return self._solved(layer_program(self.line, depth, self.properties, floor), most + outside) - outside

    def price_value(self, depth: int, floor: Fraction) -> float:
        """Return E' at a depth as a float: the same at all depths that serve, and above or below it at smaller ones.

        There the far rows that are not geometric, of which the LP knows nothing, may cost less than nothing.
        """
        value = self._solved(price_program(self.tail, depth, self.properties, floor), inf)
        return value - float(depth * self.line.cost - self.tail.total(depth))

    def _solved(self, program: HalfLineProgram, most: float) -> float:
        scaling = Scaling(program)
        unit = float(to_fraction(scaling.cost_unit))
        numeric = replace(
            numeric_program(program, scaling), basis=program.geometric_basis, most_cost=min(most / unit, HUGE)
        )
        outcome = choose_solver(OWN_SOLVER)(numeric, self.clock.left())
        if outcome.status is Status.TIME_LIMIT:
            raise LimitReachedError("the time limit was reached before a law was certified")
        if outcome.status is not Status.OPTIMAL:
            return inf
        return float((scaling.cost * outcome.solution).sum()) * unit

    def layer(self, depth: int, floor: Fraction) -> ExactLayer | None:
        """Solve for the best layer exactly; None where no exact optimum is found."""
        found = self._exact(layer_program(self.line, depth, self.properties, floor))
        if found is None:
            return None
        value, point, _ = found
        x = list(map(to_fraction, point.x))
        table = tuple(tuple(x[i * depth : (i + 1) * depth]) for i in range(depth))
        return ExactLayer(table, value - depth * self.line.cost - self.line.far_loss(depth), point.basis)

    def prices(self, depth: int, floor: Fraction) -> ExactPrices | None:
        """Solve for the best prices exactly; None where no exact optimum is found."""
        program = price_program(self.tail, depth, self.properties, floor)
        found = self._exact(program)
        if found is None:
            return None
        value, point, reduced = found
        rows = zip(program.row_kind, program.upper.tolist(), program.lower.tolist(), point.row_dual, strict=True)
        multipliers = [
            (kind, *divmod(u, program.width), *divmod(v, program.width), to_fraction(m))
            for kind, u, v, m in rows
            if m and kind != "DP"
        ]
        floors = [(self.floor_kind, i, i, i, i, reduced[i * program.width + i]) for i in range(depth) if floor]
        multipliers += [row for row in floors if row[-1]]
        weight = sum((row[-1] for row in floors), Fraction(0))
        excess = value - floor * weight - depth * self.line.cost + self.tail.total(depth)
        prices = tuple(map(to_fraction, point.equation_dual))
        return ExactPrices(prices, tuple(multipliers), excess, weight, floor, point.basis)

    def _exact(self, program: HalfLineProgram) -> tuple[Fraction, ExactPoint, list[Fraction]] | None:
        """Return value, vertex and reduced costs of an LP, exactly."""
        data = ExactProgram.of(program)
        try:
            optimum = find_optimum(
                program, data, choose_solver(OWN_SOLVER), self.clock, program.geometric_basis, pivot_seconds=None
            )
        except NotCertifiedError:
            return None
        if not optimum.is_exact:
            return None
        point = optimum.point
        value = sum((c * x for c, x in zip(data.cost, point.x, strict=True)), ZERO)
        reduced = data.reduced_costs(point.row_dual, point.equation_dual)
        return to_fraction(value), point, list(map(to_fraction, reduced))


def prices_of_remap(half: HalfLine, remap: tuple[int, ...]) -> ExactPrices:
    """Return the prices that prove the best remap, and under a floor multipliers of outputs that are no answer."""
    prices = remap_prices(half.line, remap)
    excess = sum(prices, -half.line.cost * len(prices)) + half.tail.total(len(prices))
    costs = [floor_cost(half.line, i, remap[0]) for i in range(remap[0] if half.floor_kind else 0)]
    multipliers = tuple((half.floor_kind, i, i, i, i, cost) for i, cost in enumerate(costs))
    return ExactPrices(prices, multipliers, excess, sum(costs, Fraction(0)), Fraction(0))


OracleLaw = Callable[[ExactPrices], bool]
"""Tells whether prices prove a bound: the trusted kernel's word."""


def search(half: HalfLine, is_proof: OracleLaw) -> tuple[ExactLayer, ExactPrices, Matrix | None]:
    """Find a layer and prices that meet, `E = E'`, at nearly the least depths.

    The third is the slope of the layer in `1/(n+1)`, where the floor of WH binds; then `E = E'` at both ends of the
    floors from 0 to that of the smallest n.

    Raises:
        InputError: where they do not meet up to the deepest layer that is searched.
        LimitReachedError
    """
    layer, prices = meeting(half, Fraction(0), is_proof)
    if not half.floor_kind or not half.line.power:
        return layer, prices, None
    for parts in FLOOR_PARTS:
        found = _affine(half, Fraction(1, 2 * prices.depth * parts), is_proof)
        if found is not None:
            return found
    raise too_deep(half)


def _affine(
    half: HalfLine, floor: Fraction, is_proof: OracleLaw
) -> tuple[ExactLayer, ExactPrices, Matrix | None] | None:
    """Return the layer at the floor 0 and its slope, where the best one is affine up to this floor; else None."""
    highest, prices = meeting(half, floor, is_proof)
    middle = half.layer(highest.depth, floor / 2)
    if middle is None or not _meet(middle, prices, floor / 2):
        return None
    rows = list(zip(highest.table, middle.table, strict=True))
    table = tuple(tuple(2 * x - y for y, x in zip(*both, strict=True)) for both in rows)
    slopes = tuple(tuple(2 * (y - x) / floor for y, x in zip(*both, strict=True)) for both in rows)
    if min(map(min, table)) < 0:
        return None
    return ExactLayer(table, 2 * middle.excess - highest.excess), prices, slopes if any(map(any, slopes)) else None


def meeting(half: HalfLine, floor: Fraction, is_proof: OracleLaw) -> tuple[ExactLayer, ExactPrices]:
    """Find a layer and prices that meet under one floor.

    Raises:
        InputError: where they do not meet up to the deepest layer that is searched.
        LimitReachedError
    """
    near, slack = (part * float(half.line.cost) for part in (MEETING, SLACK))
    price_value = cache(lambda at: half.price_value(at, floor))

    def is_price(at: int, price: float) -> bool:
        return abs(price_value(at) - price) <= near

    @cache
    def is_layer(at: int, price: float) -> bool:
        return abs(half.layer_value(at, floor, price + slack) - price) <= near

    first, depth = 1, first_depth(half)
    while True:
        price, deeper = price_value(depth), depth + max(1, depth // DEEPENING)
        if not is_price(deeper, price) or not is_layer(depth, price):
            if depth >= half.deepest:
                raise too_deep(half)
            depth = min(half.deepest, deeper)
            continue
        b = _least(first, depth, partial(is_layer, price=price))
        size = next(at for at in range(b, depth + 1) if is_price(at, price))
        for more in range(TRIES):
            layer, prices = half.layer(b + more, floor), half.prices(size + more, floor)
            if layer is not None and prices is not None and _meet(layer, prices, floor) and is_proof(prices):
                return layer, prices
        first = depth = max(depth, size) + 1


def first_depth(half: HalfLine) -> int:
    """Return the depth at which the search begins.

    Raises:
        InputError: before any work, where that is too deep.
    """
    if half.remap is not None:
        return len(half.remap)
    if half.expected_depth > half.deepest:
        what, instead = _described(half)
        needed = f"about {half.expected_depth:,} rows at each end, more than the {half.deepest} that are searched"
        raise InputError(f"a law for {what} is expected to need {needed}; take {instead}")
    return half.expected_depth


def _meet(layer: ExactLayer, prices: ExactPrices, floor: Fraction) -> bool:
    return layer.excess == prices.excess + floor * prices.floor_weight


def _least(low: int, high: int, serves: Callable[[int], bool]) -> int:
    """Return the least depth that serves, from `high`, which does, down in steps that double."""
    step = 1
    while low < high:
        middle = max(low, high - step)
        if serves(middle):
            high, step = middle, 2 * step
        else:
            low, step = middle + 1, 1
    return high


def too_deep(half: HalfLine, condition: str = "") -> InputError:
    """Say that no law was found up to the deepest layer, or none that meets a condition besides."""
    what, instead = _described(half)
    deepest = MOST_DEPTH if half.line.power and all(prop.name == "WH" for prop in half.properties) else half.deepest
    return InputError(f"no law of at most {deepest} rows at each end{condition} was found for {what}; take {instead}")


def _described(half: HalfLine) -> tuple[str, str]:
    """Say what is asked, and what may have a law instead."""
    names = ", ".join(prop.name for prop in half.properties)
    ways = ["a smaller alpha", *(["loss L0"] if half.line.power else []), *(["fewer properties"] if names else [])]
    asked = f"alpha = {number_text(half.line.alpha)}, {names or 'no properties'}, loss L{half.line.power}"
    return asked, " or ".join(ways)
