"""The words on a mechanism's promise to those who are counted."""

from mechdesign.counts.release import privacy_sentences
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import number_text

USUAL_UNIT = "person"


def privacy_words_of(problem: DesignProblem, unit: str = USUAL_UNIT) -> list[str]:
    """Say what each release through a mechanism for this problem promises, and on which conditions."""
    stated = f"epsilon = {loss_text(problem.alpha)} (alpha = {number_text(problem.alpha)})"
    if problem.model.name == "count":
        first = f"Privacy statement: each count that is released through this mechanism spends {stated}."
        return [first, *privacy_sentences(problem.alpha, problem.n, 1, unit)[1:]]
    far = " for each 1 of distance between two items" if problem.model.name == "metric" else ""
    near = "" if problem.model.radius is None else f", for items at most {problem.model.radius} apart and no others"
    return [
        f"Privacy statement: each report through this mechanism spends {stated}{far}{near}.",
        f"A neighbour is the same {unit} with another item. The reports of other people do not matter.",
        f"A {unit} who reports again spends another epsilon; any processing of the reports is free.",
    ]
