"""`mechdesign privatize --oracle onebitmean`: the mean of numbers."""

import json
from pathlib import Path

import pytest
from local_reports import MEAN, write_hours


def test_the_mean_of_numbers(mechdesign):
    write_hours([1, 2.5, 8.25])
    made = mechdesign(*MEAN, "--column", "hours", "-o", "r.parquet", "--seed", 4)
    assert made.code == 0, made.err
    seen = mechdesign("aggregate", "r.parquet", "--json", "-o", "mean.csv")
    assert seen.code == 0, seen.err
    found = json.loads(seen.out)
    assert abs(found["mean"] - 11.75 / 3) < 4 * found["standard_error"]
    assert found["low"] < found["mean"] < found["high"]
    assert Path("mean.csv").read_text() == f"mean,standard_error\n{found['mean']!r},{found['standard_error']!r}\n"
    assert mechdesign("aggregate", "r.parquet").out.startswith("3,000 reports of onebitmean, numbers in 0..24")
    seen = mechdesign("aggregate", "r.parquet", "--plot", "mean.png")
    assert (seen.code, seen.err) == (
        2,
        "mechdesign: --plot goes with frequencies of items, got it with onebitmean\n",
    )


BAD_NUMBERS = {
    "too large": ("24.5", "numbers must be in 0..24, got another in row 70001 of hours.csv\n"),
    "negative": ("-24.5", "numbers must be in 0..24, got another in row 70001 of hours.csv\n"),
    "beyond floats": ("24e500", "numbers must be in 0..24, got another in row 70001 of hours.csv\n"),
    "underscore": ("2_4", "numbers must be decimals, got another text in row 70001 of hours.csv\n"),
    "other digits": ("\u0662\u0664", "numbers must be decimals, got another text in row 70001 of hours.csv\n"),
    "text": ("Cork", "numbers must be decimals, got another text in row 70001 of hours.csv\n"),
    "nan": ("nan", "numbers must be decimals, got another text in row 70001 of hours.csv\n"),
    "infinity": ("inf", "numbers must be decimals, got another text in row 70001 of hours.csv\n"),
    "blank": (" ", "numbers must be decimals, got a blank cell in row 70001 of hours.csv\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_NUMBERS)
def test_numbers_out_of_range_are_named_by_their_row_alone(mechdesign, name):
    """Beyond the rows that are read at once."""
    number, message = BAD_NUMBERS[name]
    Path("hours.csv").write_text("hours\n" + "1\n" * 70_000 + f"{number}\n")
    seen = mechdesign(*MEAN, "-o", "r.parquet")
    assert (seen.code, seen.err) == (2, f"mechdesign: {message}")


def test_numbers_are_decimals_of_any_form(mechdesign):
    Path("hours.csv").write_text("hours\n" + "".join(f"{number}\n" for number in ("3", "+.5", "2.", "1E1", " 0e-9 ")))
    assert mechdesign(*MEAN, "-o", "r.parquet").code == 0
    Path("hours.csv").write_text("3.5\n4\n")
    seen = mechdesign(*MEAN, "-o", "other.parquet")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert "the first row of hours.csv must be a header" in seen.err
    assert "3.5" not in seen.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--oracle", "onebitmean:d=3"], "d must not be given for onebitmean, got onebitmean:d=3; it has no options"),
        (["--maximum", "1e400"], "--maximum must be in 1e-100..1e100, got 1e400"),
        (["--maximum", "9" * 400], f"--maximum must be in 1e-100..1e100, got {'9' * 45}...{'9' * 12}"),
        (["--maximum", "0"], "--maximum must be in 1e-100..1e100, got 0"),
        (["--oracle", "grr"], "--maximum goes with onebitmean, got it with grr"),
    ],
)
def test_bad_requests_of_a_mean(mechdesign, options, message):
    write_hours([1])
    seen = mechdesign(*MEAN, "--column", "hours", "-o", "r.parquet", *options)
    assert (seen.code, seen.err) == (2, f"mechdesign: {message}\n")
