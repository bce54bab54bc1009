"""REPORTS.md against the code: keys of tasks and headers, what users add to the sums, and how a digest is made."""

import json
import re
from itertools import groupby
from pathlib import Path

import pytest
from task_cases import TASKS, task_of

from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.reports.row_groups import MOST_ROWS, rows_of_group
from mechdesign_catalog.collection.tasks.task import MOST_CHARACTERS
from mechdesign_catalog.collection.tasks.task_document import task_body
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings

PAGE = (Path(__file__).parents[4] / "REPORTS.md").read_text(encoding="utf-8")


def table(*titles):
    """Rows of the table with these column titles, cells as texts; an empty first cell is that of the row above."""
    head = re.escape("| " + " | ".join(titles) + " |")
    (rows,) = re.findall(rf"^{head}\n\|[- |]+\|\n((?:\|.*\n)+)", PAGE, flags=re.MULTILINE)
    found = []
    for line in rows.splitlines():
        first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        found.append([first or found[-1][0], *rest])
    return found


def keys(title):
    return [row[0].strip("`") for row in table(title, "meaning")]


def test_keys_of_a_task():
    body = task_body(task_of("inpht"))
    assert keys("key of a task") == list(body)
    assert keys("key of a domain") == list(body["domain"])
    assert f"more than {MOST_CHARACTERS:,} characters" in PAGE


def test_keys_of_a_header():
    header = privatize(["no"], make_task("grr", epsilon=1, domain=["no", "yes"])).header
    assert keys("key of a header") == list(json.loads(header.to_json()))


def what_users_add():
    """By oracle and case, the parts of the vector and their kinds."""
    found = {}
    for names, rows in groupby(table("oracle", "part", "places", "what a user adds"), lambda row: row[0]):
        listed = [(part.split(", ")[0], kind) for _, part, _, kind in rows]
        for name in re.findall(r"`([^`]+)`", names):
            found[name + names.partition(", d ")[2]] = listed
    return found


@pytest.mark.parametrize("label", TASKS)
def test_what_users_add_is_what_the_table_says(label):
    oracle, parts, stated = task_of(label).oracle, task_oracle(task_of(label)).contribution.parts, what_users_add()
    if oracle == "dbitflip":
        oracle += "< k" if "d=2" in label else "= k"
    assert oracle in stated, f"REPORTS.md, Sums alone, must say what a user of {oracle} adds"
    wanted, told = stated[oracle], [(part.name, without_numbers(part.kind)) for part in parts]
    if wanted[-1][1] == "as its oracle":
        assert told[: len(wanted) - 1] == wanted[:-1]
        assert all(name.rpartition(" ")[0] == wanted[-1][0].rpartition(" ")[0] for name, _ in told[len(wanted) - 1 :])
        assert {kind for _, kind in told} <= {kind for listed in stated.values() for _, kind in listed}
    elif label == "ss":  # its default is a set of one item here
        assert (told, wanted) == ([("items", "one-hot")], [("items", "multihot of weight #")])
    else:
        assert told == wanted


def without_numbers(kind):
    """Put # for the number of signs, and for the weight of a set."""
    return re.sub(r"^\d+|(?<=weight )\d+", "#", kind)


def test_every_kind_of_a_part_has_its_check():
    stated = {row[0] for row in table("what a user adds", "the sums")}
    kinds = {part.kind for label in TASKS for part in task_oracle(task_of(label)).contribution.parts}
    assert {without_numbers(kind) for kind in kinds} == stated


@pytest.mark.parametrize("label", TASKS)
def test_rows_of_a_group_are_those_of_the_page(label):
    report_schema = task_oracle(task_of(label)).report_schema
    width = 0
    for column in report_schema.columns:
        if isinstance(column, ByteStrings):
            lengths = [sum(inner.width for inner in one.columns) for one in column.wires]
            width += -(-sum(lengths) // len(lengths))
        else:
            width += column.width
    most = max(power for power in range(19) if (1 << power) * width <= 4 << 20)
    assert rows_of_group(report_schema) == min(MOST_ROWS, 1 << most)
