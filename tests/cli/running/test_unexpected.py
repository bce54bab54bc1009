"""Errors that nobody foresaw: exit code 70, one line with type, place and version, and never 1, which is a verdict."""

import errno
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from solving import begin_to_solve
from studios import PATIENCE
from wording import check_wording

from mechdesign.errors import MachineError
from mechdesign_cli import app
from mechdesign_cli.commands import SUMMARIES, module_name
from mechdesign_cli.group import load_command


class AwkwardError(Exception):
    def __str__(self):
        raise ValueError("no text either")


def deepest():
    return deepest()


FAULTS = {
    "a mistake": ZeroDivisionError("by\nzero"),
    "no memory": MemoryError(),
    "recursion": RecursionError("maximum recursion depth exceeded"),
    "an import": ImportError("cannot load libhighs.so"),
    "no such file handle": OSError(errno.EMFILE, "Too many open files"),
    "an exit of a library": SystemExit(1),
    "an assertion": AssertionError(),
    "a long text": KeyError("x" * 5000),
    "no text": AwkwardError(),
}


def fail_with(monkeypatch, error):
    def fails(*_arguments, **_options):
        raise error

    monkeypatch.setattr("mechdesign.designs.plan_of", fails)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_and_70(mechdesign, monkeypatch, fault):
    error = FAULTS[fault]
    fail_with(monkeypatch, error)
    seen = mechdesign("release", "--data", "saxony", "--size", "x", "--alpha", "0.9", "-o", "r.csv")
    assert seen.code == 2  # bad usage is still found first
    seen = mechdesign("solve", "--n", 3, "--alpha", "0.9", "-o", "d.json")
    assert (seen.code, seen.out) == (70, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert len(seen.err) < 500
    assert os.listdir() == []


def test_real_recursion(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign.designs.plan_of", lambda *_arguments, **_options: deepest())
    assert mechdesign("solve", "--n", 3, "--alpha", "0.9").code == 70


@pytest.mark.parametrize("command", SUMMARIES)
def test_every_command(mechdesign, monkeypatch, command):
    """Also in the import of the command's own module."""
    monkeypatch.delitem(sys.modules, module_name(command), raising=False)
    load_command.cache_clear()

    def fails(name):
        raise ImportError(f"{name} is damaged")

    monkeypatch.setattr("mechdesign_cli.group.import_module", fails)
    seen = mechdesign(*command.split(), "x")
    assert (seen.code, seen.out) == (70, "")
    assert f"ImportError: {module_name(command)} is damaged (at tests/" not in seen.err
    check_wording(seen.err)


def test_the_rest_is_shown_when_asked_for(mechdesign, monkeypatch):
    monkeypatch.setenv("MECHDESIGN_TRACEBACK", "1")
    fail_with(monkeypatch, ZeroDivisionError("by zero"))
    seen = mechdesign("solve", "--n", 3, "--alpha", "0.9")
    assert seen.code == 70
    assert seen.err.startswith("Traceback (most recent call last):\n")
    assert seen.err.splitlines()[-1].startswith("mechdesign: unexpected ZeroDivisionError: by zero")


def test_a_broken_pool(mechdesign, monkeypatch):
    fail_with(monkeypatch, MachineError("a worker process died (out of memory?)"))
    seen = mechdesign("solve", "--n", 3, "--alpha", "0.9")
    assert seen.code == 70
    check_wording(seen.err)


def test_a_sweep_with_an_accident_is_no_verdict(mechdesign, monkeypatch):
    def fails(*_arguments, **_options):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("mechdesign.sweeps.worker.design", fails)
    seen = mechdesign("sweep", "--n", "2,3", "--alpha", "0.5", "--jobs", 1, "-o", "t.csv")
    assert seen.code == 70
    check_wording(seen.err)
    assert Path("t.csv").read_text().count("failed: unexpected ZeroDivisionError: by zero") == 2


class Full(io.StringIO):
    def write(self, _text):
        raise OSError(errno.ENOSPC, "No space left on device")


FULL = "mechdesign: standard output must take what is printed, got No space left on device"


def test_output_that_cannot_be_printed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", Full())
    for arguments in (["catalog"], ["catalog", "--json"], ["--help"], ["solve", "--help"]):
        assert app.run(arguments) == 2
        check_wording(capsys.readouterr().err)


def test_output_that_cannot_be_printed_says_what_was_written(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", Full())
    assert app.run(["solve", "--n", "3", "--alpha", "0.5", "-o", "d.json", "-o", "d.csv"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"{FULL}; written before: d.json, d.csv"
    assert Path("d.json").exists()
    assert app.run(["check", "d.json"]) == 2
    check_wording(capsys.readouterr().err)


def test_where_nobody_hears_the_verdict_stays(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stderr", Full())
    assert app.run(["solve", "--n", "3"]) == 2
    assert app.run(["release", "--data", "saxony", "--alpha", "0.5", "-o", "r.csv", "--record", "r.json"]) == 0
    assert app.run(["check", "r.csv", "--record", "r.json"]) == 0
    Path("r.csv").write_text(Path("r.csv").read_text().rpartition("\n1")[0] + "\n")
    assert app.run(["check", "r.csv", "--record", "r.json"]) == 1
    assert "FALSE" in capsys.readouterr().out


def shell(text, **variables):
    environment = {**os.environ, **variables}
    job = subprocess.run(
        ["bash", "-c", text], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return job.returncode, job.stdout, job.stderr


PROGRAM = f"{sys.executable} -m mechdesign_cli"


@pytest.mark.slow
def test_whole_processes(tmp_path):
    (tmp_path / "typer.py").write_text("raise RuntimeError('half installed')\n")
    code, out, err = shell(f"{PROGRAM} catalog", PYTHONPATH=str(tmp_path))
    assert (code, out) == (70, "")
    assert err.startswith("mechdesign: unexpected RuntimeError: half installed (at mechdesign_cli/app.py:")
    assert err.count("\n") == 1
    for text, unbuffered in (("catalog", ""), ("--help", "1")):
        assert shell(f"{PROGRAM} {text} > /dev/full", PYTHONUNBUFFERED=unbuffered) == (2, "", f"{FULL}\n")
    assert shell(f"{PROGRAM} solve --n 3 2> /dev/full")[0] == 2
    assert shell(f"{PROGRAM} catalog --json | head -1")[1:] == ("{\n", "")
    assert shell(f"{PROGRAM} catalog > /dev/null 2>&-")[0] == 0
    code, out, _ = shell(f"{PROGRAM} data weldon", PYTHONIOENCODING="ascii")
    assert code == 0
    assert out.isascii()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "word"), [("TERM", 143, "terminated"), ("INT", 130, "interrupted")])
def test_signals_end_the_work_and_leave_nothing(tmp_path, name, code, word):
    job = begin_to_solve(tmp_path, *["--n", "300", "--alpha", "0.9", "--loss", "L1", "--props", "CM", "-o", "d.json"])
    job.send_signal(getattr(signal, f"SIG{name}"))
    out, err = job.communicate(timeout=PATIENCE)
    assert (job.returncode, out, err) == (code, "", f"mechdesign: {word}\n")
    assert os.listdir(tmp_path) == []
