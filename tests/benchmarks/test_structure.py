"""When a target counts as reached, and what is said beside a peer's time."""

import pytest
from measuring import Measured
from questions import Question, Verdict
from structure import Race, compared, reached

RACE = Race("a race", Question(5), ("a", "b"), times_faster=10, under_seconds=4)


def took(seconds: float) -> Measured:
    return Measured(seconds, Verdict(2.0, "words"), at_least=seconds)


SLOW = Measured(at_least=20.0, note="solving over 20 s")
SILENT = Measured(note="its process died")


@pytest.mark.parametrize(
    ("mine", "rivals", "said"),
    [
        (took(1), [took(10), took(30)], "met"),
        (took(1), [took(9.9), took(30)], "MISSED"),
        (took(1), [SLOW, took(10)], "met"),
        (took(3), [SLOW, took(40)], "NOT MEASURED"),  # 30 s were needed, and 20 s are known
        (took(3), [SLOW, took(20)], "MISSED"),
        (took(1), [SILENT, took(10)], "NOT MEASURED"),
        (took(4), [took(100), took(100)], "MISSED"),
        (SLOW, [took(100), took(100)], "MISSED"),
        (SILENT, [took(100), took(100)], "NOT MEASURED"),
        (Measured(at_least=2.0, note="solving over 2 s"), [took(100), took(100)], "NOT MEASURED"),
    ],
)
def test_when_a_target_is_reached(mine, rivals, said):
    assert reached(RACE, mine, rivals) == said


def test_a_target_without_rivals_is_a_time_alone():
    race = Race("alone", Question(5), under_seconds=4)
    assert (reached(race, took(3), []), reached(race, took(5), [])) == ("met", "MISSED")
    assert race.target() == "under 4 s"
    assert RACE.target() == "at least 10 times faster than a, b and under 4 s"


def test_what_is_said_beside_a_peer():
    theirs = Measured(6.0, Verdict(1.5, "epsilon infinite"), at_least=6.0)
    assert compared(took(2), theirs).split() == ["3.0", "x", "loss", "-5.0e-01", "epsilon", "infinite"]
    assert compared(took(2), SLOW).split() == [">", "10.0", "x"]
    assert compared(took(2), SILENT) == ""
    assert compared(SILENT, theirs) == "epsilon infinite"
