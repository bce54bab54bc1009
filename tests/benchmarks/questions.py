"""One design question in terms that we and the peers share, our answer to it, and a judgement of any answer.

A question has the uniform prior and the expected loss `O = sum_j w_j sum_i P[i,j] loss(i,j)`, never rescaled: the
scale that every peer uses.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign import Design, DesignProblem, design
from mechdesign.audits.audit import audit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """A count over n people (`model` "count"), or n items in the local model ("ldp", "lldp" with a radius)."""

    n: int
    properties: str = "none"
    loss: str = "L0"
    alpha: str = "9/10"
    model: str = "count"
    radius: int | None = None

    @property
    def size(self) -> int:
        """Number of inputs, and of outputs."""
        return self.n + (self.model == "count")

    @property
    def ratio(self) -> float:
        """alpha as a peer takes it: a float."""
        return float(Fraction(self.alpha))

    @property
    def asked(self) -> frozenset[str]:
        return frozenset(self.properties.split(",")) - {"none"}

    def losses(self) -> Floats:
        """`loss[i, j]` for output i and input j; "Lp" with p = 0, 1, 2, ..."""
        distance = np.abs(np.subtract.outer(np.arange(self.size), np.arange(self.size))).astype(np.float64)
        power = int(self.loss.removeprefix("L"))
        return (distance > 0).astype(np.float64) if power == 0 else distance**power

    def expected_loss(self, matrix: Floats) -> float:
        """O of a column-stochastic float matrix, in floats: good to about 1e-12 of the largest loss."""
        return float((self.losses() * matrix).sum() / self.size)

    def tiny(self) -> "Question":
        """The same kind of question at a size that takes no time: it warms imports up."""
        return replace(self, n=3, radius=None if self.radius is None else 1)


def problem_of(question: Question) -> DesignProblem:
    """The question in our own terms."""
    if question.model == "count":
        return DesignProblem(question.n, question.alpha, properties=question.properties, loss=question.loss)
    from mechdesign import Model

    model = Model.ldp(question.n) if question.radius is None else Model.lldp(question.n, question.radius)
    return DesignProblem(model=model, alpha=question.alpha, properties=question.properties, loss=question.loss)


def ours(question: Question, method: str = "auto") -> Design:
    """Our answer: solved, certified, and passed by the kernel."""
    problem = problem_of(question)
    return design(problem) if method == "auto" else design(problem, method=method)


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth: its expected loss, and in words what is true of its privacy."""

    expected_loss: float
    words: str


def judge_ours(question: Question, answer: Design) -> Verdict:
    """The kernel has passed it; what is left to say is whether it is optimal to the last digit."""
    return Verdict(float(answer.score / answer.problem.rescaling), f"{answer.status}: {answer.how}")


def judge_phases(question: Question, answer: Design) -> Verdict:
    """The same, and which part of the time the solver took, the rest of the search, and the kernel."""
    told, seconds = judge_ours(question, answer), answer.seconds
    parts = (seconds.solve, seconds.certify, seconds.verify)
    shares = "/".join(f"{100 * part / sum(parts):.0f}" for part in parts)
    return replace(told, words=f"solver/rest/kernel {shares} %, {told.words}")


def judge_peer(question: Question, matrix: Floats) -> Verdict:
    """An exact audit of the float matrix as it is; epsilon beside the epsilon that was asked."""
    return Verdict(question.expected_loss(matrix), f"epsilon {privacy_words(question, matrix)}")


def true_epsilon(question: Question, matrix: Floats) -> float:
    """The tightest epsilon of a float matrix taken as exact; `inf` where it has none."""
    return audit(matrix, model=problem_of(question).model).epsilon


def privacy_words(question: Question, matrix: Floats) -> str:
    epsilon, asked = true_epsilon(question, matrix), -math.log(question.ratio)
    if math.isinf(epsilon):
        lowest = float(matrix.min())
        return "infinite: " + (f"an entry of {lowest:.1e}" if lowest < 0 else "a zero beside a positive entry")
    return f"{epsilon:.6g}, {epsilon - asked:+.1e} against what was asked"
