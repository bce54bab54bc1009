"""`mechdesign privatize` and `mechdesign aggregate` of users with several attributes: rows in, tables out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from attribute_reports import PRIVATIZE, USERS, ZONES, collected, rows_of, write_people

from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.datasets.attributes import read_attributes
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES


@pytest.mark.parametrize("oracle", ["margps:k=2", "inprr:oue:k=2", "smp"])
def test_rows_become_reports_become_tables(mechdesign, oracle):
    values = collected(mechdesign, oracle)
    names = ("cc", "zone") if oracle != "smp" else ("zone",)
    seen = mechdesign("aggregate", "r.parquet", "--marginal", ",".join(names), "-o", "m.csv", "--json")
    assert seen.code == 0, seen.err
    rows = rows_of("m.csv")
    assert list(rows[0])[:-3] == [*names, "share", "standard_error", "low", "high"]
    places = [("cc", "tip", "zone").index(name) for name in names]
    words = [{"cc": ("no", "yes"), "zone": ZONES}[name] for name in names]
    truth = [
        np.mean([tuple(words[j][v[i]] for j, i in enumerate(places)) == tuple(row[n] for n in names) for v in values])
        for row in rows
    ]
    found, errors = (np.array([float(row[name]) for row in rows]) for name in ("share", "standard_error"))
    assert (np.abs(found - truth) < 4.5 * errors).all()
    assert found.sum() == pytest.approx(1, abs=1e-9)
    document = json.loads(seen.out)
    assert document["users"] == USERS
    assert document["unbiased"] is True
    assert document["attributes"][1] == {"name": "tip", "items": ["no", "yes"]}
    (table,) = document["tables"]
    assert table["attributes"] == list(names)
    assert [cell["items"] for cell in table["cells"]] == [[row[name] for name in names] for row in rows]
    assert [cell["share"] for cell in table["cells"]] == found.tolist()


def test_help_names_every_oracle_of_several_attributes(mechdesign):
    said = " ".join(mechdesign("privatize", "--help").out.split())
    for name in MARGINAL_ORACLES:
        assert re.search(rf"\b{re.escape(name)}\b", said), name


def test_a_file_may_have_the_name_of_an_oracle(mechdesign):
    collected(mechdesign, "margps:k=2", name="margps:k=2.parquet")
    assert mechdesign("aggregate", "margps:k=2.parquet").code == 0


def test_columns_of_a_table_are_in_the_order_that_is_asked_for(mechdesign):
    collected(mechdesign, "margps:k=2")
    for name, asked in (("a.csv", "cc,zone"), ("b.csv", "zone,cc")):
        assert mechdesign("aggregate", "r.parquet", "--marginal", asked, "-o", name).code == 0
    one, other = rows_of("a.csv"), rows_of("b.csv")
    assert list(other[0])[:2] == ["zone", "cc"]
    by_cell = {(row["cc"], row["zone"]): row for row in other}
    assert len(by_cell) == 6
    for row in one:
        assert by_cell[row["cc"], row["zone"]] == row
    assert [row["zone"] for row in other] == [zone for zone in ZONES for _ in range(2)]


def test_all_tables_stand_in_one_file(mechdesign):
    collected(mechdesign, "margps:k=2")
    assert mechdesign("aggregate", "r.parquet", "--all", "-o", "all.csv").code == 0
    rows = rows_of("all.csv")
    assert list(rows[0])[:6] == ["attribute_1", "item_1", "attribute_2", "item_2", "share", "standard_error"]
    pairs = [(row["attribute_1"], row["attribute_2"]) for row in rows]
    assert list(dict.fromkeys(pairs)) == [("cc", "tip"), ("cc", "zone"), ("tip", "zone")]
    assert [pairs.count(pair) for pair in dict.fromkeys(pairs)] == [4, 6, 6]
    mechdesign("aggregate", "r.parquet", "--marginal", "cc,tip", "-o", "m.csv")
    assert [row["share"] for row in rows[:4]] == [row["share"] for row in rows_of("m.csv")]


def test_the_columns_option_chooses_attributes_and_their_order(mechdesign):
    collected(mechdesign, "margps:k=2", "--columns", "zone,cc")
    header = ReportFile.at(Path("r.parquet")).header
    assert header.task.attributes == read_attributes("attributes.csv").taken(["zone", "cc"])
    assert header.task.parameters["domains"] == "3,2"
    seen = mechdesign("aggregate", "r.parquet")
    assert seen.code == 0
    assert seen.out.index("zone") < seen.out.index("cc")
    assert "tip" not in seen.out
    given = mechdesign("aggregate", "r.parquet", "--domain", "attributes.csv")
    assert (given.code, given.out) == (0, seen.out)


@pytest.mark.parametrize("width", [80, 200])
def test_tables_fit_the_screen(mechdesign, monkeypatch, width):
    collected(mechdesign, "margps:k=2")
    monkeypatch.setenv("COLUMNS", str(width))
    for asked in ([], ["--marginal", "zone,tip"], ["--all"]):
        seen = mechdesign("aggregate", "r.parquet", *asked)
        assert seen.code == 0
        assert max(map(len, seen.out.splitlines())) <= width
        assert seen.out.startswith("3,000 reports of margps:k=2, 3 attributes, epsilon = 3\n")
        assert "95 % interval" in seen.out


def test_what_the_screen_has_no_room_for_is_where_it_says(mechdesign):
    items = {"a": range(7), "b": range(7), "c": range(45)}
    Path("wide.csv").write_text("column,item\n" + "".join(f"{name},{i}\n" for name in items for i in items[name]))
    Path("rows.csv").write_text("a,b,c\n" + "".join(f"{i % 7},{i % 5},{i % 45}\n" for i in range(400)))
    made = ["privatize", "--epsilon", 3, "--input", "rows.csv", "--domain", "wide.csv", "--columns", "a,b,c"]
    assert mechdesign(*made, "--oracle", "inpht:k=2", "-o", "r.parquet", "--seed", 1).code == 0
    table = mechdesign("aggregate", "r.parquet", "--marginal", "a,b")
    assert table.out.endswith("the first 40 of 49 cells; --output FILE.csv has all\n")
    written = mechdesign("aggregate", "r.parquet", "--all", "-o", "all.csv")
    assert "the first 40 of 49 cells; all.csv has all\n2 more tables; all.csv has all\n" in "".join(
        line for line in written.out.splitlines(keepends=True) if line.strip()
    )
    assert len(rows_of("all.csv")) == 49 + 2 * 7 * 45
    single = mechdesign("aggregate", "r.parquet")
    assert single.out.endswith("the first 26 of 45 cells; --json has all\n")
    assert [
        len(table["cells"]) for table in json.loads(mechdesign("aggregate", "r.parquet", "--json").out)["tables"]
    ] == [
        7,
        7,
        45,
    ]


def test_the_better_encoding_is_meant_where_none_is_named(mechdesign):
    collected(mechdesign, "inprr:k=2")
    assert ReportFile.at(Path("r.parquet")).header.task.parameters["oracle"] == "inprr:oue"


def test_files_of_one_collection_add_up(mechdesign):
    write_people()
    for seed, name in ((1, "a.parquet"), (2, "b.parquet")):
        mechdesign(*PRIVATIZE, "--oracle", "margps:k=2", "-o", name, "--seed", seed)
    seen = mechdesign("aggregate", "a.parquet", "b.parquet", "--json")
    assert json.loads(seen.out)["users"] == 2 * USERS


def test_what_is_really_lost_is_said_before_the_first_report(mechdesign):
    write_people()
    made = mechdesign(*PRIVATIZE, "--oracle", "rs+fd", "-o", "r.parquet")
    first, wrote, *_ = made.err.splitlines()
    assert "NOT 3-LDP for whole tuples" in first
    assert "SPL and SMP keep their claim" in first
    assert wrote == "wrote r.parquet"
    lost = first.split("a report tells ")[1].split()[0]
    assert float(lost) > 3
    assert f"each {lost}-LDP by itself (claimed: epsilon = 3)" in made.err
    for name in ("spl", "smp"):
        made = mechdesign(*PRIVATIZE, "--oracle", name, "-o", f"{name}.parquet")
        assert made.err.startswith(f"{name}, 3 attributes: a report tells 3 about a user's whole tuple")
        assert "The claim holds" in made.err


def test_biased_tables_say_so(mechdesign):
    collected(mechdesign, "margps:k=2")
    seen = mechdesign("aggregate", "r.parquet", "--marginal", "cc,tip", "--post", "norm-sub", "-o", "m.csv", "--json")
    assert "shares are not unbiased (norm-sub" in seen.err
    assert json.loads(seen.out)["unbiased"] is False
    assert {row["post"] for row in rows_of("m.csv")} == {"norm-sub"}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_table_is_drawn(mechdesign, suffix):
    collected(mechdesign, "margps:k=2")
    for asked in ("zone", "tip,zone"):
        seen = mechdesign("aggregate", "r.parquet", "--marginal", asked, "--plot", f"{asked}.{suffix}")
        assert seen.code == 0, seen.err
        assert Path(f"{asked}.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(("rows", "few"), [(60, True), (6000, False)])
def test_few_users_for_a_table_are_told(mechdesign, rows, few):
    """Three tables: some has at most a third of 60 users, and each has more than 30 of 6,000."""
    Path("p.csv").write_text("a,b,c\n" + "x,y,x\ny,y,x\n" * (rows // 2))
    Path("d.csv").write_text("column,item\n" + "".join(f"{name},{item}\n" for name in "abc" for item in "xy"))
    asked = ("--input", "p.csv", "--columns", "a,b,c", "--domain", "d.csv", "-o", "f.parquet", "--seed", "5")
    assert mechdesign("privatize", "--oracle", "margps:k=2", "--epsilon", "1", *asked).code == 0
    seen = mechdesign("aggregate", "f.parquet")
    assert seen.code == 0
    assert ("told by only" in seen.err) is few
