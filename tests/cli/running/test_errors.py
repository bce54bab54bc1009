"""Bad input: one clear line, exit code 2 (1 where the answer is no), nothing written."""

import json
import os
from pathlib import Path

import pytest

SOLVE = ["solve", "--n", "4", "--alpha", "0.9"]

BAD_USAGE = [
    (["solve", "--n", "4"], "give --alpha or --epsilon, got neither"),
    ([*SOLVE, "--epsilon", "1"], "give --alpha or --epsilon alone, got both"),
    (["solve", "--n", "4", "--alpha", "1.7"], "alpha must be in (0, 1), got 1.7"),
    (["solve", "--n", "4", "--alpha", "0"], "alpha must be in (0, 1), got 0"),
    (["solve", "--n", "4", "--alpha", "nan"], "alpha must be a decimal or a fraction"),
    (["solve", "--n", "4", "--epsilon", "-1"], "epsilon must be in (0, 200], got -1"),
    (["solve", "--n", "0", "--alpha", "0.9"], "n must be an integer of at least 1, got 0"),
    (["solve", "--n", "x", "--alpha", "0.9"], "--n must be a whole number, got x"),
    (["solve", "--n", "1000000", "--alpha", "0.9", "--method", "full"], "n must be at most 4095"),
    (["solve", "--alpha", "0.9"], "give --n for counts or --k for items, got neither"),
    ([*SOLVE, "--nonsense"], "No such option: --nonsense"),
    (["solv"], "No such command 'solv'"),
    (
        [*SOLVE, "--props", "WH,XX"],
        "--props must be one of WH, RH, RM, CH, CM, F, S, FE, WH:BETA, OS:BETA, none, all, got XX",
    ),
    ([*SOLVE, "--loss", "L-1"], "loss must be Lp or Lp:d"),
    ([*SOLVE, "--loss", "missing.csv"], "file must exist, got missing.csv"),
    ([*SOLVE, "--props", "wm"], "none, all, got WM; WM is WH,RM,CM"),
    ([*SOLVE, "--prior", "binomial:2"], "prior binomial:P must have P in [0, 1], got prior=binomial:2"),
    ([*SOLVE, "--prior", "missing.txt"], "file must exist, got missing.txt"),
    ([*SOLVE, "--prior", "empty.csv"], "file must not be empty"),
    ([*SOLVE, "--prior", "short.csv"], "prior must have 5 weights (one for each input), got 2"),
    ([*SOLVE, "--prior", "negative.csv"], "prior weights must be nonnegative, got -1 for input 1"),
    ([*SOLVE, "--prior", "toosmall.csv"], "prior weights must sum to exactly 1, got 1/2"),
    ([*SOLVE, "--prior", "letters.csv"], "got 'a' in row 1, column 1 of letters.csv"),
    ([*SOLVE, "--loss", "short.csv"], "loss matrix must be 5 x 5, got 1 x 2"),
    ([*SOLVE, "--loss", "nan.csv"], "got 'nan' in row 1, column 2 of nan.csv"),
    ([*SOLVE, "--loss", "ragged.csv"], "rows must be equally long, got 1 cells in row 2"),
    ([*SOLVE, "--loss", "binary.csv"], "must be text"),
    ([*SOLVE, "--solver", "cplex"], "solver must be highs or cvxpy:NAME (cvxpy:CLARABEL), got cplex"),
    ([*SOLVE, "--time-limit", "-1"], "--time-limit must be a positive number of seconds, got -1"),
    ([*SOLVE, "-o", "no/folder/d.json"], "output folder must exist, got"),
    ([*SOLVE, "-o", "d.txt"], "output must end in .json, .csv, .npz, .tex, .vipr, .lp, .mps, got d.txt"),
    ([*SOLVE, "-o", "/dev/full"], "output must end in"),
    ([*SOLVE, "--plot", "d.gif"], "plot must end in .png, .svg, .pdf, got d.gif"),
    (
        ["catalog", "XM", "--n", "4", "--alpha", "0.9"],
        "mechanism must be one of GM, EM, UM, RR, EXP, GRR, SPL, SMP, RS+FD, got XM",
    ),
    (["catalog", "expo"], "GRR, SPL, SMP, RS+FD, got expo; did you mean EXP?"),
    (["catalog", "GM", "--alpha", "0.9"], "n must be given for GM, got none"),
    (["catalog", "RR", "--n", "2", "--alpha", "0.9"], "n must be 1 for RR, got 2"),
    (["catalog", "--n", "2"], "catalog must have a name"),
    (["check"], "Missing argument 'FILE'"),
    (["check", "missing.json"], "file must exist, got missing.json"),
    (["check", "empty.csv"], "file must not be empty"),
    (["check", "binary.csv"], "must be text"),
    (["check", "ragged.csv"], "rows must be equally long"),
    (["check", "cut.json"], "broken or cut off"),
    (["check", "other.json"], "must be a design document"),
    (["check", "fractional.json"], "weights must be an integer"),
    (["check", "short.csv", "--repair", "r.json"], "repair must know the privacy"),
    (["check", "short.csv", "--alpha", "0.9", "--repair", "r.csv"], "--repair must be a .json file"),
    (
        ["check", "short.csv", "--alpha", "0.9", "--repair", "r.json"],
        "matrix must be square, at least 2 x 2",
    ),
    (["check", "short.csv", "--loss", "L1"], "--loss must know the privacy to reach, got none; add --alpha"),
    (["check", "m.json", "--row-stochastic"], "column-stochastic already"),
    (
        ["release", "-o", "r.csv", "--mechanism", "m.json"],
        "one of --data and --input must be given, got neither",
    ),
    (
        ["release", "-o", "r.csv", "--data", "saxony"],
        "give --alpha or --epsilon, got neither",
    ),
    (
        ["release", "-o", "r.csv", "--data", "sax", "--mechanism", "m.json"],
        "got sax; did you mean saxony?",
    ),
    (["release", "-o", "r.csv", "--data", "saxony", "--mechanism", "m.json"], "mechanism must have n = 12 for saxony"),
    (
        ["release", "-o", "r.csv", "--data", "binomial:0.1", "--mechanism", "m.json"],
        "data must be real counts to be released, got binomial:1/10, which is made up",
    ),
    (
        ["release", "-o", "r.csv", "--data", "saxony", "--target", "sex", "--mechanism", "m.json"],
        "target goes with adult and adult-test, got sex with saxony",
    ),
    (
        ["release", "-o", "r.csv", "--input", "counts.csv", "--target", "sex", "--mechanism", "m.json"],
        "--target goes with --data, got it with --input",
    ),
    (
        ["release", "-o", "r.csv", "--data", "adult", "--size", "c", "--alpha", "0.9"],
        "--size goes with --input, got it with --data adult",
    ),
    (["data", "titanic:class", "-o", "items.parquet"], "output must end in .csv, got items.parquet"),
    (["data", "titanic:class", "--domain", "items.json"], "output must end in .txt, .csv, got items.json"),
    (["data", "sax"], "got sax; did you mean saxony?"),
    (["data", "adult", "--target", "incom"], "target must be one of income, sex, age, got incom; did you mean income?"),
    (["data", "saxony", "--target", "age"], "target goes with adult and adult-test, got age with saxony"),
    (["data", "saxony", "--n", "8"], "n must be 12 like the groups of saxony, got 8"),
    (
        ["data", "saxony", "--input", "counts.csv"],
        "data must be named (mechdesign data saxony) or read from",
    ),
    (["data", "--n", "8"], "data must have a name to show a set, got options alone"),
    (["data", "--bit", "c"], "data must be named (mechdesign data saxony) or read from --input, got neither"),
    (["data", "uniform", "--bit", "c"], "--bit goes with --input, got it with --data"),
    (["data", "uniform", "--people", "4"], "n must be at most 4, the number of people in uniform, got n=8"),
    (["data", "uniform", "--people", "x"], "--people must be a whole number, got x"),
    (["data", "--input", "counts.csv", "--people", "4"], "--people goes with --data, got it with --input"),
    (["data", "--input", "counts.csv"], "n must be given for the counts of counts.csv, got none; try --n 9"),
    (["data", "--input", "counts.csv", "--n", "8"], "count must be at most n = 8, got more in row 2 of counts.csv"),
    (["data", "--input", "counts.csv", "--bit", "c"], "c must be 0 or 1, got another in row 2 of counts.csv"),
    (["data", "--input", "counts.csv", "--n", "9", "--seed", "1"], "--seed goes with what is random, got it with co"),
    (["data", "--input", "counts.csv", "--n", "9", "-o", "counts.csv"], "must not replace what is read"),
    (["data", "short.csv", "-o", "short.csv"], "must not replace what is read"),
    (["data", "toosmall.csv", "-o", "c.csv"], "must sum to exactly 1, got 1/2"),
    (["data", "saxony", "-o", "no/c.csv"], "output folder must exist"),
    (["data", "saxony", "--plot", "c.gif"], "plot must end in .png, .svg, .pdf, got c.gif"),
    (["data", "saxony", "--plot", "c.svg", "-o", "c.svg"], "output must end in .csv, got c.svg"),
    (["release", "-o", "/dev/stdout", "--data", "saxony", "--mechanism", "m.json"], "which is a device or a pipe"),
    (["compare", "--data", "binomial", "--n", "4", "--alpha", "0.9"], "binomial must have its parameter, as in binom"),
    (["compare", "--data", "uniform", "--n", "abc", "--alpha", "0.9"], "n must be whole numbers and ranges"),
    (
        ["data", "--input", "semicolons.csv", "--bit", "b"],
        "cells must have commas between them, got semicolons",
    ),
    (["release", "-o", "r.json", "--data", "saxony", "--alpha", "0.9"], "output must end in .csv, got r.json"),
    (
        ["release", "-o", "r.csv", "--data", "saxony", "--alpha", "0.9", "--record", "s.csv"],
        "record must end in .json, got s.csv",
    ),
    (["data", "wm.\x00csv"], "arguments must be texts without zero bytes"),
    (["check", "deep.json"], "JSON must be nested at most 100 levels deep, got more in deep.json"),
    (["release", "-o", "no/r.csv", "--data", "saxony", "--mechanism", "m.json"], "output folder must exist"),
    (
        ["release", "-o", "counts.csv", "--input", "counts.csv", "--mechanism", "m.json"],
        "must not replace what",
    ),
    (["release", "-o", "r.csv", "--input", "gone.csv", "--mechanism", "m.json"], "input must be a readable file"),
    (
        ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--column", "x"],
        "has no column 'x'",
    ),
    (["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json"], "got more in row 2 of counts.csv"),
    (["release", "-o", "r.csv", "--input", "half.csv", "--mechanism", "m.json"], "got another in row 1 of half.csv"),
    (["release", "-o", "r.csv", "--input", "minus.csv", "--mechanism", "m.json"], "got another in row 1 of minus.csv"),
    (["release", "-o", "r.csv", "--input", "hole.csv", "--mechanism", "m.json", "--column", "c"], "got none in row 1"),
    (["release", "-o", "r.csv", "--input", "binary.csv", "--mechanism", "m.json"], "must be text"),
    (
        ["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--alpha", "0.9"],
        "cannot be combined with --mechanism FILE",
    ),
    (["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "floats.csv"], "column 0 must sum"),
    (["release", "-o", "r.csv", "--input", "counts.csv", "--mechanism", "m.json", "--seed", "-1"], "seed must be"),
    (["release", "-o", "r.csv", "--input", "counts.csv", "--size", "c"], "give --alpha or --epsilon"),
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
@pytest.mark.parametrize(("arguments", "message"), BAD_USAGE, ids=lambda value: " ".join(value)[:70])
def test_one_clear_line_and_nothing_written(workshop, arguments, message):
    before = sorted(os.listdir())
    seen = workshop(*arguments)
    assert seen.code == 2
    assert message in seen.err
    last = seen.err.splitlines()[-1]
    assert last.startswith("mechdesign: ")
    assert seen.err.count("mechdesign: ") == 1
    assert seen.out == ""
    assert sorted(os.listdir()) == before


def test_time_limit(mechdesign):
    seen = mechdesign("solve", "--n", 128, "--alpha", "0.9", "--props", "CM", "--time-limit", "1e-6", "-o", "d.json")
    assert (seen.code, seen.out) == (1, "")
    assert "time limit" in seen.err
    assert os.listdir() == []


def test_devices_and_pipes_are_not_replaced(workshop):
    os.mkfifo("pipe.json")
    seen = workshop(*SOLVE, "-o", "pipe.json")
    assert seen.code == 2
    assert "device or a pipe" in seen.err
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
