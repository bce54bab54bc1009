"""`mechdesign aggregate`: reports that add up, and files that are not what they say."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from local_reports import CITIES, PRIVATIZE, USERS, make_reports, write_cities


@pytest.mark.slow
def test_files_of_several_days_add_up(mechdesign):
    write_cities()
    for day in (1, 2):
        mechdesign(*PRIVATIZE, "--oracle", "oue", "--epsilon", 1, "-o", f"day{day}.parquet", "--seed", day)
    both = json.loads(mechdesign("aggregate", "day1.parquet", "day2.parquet", "--json").out)
    one, two = (json.loads(mechdesign("aggregate", f"day{day}.parquet", "--json").out) for day in (1, 2))
    assert both["users"] == 2 * USERS
    for row, first, second in zip(both["items"], one["items"], two["items"], strict=True):
        assert row["frequency"] == pytest.approx((first["frequency"] + second["frequency"]) / 2, abs=1e-12)


def test_report_on_a_terminal(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("aggregate", "r.parquet")
    lines = seen.out.splitlines()
    assert lines[0] == f"{USERS:,} reports of grr, 7 items, epsilon = 4"
    assert lines[2].startswith("Dublin ")
    assert lines.count("+-: one standard error") == 1
    assert "the reports were seeded with 3: a simulation" in seen.err


@pytest.mark.slow
def test_post_processing_is_done_when_asked_for(mechdesign):
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", "1/2", "-o", "r.parquet", "--seed", 3)
    raw = json.loads(mechdesign("aggregate", "r.parquet", "--json").out)
    assert raw["post"] == "raw"
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
    monkeypatch.setattr("mechdesign_catalog.collection.clients.encoders.MOST_CHARACTERS", 10)
    write_cities()
    mechdesign(*PRIVATIZE, "--oracle", "grr", "--epsilon", 4, "-o", "r.parquet", "--seed", 3)
    seen = mechdesign("aggregate", "r.parquet")
    assert (seen.code, seen.err) == (
        2,
        "mechdesign: --domain must be given for a domain that is too large to be in the files, got none\n",
    )
    assert mechdesign("aggregate", "r.parquet", "--domain", "cities.txt").code == 0
    Path("others.txt").write_text("\n".join(reversed(CITIES)))
    seen = mechdesign("aggregate", "r.parquet", "--domain", "others.txt")
    assert seen.code == 2
    assert "domain must be the one that the reports were made with, got another in others.txt" in seen.err


def test_reports_of_different_makers_do_not_mix(mechdesign):
    make_reports(mechdesign, "a.parquet")
    make_reports(mechdesign, "b.parquet", epsilon=2)
    make_reports(mechdesign, "c.parquet", oracle="oue")
    Path("others.txt").write_text("\n".join(reversed(CITIES)))
    mechdesign(*PRIVATIZE[:-1], "others.txt", "--oracle", "grr", "--epsilon", 1, "-o", "d.parquet")
    for other, message in {
        "b.parquet": "reports in b.parquet must be made with the same parameters, "
        "got privacy=epsilon=2 beside privacy=epsilon=1",
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
    make_reports(mechdesign)
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
    make_reports(mechdesign)
    good = Path("r.parquet").read_bytes()
    Path("r.parquet").write_bytes(good[: length if isinstance(length, int) else int(length * len(good))])
    seen = mechdesign("aggregate", "r.parquet", "-o", "estimate.csv")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert "reports must be a whole Parquet file" in seen.err
    assert not Path("estimate.csv").exists()


def test_rows_that_the_header_does_not_know(mechdesign):
    """Somebody appends a row with a general tool, and keeps the header."""
    make_reports(mechdesign)
    table = pq.read_table("r.parquet")
    metadata = {
        name: pq.ParquetFile("r.parquet").metadata.metadata[name] for name in (b"mechdesign", b"mechdesign.task")
    }
    longer = table.take([*range(100), 0]).replace_schema_metadata(metadata)
    pq.write_table(longer, "longer.parquet")
    seen = mechdesign("aggregate", "longer.parquet")
    assert seen.code == 2
    assert "longer.parquet must have the 100 rows of its header, got 101" in seen.err
    swapped = table.take([1, 0, *range(2, 100)]).replace_schema_metadata(metadata)
    pq.write_table(swapped, "swapped.parquet")
    seen = mechdesign("aggregate", "swapped.parquet")
    assert seen.code == (0 if swapped.equals(table) else 2)
    pq.write_table(table.replace_schema_metadata(None), "bare.parquet")
    assert "got none in bare.parquet" in mechdesign("aggregate", "bare.parquet").err


@pytest.mark.slow
def test_many_rare_items_are_not_discovered(mechdesign):
    """500 items of which 3 are common: some others look large, and are not among those above noise."""
    items = [f"item{number}" for number in range(500)]
    values = ["item7"] * 4000 + ["item99"] * 3000 + ["item250"] * 2000 + [f"item{number}" for number in range(500)] * 4
    Path("values.csv").write_text("\n".join(["item", *values]) + "\n")
    Path("items.txt").write_text("\n".join(items) + "\n")
    made = [
        "privatize",
        "--oracle",
        "oue",
        "--epsilon",
        1,
        "--input",
        "values.csv",
        "--domain",
        "items.txt",
        "--seed",
        1,
    ]
    assert mechdesign(*made, "-o", "r.parquet").code == 0
    found = json.loads(mechdesign("aggregate", "r.parquet", "--json", "--post", "norm-sub", "-o", "e.csv").out)
    assert (found["simultaneous"], found["above_noise"]) == ("sidak", ["item7", "item99", "item250"])
    assert sum(row["low"] > 0 for row in found["items"]) > 5
    assert all(row["low_all"] < row["low"] < row["estimate"] < row["high"] < row["high_all"] for row in found["items"])
    seen = mechdesign("aggregate", "r.parquet")
    assert seen.out.endswith("above noise, for all 500 items together at 95 %: 3 (item7, item99, item250)\n")
    assert "for all items" in seen.out.splitlines()[1]
    make_reports(mechdesign, "few.parquet", epsilon="1/100")
    assert mechdesign("aggregate", "few.parquet").out.endswith("for all 7 items together at 95 %: none\n")
