"""Pieces of a formula as rows, and its matrices as texts."""

from collections.abc import Iterator

from mechdesign.documents.tabular import Table
from mechdesign.formulas.formula import NOWHERE, Formula
from mechdesign.formulas.pieces import Part, RationalFunction
from mechdesign.formulas.polynomials import coefficients, from_coefficients
from mechdesign.formulas.texts import function_text, ranges_text, sum_text
from mechdesign.rational import fraction_text


def pieces_table(formula: Formula) -> Table:
    """Return a row for each piece: its ends as decimals and exactly, and its score."""
    return Table.of(
        [
            {
                "from": piece.start.value,
                "to": piece.end.value,
                "from_exact": "" if piece.start.exact is None else fraction_text(piece.start.exact),
                "from_root_of": sum_text(piece.start.polynomial),
                "to_exact": "" if piece.end.exact is None else fraction_text(piece.end.exact),
                "to_root_of": sum_text(piece.end.polynomial),
                "numerator": "" if piece.score is None else sum_text(piece.score.numerator),
                "denominator": "" if piece.score is None else sum_text(piece.score.denominator),
                "score": NOWHERE if piece.score is None else function_text(piece.score),
                "parts": len(piece.parts),
            }
            for piece in formula.pieces
        ]
    )


def entries_text(formula: Formula) -> Iterator[str]:
    """Yield lines: the range of each part, and below it the entries of its matrix."""
    parts = [part for piece in formula.pieces for part in piece.parts]
    for part, where in zip(parts, ranges_text([(part.start, part.end) for part in parts]), strict=True):
        yield f"P for {where}" if part.matrix else f"{NOWHERE} for {where}"
        for i, row in enumerate(part.matrix):
            for j, entry in enumerate(row):
                yield f"  P[{i},{j}] = {function_text(_quotient(part, entry))}"


def _quotient(part: Part, entry: tuple[int, ...]) -> RationalFunction:
    """Return an entry in lowest terms."""
    assert part.denominator is not None
    top, under = from_coefficients(entry), from_coefficients(part.denominator)
    common = top.gcd(under)
    sign = 1 if under(1) * common(1) >= 0 else -1
    return RationalFunction(coefficients(sign * top / common), coefficients(sign * under / common))
