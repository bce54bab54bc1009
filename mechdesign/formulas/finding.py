"""The formula of a problem, found, written, proved and only then returned."""

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.documents.document import document_text
from mechdesign.documents.files import FilePath, read_text
from mechdesign.errors import InputError, LimitReachedError
from mechdesign.formulas.document import WRITTEN, formula_document, proved_formula, seconds_entry
from mechdesign.formulas.dual import Dual
from mechdesign.formulas.ends import End, end_at
from mechdesign.formulas.formula import Formula
from mechdesign.formulas.march import March, Stretch
from mechdesign.formulas.pieces import Part, Piece, Proof, RationalFunction
from mechdesign.formulas.polynomials import coefficients
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.program.clock import Clock, Seconds


@checked
def formula(problem: FormulaProblem | None = None, *, time_limit: float | None = None, **stated: Any) -> Formula:
    """Find the least score of a problem as an exact function of alpha on (0, 1), and prove it.

    Args:
        problem: what is asked.
        time_limit: seconds for the search, after which the part that is covered comes back; None means none.
        stated: the arguments of `DesignProblem` without alpha, in place of a problem.

    Raises:
        InputError: for a privacy parameter, distances that are not whole, values out of range, or both a problem and
            the arguments of one.
        LimitReachedError: where nothing was found in time.
        NotCertifiedError: where at some alpha no exact optimum came out.

    >>> found = formula(n=8, properties="WH,CM")
    >>> len(found.pieces), found.score("9/10")
    (7, Fraction(114025, 118098))
    """
    if (problem is None) == (not stated):
        raise InputError("problem must be given, or the arguments of DesignProblem, and not both")
    asked = FormulaProblem.stated(**stated) if problem is None else problem
    clock, started = Clock(time_limit), time.perf_counter()
    march = March(asked.at_place, clock)
    stretches = sorted(march.stretches(), key=lambda stretch: stretch.sample)
    if not stretches:
        raise LimitReachedError("the time limit was reached before a piece was found")
    pieces = pieces_of(stretches, asked.at_place.size)
    seconds = Seconds(clock.solving, time.perf_counter() - started - clock.solving, 0)
    document = formula_document(asked, pieces, f"{len(stretches)} bases", seconds)
    certified = time.perf_counter()
    found = proved_formula(document_text(document), WRITTEN)
    seconds = replace(seconds, verify=time.perf_counter() - certified)
    return replace(found, seconds=seconds, text=document_text(document | {"seconds": seconds_entry(seconds)}))


@checked
def read_formula(path: FilePath) -> Formula:
    """Read a formula from its document, and prove it.

    Raises:
        InputError: for what is no such document.
        RefusedError: naming the first claim that is not proved.
    """
    return proved_formula(read_text(Path(path)), str(path))


def pieces_of(stretches: Iterable[Stretch], size: int) -> list[Piece]:
    """Put neighbouring stretches of one score together."""
    pieces: list[Piece] = []
    ends: dict[int, End] = {}

    def end(root: Any) -> End:
        return ends.setdefault(id(root), end_at(root))

    for stretch in stretches:
        part = _part(stretch, end(stretch.low), end(stretch.high), size)
        score = None if stretch.score is None else RationalFunction(*map(coefficients, stretch.score))
        last = pieces[-1] if pieces else None
        if last is not None and last.end == part.start and last.score == score:
            pieces[-1] = Piece(last.start, part.end, score, (*last.parts, part))
        else:
            pieces.append(Piece(part.start, part.end, score, (part,)))
    return pieces


def _part(stretch: Stretch, start: End, end: End, size: int) -> Part:
    dual = stretch.dual
    if stretch.score is None:
        return Part(start, end, None, (), _proof(dual, size, is_bound=False))
    entries = [coefficients(entry) for entry in stretch.matrix]
    matrix = tuple(tuple(entries[i * size : (i + 1) * size]) for i in range(size))
    return Part(start, end, coefficients(stretch.denominator), matrix, _proof(dual, size, is_bound=True))


def _proof(dual: Dual, size: int, *, is_bound: bool) -> Proof:
    rows = tuple(
        (row.kind, *divmod(row.upper, size), *divmod(row.lower, size), coefficients(row.multiplier))
        for row in dual.rows
    )
    return Proof(
        coefficients(dual.denominator) if is_bound else None,
        tuple(map(coefficients, dual.prices)),
        rows,
        None if dual.prior is None else tuple(map(coefficients, dual.prior)),
    )
