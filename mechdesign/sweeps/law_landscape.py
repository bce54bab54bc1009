"""The price of properties at every size at once: subsets grouped by the formula of their law.

Under L0 a layered law scores `s + (s + 2 E)/n` at every n from its least on, where s is the loss of an input far from
both ends, and E the excess of one end. Under L1 and L2 it scores `s + 2 E/(n+1)`, but for a term that falls like a
power of alpha with n; without CH and CM, WH makes E itself affine in `1/(n+1)`. Where the laws of two sets have one E,
they score the same at every n, but for such a term; else the one with the smaller E scores less from some n on.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechdesign.arguments import checked
from mechdesign.documents.document import exact_entry, law_problem_entry
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, LimitReachedError, NotCertifiedError
from mechdesign.laws.finding import find_law
from mechdesign.laws.law import LONGEST_IN_FORMULA, Law
from mechdesign.laws.problem import LawProblem, no_law
from mechdesign.mechanism.notebook import facts, one_line, page, table
from mechdesign.problem.properties import ordered
from mechdesign.program.clock import Clock
from mechdesign.rational import fraction_text
from mechdesign.sweeps.landscape import Lattice, ScoreClass, closed_subsets, closing_of, score_classes
from mechdesign.sweeps.subset_designs import Names, Problem, SkippedSubset, SubsetDesigns, bracket
from mechdesign.verify.layers import bulk_loss
from mechdesign.version import __version__
from mechdesign.workers.choosing import workers_for

FORMAT = "mechdesign-law-landscape/1"


@dataclass(frozen=True, order=True)
class Excess:
    """The excess cost of both ends, `constant + slope/(n+1)`; in the order of large n.

    It is measured against inputs far from the ends.
    """

    constant: Fraction
    slope: Fraction

    def __sub__(self, other: "Excess") -> "Excess":
        return Excess(self.constant - other.constant, self.slope - other.slope)

    def entry(self) -> dict[str, Any]:
        """Return it as an object of JSON."""
        return {"constant": exact_entry(self.constant), "slope": exact_entry(self.slope)}


@dataclass(frozen=True)
class LawOfAll:
    """A law by what it says of every n at once."""

    law: Law

    @property
    def problem(self) -> LawProblem:
        """What it solves."""
        return self.law.problem

    @property
    def score(self) -> Excess:
        """The excess of both ends; of the fair law 0, which it stays below by a power of alpha."""
        constant, slope = self.law.excess
        return Excess(2 * constant, 2 * slope)

    @property
    def lower_bound(self) -> Excess:
        """That of the bound."""
        constant, slope = self.law.bound_excess
        return Excess(2 * constant, 2 * slope)

    @property
    def holds(self) -> Names:
        """Every property that the law has at every n."""
        return self.law.holds()


@dataclass(frozen=True)
class LawLandscape(Lattice[Excess]):
    """The classes of laws, lowest excess first, and the laws from which all of it follows."""

    problem: LawProblem
    laws: tuple[Law, ...]

    def laws_of(self, group: ScoreClass[Excess]) -> list[Law]:
        """List the laws of which the score, or the bound, is that of a class."""
        ends = {group.score, group.lower_bound}
        return [law for law in self.laws if {LawOfAll(law).score, LawOfAll(law).lower_bound} & ends]

    def least(self, group: ScoreClass[Excess]) -> int:
        """Return the n from which what is said of a class is proved."""
        return max(law.least for law in self.laws_of(group))

    def is_fair(self, group: ScoreClass[Excess]) -> bool:
        """Return whether the explicit fair mechanism is the best of a class."""
        return all(law.layer is None for law in self.laws_of(group))

    @property
    def names(self) -> tuple[str | None, ...]:
        """Name the classes: GM where the layer is one row, EM where it is by its formula, else None."""
        return tuple(
            "EM" if self.is_fair(group) else "GM" if any(_is_geometric(law) for law in self.laws_of(group)) else None
            for group in self.classes
        )

    @property
    def decimals(self) -> Names:
        """The score of each class as a formula in n; y is the diagonal of EM."""
        return tuple(self._formula(group) for group in self.classes)

    @property
    def prices(self) -> Names:
        """What each class costs above the cheapest, at large n."""
        lowest = self.classes[0].score
        found = ["cheapest"]
        for group in self.classes[1:]:
            terms = self._terms(group.score - lowest)
            size, power = next((abs(value), over) for value, over in terms if value)
            found.append(f"{'< ' if self.is_fair(group) else ''}+{float(size):.4g}/{power}")
        return tuple(found)

    def _terms(self, excess: Excess) -> list[tuple[Fraction, str]]:
        """Return what an excess adds to the score: numbers, and what they are divided by."""
        if self.problem.power:
            return [(excess.constant, "(n+1)"), (excess.slope, "(n+1)^2")]
        return [(excess.constant, "n")]

    def _formula(self, group: ScoreClass[Excess]) -> str:
        if self.is_fair(group):
            return "(1 + 1/n)(1 - y)"
        cost = bulk_loss(self.problem.privacy.alpha, self.problem.power)
        beyond = Fraction(0) if self.problem.power else cost  # (n+1) s, over n
        terms = [(cost, ""), *self._terms(replace(group.score, constant=group.score.constant + beyond))]
        return _sum([(value, over) for value, over in terms if value])

    def describe(self) -> str:
        """Describe in one line what was asked, apart from properties."""
        return self.problem.describe().replace("no properties", "all property subsets")

    def tabulate(self) -> Table:
        """Return a row for each class: its formula, the excess exactly, from which n on, and its sets of properties."""
        return Table.of(
            [
                {
                    "score": formula,
                    "excess_exact": fraction_text(group.score.constant),
                    "excess": float(group.score.constant),
                    "excess_slope_exact": fraction_text(group.score.slope),
                    "excess_slope": float(group.score.slope),
                    "from_n": self.least(group),
                    "name": name or "",
                    "weakest": ";".join(",".join(names) or "none" for names in group.weakest),
                    "subsets": ";".join(",".join(names) or "none" for names in group.subsets),
                }
                for group, name, formula in zip(self.classes, self.names, self.decimals, strict=True)
            ]
        )

    def __repr__(self) -> str:
        return one_line("LawLandscape", self.describe(), f"{len(self.classes)} classes", "; ".join(self.decimals))

    def _repr_html_(self) -> str:
        headers = ("class", "score", "from n", "subsets", "weakest")
        rows = [
            (number, formula, self.least(group), len(group.subsets), "; ".join(map(",".join, group.weakest)) or "none")
            for number, (group, formula) in enumerate(zip(self.classes, self.decimals, strict=True), start=1)
        ]
        without = [("without a law", f"{'; '.join(map(','.join, sets))}: {why}") for why, sets in self.without.items()]
        return page("Landscape of laws", facts([("asked", self.describe()), *without]), table(headers, rows))


@checked
def law_landscape(
    problem: LawProblem,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[int], None] = lambda settled: None,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
) -> LawLandscape:
    """Find the law of every subset of the properties, for a problem that asks for none, and which have the same score.

    Args:
        problem: what is asked besides properties; of one asked by epsilon the landscape at the alpha of its laws.
        time_limit: seconds for all searches together; None means none.
        on_progress: told, after each closed subset, how many are settled.
        jobs, cluster, executor: who searches, as `workers_for` takes them; this process by default.

    Raises:
        InputError: if the problem asks for properties itself.
        LimitReachedError: where the time limit ends a search, or no subset has a law.

    >>> from mechdesign.problem.loss import Loss
    >>> from mechdesign.problem.privacy import Privacy
    >>> found = law_landscape(LawProblem(Privacy("4/5"), frozenset(), Loss.parse("L0")))
    >>> found.decimals
    ('8/9', '8/9 + (203/1152)/n', '(1 + 1/n)(1 - y)')
    """
    if problem.properties:
        asked = ",".join(ordered(problem.properties))
        raise InputError(f"problem must leave the properties to the landscape, got properties={asked}")
    if not problem.privacy.is_exact:
        problem = replace(problem, privacy=problem.privacy.at_alpha)
    choice = workers_for(jobs, cluster=cluster, executor=executor)
    started = time.monotonic()
    closed = closed_subsets(problem)
    obstacles = {subset: no_law(subset, problem.loss, problem.aggregate) for subset in closed}
    reasons = {subset: str(InputError(why)) for subset, why in obstacles.items() if why}
    served = [subset for subset in closed if subset not in reasons]
    made, skipped = SubsetDesigns(problem, time_limit, search_law).made(served, choice, on_progress)
    laws = [one for one in made if isinstance(one, LawOfAll)]
    if not laws:
        raise LimitReachedError(f"no subset has a law: {next(iter(skipped.values()))}")
    brackets = {subset: bracket(subset, laws) for subset in served if subset not in skipped}
    solved = tuple(one.problem.properties for one in laws)
    return LawLandscape(
        score_classes(brackets, closing_of(problem)),
        solved,
        reasons | skipped,
        time.monotonic() - started,
        problem,
        tuple(one.law for one in laws),
    )


def search_law(problem: Problem, seconds: float | None) -> LawOfAll | SkippedSubset:
    """Find a law; or say why none was found."""
    assert isinstance(problem, LawProblem)
    try:
        return LawOfAll(find_law(problem, Clock(seconds)))
    except (InputError, NotCertifiedError) as error:
        return SkippedSubset(str(error))


def law_landscape_document(landscape: LawLandscape) -> dict[str, Any]:
    """Make the JSON object of a landscape of laws.

    A class's score is `s + excess/(n+1)`, with `excess = constant + slope/(n+1)`, times `(n+1)/n` under L0; under L1
    and L2 but for a term that falls like a power of alpha, and with F (`law`: `fair law`) below it by such a term.
    """
    classes = zip(landscape.classes, landscape.names, landscape.decimals, landscape.prices, strict=True)
    return {
        "format": FORMAT,
        "problem": {**law_problem_entry(landscape.problem, 0), "n": "any"},
        "s": exact_entry(bulk_loss(landscape.problem.privacy.alpha, landscape.problem.power)),
        "classes": [
            {
                "score": formula,
                "excess": group.score.entry(),
                "bound_excess": group.lower_bound.entry(),
                "price": price,
                "status": group.status if not landscape.problem.power else "certified",
                "law": "fair law" if landscape.is_fair(group) else "layer",
                "from": landscape.least(group),
                "name": name,
                "weakest": [list(subset) for subset in group.weakest],
                "closed": [list(ordered(subset)) for subset in group.closed],
                "subsets": [list(subset) for subset in group.subsets],
            }
            for group, name, formula, price in classes
        ],
        "lattice": landscape.lattice_entries(),
        "without": landscape.without_entries(),
        "solved": [list(ordered(subset)) for subset in landscape.solved],
        "symmetry_is_free": True,
        "seconds": round(landscape.seconds, 6),
        "version": __version__,
    }


def _is_geometric(law: Law) -> bool:
    return law.layer is not None and law.layer.depth == 1 and law.layer.slopes is None


def _sum(terms: Iterable[tuple[Fraction, str]]) -> str:
    """Write a sum of numbers over what they are divided by; fractions where they are short, else about, in decimals."""
    text, about = "", ""
    for value, over in terms:
        size = fraction_text(abs(value))
        if len(size) > LONGEST_IN_FORMULA // 2:
            size, about = f"{float(abs(value)):.9g}", "about "
        number = f"({size})/{over}" if "/" in size and over else f"{size}/{over}" if over else size
        text += f" {'-' if value < 0 else '+'} {number}" if text else f"{'-' if value < 0 else ''}{number}"
    return f"{about}{text or '0'}"
