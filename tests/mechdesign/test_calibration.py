"""Calibration: its ends against formulas and an independent program, its search against functions that are known."""

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_lp import by_cvxpy
from wording import refused

from mechdesign import Law, calibrate
from mechdesign.calibration import APART, LEAST, MOST, least_epsilon
from mechdesign.errors import InputError, LimitReachedError, NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign.program.clock import Clock


def test_one_person_is_randomized_response():
    found = calibrate(1, within=0, chance="0.9")  # right with 1/(1 + e^-epsilon)
    assert found.lower < Fraction(math.log(9)) < found.upper
    assert found.upper - found.lower <= APART


def test_a_large_group_is_the_geometric_mechanism():
    found = calibrate(100_000, loss="L1", score="1.5")
    assert isinstance(found.proved, Law)
    alpha = (math.sqrt(1 + 1.5**2) - 1) / 1.5  # where 2 alpha/(1 - alpha^2) is 1.5, the mean beside the ends
    assert float(found.lower) - 1e-4 < -math.log(alpha) < float(found.upper) + 1e-4


def test_a_large_group_is_fair_in_the_worst_case():
    found = calibrate(100_000, score="0.5", aggregate="worst")
    assert float(found.lower) - 1e-4 < math.log(3) < float(found.upper) + 1e-4  # wrong with 2 alpha/(1 + alpha)


WISHES = {
    "within": {"n": 6, "properties": "WH,CM", "within": 1, "chance": "0.8"},
    "mean": {"n": 6, "within": 1, "chance": "0.9", "prior": "binomial:1/3"},
    "loss": {"n": 5, "properties": "F", "loss": "L1", "score": "0.7"},
    "worst": {"n": 5, "properties": "CM", "loss": "L2", "score": "1", "aggregate": "worst"},
    "weak privacy": {"n": 4, "score": "0.001"},
    "strong privacy": {"n": 4, "loss": "L1", "score": "1.19"},
}


@pytest.mark.parametrize("name", WISHES)
def test_both_ends_by_an_independent_program(name):
    found = calibrate(**WISHES[name])
    wish = found.wish
    assert found.is_close
    assert found.upper - found.lower <= min(APART, APART * found.upper)
    assert found.best.score <= wish.score < found.refuted.lower_bound
    for epsilon, known in ((found.upper, found.best), (found.lower, found.refuted)):
        assert by_cvxpy(wish.problem(Privacy(epsilon=epsilon))) == pytest.approx(float(known.score), rel=1e-5)


def test_a_design_within_the_wish_has_the_chance_at_every_count():
    found = calibrate(**WISHES["within"])
    matrix = found.best.mechanism.matrix()
    chances = [sum(matrix[i][j] for i in range(7) if abs(i - j) <= 1) for j in range(7)]
    assert Fraction(8, 10) <= min(chances) < Fraction(81, 100)


@dataclass(frozen=True)
class Known:
    score: Fraction
    lower_bound: Fraction


@dataclass(frozen=True)
class KnownWish:
    """Scores that fall with epsilon in a known way, with gaps."""

    root: float
    steepness: float
    bend: float
    gap: float = 1e-12
    n: int = 10**6
    score: Fraction = Fraction(2)
    words: str = "a known wish"

    def designed(self, epsilon, time_limit):
        at = float(epsilon)
        log = self.steepness * (self.root - at) + self.bend * math.log(self.root / at)
        score = self.score * Fraction(math.exp(min(log, 500)))
        return Known(score, score * (1 - Fraction(self.gap)))

    def model(self, epsilon):
        return 1 - epsilon


@given(
    root=st.floats(1e-3, 50),
    steepness=st.floats(0.01, 10),
    bend=st.floats(0, 3),
)
@settings(max_examples=60)
def test_the_search_brackets_in_few_designs(root, steepness, bend):
    found = least_epsilon(KnownWish(root, steepness, bend), Clock(None))
    assert found.is_close
    assert float(found.lower) < root * (1 + 1e-9)
    assert root * (1 - 1e-9) < float(found.upper)
    assert found.best.score <= 2 < found.refuted.score
    assert found.designs <= 30


