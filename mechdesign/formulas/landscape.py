"""The price of properties for every alpha: ranges of alpha on which the same sets of properties cost the same.

Each closed set of properties has its formula. Between the ends of all their pieces, and the roots of differences of two
scores, nothing changes: neither which scores are equal nor their order. So a finite list says it all.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any

from flint import fmpq

from mechdesign.arguments import checked
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, LimitReachedError
from mechdesign.formulas.document import end_entry, formula_problem_entry
from mechdesign.formulas.ends import End, end_at
from mechdesign.formulas.finding import formula
from mechdesign.formulas.formula import Formula
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import Polynomial, coefficients, from_coefficients
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.formulas.roots import GREATEST, LEAST, Root, Roots, variations
from mechdesign.formulas.texts import end_text, function_text
from mechdesign.mechanism.notebook import facts, one_line, page, table
from mechdesign.problem.properties import ordered
from mechdesign.program.clock import Clock
from mechdesign.program.exact.numbers import to_fraction
from mechdesign.sweeps.landscape import closed_subsets
from mechdesign.sweeps.subset_designs import Names, Subset, generator
from mechdesign.version import __version__

FORMAT = "mechdesign-formula-landscape/1"

Classes = tuple[tuple[Subset, ...], ...]
"""Closed sets of properties that cost the same, the cheapest first."""


class _Numbers:
    """The numbers that ends are, and roots of polynomials: equal ones are one object."""

    def __init__(self) -> None:
        self.roots = Roots()

    def of(self, end: End) -> Root:
        """Return the number of an end."""
        if end.exact in (0, 1):
            return GREATEST if end.exact else LEAST
        low, high = (fmpq(value.numerator, value.denominator) for value in end.between)
        roots = self.roots.inside(end.polynomial)
        return next(root for root in roots if low == high or (root.is_above(low) and not root.is_above(high)))


@dataclass(frozen=True)
class Region:
    """A range of alpha on which the same closed sets of properties cost the same, in the same order."""

    start: End
    end: End
    classes: Classes


@dataclass(frozen=True)
class Crossing:
    """An alpha at which sets of properties cost the same that do not on either side of it."""

    at: End
    pairs: tuple[tuple[Subset, Subset], ...]


@dataclass(frozen=True, repr=False)
class FormulaLandscape:
    """The price of every set of properties, for every alpha.

    Attributes:
        problem: what is asked besides properties.
        formulas: of each closed set, shortest first; all are complete.
        solved: the closed sets whose formulas were found; of the others they follow, as no set is cheaper than one that
            asks for less.
        regions: ascending, from 0 to 1.
        crossings: ascending.
        seconds: what it took.
    """

    problem: FormulaProblem
    formulas: Mapping[Subset, Formula]
    solved: tuple[Subset, ...]
    regions: tuple[Region, ...]
    crossings: tuple[Crossing, ...]
    seconds: float = field(compare=False)

    @cached_property
    def _numbers(self) -> _Numbers:
        return _Numbers()

    def scores(self, region: Region, subset: Subset) -> tuple[tuple[End, End, RationalFunction], ...]:
        """Return the pieces of the score of a closed set inside a region, as (from, to, function)."""
        number = self._numbers.of
        low, high = number(region.start), number(region.end)
        found = []
        for piece in self.formulas[subset].pieces:
            start, end = number(piece.start), number(piece.end)
            if start.is_below(high) and low.is_below(end):
                assert piece.score is not None
                first = piece.start if low.is_below(start) else region.start
                last = piece.end if end.is_below(high) else region.end
                found.append((first, last, piece.score))
        return tuple(found)

    def meeting(self, crossing: Crossing) -> tuple[tuple[tuple[Subset, ...], ...], ...]:
        """Return the classes, as they are just below a crossing, that cost the same at it; each run of them once."""
        before = next(region for region in self.regions if region.end == crossing.at)
        home = {subset: group for group in before.classes for subset in group}
        runs: dict[tuple[Subset, ...], list[tuple[Subset, ...]]] = {}
        for one, other in crossing.pairs:
            run = runs.setdefault(home[one], [home[one]])
            if home[other] not in run:
                run.append(home[other])
            runs[home[other]] = run
        return tuple(dict.fromkeys(map(tuple, runs.values())))

    def rows(self) -> Iterator[tuple[Region, tuple[Subset, ...], tuple[tuple[End, End, RationalFunction], ...]]]:
        """Yield each class of each region with the pieces of its score."""
        for region in self.regions:
            for group in region.classes:
                yield region, group, self.scores(region, group[0])

    def tabulate(self) -> Table:
        """Return a row for each piece of the score of each class of each region."""
        return Table.of(
            [
                {
                    "region_from": end_text(region.start),
                    "region_to": end_text(region.end),
                    "class": region.classes.index(group) + 1,
                    "weakest": ";".join(",".join(names) or "none" for names in weakest(group)),
                    "closed": ";".join(",".join(ordered(subset)) or "none" for subset in group),
                    "from": end_text(start),
                    "to": end_text(end),
                    "score": function_text(score),
                }
                for region, group, pieces in self.rows()
                for start, end, score in pieces
            ]
        )

    def describe(self) -> str:
        """Describe in one line what was asked, apart from properties."""
        return self.problem.describe().replace("no properties", "all property subsets")

    def __repr__(self) -> str:
        counts = f"{len(self.regions)} regions, {len(self.crossings)} crossings"
        return one_line("FormulaLandscape", self.describe(), counts)

    def _repr_html_(self) -> str:
        rows = [
            (f"{end_text(start)} .. {end_text(end)}", number, _listed(weakest(group)), function_text(score))
            for region, group, pieces in self.rows()
            for number in [region.classes.index(group) + 1]
            for start, end, score in pieces
        ]
        headers = ("alpha = a", "class", "weakest", "least score")
        return page("Landscape", facts([("asked", self.describe())]), table(headers, rows))


@checked
def formula_landscape(
    problem: FormulaProblem | None = None,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[int], None] = lambda settled: None,
    **stated: Any,
) -> FormulaLandscape:
    """Find the least score under every subset of the properties as a function of alpha, and where they cost the same.

    Args:
        problem: what is asked besides properties.
        time_limit: seconds for all formulas together; None means none.
        on_progress: told, after each closed subset, how many are settled.
        stated: the arguments of `DesignProblem` without alpha and properties, in place of a problem.

    Raises:
        InputError: if the problem asks for properties itself, and as `formula`.
        LimitReachedError: if the time is over before all formulas are complete.

    >>> result = formula_landscape(n=4)
    >>> [(region.start.exact, region.end.exact, len(region.classes)) for region in result.regions]
    [(Fraction(0, 1), Fraction(1, 2), 2), (Fraction(1, 2), Fraction(2, 3), 3), (Fraction(2, 3), Fraction(1, 1), 4)]
    """
    asked = FormulaProblem.stated(**stated) if problem is None else problem
    if asked.at_place.properties:
        names = ",".join(ordered(asked.at_place.properties))
        raise InputError(f"problem must leave the properties to the landscape, got properties={names}")
    started, clock = time.monotonic(), Clock(time_limit)
    formulas: dict[Subset, Formula] = {}
    solved = []
    closed = closed_subsets(asked.at_place)
    for subset in [closed[0], closed[-1], *closed[1:-1]]:  # where two agree, all between them do
        found = _between(subset, formulas)
        if found is None:
            solved.append(subset)
            found = _complete(asked.with_properties(subset), clock)
        formulas[subset] = found
        on_progress(len(formulas))
    formulas = {subset: formulas[subset] for subset in closed}
    regions, crossings = _compared(formulas)
    return FormulaLandscape(asked, formulas, tuple(solved), regions, crossings, time.monotonic() - started)


def _between(subset: Subset, formulas: Mapping[Subset, Formula]) -> Formula | None:
    """Return the formula of a set between two whose scores are the same."""
    weaker = [found for other, found in formulas.items() if other <= subset]
    stricter = [found for other, found in formulas.items() if other >= subset]
    return next((one for one in weaker if any(_same_scores(one, other) for other in stricter)), None)


def _same_scores(one: Formula, other: Formula) -> bool:
    return [piece.score for piece in one.pieces] == [piece.score for piece in other.pieces]


def _complete(problem: FormulaProblem, clock: Clock) -> Formula:
    """Return a formula of every alpha."""
    with suppress(LimitReachedError):
        found = formula(problem, time_limit=clock.left())
        if found.is_complete:
            return found
    raise LimitReachedError("the time limit was reached before every set of properties had its formula")


@dataclass(frozen=True, eq=False)
class _Cell:
    """A range of alpha on which each score is one function and no two cross; closed sets by their functions."""

    start: Root
    end: Root
    groups: tuple[tuple[RationalFunction, tuple[Subset, ...]], ...]

    @property
    def classes(self) -> Classes:
        return tuple(subsets for _, subsets in self.groups)


def _compared(formulas: Mapping[Subset, Formula]) -> tuple[tuple[Region, ...], tuple[Crossing, ...]]:
    """Find regions and crossings from the formulas of all closed sets."""
    cells = list(_cells(formulas))
    starts, crossings = [cells[0]], []
    for left, right in itertools.pairwise(cells):
        pairs = _meeting(left, right)
        if pairs:
            crossings.append(Crossing(end_at(right.start), pairs))
        if pairs or left.classes != right.classes:
            starts.append(right)
    ends = [*(cell.start for cell in starts[1:]), GREATEST]
    regions = tuple(
        Region(end_at(cell.start), end_at(end), cell.classes) for cell, end in zip(starts, ends, strict=True)
    )
    return regions, tuple(crossings)


def _cells(formulas: Mapping[Subset, Formula]) -> Iterator[_Cell]:
    numbers = _Numbers()
    differences = _Differences(numbers.roots)
    pieces = {subset: list(found.pieces) for subset, found in formulas.items()}
    ends = _sorted(numbers.of(piece.start) for found in pieces.values() for piece in found)
    for start, end in itertools.pairwise([*ends, GREATEST]):
        homes: dict[RationalFunction, list[Subset]] = {}
        for subset, left in pieces.items():
            while len(left) > 1 and not start.is_below(numbers.of(left[0].end)):
                left.pop(0)
            score = left[0].score
            assert score is not None  # every subset of the lattice has the uniform mechanism
            homes.setdefault(score, []).append(subset)
        inside = (
            root for pair in itertools.combinations(homes, 2) for root in differences.roots_between(*pair, start, end)
        )
        for low, high in itertools.pairwise([start, *_sorted(inside), end]):
            at = _between_roots(low, high)
            groups = sorted(homes.items(), key=lambda home: home[0](at))
            yield _Cell(low, high, tuple((score, tuple(subsets)) for score, subsets in groups))


def _meeting(left: _Cell, right: _Cell) -> tuple[tuple[Subset, Subset], ...]:
    """Return pairs that cost the same between two cells, and in neither of them."""
    apart = {subset: number for number, group in enumerate(right.classes) for subset in group}
    runs = [[left.groups[0]]]
    for group in left.groups[1:]:
        if _meet(runs[-1][-1][0], group[0], right.start):
            runs[-1].append(group)
        else:
            runs.append([group])
    return tuple(
        (one, other)
        for run in runs
        for (_, ones), (_, others) in itertools.combinations(run, 2)
        for one in ones
        for other in others
        if apart[one] != apart[other]
    )


def _difference(one: RationalFunction, other: RationalFunction) -> Polynomial:
    (a, b), (c, d) = (
        (from_coefficients(score.numerator), from_coefficients(score.denominator)) for score in (one, other)
    )
    return a * d - b * c


def _meet(one: RationalFunction, other: RationalFunction, at: Root) -> bool:
    """Return whether two different scores are the same at a number."""
    difference = _difference(one, other)
    return difference.gcd(at.polynomial).degree() == at.polynomial.degree()


class _Differences:
    """The alphas at which two scores are the same: roots of each difference, found once."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._known: dict[frozenset[RationalFunction], Polynomial] = {}

    def roots_between(self, one: RationalFunction, other: RationalFunction, start: Root, end: Root) -> Iterator[Root]:
        """Yield the roots of a difference strictly between two numbers."""
        pair = frozenset((one, other))
        if pair not in self._known:
            self._known[pair] = _difference(one, other)
        difference = self._known[pair]
        if variations(difference, start.low, end.high):
            yield from (
                root
                for root in self._roots.inside(coefficients(difference))
                if start.is_below(root) and root.is_below(end)
            )


