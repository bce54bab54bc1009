"""Peers, given the same question, find nothing better than we do: run with `pytest tests/benchmarks`."""

import importlib.util
import math

import numpy as np
import pytest
from peers import PEERS, PeerFailedError, cvxpy, libqif
from questions import Question, judge_ours, ours, problem_of, true_epsilon

from mechdesign.audits.audit import audit
from mechdesign.audits.mending import mend
from mechdesign.documents.files import float_rows

BETTER = 1e-7
"""A peer whose expected loss is lower than ours by more than this has either beaten us or bent its constraints."""

CLOSE, ROUGH = 1e-7, 1e-4
"""How near the optimum a peer's loss must be, as a share of it, to have answered the same question."""


def nearness(question: Question, name: str) -> float:
    """Simplex solvers come close while alpha is not small; interior points stop earlier."""
    interior = name in ("cvxpy Clarabel", "libqif CLP interior")
    return ROUGH if interior or question.ratio < 0.5 else CLOSE


needs_qif = pytest.mark.skipif(
    importlib.util.find_spec("qif") is None, reason="libqif is not installed: pip install -e '.[bench]'"
)
EVERY_PEER = [pytest.param(name, marks=needs_qif if name.startswith("libqif") else ()) for name in PEERS]
CVXPY = [name for name in PEERS if name.startswith("cvxpy")]

FREE = [
    Question(n, "none", loss, alpha)
    for n in (5, 8, 12)
    for alpha in ("1/10", "1/2", "62/100", "9/10")
    for loss in ("L0", "L1", "L2")
]
BOUND = [
    Question(8, "WH,RM,CM", "L0"),
    Question(12, "WH", "L1", "62/100"),
    Question(8, "RH", "L2", "1/2"),
    Question(5, "CH", "L1"),
    Question(12, "F", "L0"),
    Question(8, "RM,S", "L1"),
    Question(5, "F,CM", "L2", "62/100"),
]
words = {
    "ids": lambda question: f"{question.properties}-{question.loss}-n{question.n}-{question.alpha.replace('/', ':')}"
}


def breaks_its_promise(question: Question, matrix: np.ndarray) -> bool:
    """Does an exact audit find the matrix outside what was asked, by more than the last digits of a float?

    The last digits alone (a ratio off by 1e-15) buy nobody 1e-7 of expected loss.
    """
    found = audit(matrix)
    wrong_sums = any(abs(error) > 1e-12 for _, error in found.column_errors)
    return (
        wrong_sums
        or true_epsilon(question, matrix) > -math.log(question.ratio) + 1e-12
        or bool(question.asked - set(found.holds))
    )


def compare(question: Question, name: str) -> None:
    matrix = PEERS[name](question)
    best = ours(question)
    loss = judge_ours(question, best).expected_loss
    theirs = question.expected_loss(matrix)
    assert theirs >= loss - BETTER or breaks_its_promise(question, matrix)
    assert theirs == pytest.approx(loss, rel=nearness(question, name)), "the peer answered another question"
    mended = mend(problem_of(question), float_rows(matrix, name)).design
    assert mended.score >= best.lower_bound  # in rationals: what is private is never better, not by one digit
    assert float(mended.score) == pytest.approx(float(best.score), rel=2 * nearness(question, name))


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("name", EVERY_PEER)
@pytest.mark.parametrize("question", FREE, **words)
def test_no_peer_does_better_without_properties(question, name):
    compare(question, name)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("name", CVXPY)
@pytest.mark.parametrize("question", BOUND, **words)
def test_no_peer_does_better_with_properties(question, name):
    compare(question, name)


@pytest.mark.parametrize("name", EVERY_PEER)
def test_the_local_model_is_all_pairs(name):
    """Under L0 the optimum is randomised response: diagonal 1/(1 + (k-1) alpha)."""
    matrix = PEERS[name](Question(6, "none", "L0", "1/2", model="ldp"))
    assert matrix.diagonal() == pytest.approx(1 / 3.5, abs=1e-6)
    assert matrix.sum(axis=0) == pytest.approx(1)


@needs_qif
def test_channels_are_turned_around_at_the_border():
    """Columns, not rows, sum to 1; GM's corner is larger than its middle in every column, not in every row."""
    matrix = libqif(Question(4, "none", "L0", "1/2"), "CLP")
    assert matrix.sum(axis=0) == pytest.approx(1)
    assert matrix[0] == pytest.approx([2 / 3, 1 / 3, 1 / 6, 1 / 12, 1 / 24])


@needs_qif
def test_libqif_is_not_asked_what_it_cannot_say():
    with pytest.raises(PeerFailedError, match="no such properties"):
        libqif(Question(4, "WH", "L0"), "CLP")


@pytest.mark.parametrize("name", ["WH", "RH", "RM", "CH", "CM", "F", "S"])
def test_each_property_in_whole_matrix_form_is_the_property(name):
    """On its own under L1 each property comes out, and the peer's loss is that of the exact optimum."""
    question = Question(6, name, "L1")
    best = ours(question)
    assert name in best.holds
    loss = question.expected_loss(cvxpy(question, "HIGHS"))
    assert loss == pytest.approx(judge_ours(question, best).expected_loss, rel=1e-7)
