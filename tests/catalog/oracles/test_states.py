"""Server states add up to the same bits in whatever order and grouping, from reports however they are cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_cases import CASES, Case

from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.oracles import State, merged

USERS = 60


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
    oracle = case.usual()
    reports = oracle.privatize(np.arange(USERS, dtype=np.int64) % oracle.k, seeded_words(3))
    cuts, order, first = grouping
    ends = [0, *cuts, USERS]
    pieces = [oracle.aggregate(reports[ends[i] : ends[i + 1]]) for i in order]
    whole = oracle.aggregate(reports)
    assert same(merged(pieces), whole)
    assert same(merged([merged(pieces[:first]), *reversed(pieces[first:])]), whole)
    assert np.array_equal(oracle.users_of(merged(pieces)), oracle.users_of(whole))
