"""A few of the fuzzer's inputs in each run of the tests, and the fuzzer's own judgement on what it must find."""

import sys

import pytest
from fuzz import Report, prepared
from inputs import Input
from shrinking import shrink
from trials import UNCUT, Folder, is_whole, try_here, try_whole
from workshop import try_all

from mechdesign.ledgers.ledger import Ledger
from mechdesign_cli.commands import SUMMARIES, command_of

SEED = 20261122
HOW_MANY = 40
"""Inputs that every run of the tests tries; `.ci/run` tries 10,000."""


@pytest.fixture(scope="module")
def inputs():
    """What inputs are made of, by the product: each twelfth line, since the tests of their pages run all of them."""
    return prepared(SEED, step=12)


@pytest.mark.slow
def test_some_inputs(inputs, capsys, tmp_path):
    report = Report(inputs, whole=False)
    for number, verdict in try_all(inputs, range(HOW_MANY), 1):
        report.take(number, verdict)
    assert report.print_all(tmp_path), capsys.readouterr().out
    assert sum(report.codes.values()) == HOW_MANY
    interrupted = sum(report.cuts.values())  # more of them where the machine is slow
    assert report.codes[0] + interrupted > HOW_MANY / 20
    assert report.codes[2] + interrupted > HOW_MANY / 4


@pytest.mark.slow
def test_every_command_has_a_good_line(inputs):
    lacking = set(SUMMARIES) - {command_of(line.words) for line in inputs.lines}
    assert not lacking, f"tests/fuzzing/samples.py must have a good line of {sorted(lacking)}"


@pytest.mark.slow
def test_inputs_follow_from_the_seed(inputs):
    assert [inputs.make(k) for k in range(50)] == [inputs.make(k) for k in range(50)]
    assert len({inputs.make(k).words for k in range(50)}) > 25


def a_run_that(code=0, says="", writes=(), fails=None):
    def run(_words):
        print(says, file=sys.stderr, end="")
        for name, content in dict(writes).items():
            with open(name, "w") as stream:
                stream.write(content)
        if fails:
            raise fails
        return code

    return run


FAULTY = {
    "a traceback": (a_run_that(1, "Traceback (most recent call last):\nKeyError: 1\n"), "traceback KeyError: 1"),
    "an error": (a_run_that(fails=KeyError(1)), "escaped KeyError"),
    "seventy": (
        a_run_that(70, "mechdesign: unexpected KeyError: 1 (at a/b.py:7, version 1)\n"),
        "exit code 70 unexpected KeyError a/b.py:7",
    ),
    "two lines": (a_run_that(2, "note\nmechdesign: bad\n"), "exit code 2 without exactly one line"),
    "a long line": (a_run_that(2, f"mechdesign: {'x' * 999}\n"), "a line that is too long"),
    "no line": (a_run_that(2), "exit code 2 without exactly one line"),
    "written": (a_run_that(2, "mechdesign: bad\n", {"x.csv": "a\n"}), "file written with exit code 2"),
    "half": (a_run_that(0, "", {"x.json": '{"a": '}), "file half-written"),
    "hidden": (a_run_that(0, "", {".x.json.tmp": "{}"}), "hidden file"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_faults_are_found(fault, monkeypatch, tmp_path):
    run, kind = FAULTY[fault]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("trials.run", run)
    assert try_here(Input(("solve",), {}), Folder(tmp_path / "here")).kind == kind


def test_a_database_is_judged_as_one_whatever_its_name_ends_in(tmp_path):
    Ledger.new(tmp_path / "entries.csv", budget=1)
    content = (tmp_path / "entries.csv").read_bytes()
    assert is_whole(tmp_path / "entries.csv", content)
    assert not is_whole(tmp_path / "entries.csv", content[: len(content) // 2])


def test_a_good_refusal_is_no_fault(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert try_here(Input(("solve", "--n", "x"), {}), Folder(tmp_path / "here")).kind == ""


@pytest.mark.slow
def test_a_whole_process(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = try_whole(Input(("solve", "--n", "x"), {}), Folder(tmp_path / "here"), cut=UNCUT)
    assert (found.code, found.kind) == (2, "")


def test_the_smallest_input_is_found(tmp_path):
    big = Input(("solve", "--n", "8", "--alpha", "0.9", "--props", "BAD"), {"a.csv": b"0" * 99 + b"!" + b"1" * 99})
    big = Input((*big.words, "a.csv"), big.files, ("a.csv",))
    small = shrink(big, {"a.csv": b"good"}, lambda one: "BAD" in one.words and b"!" in one.files.get("a.csv", b"!"))
    assert small.words == ("solve", "BAD")
    small = shrink(big, {"a.csv": b"good"}, lambda one: "a.csv" in one.words and b"!" in one.files["a.csv"])
    assert (small.words, small.files) == (("solve", "a.csv"), {"a.csv": b"!"})