def _sorted(roots: Iterable[Root]) -> list[Root]:
    """Sort numbers, each once."""

    def compare(one: Root, other: Root) -> int:
        return -1 if one.is_below(other) else 1

    return sorted({id(root): root for root in roots}.values(), key=cmp_to_key(compare))


def _between_roots(low: Root, high: Root) -> Fraction:
    while low.high >= high.low:
        low.refine()
        high.refine()
    return to_fraction((low.high + high.low) / 2)


def weakest(group: Sequence[Subset]) -> tuple[Names, ...]:
    """Return the sets of a class that contain no other of it, implied properties left out."""
    return tuple(generator(subset) for subset in group if not any(other < subset for other in group))


def _listed(sets: Iterable[Names]) -> str:
    return "; ".join(",".join(names) or "none" for names in sets)


def formula_landscape_document(landscape: FormulaLandscape) -> dict[str, Any]:
    """Make the JSON object of a landscape."""
    return {
        "format": FORMAT,
        "problem": formula_problem_entry(landscape.problem),
        "regions": [
            {
                "from": end_entry(region.start),
                "to": end_entry(region.end),
                "classes": [
                    {
                        "weakest": [list(names) for names in weakest(group)],
                        "closed": [list(ordered(subset)) for subset in group],
                        "score": [
                            {"from": end_entry(start), "to": end_entry(end), "score": function_text(score)}
                            for start, end, score in landscape.scores(region, group[0])
                        ],
                    }
                    for group in region.classes
                ],
            }
            for region in landscape.regions
        ],
        "crossings": [
            {
                "at": end_entry(crossing.at),
                "text": end_text(crossing.at),
                "pairs": [[list(ordered(one)), list(ordered(other))] for one, other in crossing.pairs],
            }
            for crossing in landscape.crossings
        ],
        "solved": [list(ordered(subset)) for subset in landscape.solved],
        "seconds": round(landscape.seconds, 6),
        "version": __version__,
    }
