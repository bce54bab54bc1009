"""The audit of a matrix in exact arithmetic: its properties, and a verdict on each claim."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

from mechdesign.arguments import checked
from mechdesign.audits.derivation import Violation, derivation_violation
from mechdesign.audits.matrices import AnyMatrix, Rows, half_units, integer_matrix, open_matrix, read_if_file
from mechdesign.audits.within import NearbyProperties, find_within
from mechdesign.certificate.proof import kernel_loss
from mechdesign.certificate.score import weights_score
from mechdesign.designs import Design
from mechdesign.documents.document import RuleDesign
from mechdesign.documents.files import FilePath
from mechdesign.documents.precision import Halves
from mechdesign.documents.storage import StoredMatrix
from mechdesign.documents.stored import (
    ByRule,
    StoredDesign,
    claims_table,
    claims_words,
)
from mechdesign.errors import InputError
from mechdesign.mechanism.breaches import Breaches, find_breaches
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Bound, Value, facts, one_line, page
from mechdesign.mechanism.tightest import Tightest, tightest_alpha
from mechdesign.problem.design_problem import STEP_BITS
from mechdesign.problem.distances import distances_hold
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy, loss_above, loss_text
from mechdesign.problem.properties import find_property, ordered, parse_properties, properties_of
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import Number, as_rational, number_text
from mechdesign.verify.proving import Claim

SUM_ROUNDING = Fraction(1, 10**9)
"""Column sums this close to 1 differ from it by rounding alone; `column_sums_exact` does not forgive even that."""

AUDIT_LOSSES = ("L0", "L0:1", "L1", "L2")


@dataclass(frozen=True)
class Audit:
    """Exact findings about a matrix.

    `own` is the tightest alpha for the neighbours of `model` (counts unless said otherwise), `path` and `complete` for
    neighbouring counts and for any two inputs (LDP). `column_errors`
    lists (input, sum - 1) of columns that do not sum to 1, `worst_row_error` is the largest such error of a row;
    `negative` lists (output, input) of negative entries.
    `holds` and `scores` (uniform prior) are empty for a matrix that is not square. `derivable` tells whether the
    geometric mechanism at `derivation_alpha` can be post-processed into it; None where the question makes no sense.
    `within` says what holds for some matrix within the precision of floats, or a tolerance; None for exact numbers.
    """

    n_outputs: int
    n_inputs: int
    model: Model | None
    own: Tightest
    path: Tightest
    complete: Tightest
    column_errors: tuple[tuple[int, Fraction], ...]
    negative: tuple[tuple[int, int], ...]
    worst_row_error: Fraction
    holds: tuple[str, ...]
    scores: dict[str, Fraction]
    derivable: bool | None
    derivation_alpha: Fraction | None
    violation: Violation | None
    claims: tuple[Claim, ...]
    within: NearbyProperties | None = None

    @property
    def epsilon(self) -> float:
        """The tightest epsilon for the model's neighbours: per person, per change of item, per 1 of distance."""
        return math.inf if self.own.alpha is None else loss_above(self.own.alpha, self._own_length)

    @property
    def alpha(self) -> Fraction | None:
        """The rational `exp(-epsilon)`; None for infinite epsilon, and where neighbours are not at distance 1."""
        plain = self.own.length == 1 and (self.model is None or self.model.unit == 1)
        return self.own.alpha if plain else None

    @property
    def column_sums_exact(self) -> bool:
        """Whether every column sums to exactly 1."""
        return not self.column_errors

    @property
    def passed(self) -> bool:
        """Whether no claim is false: exactly, or for some matrix within the tolerance where one was given."""
        if self.within is not None and self.within.tolerance is not None:
            return self.within.passed
        return all(claim.true for claim in self.claims)

    def __repr__(self) -> str:
        return one_line(
            "Audit",
            self._described(),
            f"epsilon {self._epsilon_text()}",
            claims_words(self.claims) if self.claims else "",
        )

    def _epsilon_text(self) -> str:
        return "infinite" if self.own.alpha is None else loss_text(self.own.alpha, length=self._own_length)

    @property
    def _own_length(self) -> Fraction:
        """The distance of the two neighbours that decide epsilon."""
        return self.own.length * (Fraction(1) if self.model is None else self.model.unit)

    def _described(self) -> str:
        inputs = "taken for counts" if self.model is None else self.model.describe()
        return f"{self.n_outputs} outputs x {self.n_inputs} inputs, {inputs}"

    def _repr_html_(self) -> str:
        derivable = {None: "not asked", True: "yes", False: "no"}[self.derivable]
        rows: list[tuple[str, Value]] = [
            ("matrix", self._described()),
            ("epsilon", self._epsilon_text()),
            ("alpha", None if self.alpha is None else Bound(self.alpha, is_lower=True)),
            ("column sums", "exactly 1" if self.column_sums_exact else f"{len(self.column_errors)} are not 1"),
            ("negative entries", len(self.negative)),
            ("properties that hold", ", ".join(self.holds) or "none"),
            *((f"score {name}", Bound(score)) for name, score in self.scores.items()),
            ("derivable from the geometric mechanism", derivable),
        ]
        return page("Audit", facts(rows), claims_table(self.claims) if self.claims else "")


