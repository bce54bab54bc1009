"""States of disjoint sources: the same bytes in whatever order and grouping they are added and merged."""

from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_cases import STATE_CASES, USERS, StateCase

from mechdesign import InputError
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.provenance import Provenance

Grouping = tuple[list[int], list[int], list[int]]


@st.composite
def groupings(draw: st.DrawFn) -> Grouping:
    """Where the reports are cut, the order of the pieces, and which two of the states are merged next, each time."""
    cuts = sorted(draw(st.lists(st.integers(0, USERS), max_size=4)))
    order = draw(st.permutations(range(len(cuts) + 1)))
    return cuts, list(order), draw(st.lists(st.integers(0, 4), min_size=4, max_size=4))


@pytest.mark.parametrize("case", STATE_CASES, ids=lambda case: case.label)
@settings(max_examples=5)
@given(grouping=groupings())
def test_any_order_and_grouping_gives_the_same_bytes(case: StateCase, grouping: Grouping) -> None:
    reports, (cuts, order, merges) = case.reports(), grouping
    ends = [0, *cuts, USERS]
    pieces = {f"part {i}": reports[ends[i] : ends[i + 1]] for i in range(len(ends) - 1)}
    empty = CollectionState.empty(case.task())
    one_by_one = reduce(lambda state, name: state.add(pieces[name], source=name), pieces, empty)
    states = [empty.add(pieces[f"part {i}"], source=f"part {i}") for i in order]
    for place in merges:
        if len(states) > 1:
            first = states.pop(place % len(states))
            other = states.pop(place % len(states))
            states.append(CollectionState.from_bytes(first.merge(other).to_bytes()))
    (merged,) = states
    assert merged.to_bytes() == one_by_one.to_bytes()
    assert merged == one_by_one
    assert hash(merged) == hash(one_by_one)
    whole = case.make().aggregate(reports)
    assert (merged.users, merged.sums.sums.tobytes()) == (whole.users, whole.sums.tobytes())


@pytest.mark.parametrize("case", STATE_CASES, ids=lambda case: case.label)
def test_nobody_is_neutral(case: StateCase) -> None:
    empty = CollectionState.empty(case.task())
    one = empty.add(case.reports(), source="all")
    assert empty.merge(empty) == empty
    assert empty.merge(one) == one == one.merge(empty) == one.merge(empty.sealed())
    assert (empty.users, empty.provenance.is_empty, one.provenance.is_empty) == (0, True, False)


KINDS = st.sampled_from(["plain", "sealed", "unguarded"])


@settings(max_examples=40)
@given(kinds=st.lists(KINDS, min_size=3, max_size=3))
def test_seals_and_unguarded_parts_merge_in_any_order(kinds: list[str]) -> None:
    case = STATE_CASES[0]
    empty, reports = CollectionState.empty(case.task()), case.reports()

    def made(place: int, kind: str) -> CollectionState:
        part = reports[8 * place : 8 * place + 8]
        state = empty.add(part, source=None if kind == "unguarded" else f"part {place}")
        return state.sealed() if kind == "sealed" else state

    a, b, c = (made(place, kind) for place, kind in enumerate(kinds))
    whole = a.merge(b).merge(c)
    assert whole == a.merge(b.merge(c)) == c.merge(a).merge(b)
    assert whole.provenance.unguarded == ("unguarded" in kinds)
    assert len(whole.provenance.seals) == kinds.count("sealed")
    assert len(whole.provenance.sources) == kinds.count("plain")


def test_more_users_than_any_collection_has_are_refused() -> None:
    task = STATE_CASES[0].task()
    empty = CollectionState.empty(task)
    many = CollectionState(task, replace(empty.sums, users=2**53))
    assert many.merge(empty).users == 2**53
    with pytest.raises(InputError, match=r"states must have at most 2\^53 users, got 18014398509481984"):
        many.merge(many)


def test_reports_left_out_are_added_up() -> None:
    task = STATE_CASES[0].task()
    sums = CollectionState.empty(task).sums
    one, other = (CollectionState(task, sums, Provenance(dropped=count)) for count in (3, 4))
    assert one.merge(other).provenance == Provenance(dropped=7)
