"""Audit a matrix: find in exact arithmetic what it really is, and whether what is claimed of it is true."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.audits.derivation import Violation, derivation_violation
from mechdesign.audits.matrices import AnyMatrix, integer_matrix, open_matrix
from mechdesign.certificate.proof import kernel_loss
from mechdesign.certificate.score import problem_loss, weights_score
from mechdesign.designs import Design
from mechdesign.documents.document import DecimalText, Document
from mechdesign.errors import InputError
from mechdesign.mechanism.notebook import Value, facts, one_line, page, table
from mechdesign.mechanism.tightest import Tightest, tightest_alpha
from mechdesign.methods.flowchart import flowchart_box
from mechdesign.problem.design_problem import STEP_BITS
from mechdesign.problem.distances import distances_hold
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy, loss_text
from mechdesign.problem.properties import find_property, holding, ordered, parse_properties
from mechdesign.problem.step_alpha import StepAlpha
from mechdesign.rational import Number, nearest_float, number_text, short_text
from mechdesign.verify import kernel

ROUNDING = 1e-4
"""Decimals that stand beside an exact value may be rounded by this share of it."""

SUM_ROUNDING = Fraction(1, 10**9)
"""Column sums this close to 1 differ from it by rounding alone; `column_sums_exact` does not forgive even that."""

SECONDS = ("solve", "certify", "verify")
AUDIT_LOSSES = ("L0", "L0:1", "L1", "L2")


@dataclass(frozen=True)
class Claim:
    """State a claim that was tested; `detail` says how it fails where it does."""

    claim: str
    true: bool
    detail: str = ""


@dataclass(frozen=True)
class Audit:
    """Hold exact findings about a matrix.

    `own` is the tightest alpha for the neighbours of `model` (counts unless said otherwise), `path` and `complete` for
    neighbouring counts and for any two inputs (LDP). `column_errors`
    lists (input, sum - 1) of columns that do not sum to 1, `worst_row_error` is the largest such error of a row;
    `negative` lists (output, input) of negative entries.
    `holds` and `scores` (uniform prior) are empty for a matrix that is not square. `derivable` tells whether the
    geometric mechanism at `derivation_alpha` can be post-processed into it; None where the question makes no sense.
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

    @property
    def epsilon(self) -> float:
        """The tightest epsilon for the model's neighbours: per person, per change of item, per 1 of distance."""
        return self.own.epsilon / (1.0 if self.model is None else float(self.model.unit))

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
        """Whether no claim is false."""
        return all(claim.true for claim in self.claims)

    def __repr__(self) -> str:
        false = sum(not claim.true for claim in self.claims)
        claims = f"{false} of {len(self.claims)} claims false" if false else f"{len(self.claims)} claims, all true"
        return one_line("Audit", self._described(), f"epsilon {self._epsilon_text()}", claims if self.claims else "")

    def _epsilon_text(self) -> str:
        unit = 1 if self.model is None else self.model.unit
        return "infinite" if self.own.alpha is None else loss_text(self.own.alpha, length=self.own.length * unit)

    def _described(self) -> str:
        inputs = "taken for counts" if self.model is None else self.model.describe()
        return f"{self.n_outputs} outputs x {self.n_inputs} inputs, {inputs}"

    def _repr_html_(self) -> str:
        derivable = {None: "not asked", True: "yes", False: "no"}[self.derivable]
        rows: list[tuple[str, Value]] = [
            ("matrix", self._described()),
            ("epsilon", self._epsilon_text()),
            ("alpha", self.alpha),
            ("column sums", "exactly 1" if self.column_sums_exact else f"{len(self.column_errors)} are not 1"),
            ("negative entries", len(self.negative)),
            ("properties that hold", ", ".join(self.holds) or "none"),
            *((f"score {name}", score) for name, score in self.scores.items()),
            ("derivable from the geometric mechanism", derivable),
        ]
        claims = [(claim.claim, "true" if claim.true else "FALSE", claim.detail) for claim in self.claims]
        return page("Audit", facts(rows), table(("claim", "", "detail"), claims) if claims else "")


