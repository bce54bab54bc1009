"""Further respects in which a mechanism shall be best, of all that are best so far: `--then`."""

from collections.abc import Iterable
from dataclasses import dataclass

from mechdesign.errors import InputError, shorten
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss

WORST = "worst"
PRIORS = {"uniform": 0, "binomial": 1, "weights": 1}
"""The words that a prior before a loss begins with, and how many texts after a colon belong to each."""

CANONICAL = "canonical"
CANONICAL_LOSSES = ("L1", "L2")

FORMS = "LOSS, worst:LOSS, PRIOR:LOSS (binomial:1/3:L1) or canonical"


@dataclass(frozen=True)
class Then:
    """Further respects, each as the problem with its loss.

    `is_canonical`: in the end the entries decide, so that one mechanism is left. Read row by row, P[0,0] first, it is
    the least of all that are best, and of all that equal their rotation where that costs nothing.
    """

    problems: tuple[DesignProblem, ...]
    is_canonical: bool = False

    def __bool__(self) -> bool:
        return self.is_canonical or bool(self.problems)


def parse_then(then: str | Iterable[str], problem: DesignProblem) -> Then:
    """Read further respects.

    A text is a loss, which is expected under the problem's own prior (the uniform one where that is of a worst case);
    or a loss after `worst:`, or after a prior and a colon. The last may be `canonical`: L1, L2, and then the entries.

    Raises:
        InputError: for another text, or a respect that is there already.

    >>> problem = DesignProblem(n=8, alpha="0.75", properties="CM")
    >>> [one.aim for one in parse_then(("worst:L1", "canonical"), problem).problems]
    ['loss L1, worst case', 'loss L1, prior uniform', 'loss L2, prior uniform']
    """
    texts = [then] if isinstance(then, str) else list(then)
    is_canonical = bool(texts) and texts[-1].strip().lower() == CANONICAL
    asked = [problem]
    for text in texts[: len(texts) - is_canonical]:
        found = _respect(text, problem)
        if found in asked:
            raise InputError(f"then must be another respect than those before it, got then={shorten(text)}")
        asked.append(found)
    if is_canonical:
        further = [_respect(loss, problem) for loss in CANONICAL_LOSSES]
        asked += [one for one in further if one not in asked]
    return Then(tuple(asked[1:]), is_canonical)


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
