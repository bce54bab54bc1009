"""`mechdesign aggregate` on how attributes depend on each other: associations, the tree, and synthetic rows."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.dependence.associations import find_associations
from mechdesign_catalog.dependence.learning import learn_tree

USERS = 6000
ITEMS = {"cc": ("no", "yes"), "tip": ("no", "yes"), "zone": ("west", "east", "north"), "toll": ("no", "yes")}


@pytest.fixture
def reports(mechdesign):
    """Users whose tip goes with their card, while zone and toll go with nothing; INPHT with epsilon 3."""
    generator = np.random.default_rng(5)
    card = generator.random(USERS) < 0.6
    tip = np.where(card, generator.random(USERS) < 0.9, generator.random(USERS) < 0.1)
    toll = generator.random(USERS) < 0.3
    columns = (card, tip, generator.integers(3, size=USERS), toll)
    words = [np.array(items)[column.astype(int)] for items, column in zip(ITEMS.values(), columns, strict=True)]
    Path("people.csv").write_text("\n".join([",".join(ITEMS), *map(",".join, zip(*words, strict=True))]) + "\n")
    listed = [f"{name},{item}" for name, items in ITEMS.items() for item in items]
    Path("attributes.csv").write_text("\n".join(["column,item", *listed]) + "\n")
    return made(mechdesign, "inpht:k=2")


def made(mechdesign, oracle, name="r.parquet"):
    people = ["--input", "people.csv", "--domain", "attributes.csv", "--epsilon", 3, "--seed", 1]
    assert mechdesign("privatize", "--oracle", oracle, *people, "-o", name).code == 0
    return name


def rows_of(path):
    return list(csv.DictReader(Path(path).read_text().splitlines()))


def test_associations_go_to_a_file_and_to_the_screen(mechdesign, reports):
    seen = mechdesign("aggregate", reports, "--association", "pairs.csv")
    assert seen.code == 0, seen.err
    rows = rows_of("pairs.csv")
    assert [(row["attribute_1"], row["attribute_2"]) for row in rows if row["associated"] == "1"] == [("cc", "tip")]
    assert len(rows) == 6
    assert {row["fdr"] for row in rows} == {"0.05"}
    expected = find_associations(aggregate(reports).source())
    assert [float(row["p_value"]) for row in rows] == [test.aware.p_value for test in expected.tests]
    assert "1 of 6 pairs of attributes are associated (fdr 0.05)" in seen.out
    assert "the published test, which knows no noise" in seen.out
    assert "zone  west" not in seen.out


def test_json_has_tests_and_tree(mechdesign, reports):
    seen = mechdesign("aggregate", reports, "--association", "a.csv", "--tree", "t.svg", "--json")
    document = json.loads(seen.out)
    assert document["associations"]["fdr"] == 0.05
    (found,) = [pair for pair in document["associations"]["pairs"] if pair["associated"]]
    assert (found["attribute_1"], found["attribute_2"]) == ("cc", "tip")
    expected = learn_tree(aggregate(reports).source()).tree
    names = list(ITEMS)
    assert [
        (edge["attribute_1"], edge["attribute_2"], edge["mutual_information"], edge["noise"])
        for edge in document["tree"]["edges"]
    ] == [(*(names[i] for i in edge.pair), edge.information, edge.noise) for edge in expected.edges]
    assert "not unbiased: tables of two attributes are put on the simplex" in seen.err
    assert Path("t.svg").read_text().startswith("<?xml")


def test_rows_follow_the_tables(mechdesign, reports):
    seen = mechdesign("aggregate", reports, "--sample", 4000, "--sample-output", "rows.csv")
    assert seen.code == 0, seen.err
    rows = rows_of("rows.csv")
    assert len(rows) == 4000
    assert list(rows[0]) == list(ITEMS)
    assert all({row[name] for row in rows} == set(items) for name, items in ITEMS.items())
    together = np.mean([(row["cc"], row["tip"]) == ("yes", "yes") for row in rows])
    assert together == pytest.approx(0.54, abs=0.08)
    assert "tree of dependences: 3 pairs, mutual information" in seen.out


def test_a_rate_makes_the_tree_a_forest(mechdesign, reports):
    seen = mechdesign("aggregate", reports, "--fdr", "0.01", "--tree", "forest.png", "--json")
    document = json.loads(seen.out)
    assert [(edge["attribute_1"], edge["attribute_2"]) for edge in document["tree"]["edges"]] == [("cc", "tip")]
    assert document["associations"]["fdr"] == 0.01
    shown = mechdesign("aggregate", reports, "--fdr", "0.01", "--tree", "forest.png")
    assert "forest of dependences: 1 pair, mutual information" in shown.out


def test_tests_stay_unbiased_where_tables_are_not(mechdesign, reports):
    seen = mechdesign("aggregate", reports, "--association", "a.csv", "--tree", "t.png", "--post", "norm-sub", "--json")
    assert "associations are tested on least-squares tables, which are unbiased" in seen.err
    document = json.loads(seen.out)
    assert document["associations"]["post"] == "least-squares"
    assert {edge["noise"] for edge in document["tree"]["edges"]} == {0.0}
    mechdesign("aggregate", reports, "--association", "raw.csv", "--post", "raw")
    assert {row["post"] for row in rows_of("raw.csv")} == {"raw"}


@pytest.mark.slow
def test_all_files_at_once(mechdesign, reports):
    files = ["m.csv", "m.png", "a.csv", "a.svg", "a.pdf", "t.png", "s.csv"]
    seen = mechdesign(
        *("aggregate", reports, "--marginal", "cc,zone", "-o", "m.csv", "--plot", "m.png"),
        *("--association", "a.csv", "--association", "a.svg", "--association", "a.pdf"),
        *("--tree", "t.png", "--sample", 10, "--sample-output", "s.csv"),
    )
    assert seen.code == 0, seen.err
    assert all(Path(name).stat().st_size for name in files)
    assert [line for line in seen.err.splitlines() if line.startswith("wrote")] == [f"wrote {name}" for name in files]
    assert "west" in seen.out


@pytest.mark.parametrize("width", [80, 200])
def test_words_fit_the_screen(mechdesign, reports, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = mechdesign("aggregate", reports, "--association", "a.csv", "--tree", "t.svg")
    assert max(map(len, seen.out.splitlines())) <= width


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--fdr", "0.1"], "--fdr goes with --association, --tree or --sample", id="rate-alone"),
        pytest.param(["--association", "a.csv", "--fdr", "1.5"], "fdr must be in (0, 1)", id="rate-too-high"),
        pytest.param(["--association", "a.csv", "--fdr", "often"], "fdr must be", id="rate-no-number"),
        pytest.param(["--sample", "10"], "--sample goes with --sample-output", id="rows-without-file"),
        pytest.param(["--sample-output", "s.csv"], "--sample-output goes with --sample", id="file-without-rows"),
        pytest.param(["--sample", "0", "--sample-output", "s.csv"], "sample must be a whole number", id="no-rows"),
        pytest.param(["--sample", "9" * 15, "--sample-output", "s.csv"], "sample must fit the memory", id="many-rows"),
        pytest.param(["--sample", "5", "--sample-output", "s.png"], "output must end in .csv", id="rows-picture"),
        pytest.param(["--tree", "t.csv"], "plot must end in .png, .svg, .pdf", id="tree-csv"),
        pytest.param(["--association", "a.json"], "plot must end in .png, .svg, .pdf", id="associations-json"),
        pytest.param(["--association", "r.parquet"], "plot must end in", id="associations-over-reports"),
        pytest.param(["--tree", "t.png", "--association", "t.png"], "must be a file of its own", id="one-file-for-two"),
        pytest.param(["--all", "-o", "a.csv", "--association", "a.csv"], "must be a file of its own", id="output-too"),
    ],
)
def test_what_does_not_go_together_is_refused(mechdesign, reports, options, message):
    before = sorted(Path().iterdir())
    seen = mechdesign("aggregate", reports, *options)
    assert seen.code == 2
    assert message in seen.err
    assert len(seen.err.strip().splitlines()) == 1
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("option", [["--association", "a.csv"], ["--tree", "t.png"]])
def test_tables_of_one_attribute_tell_no_dependence(mechdesign, reports, option):
    """The `reports` fixture has written the people."""
    for oracle in ("smp", "inpht:k=1"):
        made(mechdesign, oracle, "one.parquet")
        seen = mechdesign("aggregate", "one.parquet", *option)
        assert seen.code == 2
        assert f"{option[0]} must be of tables of two attributes" in seen.err


def test_reports_of_one_item_tell_no_dependence(mechdesign):
    Path("items.csv").write_text("item\n" + "west\neast\n" * 50)
    Path("zones.csv").write_text("west\neast\n")
    command = ["privatize", "--oracle", "grr", "--epsilon", 1, "--input", "items.csv", "--column", "item"]
    assert mechdesign(*command, "--domain", "zones.csv", "-o", "r.parquet").code == 0
    seen = mechdesign("aggregate", "r.parquet", "--tree", "t.png")
    assert (seen.code, Path("t.png").exists()) == (2, False)
    assert "--tree goes with reports of several attributes, got it with grr" in seen.err
