"""The price of properties: all their subsets, grouped by the exact score of the best mechanism.

Most of the subsets say the same as another: only the closed ones (which name all that they imply) differ. Of those only
some need a solver.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from mechdesign.arguments import checked
from mechdesign.documents.document import exact_entry, problem_entry
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, LimitReachedError
from mechdesign.laws.problem import LawProblem
from mechdesign.mechanism.notebook import Bound, facts, one_line, page, score_decimal, table
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.properties import LATTICE, PROPERTIES, closure, ordered, parse_properties
from mechdesign.rational import fraction_text, nearest_float
from mechdesign.sweeps.subset_designs import (
    Names,
    Problem,
    Solve,
    Subset,
    SubsetDesigns,
    bracket,
    design_soon,
    generator,
)
from mechdesign.version import __version__
from mechdesign.workers.choosing import workers_for

FORMAT = "mechdesign-landscape/1"


Score = TypeVar("Score")


@dataclass(frozen=True)
class ScoreClass(Generic[Score]):
    """A class of subsets whose best mechanisms score the same.

    `closed` are its closed subsets and `subsets` all that fall into it, both shortest first. Where the
    bounds do not meet (status `certified`), the score is only known to lie in `[lower_bound, score]`; such a class
    holds one closed subset alone, because no equality with another is proved.
    """

    score: Score
    lower_bound: Score
    closed: tuple[Subset, ...]
    subsets: tuple[Names, ...]

    @property
    def status(self) -> str:
        """`exact` where the score is proved, else `certified`."""
        return "exact" if self.score == self.lower_bound else "certified"

    @property
    def weakest(self) -> tuple[Names, ...]:
        """Closed subsets that contain no other of the class, implied properties left out."""
        return tuple(generator(s) for s in self.closed if not any(other < s for other in self.closed))

    @property
    def strictest(self) -> tuple[Names, ...]:
        """Closed subsets that no other of the class contains, implied properties left out."""
        return tuple(generator(s) for s in self.closed if not any(other > s for other in self.closed))


@dataclass(frozen=True)
class Lattice(Generic[Score]):
    """Classes of subsets, lowest score first.

    Attributes:
        classes: what scores the same.
        solved: the closed subsets that a solver was asked for.
        skipped: why closed subsets have no score; they are in no class.
        seconds: what it took.
    """

    classes: tuple[ScoreClass[Score], ...]
    solved: tuple[Subset, ...]
    skipped: Mapping[Subset, str]
    seconds: float

    @property
    def closed(self) -> tuple[Subset, ...]:
        """Every closed subset that has a score and differs from the others, shortest first."""
        return tuple(sorted((s for group in self.classes for s in group.closed), key=_shortest_first))

    @property
    def is_exact(self) -> bool:
        """Whether every score is proved."""
        return all(group.status == "exact" for group in self.classes)

    @property
    def without(self) -> dict[str, tuple[Names, ...]]:
        """Why subsets have no score, and the weakest of these, implied properties left out."""
        found: dict[str, list[Subset]] = {}
        for subset, why in self.skipped.items():
            found.setdefault(why, []).append(subset)
        return {why: tuple(generator(s) for s in sets if not any(o < s for o in sets)) for why, sets in found.items()}

    def lattice_entries(self) -> list[dict[str, Any]]:
        """Return an object of JSON for each closed subset.

        `asked` are the properties that imply the rest, `class` is the number of its class from 1 on, and `covers` are
        the positions of the subsets that it is directly above in the Hasse diagram.
        """
        closed = self.closed
        at = {subset: number for number, subset in enumerate(closed)}
        below: dict[Subset, list[int]] = {subset: [] for subset in closed}
        for low, high in covers(closed):
            below[high].append(at[low])
        home = {subset: number for number, group in enumerate(self.classes, start=1) for subset in group.closed}
        return [
            {
                "closed": list(ordered(subset)),
                "asked": list(generator(subset)),
                "class": home[subset],
                "covers": sorted(below[subset]),
            }
            for subset in closed
        ]

    def without_entries(self) -> list[dict[str, Any]]:
        """Return an object of JSON for each reason why subsets have no score."""
        return [{"why": why, "weakest": [list(names) for names in sets]} for why, sets in self.without.items()]

    @checked
    def class_of(self, names: Iterable[str]) -> int:
        """Find the position of the class into which a subset falls, closed or not.

        Raises:
            InputError: for one that has no score.
        """
        wanted = ordered(parse_properties(names))
        found = next((number for number, group in enumerate(self.classes) if wanted in group.subsets), None)
        if found is None:
            raise InputError(f"names must be of a subset with a score, got {','.join(wanted)}")
        return found


@dataclass(frozen=True)
class Landscape(Lattice[Fraction]):
    """The classes of a problem, lowest score first, and the closed subsets that a solver was asked for."""

    problem: DesignProblem

    @property
    def decimals(self) -> Names:
        """The scores in decimals, rounded up: six digits, or as many more as tell the classes apart (15 at most)."""
        scores = [group.score for group in self.classes]
        for digits in (6, 9, 12, 15):
            shown = tuple(score_decimal(score, digits) for score in scores)
            if len(set(shown)) == len(set(scores)):
                break
        return shown

    @property
    def prices(self) -> Names:
        """What the best mechanism of each class costs above the cheapest: in percent, where that scores above 0."""
        lowest = self.classes[0].score
        if lowest == 0:
            return ("cheapest", *(f"+{decimal}" for decimal in self.decimals[1:]))
        shares = [float(100 * (group.score / lowest - 1)) for group in self.classes[1:]]
        return ("cheapest", *(f"+{share:.2f} %" for share in shares))

    def tabulate(self) -> Table:
        """Return a row for each class: its score exactly and as a float, its bound, and its sets of properties."""
        return Table.of(
            [
                {
                    "score_exact": fraction_text(group.score),
                    "score": nearest_float(group.score),
                    "lower_bound_exact": fraction_text(group.lower_bound),
                    "lower_bound": nearest_float(group.lower_bound),
                    "status": group.status,
                    "weakest": ";".join(",".join(names) or "none" for names in group.weakest),
                    "subsets": ";".join(",".join(names) or "none" for names in group.subsets),
                }
                for group in self.classes
            ]
        )

    def describe(self) -> str:
        """Describe in one line what was asked, apart from properties."""
        return self.problem.describe().replace("no properties", "all property subsets")

    def __repr__(self) -> str:
        scores = ", ".join(f"{shown} {group.status}" for shown, group in zip(self.decimals, self.classes, strict=True))
        return one_line("Landscape", self.describe(), f"{len(self.classes)} classes", scores)

    def _repr_html_(self) -> str:
        headers = ("class", "score", "status", "subsets", "weakest", "strictest")
        rows = [
            (
                number,
                Bound(group.score),
                group.status,
                len(group.subsets),
                _listed(group.weakest),
                _listed(group.strictest),
            )
            for number, group in enumerate(self.classes, start=1)
        ]
        return page("Landscape", facts([("asked", self.describe())]), table(headers, rows))


@checked
def landscape(
    problem: DesignProblem,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[int], None] = lambda settled: None,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    solve: Solve = design_soon,
) -> Landscape:
    """Find the best score under every subset of the properties, for a problem that asks for none.

    The answer does not depend on who works. With several at a time some designs turn out to be needless.

    Args:
        problem: what is asked besides properties; of one asked by epsilon the landscape at the alpha of its designs.
        time_limit: seconds for all solves together; None means none.
        on_progress: told, after each closed subset, how many are settled.
        jobs, cluster, executor: who designs, as `workers_for` takes them; this process by default.
        solve: makes the designs; the default insists on exact vertices, so that equal scores are seen as equal, and
            skips matrices of more than 128 people that would take more than a minute; `design_exactly` makes them too.

    Raises:
        InputError: if the problem asks for properties itself.
        LimitReachedError: where every subset would be skipped.
        NotCertifiedError, LimitReachedError, MachineError: for the first subset without a certified mechanism.
        ClusterError: if the cluster cannot be reached, or is lost.

    >>> found = landscape(DesignProblem(n=8, alpha="0.9"))
    >>> [str(group.score) for group in found.classes]
    ['18/19', '227147/236196', '114025/118098', '278559/287608']
    """
    if problem.properties:
        asked = ",".join(ordered(problem.properties))
        raise InputError(f"problem must leave the properties to the landscape, got properties={asked}")
    if not problem.privacy.is_exact:
        problem = problem.with_privacy(problem.privacy.at_alpha)
    choice = workers_for(jobs, cluster=cluster, executor=executor)
    started = time.monotonic()
    closed = closed_subsets(problem)
    designs, skipped = SubsetDesigns(problem, time_limit, solve).made(closed, choice, on_progress)
    if not designs:
        raise LimitReachedError(f"no subset has a score: {next(iter(skipped.values()))}")
    classes = score_classes({s: bracket(s, designs) for s in closed if s not in skipped}, closing_of(problem))
    solved = tuple(result.problem.properties for result in designs)
    return Landscape(classes, solved, skipped, time.monotonic() - started, problem)


def all_subsets() -> list[Names]:
    """List all subsets of the lattice's properties, in the usual order of properties, shortest first."""
    return [names for size in range(len(LATTICE) + 1) for names in itertools.combinations(LATTICE, size)]