@overload
def audit(matrix: ByRule | RuleDesign) -> ByRule: ...


@overload
def audit(
    matrix: StoredMatrix | StoredDesign | Design | Mechanism | Rows,
    *,
    alpha: Number | None = None,
    properties: str | Iterable[str] = (),
    model: Model | None = None,
    tolerance: Number | None = None,
) -> Audit: ...


@overload
def audit(
    matrix: FilePath,
    *,
    alpha: Number | None = None,
    properties: str | Iterable[str] = (),
    model: Model | None = None,
    tolerance: Number | None = None,
) -> Audit | ByRule: ...


@checked
def audit(
    matrix: AnyMatrix | ByRule | RuleDesign,
    *,
    alpha: Number | None = None,
    properties: str | Iterable[str] = (),
    model: Model | None = None,
    tolerance: Number | None = None,
) -> Audit | ByRule:
    """Audit a matrix `P[i,j] = Pr[output i | input j]`, shape (n_outputs, n_inputs), or the document of any design.

    Args:
        matrix: a `Mechanism`, a `Design`, rows of rationals, a float array (every float is taken as the exact rational
            that it is), or the path of a file; the claims of a design document are tested as well. Of a `Law`, a
            `WorkloadDesign`, a `LevelDesign` or a `NoiseTableDesign`, or its file, what comes back is its document,
            with every claim and its verdict.
        alpha: a claim to test: alpha-DP for the neighbours of the model.
        properties: further claims to test.
        model: what the inputs are; a document and a design know it themselves, otherwise they are taken for counts.
        tolerance: how far each entry of a plain matrix may be off; `within` and `passed` go by it. Without one,
            `within` goes by the precision of floats, and `passed` by the matrix as it is.

    Raises:
        InputError: if the matrix is empty, ragged, or not finite, or does not have the model's inputs.
        RefusedError: if the engine's statement of a loss differs from the kernel's.

    >>> import numpy as np
    >>> audit(np.array([[0.5, 0.25], [0.5, 0.75]])).path.alpha
    Fraction(1, 2)
    """
    asked = ordered(parse_properties(properties))
    wanted = None if alpha is None else Privacy(alpha=alpha).alpha
    held = read_if_file(matrix)
    if isinstance(held, ByRule):
        _require_alone(held, (*asked, *(x for x in (alpha, model, tolerance) if x is not None)))
        return held
    matrix = open_matrix(held)
    document = matrix if isinstance(matrix, StoredDesign) else None
    weights, denominator = integer_matrix(matrix)
    n_outputs, n_inputs = len(weights), len(weights[0])
    square = n_outputs == n_inputs and n_inputs > 1
    problem = matrix.problem if isinstance(matrix, StoredDesign | Design) else None
    model = problem.model if problem is not None else model
    if model is not None and model.size != n_inputs:
        raise InputError(f"model must have the matrix's {n_inputs} inputs, got {model.describe()}")
    if problem is not None:
        kernel_loss(problem.loss, problem.size)  # refuses a loss that the kernel states otherwise
    is_count = model is None or model.name == "count"
    path = tightest_alpha(weights, NeighbourGraph.path(n_inputs))
    own = path if model is None or is_count else tightest_alpha(weights, model.graph)
    known = (*asked, *(problem.properties if problem is not None else ()))
    holds = properties_of(weights, denominator, known) if square else ()
    base = (problem.alpha if problem is not None else None) or wanted or path.alpha
    errors = _column_errors(weights, denominator)
    negative = tuple((i, j) for i, row in enumerate(weights) for j, weight in enumerate(row) if weight < 0)
    stochastic = not negative and all(abs(error) <= SUM_ROUNDING for _, error in errors)
    derivable, violation = None, None
    if n_inputs > 1 and stochastic and is_count:
        derivable, violation = _derivation(weights, path, base)
    within = None
    halves = _halves(held, tolerance, n_outputs, n_inputs)
    if halves is not None:
        rows = [[Fraction(weight, denominator) for weight in row] for row in weights]
        private = None if wanted is None else (privacy_words(wanted), step_of(wanted, model))
        graph, unit = graph_of(model, n_inputs), Fraction(1) if model is None else model.unit
        near = None if tolerance is None else halves[0][0]
        within = find_within(rows, halves, near, graph, unit, private, asked, AUDIT_LOSSES)
    claims: list[Claim] = []
    stated = None if wanted is None else _stated_privacy(weights, own, wanted, model)
    if document is not None:
        claims += document.claims
    elif wanted is not None or asked:
        sums = "within 1e-9 of 1" if errors else "exactly 1"
        wrong = "" if stochastic else _improbable(errors, negative, n_inputs)
        claims.append(Claim(f"columns are probabilities (sums {sums})", stochastic, wrong))
    if stated is not None:
        claims.append(stated)
    for name in asked:
        detail = _offence(name, weights, denominator) if square else "the matrix is not square"
        claims.append(Claim(f"{name} ({find_property(name).title})", name in holds, detail))
    return Audit(
        n_outputs,
        n_inputs,
        model,
        own,
        path,
        tightest_alpha(weights, NeighbourGraph.complete(n_inputs)),
        errors,
        negative,
        max(abs(Fraction(sum(row) - denominator, denominator)) for row in weights),
        holds,
        _scores(weights, denominator) if square else {},
        derivable,
        base if derivable is not None else None,
        violation,
        tuple(claims),
        within,
    )


