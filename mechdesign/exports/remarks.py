"""Remarks at the head of an exported program: its problem in words."""

from fractions import Fraction

from mechdesign.problem.design_problem import DesignProblem
from mechdesign.rational import fraction_text, short_text
from mechdesign.version import __version__


def remarks(problem: DesignProblem) -> list[str]:
    """List the lines of comment that every format begins with: the problem, the score, and what rows are called."""
    aim = "t, the largest expected loss of an input" if problem.is_worst_case else "the expected loss"
    scale = "" if problem.rescaling == 1 else f" times {fraction_text(problem.rescaling)}"
    lines = [
        f"mechdesign {__version__}: the linear program of the best mechanism for {problem.describe()}",
        "P_i_j is the probability of output i on input j",
        f"the score is {aim}{scale}",
        "rows KIND_i_j_k_h compare P_i_j with P_k_h: DP by a power of alpha, others as the property of that name says",
    ]
    if problem.at_alpha is not problem:
        alpha, epsilon = fraction_text(problem.alpha), fraction_text(problem.privacy.given_epsilon or Fraction(0))
        lines.append(f"this is the program at alpha = {alpha}, the mechanism's; epsilon = {epsilon} was asked for,")
        lines.append(
            "and exp(-epsilon) is below alpha by rounding: the least score for epsilon is at most this optimum"
        )
    if problem.model.name == "metric":
        rounded = ", rounded down to whole ones" if problem.model.is_rounded else ""
        unit, step = short_text(problem.model.unit), problem.step
        lines.append(
            f"distances are in units of {unit}{rounded}; over one of them the factor is {fraction_text(step.low)}"
        )
        if not step.is_exact:
            ratio = "alpha^unit" if problem.privacy.is_exact else "exp(-epsilon unit)"
            lines.append(f"this is at most {ratio}; the mechanism is private at {fraction_text(step.high)}")
    return lines
