"""`mechdesign local privatize`: items, bins and numbers of people become reports, once, or nothing does."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from local_reports import CITIES, MEAN, PRIVATIZE, USERS, write_cities, write_hours
from wording import check_wording

from mechdesign_catalog.collection.reports.report_files import read_header, read_reports

PEOPLE = ["local", "privatize", "--oracle", "grr", "--epsilon", 40, "--input", "people.csv", "-o", "r.parquet"]
"""Reports that are the values themselves, but for less than one in 10^15."""

REMEMBERED = ["--memory", "m.db", "--round", "one", "--oracle", "dbitflip", "--user"]


def reported():
    return np.concatenate([piece.columns["item"] for piece in read_reports(Path("r.parquet"))]).tolist()


def test_reports_without_a_seed_differ(mechdesign):
    write_cities()
    for name in ("a", "b"):
        mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 1, "-o", f"{name}.parquet")
    assert pq.read_table("a.parquet") != pq.read_table("b.parquet")


def test_a_second_draw_of_real_reports_is_asked_for(mechdesign):
    """As of releases: what was drawn stays, and nothing is drawn, unless a person wants both."""
    write_cities()
    command = (*PRIVATIZE, "--oracle", "grr", "--epsilon", 1, "-o", "a.parquet")
    assert mechdesign(*command).code == 0
    before = Path("a.parquet").read_bytes()
    Path("values.csv").rename("moved.csv")  # refused before a value is read
    seen = mechdesign(*command)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert Path("a.parquet").read_bytes() == before
    Path("moved.csv").rename("values.csv")
    assert mechdesign(*command, "--replace").code == 0
    assert Path("a.parquet").read_bytes() != before
    for _ in range(2):  # a simulation spends nothing
        assert mechdesign(*command, "--replace", "--seed", 1).code == 0
        assert mechdesign(*command, "--seed", 1).code == 0


def test_a_column_may_be_called_like_an_item_if_one_says_so(mechdesign):
    write_cities(100)
    Path("values.csv").write_text("Cork\nGalway\n")
    base = ["local", "privatize", "--input", "values.csv", "--domain", "cities.txt", "--oracle", "grr", "--epsilon", 1]
    assert mechdesign(*base, "-o", "r.parquet", "--column", "Cork").code == 0
    assert pq.read_table("r.parquet").num_rows == 1


ROWS = {
    "values.csv": [f"1,{CITIES[0]}"] * 4000,
    "people.csv": ["30,2020-01-01", "119.99,2020-01-01"],
    "hours.csv": ["1"] * 70_000,  # beyond the rows that are read at once
}
HEADERS = {"values.csv": "id,city", "people.csv": "age,day", "hours.csv": "hours"}
AGES = [*PEOPLE, "--column", "age", "--bins", "0:120:1"]
BAD_ROWS = [
    (PRIVATIZE, "values.csv", "9999,Paris"),
    (PRIVATIZE, "values.csv", "9999,"),
    (PRIVATIZE, "values.csv", '9999,"Cork'),
    (AGES, "people.csv", "120,2020-01-01"),
    (MEAN, "hours.csv", "24.5"),
    (MEAN, "hours.csv", "2_4"),
]  # fmt: skip


def test_a_bad_value_is_named_by_its_row_alone(mechdesign):
    write_cities()
    for command, name, row in BAD_ROWS:
        Path(name).write_text("\n".join([HEADERS[name], *ROWS[name], row]) + "\n")
        oracle = [] if "--oracle" in command else ["--oracle", "olh", "--epsilon", 1]
        seen = mechdesign(*command, *oracle, "-o", "r.parquet")
        assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), row
        check_wording(seen.err)
        assert "Paris" not in seen.err
        assert not Path("r.parquet").exists()


def test_values_beyond_are_clipped_if_asked_and_never_counted(mechdesign):
    said = []
    for rows in ("30,120,-1", "30,31,32"):
        Path("people.csv").write_text("\n".join(["age", *rows.split(",")]) + "\n")
        seen = mechdesign(*AGES, "--beyond", "clip", "--replace")
        assert seen.code == 0, seen.err
        said.append((seen.err, reported()))
    assert said[0][0] == said[1][0]
    assert [found for _, found in said] == [[30, 119, 0], [30, 31, 32]]


CITY = ["--input", "values.csv", "--domain", "cities.txt"]
ANSWERS = ["local", "privatize", "--epsilon", 1, *CITY, "-o", "r.parquet"]
NO_HEADER = [
    ([*ANSWERS, "--oracle", "grr"], "Cork\nGalway\n"),
    ([*ANSWERS, *REMEMBERED, "id"], "id,Cork\n7,Galway\n"),
    ([*ANSWERS, *REMEMBERED, "id", "--column", "7"], "7,Cork\n8,Galway\n"),
    ([*ANSWERS, "--oracle", "grr", "--column", "city"], "7,Cork\n8,Galway\n"),
    ([*ANSWERS[:4], "--oracle", "grr", "--input", "values.csv", "--bins", "0:120:1", "-o", "r.parquet"], "41\n7\n"),
    ([*MEAN[:-1], "values.csv", "-o", "r.parquet"], "3.5\n4\n"),
]


def test_a_first_row_with_a_value_is_no_header(mechdesign):
    """Its user would be lost, or shown among the names of the columns."""
    write_cities(100)
    for command, text in NO_HEADER:
        Path("values.csv").write_text(text)
        seen = mechdesign(*command)
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        check_wording(seen.err)
        assert not any(value in seen.err for value in ("Cork", "41", "3.5"))
        assert not Path("r.parquet").exists()


def test_a_file_of_no_rows_has_nobody(mechdesign):
    write_cities(100)
    Path("values.csv").write_text("id,city\n")
    for oracle in (["--oracle", "grr", "--epsilon", 1], [*REMEMBERED, "id", "--epsilon", 1]):
        seen = mechdesign(*PRIVATIZE, *oracle, "-o", "r.parquet")
        assert seen.code == 2
        check_wording(seen.err)
        assert not Path("r.parquet").exists()


BAD_REQUESTS = [
    ["--oracle", "olb", "--epsilon", 1],
    ["--oracle", "grr", "--epsilon", 1, "--column", "town"],
    ["--oracle", "grr", "--epsilon", 1, "-o", "r.csv"],
    ["--oracle", "grr", "--epsilon", 1, "--domain", "r.parquet", "-o", "r.parquet"],
    ["--oracle", "grr", "--epsilon", 1, "--bins", "0:9:1"],
    ["--oracle", "grr", "--epsilon", 1, "--columns", "id,city"],
]


def test_bad_requests_write_nothing(mechdesign):
    write_cities(100)
    Path("r.parquet").write_bytes(Path("cities.txt").read_bytes())
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    for arguments in BAD_REQUESTS:
        seen = mechdesign(*PRIVATIZE, *arguments, *([] if "-o" in arguments else ["-o", "new.parquet"]))
        assert (seen.code, seen.err.count("\n"), seen.out) == (2, 1, ""), seen.err
        check_wording(seen.err)
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.slow
def test_a_domain_that_does_not_fit_the_memory(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.memory_limit", lambda: 2_420_000)
    monkeypatch.setattr("mechdesign_catalog.systems.memory_needs.PIECE_BYTES", 1)
    Path("domain.txt").write_text("\n".join(map(str, range(300_000))))
    Path("values.csv").write_text("city\n1\n")
    seen = mechdesign(
        *("local", "privatize", "--input", "values.csv", "--domain", "domain.txt", "--oracle", "oue"),
        *("--epsilon", 1, "-o", "r.parquet"),
    )
    assert seen.code == 2
    check_wording(seen.err)
    assert "grr" in seen.err.split(";")[1]
    assert not Path("r.parquet").exists()


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
    check_wording(made.err)
    rows = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)["items"]
    assert all(
        abs(row["frequency"] - share) < 4 * row["standard_error"] for row, share in zip(rows, truth, strict=True)
    )
    seen = mechdesign(*PRIVATIZE, "--oracle", "fano.json", "--epsilon", "2/5", "-o", "no.parquet")
    assert seen.code == 2
    check_wording(seen.err)
    rows = json.loads(
        mechdesign(
            *("local", "compare", "--data", "titanic:class", "--epsilon", "1/2", "--json"),
            *("--oracles", "grr,design:none:L0", "--metric", "mse"),
        ).out
    )["rows"]
    assert rows[0]["expected"] == pytest.approx(rows[1]["expected"], rel=1e-12)


def test_a_document_says_what_is_spent_and_nothing_of_the_values(mechdesign):
    write_cities()
    made = mechdesign(*PRIVATIZE, "--oracle", "olh", "--epsilon", 2, "-o", "reports.parquet", "--json")
    assert made.code == 0, made.err
    found = json.loads(made.out)
    assert (found["file"], found["reports"], found["oracle"], found["seed"]) == ("reports.parquet", USERS, "olh", None)
    assert found["actual_epsilon"] <= found["epsilon"] == 2
    assert found["loss_of_two_runs"] == 2 * found["actual_epsilon"]
    assert found["keeps_claim"] is True
    assert not any(city in made.out for city in CITIES)
    check_wording(made.err)


def test_bins_travel_by_their_edges_and_a_memory_keeps_answers_about_them(mechdesign):
    Path("people.csv").write_text("user,age,day\nann,30,2020-02-29\nbob,119.99,2020-12-31\n")
    weeks = ["--column", "day", "--bins", "2020-01-01:2021-01-01:7d"]
    seen = mechdesign(*PEOPLE, *weeks)
    assert (seen.code, seen.out) == (0, ""), seen.err
    check_wording(seen.err)
    assert reported() == [8, 52]
    task = read_header(Path("r.parquet")).task
    assert (task.bins, task.ordered, task.items) == (("2020-01-01:2021-01-01:7d",), True, None)
    base = [*PEOPLE[:2], "--epsilon", 1, "--input", "people.csv", "--column", "age", *REMEMBERED, "user"]
    for day in ("one", "two"):
        seen = mechdesign(*base, "--bins", "0:120:10", "--round", day, "-o", f"{day}.parquet")
        assert seen.code == 0, seen.err
        assert "shorter" not in seen.err
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))
    seen = mechdesign(*base, "--bins", "0:120:20", "--round", "three", "-o", "three.parquet")
    assert (seen.code, seen.err.count("\n")) == (2, 1)


def test_the_mean_of_numbers(mechdesign):
    write_hours([1, 2.5, 8.25])
    made = mechdesign(*MEAN, "--column", "hours", "-o", "r.parquet", "--seed", 4)
    assert made.code == 0, made.err
    seen = mechdesign("local", "aggregate", "r.parquet", "--json", "-o", "mean.csv")
    assert seen.code == 0, seen.err
    found = json.loads(seen.out)
    assert abs(found["mean"] - 11.75 / 3) < 4 * found["standard_error"]
    assert found["low"] < found["mean"] < found["high"]
    assert Path("mean.csv").read_text() == f"mean,standard_error\n{found['mean']!r},{found['standard_error']!r}\n"
    assert mechdesign("local", "aggregate", "r.parquet").out.startswith("3,000 reports of onebitmean, numbers in 0..24")
    seen = mechdesign("local", "aggregate", "r.parquet", "--plot", "mean.png")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.fixture
def collected(mechdesign):
    assert (
        mechdesign("local", "design", "--k", 4, "--epsilon", 1, "--workload", "prefixes", "-q", "-o", "d.json").code
        == 0
    )
    Path("items.txt").write_text("a\nb\nc\nd\n")
    Path("v.csv").write_text("x\n" + "a\n" * 40)
    return ("--input", "v.csv", "--column", "x", "--domain", "items.txt", "--ordered")


def test_a_design_says_the_epsilon_that_it_has(mechdesign, collected):
    made = mechdesign("local", "privatize", "--oracle", "d.json", "--epsilon", 2, *collected, "-o", "r.parquet")
    assert made.code == 0
    check_wording(made.err)
    for options in ((), ("--epsilon", 1)):
        same = mechdesign(
            "local", "privatize", "--oracle", "d.json", *options, *collected, "-o", "s.parquet", "--replace"
        )
        assert (same.code, "the design was made for" in same.err) == (0, False)
    task = ("local", "task", "new", "--oracle", "d.json", "--domain", "items.txt", "--ordered", "-o", "t.json")
    check_wording(mechdesign(*task, "--epsilon", 2).err)
    assert (
        mechdesign("local", "privatize", "--oracle", "d.json", "--epsilon", "0.5", *collected, "-o", "u.parquet").code
        == 2
    )


def test_negative_shares_are_explained(mechdesign, collected):
    note = "negative: noise around a share near 0; see --post"
    made = mechdesign(
        "local", "privatize", "--oracle", "grr", "--epsilon", 1, *collected, "--seed", 3, "-o", "r.parquet"
    )
    assert made.code == 0
    plain = mechdesign("local", "aggregate", "r.parquet").out
    assert "-0." in plain
    assert note in plain
    assert note not in mechdesign("local", "aggregate", "r.parquet", "--post", "norm-sub").out
