"""States as bytes: canonical, read back as they were, and refused where anything was changed."""

import hashlib
import json

import numpy as np
import pytest
from state_cases import STATE_CASES, StateCase

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.oracles.reports import State

CITIES = ("Cork", "Galway", "Derry")


@pytest.fixture(scope="module")
def state():
    batches = [privatize([city] * 10, "grr", epsilon=3, domain=CITIES, seed=seed) for seed, city in enumerate(CITIES)]
    empty = CollectionState.empty(batches[0].header.task)
    return empty.add(batches[0]).add(batches[1]).sealed().add(batches[2], source="Dublín")


def rewritten(state, change, sums=None):
    """The bytes of a state with a changed header, whose digest is right."""
    header, _, rest = state.to_bytes().partition(b"\n")
    body = json.loads(header)
    change(body)
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    content = text.encode() + b"\n" + (rest[:-32] if sums is None else sums)
    return content + hashlib.sha256(content).digest()


@pytest.mark.parametrize("case", STATE_CASES, ids=lambda case: case.label)
def test_a_state_comes_back(case: StateCase) -> None:
    state = CollectionState.empty(case.task()).add(case.reports(), source="all")
    again = CollectionState.from_bytes(state.to_bytes())
    assert again == state
    assert (again.task, again.provenance, again.users) == (state.task, state.provenance, state.users)
    assert again.sums.sums.dtype == np.int64
    assert np.array_equal(again.sums.sums, state.sums.sums)


def test_everything_that_is_known_of_reports_travels(state):
    again = CollectionState.from_bytes(state.to_bytes())
    assert again.task.items == CITIES
    assert again.provenance == state.provenance
    assert (len(again.provenance.sources), len(again.provenance.seals), again.provenance.seeds) == (2, 1, {0, 1, 2})


def test_bytes_are_as_they_are_specified(state):
    """Read by hand: JSON with sorted keys, a line break, eight bytes a sum, the digest of all before."""
    content = state.to_bytes()
    header, _, rest = content.partition(b"\n")
    body = json.loads(header)
    assert header == json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    assert (body["format"], body["users"], body["provenance"]["dropped"]) == ("mechdesign-state/2", 30, 0)
    sums = [int.from_bytes(rest[8 * place : 8 * place + 8], "little", signed=True) for place in range(3)]
    assert sums == state.sums.sums.tolist()
    assert rest[24:] == hashlib.sha256(content[:-32]).digest()
    assert state.digest == hashlib.sha256(content[:-32]).hexdigest()


def test_items_that_only_one_state_has_are_kept(state):
    task = state.task
    without = CollectionState.empty(Task(task.parameters, task.domain_digest))
    assert without.task.items is None
    assert without.merge(state).to_bytes() == state.merge(without).to_bytes() == state.to_bytes()


def test_every_byte_matters(state):
    content = state.to_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(InputError, match="a state"):
            CollectionState.from_bytes(bytes(changed))


def test_a_part_of_the_bytes_is_no_state(state):
    content = state.to_bytes()
    for length in [0, 1, 20, 40, len(content) - 33, len(content) - 32, len(content) - 8, len(content) - 1]:
        with pytest.raises(InputError, match="a state"):
            CollectionState.from_bytes(content[:length])
    with pytest.raises(InputError, match=r"changed or cut state in a\.state"):
        CollectionState.from_bytes(content + b"\0", "a.state")


def change(path, value):
    def apply(body):
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value

    return apply


