"""The document of a formula: written from what a march has found, and read back once it is proved.

FORMAT.md says what each key means.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.documents.document import exact_entry, problem_entry
from mechdesign.documents.files import FilePath, read_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import require_true
from mechdesign.errors import InputError, quote
from mechdesign.formulas.ends import End
from mechdesign.formulas.formula import Formula
from mechdesign.formulas.pieces import Part, Piece, Proof, ProofRow, RationalFunction
from mechdesign.formulas.polynomials import Coefficients
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.program.clock import Seconds
from mechdesign.rational import fraction_from_text, fraction_text, integer_text
from mechdesign.verify.formulas import FORMAT, formula_claims, read_formula
from mechdesign.verify.proving import Claim
from mechdesign.verify.texts import UnreadableError
from mechdesign.version import __version__

WRITTEN = "the formula"
METHOD = "march"
SHORTEST_SHARED = 2
"""Polynomials of fewer terms are written out where they stand."""

OF_ONE_ALPHA = ("alpha", "epsilon", "step_alpha", "distances", "unit")
"""Keys of the problem of a design that a formula has not."""


def formula_document(problem: FormulaProblem, pieces: Sequence[Piece], how: str, seconds: Seconds) -> dict[str, Any]:
    """Make the JSON object of pieces."""
    writer = _Writer(pieces)
    return {
        "format": FORMAT,
        "problem": formula_problem_entry(problem),
        "polynomials": [_texts(values) for values in writer.places],
        "covered": [{"from": end_entry(start), "to": end_entry(end)} for start, end in covered_by(pieces)],
        "pieces": [writer.piece(piece) for piece in pieces],
        "seconds": seconds_entry(seconds),
        "version": __version__,
        "method": METHOD,
        "how": how,
    }


def seconds_entry(seconds: Seconds) -> dict[str, float]:
    """Write times in microseconds' precision."""
    return {name: round(value, 6) for name, value in asdict(seconds).items()}


def covered_by(pieces: Sequence[Piece]) -> tuple[tuple[End, End], ...]:
    """Put ranges of pieces that touch together."""
    runs: list[tuple[End, End]] = []
    for piece in pieces:
        if runs and runs[-1][1] == piece.start:
            runs[-1] = (runs[-1][0], piece.end)
        else:
            runs.append((piece.start, piece.end))
    return tuple(runs)


def formula_problem_entry(problem: FormulaProblem) -> dict[str, Any]:
    """Write what was asked."""
    entry = problem_entry(problem.at_place)
    if problem.at_place.model.distances is not None:
        entry["lengths"] = [[int(value) for value in row] for row in problem.at_place.model.distances]
    return {key: value for key, value in entry.items() if key not in OF_ONE_ALPHA}


def end_entry(end: End) -> dict[str, Any]:
    """Write an end."""
    return {
        "value": end.value,
        "exact": None if end.exact is None else fraction_text(end.exact),
        "polynomial": _texts(end.polynomial),
        "between": [fraction_text(value) for value in end.between],
    }


def _texts(values: Coefficients) -> list[str]:
    return [integer_text(value) for value in values]


def summary_document(formula: Formula, at: Sequence[Fraction] = ()) -> dict[str, Any]:
    """Make a JSON object without matrices and proofs, with scores at some alphas."""
    document = json.loads(formula.text)
    lines = zip(document["pieces"], formula.lines, strict=True)
    pieces = [piece | {"range": where, "text": what} for piece, (where, what) in lines]
    return {
        **{key: document[key] for key in ("format", "problem", "covered")},
        "pieces": [piece | {"parts": len(piece["parts"])} for piece in pieces],
        "at": [_at_entry(alpha, formula.told(alpha)) for alpha in at],
        "seconds": document["seconds"],
        "version": document["version"],
    }


def _at_entry(alpha: Fraction, told: Fraction | str) -> dict[str, Any]:
    found = {"score": None, "why": told} if isinstance(told, str) else {"score": exact_entry(told)}
    return {"alpha": fraction_text(alpha), **found}


