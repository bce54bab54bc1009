"""The verdict on a claim: it is tried in many cases, and the cases decide."""

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from mechdesign.rational import fraction_text, nearest_float, number_text

LONGEST_FRACTION = 8
"""Characters up to which a fraction is shown beside its decimal."""


class Verdict(Enum):
    """The verdict on a claim."""

    HOLDS = "holds"
    CONDITIONAL = "holds with a condition"
    FAILS = "does not hold here"


@dataclass(frozen=True)
class Case:
    """One trial of a claim, and whether the claim was true there.

    `where` names the setting and `numbers` what was measured. `met` tells whether the condition is met that the claim
    may turn out to need. `miss` says by how much the claim is missed, so that the worst counterexample can be shown.
    """

    where: str
    true: bool
    numbers: str = ""
    met: bool = True
    miss: Fraction = Fraction(0)

    @property
    def text(self) -> str:
        """The case in words."""
        return f"{self.where}: {self.numbers}" if self.numbers else self.where


@dataclass(frozen=True)
class Finding:
    """A verdict and the numbers that it rests on."""

    verdict: Verdict
    numbers: str


def judge(cases: Iterable[Case], condition: str = "", note: str = "") -> Finding:
    """Return the verdict that the cases give.

    True in every case: it holds. True exactly in those cases that meet the stated condition, with cases of both kinds:
    it holds with that condition. Otherwise it does not hold here, and the worst counterexample is shown.

    Args:
        cases: at least one.
        condition: in words, completing "true exactly where"; empty where the claim can have none.
        note: more numbers, shown in any case.

    Raises:
        ValueError: without a case: nothing was measured, so nothing can be said.
    """
    tried = list(cases)
    if not tried:
        raise ValueError("a claim must be tried in at least one case")
    failed = [case for case in tried if not case.true]
    if not failed:
        verdict, said = Verdict.HOLDS, _all_true(tried)
    elif condition and len(failed) < len(tried) and all(case.true == case.met for case in tried):
        verdict, said = Verdict.CONDITIONAL, _conditional(tried, failed, condition)
    else:
        verdict, said = Verdict.FAILS, _failing(tried, failed)
    return Finding(verdict, said if note in said else f"{said}; {note}")


def _all_true(tried: list[Case]) -> str:
    if len(tried) == 1:
        return tried[0].text
    return f"true in all {len(tried)} cases; first {tried[0].text}; last {tried[-1].text}"


def _conditional(tried: list[Case], failed: list[Case], condition: str) -> str:
    counts = f"{len(tried) - len(failed)} cases true, {len(failed)} false"
    return f"true exactly where {condition} ({counts}, such as {_worst(failed).text})"


def _failing(tried: list[Case], failed: list[Case]) -> str:
    if len(tried) == 1:
        return tried[0].text
    unexplained = [case for case in failed if case.met] or failed
    return f"false in {len(failed)} of {len(tried)} cases, worst at {_worst(unexplained).text}"


def _worst(failed: list[Case]) -> Case:
    return max(failed, key=lambda case: case.miss)


def shown(value: Fraction) -> str:
    """Write a number for the ledger: the exact fraction where it is short, and six digits.

    >>> shown(Fraction(18, 19)), shown(Fraction(2))
    ('18/19 = 0.947368', '2')
    """
    text = fraction_text(value)
    if value.denominator == 1:
        return text
    decimal = f"{nearest_float(value):.6g}"
    return f"{text} = {decimal}" if len(text) <= LONGEST_FRACTION else decimal


def by_alpha(settings: Iterable[tuple[int, Fraction]]) -> str:
    """Write settings in few words, by alpha.

    >>> by_alpha([(2, Fraction(2, 3)), (2, Fraction(9, 10)), (3, Fraction(2, 3))])
    'alpha = 2/3 (n = 2, 3), alpha = 0.9 (n = 2)'
    """
    sizes: dict[Fraction, list[str]] = {}
    for n, alpha in settings:
        sizes.setdefault(alpha, []).append(str(n))
    return (
        ", ".join(f"alpha = {number_text(alpha)} (n = {', '.join(sizes[alpha])})" for alpha in sorted(sizes))
        or "none tried"
    )


def spans(tried: Sequence[Fraction], values: Collection[Fraction]) -> str:
    """Write where on a grid something is so, neighbours on the grid drawn together.

    >>> tenths = [Fraction(k, 10) for k in range(1, 7)]
    >>> spans(tenths, [tenths[0], *tenths[2:5]])
    '0.1, 0.3 to 0.5'
    """
    runs = [list(run) for is_so, run in itertools.groupby(tried, lambda value: value in values) if is_so]
    ends = [(f"{float(run[0]):g}", f"{float(run[-1]):g}") for run in runs]
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in ends) or "none"


def setting(n: int, alpha: Fraction) -> str:
    """Return the usual `where` of a case."""
    return f"n = {n}, alpha = {number_text(alpha)}"
