"""Choose the mechanism for each group: one design for each size, or one mechanism of a file for all."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from mechdesign.designs import Design, design
from mechdesign.documents.claims import document_claims, require_true
from mechdesign.documents.document import Document, design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.storage import read_count_mechanism, read_matrix
from mechdesign.errors import InputError
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
from mechdesign.rational import integer_text
from mechdesign.releases.record import SizeEntry
from mechdesign.workers.choosing import IN_PROCESS, workers_for
from mechdesign.workers.work_through import work_through

USUAL_PROPERTIES = "WH,RM,CM"
USUAL_LOSS = "L1"
"""What a release is designed for unless something else is asked for."""

WORTH_PROCESSES = 5.0
"""Seconds of work below which starting processes, a second or two for each, does not pay."""

Entry = Mapping[str, Any]


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

    def agrees(self, entry: SizeEntry) -> bool:
        """Tell whether a record's design is what these would take."""


class SizeDesigner(Protocol):
    """Designs one mechanism for each size, all for one problem but for n."""

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


@dataclass(frozen=True)
class DesignRequest:
    """State what is asked of the design for every size.

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
        return design(self.problem(size), solver=self.solver, time_limit=self.time_limit)

    def seconds(self, size: int) -> float:
        """Estimate the time of a design."""
        return self.estimate(self.problem(size))

    def estimate(self, problem: DesignProblem) -> float:
        """Estimate the time of a problem by this solver."""
        return make_plan(problem, solver=self.solver).order[0].estimate(problem).seconds


def _with_entry(request: SizeDesigner, size: int) -> tuple[Mechanism, Entry]:
    """Design the mechanism for groups of one size; returns it with its document."""
    best = request.design(size)
    entry = parse_json(document_text(design_document(best)), f"the design for n = {size}")
    assert isinstance(entry, dict)
    return best.mechanism, entry


def require_group_sizes(sizes: Iterable[int]) -> None:
    """Refuse groups that no design can have; how large they are is not repeated.

    Raises:
        InputError: for a group of another size than 1 to 4095.
    """
    for size in sizes:
        if not 1 <= size < MAX_SIZE:
            got = "a larger one" if size else "one of 0"
            raise InputError(f"groups must have 1 to {MAX_SIZE - 1} units, got {got}")


class DesignedSizes:
    """Design one mechanism for each size, when it is first needed or is prepared."""

    def __init__(self, request: SizeDesigner) -> None:
        self.request = request
        self._made: dict[int, tuple[Mechanism, Entry]] = {}
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

    def prepare(self, sizes: Iterable[int], tick: Callable[[int], None]) -> None:
        """Design for all these sizes, in processes where that is estimated to pay."""
        wanted = sorted(set(sizes) - self._made.keys(), reverse=True)
        require_group_sizes(wanted)
        work = sum(map(self.request.seconds, wanted))
        chosen = workers_for(jobs=None) if work >= WORTH_PROCESSES else IN_PROCESS
        before = len(self._made)
        with chosen.open(len(wanted)) as workers:
            for outcome in work_through(
                partial(_with_entry, self.request), wanted, workers, lambda: tick(len(self._made) - before)
            ):
                size = wanted[outcome.place]
                self._made[size] = outcome.result(f"the design for n = {size}")

    def agrees(self, entry: SizeEntry) -> bool:
        """Tell whether a design is for the problem of its size, and, of a closed form, that form."""
        if entry.document is None or entry.document.problem != self.request.problem(entry.size):
            return False
        return self.request.form is None or entry.mechanism == self.request.design(entry.size).mechanism

    def _found(self, size: int) -> tuple[Mechanism, Entry]:
        if size not in self._made:
            self._made[size] = _with_entry(self.request, size)
        return self._made[size]


@dataclass(frozen=True)
class GivenMechanism:
    """Take one mechanism for all groups, which must be of its size."""

    given: Mechanism
    alpha: Fraction
    document: Document | None
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
            require_true(document_claims(document), path)
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

    def agrees(self, entry: SizeEntry) -> bool:
        """Tell whether a design is this one."""
        return entry.size == self.size and entry.digest == SizeEntry(self.size, 1, self.entry(self.size)).digest
