"""One report of a task as a message, of bytes that are given or of the operating system's."""

import json
from pathlib import Path

import pytest

import mechdesign_catalog as mc
from mechdesign import InputError, Privacy
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import save_task
from mechdesign_catalog.oracles import make_oracle

VECTORS = Path(__file__).parents[2] / "vectors"
TASK = Task(make_oracle("grr", 300, Privacy(alpha="1/2")).parameters)


def test_the_messages_of_the_vectors_are_made_of_the_task_and_the_bytes(tmp_path):
    case = json.loads((VECTORS / "hrr.json").read_text())["cases"][0]
    (tmp_path / "task.json").write_text(json.dumps(case["task"]))
    for report in case["reports"]:
        random = bytes.fromhex(report["random"])
        assert mc.reference_message(tmp_path / "task.json", report["value"], random).hex() == report["message"]
        assert mc.reference_message(tmp_path / "task.json", report["value"], random + b"!").hex() == report["message"]


def test_a_task_serves_as_a_value_or_as_a_file(tmp_path):
    save_task(TASK, tmp_path / "t.json")
    random = bytes([0, 0])  # the chance 2/301 to keep is met
    assert mc.reference_message(TASK, 258, random) == b"\x02\x01"
    assert mc.reference_message(tmp_path / "t.json", 258, random) == b"\x02\x01"


def test_without_bytes_the_operating_system_draws():
    drawn = {mc.reference_message(TASK, 7) for _ in range(40)}
    assert {len(message) for message in drawn} == {2}
    assert len(drawn) > 10


@pytest.mark.parametrize(
    ("value", "random", "message"),
    [
        (300, bytes(9), r"value must be a whole number in 0..299, got another"),
        ((3,), bytes(9), r"value must be a whole number in 0..299, got another"),
        (3, bytes(1), "random bytes must be at least 2, got 1"),
    ],
    ids=["no item", "a tuple", "too few bytes"],
)
def test_bad_input_is_refused(value, random, message):
    with pytest.raises(InputError, match=message):
        mc.reference_message(TASK, value, random)
