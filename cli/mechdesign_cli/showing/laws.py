"""Laws on the screen: facts for every n and at one n, then the matrix of a small one."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.documents.stored import StoredLaw
from mechdesign.laws.law import Law
from mechdesign.problem.privacy import loss_above, loss_text, rounded_up
from mechdesign.rational import fraction_text
from mechdesign_cli.showing.claims import claim_entries, print_claims
from mechdesign_cli.showing.tables import (
    LONGEST_FRACTION,
    exact_and_decimal,
    print_facts,
    print_matrix,
    properties_text,
)

LARGEST_SHOWN = 24
"""The matrix of a law is shown at its least n, up to this one."""


SHARES = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100))
"""The distances are told beyond which at most so many errors lie."""


def show_law(law: Law, n: int | None) -> None:
    """Print the facts of a law, at one n, or for every n with those of a few sizes."""
    at = law.least if n is None else n
    sizes = law.some_sizes if n is None else [n]
    rows = [
        ("asked", law.problem.describe(n)),
        ("epsilon", f"{loss_text(law.problem.privacy.alpha)} = -ln(alpha), rounded up"),
        ("law", f"{law.shape}; proved for every n from {law.least} on"),
        *([("score", law.formula)] if law.formula else []),
        *((f"score at {size}", score_text(law, size)) for size in sizes),
        *(
            (f"gap at {size}" if not law.is_exact else "gap", law.optimality(size))
            for size in (sizes[:1] if law.is_exact else sizes)
        ),
        *((f"then at {size}", law.stage_words(stage, size)) for stage in law.stages for size in sizes),
        (f"error at {sizes[-1]}", errors_text(law, sizes[-1])),
        ("holds", properties_text(law.holds(at))),
        ("reached by", f"{law.how} ({law.method})"),
        ("seconds", str(law.seconds)),
    ]
    print_facts(rows)
    shown = at if n is not None else law.least
    if shown <= LARGEST_SHOWN:
        print_matrix(law.at(shown), "matrix", f"Pr[output i | input j] at n = {shown}")


def report_law(law: StoredLaw, file: Path) -> None:
    """Print what a law is, and every claim of its document."""
    print_facts(audit_rows(law, file))
    print_claims(law.claims)


def audit_rows(stored: StoredLaw, file: Path) -> list[tuple[str, str]]:
    """Return what the document says as labels and texts; the claims below say what of it is true."""
    law, n = stored.law, stored.n
    return [
        ("law", f"{file}: {law.shape}"),
        ("asked", law.problem.describe()),
        ("size", f"every n from {law.least} on" if n is None else f"n = {n}"),
        ("status", stored.raw["status"]),
    ]


def law_audit_document(law: StoredLaw, file: Path) -> dict[str, Any]:
    """Return the audit as a JSON document; `facts` are the labels and texts of the report."""
    return {
        "kind": "law",
        "passed": law.passed,
        "facts": [list(row) for row in audit_rows(law, file)],
        "epsilon": None if law.alpha is None else loss_above(law.alpha),
        "alpha": None if law.alpha is None else fraction_text(law.alpha),
        "column_sums_exact": law.column_sums_exact,
        "holds": law.raw["holds"],
        "claims": claim_entries(law.claims),
    }


def score_text(law: Law, n: int) -> str:
    """Write the score at one n: exact where it is a short fraction, else rounded up."""
    low, high = law.score(n)
    if low == high and len(fraction_text(high)) <= LONGEST_FRACTION:
        return exact_and_decimal(high)
    return f"{rounded_up(high, 9)} (rounded up)"


def errors_text(law: Law, n: int) -> str:
    """Say how far outputs are from true counts in a group of n."""
    found = []
    for distance in sorted({law.distance(share, n) for share in SHARES}):
        errors = law.error_beyond(distance, n)
        worst, mean = (rounded_up(100 * high, 2) for _, high in (errors.worst, errors.mean))
        found.append(f"above {distance} with a chance of at most {worst} % ({mean} % on average)")
    return ", ".join(found)
