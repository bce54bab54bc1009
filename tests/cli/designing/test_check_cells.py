"""The cells of an audited matrix in `check --json`: their values, and those that make a claim false."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import make_runner


@pytest.fixture
def cells(capsys: Any, tmp_path: Path) -> Any:
    mechdesign = make_runner(capsys)

    def found(text: str, *options: str) -> dict[str, Any]:
        (tmp_path / "m.csv").write_text(text)
        return json.loads(mechdesign("check", tmp_path / "m.csv", *options, "--json").out)["cells"]

    return found


def named(found: dict[str, Any]) -> dict[str, list[list[int]]]:
    return {fault["name"]: fault["cells"] for fault in found["faults"]}


def test_a_matrix_without_a_fault_has_its_values(cells: Any) -> None:
    assert cells("3/4,1/4\n1/4,3/4\n", "--alpha", "1/3", "--props", "WH,S") == {
        "values": [[0.75, 0.25], [0.25, 0.75]],
        "faults": [],
    }


def test_each_fault_has_the_cells_that_make_it(cells: Any) -> None:
    found = cells("1/2,1/4,1/4\n-1/10,1/4,1/4\n1/2,1/2,1/2\n", "--props", "WH,S")
    assert named(found) == {
        "negative": [[1, 0]],
        "columns": [[0, 0], [1, 0], [2, 0]],
        "privacy": [[1, 0], [1, 1]],
        "S": [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]],
        "WH": [[1, 1]],
    }


def test_all_pairs_that_break_the_claimed_alpha_are_a_fault(cells: Any) -> None:
    leaky = "0.75,0.25,0.25\n0.125,0.5,0.625\n0.125,0.25,0.125\n"
    assert named(cells(leaky, "--alpha", "1/4")) == {}
    assert named(cells(leaky, "--alpha", "1/3")) == {"privacy": [[1, 0], [1, 1]]}
    (fault,) = cells(leaky, "--alpha", "0.51")["faults"]
    assert fault["cells"] == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]
    assert fault["text"] == (
        "4 of 6 pairs of neighbouring entries break alpha = 0.51; the worst is output 1 for inputs 0 and 1, "
        "where alpha is 0.25, 51 % too small"
    )
    (any_two,) = cells(leaky, "--alpha", "1/4", "--model", "ldp")["faults"]
    assert any_two["cells"] == [[1, 0], [1, 2]]


@pytest.mark.parametrize(
    ("options", "rounding", "rounded"),
    [
        ((), "The rounding of the file explains 1 of these 2, taken alone, but not the rest.", [[1, 0]]),
        (("--tolerance", "0.2"), "The tolerance explains both, taken alone.", [[1, 0], [1, 1], [1, 2]]),
    ],
)
def test_pairs_that_rounding_explains(cells: Any, options: tuple[str, ...], rounding: str, rounded: Any) -> None:
    (fault,) = cells("0.60,0.50,0.60\n0.20,0.251,0.125\n0.20,0.249,0.275\n", "--alpha", "0.8", *options)["faults"]
    assert (fault["rounding"], fault["rounded"]) == (rounding, rounded)


CLEAN = "0.6667,0.3333,0.1667\n0.1667,0.3333,0.1667\n0.1667,0.3333,0.6667\n"
GEOMETRIC = """\
0.666667,0.333333,0.166667,0.083333,{corner}
0.166667,0.333333,0.166667,0.083333,0.041667
0.083333,0.166667,0.333333,0.166667,0.083333
0.041667,0.083333,0.166667,0.333333,0.166667
0.041667,0.083333,0.166667,0.333333,{last}
"""
RIGHT = GEOMETRIC.format(corner="0.041667", last="0.666667")
ZERO = GEOMETRIC.format(corner="0.000000", last="0.708333")
SUM98 = RIGHT.replace("0.166667,0.333333,0.166667", "0.166667,0.313333,0.166667", 1)
NEAR = "5.1e-07 of it in each entry"
PROOF = f"This is proved: some matrix within {NEAR} has"
MISSES = "As written, 5 of 5 columns miss a sum of 1 by at most 1e-06"
UNPRIVATE = "As written, output 0 proves that the count is not 4: this matrix is not private at any epsilon."
LEAST = (
    "Even if a 0 is a small number that was rounded, epsilon is at least 12.0237. "
    "No mechanism within the rounding of the file has less."
)
UNEXPLAINED = "The rounding of the file does not explain it."
BOTH = "alpha-DP with alpha = 0.7 and CH (column honesty)"


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (
            RIGHT,
            (),
            [
                (
                    "good",
                    f"To its digits the file is a mechanism: some matrix within {NEAR} has epsilon as small as "
                    "0.693147, and columns that sum to 1. Nothing is claimed of it; state a claim to test it.",
                ),
                ("note", f"{MISSES}, and epsilon is at most 0.693154."),
            ],
        ),
        (
            RIGHT,
            ("--alpha", "0.5"),
            [
                (
                    "good",
                    f"To its digits the file fits alpha-DP with alpha = 0.5. {PROOF} it, and columns that sum to 1.",
                ),
                ("note", f"{MISSES}, alpha-DP with alpha = 0.5 is not exactly true, and epsilon is at most 0.693154."),
            ],
        ),
        (
            RIGHT,
            ("--alpha", "0.5", "--props", "CM"),
            [
                (
                    "good",
                    "To its digits the file fits alpha-DP with alpha = 0.5 and CM (column monotonicity). "
                    f"{PROOF} all of this at once, and columns that sum to 1.",
                ),
                ("note", f"{MISSES}, alpha-DP with alpha = 0.5 is not exactly true, and epsilon is at most 0.693154."),
            ],
        ),
        (
            "0.5,0.6\n0.4,0.5\n",  # columns that sum to 1 are 0.55, 0.45, which is no honest one
            ("--alpha", "0.7", "--props", "CH"),
            [
                (
                    "failed",
                    f"To its digits the file does not fit all this: {BOTH}. Each is true of some matrix within 0.051 "
                    "of it in each entry, but none within the rounding of the file has all of it and columns that sum "
                    "to 1, which is proved.",
                ),
                (
                    "note",
                    "As written, 2 of 2 columns miss a sum of 1 by at most 0.1, CH (column honesty) is not exactly "
                    "true, and epsilon is at most 0.223144.",
                ),
            ],
        ),
        (ZERO, (), [("failed", f"{UNPRIVATE} {LEAST}")]),
        (
            ZERO,
            ("--alpha", "0.5"),
            [("failed", f"alpha-DP with alpha = 0.5 is false. {UNEXPLAINED} {UNPRIVATE} {LEAST}")],
        ),
        (
            ZERO,
            ("--alpha", "1e-6"),
            [
                (
                    "failed",
                    f"{UNPRIVATE} {LEAST} To its digits the file fits alpha-DP with alpha = 1e-06. "
                    f"{PROOF} it, and columns that sum to 1.",
                )
            ],
        ),
        (SUM98, (), [("failed", f"Column 1 sums to 0.979999. {UNEXPLAINED}")]),
        (SUM98, ("--alpha", "0.5"), [("failed", f"Column 1 sums to 0.979999. {UNEXPLAINED}")]),
        ("1/2,1/4\n1/2,3/4\n", ("--alpha", "0.5"), [("good", "All 2 claims are true.")]),
        (
            "1/2,1/4\n1/2,3/4\n",
            ("--alpha", "0.6"),
            [
                (
                    "failed",
                    "alpha-DP with alpha = 0.6 is false: 1 of 2 pairs of neighbouring entries break alpha = 0.6; the "
                    "worst is output 0 for inputs 1 and 0, where alpha is 0.5, 17 % too small.",
                )
            ],
        ),
    ],
)
def test_the_headline_tells_what_rounding_explains(
    capsys: Any, tmp_path: Path, text: str, options: tuple[str, ...], said: list[tuple[str, str]]
) -> None:
    (tmp_path / "m.csv").write_text(text)
    mechdesign = make_runner(capsys)
    told = json.loads(mechdesign("check", tmp_path / "m.csv", *options, "--json").out)["headline"]
    assert [(one["kind"], one["text"]) for one in told] == said
    shown = " ".join(mechdesign("check", tmp_path / "m.csv", *options).out.split())
    assert shown.startswith(" ".join(text for _, text in said))


def test_of_many_entries_each_claim_is_asked_alone(capsys: Any, tmp_path: Path) -> None:
    size = 18
    (tmp_path / "m.csv").write_text("\n".join(",".join(["0.0556"] * size) for _ in range(size)) + "\n")
    told = json.loads(make_runner(capsys)("check", tmp_path / "m.csv", "--alpha", "0.9", "--json").out)["headline"]
    assert told[0]["kind"] == "warn"
    assert told[0]["text"].endswith("Whether one has all of it was not asked of so many entries.")


def test_cells_that_rounding_explains_are_told_from_those_it_does_not(cells: Any) -> None:
    columns, symmetric = cells(CLEAN.replace("0.6667,0.3333", "0.6467,0.3333"), "--props", "S")["faults"]
    assert [cell for cell in columns["cells"] if cell not in columns["rounded"]] == [[i, 0] for i in range(3)]
    assert (symmetric["cells"], symmetric["rounded"]) == ([[0, 0], [2, 2]], [])
    nearly = cells(CLEAN.replace("0.6667,0.3333", "0.6668,0.3333"), "--props", "S")["faults"][-1]
    assert (nearly["cells"], nearly["rounded"]) == ([[0, 0], [2, 2]], [[0, 0], [2, 2]])


def test_a_zero_that_leaves_no_privacy_is_framed_though_it_may_be_rounded(cells: Any) -> None:
    (fault,) = [fault for fault in cells(ZERO)["faults"] if fault["name"] == "privacy"]
    assert (fault["cells"], fault.get("rounded")) == ([[0, 3], [0, 4]], None)


def test_a_large_matrix_has_faults_and_no_values(cells: Any) -> None:
    rows = [[1 if i == j else 0 for j in range(65)] for i in range(65)]
    found = cells("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    broken = [[i, j] for i in range(65) for j in (i - 1, i, i + 1) if 0 <= j < 65]
    assert (found["values"], named(found)) == (None, {"privacy": broken})
