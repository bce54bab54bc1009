"""Conclusions of the chapter on ranges: claims, and verdicts that tell each case."""

from collections.abc import Callable, Sequence

from mechdesign_figures.claims.claim import RANGES, Claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache


def range_claim(key: str, statement: str, measure: Callable[[DesignCache, bool], Finding]) -> Claim:
    """Make a claim of the chapter; it needs no data."""
    return Claim(key, RANGES, statement, measure)


def conclude(cases: Sequence[Case], condition: str = "", note: str = "") -> Finding:
    """Return the verdict that the cases give, with the numbers of all of them; for few cases.

    >>> conclude([Case("a", True, "1"), Case("b", True, "2"), Case("c", True, "3")]).numbers
    'true in all 3 cases; first a: 1; last c: 3; b: 2'
    """
    shown = judge(cases, condition).numbers
    rest = [case.text for case in cases if case.text not in shown]
    return judge(cases, condition, "; ".join([*rest, *([note] if note else [])]))