class _Writer:
    """The writer of pieces: polynomials that stand at several places are written once, in a table."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        seen = Counter(values for piece in pieces for part in piece.parts for values in _polynomials(part))
        shared = [values for values, count in seen.items() if count > 1 and len(values) >= SHORTEST_SHARED]
        self.places = {values: place for place, values in enumerate(shared)}

    def polynomial(self, values: Coefficients) -> list[str] | int:
        """Write a polynomial, or its place in the table."""
        place = self.places.get(values)
        return _texts(values) if place is None else place

    def piece(self, piece: Piece) -> dict[str, Any]:
        """Write a piece."""
        score = piece.score
        return {
            "from": end_entry(piece.start),
            "to": end_entry(piece.end),
            "score": None
            if score is None
            else {"numerator": _texts(score.numerator), "denominator": _texts(score.denominator)},
            "parts": [self._part(part) for part in piece.parts],
        }

    def _part(self, part: Part) -> dict[str, Any]:
        entry: dict[str, Any] = {"from": end_entry(part.start), "to": end_entry(part.end)}
        if part.denominator is not None:
            entry["denominator"] = self.polynomial(part.denominator)
            entry["matrix"] = [[self.polynomial(values) for values in row] for row in part.matrix]
        return entry | {"dual": self._proof(part.proof)}

    def _proof(self, proof: Proof) -> dict[str, Any]:
        entry: dict[str, Any] = {}
        if proof.denominator is not None:
            entry["denominator"] = self.polynomial(proof.denominator)
        entry["prices"] = [self.polynomial(values) for values in proof.prices]
        entry["rows"] = [[*row[:5], self.polynomial(row[5])] for row in proof.rows]
        if proof.prior is not None:
            entry["prior"] = [self.polynomial(values) for values in proof.prior]
        return entry


def _polynomials(part: Part) -> Iterable[Coefficients]:
    """List the polynomials of a part that may stand in the table."""
    own = (part.denominator, part.proof.denominator, *part.proof.prices, *(part.proof.prior or ()))
    yield from (values for values in own if values is not None)
    yield from (values for row in part.matrix for values in row)
    yield from (row[5] for row in part.proof.rows)


def is_formula_file(path: FilePath) -> bool:
    """Tell whether a file is the document of a formula."""
    if Path(path).suffix.lower() != ".json":
        return False
    data = parse_json(read_text(Path(path)), str(path))
    return isinstance(data, dict) and data.get("format") == FORMAT


def check_formula(path: FilePath) -> tuple[FormulaProblem, tuple[Claim, ...]]:
    """Check everything that the document of a formula claims.

    Returns:
        What it was asked, and its claims.

    Raises:
        InputError: for what is no such document.
    """
    document = parse_json(read_text(Path(path)), str(path))
    claims = tuple(claims_of(document, str(path)))
    return problem_of(document["problem"]), claims


def proved_formula(text: str, source: str) -> Formula:
    """Make a formula of its document, once `verify` has proved all that it claims.

    Args:
        text: of the document.
        source: the name of the file, for messages.

    Raises:
        InputError: for what is no such document.
        RefusedError: naming the first claim that is not proved.
    """
    document = parse_json(text, source)
    require_true(claims_of(document, source), source)
    return _formula_of(document, text)


def claims_of(document: Any, source: str) -> Iterator[Claim]:
    """Yield everything that a document claims, with the verdict of `verify`.

    Raises:
        InputError: for what is no document of a formula.
    """
    form = document.get("format") if isinstance(document, dict) else None
    if form != FORMAT:
        raise InputError(f"file must be a formula, {FORMAT}, got {quote(form)} in {source}")
    try:
        return formula_claims(read_formula(document))
    except UnreadableError as error:
        raise InputError(f"{error} (in {source})") from None


def _formula_of(document: Mapping[str, Any], text: str) -> Formula:
    """Make a formula of a document that was proved."""
    pieces = tuple(map(_Reader(document).piece, document["pieces"]))
    times = document["seconds"]
    return Formula(
        problem_of(document["problem"]),
        pieces,
        covered_by(pieces),
        Seconds(*(float(times[key]) for key in ("solve", "certify", "verify"))),
        text,
    )


def problem_of(entry: Mapping[str, Any]) -> FormulaProblem:
    """Read what a document was asked."""
    table, weights = entry.get("loss_matrix"), entry.get("prior_weights")
    prior: Prior | str | None = entry["prior"]
    if weights is not None:
        prior = Prior.from_weights(_rationals(weights))
    return FormulaProblem.stated(
        model=_model_of(entry),
        properties=entry["properties"],
        loss=entry["loss"] if table is None else Loss.from_matrix([_rationals(row) for row in table]),
        prior=prior,
        aggregate=entry["aggregate"],
    )


def _rationals(texts: Iterable[str]) -> list[Fraction]:
    return [fraction_from_text(text, "value") for text in texts]


def _model_of(entry: Mapping[str, Any]) -> Model:
    kind = entry["model"]
    if kind == "count":
        return Model.count(entry["n"])
    if kind == "metric":
        return Model.metric(entry["lengths"], unit=1)
    return Model.ldp(entry["k"]) if kind == "ldp" else Model.lldp(entry["k"], entry["radius"])


class _Reader:
    """The reader of pieces."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.table = [_whole(texts) for texts in document["polynomials"]]

    def piece(self, entry: Mapping[str, Any]) -> Piece:
        """Read a piece."""
        score = entry["score"]
        return Piece(
            end_of(entry["from"]),
            end_of(entry["to"]),
            None
            if score is None
            else RationalFunction(*map(self.polynomial, (score["numerator"], score["denominator"]))),
            tuple(self._part(part) for part in entry["parts"]),
        )

    def polynomial(self, entry: list[str] | int) -> Coefficients:
        """Read a polynomial, or look it up."""
        return self.table[entry] if isinstance(entry, int) else _whole(entry)

    def _part(self, entry: Mapping[str, Any]) -> Part:
        return Part(
            end_of(entry["from"]),
            end_of(entry["to"]),
            self._optional(entry),
            tuple(tuple(map(self.polynomial, row)) for row in entry.get("matrix", ())),
            self._proof(entry["dual"]),
        )

    def _optional(self, entry: Mapping[str, Any]) -> Coefficients | None:
        return self.polynomial(entry["denominator"]) if "denominator" in entry else None

    def _proof(self, entry: Mapping[str, Any]) -> Proof:
        rows: list[ProofRow] = [(*row[:5], self.polynomial(row[5])) for row in entry["rows"]]
        prior = tuple(map(self.polynomial, entry["prior"])) if "prior" in entry else None
        return Proof(self._optional(entry), tuple(map(self.polynomial, entry["prices"])), tuple(rows), prior)


def end_of(entry: Mapping[str, Any]) -> End:
    """Read an end."""
    low, high = _rationals(entry["between"])
    return End(_whole(entry["polynomial"]), (low, high))


def _whole(texts: Iterable[str]) -> Coefficients:
    return tuple(int(text) for text in texts)
