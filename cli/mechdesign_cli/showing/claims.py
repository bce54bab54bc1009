"""Tested claims with their verdicts, on the screen and as JSON."""

from collections.abc import Iterable
from typing import Any

from mechdesign.errors import printable
from mechdesign.verify.proving import Claim
from mechdesign_cli.showing.tables import console


def print_claims(claims: Iterable[Claim], decides: bool = True) -> None:
    """Print claims; `true` and `FALSE` are said where they decide the exit code, else yes and no."""
    for claim in claims:
        mark = ("true " if claim.true else "FALSE") if decides else ("yes  " if claim.true else "no   ")
        detail = f" ({claim.detail})" if claim.detail and not claim.true else ""
        console().print(printable(f"{mark}  {claim.claim}{detail}"))


def claim_entries(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Return claims as JSON values; `detail` says how a false one fails."""
    return [
        {"claim": claim.claim, "true": claim.true, **({} if claim.true else {"detail": claim.detail})}
        for claim in claims
    ]
