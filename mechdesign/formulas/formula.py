"""The formula: the least score of a problem for every alpha, with a matrix and a proof for each."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechdesign.arguments import checked
from mechdesign.errors import InfeasibleError, InputError, shorten
from mechdesign.formulas.ends import End
from mechdesign.formulas.pieces import Matrix, Part, Piece, RationalFunction
from mechdesign.formulas.polynomials import (
    Coefficients,
    coefficients,
    common_factor,
    evaluate,
    from_coefficients,
)
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.formulas.texts import LATEX, end_text, function_text, lines_text, ranges_text
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
    def covered_text(self) -> str:
        """The ranges that it covers, as a text."""
        return ", ".join(f"{end_text(one, False)} .. {end_text(other, False)}" for one, other in self.covered)

    @property
    def n_parts(self) -> int:
        """Number of parts of all pieces."""
        return sum(len(piece.parts) for piece in self.pieces)

    @property
    def counts(self) -> str:
        """How many pieces and parts it has, in words."""
        numbers = {"piece": len(self.pieces), "part": self.n_parts}
        return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in numbers.items())

    @checked
    def score(self, alpha: Number) -> Fraction:
        """Return the least score at one alpha, exactly.

        Raises:
            InputError: for an alpha that is not in (0, 1), or in no piece.
            InfeasibleError: where no mechanism has what is asked.
        """
        at = read_alpha(alpha)
        return self._function(at)(at)

    def told(self, alpha: Fraction) -> Fraction | str:
        """Return the least score at one alpha, or say why there is none."""
        try:
            return self.score(alpha)
        except InfeasibleError:
            return NOWHERE
        except InputError:
            return "not covered"

    @checked
    def mechanism(self, alpha: Number) -> Mechanism:
        """Return an optimal mechanism at one alpha; errors as `score`."""
        at = read_alpha(alpha)
        self._function(at)
        part = next(part for part in self._piece(at).parts if _holds(part, at))
        under, matrix = part.denominator or (), part.matrix
        if not evaluate(under, at):  # at an end
            under, matrix = _in_lowest_terms(under, matrix)
        value = evaluate(under, at)
        return Mechanism.from_fractions([[evaluate(entry, at) / value for entry in row] for row in matrix])

    def _piece(self, alpha: Fraction) -> Piece:
        """Return the piece that holds an alpha, one with a score at an end that it shares with one that has none."""
        holding = [piece for piece in self.pieces if _holds(piece, alpha)]
        if not holding:
            raise InputError(f"alpha must be in {self.covered_text}, which the formula covers, got alpha={alpha}")
        return next((piece for piece in holding if piece.score is not None), holding[0])

    def _function(self, alpha: Fraction) -> RationalFunction:
        found = self._piece(alpha).score
        if found is None:
            raise InfeasibleError(f"no mechanism has what is asked at alpha = {alpha}")
        return found

    @cached_property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """A range and a function of alpha for each piece, as texts; the polynomial of an end stands once."""
        ranges = ranges_text([(piece.start, piece.end) for piece in self.pieces])
        scores = (NOWHERE if piece.score is None else function_text(piece.score) for piece in self.pieces)
        return tuple(zip(ranges, scores, strict=True))

    def __str__(self) -> str:
        return lines_text(self.lines)

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
        return one_line("Formula", self.problem.describe(), self.counts, "" if self.is_complete else "not complete")

    def _repr_html_(self) -> str:
        known: list[tuple[str, Value]] = [
            ("asked", self.problem.describe()),
            ("covered", self.covered_text),
            ("parts", self.n_parts),
        ]
        return page("Formula", facts(known), table(("alpha = a", "least score"), self.lines))


def read_alpha(alpha: Number, name: str = "alpha") -> Fraction:
    """Parse an alpha, which `name` calls.

    Raises:
        InputError: for one that is not in (0, 1).
    """
    at = as_rational(alpha, name)
    if not 0 < at < 1:
        raise InputError(f"{name} must be in (0, 1), got {name}={shorten(alpha)}")
    return at


def _holds(stretch: Piece | Part, alpha: Fraction) -> bool:
    return not stretch.start.is_above(alpha) and (stretch.end.is_above(alpha) or stretch.end.exact == alpha)


def _in_lowest_terms(denominator: Coefficients, matrix: Matrix) -> tuple[Coefficients, Matrix]:
    """Cancel what a matrix and its denominator have in common."""
    polynomials = [from_coefficients(entry) for row in matrix for entry in row]
    under = from_coefficients(denominator)
    common = common_factor([under, *polynomials])
    entries = iter([coefficients(polynomial / common) for polynomial in polynomials])
    return coefficients(under / common), tuple(tuple(next(entries) for _ in row) for row in matrix)


def _latex_end(end: End) -> str:
    if end.exact is None:
        return f"{end.value:.6f}"
    top, bottom = end.exact.numerator, end.exact.denominator
    return str(top) if bottom == 1 else rf"\tfrac{{{top}}}{{{bottom}}}"