ODD = [
    (("format",), "mechdesign-state/1", r"format mechdesign-state/2, got format mechdesign-state/1 in day\.state"),
    (("format",), "mechdesign-reports/2", r"file must be a state of format mechdesign-state/2, got day\.state"),
    (("users",), -1, "users must be a whole number"),
    (("users",), "30", "users must be a whole number"),
    (("task", "parameters", "oracle"), "glp", "oracle must be one of"),
    (("task", "parameters", "k"), 4, r"a state of this task must have 4 sums, got 3 in day\.state"),
    (("task", "domain", "items"), ["Cork"], "at least|those of the domain's digest"),
    (("provenance",), [], "provenance must be a JSON object"),
    (("provenance", "sources"), "Dublin", "sources must be a list"),
    (("provenance", "sources"), [""], "source must be a text"),
    (("provenance", "sources"), ["b", "a"], "must be written as mechdesign writes it"),
    (("provenance", "sources"), ["a", "a"], "must be written as mechdesign writes it"),
    (("provenance", "seals"), ["ab"], "seal must be 64 hexadecimal digits"),
    (("provenance", "seeds"), [None], "seeds must be whole numbers"),
    (("provenance", "seeds"), [-1], "seed must be a whole number"),
    (("provenance", "rounds"), {"ab": "monday"}, "memory must be 32 hexadecimal digits"),
    (("provenance", "rounds"), {"a" * 32: "two words"}, "round must be 1 to 64"),
    (("provenance", "unguarded"), 0, "unguarded must be true or false"),
    (("provenance", "dropped"), 1.5, "dropped must be a whole number"),
    (("further",), 1, "must be written as mechdesign writes it"),
]


@pytest.mark.parametrize(("path", "value", "message"), ODD, ids=[f"{'.'.join(p)}={v}" for p, v, _ in ODD])
def test_impossible_fields_are_refused(state, path, value, message):
    with pytest.raises(InputError, match=message):
        CollectionState.from_bytes(rewritten(state, change(path, value)), "day.state")


@pytest.mark.parametrize("cut", [8, 9, 24], ids=["a sum", "half a sum", "all"])
def test_sums_are_as_many_as_the_oracle_has(state, cut):
    sums = state.sums.sums.astype("<i8").tobytes()[:-cut]
    with pytest.raises(InputError, match=r"sums of a state must have 8 bytes each|must have 3 sums, got"):
        CollectionState.from_bytes(rewritten(state, lambda body: None, sums))


def test_sums_that_no_reports_add_up_to_are_refused():
    batch = privatize(["a", "b", "c", "c"], "grr", epsilon=1, domain=["a", "b", "c"])
    state = CollectionState.empty(batch.header.task).add(batch)
    sums = State(state.sums.parameters, state.users, state.sums.sums + np.array([1, 0, 0]))
    content = CollectionState(state.task, sums, state.provenance).to_bytes()
    with pytest.raises(InputError, match=r"sums of items must add up to 4 for 4 users, got 5 in day\.state"):
        CollectionState.from_bytes(content, "day.state")


def test_reports_that_came_from_nowhere_are_refused():
    """Such a state would be merged with its copy, and its users be counted twice."""
    batch = privatize(["a", "b"], "grr", epsilon=1, domain=["a", "b"])
    state = CollectionState.empty(batch.header.task).add(batch)
    content = rewritten(state, change(("provenance", "sources"), []))
    with pytest.raises(
        InputError, match=r"must have a source or a seal, or be marked as unguarded, got none .* in day"
    ):
        CollectionState.from_bytes(content, "day.state")
    for writer in (
        state.sealed(),
        CollectionState.empty(state.task),
        CollectionState.empty(state.task).add(batch.reports),
    ):
        assert CollectionState.from_bytes(writer.to_bytes()) == writer
    for field, value in (("seeds", [5]), ("rounds", {"a" * 32: "monday"}), ("dropped", 3)):
        content = rewritten(CollectionState.empty(state.task), change(("provenance", field), value))
        with pytest.raises(InputError, match=r"must have a source or a seal"):
            CollectionState.from_bytes(content)


@pytest.mark.parametrize("oracle", ["grr", "oue", "rappor", "olh", "ss", "hrr"])
@pytest.mark.parametrize("field", ["users", "dropped"])
def test_more_users_than_can_be_counted_are_refused(oracle, field):
    batch = privatize(["a", "b"], oracle, epsilon=1, domain=["a", "b", "c"])
    state = CollectionState.empty(batch.header.task).add(batch)
    path = ("users",) if field == "users" else ("provenance", "dropped")
    for number in (2**53 + 1, 2**60):
        with pytest.raises(InputError, match=r"^day\.state must have at most 2\^53 (users|dropped reports), got "):
            CollectionState.from_bytes(rewritten(state, change(path, number)), "day.state")
