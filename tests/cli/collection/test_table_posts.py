"""`aggregate --post`: tables that agree without negative shares, and tables of more attributes than were collected."""

import json

import numpy as np
import pytest
from attribute_reports import collected, rows_of

from mechdesign_catalog.collection.servers.aggregating import aggregate

NOT_UNBIASED = "shares are not unbiased"


def shares_of(rows, name):
    """Shares of the items of one attribute, summed over the other."""
    found = {}
    for row in rows:
        found[row[name]] = found.get(row[name], 0.0) + float(row["share"])
    return found


@pytest.mark.parametrize("post", ["priview", "max-entropy", "norm-sub"])
def test_posts_without_negative_shares_say_that_they_are_biased(mechdesign, post):
    collected(mechdesign, "margps:k=2", "--epsilon", 0.2)
    plain = mechdesign("aggregate", "r.parquet", "--marginal", "cc,zone", "-o", "m.csv")
    assert NOT_UNBIASED not in plain.err
    before = rows_of("m.csv")
    assert min(float(row["share"]) for row in before) < 0
    seen = mechdesign("aggregate", "r.parquet", "--marginal", "cc,zone", "--post", post, "-o", "m.csv", "--json")
    assert f"{NOT_UNBIASED} ({post}: " in seen.err
    assert json.loads(seen.out)["unbiased"] is False
    after = rows_of("m.csv")
    assert min(float(row["share"]) for row in after) >= 0
    assert sum(float(row["share"]) for row in after) == pytest.approx(1, abs=1e-12)
    assert {row["post"] for row in after} == {post}
    for told in ("standard_error", "low", "high", "estimate"):
        assert [row[told] for row in after] == [row[told] for row in before]


def test_all_tables_of_priview_agree(mechdesign):
    collected(mechdesign, "margps:k=2", "--epsilon", 0.2)
    assert mechdesign("aggregate", "r.parquet", "--all", "--post", "priview", "-o", "all.csv").code == 0
    tables = {}
    for row in rows_of("all.csv"):
        one, other = row["attribute_1"], row["attribute_2"]
        cell = {one: row["item_1"], other: row["item_2"], "share": row["share"]}
        tables.setdefault((one, other), []).append(cell)
    assert len(tables) == 3
    for name in ("cc", "tip", "zone"):
        first, second = (shares_of(rows, name) for pair, rows in tables.items() if name in pair)
        assert first == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize("oracle", ["margps:k=2", "calm:k=2", "inpht:k=2"])
def test_larger_tables_have_shares_alone(mechdesign, oracle):
    collected(mechdesign, oracle)
    asked = ["aggregate", "r.parquet", "--marginal", "zone,tip,cc"]
    refused = mechdesign(*asked)
    assert refused.code == 2
    assert "a marginal must be of at most k=2 attributes" in refused.err
    seen = mechdesign(*asked, "--post", "max-entropy", "-o", "m.csv", "--json")
    assert seen.code == 0, seen.err
    assert "tables of more than k=2 attributes have no unbiased estimates, nor errors" in seen.err
    rows = rows_of("m.csv")
    assert len(rows) == 12
    assert {row[name] for row in rows for name in ("standard_error", "low", "high", "estimate")} == {""}
    (table,) = json.loads(seen.out)["tables"]
    assert {cell["standard_error"] for cell in table["cells"]} == {None}
    pair = aggregate("r.parquet").table(["zone", "tip"], "priview")
    sums = np.array([float(row["share"]) for row in rows]).reshape(6, 2).sum(axis=1)
    assert sums == pytest.approx(pair.shares, abs=1e-5)
    screen = mechdesign(*asked, "--post", "max-entropy")
    assert "share" in screen.out
    assert "nan" not in screen.out
    assert "interval" not in screen.out


@pytest.mark.slow
def test_a_picture_of_a_larger_table_has_no_intervals(mechdesign):
    collected(mechdesign, "smp")
    asked = ["aggregate", "r.parquet", "--marginal", "zone,tip", "--post", "max-entropy"]
    assert mechdesign(*asked, "--plot", "p.svg", "-o", "m.csv").code == 0
    found = aggregate("r.parquet")
    product = np.outer(found.table(["zone"], "priview").shares, found.table(["tip"], "priview").shares)
    assert [float(row["share"]) for row in rows_of("m.csv")] == pytest.approx(product.reshape(-1), abs=1e-6)


def test_a_way_is_made_once(mechdesign):
    collected(mechdesign, "margps:k=2")
    found = aggregate("r.parquet")
    assert found.source("priview") is found.source(" PriView")
    assert found.source() is not found.source("raw")
