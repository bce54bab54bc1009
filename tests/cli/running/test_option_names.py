"""Messages of the command line name options as they were typed, and suggest only what is nearly the same."""

import pytest

import mechdesign as md
from mechdesign_cli.studio.running import _of_fields

SOLVE = ("solve", "--n", 4)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("aggregate", "no.parquet", "--quantiles", 50), "--quantiles must be in (0, 1), got 50"),
        (
            ("sweep", "--n", "2-8", "--alpha", "0.5", "-o", "s.csv"),
            "--n must be whole numbers and ranges a:b:step (2:8:2,16), got 2-8",
        ),
        (SOLVE, "give --alpha or --epsilon, got neither"),
        ((*SOLVE, "--alpha", "0.5", "--epsilon=1"), "give --alpha or --epsilon alone, got both"),
        ((*SOLVE, "--alpha=1.7"), "--alpha must be in (0, 1), got 1.7"),
        ((*SOLVE, "--epsilon", "-1"), "--epsilon must be in (0, 200], got -1"),
        (("task", "new", "--oracle", "grr", "--k", 3, "-o", "t.json"), "give --alpha or --epsilon, got neither"),
        (
            (*SOLVE, "--alpha", "0.5", "--factions"),
            "No such option: --factions; did you mean --fractions?; see mechdesign solve --help",
        ),
        ((*SOLVE, "--fast"), "No such option: --fast; see mechdesign solve --help"),
        ((*SOLVE, "--time", 4), "No such option: --time; did you mean --time-limit?; see mechdesign solve --help"),
    ],
)
def test_the_whole_line(mechdesign, arguments, line):
    seen = mechdesign(*arguments)
    assert (seen.code, seen.err) == (2, f"mechdesign: {line}\n")


def test_what_was_not_typed_is_no_option(mechdesign, tmp_path):
    """The n of a design for groups is nobody's --n."""
    (tmp_path / "c.csv").write_text("c,size\n1,5000\n")
    seen = mechdesign(
        "release",
        "--input",
        tmp_path / "c.csv",
        "--column",
        "c",
        "--size",
        "size",
        "--epsilon",
        1,
        "--loss",
        "L3",
        "-o",
        "r.csv",
    )
    assert seen.code == 2
    assert "--n" not in seen.err


def test_a_column_that_is_missing_is_quoted(mechdesign, tmp_path):
    (tmp_path / "ages.csv").write_text("age\n3\n")
    (tmp_path / "k.txt").write_text("3\n4\n")
    seen = mechdesign(
        *("privatize", "--oracle", "grr", "--epsilon", 1, "--input", "ages.csv", "--column", "Age"),
        *("--domain", "k.txt", "-o", "r.parquet"),
    )
    assert (seen.code, seen.err) == (
        2,
        "mechdesign: ages.csv has no column 'Age', which --column asks for (columns: age)\n",
    )


def test_python_names_arguments():
    with pytest.raises(md.InputError, match=r"^alpha must be in \(0, 1\), got alpha=1.7$"):
        md.DesignProblem(n=3, alpha="1.7")
    with pytest.raises(md.InputError, match=r"^give alpha or epsilon, got neither$"):
        md.DesignProblem(n=3)


def test_the_page_names_its_fields():
    assert _of_fields("--time-limit must be positive, got -1") == "time limit must be positive, got -1"
    assert _of_fields("give --alpha or --epsilon, got neither") == "give alpha or epsilon, got neither"
    assert _of_fields("score is 1 - 2; go on by --start f.json") == "score is 1 - 2; go on by --start f.json"


@pytest.mark.parametrize(
    ("arguments", "works"),
    [
        (("sweep", "--n", 2, "--alpha", "0.5", "-o", "s.csv", "--props", "none,WH,all"), "--props 'none;WH;all'"),
        (("sweep", "--n", 2, "--alpha", "0.5", "-o", "s.csv", "--props", "CM,WH;none,RM"), "--props 'CM,WH;none;RM'"),
        ((*SOLVE, "--alpha", "0.5", "--props", "WH;CM"), "--props WH,CM"),
        (
            ("compare", "--data", "saxony", "--alpha", "0.9", "--mechanisms", "GM,design:WH,CM:L1", "--repetitions", 1),
            "--mechanisms 'GM;design:WH,CM:L1'",
        ),
    ],
)
def test_a_refused_separator_comes_with_the_line_that_works(mechdesign, arguments, works):
    seen = mechdesign(*arguments)
    assert (seen.code, seen.err.endswith(f"; write {works}\n")) == (2, True)
    option, value = works.split(" ", 1)
    fixed = [
        value.strip("'") if before == option else word
        for before, word in zip((None, *arguments), arguments, strict=False)
    ]
    assert mechdesign(*fixed).code == 0
