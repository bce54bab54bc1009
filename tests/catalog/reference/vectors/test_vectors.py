"""Test vectors: committed files are those that are made, cover what can differ, and reference and catalog agree."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import pytest
from random_tasks import NAMES as ORACLES

from mechdesign import InputError
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.columns import read_message
from mechdesign_catalog.reference.stated import stated_oracle
from mechdesign_catalog.reference.systems import columns_of, exact_estimates, report
from mechdesign_catalog.reference.vectors.vector_files import all_cases, file_name, oracle_name, vector_files

FOLDER = Path(__file__).parents[3] / "vectors"
NAMES = sorted(path.name for path in FOLDER.glob("*.json"))
every_file = pytest.mark.parametrize("name", NAMES)


@pytest.mark.slow
def test_the_committed_vectors_are_those_that_are_made():
    made = vector_files()
    assert sorted(made) == NAMES
    for name, text in made.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text


def test_every_oracle_has_vectors():
    lacking = set(map(file_name, ORACLES)) - set(NAMES)
    cases = "a system that is not flat must have tasks in catalog/mechdesign_catalog/reference/vectors/system_cases.py"
    assert not lacking, f"run `mechdesign local task vectors tests/vectors` for {sorted(lacking)}; {cases} first"


@every_file
def test_digests_of_tasks_are_what_the_page_says(name):
    """REPORTS.md, Tasks: by JSON and SHA-256 alone."""
    document = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert document["format"] == "mechdesign-vectors/1"
    for task in (case["task"] for case in document["cases"]):
        domain = {field: task["domain"][field] for field in ("sha256", "ordered", "columns")}
        body = {"format": "mechdesign-task/1", "parameters": task["parameters"], "domain": domain}
        assert task["sha256"] == sha256(json.dumps(body, sort_keys=True, separators=(",", ":")))
        lines = [*(task["domain"]["items"] or []), *(f"bins {text}" for text in task["domain"]["bins"])]
        for attribute in task["domain"]["attributes"] or []:
            lines += [attribute["name"], len(attribute["items"]), *attribute["items"]]
        assert not lines or domain["sha256"] == sha256("".join(f"{line}\n" for line in lines))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


@every_file
def test_the_reference_makes_every_report_and_estimate_of_the_document_alone(name):
    for case in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]:
        oracle = stated_oracle(case["task"])
        columns = columns_of(oracle)
        rows = [read_message(columns, bytes.fromhex(one["message"])) for one in case["reports"]]
        for one, row in zip(case["reports"], rows, strict=True):
            value, stream = one["value"], ByteStream.of(bytes.fromhex(one["random"]))
            assert report(oracle, tuple(value) if isinstance(value, list) else value, stream) == row
            assert stream.taken == len(one["random"]) // 2
        if case["estimates"] is not None:
            assert exact_estimates(oracle, rows) == rationals(case["estimates"])


@every_file
def test_a_server_makes_the_sums_of_the_messages(name):
    """From bytes through the files' columns to sums, as messages of other clients are read."""
    for case in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]:
        oracle = task_oracle(Task.of_body(case["task"]))
        messages = [bytes.fromhex(one["message"]) for one in case["reports"]]
        reports = oracle.report_schema.from_messages(messages, oracle.parameters)
        assert oracle.report_schema.messages(reports) == messages
        if case["sums"] is not None:
            assert oracle.aggregate(reports).sums.tolist() == case["sums"]


@every_file
def test_a_server_refuses_what_no_client_sends(name):
    for case in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]:
        oracle, columns = task_oracle(Task.of_body(case["task"])), columns_of(stated_oracle(case["task"]))
        assert len(case["refused"]) == len(set(case["refused"])) > 1
        for message in map(bytes.fromhex, case["refused"]):
            with pytest.raises(InputError):
                oracle.aggregate(oracle.report_schema.from_messages([message], oracle.parameters))
            with pytest.raises(InputError):
                read_message(columns, message)


def rationals(texts):
    """Rationals of texts, in the lists that they are in."""
    return [rationals(one) for one in texts] if isinstance(texts, list) else Fraction(texts)


class CountingStream(ByteStream):
    """A stream that counts the numbers that were thrown away."""

    def __init__(self, data):
        super().__init__(lambda count: data[self.taken : self.taken + count])
        self.numbers = self.kept = 0

    def whole_number(self, length):
        self.numbers += 1
        return super().whole_number(length)

    def uniform_below(self, bound):
        self.kept += 1
        return super().uniform_below(bound)


def every_case():
    """Every case of every file."""
    for name in NAMES:
        yield from json.loads((FOLDER / name).read_text(encoding="utf-8"))["cases"]


def test_no_two_attributes_have_equal_items_and_no_user_has_one_item_everywhere():
    """Else a client that takes one attribute for another would pass."""
    for case in every_case():
        values = [one["value"] for one in case["reports"]]
        if isinstance(values[0], list):
            columns = list(zip(*values, strict=True))
            assert len(set(columns)) == len(columns), case["task"]["parameters"]
            assert any(len(set(value)) > 1 for value in values)


def test_some_numbers_that_are_drawn_are_above_64_bits():
    """Else a client that computes with 32 or 64 bits, or with floating-point numbers, would pass."""
    chances = [Fraction(case["task"]["constants"].get("p", "1")) for case in every_case()]
    assert any(2**64 < chance.denominator < 2**72 and 0.1 < chance < 0.9 for chance in chances)
    assert any(chance.denominator > 10**40 for chance in chances)


def test_a_number_that_is_drawn_is_equal_to_the_step_of_onebitmean():
    """Else a client that takes u <= x for u < x would pass."""
    equal = 0
    for case in json.loads((FOLDER / "onebitmean.json").read_text(encoding="utf-8"))["cases"]:
        for one in case["reports"]:
            stream = CountingStream(bytes.fromhex(one["random"]))
            equal += stream.uniform_below(case["task"]["constants"]["steps"]) == one["value"]
    assert equal > 1


@pytest.mark.slow
def test_the_vectors_of_every_oracle_have_numbers_that_are_thrown_away():
    """Else a client that never rejects would pass."""
    made = all_cases()
    thrown = dict.fromkeys(map(oracle_name, made), 0)
    for case in made:
        path = FOLDER / file_name(oracle_name(case))
        cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
        found = next(one for one in cases if one["task"]["sha256"] == case.task.digest)
        oracle = stated_oracle(found["task"])
        for value, one in zip(case.values, found["reports"], strict=True):
            stream = CountingStream(bytes.fromhex(one["random"]))
            report(oracle, value, stream)
            thrown[oracle_name(case)] += stream.numbers - stream.kept
    never = [name for name, count in thrown.items() if not count]
    assert not never, f"flat_cases.py or system_cases.py must have a task at another privacy for each of {never}"
