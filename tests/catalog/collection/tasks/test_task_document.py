"""Documents of tasks: what is written is read, and nothing that does not follow from the task is believed."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from task_cases import BITS, CITIES, TASKS, task_of
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.collection.clients.task_clients import make_task, task_client
from mechdesign_catalog.collection.tasks.task_document import read_task, save_task, task_body
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import READABLE
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES

every = pytest.mark.parametrize("label", TASKS)


def changed(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "task.json"
    save_task(make_task("olh", alpha="1/4", domain=CITIES), path)
    return path


def test_every_oracle_has_a_task_under_test():
    lacking = {*READABLE, *MARGINAL_ORACLES, *MEAN_ORACLES} - {task_of(label).oracle for label in TASKS}
    assert not lacking, f"tests/helpers/task_cases.py must have a task of each of {sorted(lacking)}"


@every
def test_a_document_is_read_as_it_was_written(label, tmp_path):
    task = task_of(label)
    save_task(task, tmp_path / "task.json")
    found = read_task(tmp_path / "task.json")
    assert found == task
    assert found.digest == task.digest


@every
def test_constants_are_exact_texts_and_whole_numbers(label):
    constants = task_body(task_of(label))["constants"]
    assert json.loads(json.dumps(constants)) == constants
    assert Fraction(constants["alpha"]) == task_oracle(task_of(label)).alpha

    def leaves(value):
        if isinstance(value, dict | list):
            for inner in value.values() if isinstance(value, dict) else value:
                yield from leaves(inner)
        else:
            yield value

    assert {type(leaf) for leaf in leaves(constants)} <= {int, str}


def test_constants_of_levels_say_each_items_node():
    for label in ["hh:b=2", "hh:b=3:in=olh:levels=2-1", "haar", "hh2:b=2", "hh2:b=3:in=hrr", "haar2"]:
        oracle = task_oracle(task_of(label))
        columns = oracle.shape[1] if hasattr(oracle, "shape") else None
        for level, stated in enumerate(oracle.constants["levels"]):
            nodes = oracle.encode(level, np.arange(oracle.k)).tolist()
            assert nodes == [node_of(stated, item, columns) for item in range(oracle.k)]
            assert stated["k"] == oracle.parts[level].k


def node_of(stated, item, columns):
    """The node of an item, as REPORTS.md says it follows from the constants of a level."""
    if columns is None:
        return item // stated["items"] if "items" in stated else item // stated["half"]
    pair = divmod(item, columns)
    if "items" in stated:
        row, column = (place // items for place, items in zip(pair, stated["items"], strict=True))
        return row * stated["columns"] + column
    halves = [place // half if half else 0 for place, half in zip(pair, stated["half"], strict=True)]
    return 2 * (halves[0] // 2 * stated["columns"] + halves[1] // 2) + (halves[0] + halves[1]) % 2


def test_constants_of_levels_have_their_chances():
    stated = task_oracle(make_task("hh:b=2:levels=3-2-1", alpha="1/4", domain=CITIES)).constants
    assert [level["weight"] for level in stated["levels"]] == [3, 2, 1]
    assert stated["levels"][2] == {
        "weight": 1, "items": 1, "variance": "16/9", "oracle": "oue", "k": 5, "alpha": "1/4", "p": "1/2", "q": "1/5",
    }  # fmt: skip


def test_constants_of_attributes():
    stated = task_oracle(make_task("rs+fd:encoding=grr", alpha="1/4", domain=BITS)).constants
    fake = Fraction(1, 2)
    alpha = Fraction(1, 10)  # (1/4) / (3 (1 - 1/4) + 1/4)
    own, other = 1 / (1 + alpha), alpha / (1 + alpha)
    assert stated["attributes"][0] == {
        "oracle": "grr",
        "k": 2,
        "alpha": str(alpha),
        "p": str(own),
        "q": str(other),
        "mixed": {"p": str((own + 2 * fake) / 3), "q": str((other + 2 * fake) / 3)},
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["constants"].update(kept="1/3"),
        lambda d: d["constants"].pop("kept"),
        lambda d: d["constants"].update(extra=1),
        lambda d: d["parameters"].update(k=6),
        lambda d: d.update(sha256="0" * 64),
        lambda d: d.update(remark="x"),
        lambda d: d.pop("constants"),
        lambda d: d["domain"].update(more=1),
        lambda d: d["domain"]["items"].reverse(),
        lambda d: d["domain"].update(items=None, bins=["0:5:1"]),
        lambda d: d["domain"].update(items=None, ordered=3),
        lambda d: d["parameters"].update(oracle="olg"),
        lambda d: d["parameters"].pop("hash_bits"),
        lambda d: d.update(format="mechdesign-task/2"),
    ],
    ids=[
        "constant", "no constant", "another constant", "parameter", "digest", "key", "missing key", "key of the domain",
        "order of items", "bins", "ordered", "oracle", "parameters", "format",
    ],
)  # fmt: skip
def test_what_does_not_follow_is_refused(saved, change):
    changed(saved, change)
    with refused(InputError) as error:
        read_task(saved)
    assert "task.json" in str(error.value)


def test_a_task_of_more_items_than_its_domain_is_refused(tmp_path):
    task = make_task("olh", alpha="1/4", domain=CITIES)
    save_task(replace(task, parameters={**task.parameters, "k": 6}), tmp_path / "task.json")
    with refused(InputError):
        read_task(tmp_path / "task.json")


def test_items_of_long_lists_are_given_beside_the_task(monkeypatch, tmp_path):
    monkeypatch.setattr("mechdesign_catalog.collection.tasks.task.MOST_CHARACTERS", 10)
    task = make_task("grr", epsilon=1, domain=CITIES)
    assert task.items is None
    save_task(task, tmp_path / "task.json")
    found = read_task(tmp_path / "task.json")
    with refused(InputError, about="domain"):
        task_client(found)
    assert task_client(found, CITIES).task.digest == task.digest
    with refused(InputError, about="domain"):
        task_client(found, CITIES[::-1])


@every
def test_a_client_of_a_task_reports_for_it(label):
    task = task_of(label)
    assert task_client(task).task == task


def test_what_is_no_task_is_refused():
    for arguments in [
        {"oracle": "grr", "epsilon": 1},
        {"oracle": "grr", "k": 3},
        {"oracle": "grr", "epsilon": 1, "k": 1},
        {"oracle": "grr", "epsilon": 1, "k": 3, "bins": "0:3:1"},
        {"oracle": "inpht", "epsilon": 1, "k": 3},
        {"oracle": "grr", "epsilon": 1, "k": 3, "columns": ["a"]},
        {"oracle": "onebitmean", "epsilon": 1, "k": 3, "maximum": 3},
    ]:
        with refused(InputError):
            make_task(**arguments)
