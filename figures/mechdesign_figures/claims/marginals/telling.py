"""Make claims of the chapter on marginals."""

from collections.abc import Callable

from mechdesign_figures.claims.claim import MARGINALS, Claim
from mechdesign_figures.claims.verdict import Finding
from mechdesign_figures.studies.bench import Bench


def marginal_claim(key: str, statement: str, measure: Callable[[Bench, bool], Finding], *needs: str) -> Claim:
    """Make a claim of the chapter; `needs` are data as `Bench.require` takes them."""
    return Claim(key, MARGINALS, statement, measure, needs)