def test_a_wide_gap_leaves_the_ends_apart():
    found = least_epsilon(KnownWish(0.9, 1.0, 0.0, gap=0.05), Clock(None))
    assert not found.is_close
    lowest = 0.9 + math.log(0.95)  # where the bound, a part of .95 of the score, meets the wish
    assert float(found.lower) < lowest < float(found.lower) + APART
    assert float(found.upper) - APART < 0.9 < float(found.upper)


def test_what_is_out_of_reach_is_said():
    with refused(NoAnswerError):
        least_epsilon(KnownWish(2.0 * MOST, 1.0, 0.0), Clock(None))
    with refused(NoAnswerError):
        least_epsilon(KnownWish(float(LEAST) / 2, 1.0, 1.0), Clock(None))
    with refused(NoAnswerError):
        calibrate(8, within=4, chance="0.5")
    with refused(NoAnswerError):
        calibrate(2, within=1, chance="0.7")  # always 1: a score of 0
    with refused(NoAnswerError):
        calibrate(8, loss="L1", score="2.4")  # the middle, whatever the count, has 20/9


BAD = {
    "neither": ({"n": 8}, None),
    "both": ({"n": 8, "within": 1, "chance": "0.5", "score": 1}, None),
    "no chance": ({"n": 8, "within": 1}, "chance"),
    "chance with score": ({"n": 8, "score": 1, "chance": "0.5"}, "chance"),
    "surer": ({"n": 8, "within": 1, "chance": "1.1"}, "chance"),
    "no number": ({"n": 8, "within": 1, "chance": "nan"}, "chance"),
    "beyond": ({"n": 8, "within": 9, "chance": "0.5"}, "within"),
    "below": ({"n": 8, "within": -1, "chance": "0.5"}, "within"),
    "better than perfect": ({"n": 8, "score": -1}, "score"),
    "loss with within": ({"n": 8, "within": 1, "chance": "0.5", "loss": "L1"}, "loss"),
    "aggregate with within": ({"n": 8, "within": 1, "chance": "0.5", "aggregate": "worst"}, "aggregate"),
    "worst with prior": ({"n": 8, "score": 1, "aggregate": "worst", "prior": "binomial:1/2"}, None),
    "nobody": ({"n": 0, "score": 1}, "n"),
    "too many": ({"n": 10**10, "score": 1}, "n"),
    "no law": ({"n": 10**6, "loss": "L3", "score": 9}, "loss"),
    "no law's property": ({"n": 10**6, "within": 2, "chance": "0.9", "properties": "WH:2"}, "properties"),
    "prior of many": ({"n": 10**6, "within": 2, "chance": "0.9", "prior": "binomial:1/2"}, "n"),
    "property": ({"n": 8, "score": 1, "properties": "XX"}, None),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_wishes(name):
    asked, about = BAD[name]
    with refused(InputError, about=about):
        calibrate(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"within": 1, "chance": 1},
        {"score": 0},
        {"n": 10**6, "score": 0},
        {"within": 8, "chance": 1},
        {"score": 3, "loss": "L1"},
    ],
    ids=["sure", "perfect", "perfect for many", "anything", "any score"],
)
def test_what_no_epsilon_gives_and_what_every_one_gives_is_said(asked):
    with refused(NoAnswerError):
        calibrate(**{"n": 8, **asked})


def test_a_time_limit_ends_the_search():
    with refused(LimitReachedError):
        calibrate(40, properties="WH,CM", within=2, chance="0.9", time_limit=1e-3)


@given(st.integers(40, 90), st.sampled_from(["chance", "within", "properties"]))
@settings(max_examples=8)
def test_epsilon_falls_as_less_is_asked(percent, easier):
    """With a smaller chance, a wider interval or fewer properties, epsilon is no larger."""
    asked = {"properties": "F", "within": 0, "chance": Fraction(percent, 100)}
    other = {"chance": asked["chance"] - Fraction(1, 20), "within": 1, "properties": "WH"}[easier]
    hard = calibrate(3, **asked)
    try:
        assert calibrate(3, **{**asked, easier: other}).lower < hard.upper
    except NoAnswerError:
        assert easier != "properties"  # every epsilon has it
