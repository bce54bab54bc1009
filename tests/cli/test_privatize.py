"""`mechdesign privatize` and `mechdesign aggregate`, the pair that is deployed: values in, frequencies out."""

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from mechdesign_catalog.oracles import ORACLES

CITIES = ["Cork", "Galway", "Dublin", "Belfast", "Derry", "Sligo", "Athlone"]
USERS = 4000


def write_cities(users=USERS):
    """A CSV file of who lives where, and the public list of cities; returns the true shares."""
    shares = np.array([0.3, 0.05, 0.4, 0.1, 0.05, 0.1, 0.0])
    values = np.repeat(np.arange(7), (shares * users).round().astype(int))
    rows = [f"{number},{CITIES[value]}" for number, value in enumerate(values)]
    Path("values.csv").write_text("\n".join(["id,city", *rows]) + "\n")
    Path("cities.txt").write_text("\n".join(CITIES) + "\n")
    return np.bincount(values, minlength=7) / len(values)


PRIVATIZE = ["privatize", "--input", "values.csv", "--column", "city", "--domain", "cities.txt"]


@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_values_become_reports_become_frequencies(mechdesign, oracle):
    truth = write_cities()
    made = mechdesign(*PRIVATIZE, "--oracle", oracle, "--epsilon", 3, "-o", "reports.parquet", "--seed", 1)
    assert made.code == 0, made.err
    assert made.out == ""
    assert "wrote reports.parquet" in made.err
    assert "simulation, not for release" in made.err
    assert f"{USERS:,} reports of {oracle}" in made.err
    seen = mechdesign("aggregate", "reports.parquet", "-o", "estimate.csv", "--json")
    assert seen.code == 0, seen.err
    rows = list(csv.DictReader(Path("estimate.csv").read_text().splitlines()))
    assert list(rows[0]) == ["item", "frequency", "standard_error"]
    assert [row["item"] for row in rows] == CITIES
    off = (np.array([float(row["frequency"]) for row in rows]) - truth) / [float(row["standard_error"]) for row in rows]
    assert np.abs(off).max() < 4.5
    document = json.loads(seen.out)
    assert document["users"] == USERS
    assert document["parameters"]["oracle"] == oracle
    first = document["items"][0]
    assert first["item"] == "Cork"
    assert first["low"] < first["frequency"] < first["high"]
    assert first["frequency"] == float(rows[0]["frequency"])


def test_files_of_several_days_add_up(mechdesign):
    write_cities()
    for day in (1, 2):
        mechdesign(*PRIVATIZE, "--oracle", "oue", "--epsilon", 1, "-o", f"day{day}.parquet", "--seed", day)
    both = json.loads(mechdesign("aggregate", "day1.parquet", "day2.parquet", "--json").out)
    one, two = (json.loads(mechdesign("aggregate", f"day{day}.parquet", "--json").out) for day in (1, 2))
    assert both["users"] == 2 * USERS
    for row, first, second in zip(both["items"], one["items"], two["items"], strict=True):
        assert row["frequency"] == pytest.approx((first["frequency"] + second["frequency"]) / 2, abs=1e-12)


def test_reports_without_a_seed_differ(mechdesign):
    write_cities()
    for name in ("a", "b"):
        mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 1, "-o", f"{name}.parquet")
    assert pq.read_table("a.parquet") != pq.read_table("b.parquet")


