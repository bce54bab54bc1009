"""Makers of claims of the chapter on marginals."""

from collections.abc import Callable

from mechdesign_figures.claims.claim import MARGINALS, Claim
from mechdesign_figures.claims.verdict import Finding
from mechdesign_figures.studies.design_cache import DesignCache


def marginal_claim(key: str, statement: str, measure: Callable[[DesignCache, bool], Finding], *needs: str) -> Claim:
    """Make a claim of the chapter; `needs` are data as `DesignCache.require` takes them."""
    return Claim(key, MARGINALS, statement, measure, needs)
