"""Formulas, read from JSON values: the keys and types of FORMAT.md alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from ..document import require_remarks
from ..texts import UnreadableError, entries, items, number, rational, shown, whole
from .ends import End
from .program import Place, Program, read_program

FORMAT = "mechdesign-formula/1"
TOP = (
    *("format", "problem", "polynomials", "covered", "pieces"),
    *("seconds", "version", "method", "how"),
)
OF_END = ("value", "exact", "polynomial", "between")
OF_RANGE = ("from", "to")
OF_PIECE = (*OF_RANGE, "score", "parts")
OF_PART = (*OF_RANGE, "denominator", "matrix", "dual")
OF_DUAL = ("denominator", "prices", "rows")
OF_WORST_CASE = "prior"
"""Further key of a dual."""

MOST_DEGREE, MOST_DIGITS, MOST_PARTS = 2_048, 2_000, 20_000
LONGEST_LIMIT = 1_000

Coefficients = tuple[int, ...]
Range = tuple[End, End]
Row = tuple[str, Place, Coefficients]

_INTEGERS = re.compile(r"-?[0-9]+(,-?[0-9]+)*")


@dataclass(frozen=True)
class Dual:
    """The proof of a bound, or that nothing is feasible; then there is no denominator.

    Attributes:
        denominator: F.
        prices: y, one for each input.
        rows: (kind, place, multiplier).
        prior: w, of the worst case.
    """

    denominator: Coefficients | None
    prices: list[Coefficients]
    rows: list[Row]
    prior: list[Coefficients] | None


@dataclass(frozen=True)
class Part:
    """A range of alpha with one matrix and one dual; without a matrix where nothing is feasible."""

    ends: Range
    denominator: Coefficients
    matrix: list[list[Coefficients]]
    dual: Dual


@dataclass(frozen=True)
class Piece:
    """A range of alpha with one score, (numerator, denominator), None where nothing is feasible."""

    ends: Range
    score: tuple[Coefficients, Coefficients] | None
    parts: list[Part]


@dataclass(frozen=True)
class FormulaDocument:
    """The document of a formula; `values` are the decimals that stand beside each end."""

    program: Program
    covered: list[Range]
    pieces: list[Piece]
    values: dict[End, list[Fraction]]

    @property
    def words(self) -> str:
        """What it is, and of what."""
        return f"a formula: {self.program.words}"


def read_formula(data: Any) -> FormulaDocument:
    """Read the document of a formula.

    Raises:
        UnreadableError: saying what is none.
    """
    entries(data, "formula", TOP, ("x",))
    if data["format"] != FORMAT:
        raise UnreadableError(f"format must be {FORMAT}, got {shown(data['format'])}")
    require_remarks(data)
    program = read_program(data["problem"])
    reader = _Reader(program, items(data["polynomials"], "polynomials", _read_coefficients))
    covered = items(data["covered"], "covered", reader.covered)
    pieces = items(data["pieces"], "pieces", reader.piece)
    if not covered or not pieces:
        raise UnreadableError("a formula must have at least one piece, and a range that is covered, got none")
    return FormulaDocument(program, covered, pieces, reader.values)


def _read_coefficients(value: object, name: str) -> Coefficients:
    """Return the coefficients of a polynomial that is written out."""
    if value == [] and type(value) is list:
        return ()
    if not isinstance(value, list) or not all(type(entry) is str and len(entry) <= MOST_DIGITS for entry in value):
        raise UnreadableError(f"{name} must have lists of integers written as strings, got {shown(value)}")
    if len(value) > MOST_DEGREE + 1:
        raise UnreadableError(f"{name} must have degrees of at most {MOST_DEGREE}, got {len(value) - 1}")
    if not _INTEGERS.fullmatch(",".join(value)) or any("," in entry for entry in value):
        raise UnreadableError(f"{name} must have lists of integers written as strings, got {shown(value)}")
    found = tuple(map(int, value))
    if not found[-1]:
        raise UnreadableError(f"{name} must have polynomials whose last coefficient is not 0, got {shown(value)}")
    return found


class _Reader:
    """Readers of what may name polynomials of the table; they keep the values of ends, and count parts."""

    def __init__(self, program: Program, table: Sequence[Coefficients]) -> None:
        self.program, self.table = program, table
        self.values: dict[End, list[Fraction]] = {}
        self.ends: dict[End, End] = {}
        self.primitive: dict[Coefficients, bool] = {}
        self.parts_left = MOST_PARTS

    def polynomial(self, value: object, name: str) -> Coefficients:
        if type(value) is int:
            return self.table[whole(value, f"{name} in the table of polynomials", 0, len(self.table) - 1)]
        return _read_coefficients(value, name)

    def polynomials(self, value: object, name: str) -> list[Coefficients]:
        return items(value, name, self.polynomial, self.program.size)

    def positive(self, value: object, name: str) -> Coefficients:
        found = self.polynomial(value, name)
        if not found:
            raise UnreadableError(f"{name} must be a polynomial that is not 0, got {shown(value)}")
        return found

    def end(self, value: object, name: str) -> End:
        entry = entries(value, name, OF_END)
        polynomial = self.polynomial(entry["polynomial"], f"{name} polynomial")
        low, high = items(entry["between"], f"{name} between", _read_limit, 2)
        exact = None if entry["exact"] is None else _read_limit(entry["exact"], f"{name} exact")
        if not 0 <= low <= high <= 1:
            raise UnreadableError(f"{name} must be between rationals in [0, 1], in order, got others")
        if len(polynomial) < 2 or polynomial[-1] < 0 or not self.is_primitive(polynomial):
            raise UnreadableError(f"{name} must have a primitive polynomial with a positive last coefficient")
        if (exact is None) != (len(polynomial) > 2):
            raise UnreadableError(f"{name} must be exact where its polynomial is of degree 1, and there alone")
        if (low == high) if exact is None else (low, high) != (exact, exact):
            raise UnreadableError(f"{name} must be between itself twice where it is exact, and there alone")
        found = End(polynomial, low, high)
        found = self.ends.setdefault(found, found)
        self.values.setdefault(found, []).append(number(entry["value"], f"{name} value"))
        return found

    def is_primitive(self, polynomial: Coefficients) -> bool:
        if polynomial not in self.primitive:
            self.primitive[polynomial] = gcd(*polynomial) == 1
        return self.primitive[polynomial]

    def range(self, entry: dict[str, Any]) -> Range:
        return self.end(entry["from"], "from"), self.end(entry["to"], "to")

    def covered(self, value: object, name: str) -> Range:
        return self.range(entries(value, name, OF_RANGE))

    def piece(self, value: object, name: str) -> Piece:
        entry = entries(value, name, OF_PIECE)
        score = None
        if entry["score"] is not None:
            terms = entries(entry["score"], "score", ("numerator", "denominator"))
            score = (
                self.polynomial(terms["numerator"], "score numerator"),
                self.positive(terms["denominator"], "score denominator"),
            )
        read = self.infeasible_part if score is None else self.part
        parts = items(entry["parts"], "parts", read)
        if not parts:
            raise UnreadableError("a piece must have at least one part, got none")
        return Piece(self.range(entry), score, parts)

    def part(self, value: object, name: str) -> Part:
        entry = entries(value, name, OF_PART)
        self.count_part()
        matrix = items(entry["matrix"], "matrix", self.polynomials, self.program.size)
        is_worst = self.program.prior is None
        dual = entries(entry["dual"], "dual", (*OF_DUAL, OF_WORST_CASE) if is_worst else OF_DUAL)
        prior = self.polynomials(dual[OF_WORST_CASE], "dual prior") if is_worst else None
        proof = Dual(self.positive(dual["denominator"], "dual denominator"), *self.multipliers(dual), prior)
        return Part(self.range(entry), self.positive(entry["denominator"], "denominator"), matrix, proof)

    def infeasible_part(self, value: object, name: str) -> Part:
        entry = entries(value, name, ("from", "to", "dual"))
        self.count_part()
        dual = entries(entry["dual"], "dual", ("prices", "rows"))
        return Part(self.range(entry), (), [], Dual(None, *self.multipliers(dual), None))

    def count_part(self) -> None:
        self.parts_left -= 1
        if self.parts_left < 0:
            raise UnreadableError(f"a formula must have at most {MOST_PARTS} parts, got more")

    def multipliers(self, dual: dict[str, Any]) -> tuple[list[Coefficients], list[Row]]:
        return self.polynomials(dual["prices"], "dual prices"), items(dual["rows"], "dual rows", self.row)

    def row(self, value: object, name: str) -> Row:
        if isinstance(value, list) and len(value) == 6:
            kind, i, j, k, h, multiplier = value
            if type(kind) is str and all(type(x) is int for x in (i, j, k, h)):
                return kind, (i, j, k, h), self.polynomial(multiplier, name)
        raise UnreadableError(f"{name} must be [kind, i, j, k, h, multiplier], got {shown(value)}")


def _read_limit(value: object, name: str) -> Fraction:
    if type(value) is str and len(value) > LONGEST_LIMIT:
        raise UnreadableError(f"{name} must have at most {LONGEST_LIMIT} characters, got more")
    return rational(value, name)
