"""Formulas as expressions of SymPy."""

from collections.abc import Sequence
from typing import Any

from mechdesign.errors import InputError
from mechdesign.formulas.ends import End
from mechdesign.formulas.pieces import Piece
from mechdesign.formulas.polynomials import Coefficients


def piecewise(pieces: Sequence[Piece]) -> Any:
    """Return a `Piecewise` in the positive symbol alpha; it has no value where no mechanism is feasible.

    Raises:
        InputError: where SymPy is not installed.

    Source: SymPy 1.14, `sympy.CRootOf`, which counts the real roots of a polynomial from the least on.
    """
    try:
        import sympy
    except ImportError:
        raise InputError('sympy must be installed for this, got none: pip install "mechdesign[formula]"') from None
    alpha = sympy.Symbol("alpha", positive=True)

    def polynomial(values: Coefficients) -> Any:
        return sympy.Poly(list(reversed(values)) or [0], alpha)

    def number(end: End) -> Any:
        if end.exact is not None:
            return sympy.Rational(end.exact.numerator, end.exact.denominator)
        own = polynomial(end.polynomial)
        low = sympy.Rational(end.between[0].numerator, end.between[0].denominator)
        return sympy.CRootOf(own, int(own.count_roots(None, low)))

    return sympy.Piecewise(
        *(
            (
                polynomial(piece.score.numerator).as_expr() / polynomial(piece.score.denominator).as_expr(),
                (alpha >= number(piece.start)) & (alpha <= number(piece.end)),
            )
            for piece in pieces
            if piece.score is not None
        )
    )
