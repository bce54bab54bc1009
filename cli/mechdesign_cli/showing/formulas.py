"""Formulas on the screen: a line for each piece, scores at some alphas, entries of matrices."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.formulas.any_size.formula import SCORE, LawFormula
from mechdesign.formulas.formula import Formula
from mechdesign.formulas.problem import FormulaProblem
from mechdesign.formulas.tables import entries_text
from mechdesign.rational import number_text
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import exact_and_decimal, print_facts


def report_formula(problem: FormulaProblem, claims: Sequence[Claim], file: Path) -> None:
    """Print what was asked, and every claim."""
    print_facts([("file", str(file)), ("asked", problem.describe())])
    print_claims(claims)


def formula_claims_document(problem: FormulaProblem, claims: Sequence[Claim], file: Path) -> dict[str, Any]:
    """Return what was asked, and every claim."""
    is_true = all(claim.true for claim in claims)
    return {"file": str(file), "asked": problem.describe(), "passed": is_true, "claims": claim_entries(claims)}


def show_formula(formula: Formula, at: Sequence[Fraction], *, entries: bool) -> None:
    """Print the pieces, and what else was asked for."""
    print(formula)
    for alpha in at:
        told = formula.told(alpha)
        print(f"at {number_text(alpha)}: {told if isinstance(told, str) else exact_and_decimal(told)}")
    if entries:
        for line in entries_text(formula):
            print(line)
    seconds = formula.seconds
    say(
        f"{formula.problem.describe()}: {formula.counts}, all proved; "
        f"found in {seconds.solve + seconds.certify:.3f} s, proved in {seconds.verify:.3f} s"
    )


def show_law_formula(formula: LawFormula, at: Sequence[Fraction]) -> None:
    """Print the pieces of a formula for groups of every size, and g at some alphas."""
    print(f"least score: {SCORE}, with a = alpha")
    print(formula)
    for alpha in at:
        print(f"at {number_text(alpha)}: g = {exact_and_decimal(formula.gain(alpha))}")
    say(f"{formula.describe()}: proved for every alpha of a range and every n from the one beside it on")
