"""The least score for groups of every size, as a function of alpha and n."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechdesign.arguments import checked
from mechdesign.documents.document import exact_entry
from mechdesign.errors import InputError
from mechdesign.formulas.any_size.pieces import LawPiece
from mechdesign.formulas.document import end_entry
from mechdesign.formulas.formula import read_alpha
from mechdesign.formulas.texts import end_text, function_text, lines_text, ranges_text
from mechdesign.mechanism.layered import MOST_PEOPLE
from mechdesign.mechanism.notebook import facts, one_line, page, table
from mechdesign.problem.properties import ordered
from mechdesign.rational import Number, fraction_text, integer_text
from mechdesign.verify.layers import bulk_loss
from mechdesign.version import __version__

FORMAT = "mechdesign-law-formula/1"

SCORE = "2a / (a + 1) + g/n"
"""The least score, in a = alpha."""


@dataclass(frozen=True, repr=False)
class LawFormula:
    """The least score under L0, `2a/(1+a) + g(a)/n`, on ranges of alpha with one rational function g each.

    Attributes:
        properties: what was asked.
        pieces: ascending; each is proved for every alpha of its range, with its ends, and for every n from `least` on.
        is_complete: whether all that was asked was found in time.
    """

    properties: frozenset[str]
    pieces: tuple[LawPiece, ...]
    is_complete: bool

    @checked
    def piece(self, alpha: Number) -> LawPiece:
        """Return the piece that holds an alpha; of two that share it the first.

        Raises:
            InputError: for an alpha in none of them.
        """
        at = read_alpha(alpha)
        for piece in self.pieces:
            if not piece.start.is_above(at) and (piece.end.is_above(at) or piece.end.exact == at):
                return piece
        raise InputError(f"alpha must be in {self.covered_text}, which the formula covers, got alpha={at}")

    @checked
    def gain(self, alpha: Number) -> Fraction:
        """Return g at one alpha, exactly; errors as `piece`."""
        return self.piece(alpha).gain(read_alpha(alpha))

    @checked
    def score(self, alpha: Number, n: int) -> Fraction:
        """Return the least score at one alpha and n, exactly.

        Raises:
            InputError: for an alpha in no piece, and an n below the piece's `least`.
        """
        piece = self.piece(alpha)
        if not piece.least <= n <= MOST_PEOPLE:
            raise InputError(f"n must be from {piece.least} to {MOST_PEOPLE} at this alpha, got n={n}")
        at = read_alpha(alpha)
        return bulk_loss(at, 0) + piece.gain(at) / n

    @property
    def covered_text(self) -> str:
        """The ranges that it covers, as a text."""
        runs: list[list[str]] = []
        for piece in self.pieces:
            start, end = end_text(piece.start, False), end_text(piece.end, False)
            if runs and runs[-1][1] == start:
                runs[-1][1] = end
            else:
                runs.append([start, end])
        return ", ".join(" .. ".join(run) for run in runs)

    @cached_property
    def lines(self) -> tuple[tuple[str, str, str], ...]:
        """A range, the n from which on it is proved, and g, for each piece, as texts."""
        ranges = ranges_text([(piece.start, piece.end) for piece in self.pieces])
        return tuple(
            (where, f"n >= {piece.least}", f"g = {function_text(piece.gain)}")
            for where, piece in zip(ranges, self.pieces, strict=True)
        )

    def __str__(self) -> str:
        return lines_text(self.lines)

    def describe(self) -> str:
        """Describe in one line what was asked."""
        return f"any n, {', '.join(ordered(self.properties)) or 'no properties'}, loss L0, prior uniform, every alpha"

    def __repr__(self) -> str:
        return one_line("LawFormula", self.describe(), f"{len(self.pieces)} pieces")

    def _repr_html_(self) -> str:
        known = [("asked", self.describe()), ("least score", SCORE)]
        return page("Formula for every n", facts(known), table(("alpha = a", "proved for", "g"), self.lines))


def law_formula_document(formula: LawFormula, at: Sequence[Fraction] = ()) -> dict[str, Any]:
    """Make the JSON object of a formula for groups of every size, with g at some alphas; it carries no proof."""
    return {
        "format": FORMAT,
        "problem": {"n": "any", "properties": list(ordered(formula.properties)), "loss": "L0", "prior": "uniform"},
        "score": SCORE,
        "pieces": [
            {
                "from": end_entry(piece.start),
                "to": end_entry(piece.end),
                "least_n": piece.least,
                "g": {
                    "numerator": [integer_text(value) for value in piece.gain.numerator],
                    "denominator": [integer_text(value) for value in piece.gain.denominator],
                },
                "text": function_text(piece.gain),
                "parts": len(piece.parts),
            }
            for piece in formula.pieces
        ],
        "at": [
            {
                "alpha": fraction_text(alpha),
                "g": exact_entry(formula.gain(alpha)),
                "least_n": formula.piece(alpha).least,
            }
            for alpha in at
        ],
        "is_complete": formula.is_complete,
        "version": __version__,
    }
