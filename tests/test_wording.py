"""The snapshot of sentences: what differs fails, `--reword` writes what was run, and no line outlives its test."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wording import Place, format_wording, normalize, parse_wording

HERE = Path(__file__).parent

SENTENCES = {
    Place("a/test_a.py", "test_x[1: 2]", 10): "z must be short, got #1: 2",
    Place("a/test_a.py", "test_x[1: 2]", 9): "z must be whole, got 1.5",
    Place("a/test_b.py", "test_x", 1): "",
}

SUITE = """
import pytest
from wording import refused, warned

class Error(ValueError):
    about = "x"

@pytest.mark.parametrize("x", [1, 2])
def test_refusals(x):
    for y in range(2):
        with refused(Error, about="x"):
            raise Error(f"x must be small, got {x} {y} in a file")
"""


def test_a_snapshot_is_read_as_it_was_written():
    text = format_wording(SENTENCES)
    assert parse_wording(text) == SENTENCES
    assert [line[:25] for line in text.split("\n")] == [
        *("a/test_a.py", "    test_x[1: 2] #9: z mu", "    test_x[1: 2] #10: z m", "", "a/test_b.py"),
        *("    test_x #1: ", ""),
    ]


def test_every_line_has_its_test(request):
    """Of each file that runs as a whole, and of each that is gone."""
    stale = request.config.pluginmanager.get_plugin("wording").stale
    assert not stale, "pytest --reword removes these lines of tests/wording.txt"


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        ("got /t/pytest-of-me/pytest-12/popen-gw1/test_a_long_name_x0/m.csv", "got {folder}/m.csv"),
        (
            "got /t/pytest-of-me/pytest-1/test_a0 and /t/pytest-of-me/pytest-1/test_a0/b/c.csv",
            "got {folder} and {folder}/c.csv",
        ),
        ("got /t/pytest-of-me/pytest-123/test_...e/m.csv", "got {folder}/m.csv"),
        ("got /t/tmp3x7/m.csv, at 127.0.0.1:4567", "got {folder}/m.csv, at 127.0.0.1:{port}"),
        (
            "got 8c4f7db12a93cdc7 and 2b887d0040f00...29c3, not 18014398509481984",
            "got {digest} and {digest}, not 18014398509481984",
        ),
        (
            "gap 2.5e-13, asked 1e-40; the variance is 37.88434, no",
            "gap {gap}, asked 1e-40; the variance is {variance}, no",
        ),
        ("got 4 of 8 designs are kept", "got {some} of 8 designs are kept"),
        ("a \x1b[1mbell\u2028", "a \\x1b[1mbell\\u2028"),
    ],
)
def test_what_is_of_this_run_is_left_out(line, normal):
    assert normalize(line, "/t") == normal


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "two workers"])
def test_reword_writes_what_was_run_and_keeps_the_rest(tmp_path, monkeypatch, workers):
    """A suite of its own: written, read, changed in one place, run in part, and shortened."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    folder = tmp_path / "tests"
    (folder / "helpers").mkdir(parents=True)
    shutil.copy(HERE / "helpers" / "wording.py", folder / "helpers")
    tests, snapshot = folder / "test_a.py", folder / "wording.txt"
    (folder / "conftest.py").write_text("from wording import pytest_addoption, pytest_configure\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = tests/helpers\n")

    def run(*options):
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers, *options)
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    tests.write_text(SUITE)
    assert "2 passed" in run("tests", "--reword")
    written = snapshot.read_text()
    assert [line.strip() for line in written.splitlines()] == [
        "test_a.py",
        *(f"test_refusals[{x}] #{y + 1}: x must be small, got {x} {y} in a file" for x in (1, 2) for y in (0, 1)),
    ]
    if not workers:
        tests.write_text(SUITE.replace("in a file", "in it"))
        printed = run("tests/test_a.py::test_refusals[1]")
        assert "- x must be small, got 1 0 in a file\nE" in printed
        assert "+ x must be small, got 1 0 in it\n" in printed
        one = "tests/test_a.py::test_refusals[2]"
        assert "1 passed" in run(one, "--reword")
        new = written.replace("2 0 in a file", "2 0 in it").replace("2 1 in a file", "2 1 in it")
        assert snapshot.read_text() == new
    tests.write_text(SUITE.replace("[1, 2]", "[1]").replace("range(2)", "range(1)"))
    assert "more sentences of this test" in run("tests")
    assert "1 passed" in run("tests", "--reword")
    assert snapshot.read_text().splitlines() == written.splitlines()[:2]
