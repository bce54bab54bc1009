"""States that somebody changed and gave a digest that fits: read and estimated, or one line."""

import copy
import hashlib
import json
from contextlib import suppress

import numpy as np
import pytest
from state_cases import STATE_CASES, StateCase
from tampered_reports import ODD, set_at

from mechdesign import InputError, NoAnswerError
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle


def signed(header: object, rest: bytes) -> bytes:
    text = json.dumps(header, sort_keys=True, separators=(",", ":"))
    content = text.encode() + b"\n" + rest
    return content + hashlib.sha256(content).digest()


@pytest.mark.slow
@pytest.mark.parametrize("case", STATE_CASES, ids=lambda case: case.label)
def test_every_field_with_every_odd_value(case: StateCase) -> None:
    state = CollectionState.empty(case.task()).add(case.reports(), source="all")
    header, _, rest = state.to_bytes().partition(b"\n")
    good = json.loads(header)
    assert signed(good, rest[:-32]) == state.to_bytes()
    parameters = (f"task.parameters.{parameter}" for parameter in good["task"]["parameters"])
    provenance = (f"provenance.{field}" for field in good["provenance"])
    for place in ("users", "task", "task.parameters", "task.domain", *parameters, *provenance):
        for odd in ODD.values():
            body = copy.deepcopy(good)
            set_at(place, odd)(body)
            with suppress(InputError, NoAnswerError):
                read = CollectionState.from_bytes(signed(body, rest[:-32]))
                oracle = task_oracle(read.task)
                found = oracle.users_of(read.sums) if hasattr(oracle, "domains") else oracle.estimate(read.sums)
                assert np.isfinite(found).all()