def test_report_on_a_terminal(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("aggregate", "r.parquet")
    lines = seen.out.splitlines()
    assert lines[0] == f"{USERS:,} reports of grr, 7 items, epsilon = 4"
    assert lines[2].startswith("Dublin ")
    assert "the reports were seeded with 3: a simulation" in seen.err


def test_post_processing_is_done_when_asked_for(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", "1/2", "-o", "r.parquet", "--seed", 3)
    raw = json.loads(mechdesign("aggregate", "r.parquet", "--json").out)
    assert raw["post"] == "base"
    assert all(row["frequency"] == row["estimate"] for row in raw["items"])
    assert min(row["frequency"] for row in raw["items"]) < 0
    for post in ("norm-sub", "em"):
        seen = mechdesign("aggregate", "r.parquet", "--json", "--post", post, "-o", "e.csv", "--plot", "e.png")
        assert seen.code == 0, seen.err
        assert f"frequencies are post-processed ({post})" in seen.err
        found = json.loads(seen.out)
        assert sum(row["frequency"] for row in found["items"]) == pytest.approx(1)
        assert min(row["frequency"] for row in found["items"]) >= 0
        for row, before in zip(found["items"], raw["items"], strict=True):
            assert {name: row[name] for name in ("estimate", "low", "high")} == {
                name: before[name] for name in ("estimate", "low", "high")
            }
        assert [float(row["frequency"]) for row in csv.DictReader(Path("e.csv").read_text().splitlines())] == [
            row["frequency"] for row in found["items"]
        ]
    assert "did you mean norm-sub?" in mechdesign("aggregate", "r.parquet", "--post", "normsub").err
    mechdesign(*PRIVATIZE, "--oracle", "oue", "--epsilon", 1, "-o", "o.parquet", "--seed", 3)
    seen = mechdesign("aggregate", "o.parquet", "--post", "em")
    assert (seen.code, seen.err.count("\n")) == (2, 1)


def test_a_large_domain_does_not_travel_in_the_file(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.oracles.collection.clients.MOST_CHARACTERS", 10)
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("aggregate", "r.parquet")
    assert (seen.code, seen.err) == (
        2,
        "mechdesign: domain must be given for a domain that is too large to be in the files, got none\n",
    )
    assert mechdesign("aggregate", "r.parquet", "--domain", "cities.txt").code == 0
    Path("others.txt").write_text("\n".join(reversed(CITIES)))
    seen = mechdesign("aggregate", "r.parquet", "--domain", "others.txt")
    assert seen.code == 2
    assert "domain must be the one that the reports were made with, got another in others.txt" in seen.err


BAD_VALUES = {
    "outside": ("Paris", "values must be items of the domain, got another in row 4001 of values.csv\n"),
    "blank": ("", "values must be items of the domain, got a blank cell in row 4001 of values.csv\n"),
    "quote without end": ('"Cork', "file must be CSV, got values.csv: unexpected end of data in line 4002\n"),
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_values_outside_the_domain(mechdesign, name):
    value, message = BAD_VALUES[name]
    write_cities()
    with Path("values.csv").open("a") as file:
        file.write(f"9999,{value}\n")
    seen = mechdesign(*PRIVATIZE, "--oracle", "olh", "--epsilon", 1, "-o", "r.parquet")
    assert seen.code == 2
    assert message in seen.err
    assert seen.err.count("\n") == 1
    assert "Paris" not in seen.err
    assert not Path("r.parquet").exists()


BARE = {
    "one column": ("Cork\nGalway\n", []),
    "one column beside the user's": ("id,Cork\n7,Galway\n", ["--user", "id", "--memory", "m.npz"]),
    "several columns": ("7,Cork\n8,Galway\n", []),
    "a column that is not there": ("7,Cork\n8,Galway\n", ["--column", "city"]),
    "a user that is not there": ("7,Cork\n8,Galway\n", ["--column", "7", "--user", "id", "--memory", "m.npz"]),
}


@pytest.mark.parametrize("name", BARE)
def test_a_first_row_with_a_value_is_no_header(mechdesign, name):
    """Its user would be lost, or shown among the names of the columns."""
    text, options = BARE[name]
    write_cities(100)
    Path("values.csv").write_text(text)
    base = ["privatize", "--input", "values.csv", "--domain", "cities.txt", "--oracle", "dbitflip", "--epsilon", 1]
    seen = mechdesign(*base, "-o", "r.parquet", *options)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert "the first row of values.csv must be a header, got a value in it; if that is the name of" in seen.err
    assert "Cork" not in seen.err
    assert not Path("r.parquet").exists()


def test_a_column_may_be_called_like_an_item_if_one_says_so(mechdesign):
    write_cities(100)
    Path("values.csv").write_text("Cork\nGalway\n")
    base = ["privatize", "--input", "values.csv", "--domain", "cities.txt", "--oracle", "grr", "--epsilon", 1]
    assert mechdesign(*base, "-o", "r.parquet", "--column", "Cork").code == 0
    assert pq.read_table("r.parquet").num_rows == 1


BAD_REQUESTS = {
    "epsilon of 0": (["--oracle", "grr", "--epsilon", 0], "epsilon must be in (0, 200], got epsilon=0"),
    "epsilon nan": (["--oracle", "grr", "--epsilon", "nan"], "epsilon must be a decimal"),
    "negative epsilon": (["--oracle", "grr", "--epsilon", "-1"], "epsilon must be in (0, 200], got epsilon=-1"),
    "no epsilon": (["--oracle", "grr"], "exactly one of alpha and epsilon must be given, got neither"),
    "unknown oracle": (["--oracle", "olb", "--epsilon", 1], "did you mean"),
    "unknown option": (["--oracle", "grr:t=2", "--epsilon", 1], "t must not be given for grr, got t=2"),
    "option without value": (["--oracle", "grr:t", "--epsilon", 1], "options of an oracle must be NAME=VALUE"),
    "d beyond k": (["--oracle", "dbitflip:d=8", "--epsilon", 1], "d must be in 1..k, got d=8 for k=7"),
    "unknown column": (["--oracle", "grr", "--epsilon", 1, "--column", "town"], "column town must stand once"),
    "other suffix": (["--oracle", "grr", "--epsilon", 1, "-o", "r.csv"], "output must end in .parquet, got r.csv"),
    "over the input": (["--oracle", "grr", "--epsilon", 1, "--domain", "r.parquet", "-o", "r.parquet"], "output must"),
    "no domain file": (["--oracle", "grr", "--epsilon", 1, "--domain", "none.txt"], "none.txt"),
}


@pytest.mark.parametrize("name", BAD_REQUESTS)
def test_bad_requests(mechdesign, name):
    arguments, message = BAD_REQUESTS[name]
    write_cities(100)
    if name == "over the input":
        shutil.copy("cities.txt", "r.parquet")
    before = sorted(os.listdir())
    target = [] if "-o" in arguments else ["-o", "new.parquet"]
    seen = mechdesign(*PRIVATIZE, *arguments, *target)
    assert seen.code == 2, seen.err
    assert message in seen.err
    assert (seen.err.count("\n"), seen.out) == (1, "")
    assert sorted(os.listdir()) == before


BAD_DOMAINS = {
    "duplicates": ("Cork\nDublin\nCork\n", "got Cork in lines 1 and 3 of bad.txt"),
    "one item": ("Cork\n", "at least 2 items"),
    "empty": ("", "at least 2 items"),
    "blank line": ("Cork\n\nDublin\n", "got a blank line 2 in bad.txt"),
}


@pytest.mark.parametrize("name", BAD_DOMAINS)
def test_bad_domains(mechdesign, name):
    text, message = BAD_DOMAINS[name]
    write_cities(100)
    Path("bad.txt").write_text(text)
    seen = mechdesign(*PRIVATIZE[:-1], "bad.txt", "--oracle", "grr", "--epsilon", 1, "-o", "r.parquet")
    assert seen.code == 2
    assert message in seen.err
    assert not Path("r.parquet").exists()


def test_empty_input(mechdesign):
    write_cities(100)
    Path("values.csv").write_text("id,city\n")
    seen = mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 1, "-o", "r.parquet")
    assert (seen.code, seen.err) == (2, "mechdesign: the input must have at least one row, got none\n")
    assert not Path("r.parquet").exists()


def reports(mechdesign, name="r.parquet", oracle="grr", epsilon=1, users=100):
    write_cities(users)
    assert mechdesign(*PRIVATIZE, "--oracle", oracle, "--epsilon", epsilon, "-o", name, "--seed", 1).code == 0


def test_reports_of_different_makers_do_not_mix(mechdesign):
    reports(mechdesign, "a.parquet")
    reports(mechdesign, "b.parquet", epsilon=2)
    reports(mechdesign, "c.parquet", oracle="oue")
    Path("others.txt").write_text("\n".join(reversed(CITIES)))
    mechdesign(*PRIVATIZE[:-1], "others.txt", "--oracle", "grr", "--epsilon", 1, "-o", "d.parquet")
    for other, message in {
        "b.parquet": "reports in b.parquet must be made with the same parameters, got epsilon=2 beside epsilon=1",
        "c.parquet": "got oracle=oue beside oracle=grr",
        "d.parquet": "reports must be about one domain, got another one in d.parquet than in a.parquet",
        "a.parquet": "each file of reports must be given once, got a.parquet twice",
        "missing.parquet": "file must exist, got missing.parquet",
        "values.csv": "reports must be a whole Parquet file of mechdesign privatize, got values.csv",
    }.items():
        seen = mechdesign("aggregate", "a.parquet", other, "-o", "estimate.csv")
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        assert message in seen.err
        assert not Path("estimate.csv").exists()


def test_damaged_files_are_found_out(mechdesign):
    """Every byte in turn of a small file is changed: the answer is one line, or the very same estimate."""
    reports(mechdesign)
    good = Path("r.parquet").read_bytes()
    expected = mechdesign("aggregate", "r.parquet", "--json").out
    refused = 0
    for at in range(0, len(good), 67):
        bad = bytearray(good)
        bad[at] ^= 0x10
        Path("bad.parquet").write_bytes(bad)
        seen = mechdesign("aggregate", "bad.parquet", "--json")
        if seen.code == 0:
            assert seen.out == expected
        else:
            assert (seen.code, seen.err.count("\n")) == (2, 1)
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("length", [0, 3, 100, 0.5, 0.99])
def test_truncated_files(mechdesign, length):
    reports(mechdesign)
    good = Path("r.parquet").read_bytes()
    Path("r.parquet").write_bytes(good[: length if isinstance(length, int) else int(length * len(good))])
    seen = mechdesign("aggregate", "r.parquet", "-o", "estimate.csv")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert "reports must be a whole Parquet file" in seen.err
    assert not Path("estimate.csv").exists()


def test_rows_that_the_header_does_not_know(mechdesign):
    """Somebody appends a row with a general tool, and keeps the header."""
    reports(mechdesign)
    table = pq.read_table("r.parquet")
    metadata = pq.ParquetFile("r.parquet").metadata.metadata
    longer = table.take([*range(100), 0]).replace_schema_metadata({b"mechdesign": metadata[b"mechdesign"]})
    pq.write_table(longer, "longer.parquet")
    seen = mechdesign("aggregate", "longer.parquet")
    assert seen.code == 2
    assert "longer.parquet must have the 100 rows of its header, got 101" in seen.err
    swapped = table.take([1, 0, *range(2, 100)]).replace_schema_metadata({b"mechdesign": metadata[b"mechdesign"]})
    pq.write_table(swapped, "swapped.parquet")
    seen = mechdesign("aggregate", "swapped.parquet")
    assert seen.code == (0 if swapped.equals(table) else 2)
    pq.write_table(table.replace_schema_metadata(None), "bare.parquet")
    assert "got none in bare.parquet" in mechdesign("aggregate", "bare.parquet").err


def test_a_domain_that_does_not_fit_the_memory(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.oracles.fit.memory_limit", lambda: 2_420_000)
    monkeypatch.setattr("mechdesign_catalog.oracles.fit.PIECE_BYTES", 1)
    Path("domain.txt").write_text("\n".join(map(str, range(300_000))))
    Path("values.csv").write_text("city\n1\n")
    seen = mechdesign(
        *("privatize", "--input", "values.csv", "--domain", "domain.txt", "--oracle", "oue"),
        *("--epsilon", 1, "-o", "r.parquet"),
    )
    assert seen.code == 2
    assert "the domain must fit the memory" in seen.err
    assert "for oue" in seen.err
    assert "grr" in seen.err.split(";")[1]
    assert not Path("r.parquet").exists()


# Repeated collection, with a memory of permanent answers.


def write_hours(hours, users=3000):
    rows = [f"u{number},{hours[number % len(hours)]}" for number in range(users)]
    Path("hours.csv").write_text("\n".join(["user,hours", *rows]) + "\n")


MEAN = ["privatize", "--oracle", "onebitmean", "--maximum", 24, "--epsilon", 2, "--input", "hours.csv"]


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
        (["--maximum", "1e400"], "maximum must be in 1e-100..1e100, got maximum=1e400"),
        (["--maximum", "9" * 400], f"maximum must be in 1e-100..1e100, got maximum={'9' * 37}..."),
        (["--maximum", "0"], "maximum must be in 1e-100..1e100, got maximum=0"),
        (["--oracle", "grr"], "maximum goes with onebitmean, got it with grr"),
    ],
)
def test_bad_requests_of_a_mean(mechdesign, options, message):
    write_hours([1])
    seen = mechdesign(*MEAN, "--column", "hours", "-o", "r.parquet", *options)
    assert (seen.code, seen.err) == (2, f"mechdesign: {message}\n")


@pytest.mark.parametrize(
    "command",
    [
        [*MEAN, "--column", "hours"],
        [*PRIVATIZE, "--oracle", "dbitflip:d=2", "--epsilon", 1],
    ],
    ids=["onebitmean", "dbitflip"],
)
def test_memory_makes_every_round_the_same(mechdesign, command):
    write_hours([3, 9])
    write_cities(600)
    name = "user" if "hours" in command else "id"
    for round_ in ("one", "two"):
        seen = mechdesign(*command, "--user", name, "--memory", "answers.npz", "-o", f"{round_}.parquet")
        assert seen.code == 0, seen.err
        assert "SECRET" in seen.err
    assert os.stat("answers.npz").st_mode & 0o777 == 0o600
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))
    mechdesign(*command, "-o", "anew.parquet")
    assert not pq.read_table("anew.parquet").equals(pq.read_table("one.parquet"))


