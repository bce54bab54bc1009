"""Bad input: one clear line, exit code 2 (1 where the answer is no), nothing written."""

import json
import os
from pathlib import Path

import pytest
from wording import check_wording

SOLVE = ["solve", "--n", "4", "--alpha", "0.9"]

BAD_USAGE = [
    ["solve", "--n", "4"],
    [*SOLVE, "--epsilon", "1"],
    ["solve", "--n", "4", "--alpha", "1.7"],
    ["solve", "--n", "4", "--alpha", "0"],
    ["solve", "--n", "4", "--alpha", "nan"],
    ["solve", "--n", "4", "--epsilon", "-1"],
    ["solve", "--n", "0", "--alpha", "0.9"],
    ["solve", "--n", "x", "--alpha", "0.9"],
    ["solve", "--n", "1000000", "--alpha", "0.9", "--method", "full"],
    ["solve", "--alpha", "0.9"],
    [*SOLVE, "--nonsense"],
    ["solv"],
    [*SOLVE, "--props", "WH,XX"],
    [*SOLVE, "--loss", "L-1"],
    [*SOLVE, "--loss", "missing.csv"],
    [*SOLVE, "--props", "wm"],
    [*SOLVE, "--prior", "binomial:2"],
    [*SOLVE, "--prior", "missing.txt"],
    [*SOLVE, "--prior", "empty.csv"],
    [*SOLVE, "--prior", "short.csv"],
    [*SOLVE, "--prior", "negative.csv"],
    [*SOLVE, "--prior", "toosmall.csv"],
    [*SOLVE, "--prior", "letters.csv"],
    [*SOLVE, "--loss", "short.csv"],
    [*SOLVE, "--loss", "nan.csv"],
    [*SOLVE, "--loss", "ragged.csv"],
    [*SOLVE, "--loss", "binary.csv"],
    [*SOLVE, "--solver", "cplex"],
    [*SOLVE, "--time-limit", "-1"],
    [*SOLVE, "-o", "no/folder/d.json"],
    [*SOLVE, "-o", "d.txt"],
    [*SOLVE, "-o", "/dev/full"],
    [*SOLVE, "--plot", "d.gif"],
    ["catalog", "XM", "--n", "4", "--alpha", "0.9"],
    ["catalog", "expo"],
    ["catalog", "GM", "--alpha", "0.9"],
    ["catalog", "RR", "--n", "2", "--alpha", "0.9"],
    ["catalog", "--n", "2"],
    ["check"],
    ["check", "missing.json"],
    ["check", "empty.csv"],
    ["check", "binary.csv"],
    ["check", "ragged.csv"],
    ["check", "cut.json"],
    ["check", "other.json"],
    ["check", "fractional.json"],
    ["check", "short.csv", "--repair", "r.json"],
    ["check", "short.csv", "--alpha", "0.9", "--repair", "r.csv"],
    ["check", "short.csv", "--alpha", "0.9", "--repair", "r.json"],
    ["check", "short.csv", "--loss", "L1"],
    ["check", "m.json", "--row-stochastic"],
    ["release", "-o", "r.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--data", "saxony"],
    ["release", "-o", "r.csv", "--data", "sax", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--data", "saxony", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--data", "binomial:0.1", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--data", "saxony", "--target", "sex", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--target", "sex", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--data", "adult", "--size", "c", "--alpha", "0.9"],
    ["data", "titanic:class", "-o", "items.parquet"],
    ["data", "titanic:class", "--domain", "items.json"],
    ["data", "sax"],
    ["data", "adult", "--target", "incom"],
    ["data", "saxony", "--target", "age"],
    ["data", "saxony", "--n", "8"],
    ["data", "saxony", "--input", "counts.csv"],
    ["data", "--n", "8"],
    ["data", "--bit", "c"],
    ["data", "uniform", "--bit", "c"],
    ["data", "uniform", "--people", "4"],
    ["data", "uniform", "--people", "x"],
    ["data", "--input", "counts.csv", "--people", "4"],
    ["data", "--input", "counts.csv"],
    ["data", "--input", "counts.csv", "--n", "8"],
    ["data", "--input", "counts.csv", "--bit", "c"],
    ["data", "--input", "counts.csv", "--n", "9", "--seed", "1"],
    ["data", "--input", "counts.csv", "--n", "9", "-o", "counts.csv"],
    ["data", "short.csv", "-o", "short.csv"],
    ["data", "toosmall.csv", "-o", "c.csv"],
    ["data", "saxony", "-o", "no/c.csv"],
    ["data", "saxony", "--plot", "c.gif"],
    ["data", "saxony", "--plot", "c.svg", "-o", "c.svg"],
    ["release", "-o", "/dev/stdout", "--data", "saxony", "--mechanism", "m.json"],
    ["compare", "--data", "binomial", "--n", "4", "--alpha", "0.9"],
    ["compare", "--data", "uniform", "--n", "abc", "--alpha", "0.9"],
    ["data", "--input", "semicolons.csv", "--bit", "b"],
    ["release", "-o", "r.json", "--data", "saxony", "--alpha", "0.9"],
    ["release", "-o", "r.csv", "--data", "saxony", "--alpha", "0.9", "--record", "s.csv"],
    ["data", "wm.\x00csv"],
    ["check", "deep.json"],
    ["release", "-o", "no/r.csv", "--data", "saxony", "--mechanism", "m.json"],
    ["release", "-o", "counts.csv", "--input", "counts.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "gone.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--column", "x"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "half.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "minus.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "hole.csv", "--mechanism", "m.json", "--column", "c"],
    ["release", "-o", "r.csv", "--input", "binary.csv", "--mechanism", "m.json"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--alpha", "0.9"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "floats.csv"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--seed", "-1"],
    ["release", "-o", "r.csv", "--input", "counts.csv", "--size", "c"],
]

FILES = {
    "semicolons.csv": b"a;b\n1;0\n",
    "empty.csv": b"",
    "short.csv": b"0.5,0.5\n",
    "negative.csv": b"1,-1,1,0,0\n",
    "toosmall.csv": b"0.1,0.1,0.1,0.1,0.1\n",
    "letters.csv": b"a,b\n",
    "nan.csv": b"0,nan\n1,0\n",
    "ragged.csv": b"0,1\n1\n",
    "binary.csv": b"c\n\xff\xfe\x00\x01\n",
    "cut.json": b'{"format": "mechdesign-design/1", "problem": {"mod',
    "deep.json": b'{"format": "mechdesign-design/1", "x": ' + b"[" * 101 + b"]" * 101 + b"}",
    "other.json": b'{"format": "something-else/2"}',
    "counts.csv": b"c\n1\n9\n",
    "half.csv": b"c\n1.5\n",
    "minus.csv": b"c\n-1\n",
    "hole.csv": b"c,d\n,1\n",
    "floats.csv": b"0.5,0.3\n0.4,0.7\n",
}


@pytest.fixture
def workshop(mechdesign):
    """A folder with one good design and many bad files."""
    assert mechdesign(*SOLVE, "-o", "m.json").code == 0
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    data = json.loads(Path("m.json").read_text())
    data["weights"][0][0] = "1.5"
    Path("fractional.json").write_text(json.dumps(data))
    return mechdesign


@pytest.mark.slow
@pytest.mark.parametrize("arguments", BAD_USAGE, ids=lambda value: " ".join(value)[:70])
def test_one_clear_line_and_nothing_written(workshop, arguments):
    before = sorted(os.listdir())
    seen = workshop(*arguments)
    assert seen.code == 2
    check_wording(seen.err)
    last = seen.err.splitlines()[-1]
    assert last.startswith("mechdesign: ")
    assert seen.err.count("mechdesign: ") == 1
    assert seen.out == ""
    assert sorted(os.listdir()) == before


def test_time_limit(mechdesign):
    seen = mechdesign("solve", "--n", 128, "--alpha", "0.9", "--props", "CM", "--time-limit", "1e-6", "-o", "d.json")
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)
    assert os.listdir() == []


def test_devices_and_pipes_are_not_replaced(workshop):
    os.mkfifo("pipe.json")
    seen = workshop(*SOLVE, "-o", "pipe.json")
    assert seen.code == 2
    check_wording(seen.err)
    assert not Path("pipe.json").is_file()


def test_a_failing_second_file_takes_the_first_back(workshop):
    Path("folder.csv").mkdir()
    seen = workshop(*SOLVE, "-o", "d.json", "-o", "folder.csv")
    assert seen.code == 2
    assert not Path("d.json").exists()


def test_messages_are_short_and_printable(workshop):
    seen = workshop("solve", "--n", 4, "--alpha", "0.9", "--props", "\x1b[2J" + "x" * 5000)
    assert seen.code == 2
    assert "\x1b" not in seen.err
    assert len(seen.err) < 800
