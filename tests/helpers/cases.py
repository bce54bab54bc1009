"""One table of designs with exact scores, and what every design promises, shared by every test that needs them."""

from fractions import Fraction

from mechdesign.audits.audit import audit
from mechdesign.problem.prior import Prior

WM = "WH,RM,CM"
SKEWED = Prior.from_weights([Fraction(2, 5), Fraction(3, 10), Fraction(3, 20), Fraction(1, 10), Fraction(1, 20)])

GOLDEN = [
    # n, alpha, properties, loss, score
    (4, "9/10", WM, "L0", Fraction(391, 405)),
    (8, "9/10", WM, "L0", Fraction(114025, 118098)),
    (8, "9/10", "WH,CM", "L0", Fraction(114025, 118098)),
    (8, "9/10", "CH", "L0", Fraction(114025, 118098)),
    (8, "9/10", "RM,CH,S", "L0", Fraction(114025, 118098)),
    (8, "10/11", WM, "L0", Fraction(348949, 360000)),
    (12, "10/11", WM, "L0", Fraction(25170943, 26000000)),
    (7, "62/100", WM, "L0", Fraction(13682, 17577)),
    (8, "9/10", "none", "L0", Fraction(18, 19)),
    (8, "9/10", "RH", "L0", Fraction(18, 19)),
    (8, "9/10", "WH", "L0", Fraction(227147, 236196)),
    (8, "9/10", "WH,RM", "L0", Fraction(227147, 236196)),
    (8, "9/10", "F", "L0", Fraction(278559, 287608)),
    (8, "9/10", "F,RM,CM", "L0", Fraction(278559, 287608)),
    (8, "9/10", "all", "L0", Fraction(278559, 287608)),
    (5, "62/100", "none", "L1", Fraction(32860121, 30375000)),
    (7, "62/100", "none", "L2", Fraction(15335900728121, 5062500000000)),
]
"""Exact values of the design notes: found by hand, by other programs, or in print."""

INFINITE_EPSILON = [
    # plain solvers export these with a zero beside a positive entry, or leave a basis that is not exactly optimal
    (7, "1/10", "none", "L0"),
    (24, "1/2", "none", "L0"),
    (24, "1/2", WM, "L0"),
    (5, "9/10", "none", "L1"),
    (20, "1/10", "none", "L1"),
    (40, "1/2", "WH", "L1"),
]

HARD = [
    # beyond floating point: tiny alpha, alpha beside 1, huge powers, lopsided priors
    (10, "1e-30", "F", "L2", "uniform"),
    (6, "0.999999999999", WM, "L1", "uniform"),
    (10, "9/10", "CM", "L200", "uniform"),
    (30, "1/100", "RM", "L1", "uniform"),
    (30, "1/1000", "F,RM,CM", "L2", "uniform"),
    (20, "1/10000", "none", "L1", "uniform"),
    (12, "3/10", "none", "L0", "binomial:1"),
    (20, "1/10", "RH,S", "L1:2", "binomial:1/100"),
    (30, "3/10", "none", "L0", "binomial:1"),
    (32, "1/5", "none", "L1", "binomial:1/10"),
    (30, "21/50", "WH,RH,RM,F", "L0:3", "binomial:1/100"),
    (40, "99/100", "F", "L2", "binomial:1/10"),
]


def require_certified(result):
    """What every design promises, checked by the audit, which shares no code with the solver's side."""
    problem = result.problem
    found = audit(result, alpha=problem.alpha, properties=problem.properties)
    assert found.passed, [claim for claim in found.claims if not claim.true]
    assert found.column_sums_exact
    assert not found.negative
    assert result.lower_bound <= result.score
    assert result.status == ("exact" if result.gap == 0 else "certified")