BAD_MEMORY = {
    "user alone": (["--user", "id"], "--user and --memory go together, got only --user"),
    "memory alone": (["--memory", "m.npz"], "--user and --memory go together, got only --memory"),
    "other oracle": (["--user", "id", "--memory", "m.npz", "--oracle", "oue"], "memory goes with dbitflip and"),
    "not a memory": (["--user", "id", "--memory", "cities.txt"], "output must not replace what is read"),
    "foreign": (
        ["--user", "id", "--memory", "foreign.npz"],
        "the memory foreign.npz must be made with the same parameters",
    ),
    "damaged": (["--user", "id", "--memory", "damaged.npz"], "got damaged.npz (cut off, changed, or"),
    "same file": (["--user", "id", "--memory", "new.parquet"], "output must not"),
}


@pytest.mark.parametrize("name", BAD_MEMORY)
def test_bad_memory(mechdesign, name):
    arguments, message = BAD_MEMORY[name]
    write_cities(200)
    base = [*PRIVATIZE, "--epsilon", 1, "-o", "new.parquet"]
    mechdesign(*base, "--oracle", "dbitflip:d=3", "--user", "id", "--memory", "foreign.npz")
    Path("damaged.npz").write_bytes(Path("foreign.npz").read_bytes()[:200])
    if name != "same file":
        Path("new.parquet").unlink()
    before = {path: path.read_bytes() for path in Path().iterdir()}
    oracle = [] if "--oracle" in arguments else ["--oracle", "dbitflip:d=2"]
    seen = mechdesign(*base, *oracle, *arguments)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert message in seen.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_user_stands_once_in_a_round(mechdesign):
    write_cities(100)
    with Path("values.csv").open("a") as file:
        file.write("3,Cork\n")
    remembered = ["--user", "id", "--memory", "m.npz", "-o", "r.parquet"]
    seen = mechdesign(*PRIVATIZE, "--epsilon", 1, "--oracle", "dbitflip:d=2", *remembered)
    assert seen.code == 2
    assert "users must stand once in a round, got that of row 4 again in row 101 of values.csv" in seen.err
    assert not Path("r.parquet").exists()
    assert not Path("m.npz").exists()


