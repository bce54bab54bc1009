"""Formulas for groups of every size, found: laws at samples, side by side, each with the range of alpha it serves."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from mechdesign.arguments import checked
from mechdesign.errors import InputError, LimitReachedError, NotCertifiedError
from mechdesign.formulas.any_size.formula import LawFormula
from mechdesign.formulas.any_size.pieces import Found, LawPart, LawPiece, SymbolicLaw, law_around
from mechdesign.formulas.ends import end_at
from mechdesign.formulas.formula import read_alpha
from mechdesign.formulas.march import SHARES, sample_between
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import ONE, A
from mechdesign.formulas.roots import GREATEST, LEAST, Root, Roots
from mechdesign.laws.problem import LawProblem, no_law_formula
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import to_fraction
from mechdesign.rational import Number

STEP = fmpq(1, 32)
"""A first sample beyond a number is at most this part of the way to 0 or 1."""

UNTIL = "4/5"
"""Up to this alpha a formula goes by default: the ranges that were seen become ever narrower towards 1."""


@checked
def law_formula(
    properties: str | Iterable[str] = (),
    *,
    to: Number | None = None,
    at: Iterable[Number] = (),
    time_limit: float | None = None,
) -> LawFormula:
    """Find the least score for groups of every size as a function of alpha, under L0: `2a/(1+a) + g(a)/n`.

    On each range of alpha g is one rational function, and the score is proved the least for every alpha of it and every
    n from one on: the conditions of a law (docs: any-n) are polynomials in alpha, and keep their signs there.

    Args:
        properties: any of RH, RM, CH, CM, S, FE, and WH beside CH or CM.
        to: all ranges up to this alpha; 4/5 where nothing is said.
        at: in place of it, the ranges that hold these alphas, from where g begins to where it ends.
        time_limit: seconds, after which the ranges that were found come back; None means none.

    Raises:
        InputError: for other properties, an alpha out of range, both `to` and `at`, or one for which no law is found.
        LimitReachedError: where no range was found in time.
        NotCertifiedError

    >>> found = law_formula("WH,CM", to="2/3")
    >>> print(found)
    0 .. 1/2      n >= 1    g = 0
    1/2 .. 2/3    n >= 5    g = -(a - 1)(2a - 1) / (a(a + 1))
    >>> found.score("13/20", 100)
    Fraction(16921, 21450)
    """
    asked, places = parse_properties(properties), [read_alpha(value, "at") for value in at]
    _require_served(asked)
    if places and to is not None:
        raise InputError("to and at must not both be given, got both; leave one of them out")
    walk = _Walk(asked, Clock(time_limit))
    runs = walk.up_to(read_alpha(UNTIL if to is None else to, "to")) if not places else walk.holding(places)
    pieces: list[LawPiece] = []
    is_complete = False
    with suppress(LimitReachedError):
        pieces.extend(map(_piece, runs))
        is_complete = True
    if not pieces:
        raise LimitReachedError("the time limit was reached before a range was found")
    return LawFormula(asked, tuple(pieces), is_complete)


def _require_served(properties: frozenset[str]) -> None:
    """Refuse what no such formula serves."""
    LawProblem(Privacy(UNTIL), properties, Loss.parse("L0"))
    if obstacle := no_law_formula(properties):
        raise InputError(obstacle)


@dataclass(frozen=True)
class _Stretch:
    """A range of alpha with one law."""

    low: Root
    high: Root
    law: SymbolicLaw
    gain: RationalFunction


class _Walk:
    """The search for one set of properties: stretches beside each other, which share one algebraic number."""

    def __init__(self, properties: frozenset[str], clock: Clock) -> None:
        self.problem = LawProblem(Privacy(UNTIL), properties, Loss.parse("L0"))
        self.clock, self.roots = clock, Roots()

    def up_to(self, last: Fraction) -> Iterator[list[_Stretch]]:
        """Yield runs of stretches of one g, from 0 to an alpha."""
        end, number = _rational(fmpq(last.numerator, last.denominator)), LEAST
        run: list[_Stretch] = []
        while number.is_below(end):
            found = self._beside(number, is_up=True)
            if end.is_below(found.high):
                found = replace(found, high=end)
            if run and run[-1].gain != found.gain:
                yield run
                run = []
            run.append(found)
            number = found.high
        yield run

    def holding(self, places: Iterable[Fraction]) -> Iterator[list[_Stretch]]:
        """Yield the runs that hold some alphas, ascending; two of them where an alpha is the end of both."""
        runs: list[list[_Stretch]] = []
        for alpha in sorted(places):
            point = fmpq(alpha.numerator, alpha.denominator)
            if runs and runs[-1][-1].high.is_above(point):
                continue
            found = self._at(point)
            if found is not None:
                starts = [_Stretch(*found.interval, found.law, found.gain)]
            else:
                number = self._number(alpha)
                starts = [self._beside(number, is_up=is_up) for is_up in (False, True)]
                starts = starts[: 1 if starts[0].gain == starts[1].gain else 2]
            for start in starts:
                if not runs or runs[-1][-1].high.is_below(start.high):
                    runs.append(self._grown(start))
                    yield runs[-1]

    def _grown(self, start: _Stretch) -> list[_Stretch]:
        """Add the stretches on either side as long as g stays the same."""
        run = [start]
        while run[0].low is not LEAST and (found := self._beside(run[0].low, is_up=False)).gain == start.gain:
            run.insert(0, found)
        while run[-1].high is not GREATEST and (found := self._beside(run[-1].high, is_up=True)).gain == start.gain:
            run.append(found)
        return run

    def _beside(self, number: Root, *, is_up: bool) -> _Stretch:
        """Find the stretch that begins at a number, or ends there."""
        number.narrow(STEP / 1024)
        near = number.high if is_up else number.low
        far = _rational(near + (1 - near) * STEP if is_up else near - near * STEP)
        while True:
            found = self._between(*((number, far) if is_up else (far, number)))
            low, high = found.interval
            if is_up and not number.is_below(low):
                return _Stretch(number, high, found.law, found.gain)
            if not is_up and not high.is_below(number):
                return _Stretch(low, number, found.law, found.gain)
            far = low if is_up else high

    def _between(self, low: Root, high: Root) -> Found:
        for share in SHARES:
            found = self._at(sample_between(low, high, share))
            if found is not None:
                return found
        raise NotCertifiedError("not certified: no law serves a range of alpha around a sample")

    def _at(self, point: fmpq) -> Found | None:
        self.clock.left()
        return law_around(replace(self.problem, privacy=Privacy(to_fraction(point))), self.roots, self.clock)

    def _number(self, alpha: Fraction) -> Root:
        """Return a rational as the number that it is where it is an end."""
        return self.roots.inside((-alpha.numerator, alpha.denominator))[0]


def _rational(value: fmpq) -> Root:
    return Root(int(value.q) * A - int(value.p) * ONE, value, value)


def _piece(run: list[_Stretch]) -> LawPiece:
    ends = [end_at(root) for root in (run[0].low, *(one.high for one in run))]
    parts = [LawPart(start, end, one.law) for start, end, one in zip(ends, ends[1:], run, strict=False)]
    return LawPiece(ends[0], ends[-1], run[0].gain, tuple(parts))
