"""Pieces of a formula: a score as a function of alpha, and matrices with their proofs."""

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.formulas.ends import End
from mechdesign.formulas.polynomials import Coefficients, evaluate

Matrix = tuple[tuple[Coefficients, ...], ...]
ProofRow = tuple[str, int, int, int, int, Coefficients]
"""`(kind, i, j, k, h, multiplier)`: the multiplier of a row that compares P[i,j] with P[k,h]."""


@dataclass(frozen=True)
class RationalFunction:
    """A quotient of polynomials in alpha, in lowest terms; coefficients are lowest power first."""

    numerator: Coefficients
    denominator: Coefficients

    def __call__(self, alpha: Fraction) -> Fraction:
        """Return its value at a rational."""
        return evaluate(self.numerator, alpha) / evaluate(self.denominator, alpha)


@dataclass(frozen=True)
class Proof:
    """Multipliers of the linear program, over one denominator: no mechanism scores less.

    In the worst case `prior` is the least favourable one. Where no mechanism is feasible, there is no denominator.
    """

    denominator: Coefficients | None
    prices: tuple[Coefficients, ...]
    rows: tuple[ProofRow, ...]
    prior: tuple[Coefficients, ...] | None = None


@dataclass(frozen=True)
class Part:
    """A range of alpha with one matrix `matrix[i][j] / denominator` and one proof; no matrix where none is feasible."""

    start: End
    end: End
    denominator: Coefficients | None
    matrix: Matrix
    proof: Proof


@dataclass(frozen=True)
class Piece:
    """A range of alpha on which the least score is one rational function; None where no mechanism is feasible."""

    start: End
    end: End
    score: RationalFunction | None
    parts: tuple[Part, ...]
