"""The formula: the least score of a problem for every alpha, with a matrix and a proof for each."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechdesign.arguments import checked
from mechdesign.errors import InfeasibleError, InputError
from mechdesign.formulas.ends import End
from mechdesign.formulas.pieces import Part, Piece
from mechdesign.formulas.polynomials import evaluate
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.formulas.texts import LATEX, end_text, function_text
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Value, facts, one_line, page, table
from mechdesign.program.clock import Seconds
from mechdesign.rational import Number, as_rational

NOWHERE = "no mechanism"
"""Stands where a score would, where no mechanism has what is asked."""


@dataclass(frozen=True, repr=False)
class Formula:
    """The least score as an exact function of alpha on (0, 1), piece by piece, proved.

    Attributes:
        problem: what was asked.
        pieces: ranges of alpha with one rational function each, ascending; neighbours have different ones.
        covered: the ranges that they cover together, as (from, to); one from 0 to 1 where the formula is complete.
        seconds: of the solver, of all else that found it, and of the proof.
        text: its document, which was proved.

    >>> from mechdesign import formula
    >>> found = formula(n=2, properties="WH")
    >>> print(found)
    0 .. 1/2    2a / (a + 1)
    1/2 .. 1    (4a - 1) / (3a)
    >>> found.score("9/10"), found.mechanism("9/10").fraction(0, 0)
    (Fraction(26, 27), Fraction(10, 27))
    """

    problem: FormulaProblem
    pieces: tuple[Piece, ...]
    covered: tuple[tuple[End, End], ...]
    seconds: Seconds = field(compare=False)
    text: str = field(compare=False)

    @property
    def is_complete(self) -> bool:
        """Whether it covers (0, 1)."""
        return len(self.covered) == 1 and [end.exact for end in self.covered[0]] == [0, 1]

    @property
    def n_parts(self) -> int:
        """Number of parts of all pieces."""
        return sum(len(piece.parts) for piece in self.pieces)

    @checked
    def score(self, alpha: Number) -> Fraction:
        """Return the least score at one alpha, exactly.

        Raises:
            InputError: for an alpha that is not in (0, 1), or in no piece.
            InfeasibleError: where no mechanism has what is asked.
        """
        at = read_alpha(alpha)
        function = self._piece(at).score
        assert function is not None
        return function(at)

    @checked
    def mechanism(self, alpha: Number) -> Mechanism:
        """Return an optimal mechanism at one alpha; errors as `score`."""
        at = read_alpha(alpha)
        part = next(part for part in self._piece(at).parts if _holds(part, at))
        assert part.denominator is not None
        under = evaluate(part.denominator, at)
        return Mechanism.from_fractions([[evaluate(entry, at) / under for entry in row] for row in part.matrix])

    def _piece(self, alpha: Fraction) -> Piece:
        holding = [piece for piece in self.pieces if _holds(piece, alpha)]
        if not holding:
            raise InputError(f"alpha must be in a range that the formula covers, got alpha={alpha}")
        feasible = next((piece for piece in holding if piece.score is not None), None)
        if feasible is None:
            raise InfeasibleError(f"no mechanism has what is asked at alpha = {alpha}")
        return feasible

    @cached_property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """A range and a function of alpha for each piece, as texts."""
        return tuple(
            (
                f"{end_text(piece.start)} .. {end_text(piece.end)}",
                NOWHERE if piece.score is None else function_text(piece.score),
            )
            for piece in self.pieces
        )

    def __str__(self) -> str:
        width = max(len(where) for where, _ in self.lines)
        return "\n".join(f"{where:{width}}    {what}" for where, what in self.lines)

    def latex(self) -> str:
        r"""Return a `cases` of LaTeX (package amsmath), in `\alpha`."""
        rows = [
            rf"{'-' if piece.score is None else function_text(piece.score, LATEX)} & "
            rf"{_latex_end(piece.start)} \le \alpha \le {_latex_end(piece.end)}"
            for piece in self.pieces
        ]
        body = " \\\\[1ex]\n".join(rows)
        return f"\\begin{{cases}}\n{body}\n\\end{{cases}}\n"

    def to_sympy(self) -> Any:
        """Return a `Piecewise` of SymPy in the symbol alpha, with exact ends; needs the extra `formula`.

        Raises:
            InputError: where SymPy is not installed.
        """
        from mechdesign.formulas.sympy_ import piecewise

        return piecewise(self.pieces)

    def __repr__(self) -> str:
        counts = f"{len(self.pieces)} pieces, {self.n_parts} parts"
        return one_line("Formula", self.problem.describe(), counts, "" if self.is_complete else "not complete")

    def _repr_html_(self) -> str:
        covered = ", ".join(f"{end_text(start)} .. {end_text(end)}" for start, end in self.covered)
        known: list[tuple[str, Value]] = [
            ("asked", self.problem.describe()),
            ("covered", covered),
            ("parts", self.n_parts),
        ]
        return page("Formula", facts(known), table(("alpha = a", "least score"), self.lines))


def read_alpha(alpha: Number) -> Fraction:
    """Parse an alpha.

    Raises:
        InputError: for one that is not in (0, 1).
    """
    at = as_rational(alpha, "alpha")
    if not 0 < at < 1:
        raise InputError(f"alpha must be in (0, 1), got alpha={alpha}")
    return at


def _holds(stretch: Piece | Part, alpha: Fraction) -> bool:
    return not stretch.start.is_above(alpha) and (stretch.end.is_above(alpha) or stretch.end.exact == alpha)


def _latex_end(end: End) -> str:
    if end.exact is None:
        return f"{end.value:.6f}"
    top, bottom = end.exact.numerator, end.exact.denominator
    return str(top) if bottom == 1 else rf"\tfrac{{{top}}}{{{bottom}}}"
