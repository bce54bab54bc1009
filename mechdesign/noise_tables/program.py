"""The LP of a noise table: probabilities of noises, deltas, and the rows that an office and a guarantee ask for.

    minimise    sum_jv c[j,v] x[j,v] + sum_t w_t delta_t
    subject to  sum_v x[j,v] = 1                              every row j
                sum_v v x[j,v] = 0                            rows from 1 on
                V - sum_v v^2 x[j,v] >= 0                     rows with noise; = 0 where V is asked exactly
                x[j,v] >= x[j,w]                              shape: v nearer to 0 than w, on one side
                x[J,v] = x[J,-v]                              symmetry
                x[j,0] >= stay
                s[t,a,b,i] + r_t P[i|b] - P[i|a] >= 0         every output i that both counts can give
                delta_t - sum_i s[t,a,b,i] >= 0               (a, b) = (j, j+1), (j+1, j), from the start on
                x, s, delta >= 0

with `P[i|j] = x[min(j,J), i-j]`; what b cannot give counts as P[i|a] itself. Where delta_t is a number it stands in
place of the variable. Blocked results and zeros that stay zero are absent variables.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from mechdesign.noise_tables.problem import DELTA, ENTROPY, L0, NO_SHAPE, UNIMODAL, VARIANCE, NoiseTableProblem
from mechdesign.program.general.program import GeneralProgram, Row
from mechdesign.program.solvers.numeric import NumericProgram

ONE = Fraction(1)

Cell = tuple[int, int]
"""A count and a noise."""

Key = tuple[object, ...]
"""The name of a variable or a row: its kind, then its indices."""

SUM, MEAN, SPREAD, SHAPE, MIRROR, STAY, TEST, PAIR = "sum", "mean", "spread", "shape", "mirror", "stay", "test", "pair"
CELL, CAP, EXCESS, LACK = "cell", "delta", "excess", "lack"
LARGEST_UNIT = 1e9
KEY_ROOM = 1e-5
"""Of a key, by which caps are tighter for a solver that may miss them by a tenth of it."""

LEAST_FREE = 3
"""Chances of fewer noises follow from sum and mean."""


@dataclass
class NoiseTableProgram:
    """The LP of a problem: rows and variables by their names.

    `costs` are those of noises where they do not follow from the problem alone, `sizes` about their chances. With
    `elastic`, every demand that may clash has a variable for what it lacks; these are all that is paid for.
    """

    problem: NoiseTableProblem
    elastic: bool = False
    costs: Mapping[Cell, Fraction] | None = None
    sizes: Mapping[Cell, float] = field(default_factory=dict)
    variables: dict[Key, Fraction] = field(default_factory=dict)
    rows: dict[Key, tuple[dict[Key, Fraction], Fraction, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._add_cells()
        for count in self.problem.counts:
            self._add_office_rows(count)
        if self.problem.symmetric:
            self._add_symmetry()
        for t in range(len(self.problem.guarantees)):
            self._add_guarantee(t)

    def _pay(self, cost: Fraction) -> Fraction:
        return Fraction(0) if self.elastic else cost

    def _add(self, key: Key, terms: Mapping[Key, Fraction], rhs: Fraction | int = 0, equation: bool = False) -> None:
        self.rows[key] = (dict(terms), Fraction(rhs), equation)

    def _lack(self, *key: object) -> dict[Key, Fraction]:
        """Return the variable of what a demand lacks, where it may lack."""
        if not self.elastic:
            return {}
        name = (LACK, *key)
        self.variables[name] = ONE
        return {name: ONE}

    def _add_cells(self) -> None:
        problem = self.problem
        for count in problem.counts:
            for noise in problem.supports[count]:
                own = cell_cost(problem, count, noise) if self.costs is None else self.costs[count, noise]
                self.variables[CELL, count, noise] = self._pay(own)

    def _add_office_rows(self, count: int) -> None:
        problem, support = self.problem, self.problem.supports[count]
        self._add((SUM, count), {(CELL, count, v): ONE for v in support}, 1, equation=True)
        if support == (0,):
            return
        if count:
            terms: dict[Key, Fraction] = {(CELL, count, v): Fraction(v) for v in support if v}
            lacks = (
                {}
                if not self.elastic
                else self._lack("up", count) | {key: -value for key, value in self._lack("down", count).items()}
            )
            self._add((MEAN, count), {**terms, **lacks}, 0, equation=True)
        squares: dict[Key, Fraction] = {(CELL, count, v): Fraction(-v * v) for v in support if v}
        is_equal = problem.variance_equal and count > 0
        more = {key: -value for key, value in self._lack("less", count).items()} if is_equal else {}
        self._add((SPREAD, count), {**squares, **self._lack("more", count), **more}, -problem.variance, is_equal)
        for inner, outer in shape_pairs(support, problem.shape):
            self._add((SHAPE, count, inner, outer), {(CELL, count, inner): ONE, (CELL, count, outer): -ONE})
        if problem.stay and 0 in support:
            self._add((STAY, count), {(CELL, count, 0): ONE, **self._lack("stay", count)}, problem.stay)

    def _add_symmetry(self) -> None:
        last = self.problem.last
        for v in range(1, self.problem.noise + 1):
            self._add((MIRROR, v), {(CELL, last, v): ONE, (CELL, last, -v): -ONE}, 0, equation=True)

    def _add_guarantee(self, t: int) -> None:
        problem, one = self.problem, self.problem.guarantees[t]
        if one.delta is None:
            self.variables[CAP, t] = self._pay(one.weight)
        for j in range(problem.start_of(one), problem.last + 1):
            for a, b in ((j, j + 1), (j + 1, j)):
                self._add_pair(t, a, b)

    def _add_pair(self, t: int, a: int, b: int) -> None:
        one, paid = self.problem.guarantees[t], dict[Key, Fraction]()
        for output, own, other in outputs(self.problem, a, b):
            if other is None:
                paid[own] = -ONE
                continue
            key = (EXCESS, t, a, b, output)
            self.variables[key] = Fraction(0)
            self._add((TEST, t, a, b, output), {key: ONE, other: one.ratio, own: -ONE})
            paid[key] = -ONE
        cap: dict[Key, Fraction] = {(CAP, t): ONE} if one.delta is None else self._lack("delta", t)
        self._add((PAIR, t, a, b), {**paid, **cap}, 0 if one.delta is None else -one.delta)

    def general(self) -> GeneralProgram:
        """Return the LP with variables and rows by position, and the usual sizes of its numbers."""
        position = {key: k for k, key in enumerate(self.variables)}
        rows = tuple(
            Row({position[key]: value for key, value in terms.items() if value}, rhs, equation)
            for terms, rhs, equation in self.rows.values()
        )
        scale = np.array([self._size(key) for key in self.variables])
        cost = tuple(self.variables.values())
        return GeneralProgram(cost, rows, scale, self._cost_unit())

    def with_room(self) -> GeneralProgram:
        """Return the LP of a point with the most room in every inequality: the last variable, which is at most 1.

        Chances have room in units of a thousandth, their differences of a hundredth, variance and deltas of themselves.
        """
        room = len(self.variables)
        units = {SHAPE: Fraction(1, 100), STAY: Fraction(1, 100), SPREAD: self.problem.variance}
        general = self.general()
        rows = []
        for key, row in zip(self.rows, general.rows, strict=True):
            unit = self.problem.guarantees[int(str(key[1]))].delta if key[0] == PAIR else units.get(str(key[0]))
            is_forced = key[0] == SPREAD and len(self.problem.supports[int(str(key[1]))]) < LEAST_FREE
            is_roomy = unit and not row.is_equation and not is_forced
            rows.append(replace(row, terms={**row.terms, room: -unit}) if unit and is_roomy else row)
        floor = Fraction(1, 1000)
        cells = (k for k, key in enumerate(self.variables) if key[0] == CELL)
        rows += [Row({k: ONE, room: -floor}, Fraction(0)) for k in cells]
        rows.append(Row({room: -ONE}, -ONE))
        cost = (*(Fraction(0) for _ in self.variables), -ONE)
        return GeneralProgram(cost, tuple(rows), np.append(general.scale, 1e-3))

    def in_keys(self, keys: int) -> NumericProgram:
        """Return the LP over whole numbers of keys: chances, deltas and the objective times their number."""
        general = self.general()
        scaled = GeneralProgram(general.cost, general.rows, np.ones(len(general.cost))).scaled(1.0)
        numeric, unit = scaled.numeric, float(keys)
        whole = np.array([key[0] == CELL for key in self.variables])
        tighter = np.array([KEY_ROOM if key[0] == PAIR and rhs else 0.0 for key, (_, rhs, _) in self.rows.items()])
        lower = numeric.row_lower * unit + tighter
        return replace(numeric, row_lower=lower, row_upper=numeric.row_upper * unit, whole=whole)

    @property
    def _decay(self) -> float:
        """How much less likely a noise is than one nearer by 1, about."""
        return float(min((one.ratio for one in self.problem.guarantees), default=ONE))

    def _size(self, key: Key) -> float:
        if key[0] == CELL:
            distance = abs(int(str(key[2])))
            if size := self.sizes.get((int(str(key[1])), int(str(key[2])))):
                return size
        elif key[0] == EXCESS:
            distance = abs(int(str(key[4])) - int(str(key[2])))
        else:
            distance = self.problem.noise if key[0] == CAP else 0
        return float(self._decay ** -min(distance, self.problem.noise))

    def _cost_unit(self) -> float:
        if self.elastic or self.problem.objective != DELTA:
            return 1.0
        ratio, noise = self._decay, self.problem.noise
        return max(1 / LARGEST_UNIT, (ratio - 1) / (ratio ** (noise + 1) + ratio**noise - 2))


def cell_cost(problem: NoiseTableProblem, count: int, noise: int) -> Fraction:
    """Return what a noise costs beside delta: the mean over rows 1..J of a square, a size or a chance."""
    if problem.objective in (DELTA, ENTROPY) or not count:
        return Fraction(0)
    charge = {VARIANCE: noise * noise, L0: int(noise != 0)}.get(problem.objective, abs(noise))
    return Fraction(charge, problem.last)


def shape_pairs(support: tuple[int, ...], shape: str) -> Iterator[tuple[int, int]]:
    """Yield the neighbours (nearer to 0, farther) of a row of which the first is to be as likely at least."""
    for low, high in pairwise(support):
        if high <= 0 and shape != NO_SHAPE:
            yield high, low
        elif low >= 0 and shape == UNIMODAL:
            yield low, high


def outputs(problem: NoiseTableProblem, a: int, b: int) -> Iterator[tuple[int, Key, Key | None]]:
    """Yield each output of a count, its variable there, and that of another count, None where that cannot give it."""
    row_a, row_b = min(a, problem.last), min(b, problem.last)
    others = set(problem.supports[row_b])
    for noise in problem.supports[row_a]:
        output = a + noise
        yield output, (CELL, row_a, noise), (CELL, row_b, output - b) if output - b in others else None