def closed_subsets(problem: Problem) -> list[Subset]:
    """List the subsets that contain all that they imply, shortest first; without S where S is free for the problem."""
    closing = closing_of(problem)
    return sorted({closing(names) for names in all_subsets()}, key=_shortest_first)


def covers(closed: Sequence[Subset]) -> list[tuple[Subset, Subset]]:
    """List pairs (weaker, stricter) of closed subsets with none between: the edges of the Hasse diagram."""
    return [
        (low, high)
        for low in closed
        for high in closed
        if low < high and not any(low < between < high for between in closed)
    ]


def closing_of(problem: Problem) -> Callable[[Iterable[str]], Subset]:
    """Return the map from any subset to the closed one with the same score."""
    rotations = {name for name in LATTICE if PROPERTIES[name].is_rotation}
    free = rotations if isinstance(problem, LawProblem) or problem.symmetry_is_free else set[str]()
    return lambda names: closure(names) - free


def _shortest_first(subset: Iterable[str]) -> tuple[int, list[int]]:
    places = [place for place, name in enumerate(LATTICE) if name in set(subset)]
    return len(places), places


def _listed(subsets: Iterable[Names]) -> str:
    return "; ".join(",".join(names) or "none" for names in subsets)


def score_classes(
    brackets: Mapping[Subset, tuple[Any, Any]], closing: Callable[[Iterable[str]], Subset]
) -> tuple[ScoreClass[Any], ...]:
    """Group closed subsets with one proved score, each of the others by itself; lowest score first."""
    groups: dict[tuple[Any, Any, int], list[Subset]] = {}
    for number, (subset, (lower, upper)) in enumerate(brackets.items(), start=1):
        assert lower is not None
        assert upper is not None
        groups.setdefault((upper, lower, 0 if lower == upper else number), []).append(subset)
    members: dict[Subset, list[Names]] = {}
    for names in all_subsets():
        members.setdefault(closing(names), []).append(names)
    return tuple(
        ScoreClass(
            score,
            lower,
            tuple(closed),
            tuple(sorted((names for subset in closed for names in members[subset]), key=_shortest_first)),
        )
        for (score, lower, _), closed in sorted(groups.items())
    )


def landscape_document(landscape: Landscape, names: Sequence[str | None]) -> dict[str, Any]:
    """Make the JSON object of a landscape; `names` are those of its classes, None for one without a name.

    A class's `price` is its score less the lowest of all. `without` are the weakest sets that have no score, and why.
    """
    return {
        "format": FORMAT,
        "problem": problem_entry(landscape.problem),
        "classes": [
            {
                "score": exact_entry(group.score),
                "lower_bound": exact_entry(group.lower_bound),
                "price": exact_entry(group.score - landscape.classes[0].score),
                "status": group.status,
                "name": name,
                "weakest": [list(subset) for subset in group.weakest],
                "closed": [list(ordered(subset)) for subset in group.closed],
                "subsets": [list(subset) for subset in group.subsets],
            }
            for group, name in zip(landscape.classes, names, strict=True)
        ],
        "lattice": landscape.lattice_entries(),
        "without": landscape.without_entries(),
        "solved": [list(ordered(subset)) for subset in landscape.solved],
        "symmetry_is_free": landscape.problem.symmetry_is_free,
        "seconds": round(landscape.seconds, 6),
        "version": __version__,
    }
