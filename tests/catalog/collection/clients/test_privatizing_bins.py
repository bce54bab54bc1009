"""Bins from Python: columns of every kind, tables of two columns, and what does not go together."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.items.bins import parse_bins

AGES = [30, 0, 119, 30]
DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 2, 29), datetime.date(2020, 12, 31), datetime.date(2020, 1, 8)]
WEEKS = "2020-01-01:2021-01-01:7d"
TABLES = {
    "pandas": lambda: pd.DataFrame({"age": AGES, "day": pd.to_datetime(DAYS), "x": 1}),
    "polars": lambda: pl.DataFrame({"age": AGES, "day": DAYS, "x": 1}),
    "arrow": lambda: pa.table({"age": AGES, "day": DAYS, "x": [1] * 4}),
}


def reported(values, bins, **options):
    """Reports of GRR that are the items themselves, but for less than one in 10^15."""
    return privatize(values, "grr", epsilon=40, bins=bins, **options).reports.columns["item"].tolist()


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array])
def test_numbers_of_every_kind_of_column(kind):
    assert reported(kind(AGES), "0:120:5") == [6, 0, 23, 6]
    assert reported(kind([0.1, 0.3, 0.7]), "0:1:0.1") == [1, 3, 7]


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series, pa.array])
def test_dates_of_every_kind_of_column(kind):
    assert reported(kind(DAYS), WEEKS) == [0, 8, 52, 1]


@pytest.mark.parametrize("kind", TABLES)
def test_two_columns_of_a_table(kind):
    made = reported(TABLES[kind](), ["0:120:60", WEEKS], columns=["age", "day"])
    assert made == [0, 8, 53 + 52, 1]
    assert reported(TABLES[kind](), "0:120:60", columns=["age"]) == [0, 0, 1, 0]


def test_bins_come_back_with_the_reports(tmp_path):
    made = privatize([200, -3, 7], "olh", epsilon=1, bins="0:120:1", beyond="clip")
    made.save(tmp_path / "r.parquet")
    found = aggregate([tmp_path / "r.parquet"])
    assert (found.domain, found.ordered, len(found.items)) == (parse_bins("0:120:1"), True, 120)
    grid = privatize(TABLES["polars"](), "hrr", epsilon=1, bins=["0:120:60", WEEKS], columns=["age", "day"])
    assert not aggregate(grid).ordered


def test_all_reports_of_a_task_say_whether_their_list_is_in_order():
    sizes = {"domain": ["S", "M", "L"], "epsilon": 1}
    ordered, other = (privatize(["S", "L"], "grr", ordered=flag, **sizes) for flag in (True, False))
    assert aggregate(ordered).ordered
    with pytest.raises(InputError, match="items must be in order in all reports or in none"):
        aggregate([ordered, other])


def test_many_bins_need_no_list_of_items():
    made = privatize(["4194303", "17"], "hrr", epsilon=1, bins="0:4194304:1")
    assert (made.header.task.items, made.header.task.bins) == (None, ("0:4194304:1",))
    assert len(made.header.to_json()) < 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": "0:9:1", "domain": ["a", "b"]}, "exactly one of domain and bins must be given, got both"),
        ({"domain": ["a", "b"], "beyond": "clip"}, "beyond goes with bins, got beyond=clip without them"),
        ({"bins": "0:9:1", "beyond": "drop"}, "beyond must be refuse or clip, got 'drop'"),
        ({"bins": ["0:9:1"] * 2}, "columns must be as many as bins, got 1 for 2"),
        ({"bins": "0:9:1", "columns": ["a", "b"]}, "columns must be as many as bins, got 2 for 1"),
        ({"bins": []}, "bins must be given for one column or two, got 0"),
        ({"bins": "0:9:1", "columns": ["a"]}, "table must be one of pandas, polars or pyarrow, in memory, got list"),
        ({"bins": "0:9:1", "ordered": True}, "ordered goes with a domain"),
        ({"bins": "0:9:1"}, "values must be from 0 to below 9, got one beyond in row 3 of the values"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        privatize([1, 2, 9], "grr", epsilon=1, **options)


def test_a_table_without_the_column():
    with pytest.raises(InputError, match=r"the table has no column 'weight' \(columns: age, day, x\)"):
        reported(TABLES["pandas"](), "0:9:1", columns=["weight"])
