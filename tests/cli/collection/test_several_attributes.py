"""`local privatize` and `local aggregate` of users with several attributes: rows in, tables out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from attribute_reports import PRIVATIZE, USERS, ZONES, collected, rows_of, write_people
from wording import check_wording

from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.datasets.attributes import read_attributes
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES


@pytest.mark.parametrize(("oracle", "names"), [("margps:k=2", ("zone", "cc")), ("smp", ("zone",))])
def test_rows_become_reports_become_tables(mechdesign, oracle, names):
    values = collected(mechdesign, oracle)
    seen = mechdesign("local", "marginals", "r.parquet", "--marginal", ",".join(names), "-o", "m.csv", "--json")
    assert seen.code == 0, seen.err
    rows = rows_of("m.csv")
    told = [*names, "share", "standard_error", "low", "high", "low_all", "high_all", "estimate", "confidence", "post"]
    assert list(rows[0]) == told
    assert all(float(row["low_all"]) < float(row["low"]) < float(row["high"]) < float(row["high_all"]) for row in rows)
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
    said = " ".join(mechdesign("local", "privatize", "--help").out.split())
    for name in MARGINAL_ORACLES:
        assert re.search(rf"\b{re.escape(name)}\b", said), name


def test_all_tables_stand_in_one_file(mechdesign):
    collected(mechdesign, "margps:k=2")
    assert mechdesign("local", "marginals", "r.parquet", "-o", "all.csv").code == 0
    rows = rows_of("all.csv")
    assert list(rows[0])[:6] == ["attribute_1", "item_1", "attribute_2", "item_2", "share", "standard_error"]
    pairs = [(row["attribute_1"], row["attribute_2"]) for row in rows]
    assert list(dict.fromkeys(pairs)) == [("cc", "tip"), ("cc", "zone"), ("tip", "zone")]
    assert [pairs.count(pair) for pair in dict.fromkeys(pairs)] == [4, 6, 6]
    mechdesign("local", "marginals", "r.parquet", "--marginal", "cc,tip", "-o", "m.csv")
    assert [row["share"] for row in rows[:4]] == [row["share"] for row in rows_of("m.csv")]


def test_the_columns_option_chooses_attributes_and_their_order(mechdesign):
    collected(mechdesign, "margps:k=2", "--columns", "zone,cc")
    header = ReportFile.at(Path("r.parquet")).header
    assert header.task.domain == read_attributes("attributes.csv").taken(["zone", "cc"])
    assert header.task.parameters["domains"] == "3,2"
    seen = mechdesign("local", "aggregate", "r.parquet")
    assert seen.code == 0
    assert seen.out.index("zone") < seen.out.index("cc")
    assert "tip" not in seen.out
    given = mechdesign("local", "aggregate", "r.parquet", "--domain", "attributes.csv")
    assert (given.code, given.out) == (0, seen.out)


@pytest.mark.parametrize("width", [80, 200])
def test_tables_fit_the_screen(mechdesign, monkeypatch, width):
    collected(mechdesign, "margps:k=2")
    monkeypatch.setenv("COLUMNS", str(width))
    for asked in (["aggregate"], ["marginals", "--marginal", "zone,tip"], ["marginals"]):
        seen = mechdesign("local", *asked, "r.parquet")
        assert seen.code == 0
        assert max(map(len, seen.out.splitlines())) <= width
        assert seen.out.startswith("3,000 reports of margps:k=2, 3 attributes, epsilon = 3\n")
        assert "95 % interval" in seen.out
        assert "cells;" not in seen.out  # all of them are shown


def test_what_the_screen_has_no_room_for_is_where_it_says(mechdesign):
    items = {"a": range(7), "b": range(7), "c": range(45)}
    Path("wide.csv").write_text("column,item\n" + "".join(f"{name},{i}\n" for name in items for i in items[name]))
    Path("rows.csv").write_text("a,b,c\n" + "".join(f"{i % 7},{i % 5},{i % 45}\n" for i in range(400)))
    made = ["local", "privatize", "--epsilon", 3, "--input", "rows.csv", "--domain", "wide.csv", "--columns", "a,b,c"]
    assert mechdesign(*made, "--oracle", "inpht:k=2", "-o", "r.parquet", "--seed", 1).code == 0
    table = mechdesign("local", "marginals", "r.parquet", "--marginal", "a,b")
    assert table.out.endswith("the first 40 of 49 cells; --output FILE.csv has all\n")
    written = mechdesign("local", "marginals", "r.parquet", "-o", "all.csv")
    assert "the first 40 of 49 cells; all.csv has all\n2 more tables; all.csv has all\n" in "".join(
        line for line in written.out.splitlines(keepends=True) if line.strip()
    )
    assert len(rows_of("all.csv")) == 49 + 2 * 7 * 45
    single = mechdesign("local", "aggregate", "r.parquet")
    assert single.out.endswith("the first 26 of 45 cells; --output FILE.csv has all\n")
    tables = json.loads(mechdesign("local", "aggregate", "r.parquet", "--json").out)["tables"]
    assert [len(table["cells"]) for table in tables] == [7, 7, 45]


def test_posts_without_negative_shares_say_that_they_are_biased(mechdesign):
    collected(mechdesign, "margps:k=2", "--epsilon", 0.2)
    asked = ["local", "marginals", "r.parquet", "--marginal", "cc,zone", "-o", "m.csv"]
    assert "shares are not unbiased" not in mechdesign(*asked).err
    before = rows_of("m.csv")
    assert min(float(row["share"]) for row in before) < 0
    for post in ("priview", "max-entropy", "norm-sub"):
        seen = mechdesign(*asked, "--post", post, "--json", "--plot", "m.svg")
        check_wording(seen.err)
        assert json.loads(seen.out)["unbiased"] is False
        after = rows_of("m.csv")
        assert min(float(row["share"]) for row in after) >= 0
        assert sum(float(row["share"]) for row in after) == pytest.approx(1, abs=1e-12)
        assert {row["post"] for row in after} == {post}
        for told in ("standard_error", "low", "high", "low_all", "high_all", "estimate"):
            assert [row[told] for row in after] == [row[told] for row in before]
    assert Path("m.svg").read_text().startswith("<?xml")


def test_larger_tables_have_shares_alone(mechdesign):
    collected(mechdesign, "margps:k=2")
    asked = ["local", "marginals", "r.parquet", "--marginal", "zone,tip,cc"]
    seen = mechdesign(*asked, "--post", "max-entropy", "-o", "m.csv", "--json")
    assert seen.code == 0, seen.err
    check_wording(seen.err)
    rows = rows_of("m.csv")
    assert len(rows) == 12
    assert {row[name] for row in rows for name in ("standard_error", "low", "high", "estimate")} == {""}
    (table,) = json.loads(seen.out)["tables"]
    assert {cell["standard_error"] for cell in table["cells"]} == {None}
    screen = mechdesign(*asked, "--post", "max-entropy").out
    assert "share" in screen
    assert not any(word in screen for word in ("nan", "interval"))


def test_what_is_really_lost_is_said_before_the_first_report(mechdesign):
    write_people()
    made = mechdesign(*PRIVATIZE, "--oracle", "rs+fd", "-o", "r.parquet")
    first, wrote, *_ = made.err.splitlines()
    assert "NOT 3-LDP for whole tuples" in first
    assert "SPL and SMP keep their claim" in first
    assert wrote == "wrote r.parquet"
    lost = first.split("a report tells ")[1].split()[0]
    assert float(lost) > 3
    check_wording(made.err)
    made = mechdesign(*PRIVATIZE, "--oracle", "smp", "-o", "smp.parquet")
    check_wording(made.err)


def test_few_users_for_a_table_are_told_and_an_empty_branch_is_no_answer(mechdesign):
    """Three tables: some has at most a third of 60 users, and each has more than 30 of 6,000."""
    Path("d.csv").write_text("column,item\n" + "".join(f"{name},{item}\n" for name in "abc" for item in "xy"))
    asked = ("--epsilon", "1", "--input", "p.csv", "--domain", "d.csv", "--seed", "5", "--replace")
    for rows, few in ((60, True), (6000, False)):
        Path("p.csv").write_text("a,b,c\n" + "x,y,x\ny,y,x\n" * (rows // 2))
        assert mechdesign("local", "privatize", "--oracle", "margps:k=2", *asked, "-o", "f.parquet").code == 0
        seen = mechdesign("local", "aggregate", "f.parquet")
        assert (seen.code, "told by only" in seen.err) == (0, few)
    Path("p.csv").write_text("a,b,c\nx,y,x\n")
    assert mechdesign("local", "privatize", "--oracle", "smp", *asked, "-o", "one.parquet").code == 0
    seen = mechdesign("local", "aggregate", "one.parquet")
    assert (seen.code, seen.out, seen.err.count("\n")) == (1, "", 1)
    check_wording(seen.err)
    codes = [mechdesign("local", "marginals", "one.parquet", "--marginal", name).code for name in "abc"]
    assert sorted(codes) == [0, 1, 1]


BAD_PRIVATIZE = [
    ["--columns", "cc,,zone"],
    ["--columns", "cc,tip,cc"],
    ["--oracle", "margps:k=2", "--input", "odd.csv"],
    ["--oracle", "rs+fd", "--input", "bare.csv"],
    ["--oracle", "rs+fd", "--input", "twice.csv"],
    ["--oracle", "grr"],
    ["--oracle", "imprr"],
    ["--oracle", "hh2:b=2"],
    ["--oracle", "margps:k=2", "--bins", "0:9:1"],
    ["--oracle", "spl", "--user", "id", "--memory", "m.db", "--round", "1"],
]
BAD_QUESTIONS = [
    ["marginals", "r.parquet", "--marginal", "cc,tip,zone"],
    ["marginals", "r.parquet", "--marginal", "cc,tiq"],
    ["marginals", "r.parquet", "--marginal", "cc,cc"],
    ["marginals", "r.parquet", "--marginal", "cc,"],
    ["aggregate", "r.parquet", "--post", "em2"],
    ["aggregate", "r.parquet", "--plot", "m.png"],
    ["marginals", "r.parquet", "--plot", "m.png"],
    ["ranges", "r.parquet", "--quantiles", "0.5"],
    ["marginals", "grr.parquet", "--marginal", "cc"],
    ["dependence", "grr.parquet"],
    ["aggregate", "r.parquet", "turned.parquet"],
    ["marginals", "share.parquet", "--marginal", "cc,share", "-o", "m.csv"],
]  # fmt: skip


def test_bad_input_is_one_line_and_writes_nothing(mechdesign):
    collected(mechdesign, "margps:k=2", "--columns", "cc,tip,zone")
    assert (
        mechdesign(*PRIVATIZE, "--oracle", "margps:k=2", "--columns", "tip,cc,zone", "-o", "turned.parquet").code == 0
    )
    Path("share.csv").write_text(Path("attributes.csv").read_text().replace("zone", "share"))
    Path("shared.csv").write_text(Path("people.csv").read_text().replace("zone", "share"))
    named = ["--input", "shared.csv", "--domain", "share.csv", "--epsilon", 3, "-o", "share.parquet"]
    assert mechdesign("local", "privatize", "--oracle", "margps:k=2", *named).code == 0
    Path("items.txt").write_text("west\neast\nnorth\n")
    grr = ["local", "privatize", "--oracle", "grr", "--epsilon", 1, "--input", "people.csv", "--domain", "items.txt"]
    assert mechdesign(*grr, "--column", "zone", "-o", "grr.parquet").code == 0
    Path("odd.csv").write_text("id,cc,tip,zone\n1,maybe,no,west\n")
    Path("bare.csv").write_text("1,no,yes,west\n")
    Path("twice.csv").write_text("cc,cc,tip,zone\n1,no,yes,west\n")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    asked = [[*PRIVATIZE[1:], "--columns", "cc,tip,zone", *more, "-o", "n.parquet"] for more in BAD_PRIVATIZE]
    for arguments in [*asked, *BAD_QUESTIONS]:
        seen = mechdesign("local", *arguments)
        assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1), (arguments, seen.err)
        check_wording(seen.err)
        assert "maybe" not in seen.err
        assert {path: path.read_bytes() for path in Path().iterdir()} == before
