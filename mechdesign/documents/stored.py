"""A design as a file states it: read by `verify`, believed as far as `verify` proves it, and made the engine's own."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from mechdesign.certificate.row_designs.measuring import ByInput
from mechdesign.certificate.stages import SingleProof, Stage
from mechdesign.designs import Design
from mechdesign.documents.document import document_text
from mechdesign.documents.files import FilePath
from mechdesign.documents.json_text import parse_json
from mechdesign.errors import InputError, RefusedError
from mechdesign.laws.law import Law
from mechdesign.laws.problem import LawProblem
from mechdesign.laws.stage import LawStage
from mechdesign.level_designs import LevelDesign, LevelMechanism
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Bound, Value, facts, one_line, page, table
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.guarantee import Guarantee
from mechdesign.noise_tables.problem import NoiseTableProblem
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.verify import document, formats, formulas, laws, level_design, noise_table, row_design
from mechdesign.verify.certificates import FAIR, ONLY, Certificate
from mechdesign.verify.layers import layer_defects
from mechdesign.verify.proving import Claim
from mechdesign.verify.texts import UnreadableError, number, rational
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.matrix import DIGITS, MatrixWorkload
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import Workload

Parsed = TypeVar(
    "Parsed",
    document.Document,
    row_design.RowDesign,
    laws.LawDocument,
    level_design.LevelDesignDocument,
    noise_table.NoiseTableDocument,
)


@dataclass(frozen=True, repr=False)
class StoredDocument(ABC, Generic[Parsed]):
    """A design document and its verdicts; nothing is believed before `proved`.

    Attributes:
        parsed: what `verify` read.
        raw: the JSON object.
        source: the name of the file, for messages.
    """

    parsed: Parsed
    raw: Mapping[str, Any]
    source: str

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Everything that the document claims, with the verdict of `verify`."""
        return tuple(formats.design_claims(self.parsed))

    @property
    def passed(self) -> bool:
        """Whether no claim is false."""
        return all(claim.true for claim in self.claims)

    def __repr__(self) -> str:
        return one_line(type(self).__name__, self.problem.describe(), claims_words(self.claims))

    def _repr_html_(self) -> str:
        return page("Design document", facts(self._facts()), claims_table(self.claims))

    def _facts(self) -> list[tuple[str, Value]]:
        return [("asked", self.problem.describe())]

    @property
    @abstractmethod
    def problem(self) -> DesignProblem | WorkloadProblem | LawProblem | NoiseTableProblem:
        """What was asked for."""

    @property
    def privacy(self) -> Privacy:
        """How private it must be; noise tables have guarantees instead."""
        assert not isinstance(self.parsed, noise_table.NoiseTableDocument)
        stated = self.parsed.privacy
        if stated.epsilon is None:
            return Privacy(stated.alpha)
        return Privacy.enclosed(stated.epsilon, stated.bound_alpha, stated.alpha)

    @property
    def reached(self) -> tuple[Seconds, str, str]:
        """The times of the three stages, the way in words, and the name of the method."""
        times = self.raw["seconds"]
        seconds = Seconds(*(float(number(times[key], key)) for key in ("solve", "certify", "verify")))
        return seconds, self.raw["how"], self.raw["method"]


