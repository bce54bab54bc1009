"""`mechdesign local aggregate` on how attributes depend on each other: associations, the tree, and synthetic rows."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from wording import check_wording

from mechdesign_catalog.analyses.dependence.associations import find_associations
from mechdesign_catalog.analyses.dependence.learning import learn_tree
from mechdesign_catalog.collection.servers.aggregating import aggregate

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
    assert mechdesign("local", "privatize", "--oracle", oracle, *people, "-o", name).code == 0
    return name


def rows_of(path):
    return list(csv.DictReader(Path(path).read_text().splitlines()))


def test_associations_go_to_a_file_and_to_the_screen(mechdesign, reports):
    seen = mechdesign("local", "dependence", reports, "--association", "pairs.csv")
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
    seen = mechdesign("local", "dependence", reports, "--association", "a.csv", "--tree", "t.svg", "--json")
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
    check_wording(seen.err)
    assert Path("t.svg").read_text().startswith("<?xml")


def test_rows_follow_the_tables(mechdesign, reports):
    seen = mechdesign("local", "dependence", reports, "--sample", 4000, "--sample-output", "rows.csv")
    assert seen.code == 0, seen.err
    rows = rows_of("rows.csv")
    assert len(rows) == 4000
    assert list(rows[0]) == list(ITEMS)
    assert all({row[name] for row in rows} == set(items) for name, items in ITEMS.items())
    together = np.mean([(row["cc"], row["tip"]) == ("yes", "yes") for row in rows])
    assert together == pytest.approx(0.54, abs=0.08)
    assert "tree of dependences: 3 pairs, mutual information" in seen.out


def test_a_rate_makes_the_tree_a_forest(mechdesign, reports):
    seen = mechdesign("local", "dependence", reports, "--fdr", "0.01", "--tree", "forest.png", "--json")
    document = json.loads(seen.out)
    assert [(edge["attribute_1"], edge["attribute_2"]) for edge in document["tree"]["edges"]] == [("cc", "tip")]
    assert document["associations"]["fdr"] == 0.01
    shown = mechdesign("local", "dependence", reports, "--fdr", "0.01", "--tree", "forest.png")
    assert "forest of dependences: 1 pair, mutual information" in shown.out


def test_tests_stay_unbiased_where_tables_are_not(mechdesign, reports):
    seen = mechdesign(
        "local", "dependence", reports, "--association", "a.csv", "--tree", "t.png", "--post", "norm-sub", "--json"
    )
    check_wording(seen.err)
    document = json.loads(seen.out)
    assert document["associations"]["post"] == "least-squares"
    assert {edge["noise"] for edge in document["tree"]["edges"]} == {0.0}
    mechdesign("local", "dependence", reports, "--association", "raw.csv", "--post", "raw")
    assert {row["post"] for row in rows_of("raw.csv")} == {"raw"}


@pytest.mark.slow
def test_all_files_at_once_and_words_that_fit_the_screen(mechdesign, reports, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    files = ["a.csv", "a.svg", "t.png", "s.csv"]
    seen = mechdesign(
        *("local", "dependence", reports, "--association", "a.csv", "--association", "a.svg"),
        *("--tree", "t.png", "--sample", 10, "--sample-output", "s.csv"),
    )
    assert seen.code == 0, seen.err
    assert all(Path(name).stat().st_size for name in files)
    assert [line for line in seen.err.splitlines() if line.startswith("wrote")] == [f"wrote {name}" for name in files]
    assert max(map(len, seen.out.splitlines())) <= 80


REFUSED = [
    ["--association", "a.csv", "--fdr", "1.5"],
    ["--sample", "10"],
    ["--sample-output", "s.csv"],
    ["--sample", "9" * 15, "--sample-output", "s.csv"],
    ["--sample", "5", "--sample-output", "s.png"],
    ["--tree", "t.csv"],
    ["--association", "r.parquet"],
    ["--tree", "t.png", "--association", "t.png"],
]


def test_what_does_not_go_together_is_refused(mechdesign, reports):
    made(mechdesign, "smp", "one.parquet")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    for options in [*([reports, *options] for options in REFUSED), ["one.parquet", "--tree", "t.png"]]:
        seen = mechdesign("local", "dependence", *options)
        assert (seen.code, seen.err.count("\n")) == (2, 1), options
        check_wording(seen.err)
        assert {path: path.read_bytes() for path in Path().iterdir()} == before
