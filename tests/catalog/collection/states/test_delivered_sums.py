"""Sums that were added up elsewhere are read into a state, which estimates as reports do."""

from pathlib import Path

import numpy as np
import pytest
from task_cases import OF_ATTRIBUTES, OF_BITS, TASKS, task_of

from mechdesign import InputError
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.delivered_sums import delivered_state, read_sums, sums_csv
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle

every = pytest.mark.parametrize("label", TASKS)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def collected(label, users=60):
    task = task_of(label)
    oracle, generator = task_oracle(task), np.random.default_rng(3)
    if label in OF_ATTRIBUTES or label in OF_BITS:
        values = np.array([generator.integers(0, k, users) for k in oracle.domains]).T
    else:
        values = generator.integers(0, oracle.k, users)
    return task, CollectionState.empty(task).add(oracle.privatize(values))


@every
def test_sums_are_read_as_they_were_written(label):
    task, state = collected(label)
    Path("sums.csv").write_bytes(sums_csv(state))
    found = read_sums("sums.csv", task, 60)
    assert found == state
    assert found.provenance.unguarded


def test_sums_of_two_days_merge_where_they_have_names():
    task, state = collected("oue")
    Path("sums.csv").write_bytes(sums_csv(state))
    days = [read_sums("sums.csv", task, 60, source=day) for day in ("monday", "tuesday")]
    both = days[0].merge(days[1])
    assert (both.users, both.provenance.unguarded) == (120, False)
    assert both.sums.sums.tolist() == (2 * state.sums.sums).tolist()
    with pytest.raises(InputError, match="monday in both"):
        days[0].merge(days[0])


def grr(content, users=6, name="sums.csv"):
    Path(name).write_text(content)
    return read_sums(name, make_task("grr", alpha="1/4", k=3), users)


GOOD = "part,place,sum\nitems,0,1\nitems,1,2\nitems,2,3\n"


@pytest.mark.parametrize(
    "content",
    [GOOD, "place,sum\n2,3\n0,1\n1,2\n", "sum,remark,place\n1,a,0\n2,b, 1\n 3 ,c,2\n"],
    ids=["in order", "in another order", "other columns"],
)
def test_columns_are_found_by_name(content):
    assert grr(content).sums.sums.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("place,sum\n0,1\n1,2\n", "got no sum for place 2 of items in sums.csv"),
        ("place,sum\n0,1\n1,2\n1,3\n", "got 1 of items twice, in row 3 of sums.csv"),
        ("place,sum\n0,1\n1,2\n3,3\n", "place must be in 0..2 of items, got 3 in row 3"),
        ("place,sum\n0,1\n1,2\n-1,3\n", "place must be in 0..2 of items, got -1 in row 3"),
        ("place,sum\n0,1\n1,2.0\n2,3\n", "sum must be a whole number of 63 bits, got '2.0' in row 2"),
        ("place,sum\n0,1\n1,99999999999999999999\n2,3\n", "sum must be a whole number of 63 bits"),
        ("place,sum\n0,1\n1,9223372036854775808\n2,3\n", "sum must be a whole number of 63 bits"),
        ("place,count\n0,1\n", "has no column 'sum'"),
        ("part,place,sum\nbuckets,0,1\n", "part must be one of items, got 'buckets' in row 1"),
        ("place,sum\n0,1\n1,2\n2,4\n", "sums of items must add up to 6 for 6 users, got 7 in sums.csv"),
        ("place,sum\n0,-1\n1,2\n2,5\n", "sums of items must be in 0..6 for 6 users, got -1 in place 0"),
        ("place,sum\n", "got no sum for place 0"),
    ],
    ids=[
        "missing", "twice", "beyond", "below", "decimal", "long", "large", "no column", "part", "total", "negative",
        "none",
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(content, message):
    with pytest.raises(InputError, match=message):
        grr(content)


def test_parts_must_be_named_where_there_are_several():
    task, state = collected("hh:b=2")
    content = sums_csv(state).decode()
    assert content.splitlines()[:5] == ["part,place,sum", *(f"users,{i},{state.sums.sums[i]}" for i in range(3)), (
        f"level 1,0,{state.sums.sums[3]}"
    )]  # fmt: skip
    Path("sums.csv").write_text("\n".join(line.partition(",")[2] for line in content.splitlines()))
    with pytest.raises(InputError, match="has no column 'part'"):
        read_sums("sums.csv", task, 60)


@pytest.mark.parametrize("users", [0, -1, True, 2**53 + 1, 1.0], ids=str)
def test_users_must_be_a_number_of_them(users):
    with pytest.raises(InputError, match="users must be a whole number from 1"):
        delivered_state(make_task("grr", alpha="1/4", k=2), [1, 0], users)


@pytest.mark.parametrize(
    "sums", [[0.5, 0.5], [[1, 0]], np.array([2**63, 0], dtype=np.uint64)], ids=["decimals", "table", "too large"]
)
def test_sums_must_be_whole_numbers(sums):
    with pytest.raises(InputError, match="sums must be a vector of whole numbers"):
        delivered_state(make_task("grr", alpha="1/4", k=2), sums, 1)


def test_a_missing_file_is_one_line():
    with pytest.raises(InputError, match=r"sums must be a readable file, got none\.csv \(No such file"):
        read_sums("none.csv", make_task("grr", alpha="1/4", k=2), 1)
