"""States as bytes: canonical, read back as they were, refused where changed; every field with every odd value."""

import copy
import hashlib
import json
from contextlib import suppress

import numpy as np
import pytest
from state_cases import STATE_CASES, StateCase
from tampered_reports import ODD, set_at
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.reports import State

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


def test_a_state_comes_back() -> None:
    for case in STATE_CASES:
        state = CollectionState.empty(case.task()).add(case.reports(), source="all")
        again = CollectionState.from_bytes(state.to_bytes())
        assert again == state
        assert (again.task, again.provenance, again.users) == (state.task, state.provenance, state.users)
        assert again.sums.sums.dtype == np.int64
        assert np.array_equal(again.sums.sums, state.sums.sums)


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
        with refused(InputError):
            CollectionState.from_bytes(bytes(changed))


def change(path, value):
    def apply(body):
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value

    return apply


FIELDS = [
    (("format",), "mechdesign-state/1"),
    (("format",), "mechdesign-reports/2"),
    (("users",), -1),
    (("users",), 2**53 + 1),
    (("provenance", "dropped"), 2**60),
    (("task", "parameters", "oracle"), "glp"),
    (("task", "parameters", "k"), 4),
    (("task", "domain", "items"), ["Cork"]),
    (("provenance",), []),
    (("provenance", "sources"), "Dublin"),
    (("provenance", "sources"), [""]),
    (("provenance", "sources"), ["b", "a"]),
    (("provenance", "seals"), ["ab"]),
    (("provenance", "seeds"), [None]),
    (("provenance", "rounds"), {"ab": "monday"}),
    (("provenance", "rounds"), {"a" * 32: "two words"}),
    (("provenance", "unguarded"), 0),
    (("provenance", "dropped"), 1.5),
    (("further",), 1),
]


def test_impossible_fields_are_refused(state):
    for path, value in FIELDS:
        with refused(InputError):
            CollectionState.from_bytes(rewritten(state, change(path, value)), "day.state")


@pytest.mark.parametrize("cut", [8, 9, 24], ids=["a sum", "half a sum", "all"])
def test_sums_are_as_many_as_the_oracle_has(state, cut):
    sums = state.sums.sums.astype("<i8").tobytes()[:-cut]
    with refused(InputError):
        CollectionState.from_bytes(rewritten(state, lambda body: None, sums))


def test_sums_that_no_reports_add_up_to_are_refused():
    batch = privatize(["a", "b", "c", "c"], "grr", epsilon=1, domain=["a", "b", "c"])
    state = CollectionState.empty(batch.header.task).add(batch)
    sums = State(state.sums.parameters, state.users, state.sums.sums + np.array([1, 0, 0]))
    content = CollectionState(state.task, sums, state.provenance).to_bytes()
    with refused(InputError):
        CollectionState.from_bytes(content, "day.state")


def test_reports_that_came_from_nowhere_are_refused():
    """Such a state would be merged with its copy, and its users be counted twice."""
    batch = privatize(["a", "b"], "grr", epsilon=1, domain=["a", "b"])
    state = CollectionState.empty(batch.header.task).add(batch)
    content = rewritten(state, change(("provenance", "sources"), []))
    with refused(InputError):
        CollectionState.from_bytes(content, "day.state")
    for writer in (
        state.sealed(),
        CollectionState.empty(state.task),
        CollectionState.empty(state.task).add(batch.reports),
    ):
        assert CollectionState.from_bytes(writer.to_bytes()) == writer
    for field, value in (("seeds", [5]), ("rounds", {"a" * 32: "monday"}), ("dropped", 3)):
        content = rewritten(CollectionState.empty(state.task), change(("provenance", field), value))
        with refused(InputError):
            CollectionState.from_bytes(content)


def signed(header: object, rest: bytes) -> bytes:
    text = json.dumps(header, sort_keys=True, separators=(",", ":"))
    content = text.encode() + b"\n" + rest
    return content + hashlib.sha256(content).digest()


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", {case.task().oracle: case for case in STATE_CASES}.values(), ids=lambda case: case.label
)
def test_every_field_with_every_odd_value(case: StateCase) -> None:
    state = CollectionState.empty(case.task()).add(case.reports(), source="all")
    header, _, rest = state.to_bytes().partition(b"\n")
    good = json.loads(header)
    assert signed(good, rest[:-32]) == state.to_bytes()
    parameters = (f"task.parameters.{parameter}" for parameter in good["task"]["parameters"])
    provenance = (f"provenance.{field}" for field in good["provenance"])
    shared = (
        ("task", "task.parameters", "task.domain", *provenance) if case.task().oracle in ("grr", "smp", "haar") else ()
    )
    for place in ("users", *parameters, *shared):  # the rest is read in one way, whatever the oracle
        for odd in ODD.values():
            body = copy.deepcopy(good)
            set_at(place, odd)(body)
            with suppress(InputError, NoAnswerError):
                read = CollectionState.from_bytes(signed(body, rest[:-32]))
                oracle = task_oracle(read.task)
                found = oracle.users_of(read.sums) if hasattr(oracle, "domains") else oracle.estimate(read.sums)
                assert np.isfinite(found).all()
