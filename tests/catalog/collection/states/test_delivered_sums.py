"""Sums that were added up elsewhere are read into a state, which estimates as reports do."""

from pathlib import Path

import numpy as np
import pytest
from task_cases import TASKS, reports_of, task_of
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.delivered_sums import delivered_state, read_sums, sums_csv

every = pytest.mark.parametrize("label", TASKS)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def collected(label):
    task = task_of(label)
    return task, CollectionState.empty(task).add(reports_of(label, 60)[1])


@every
def test_sums_are_read_as_they_were_written(label):
    task, state = collected(label)
    Path("sums.csv").write_bytes(sums_csv(state))
    found = read_sums("sums.csv", task, 60)
    assert found == state
    assert found.provenance.unguarded


def grr(content, users=6, name="sums.csv"):
    Path(name).write_text(content)
    return read_sums(name, make_task("grr", alpha="1/4", k=3), users)


GOOD = "part,place,sum\nitems,0,1\nitems,1,2\nitems,2,3\n"


def test_columns_are_found_by_name():
    for content in [GOOD, "place,sum\n2,3\n0,1\n1,2\n", "sum,remark,place\n1,a,0\n2,b, 1\n 3 ,c,2\n"]:
        assert grr(content).sums.sums.tolist() == [1, 2, 3]


def test_what_cannot_be_is_refused():
    for content in [
        "place,sum\n0,1\n1,2\n",
        "place,sum\n0,1\n1,2\n1,3\n",
        "place,sum\n0,1\n1,2\n3,3\n",
        "place,sum\n0,1\n1,2.0\n2,3\n",
        "place,sum\n0,1\n1,9223372036854775808\n2,3\n",
        "place,count\n0,1\n",
        "part,place,sum\nbuckets,0,1\n",
        "place,sum\n0,1\n1,2\n2,4\n",
        "place,sum\n0,-1\n1,2\n2,5\n",
    ]:  # fmt: skip
        with refused(InputError):
            grr(content)


def test_parts_must_be_named_where_there_are_several():
    task, state = collected("hh:b=2")
    content = sums_csv(state).decode()
    assert content.splitlines()[:5] == ["part,place,sum", *(f"users,{i},{state.sums.sums[i]}" for i in range(3)), (
        f"level 1,0,{state.sums.sums[3]}"
    )]  # fmt: skip
    Path("sums.csv").write_text("\n".join(line.partition(",")[2] for line in content.splitlines()))
    with refused(InputError):
        read_sums("sums.csv", task, 60)


def test_users_must_be_a_number_of_them():
    for users in [0, -1, True, 2**53 + 1, 1.0]:
        with refused(InputError, about="users"):
            delivered_state(make_task("grr", alpha="1/4", k=2), [1, 0], users)


def test_sums_must_be_whole_numbers():
    for sums in [[0.5, 0.5], [[1, 0]], np.array([2**63, 0], dtype=np.uint64)]:
        with refused(InputError, about="sums"):
            delivered_state(make_task("grr", alpha="1/4", k=2), sums, 1)
