"""Verdicts on a formula: what it covers, and the least score on each of its pieces."""

from collections.abc import Callable, Iterator

from ..proving import Claim
from .dual import bound_defects
from .ends import End, is_before
from .polynomials import are_coprime
from .primal import matrix_defects
from .program import Program
from .reading import Coefficients, FormulaDocument, Part, Piece
from .signs import Signs
from .work import TooLongError, Work, longest

TOO_LONG = "that takes too long to check"
LONGEST_SHOWN, LONGEST_WRITTEN = 70, 120
MOST_SHOWN = 3


def formula_claims(document: FormulaDocument) -> Iterator[Claim]:
    """Yield every claim of a formula, with a verdict; after one that is false on ends nothing else is looked at."""
    work = Work()
    checks: list[tuple[str, Callable[[], Iterator[str]]]] = [
        ("every end is the only root of its polynomial in its interval", lambda: _end_defects(document, work)),
        (f"pieces and parts cover {_covered_words(document)}", lambda: _order_defects(document, work)),
    ]
    for words, defects in checks:
        found = _first(defects())
        yield Claim(words, not found, found)
        if found:
            return
    before = None
    for number, piece in enumerate(document.pieces):
        found = _first(_piece_defects(document.program, piece, before, work))
        yield Claim(_piece_words(number, piece), not found, found)
        if found == TOO_LONG:
            return
        before = piece


def _first(defects: Iterator[str]) -> str:
    try:
        return next(defects, "")
    except TooLongError:
        return TOO_LONG
    except ValueError as error:
        return str(error)


def _end_defects(document: FormulaDocument, work: Work) -> Iterator[str]:
    for end, values in document.values.items():
        for value in set(values):
            yield from end.defects(value, work)


def _order_defects(document: FormulaDocument, work: Work) -> Iterator[str]:
    """Yield where ranges are empty, overlap, leave a gap, or cover another range than is said."""
    pieces = document.pieces
    ranges = [*document.covered, *(piece.ends for piece in pieces)]
    ranges += [part.ends for piece in pieces for part in piece.parts]
    if not all(is_before(*ends, work) for ends in ranges):
        yield "a range is not shown to begin before it ends"
    for number, piece in enumerate(pieces):
        inner = [end for part in piece.parts for end in part.ends]
        if not _touch([piece.ends[0], *inner, piece.ends[1]]):
            yield f"the parts of piece {number} overlap, or leave a gap"
    runs = [pieces[0].ends]
    for number, piece in enumerate(pieces[1:], start=1):
        first, last = runs[-1]
        if piece.ends[0] == last:
            runs[-1] = first, piece.ends[1]
        elif is_before(last, piece.ends[0], work):
            runs.append(piece.ends)
        else:
            yield f"piece {number} is not shown to begin where the one before it ends, or after it"
    if runs != document.covered:
        yield "the pieces cover other ranges"


def _touch(ends: list[End]) -> bool:
    return all(one == other for one, other in zip(ends[::2], ends[1::2], strict=True))


def _piece_defects(program: Program, piece: Piece, before: Piece | None, work: Work) -> Iterator[str]:
    if before is not None and before.ends[1] == piece.ends[0] and before.score == piece.score:
        yield "the score is that of the piece before"
    if piece.score is not None:
        work.charge_product(*piece.score)
        if not are_coprime(*piece.score):
            yield "numerator and denominator of the score have a common factor"
        if not Signs(*piece.ends, work).is_positive_at_ends_too(piece.score[1]):
            yield "the score's denominator is not shown to be positive"
    for number, part in enumerate(piece.parts):
        for defect in _part_defects(program, part, piece.score, work):
            yield f"part {number}: {defect}"


def _part_defects(
    program: Program, part: Part, score: tuple[Coefficients, Coefficients] | None, work: Work
) -> Iterator[str]:
    own = [*part.dual.prices, *(multiplier for _, _, multiplier in part.dual.rows)]
    own += [entry for row in part.matrix for entry in row]
    own += [part.denominator, part.dual.denominator or (), *(part.dual.prior or ())]
    used = 2 * len(program.rows) + len(part.dual.rows) + 4 * program.size**2
    work.charge(used * max(map(len, own)), longest(own) + program.bits)
    signs = Signs(*part.ends, work)
    if score is not None:
        yield from matrix_defects(program, part, score, signs)
    yield from bound_defects(program, part.dual, score, signs)


def _covered_words(document: FormulaDocument) -> str:
    shown = ", ".join(f"{_end_words(first)} to {_end_words(last)}" for first, last in document.covered[:MOST_SHOWN])
    more = len(document.covered) - MOST_SHOWN
    return f"{shown}, and {more} more" if more > 0 else shown


def _end_words(end: End) -> str:
    return str(end.low) if end.is_rational and end.low.denominator < 10**6 else f"about {float(end.low):.6f}"


def _piece_words(number: int, piece: Piece) -> str:
    where = f"piece {number}, alpha from {_end_words(piece.ends[0])} to {_end_words(piece.ends[1])}"
    if piece.score is None:
        return f"{where}: no mechanism does what was asked"
    return f"{where}: the least score is {_score_words(*piece.score)}"


def _score_words(numerator: Coefficients, denominator: Coefficients) -> str:
    terms = (numerator, denominator)
    if max(map(len, terms)) + longest(terms) < LONGEST_WRITTEN:
        top, bottom = map(polynomial_words, terms)
        is_number = len(numerator) == len(denominator) == 1
        words = top if bottom == "1" else f"{top}/{bottom}" if is_number else f"({top}) / ({bottom})"
        if len(words) <= LONGEST_SHOWN:
            return words
    return f"a quotient of polynomials of degrees {max(0, len(numerator) - 1)} and {len(denominator) - 1}"


def polynomial_words(p: Coefficients) -> str:
    """Write a polynomial, the highest power first."""
    terms = []
    for k in range(len(p) - 1, -1, -1):
        if p[k]:
            power = "" if k == 0 else "a" if k == 1 else f"a^{k}"
            factor = "" if abs(p[k]) == 1 and power else str(abs(p[k]))
            terms.append((" - " if p[k] < 0 else " + ") + factor + power)
    text = "".join(terms)
    return f"-{text[3:]}" if text[:3] == " - " else text[3:] or "0"
