"""Formulas over alpha, proved or refuted: polynomials with integer coefficients, and signs of them between two ends."""

from .claims import formula_claims
from .program import LARGEST_SIZE
from .reading import FORMAT, FormulaDocument, read_formula

__all__ = ["FORMAT", "LARGEST_SIZE", "FormulaDocument", "formula_claims", "read_formula"]
