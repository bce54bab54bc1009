"""Further respects in which a mechanism shall be best, of all that are best so far: `--then`."""

from collections.abc import Iterable

from mechdesign.errors import InputError, shorten
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss

WORST = "worst"
PRIORS = {"uniform": 0, "binomial": 1, "weights": 1}
"""The words that a prior before a loss begins with, and how many texts after a colon belong to each."""

FORMS = "LOSS, worst:LOSS or PRIOR:LOSS (binomial:1/3:L1)"


def parse_then(then: str | Iterable[str], problem: DesignProblem) -> tuple[DesignProblem, ...]:
    """Read further respects, each as the problem with its loss.

    A text is a loss, which is expected under the problem's own prior (the uniform one where that is of a worst case);
    or a loss after `worst:`, or after a prior and a colon.

    Raises:
        InputError: for another text, or a respect that is there already.

    >>> problem = DesignProblem(n=8, alpha="0.75", properties="CM")
    >>> [one.aim for one in parse_then(("worst:L1", "L2"), problem)]
    ['loss L1, worst case', 'loss L2, prior uniform']
    """
    asked = [problem]
    for text in [then] if isinstance(then, str) else then:
        found = _respect(text, problem)
        if found in asked:
            raise InputError(f"then must be another respect than those before it, got then={shorten(text)}")
        asked.append(found)
    return tuple(asked[1:])


def _respect(text: str, problem: DesignProblem) -> DesignProblem:
    """Read one respect."""
    word, *rest = text.strip().split(":")
    word, own = word.lower(), None if problem.is_worst_case else problem.prior
    try:
        if word == WORST:
            return problem.with_aim(Loss.parse(":".join(rest)), None, WORST)
        if word in PRIORS:
            place = PRIORS[word]
            return problem.with_aim(Loss.parse(":".join(rest[place:])), ":".join([word, *rest[:place]]))
        return problem.with_aim(Loss.parse(text), own)
    except InputError as error:
        raise InputError(f"then must be {FORMS}, got then={shorten(text)}: {error}") from None