def audit(
    matrix: AnyMatrix,
    *,
    alpha: Number | None = None,
    properties: str | Iterable[str] = (),
    model: Model | None = None,
) -> Audit:
    """Audit a matrix `P[i,j] = Pr[output i | input j]`, shape (n_outputs, n_inputs).

    Args:
        matrix: a `Mechanism`, a `Design`, rows of rationals, a float array (every float is taken as the exact rational
            that it is), or the path of a file; the claims of a design document are tested as well.
        alpha: a claim to test: alpha-DP for the neighbours of the model.
        properties: further claims to test.
        model: what the inputs are; a document and a design know it themselves, otherwise they are taken for counts.

    Raises:
        InputError: if the matrix is empty, ragged, or not finite, or does not have the model's inputs.
        RefusedError: if the engine's statement of a loss differs from the kernel's.

    >>> import numpy as np
    >>> audit(np.array([[0.5, 0.25], [0.5, 0.75]])).path.alpha
    Fraction(1, 2)
    """
    asked = ordered(parse_properties(properties))
    wanted = None if alpha is None else Privacy(alpha=alpha).alpha
    matrix = open_matrix(matrix)
    document = matrix if isinstance(matrix, Document) else None
    weights, denominator = integer_matrix(matrix)
    n_outputs, n_inputs = len(weights), len(weights[0])
    square = n_outputs == n_inputs and n_inputs > 1
    problem = matrix.problem if isinstance(matrix, Document | Design) else None
    model = problem.model if problem is not None else model
    if model is not None and model.size != n_inputs:
        raise InputError(f"model must have the matrix's {n_inputs} inputs, got {model.describe()}")
    if problem is not None:
        kernel_loss(problem.loss, problem.size)  # refuses a loss that the kernel states otherwise
    is_count = model is None or model.name == "count"
    path = tightest_alpha(weights, NeighbourGraph.path(n_inputs))
    own = path if model is None or is_count else tightest_alpha(weights, model.graph)
    known = (*asked, *(problem.properties if problem is not None else ()))
    holds = holding(weights, denominator, known) if square else ()
    base = (problem.alpha if problem is not None else None) or wanted or path.alpha
    errors = _column_errors(weights, denominator)
    negative = tuple((i, j) for i, row in enumerate(weights) for j, weight in enumerate(row) if weight < 0)
    stochastic = not negative and all(abs(error) <= SUM_ROUNDING for _, error in errors)
    derivable, violation = None, None
    if n_inputs > 1 and stochastic and is_count:
        derivable, violation = _derivation(weights, path, base)
    claims: list[Claim] = []
    if document is not None:
        claims += _document_claims(document, weights, denominator, own, holds)
    elif wanted is not None or asked:
        claims.append(Claim("columns are probabilities (sums within 1e-9 of 1)", stochastic))
    if wanted is not None:
        claims.append(_stated_privacy(weights, own, wanted, model))
    for name in asked:
        detail = "" if square else "the matrix is not square"
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
    )


def _column_errors(weights: list[list[int]], denominator: int) -> tuple[tuple[int, Fraction], ...]:
    sums = [sum(column) for column in zip(*weights, strict=True)]
    return tuple((j, Fraction(s - denominator, denominator)) for j, s in enumerate(sums) if s != denominator)


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


def privacy_claim(own: Tightest, step_alpha: Fraction, alpha: Fraction | None = None) -> Claim:
    """Test whether a matrix with this tightest alpha is private.

    `alpha` is the parameter as stated, where it is not the ratio of one step.
    """
    text = f"alpha-DP with alpha = {number_text(alpha or step_alpha)}"
    needed = step_alpha**own.length
    if own.alpha is not None and own.alpha >= needed:
        return Claim(text, True)
    where = f"output {own.output}, inputs {own.low} and {own.high}"
    if own.alpha is None:
        return Claim(text, False, f"epsilon is infinite: {where}")
    excess = float((needed - own.alpha) / needed)
    least = "alpha" if own.length == 1 else f"the ratio over {own.length} units of distance"
    return Claim(text, False, f"{least} is {nearest_float(own.alpha):.12g}, a relative {excess:.2g} too small: {where}")