@dataclass(frozen=True, repr=False)
class StoredDesign(StoredDocument[document.Document]):
    """The document of a square design, as stored."""

    @cached_property
    def problem(self) -> DesignProblem:
        """What was asked for."""
        found = self.parsed.problem
        loss, prior, aggregate = _aim(found, self.raw["problem"])
        return DesignProblem(
            model=self._model(),
            privacy=self.privacy,
            properties=frozenset(found.properties),
            loss=loss,
            prior=prior,
            aggregate=aggregate,
            step=StepAlpha(found.low, found.high) if found.is_metric else None,
        )

    def _model(self) -> Model:
        entry = self.raw["problem"]
        if entry["model"] == "metric":
            distances = [[rational(value, "distances") for value in row] for row in entry["distances"]]
            return Model.metric(distances, rational(entry["unit"], "unit"))
        if entry["model"] == "count":
            return Model.count(entry["n"])
        return Model.ldp(entry["k"]) if entry["model"] == "ldp" else Model.lldp(entry["k"], entry["radius"])

    @property
    def weights(self) -> list[list[int]]:
        """The matrix, as integers over `denominator`."""
        return self.parsed.weights

    @property
    def denominator(self) -> int:
        """What weights are divided by."""
        return self.parsed.denominator

    @property
    def score(self) -> Fraction:
        """The exact score."""
        return self.parsed.score[0]

    @property
    def lower_bound(self) -> Fraction:
        """The exact bound."""
        return self.parsed.lower_bound[0]

    def mechanism(self) -> Mechanism:
        """Return the matrix as a mechanism.

        Raises:
            InputError: if its weights are not one.
        """
        return Mechanism(tuple(map(tuple, self.weights)), self.denominator)

    def proved(self) -> Design:
        """Return the design, once everything that the document claims is proved; errors as `require_true`."""
        require_true(self.claims, self.source)
        return Design(
            *(self.problem, self.mechanism(), self.parsed.certificate),
            *self.reached,
            score=self.score,
            lower_bound=self.lower_bound,
            holds=tuple(self.parsed.holds),
            stages=self.stages,
            single=self.single,
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The further respects in which it is best."""
        return tuple(map(self._stage, self.parsed.stages, self.raw.get("stages", ())))

    @property
    def single(self) -> SingleProof | None:
        """The proof that no other mechanism has these scores, if there is one."""
        found = self.parsed.single
        if found is None:
            return None
        return SingleProof(found.certificate, tuple(map(tuple, found.penalties)), found.rotations)

    def _stage(self, stage: document.Stage, entry: Mapping[str, Any]) -> Stage:
        own = self.problem.with_aim(*_aim(stage.problem, entry))
        penalties = tuple(map(tuple, stage.penalties))
        return Stage(own, stage.score[0], stage.lower_bound[0], stage.certificate, penalties)


def _aim(found: document.Problem, entry: Mapping[str, Any]) -> tuple[Loss, Prior | None, str]:
    """Return loss, prior and aggregate of a problem or a stage, whose JSON object has their names."""
    table = [[rational(value, "loss") for value in row] for row in entry.get("loss_matrix", ())]
    loss = Loss.from_matrix(table) if table else Loss.parse(entry["loss"])
    if found.prior is None:
        return loss, None, entry["aggregate"]
    weights = entry["prior"] == "weights"
    return loss, Prior.from_weights(found.prior) if weights else Prior.parse(entry["prior"]), entry["aggregate"]


@dataclass(frozen=True, repr=False)
class StoredWorkloadDesign(StoredDocument[row_design.RowDesign]):
    """The document of a design for a workload, as stored."""

    @cached_property
    def problem(self) -> WorkloadProblem:
        """What was asked for."""
        return WorkloadProblem.stated(self._workload(), self.privacy, self.raw["problem"]["aggregate"])

    def _workload(self) -> Workload:
        entry = self.raw["problem"]
        if "queries" not in entry:
            return parse_named_workload(entry["workload"], entry["k"])
        queries = [[rational(value, "queries") for value in row] for row in entry["queries"]]
        return MatrixWorkload.of(queries, entry["workload"][: -DIGITS - 1])

    @property
    def rows(self) -> tuple[str, ...]:
        """A text of k letters 0 and 1 for each output."""
        return tuple(self.raw["rows"])

    def mechanism(self) -> RowMechanism:
        """Return the mechanism.

        Raises:
            InputError: if a weight is not positive or the probabilities of an item do not sum to 1.
        """
        return RowMechanism(self.privacy.alpha, self.rows, tuple(self.parsed.weights), self.parsed.denominator)

    @property
    def alpha(self) -> Fraction:
        """The tightest ratio of two probabilities of a report: 1 where no report tells anything."""
        return self.privacy.alpha if any("0" in row and "1" in row for row in self.rows) else Fraction(1)

    @cached_property
    def column_errors(self) -> tuple[tuple[int, Fraction], ...]:
        """The (item, sum - 1) of the items whose probabilities do not sum to 1."""
        weights, step = self.parsed.weights, 1 / self.privacy.alpha - 1
        total, errors = sum(weights), []
        for item in range(self.parsed.workload.k):
            ones = sum(weight for row, weight in zip(self.rows, weights, strict=True) if row[item] == "1")
            errors.append((item, (total + step * ones) / self.parsed.denominator - 1))
        return tuple((item, error) for item, error in errors if error)

    def _facts(self) -> list[tuple[str, Value]]:
        return [
            *super()._facts(),
            ("outputs", len(self.rows)),
            ("variance for each user", Bound(self.parsed.upper[1])),
            ("lower bound", Bound(self.parsed.lower[1], is_lower=True)),
            ("column sums", f"{len(self.column_errors)} are not 1" if self.column_errors else "exactly 1"),
        ]

    @property
    def inputs(self) -> ByInput:
        """The variance by item."""
        return ByInput(**self.parsed.inputs)

    def proved(self) -> WorkloadDesign:
        """Return the design, once everything that the document claims is proved; errors as `require_true`."""
        require_true(self.claims, self.source)
        found = self.parsed
        exact, value = found.upper
        return WorkloadDesign(
            *(self.problem, self.mechanism(), found.certificate),
            *self.reached,
            score=value if exact is None else exact,
            lower_bound=found.lower[0],
            by_input=self.inputs,
            floor=found.floor,
            has_exact_score=exact is not None,
        )


@dataclass(frozen=True, repr=False)
class StoredLevelDesign(StoredDocument[level_design.LevelDesignDocument]):
    """The document of a design of levels, as stored."""

    @cached_property
    def problem(self) -> WorkloadProblem:
        """What was asked for."""
        workload = parse_named_workload(self.parsed.workload, self.parsed.circle.k)
        return WorkloadProblem.stated(workload, self.privacy, self.raw["problem"]["aggregate"])

    @property
    def mechanism(self) -> LevelMechanism:
        """The levels."""
        circle = self.parsed.circle
        return LevelMechanism(self.privacy.alpha, circle.k, circle.places, self.parsed.levels)

    @property
    def design(self) -> LevelDesign:
        """The design, of which nothing is believed yet."""
        found = self.parsed
        score, bound = found.upper[0], found.lower[0]
        return LevelDesign(
            *(self.problem, self.mechanism, found.certificate, *self.reached),
            score=score,
            lower_bound=bound,
            measured=found.measured,
        )

    def _facts(self) -> list[tuple[str, Value]]:
        return [*super()._facts(), *self.design.facts()]

    def proved(self) -> LevelDesign:
        """Return the design, once everything that its document claims is proved; errors as `require_true`."""
        require_true(self.claims, self.source)
        return self.design


@dataclass(frozen=True, repr=False)
class StoredLaw(StoredDocument[laws.LawDocument]):
    """The document of a law, as stored."""

    @cached_property
    def problem(self) -> LawProblem:
        """What was asked for."""
        found = self.parsed
        loss = Loss.parse(f"L{found.power}")
        return LawProblem(self.privacy, frozenset(found.properties), loss, self.raw["problem"]["aggregate"])

    @cached_property
    def law(self) -> Law:
        """The law, of which nothing is believed yet."""
        found, alpha = self.parsed, self.privacy.alpha
        mechanism: LayeredMechanism | FairMechanism = FairMechanism(alpha)
        certificate = Certificate(FAIR, 1, {})
        if found.layered is not None:
            certificate = found.layered.dual.certificate(found.power)
            layer, remap = found.layered.layer, self.raw["mechanism"].get("remap")
            mechanism = LayeredMechanism(
                layer.alpha, layer.rows, layer.denominator, layer.slopes, None if remap is None else tuple(remap)
            )
        return Law(self.problem, mechanism, certificate, *self.reached, least=found.n, stages=self._stages())

    def _stages(self) -> tuple[LawStage, ...]:
        """Return the further respects in which it is best."""
        every = [self.problem]
        for one in self.parsed.stages:
            every.append(self.problem.with_loss(Loss.parse(f"L{one.power}")))
        return tuple(
            LawStage(
                every[k],
                tuple(every[:k]),
                one.penalties,
                Certificate(ONLY, 1, {}) if one.dual is None else one.dual.certificate(one.power),
            )
            for k, one in enumerate(self.parsed.stages, 1)
        )

    @property
    def alpha(self) -> Fraction | None:
        """The mechanism's alpha; None where it is not private at every size, with columns that sum to 1."""
        layer = self.law.layer
        is_private = layer is None or not any(layer_defects(layer, (), self.law.least))
        return self.privacy.alpha if is_private else None

    @property
    def column_sums_exact(self) -> bool:
        """Whether every column sums to exactly 1 at every size."""
        mechanism = self.law.mechanism
        return isinstance(mechanism, FairMechanism) or mechanism.sums_to_one

    @property
    def n(self) -> int | None:
        """The one size of the document; None where it speaks of every size."""
        return None if self.parsed.onward else self.parsed.n

    def proved(self) -> Law:
        """Return the law, once everything that its document claims is proved; errors as `require_true`."""
        require_true(self.claims, self.source)
        return self.law

    def size(self, n: int | None) -> int:
        """Choose the size at which the law is written out: n, or the only one of the document.

        Raises:
            InputError: where none is given and the document speaks of every size, or where it speaks of another.
        """
        size = self.n if n is None else n
        if size is None:
            raise InputError(f"n must be given for a law for groups of every size, got none with {self.source}")
        if self.n not in (None, size):
            raise InputError(f"n must be {self.n} as in {self.source}, got n={n}")
        return size


@dataclass(frozen=True, repr=False)
class StoredNoiseTable(StoredDocument[noise_table.NoiseTableDocument]):
    """The document of a noise table, as stored."""

    @cached_property
    def problem(self) -> NoiseTableProblem:
        """What was asked for."""
        stated = self.parsed.problem
        guarantees = tuple(Guarantee(one.epsilon, one.delta, one.start, one.weight) for one in stated.guarantees)
        asked = {name: getattr(stated, name) for name in NoiseTableProblem.__dataclass_fields__}
        return NoiseTableProblem(**{**asked, "guarantees": guarantees})

    @property
    def mechanism(self) -> NoiseTable:
        """The table.

        Raises:
            InputError: if its rows are none.
        """
        rows = tuple(tuple(sorted((v, w) for v, w in row.items() if w)) for row in self.parsed.rows)
        return NoiseTable(rows, self.parsed.denominator)

    def proved(self) -> NoiseTableDesign:
        """Return the design, once everything that its document claims is proved; errors as `require_true`."""
        require_true(self.claims, self.source)
        return NoiseTableDesign(
            *(self.problem, self.mechanism, self.parsed.certificate, *self.reached),
            score=noise_table.objective_of(
                self.parsed.problem, [dict(row) for row in self.parsed.rows], self.parsed.denominator
            ),
            lower_bound=self.parsed.lower_bound[0],
            status=self.parsed.status,
        )


WRITTEN = "the design"

ByRule = StoredWorkloadDesign | StoredLevelDesign | StoredLaw | StoredNoiseTable
"""Documents whose mechanism is no square matrix."""

AnyStored = StoredDesign | ByRule


def read_document(data: Any, source: str) -> AnyStored:
    """Read a design, a law, a design for a workload or a noise table from JSON values.

    Raises:
        InputError: naming the key that is missing, unknown or malformed.
    """
    try:
        found = formats.read_design(data)
        if isinstance(found, formulas.FormulaDocument):
            raise InputError("file must be of one design, got a formula, which mechdesign check and read_formula take")
        stored: AnyStored
        if isinstance(found, document.Document):
            stored = StoredDesign(found, data, source)
        elif isinstance(found, row_design.RowDesign):
            stored = StoredWorkloadDesign(found, data, source)
        elif isinstance(found, level_design.LevelDesignDocument):
            stored = StoredLevelDesign(found, data, source)
        elif isinstance(found, noise_table.NoiseTableDocument):
            stored = StoredNoiseTable(found, data, source)
        else:
            stored = StoredLaw(found, data, source)
        _ = stored.problem  # it can be stated
    except (UnreadableError, InputError) as error:
        raise InputError(f"{error} (in {source})") from None
    return stored


def proved_text(document: Mapping[str, Any]) -> str:
    """Write the document of a design, once `verify` has proved what the text says.

    Raises:
        RefusedError: naming the first claim that is not proved.
    """
    text = document_text(document)
    require_true(read_document(parse_json(text, WRITTEN), WRITTEN).claims, WRITTEN)
    return text


def require_true(claims: Iterable[Claim], source: FilePath) -> None:
    """Refuse a file that claims what is false.

    Raises:
        RefusedError: naming the first such claim.
    """
    for claim in claims:
        if not claim.true:
            detail = f" ({claim.detail})" if claim.detail else ""
            raise RefusedError(f"refused: {source} claims what is false: {claim.claim}{detail}")


def claims_words(claims: Collection[Claim]) -> str:
    """Say how many claims are false."""
    false = sum(not claim.true for claim in claims)
    return f"{false} of {len(claims)} claims false" if false else f"{len(claims)} claims, all true"


def claims_table(claims: Iterable[Claim]) -> str:
    """Show claims, each with its verdict, as a table of a notebook."""
    rows = [(claim.claim, "true" if claim.true else "FALSE", "" if claim.true else claim.detail) for claim in claims]
    return table(("claim", "", "detail"), rows)
