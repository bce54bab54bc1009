"""Nobody is counted twice: sources, seals, rounds and seeds; states merge in any order and grouping."""

from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_cases import STATE_CASES, USERS, StateCase
from wording import refused, warned

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports, ReportFile
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.provenance import seal_of

CITIES = ("Cork", "Galway", "Derry")


def made(city="Cork", users=10, oracle="grr", **options):
    return privatize([city] * users, oracle, epsilon=3, domain=CITIES, **options)


@pytest.fixture
def empty():
    return CollectionState.empty(made().header.task)


def test_a_source_added_again_changes_nothing_and_says_so(empty, tmp_path):
    batch = made()
    batch.save(tmp_path / "r.parquet")
    state = empty.add(batch)
    assert state.has(batch.header.identity)
    for again in (batch, ReportFile.at(tmp_path / "r.parquet")):
        with warned(UserWarning):
            assert state.add(again) is state
    assert state.users == 10


def test_a_name_of_ones_own_is_a_source_beside_that_of_the_batch(empty):
    one, other = made(), made("Derry")
    state = empty.add(one, source="monday")
    assert state.provenance.sources == {"monday", one.header.identity}
    with warned(UserWarning):
        assert state.add(one, source="tuesday") is state
    with warned(UserWarning):
        assert state.add(other, source="monday") is state
    assert state.add(other, source="tuesday").users == 20


def test_seeded_reports_have_their_digest_as_a_source(empty):
    batch = made(seed=3)
    state = empty.add(batch)
    assert state.provenance.sources == {batch.header.reports_digest}
    assert state.provenance.seeds == {3}
    assert state.add(made("Derry", seed=4)).provenance.seeds == {3, 4}


def test_bare_reports_leave_the_state_unguarded(empty):
    batch = made()
    named, bare = empty.add(batch.reports, source="a"), empty.add(batch.reports)
    assert (named.provenance.unguarded, bare.provenance.unguarded) == (False, True)
    assert bare.merge(named).users == 20
    assert bare.merge(named).provenance.unguarded
    assert not bare.provenance.is_empty
    with refused(InputError):
        empty.add(made(oracle="oue").reports, source="a")


def test_states_that_share_a_source_are_not_merged(empty):
    a, b, c = made(), made("Galway"), made("Derry")
    one, other = empty.add(a).add(b), empty.add(b).add(c)
    with refused(InputError):
        one.merge(other)
    assert one.merge(empty.add(c)).users == 30


def test_a_seal_stands_for_its_sources(empty):
    a, b = made(), made("Galway")
    day = empty.add(a).add(b)
    sealed = day.sealed()
    assert (sealed.users, sealed.provenance.sources) == (20, frozenset())
    assert sealed.provenance.seals == {seal_of([a.header.identity, b.header.identity])}
    assert sealed.sealed() == sealed != day
    assert empty.sealed() == empty
    for one, other in ((sealed, sealed), (sealed, day), (day, sealed)):
        with refused(InputError, about="states"):
            one.merge(other)
    later = sealed.add(made("Derry")).sealed()
    assert len(later.provenance.seals) == 2
    with refused(InputError):
        later.merge(sealed)


def test_real_and_simulated_reports_stay_apart(empty):
    real, simulated = empty.add(made()), empty.add(made(seed=3))
    for one, other in ((real, simulated), (simulated, real), (empty.add(made().reports), simulated)):
        with refused(InputError):
            one.merge(other)
    with refused(InputError):
        real.add(made(seed=3))


def test_a_memory_answers_in_one_round(tmp_path):
    def collect(name, first):
        users = range(first, first + 10)
        memory = tmp_path / "m.db"
        return privatize(
            ["Cork"] * 10, "dbitflip:d=2", epsilon=3, domain=CITIES, users=users, memory=memory, round=name
        )

    monday, others, tuesday = collect("monday", 0), collect("monday", 10), collect("tuesday", 0)
    empty = CollectionState.empty(monday.header.task)
    state = empty.add(monday).add(others)
    assert state.provenance.rounds == {monday.header.memory: "monday"}
    for first, second in ((state, empty.add(tuesday)), (empty.add(tuesday), state)):
        with refused(InputError):
            first.merge(second)


def test_reports_and_states_of_another_task_are_refused(empty):
    for other in [
        lambda: privatize(["Cork"], "grr", epsilon=2, domain=CITIES),
        lambda: privatize(["Cork"], "oue", epsilon=3, domain=CITIES),
        lambda: privatize(["a"], "grr", epsilon=3, domain=["a", "b", "c"]),
        lambda: privatize(["Cork"], "grr", epsilon=3, domain=CITIES, ordered=True),
    ]:
        batch = other()
        with refused(InputError):
            empty.add(batch)
        with refused(InputError):
            empty.merge(CollectionState.empty(batch.header.task))


def test_a_report_that_no_client_makes_adds_nothing(empty):
    batch = made()
    columns = {"item": batch.reports.columns["item"].copy()}
    columns["item"][4] = 3
    bad = PrivateReports(batch.header, type(batch.reports)(batch.reports.parameters, columns))
    with refused(InputError):
        empty.add(bad)


def test_a_source_is_a_text(empty):
    for source in ["", "a" * 201, "\ud800", 7]:
        with refused(InputError, about="source"):
            empty.add(made(), source=source)
        with refused(InputError, about="source"):
            empty.add(made().reports, source=source)


Grouping = tuple[list[int], list[int], list[int]]


@st.composite
def groupings(draw: st.DrawFn) -> Grouping:
    """Where the reports are cut, the order of the pieces, and which two of the states are merged next, each time."""
    cuts = sorted(draw(st.lists(st.integers(0, USERS), max_size=4)))
    order = draw(st.permutations(range(len(cuts) + 1)))
    return cuts, list(order), draw(st.lists(st.integers(0, 4), min_size=4, max_size=4))


@pytest.mark.parametrize("case", STATE_CASES, ids=lambda case: case.label)
@settings(max_examples=3)
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
    with refused(InputError, about="states"):
        many.merge(many)
