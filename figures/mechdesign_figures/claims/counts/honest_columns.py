"""Our own theorem on mechanisms with honest columns: its formula beside linear programs that do not know it."""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.designs import design
from mechdesign.methods.closed_forms.honest_columns import honest_columns_score, is_in_range
from mechdesign.problem.design_problem import DesignProblem
from mechdesign_figures.claims.claim import OURS, Claim, settings
from mechdesign_figures.claims.verdict import Case, Finding, judge, setting, shown
from mechdesign_figures.studies.design_cache import DesignCache


def _formula(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        ends = [(n, Fraction(n // 2, n // 2 + 1)) for n in range(2, 6 if quick else 13)]
        for n, alpha in dict.fromkeys([*settings(quick), *ends]):
            stated = honest_columns_score(n, alpha)
            own = design(DesignProblem(n, alpha, properties="CM"), method="symmetric").score
            numbers = f"{shown(own)}, the formula {shown(stated)}"
            yield Case(setting(n, alpha), own == stated, numbers, is_in_range(n, alpha), miss=abs(own - stated))

    return judge(cases(), "n//2 <= alpha/(1-alpha)")


CLAIMS = (
    Claim(
        "honest columns",
        OURS,
        "the best L0 score with CH or CM and without F is (n+1-T)/n, where with c = n//2 T is "
        "(1 + 2 sum of alpha^-t for t = 1..c)/(n+1) for even n, "
        "2 (sum of alpha^-t for t = 0..c)/((c+1)(1+alpha)) for odd n "
        "(proved in the range of the condition, in `mechdesign/methods/closed_forms/honest_columns.py`)",
        _formula,
    ),
)
