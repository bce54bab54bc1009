"""The march over (0, 1): exact bases at samples, each with its interval, until nothing is left between them.

Neighbours share an end that is one algebraic number, which proves that nothing is left out. No step is taken and no
grid is laid, so a piece of any width is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from mechdesign.errors import LimitReachedError, NotCertifiedError
from mechdesign.formulas.dual import Dual, dual_of
from mechdesign.formulas.interval import Interval, interval_around
from mechdesign.formulas.polynomials import Polynomial, lowest_terms
from mechdesign.formulas.program import AmbiguousRatioError, DesignProgram, program_at, relaxed_at
from mechdesign.formulas.roots import GREATEST, LEAST, Root, Roots
from mechdesign.formulas.vertex import Vertex
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.clock import Clock
from mechdesign.program.exact.exact_lp import ExactProgram
from mechdesign.program.exact.forest import ForestBasis, SingularBasisError
from mechdesign.program.exact.numbers import to_fraction
from mechdesign.program.exact.optimum import find_optimum
from mechdesign.program.linear_program import LinearProgram
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import Basis

SHARES = [fmpq(k, 101) for k in (47, 58, 37, 71, 29, 83, 17)]
"""Where in a gap a sample may be: not where breakpoints like to be."""

FEWEST, ROOM = 1009, 8
"""The denominator of a sample, and how many of its units a gap has at least."""


@dataclass(frozen=True)
class Stretch:
    """A range of alpha on which one basis is optimal; score, matrix None where no mechanism is feasible."""

    low: Root
    high: Root
    sample: fmpq
    score: tuple[Polynomial, Polynomial] | None
    matrix: list[Polynomial]
    denominator: Polynomial
    dual: Dual


@dataclass(frozen=True)
class _Gap:
    """A range of alpha that is not covered yet, and the basis beside it."""

    low: Root
    high: Root
    basis: Basis | None


class March:
    """The march for one problem.

    Args:
        problem: at any alpha.
        clock: how long it may take.
    """

    def __init__(self, problem: DesignProblem, clock: Clock) -> None:
        self.problem, self.clock = problem, clock
        self.roots = Roots()
        self.is_complete = False
        may_fail = problem.floor * problem.size > 1
        self._feasible_to = fmpq(0 if may_fail else 1)

    def stretches(self) -> Iterator[Stretch]:
        """Yield stretches in no order, until they cover (0, 1) or the time is over."""
        gaps = [_Gap(LEAST, GREATEST, None)]
        try:
            while gaps:
                gap = gaps.pop()
                found, basis = self._in_gap(gap)
                yield found
                gaps += [
                    _Gap(low, high, basis)
                    for low, high in ((found.high, gap.high), (gap.low, found.low))
                    if low is not high
                ]
        except LimitReachedError:
            return
        self.is_complete = True

    def _in_gap(self, gap: _Gap) -> tuple[Stretch, Basis]:
        """Find a basis at a sample in a gap, and where it is optimal, clipped to the gap."""
        for share in SHARES:
            self.clock.left()
            sample = sample_between(gap.low, gap.high, share)
            try:
                vertex, basis, is_bound = self._vertex(sample, gap.basis)
            except (SingularBasisError, AmbiguousRatioError):
                continue
            score = self._score(vertex) if is_bound else None
            signs = list(vertex.signs()) if is_bound else [*vertex.signs(), vertex.objective[0]]
            interval = interval_around(sample, signs, self.roots)
            if interval is not None:
                low, high = _clipped(interval, gap)
                dual = dual_of(vertex, self.problem, is_bound=is_bound)
                return _stretch(vertex, low, high, score, dual), basis
        raise NotCertifiedError("not certified: no basis is optimal on a range of alpha around a sample")

    def _vertex(self, sample: fmpq, near: Basis | None) -> tuple[Vertex[DesignProgram], Basis, bool]:
        """Solve at a sample: the program, or the relaxed one where no mechanism is feasible."""
        alpha = to_fraction(sample)
        if self._feasible_to < sample:
            relaxed, basis = self._solved(relaxed_at(self.problem, alpha), sample, None)
            if relaxed.objective[0]:
                return relaxed, basis, False
            self._feasible_to = sample
        return *self._solved(program_at(self.problem, alpha), sample, near), True

    def _solved(self, program: LinearProgram, sample: fmpq, near: Basis | None) -> tuple[Vertex[DesignProgram], Basis]:
        exact = ExactProgram.of(program)
        start = near if near is not None and _fits(near, program) else None
        optimum = find_optimum(program, exact, solve, self.clock, start, pivot_seconds=None)
        if not optimum.is_exact or optimum.point.basis is None:
            self.clock.left()
            raise NotCertifiedError(f"not certified: no exactly optimal basis was found at alpha = {sample}")
        forest = ForestBasis(exact, optimum.point.basis)
        return Vertex(DesignProgram.of(program), forest, sample), optimum.point.basis

    def _score(self, vertex: Vertex[DesignProgram]) -> tuple[Polynomial, Polynomial]:
        """Return the score of a vertex in lowest terms."""
        problem = self.problem
        top, bottom = vertex.objective
        if problem.is_worst_case:  # the program has losses between 0 and 1
            values = [value for row in problem.loss.matrix(problem.size) for value in row]
            least, span = min(values), max(values) - min(values)
            top = span.numerator * least.denominator * top + least.numerator * span.denominator * bottom
            bottom = span.denominator * least.denominator * bottom
        scale = problem.rescaling
        (top,), bottom = lowest_terms([scale.numerator * top], scale.denominator * bottom, vertex.sample)
        return top, bottom


def _fits(basis: Basis, program: LinearProgram) -> bool:
    """Return whether a basis has the shape of a program, where a solver may begin."""
    n_rows = program.n_rows + len(program.equations)
    return len(basis.columns) == program.n_variables and len(basis.rows) == n_rows


def sample_between(low: Root, high: Root, share: fmpq) -> fmpq:
    """Choose a rational between two numbers, as short as their distance allows."""
    while low.high >= high.low:
        low.refine()
        high.refine()
    width = (high.low - low.high) / 4
    low.narrow(width)
    high.narrow(width)
    start, width, unit = low.high, high.low - low.high, FEWEST
    while unit * width < ROOM:
        unit = 10 * unit + 1
    return fmpq(int(((start + width * share) * unit).floor()) + 1, unit)


def _clipped(interval: Interval, gap: _Gap) -> Interval:
    low, high = interval
    return (low if gap.low.is_below(low) else gap.low), (high if high.is_below(gap.high) else gap.high)


def _stretch(
    vertex: Vertex[DesignProgram], low: Root, high: Root, score: tuple[Polynomial, Polynomial] | None, dual: Dual
) -> Stretch:
    entries = vertex.program.source.entry_variables
    values, denominator = lowest_terms([vertex.x[v] for v in entries], vertex.denominator, vertex.sample)
    return Stretch(low, high, vertex.sample, score, values, denominator, dual)
