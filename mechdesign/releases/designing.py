"""Mechanisms for the groups of a release.

They are one design for each size, one law for many, or one mechanism of a file for all.

A matrix for n people has (n+1)^2 entries. Where those of all sizes have more than `MATRIX_ENTRIES` together, and a law
for every n serves what is asked, groups are released by the law from the first size on for which it is proved to be
within `LAW_GAP` of the best at its own alpha (under L0: to be the best). Smaller sizes have a matrix each.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from mechdesign.canonical import canonical_design
from mechdesign.designs import Design
from mechdesign.documents.document import design_document
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.storage import read_count_mechanism, read_matrix
from mechdesign.documents.stored import StoredDesign, proved_text, require_true
from mechdesign.errors import InputError, NoAnswerError
from mechdesign.laws.finding import find_law
from mechdesign.laws.law import Law
from mechdesign.laws.problem import LawProblem
from mechdesign.mechanism.fair import LawMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.methods.method import OWN_SOLVER
from mechdesign.methods.plan import make_plan
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MAX_SIZE
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy
from mechdesign.program.clock import Clock
from mechdesign.rational import integer_text
from mechdesign.releases.record import LawEntry, SizeEntry
from mechdesign.workers.choosing import IN_PROCESS, workers_for
from mechdesign.workers.work_through import work_through

USUAL_PROPERTIES = "WH,RM,CM"
USUAL_LOSS = "L1"
"""What a release is designed for unless something else is asked for."""

WORTH_PROCESSES = 5.0
"""Seconds of work below which starting processes, a second or two for each, does not pay."""

MATRIX_ENTRIES = 10_000
"""Matrices with more entries than this together give way to a law, where one serves."""

MOST_ENTRIES = 1 << 25
"""Matrices with more entries than this together are refused: to design them takes days."""

LAW_GAP = Fraction(1, 10**6)
"""The widest proved gap of a law, as a part of the score, with which groups are released by it."""

LARGEST_FIRST = 1 << 20
"""A law whose gap is wider at this size is not taken."""

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class SelectedLaw:
    """A law with its document, and the first size that is released by it."""

    law: Law
    entry: Entry
    first: int

    @classmethod
    def of(cls, law: Law) -> "SelectedLaw | None":
        """Find the first size for which a law is good enough; None where there is none."""
        if not _serves(law, LARGEST_FIRST):
            return None
        low, high = law.least, LARGEST_FIRST
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if _serves(law, middle) else (middle + 1, high)
        entry = parse_json(proved_text(design_document(law)), "the law")
        assert isinstance(entry, dict)
        return cls(law, entry, low)

    @property
    def mechanism(self) -> LawMechanism:
        """The mechanism of every size."""
        return self.law.mechanism


def _serves(law: Law, size: int) -> bool:
    widest = Fraction(0) if law.problem.power == 0 else LAW_GAP
    return law.own_gap(size) <= widest and law.gap(size) <= LAW_GAP


class Designs(Protocol):
    """Mechanisms by group size, each with what a record says of it."""

    @property
    def alpha(self) -> Fraction:
        """The alpha that every group gets at least."""

    def mechanism(self, size: int) -> Mechanism:
        """Return the mechanism for groups of this size.

        Raises:
            InputError: where there is none.
        """

    def entry(self, size: int) -> Entry:
        """Return its design document; for a plain matrix of a file, its integers alone."""

    def prepare(self, sizes: Iterable[int], tick: Callable[[int], None]) -> None:
        """Make what these sizes need; `tick` is told how many are done."""

    def agrees(self, entry: SizeEntry | LawEntry) -> bool:
        """Return whether a record's design is what these would take."""

    def by_law(self, sizes: list[int]) -> tuple[LawMechanism, list[int]] | None:
        """Return the mechanism of a law, and which of these sizes it serves; None without one."""

    @property
    def law(self) -> SelectedLaw | None:
        """The law that is taken for many sizes."""


class SizeDesigner(Protocol):
    """Designs one mechanism for each size, all for one problem but for n, or one law for many sizes."""

    @property
    def privacy(self) -> Privacy:
        """The privacy of each design."""

    @property
    def form(self) -> str | None:
        """The name of the closed form that is taken; None where the best mechanism is."""

    def problem(self, size: int) -> DesignProblem:
        """State the problem for groups of one size."""

    def design(self, size: int) -> Design:
        """Design the mechanism for groups of one size."""

    def seconds(self, size: int) -> float:
        """Estimate the time of a design."""

    def find_law(self) -> Law:
        """Design the law for every size.

        Raises:
            InputError: where none serves, saying why.
            NoAnswerError: where none is found.
        """