# A mechanism that was designed here, as an oracle.


def fano_loss(k=7, block=(1, 2, 4)):
    """An output is right for the items of its block: a symmetric block design, any two items in one block together."""
    rows = [[0 if (item - output) % k in block else 1 for item in range(k)] for output in range(k)]
    Path("blocks.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))


def test_a_design_of_ones_own_is_an_oracle(mechdesign):
    truth = write_cities()
    fano_loss()
    mechdesign("solve", "--model", "ldp", "--k", 7, "--epsilon", "1/2", "--loss", "blocks.csv", "-o", "fano.json")
    made = mechdesign(*PRIVATIZE, "--oracle", "fano.json", "-o", "r.parquet", "--seed", 1)
    assert made.code == 0, made.err
    assert "each 0.5-LDP by itself" in made.err
    rows = json.loads(mechdesign("aggregate", "r.parquet", "--json").out)["items"]
    assert all(
        abs(row["frequency"] - share) < 4 * row["standard_error"] for row, share in zip(rows, truth, strict=True)
    )
    seen = mechdesign(*PRIVATIZE, "--oracle", "fano.json", "--epsilon", "2/5", "-o", "no.parquet")
    assert (seen.code, seen.err) == (2, "mechdesign: mechanism must have a loss of at most 0.4, got 0.5\n")
    rows = json.loads(
        mechdesign(
            *("compare-oracles", "--data", "titanic:class", "--epsilon", "1/2", "--json"),
            *("--oracles", "grr,design:none:L0", "--metric", "mse"),
        ).out
    )["rows"]
    assert rows[0]["expected"] == pytest.approx(rows[1]["expected"], rel=1e-12)


def test_a_design_for_another_number_of_items(mechdesign):
    write_cities(100)
    mechdesign("solve", "--model", "ldp", "--k", 5, "--epsilon", 1, "-o", "five.json")
    seen = mechdesign(*PRIVATIZE, "--oracle", "five.json", "-o", "r.parquet")
    assert seen.code == 2
    assert "mechanism must have k = 7 items, got 5 in five.json" in seen.err


def test_a_singular_design_is_refused_with_its_rank(mechdesign):
    write_cities(100)
    seen = mechdesign(*PRIVATIZE, "--oracle", "design:none:L2", "--epsilon", "1/2", "-o", "r.parquet")
    assert seen.code == 2
    assert "mechanism must be invertible, got rank" in seen.err


def test_items_with_brackets_are_printed_as_they_are(mechdesign):
    """Rich would take them for markup: a closing tag without an opening one stops it."""
    Path("d.txt").write_text("[/x]\n[bold]\n[red]y[/red]\n")
    Path("v.csv").write_text("item\n" + "[bold]\n" * 50 + "[/x]\n[red]y[/red]\n")
    made = mechdesign(
        "privatize", "--oracle", "grr", "--epsilon", 9, "--input", "v.csv", "--domain", "d.txt", "-o", "r.parquet"
    )
    assert made.code == 0, made.err
    seen = mechdesign("aggregate", "r.parquet", "-o", "e.csv", "--plot", "e.png")
    assert seen.code == 0, seen.err
    for name in ("[/x]", "[bold]", "[red]y[/red]"):
        assert any(line.startswith(f"{name} ") for line in seen.out.splitlines())
    seen = mechdesign(
        *("compare-oracles", "--input", "v.csv", "--column", "item", "--domain", "d.txt", "--epsilon", 1),
    )
    assert seen.code == 0, seen.err


BAD_OPTIONS = {
    "size of 0": ("ss:size=0", "size must be a whole number from 1 to 6, got size=0"),
    "given twice": ("hrr:t=2:t=3", "options of an oracle must be given once, got t twice"),
    "commas": ("rappor:p=0.5,q=0.75", "each after a colon (rappor:p=1/4:q=3/4)"),
    "no coefficient": ("hrr:t=0", "t must be"),
    "size of all": ("ss:size=7", "size must be a whole number from 1 to 6, got size=7"),
    "one probability": ("rappor:p=1/4", "must have both p and q"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options_of_oracles(mechdesign, name):
    text, message = BAD_OPTIONS[name]
    write_cities(100)
    seen = mechdesign(*PRIVATIZE, "--oracle", text, "--epsilon", 1, "-o", "r.parquet")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert message in seen.err