def _require_alone(document: ByRule, options: Collection[object]) -> None:
    """Refuse what is asked of plain matrices."""
    if options:
        raise InputError(
            f"alpha, properties, model and tolerance go with a plain matrix, got one with {document.source}"
        )


def _halves(
    matrix: StoredMatrix | StoredDesign | Design | Mechanism | Rows,
    tolerance: Number | None,
    n_outputs: int,
    n_inputs: int,
) -> Halves | None:
    """Return how far each entry may be off: by the tolerance if there is one, else by the precision of floats."""
    if tolerance is None:
        return half_units(matrix)
    half = as_rational(tolerance, "tolerance")
    if not 0 < half < 1:
        raise InputError(f"tolerance must be in (0, 1), got tolerance={number_text(half)}")
    if isinstance(matrix, Design | StoredDesign) or (isinstance(matrix, StoredMatrix) and matrix.document is not None):
        raise InputError("tolerance goes with a plain matrix, got it with a design, whose claims are exact")
    return [[half] * n_inputs for _ in range(n_outputs)]


def _column_errors(weights: list[list[int]], denominator: int) -> tuple[tuple[int, Fraction], ...]:
    sums = [sum(column) for column in zip(*weights, strict=True)]
    return tuple((j, Fraction(s - denominator, denominator)) for j, s in enumerate(sums) if s != denominator)


def _improbable(errors: tuple[tuple[int, Fraction], ...], negative: tuple[tuple[int, int], ...], n_inputs: int) -> str:
    """Say why columns are no probabilities."""
    if negative:
        return f"output {negative[0][0]} has a negative number for input {negative[0][1]}"
    j, worst = max(errors, key=lambda item: abs(item[1]))
    return f"{len(errors)} of {n_inputs} do not sum to 1; the furthest, column {j}, sums to {number_text(1 + worst)}"


def _offence(name: str, weights: list[list[int]], denominator: int) -> str:
    """Say which entries a property is false of first; "" where it holds."""
    offence = next(find_property(name).offences(weights, denominator), ())
    places = [divmod(entry, len(weights)) for entry in offence]
    entries = [f"{number_text(Fraction(weights[i][j], denominator))} (output {i}, input {j})" for i, j in places]
    return f"as at {' and '.join(entries)}" if entries else ""


def _scores(weights: list[list[int]], denominator: int) -> dict[str, Fraction]:
    uniform = Prior.parse("uniform")
    return {name: weights_score(weights, denominator, Loss.parse(name), uniform) for name in AUDIT_LOSSES}


def _derivation(
    weights: list[list[int]], path: Tightest, alpha: Fraction | None
) -> tuple[bool | None, Violation | None]:
    if path.alpha is None or alpha is None:
        return False, None
    if alpha == 1:
        return True, None
    if path.alpha < alpha:
        return False, None
    violation = derivation_violation(weights, alpha)
    return violation is None, violation


def step_of(alpha: Fraction, model: Model | None) -> Fraction:
    """Return the ratio of neighbours of length 1 that a claim of privacy asks for."""
    return StepAlpha.around(alpha, Fraction(1) if model is None else model.unit, STEP_BITS).high


def breaches_of(weights: list[list[int]], own: Tightest, step_alpha: Fraction, model: Model | None) -> Breaches:
    """Find the pairs of neighbours that break a ratio."""
    return find_breaches(weights, graph_of(model, len(weights[0])), step_alpha, own)


def graph_of(model: Model | None, n_inputs: int) -> NeighbourGraph:
    """Return the neighbours of a model; inputs without one are taken for counts."""
    return NeighbourGraph.path(n_inputs) if model is None else model.graph


def _stated_privacy(weights: list[list[int]], own: Tightest, alpha: Fraction, model: Model | None) -> Claim:
    """Test privacy of a plain matrix; distances are taken as they are, not as a design rounds them."""
    text, step = privacy_words(alpha), step_of(alpha, model)
    if own.alpha is not None and own.alpha >= step**own.length:
        return Claim(text, True)
    if model is not None and model.distances is not None and distances_hold(weights, model.distances, alpha):
        return Claim(text, True)
    return Claim(text, False, breaches_of(weights, own, step, model).describe(alpha))


def privacy_words(alpha: Fraction) -> str:
    """State a claim of privacy."""
    return f"alpha-DP with alpha = {number_text(alpha)}"
