"""Server states: the same bits in whatever order they are merged; those that no reports add up to are refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_cases import CASES, Case

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.oracles import FrequencyOracle, State, merged, parse_oracle

USERS = 60
SYSTEMS = ["hh:b=2", "hh:b=3:in=grr", "hh:b=2:in=hrr:estimate=raw", "haar", "hh2:b=2:sides=2x4", "haar2:sides=4x2"]


@st.composite
def groupings(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Where the reports are cut, the order of the pieces, and how many of them are merged before the rest."""
    cuts = sorted(draw(st.lists(st.integers(0, USERS), max_size=4)))
    order = draw(st.permutations(range(len(cuts) + 1)))
    return cuts, list(order), draw(st.integers(1, len(cuts) + 1))


def same(one: State, other: State) -> bool:
    return (one.parameters, one.users, one.sums.dtype) == (other.parameters, other.users, other.sums.dtype) and (
        one.sums.tobytes() == other.sums.tobytes()
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
@settings(max_examples=10)
@given(grouping=groupings())
def test_states_merge_in_any_order(case: Case, grouping: tuple[list[int], list[int], int]) -> None:
    assert_merges(case.usual(), grouping)


@pytest.mark.parametrize("text", SYSTEMS)
@settings(max_examples=10)
@given(grouping=groupings())
def test_states_of_systems_merge_in_any_order(text: str, grouping: tuple[list[int], list[int], int]) -> None:
    assert_merges(parse_oracle(text, 8, Privacy(epsilon=1)), grouping)


def assert_merges(oracle: FrequencyOracle, grouping: tuple[list[int], list[int], int]) -> None:
    reports = oracle.privatize(np.arange(USERS, dtype=np.int64) % oracle.k, seeded_words(3))
    cuts, order, first = grouping
    ends = [0, *cuts, USERS]
    pieces = [oracle.aggregate(reports[ends[i] : ends[i + 1]]) for i in order]
    whole = oracle.aggregate(reports)
    assert same(merged(pieces), whole)
    assert same(merged([merged(pieces[:first]), *reversed(pieces[first:])]), whole)
    assert np.array_equal(oracle.users_of(merged(pieces)), oracle.users_of(whole))


def state_of(text: str, users: int = 400) -> State:
    oracle = parse_oracle(text, 8, Privacy(epsilon=1))
    return oracle.aggregate(oracle.privatize(np.arange(users, dtype=np.int64) % 8, seeded_words(7)))


@pytest.mark.parametrize("text", SYSTEMS)
def test_states_of_systems_that_no_reports_add_up_to_are_refused(text: str) -> None:
    """Counts of users below 0, or that are not all users; too few or too many sums; sums above the level's users."""
    state, oracle = state_of(text), parse_oracle(text, 8, Privacy(epsilon=1))
    levels = len(oracle.users_of(state))

    def changed(place: int, by: int) -> State:
        sums = state.sums.copy()
        sums[place] += by
        return replace(state, sums=sums)

    moved = changed(0, 500)
    moved.sums[1] -= 500
    wrong = [
        (changed(0, 1), "a state must have 400 users over all levels, got 401"),
        (replace(state, users=399), "a state must have 399 users over all levels, got 400"),
        (moved, r"a state must have counts in 0\.\.400, got "),
        (replace(state, sums=state.sums[:-1]), r"a state must have \d+ sums, got shape"),
        (replace(state, sums=np.append(state.sums, 0)), r"a state must have \d+ sums, got shape"),
        (changed(levels, 401), "a state must have"),
        (changed(-1, -801), "a state must have"),
        (replace(state, users=0), "at least one user"),
    ]
    for broken, message in wrong:
        with pytest.raises(InputError, match=message):
            oracle.estimate(broken)


@pytest.mark.parametrize("text", SYSTEMS)
def test_a_level_without_a_report_has_no_answer(text: str) -> None:
    """One user is in one level."""
    oracle = parse_oracle(text, 8, Privacy(epsilon=1))
    state = oracle.aggregate(oracle.privatize(np.array([3]), seeded_words(7)))
    queries = Intervals(8, np.array([0]), np.array([3]))
    for ask in (oracle.users_of, oracle.estimate, lambda state: oracle.answers(state, queries)):
        with pytest.raises(NoAnswerError, match="each level must have a report, got none of level"):
            ask(state)
