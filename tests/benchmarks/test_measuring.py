"""The clock, the cap, and the two ways in which a process can fail to answer."""

import sys

import pytest
from measuring import Measured, measured
from questions import Question, Verdict, judge_ours, ours


def test_an_answer_comes_with_its_median_time_and_the_judgement_of_it():
    found = measured(ours, Question(5), judge_ours, cap=60)
    assert isinstance(found.verdict, Verdict)
    assert found.verdict.expected_loss == pytest.approx(15 / 19)  # GM: 6/5 of it is 2 alpha / (1 + alpha) = 18/19
    assert found.seconds == found.at_least
    assert found.words == f"{found.seconds:.3f} s"


def test_a_solve_over_the_cap_is_killed_and_counts_as_the_cap():
    assert measured(ours, Question(64, "WH,RM,CM"), judge_ours, cap=0.001) == Measured(
        at_least=0.001, note="solving over 0.001 s"
    )


def test_an_error_is_told_in_a_line_and_counts_as_no_time():
    found = measured(ours, Question(0), judge_ours, cap=60)
    assert found == Measured(note="InputError: n must be an integer of at least 1, got n=0")


def test_a_process_that_ends_without_a_word():
    assert measured(sys.exit, Question(5), judge_ours, cap=60) == Measured(note="its process died")
