"""The problem of a law: what is asked of a mechanism for counts of every size, and where no law serves it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from mechdesign.errors import InputError, argument, shorten
from mechdesign.mechanism.layered import LARGEST_MATRIX, MOST_PEOPLE
from mechdesign.problem.design_problem import AGGREGATES, DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import ordered

POWERS = {"L0": 0, "L1": 1, "L2": 2}
"""Losses that laws minimise."""

LAYERED = frozenset({"WH", "RH", "RM", "CH", "CM", "S", "FE"})

FAIR = LAYERED | {"F"}
"""Properties that laws can have: with F under L0 alone."""

MATRIX = f"design a matrix for one n of at most {LARGEST_MATRIX} instead"


@dataclass(frozen=True)
class LawProblem:
    """The problem of a mechanism for counts of every size.

    It has expected loss and uniform prior, or the worst case.

    Args:
        privacy: alpha or epsilon.
        properties: any of WH, RH, RM, CH, CM, S, FE, and F under L0.
        loss: L0, L1 or L2.
        aggregate: `expected`, or under L0 `worst`: the largest loss of any true count.
    """

    privacy: Privacy
    properties: frozenset[str]
    loss: Loss
    aggregate: str = AGGREGATES[0]

    def __post_init__(self) -> None:
        obstacle = no_law(self.properties, self.loss, self.aggregate)
        if obstacle:
            raise InputError(obstacle)

    @property
    def power(self) -> int:
        """The power of the loss."""
        return POWERS[self.loss.name]

    @property
    def is_fair(self) -> bool:
        """Whether the explicit fair mechanism is the best: where F is asked, or the worst case counts."""
        return "F" in self.properties or self.is_worst_case

    @property
    def is_worst_case(self) -> bool:
        """Whether the largest loss of any true count is minimised, under L0."""
        return self.aggregate == "worst"

    def of_size(self, n: int) -> DesignProblem:
        """State the same for groups of one size."""
        return DesignProblem(
            n, privacy=self.privacy, properties=self.properties, loss=self.loss, aggregate=self.aggregate
        )

    def rescaling(self, n: int) -> Fraction:
        """Return the factor from the sum of the losses of all columns to the score."""
        return self.loss.rescaling(n + 1) / (n + 1)

    def with_loss(self, loss: Loss) -> "LawProblem":
        """Return the same problem with another loss."""
        return replace(self, loss=loss)

    def describe(self, n: int | None = None) -> str:
        """Describe the problem in one line, at one n or at any: alpha, properties, loss, prior or worst case."""
        asked = ", ".join(ordered(self.properties)) or "no properties"
        aim = "worst case" if self.is_worst_case else "prior uniform"
        asked = f"{self.privacy.parameter_text()}, {asked}, loss {self.loss.name}, {aim}"
        return f"{'any n' if n is None else f'n = {n}'}, {asked}"


def no_law(properties: Iterable[str], loss: Loss, aggregate: str = AGGREGATES[0]) -> str:
    """Say why no law serves, and what does; empty where one may."""
    names = set(properties)
    its_loss, its_properties = f"{argument('loss')} of a law for every n", f"{argument('properties')} of a law"
    got = f"got {argument('loss')}={loss.name}"
    if loss.name not in POWERS:
        return f"{its_loss} must be L0, L1 or L2, {got}; {MATRIX}"
    unknown = ordered(names - FAIR)
    if unknown:
        return f"{its_properties} for every n must be among {', '.join(ordered(FAIR))}, got {unknown[0]}; {MATRIX}"
    if aggregate not in AGGREGATES:
        return f"aggregate must be {' or '.join(AGGREGATES)}, got aggregate={aggregate}"
    if aggregate == "worst" and POWERS[loss.name]:
        return f"{its_loss} must be L0 in the worst case, {got}; leave {argument('aggregate')} out, or {MATRIX}"
    if "F" in names and POWERS[loss.name]:
        return f"{its_loss} must be L0 where F is asked, {got}; leave F out, or {MATRIX}"
    return ""


def parse_law_then(then: str | Iterable[str], problem: LawProblem) -> tuple[LawProblem, ...]:
    """Read the further respects of a law: losses that it may minimise, each once.

    Raises:
        InputError: for another text, a respect that is there already, or a law that has none.

    >>> problem = LawProblem(Privacy("4/5"), frozenset({"CM"}), Loss.parse("L0"))
    >>> [one.loss.name for one in parse_law_then(("L1", "L2"), problem)]
    ['L1', 'L2']
    """
    asked = [problem]
    for text in [then] if isinstance(then, str) else then:
        name = text.strip().upper()
        if name not in POWERS or problem.is_fair:
            which = "left out for a law with F or the worst case" if problem.is_fair else "L0, L1 or L2 for a law"
            raise InputError(f"then must be {which}, got then={shorten(text)}; {MATRIX}")
        further = problem.with_loss(Loss.parse(name))
        if further in asked:
            raise InputError(f"then must be another respect than those before it, got then={shorten(text)}")
        asked.append(further)
    return tuple(asked[1:])


def no_law_formula(properties: frozenset[str]) -> str:
    """Say why no formula in alpha serves groups of every size, beyond `no_law`; empty where one may."""
    if "F" in properties:
        return "properties must be without F for every n, got F: then EM is the best, by another formula; state one n"
    if "WH" in properties and not properties & {"CH", "CM"}:
        got = ",".join(ordered(properties))
        return f"properties with WH must have CH or CM too for every n, got properties={got}; state one n"
    return ""


@dataclass(frozen=True)
class LawOfSize:
    """The problem for groups of one size that only a law reaches: more than 4095 people.

    Raises:
        InputError: for a smaller n, or one beyond 10^9.
    """

    law: LawProblem
    n: int

    def __post_init__(self) -> None:
        if not LARGEST_MATRIX < self.n <= MOST_PEOPLE:
            raise InputError(f"n must be at most {MOST_PEOPLE}, got n={self.n}")

    @property
    def properties(self) -> frozenset[str]:
        """The properties that are asked."""
        return self.law.properties

    @property
    def privacy(self) -> Privacy:
        """How private it must be."""
        return self.law.privacy