def _stated_privacy(weights: list[list[int]], own: Tightest, alpha: Fraction, model: Model | None) -> Claim:
    """Test privacy of a plain matrix; distances are taken as they are, not as a design rounds them."""
    if model is None or model.distances is None:
        return privacy_claim(own, alpha)
    step = StepAlpha.around(alpha, model.unit, STEP_BITS)
    claim = privacy_claim(own, step.high, alpha)
    return Claim(claim.claim, True) if distances_hold(weights, model.distances, alpha) else claim


def _document_claims(
    document: Document, weights: list[list[int]], denominator: int, own: Tightest, holds: tuple[str, ...]
) -> Iterator[Claim]:
    """Test everything that a design document says, each statement on its own."""
    problem = document.problem
    negative = any(weight < 0 for row in weights for weight in row)
    yield Claim("weights are nonnegative", not negative)
    yield Claim("columns sum to the denominator", not _column_errors(weights, denominator))
    yield privacy_claim(own, problem.step_alpha, problem.alpha)
    for name in ordered(problem.properties):
        yield Claim(f"{name} ({find_property(name).title})", name in holds)
    yield Claim("holds lists exactly the properties that hold", set(document.holds) == set(holds))
    alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
    found = next(kernel.defects(weights, denominator, alpha, problem.graph.edges, problem.properties), "")
    yield Claim("the trusted kernel accepts the matrix", not found, found)
    score = problem.rescaling * problem_loss(weights, denominator, problem)
    yield Claim(f"score is {short_text(document.score)}", score == document.score, f"it is {nearest_float(score):.12g}")
    yield _bound_claim(document)
    status = "exact" if document.score == document.lower_bound else "certified"
    yield Claim(f"status is {document.status}", document.status == status, f"it is {status}")
    for key, exact in (("score", document.score), ("lower_bound", document.lower_bound)):
        value = document.raw[key].get("value")
        yield Claim(f"{key} value is its exact value rounded", _is_rounded(value, nearest_float(exact)))
    epsilon = document.raw["problem"].get("epsilon")
    seconds = document.raw.get("seconds")
    timed = isinstance(seconds, dict) and all(
        isinstance(seconds.get(key), DecimalText | int) and float(seconds[key]) >= 0 for key in SECONDS
    )
    yield Claim("seconds has the times of solve, certify and verify", timed)
    box = flowchart_box(problem).name
    yield Claim("flowchart names the box of the problem", document.raw.get("flowchart", box) == box, f"it is {box}")
    yield Claim("epsilon is -ln(alpha)", _is_rounded(epsilon, problem.epsilon), f"it is {problem.epsilon:.9g}")


def _bound_claim(document: Document) -> Claim:
    scope = ", for the distances as rounded" if document.problem.model.is_rounded else ""
    below = "" if document.problem.step.is_exact else ", at step_alpha's low, which is at most alpha^unit"
    text = (
        f"no mechanism scores below {short_text(document.lower_bound)}{scope} (re-proved from the dual values{below})"
    )
    try:
        bound = document.problem.rescaling * document.proof.bound(document.problem)
    except ValueError as error:
        return Claim(text, False, f"the proof is invalid: {error}")
    proved = bound == document.lower_bound <= document.score
    return Claim(text, proved, f"the dual values prove {nearest_float(bound):.12g}")


def _is_rounded(written: object, value: float) -> bool:
    """Tell whether a number of a document is this value, to the digits that a person would write."""
    if not isinstance(written, DecimalText | int) or isinstance(written, bool):
        return False
    number = float(written) if isinstance(written, str) else nearest_float(Fraction(written))
    return abs(number - value) <= ROUNDING * abs(value)