@dataclass(frozen=True)
class DesignRequest:
    """The problem that the design for every size has to solve.

    Args:
        privacy: the alpha of each.
        properties: names between commas.
        loss: whose expectation is the least.
        prior: over the true counts; uniform if not given.
        solver: of linear programs.
        time_limit: seconds for each design.
    """

    privacy: Privacy
    properties: str = USUAL_PROPERTIES
    loss: Loss = field(default_factory=lambda: Loss.parse(USUAL_LOSS))
    prior: Prior | None = None
    solver: str = OWN_SOLVER
    time_limit: float | None = None
    form: None = None

    def problem(self, size: int) -> DesignProblem:
        """State the problem for groups of one size."""
        return DesignProblem(size, privacy=self.privacy, properties=self.properties, loss=self.loss, prior=self.prior)

    def design(self, size: int) -> Design:
        """Design the mechanism for groups of one size."""
        return canonical_design(self.problem(size), solver=self.solver, time_limit=self.time_limit)

    def seconds(self, size: int) -> float:
        """Estimate the time of a design."""
        return self.estimate(self.problem(size))

    def estimate(self, problem: DesignProblem) -> float:
        """Estimate the time of a problem by this solver."""
        return make_plan(problem, solver=self.solver).order[0].estimate(problem).seconds

    def find_law(self) -> Law:
        """Design the law for every size."""
        problem = self.problem(1)
        if problem.prior.name != "uniform" or self.solver != OWN_SOLVER:
            raise InputError("a law for every size must be for a uniform prior, by the usual solver")
        return find_law(LawProblem(self.privacy, problem.properties, problem.loss), Clock(self.time_limit))


def _with_entry(request: SizeDesigner, size: int) -> tuple[Mechanism, Entry]:
    """Design the mechanism for groups of one size; returns it with its document."""
    best = request.design(size)
    entry = parse_json(proved_text(design_document(best)), f"the design for n = {size}")
    assert isinstance(entry, dict)
    return best.mechanism, entry


def _entries(sizes: Iterable[int]) -> int:
    """Count the entries of a matrix for each size."""
    return sum((size + 1) ** 2 for size in sizes)


