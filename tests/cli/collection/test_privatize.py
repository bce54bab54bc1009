"""`mechdesign privatize` and `mechdesign aggregate`, the pair that is deployed: values in, frequencies out."""

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from local_reports import CITIES, PRIVATIZE, USERS, write_cities

from mechdesign_catalog.oracles import ORACLES


@pytest.mark.slow
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
    assert list(rows[0])[:3] == ["item", "frequency", "standard_error"]
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
    assert (seen.code, seen.out, seen.err) == (
        2,
        "",
        "mechdesign: --output must be a new file, got a.parquet: what is there would be lost, and a second draw of the "
        "same people spends epsilon again; take another --output, or give --replace\n",
    )
    assert Path("a.parquet").read_bytes() == before
    Path("moved.csv").rename("values.csv")
    assert mechdesign(*command, "--replace").code == 0
    assert Path("a.parquet").read_bytes() != before
    for _ in range(2):  # a simulation spends nothing
        assert mechdesign(*command, "--replace", "--seed", 1).code == 0
        assert mechdesign(*command, "--seed", 1).code == 0


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
    "one column beside the user's": ("id,Cork\n7,Galway\n", ["--user", "id", "--memory", "m.db", "--round", "one"]),
    "several columns": ("7,Cork\n8,Galway\n", []),
    "a column that is not there": ("7,Cork\n8,Galway\n", ["--column", "city"]),
    "a user that is not there": (
        "7,Cork\n8,Galway\n",
        ["--column", "7", "--user", "id", "--memory", "m.db", "--round", "one"],
    ),
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
    "epsilon of 0": (["--oracle", "grr", "--epsilon", 0], "epsilon must be in (0, 200], got 0"),
    "epsilon nan": (["--oracle", "grr", "--epsilon", "nan"], "epsilon must be a decimal"),
    "negative epsilon": (["--oracle", "grr", "--epsilon", "-1"], "epsilon must be in (0, 200], got -1"),
    "no epsilon": (["--oracle", "grr"], "give --alpha or --epsilon, got neither"),
    "unknown oracle": (["--oracle", "olb", "--epsilon", 1], "did you mean"),
    "unknown option": (["--oracle", "grr:t=2", "--epsilon", 1], "t must not be given for grr, got t=2"),
    "option without value": (["--oracle", "grr:t", "--epsilon", 1], "options of an oracle must be NAME=VALUE"),
    "d beyond k": (["--oracle", "dbitflip:d=8", "--epsilon", 1], "d must be in 1..k, got d=8 for k=7"),
    "unknown column": (["--oracle", "grr", "--epsilon", 1, "--column", "town"], "has no column 'town'"),
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


@pytest.mark.slow
def test_a_domain_that_does_not_fit_the_memory(mechdesign, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.oracles.memory_needs.memory_limit", lambda: 2_420_000)
    monkeypatch.setattr("mechdesign_catalog.oracles.memory_needs.PIECE_BYTES", 1)
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
    "size of 0": ("ss:size=0", "size must be a whole number from 1 to 6, rare or mean, got size=0"),
    "given twice": ("hrr:t=2:t=3", "options of an oracle must be given once, got t twice"),
    "commas": ("rappor:p=0.5,q=0.75", "each after a colon (rappor:p=1/4:q=3/4)"),
    "no coefficient": ("hrr:t=0", "t must be"),
    "size of all": ("ss:size=7", "size must be a whole number from 1 to 6, rare or mean, got size=7"),
    "one probability": ("rappor:p=1/4", "must have both p and q"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options_of_oracles(mechdesign, name):
    text, message = BAD_OPTIONS[name]
    write_cities(100)
    seen = mechdesign(*PRIVATIZE, "--oracle", text, "--epsilon", 1, "-o", "r.parquet")
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert message in seen.err


def test_a_document_says_what_is_spent_and_nothing_of_the_values(mechdesign):
    write_cities()
    made = mechdesign(*PRIVATIZE, "--oracle", "olh", "--epsilon", 2, "-o", "reports.parquet", "--json")
    assert made.code == 0, made.err
    found = json.loads(made.out)
    assert (found["file"], found["reports"], found["oracle"], found["seed"]) == ("reports.parquet", USERS, "olh", None)
    assert found["true_loss"] <= found["epsilon"] == 2
    assert found["loss_of_two_runs"] == 2 * found["true_loss"]
    assert found["keeps_claim"] is True
    assert not any(city in made.out for city in CITIES)
    assert "running this again on the same people spends epsilon again, unless a memory keeps their answers" in made.err
