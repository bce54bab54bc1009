"""Reports from Python: items, bins and tasks; the round trip that commands make of files."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.analyses.postprocessing import postprocess
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.items.bins import parse_bins

CITIES = ("Cork", "Galway", "Derry")
VALUES = ["Cork"] * 500 + ["Galway"] * 300 + ["Derry"] * 200
FRAMES = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "pandas": pd.Series,
    "pandas categories": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
}


def test_columns_of_every_kind_make_the_same_reports():
    for kind in FRAMES:
        wanted = privatize(VALUES, "olh", epsilon=2, domain=CITIES, seed=1)
        made = privatize(FRAMES[kind](VALUES), "olh", epsilon=2, domain=CITIES, seed=1)
        assert made.header == wanted.header
        assert len(made) == 1000


@pytest.mark.parametrize("oracle", ["grr", "oue", "hrr:t=2", "ss", "design:none:L0"])
def test_values_become_reports_become_frequencies(oracle, tmp_path):
    reports = privatize(VALUES, oracle, epsilon=3, domain=CITIES)
    found = aggregate(reports)
    assert found.items == CITIES
    assert found.users == 1000
    assert (np.abs(found.shares - [0.5, 0.3, 0.2]) < 6 * found.standard_errors).all()
    reports.save(tmp_path / "r.parquet")
    again = aggregate(str(tmp_path / "r.parquet"))
    assert np.array_equal(again.shares, found.shares)
    assert ReportFile.at(tmp_path / "r.parquet").header == reports.header
    assert postprocess(found, "norm-sub").shares.sum() == pytest.approx(1)
    assert np.array_equal(postprocess(postprocess(found, "norm-sub"), "raw").shares, found.estimates)


def test_whole_numbers_are_items_too(tmp_path):
    (tmp_path / "d.txt").write_text("1\n2\n3\n")
    for domain in (range(1, 4), tmp_path / "d.txt", str(tmp_path / "d.txt"), Domain(("1", "2", "3"))):
        assert aggregate(privatize(np.array([1, 2, 3]), "grr", epsilon=9, domain=domain)).items == ("1", "2", "3")


def test_pieces_are_joined_in_order(monkeypatch):
    whole = aggregate(privatize(VALUES, "grr", epsilon=30, domain=CITIES, seed=1))
    monkeypatch.setattr("mechdesign_catalog.collection.clients.client.ROWS_AT_ONCE", 7)
    reports = privatize(VALUES, "grr", epsilon=30, domain=CITIES, seed=1)
    assert reports.reports.columns["item"].tolist() == [CITIES.index(value) for value in VALUES]
    assert np.array_equal(aggregate(reports).shares, whole.shares)


def test_a_memory_keeps_answers(tmp_path):
    def collect(day, first=0):
        users, memory = range(first, first + 50), tmp_path / "m.db"
        return privatize(VALUES[:50], "dbitflip:d=3", epsilon=1, domain=CITIES, users=users, memory=memory, round=day)

    first, again, second, others = collect("one"), collect("one"), collect("two"), collect("one", 50)
    for name, column in first.reports.columns.items():
        assert np.array_equal(column, second.reports.columns[name])
        assert np.array_equal(column, again.reports.columns[name])
    assert (tmp_path / "m.db").stat().st_mode & 0o777 == 0o600
    assert (first.header, first.header.round) == (again.header, "one")
    assert aggregate([first, others]).users == 100
    with refused(InputError):
        aggregate([first, second])
    with refused(InputError):
        aggregate([first, again])
    with refused(InputError):
        collect("one", 75)


def test_each_report_counts_once(tmp_path):
    one, other = (privatize(VALUES, "grr", epsilon=1, domain=CITIES) for _ in range(2))
    assert aggregate([one, other]).users == 2000
    one.save(tmp_path / "r.parquet")
    for twice in ([one, one], [one, tmp_path / "r.parquet"]):
        with refused(InputError):
            aggregate(twice)
    with refused(InputError):
        aggregate([tmp_path / "r.parquet", str(tmp_path / "r.parquet")])


BAD = {
    "another item": {"values": ["Cork", "Sligo"]},
    "no value": {"values": ["Cork", None]},
    "no number": {"values": np.array([1.0, np.nan])},
    "nothing": {"values": []},
    "a table": {"values": pa.table({"city": ["Cork"]})},
    "one text": {"values": "Cork"},
    "a matrix": {"values": np.zeros((2, 2))},
    "no domain": {"domain": None},
    "no privacy": {"epsilon": None},
    "users alone": {"users": ["me"]},
    "memory alone": {"memory": "m.db"},
    "no round": {"users": ["me"], "memory": "m.db"},
    "no memory of grr": {"users": ["me"], "memory": "m.db", "round": "one"},
    "fewer users": {"oracle": "dbitflip", "values": ["Cork"] * 2, "users": [1], "memory": "m.db", "round": "one"},
    "a maximum": {"maximum": 3},
    "an oracle": {"oracle": "gr"},
}


def test_what_is_refused():
    for changes in BAD.values():
        options = {"values": ["Cork"], "oracle": "grr", "epsilon": 1, "domain": CITIES, **changes}
        with refused(InputError):
            privatize(options.pop("values"), options.pop("oracle"), **options)


def test_what_cannot_be_aggregated(tmp_path):
    with refused(InputError):
        aggregate([])
    one = privatize(VALUES, "grr", epsilon=1, domain=CITIES)
    other = privatize(VALUES, "grr", epsilon=2, domain=CITIES)
    with refused(InputError):
        aggregate([one, other])
    with refused(InputError, about="domain"):
        aggregate(one, domain=CITIES[::-1])
    with refused(InputError, about="reports"):
        one.save("r.csv")


def test_a_task_says_what_reports_are_about():
    task = make_task("oue", epsilon=1, domain=["no", "yes"])
    reports = privatize(["no", "yes"], task)
    assert reports.header.task == task
    assert aggregate(reports, task=task).users == 2
    other = make_task("oue", epsilon=2, domain=["no", "yes"])
    with refused(InputError):
        aggregate(reports, task=other)
    with refused(InputError):
        privatize(["no"], task, epsilon=1)


def test_attributes_of_a_task_stay_in_its_order():
    task = make_task("inpps", epsilon=1, domain={"a": ["0", "1"], "b": ["0", "1", "2"]})
    people = {"b": [2, 0], "a": [1, 1]}
    assert privatize(people, task).header.task == task
    assert privatize(people, task, columns=["a", "b"]).header.task == task
    with refused(InputError, about="columns"):
        privatize(people, task, columns=["b", "a"])


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


def test_two_columns_of_a_table():
    for kind in TABLES:
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
    with refused(InputError, about="items"):
        aggregate([ordered, other])


def test_many_bins_need_no_list_of_items():
    made = privatize(["4194303", "17"], "hrr", epsilon=1, bins="0:4194304:1")
    assert (made.header.task.items, made.header.task.bins) == (None, ("0:4194304:1",))
    assert len(made.header.to_json()) < 1000


def test_what_bins_do_not_go_with():
    for options in [
        {"bins": "0:9:1", "domain": ["a", "b"]},
        {"domain": ["a", "b"], "beyond": "clip"},
        {"bins": "0:9:1", "beyond": "drop"},
        {"bins": ["0:9:1"] * 2},
        {"bins": "0:9:1", "columns": ["a", "b"]},
        {"bins": []},
        {"bins": "0:9:1", "columns": ["a"]},
        {"bins": "0:9:1", "ordered": True},
        {"bins": "0:9:1"},
    ]:
        with refused(InputError):
            privatize([1, 2, 9], "grr", epsilon=1, **options)