class DesignedSizes:
    """Mechanisms for sizes, designed when first needed or prepared, or one law for many."""

    def __init__(self, request: SizeDesigner) -> None:
        self.request = request
        self._made: dict[int, tuple[Mechanism, Entry]] = {}
        self._asked: set[int] = set()
        self._obstacle = ""
        self.law: SelectedLaw | None = None
        request.problem(1)  # refuses what no size can have

    @property
    def alpha(self) -> Fraction:
        """The alpha asked for."""
        return self.request.privacy.alpha

    def mechanism(self, size: int) -> Mechanism:
        """Return the mechanism for groups of this size."""
        return self._found(size)[0]

    def entry(self, size: int) -> Entry:
        """Return its design document."""
        return self._found(size)[1]

    def choose(self, sizes: Iterable[int]) -> list[int]:
        """Choose the mechanisms of these sizes and of all before, and return those of them that a law serves.

        Raises:
            InputError: for groups that no design can have; how large they are is not repeated.
        """
        asked = set(sizes)
        self._asked |= asked
        if self.law is None and not self._obstacle and _entries(self._asked) > MATRIX_ENTRIES:
            self._take_law()
        served = sorted(size for size in asked if self.is_by_law(size))
        own = self._asked if self.law is None else [size for size in self._asked if not self.is_by_law(size)]
        limit = f"groups must have 1 to {MAX_SIZE - 1} units"
        if not all(1 <= size < MAX_SIZE for size in own):
            got = "a larger one" if min(asked) else "one of 0"
            raise InputError(f"{limit}, got {got}{self._why_no_law()}")
        if _entries(own) > MOST_ENTRIES:
            raise InputError(
                f"matrices of all sizes must have at most {MOST_ENTRIES} entries together, got more{self._why_no_law()}"
            )
        return served

    def is_by_law(self, size: int) -> bool:
        """Return whether groups of this size are released by the law: not where a matrix was made before."""
        return self.law is not None and size >= self.law.first and size not in self._made

    def _take_law(self) -> None:
        try:
            self.law = SelectedLaw.of(self.request.find_law())
        except (InputError, NoAnswerError) as error:
            self._obstacle = str(error)
        else:
            self._obstacle = "" if self.law else "no law is near enough to the best"

    def _why_no_law(self) -> str:
        return f"; larger ones need a law for every size: {self._obstacle}" if self._obstacle else ""

    def prepare(self, sizes: Iterable[int], tick: Callable[[int], None]) -> None:
        """Design for all these sizes, in processes where that is estimated to pay."""
        every = set(sizes)
        wanted = sorted(every - set(self.choose(every)) - self._made.keys(), reverse=True)
        work = sum(map(self.request.seconds, wanted))
        chosen = workers_for(jobs=None) if work >= WORTH_PROCESSES else IN_PROCESS
        before = len(self._made)
        with chosen.open(len(wanted)) as workers:
            for outcome in work_through(
                partial(_with_entry, self.request), wanted, workers, lambda: tick(len(self._made) - before)
            ):
                size = wanted[outcome.place]
                self._made[size] = outcome.result(f"the design for n = {size}")

    def by_law(self, sizes: list[int]) -> tuple[LawMechanism, list[int]] | None:
        """Choose the mechanisms of these sizes, and return the law's with the sizes that it serves."""
        served = self.choose(sizes)
        return None if self.law is None else (self.law.mechanism, served)

    def agrees(self, entry: SizeEntry | LawEntry) -> bool:
        """Return whether a design is for the problem of its size, or of all sizes, and, of a closed form, that form."""
        if isinstance(entry, LawEntry):
            own = self.request.problem(1)
            asked = own.privacy, own.properties, own.loss, own.aggregate
            found = entry.law.problem
            same = (found.privacy, found.properties, found.loss, found.aggregate) == asked
            return same and own.prior.name == "uniform"
        if entry.document is None or entry.document.problem != self.request.problem(entry.size):
            return False
        return self.request.form is None or entry.mechanism == self.request.design(entry.size).mechanism

    def _found(self, size: int) -> tuple[Mechanism, Entry]:
        if size not in self._made:
            self._made[size] = _with_entry(self.request, size)
        return self._made[size]


@dataclass(frozen=True)
class GivenMechanism:
    """One mechanism for all groups, which must be of its size."""

    given: Mechanism
    alpha: Fraction
    document: StoredDesign | None
    name: str

    @classmethod
    def read(cls, path: Path) -> "GivenMechanism":
        """Read a mechanism for counts; everything that a design document says is proved first.

        Raises:
            InputError: for a file that is unusable.
            RefusedError: naming the first claim of a document that is false.
        """
        document = read_matrix(path).document
        if document is None:
            mechanism = read_count_mechanism(path)
        else:
            if document.problem.model.name != "count":
                raise InputError(f"mechanism must be for counts, got {document.problem.model.describe()} in {path}")
            require_true(document.claims, path)
            mechanism = document.mechanism()
        alpha = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs)).alpha
        assert alpha is not None  # neither kind is taken with an infinite epsilon
        return cls(mechanism, alpha, document, str(path))

    @property
    def size(self) -> int:
        """The n of its groups."""
        return self.given.n_inputs - 1

    def mechanism(self, size: int) -> Mechanism:
        """Return the mechanism."""
        if size != self.size:
            raise InputError(f"mechanism must have the size of every group, got n = {self.size} in {self.name}")
        return self.given

    def entry(self, size: int) -> Entry:
        """Return its design document, or its integers."""
        if self.document is not None:
            return dict(self.document.raw)
        rows = [[integer_text(weight) for weight in row] for row in self.given.weights]
        return {"denominator": integer_text(self.given.denominator), "weights": rows}

    def prepare(self, sizes: Iterable[int], tick: Callable[[int], None]) -> None:
        """Refuse groups of another size."""
        for size in sizes:
            self.mechanism(size)

    @property
    def law(self) -> None:
        """There is none beside a given mechanism."""

    def by_law(self, sizes: list[int]) -> None:
        """Return None: there is no law beside a given mechanism."""

    def agrees(self, entry: SizeEntry | LawEntry) -> bool:
        """Return whether a design is this one."""
        if isinstance(entry, LawEntry):
            return False
        return entry.size == self.size and entry.digest == SizeEntry(self.size, 1, self.entry(self.size)).digest
