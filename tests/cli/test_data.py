"""`mechdesign data`, and the same options in `mechdesign release`, as a user runs them."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import adult_file
import pooch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import check_wording

from mechdesign.documents import csv_rows
from mechdesign_catalog.datasets.counts import HISTOGRAMS
from mechdesign_catalog.datasets.counts.adult import ADULT
from mechdesign_cli.showing.pictures import MAX_LINES, histogram_lines

ABOUT = {"name", "title", "size", "source", "licence", "obtained", "address"}
KEYS = ABOUT | {"kind", "n", "opened_as", "here", "fetch"}


@pytest.fixture
def adult(mechdesign, monkeypatch):
    """The folder has a generated file that is right by its checksum, and the variable names the folder."""
    Path("adult.data").write_bytes(adult_file.content())
    monkeypatch.setitem(ADULT, "adult", adult_file.published(adult_file.content()))
    monkeypatch.setenv("MECHDESIGN_DATA", ".")
    return mechdesign


def read_counts(path):
    return [int(row["count"]) for row in csv.DictReader(Path(path).read_text().splitlines())]


def test_the_list(mechdesign):
    sets = json.loads(mechdesign("data", "--json").out)["sets"]
    assert all(set(entry) == KEYS for entry in sets)
    assert {entry["name"]: entry["size"] for entry in sets[:4]} == {
        "adult": "32,561 people, any n",
        "adult-test": "16,281 people, any n",
        "saxony": "6,115 families, n = 12",
        "weldon": "26,306 throws, n = 12",
    }
    assert sets[0]["address"].endswith("/adult.data")
    text = " ".join(mechdesign("data").out.split())
    for entry in sets:
        assert " ".join(entry["title"].split()) in text
        assert entry["licence"] in text


def test_the_list_says_what_is_on_this_machine(mechdesign, monkeypatch, tmp_path):
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setenv("MECHDESIGN_DATA", str(tmp_path))

    def listed():
        return {entry["name"]: entry for entry in json.loads(mechdesign("data", "--json").out)["sets"]}

    before = listed()
    missing = {name for name, entry in before.items() if entry["fetch"]}
    assert missing == {
        *("adult", "adult-test", "adult:ATTRIBUTE", "nursery:ATTRIBUTE"),
        *("adult:age", "adult:hours-per-week", "adult:capital-gain"),
    }
    assert before["adult"]["fetch"] == "mechdesign data adult"
    assert not any(before[name]["here"] for name in missing)
    assert (before["saxony"]["here"], before["saxony"]["n"], before["saxony"]["kind"]) == (True, 12, "counts")
    assert (before["ms-fimu"]["here"], before["ms-fimu"]["fetch"]) == (False, None)
    assert {entry["kind"] for entry in before.values()} == {"counts", "items"}
    Path("adult.data").write_text("not read for the list")
    assert {name for name, entry in listed().items() if entry["fetch"]} == missing - {"adult"}
    assert "on this machine" in mechdesign("data").out


@pytest.mark.slow
def test_every_name_of_the_list_opens(mechdesign):
    for entry in json.loads(mechdesign("data", "--json").out)["sets"]:
        if entry["here"] and not entry["name"].startswith(("commuting", "checkins", "timeseries")):
            seen = mechdesign("data", entry["opened_as"], "--json")
            assert seen.code == 0, entry["name"]
            found = json.loads(seen.out)
            assert ("histogram" in found) == (entry["kind"] == "counts") or entry["opened_as"] == "uniform"
            assert entry["n"] in (None, found.get("n"))


def test_offline_nothing_is_fetched(mechdesign, monkeypatch, tmp_path):
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", lambda *_: pytest.fail("fetched"))
    monkeypatch.delenv("MECHDESIGN_DATA", raising=False)
    monkeypatch.setenv("MECHDESIGN_OFFLINE", "1")
    seen = mechdesign("data", "adult")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert not Path("cache").exists()


@pytest.mark.parametrize("columns", [80, 200])
def test_one_set_fits_the_terminal(mechdesign, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    seen = mechdesign("data", "saxony")
    assert (seen.code, seen.err) == (0, "")
    lines = seen.out.splitlines()
    assert max(map(len, lines)) <= columns
    bars = lines[-13:]
    assert [int(line.split()[1]) for line in bars] == list(HISTOGRAMS["saxony"].groups)
    assert max(map(len, bars)) == len(bars[6]) == 80
    assert "mean 6.2306 of 12, a share of 0.5192" in " ".join(seen.out.split())


def test_one_set_as_json(mechdesign):
    found = json.loads(mechdesign("data", "weldon", "--json").out)
    assert (found["data"], found["n"], found["groups"], found["people"], found["dropped"]) == (
        *("weldon", 12, 26306, 315_672, 0),
    )
    assert found["histogram"] == list(HISTOGRAMS["weldon"].groups)
    assert found["mean"] == pytest.approx(106_602 / 26306)
    assert found["share"] == pytest.approx(106_602 / 315_672)
    assert set(found["about"]) == ABOUT


def test_people_left_out_are_said(adult):
    seen = adult("data", "adult", "--target", "sex", "--n", 2, "--output", "counts.csv", "--json")
    assert seen.code == 0
    check_wording(seen.err)
    assert read_counts("counts.csv") == [1, 2]
    found = json.loads(seen.out)
    assert (found["data"], found["histogram"], found["dropped"]) == ("adult, sex", [0, 1, 1], 1)
    assert "people 4, and 1 left out" in " ".join(adult("data", "adult", "--n", 2).out.split())
    check_wording(adult("data", "uniform", "--people", 11).err)


def test_the_default_size_and_target(adult):
    seen = adult("data", "adult")
    assert seen.code == 2
    check_wording(seen.err)
    assert json.loads(adult("data", "uniform", "--json").out)["n"] == 8
    assert json.loads(adult("data", "saxony", "--json").out)["n"] == 12


def test_histograms_are_written_in_random_order(mechdesign):
    assert mechdesign("data", "saxony", "-o", "a.csv", "--seed", 1).code == 0
    mechdesign("data", "saxony", "-o", "b.csv", "--seed", 1)
    mechdesign("data", "saxony", "-o", "c.csv")
    a, b, c = map(read_counts, ("a.csv", "b.csv", "c.csv"))
    assert a == b != c != sorted(c)
    assert sorted(a) == sorted(c)


def test_synthetic_data_repeat(mechdesign):
    options = ("data", "binomial:0.3", "--n", 5, "--people", 200, "--json")
    first = mechdesign(*options, "--seed", 7).out
    assert first == mechdesign(*options, "--seed", 7).out != mechdesign(*options, "--seed", 8).out
    assert sum(json.loads(first)["histogram"]) == 40


def test_a_file_of_ones_own(mechdesign):
    Path("people.csv").write_text("home,sick\nA,1\nB,0\nA,1\nB,0\nC,1\nC,0\n")
    by_home = mechdesign("data", "--input", "people.csv", "--bit", "sick", "--group", "home", "-o", "homes.csv")
    assert by_home.code == 0
    assert read_counts("homes.csv") == [2, 0, 1]
    by_rows = mechdesign("data", "--input", "people.csv", "--bit", "sick", "--group-size", 3, "--json")
    assert json.loads(by_rows.out)["histogram"] == [0, 1, 1, 0]
    direct = mechdesign("data", "--input", "homes.csv", "--n", 2, "--json")
    assert json.loads(direct.out)["histogram"] == [1, 1, 1]
    wrong = mechdesign("data", "--input", "people.csv", "--bit", "sick", "--group-size", 3, "--n", 2)
    check_wording(wrong.err)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plots(mechdesign, suffix):
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    seen = mechdesign("data", "weldon", "--plot", f"w.{suffix}")
    assert (seen.code, seen.err) == (0, f"wrote w.{suffix}\n")
    assert Path(f"w.{suffix}").read_bytes().startswith(starts[suffix])


def test_what_data_writes_release_reads(adult):
    adult("solve", "--n", 2, "--alpha", "0.5", "-o", "m.json")
    adult("data", "adult", "--n", 2, "-o", "counts.csv")
    from_table = adult("release", "--input", "counts.csv", "--mechanism", "m.json", "-o", "a.csv", "--seed", 3)
    from_data = adult("release", "--data", "adult", "--mechanism", "m.json", "-o", "b.csv", "--seed", 3)
    assert (from_table.code, from_data.code) == (0, 0)
    assert Path("a.csv").read_text() == Path("b.csv").read_text()


def test_release_of_people_in_file_order(adult):
    adult("solve", "--n", 2, "--alpha", "0.5", "-o", "m.json")
    seen = adult(
        *("release", "--data", "adult", "--target", "age", "--data-dir", ".", "--mechanism", "m.json"),
        *("--keep-true", "-o", "r.csv"),
    )
    assert seen.code == 0
    assert "1 person of a last, incomplete group of adult, age left out" in seen.err
    assert "2 counts were released" in seen.err
    assert read_counts("r.csv") == [1, 1]


def test_a_wrong_file_is_one_line(adult):
    Path("adult.data").write_bytes(b"wrong")
    seen = adult("data", "adult")
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert sorted(path.name for path in Path().iterdir()) == ["adult.data.wrong-checksum"]


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=400).filter(any), st.integers(40, 300), st.booleans())
def test_histograms_fit_and_lose_no_group(histogram, width, blocks):
    lines = histogram_lines(histogram, width, blocks)
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= min(width, 80)
    assert sum(int(line.split()[1]) for line in lines) == sum(histogram)
    assert all((len(line.split()) == 3) == (line.split()[1] != "0") for line in lines)
    assert blocks or all(ord(letter) < 128 for line in lines for letter in line)


def test_bars_are_to_scale():
    assert histogram_lines([4, 2, 1, 0, 3], 12) == ["0  4  ██████", "1  2  ███", "2  1  █▌", "3  0", "4  3  ████▌"]
    assert histogram_lines([4, 2], 12, blocks=False) == ["0  4  ######", "1  2  ###"]
    shared = histogram_lines([0, *[1] * 81, 0], 80)
    assert [line.split()[0] for line in (shared[0], shared[-1])] == ["1-3", "79-81"]
    assert len(shared) == 27


def test_a_terminal_without_block_characters(mechdesign, monkeypatch):
    import io

    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    mechdesign("data", "saxony")
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    assert "#####" in text


@pytest.mark.slow
def test_a_reader_who_has_seen_enough_is_no_error():
    arguments = [sys.executable, "-m", "mechdesign_cli", "data", "saxony"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(arguments, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_line_without_an_end(mechdesign, monkeypatch):
    monkeypatch.setattr(csv_rows, "LONGEST_LINE", 1000)
    Path("long.csv").write_text("bit\n" + "1" * 2000)
    seen = mechdesign("data", "--input", "long.csv", "--bit", "bit")
    assert seen.code == 2
    check_wording(seen.err)


def test_the_list_tells_which_files_are_on_this_machine(adult):
    told = " ".join(adult("data").out.split())
    here, others = told[told.index("adult people") :].split(" adult-test ", 1)[0], told[told.index(" saxony ") :]
    assert "; on this machine" in here
    assert "on this machine" not in others.split(" to get it ", 2)[1]


def test_terminals_that_know_blocks_get_them(mechdesign):
    assert "\N{FULL BLOCK}" in mechdesign("data", "saxony").out
