"""Reports from Python: the same round trip that `mechdesign privatize` and `mechdesign aggregate` make of files."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.postprocessing import postprocess

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


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_of_every_kind_make_the_same_reports(kind):
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
    assert (np.abs(found.frequencies - [0.5, 0.3, 0.2]) < 6 * found.standard_errors).all()
    reports.save(tmp_path / "r.parquet")
    again = aggregate(str(tmp_path / "r.parquet"))
    assert np.array_equal(again.frequencies, found.frequencies)
    assert ReportFile.at(tmp_path / "r.parquet").header == reports.header
    assert postprocess(found, "norm-sub").frequencies.sum() == pytest.approx(1)
    assert np.array_equal(postprocess(postprocess(found, "norm-sub"), "raw").frequencies, found.estimates)


def test_whole_numbers_are_items_too(tmp_path):
    (tmp_path / "d.txt").write_text("1\n2\n3\n")
    for domain in (range(1, 4), tmp_path / "d.txt", str(tmp_path / "d.txt"), Domain(("1", "2", "3"))):
        assert aggregate(privatize(np.array([1, 2, 3]), "grr", epsilon=9, domain=domain)).items == ("1", "2", "3")


def test_whole_floats_are_whole_numbers():
    assert aggregate(privatize(np.array([1.0, 2.0]), "grr", epsilon=9, domain=[1, 2])).users == 2


def test_pieces_are_joined_in_order(monkeypatch):
    whole = aggregate(privatize(VALUES, "grr", epsilon=30, domain=CITIES, seed=1))
    monkeypatch.setattr("mechdesign_catalog.collection.clients.client.ROWS_AT_ONCE", 7)
    reports = privatize(VALUES, "grr", epsilon=30, domain=CITIES, seed=1)
    assert reports.reports.columns["item"].tolist() == [CITIES.index(value) for value in VALUES]
    assert np.array_equal(aggregate(reports).frequencies, whole.frequencies)


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
    with pytest.raises(InputError, match="rounds of one memory are reports of the same users, got round two in"):
        aggregate([first, second])
    with pytest.raises(InputError, match="each report must be given once"):
        aggregate([first, again])
    with pytest.raises(InputError, match=r"a batch must be new to its round, .*, got 25 of 50 users who answered in"):
        collect("one", 75)


def test_a_batch_that_was_written_twice_counts_once(tmp_path):
    """Once more in another order, and once more with values that changed."""
    names, values = np.arange(50), np.array(VALUES[480:530])

    def collect(order):
        options = {"epsilon": 1, "domain": CITIES, "memory": tmp_path / "m.db", "round": "one"}
        return privatize(values[order], "dbitflip:d=2", users=names[order], **options)

    first, turned = collect(np.arange(50)), collect(np.arange(50)[::-1])
    values[:] = "Derry"
    for other in (turned, collect(np.arange(50))):
        with pytest.raises(
            InputError, match=r"each batch must be given once, got .* users of a batch in memory in the"
        ):
            aggregate([first, other])


@pytest.mark.parametrize("name", ["", " ", "two days", "-1", "x" * 65, "a/b", "a\nb", "é"])
def test_names_of_rounds(name, tmp_path):
    with pytest.raises(InputError, match=r"round must be 1 to 64 letters, digits or . _ : - such as 2026-11-20, got"):
        privatize(["Cork"], "dbitflip", epsilon=1, domain=CITIES, users=[1], memory=tmp_path / "m.db", round=name)
    assert not (tmp_path / "m.db").exists()


def test_users_are_as_many_as_values(tmp_path):
    for users in ([1], [1, 2, 3]):
        with pytest.raises(InputError, match="users must be as many as values, got"):
            privatize(
                ["Cork"] * 2, "dbitflip", epsilon=1, domain=CITIES, users=users, memory=tmp_path / "m.db", round="one"
            )


def test_a_mean():
    found = aggregate(privatize([0, 24.0, "12"] * 2000, "onebitmean", alpha="1/20", maximum=24))
    assert isinstance(found, ReportedMean)
    low, high = found.interval(0.999999)
    assert low < 12 < high


def test_each_report_counts_once(tmp_path):
    one, other = (privatize(VALUES, "grr", epsilon=1, domain=CITIES) for _ in range(2))
    assert aggregate([one, other]).users == 2000
    one.save(tmp_path / "r.parquet")
    for twice in ([one, one], [one, tmp_path / "r.parquet"]):
        with pytest.raises(InputError, match="each report must be given once, got"):
            aggregate(twice)
    with pytest.raises(InputError, match=r"each file of reports must be given once, got .*r.parquet twice"):
        aggregate([tmp_path / "r.parquet", str(tmp_path / "r.parquet")])


BAD = {
    "another item": ({"values": ["Cork", "Sligo"]}, "values must be items of the domain, got another in row 2 of the"),
    "no value": ({"values": ["Cork", None]}, "values must not be missing, got none in row 2 of the values"),
    "no number": ({"values": np.array([1.0, np.nan])}, "values must not be missing, got none in row 2"),
    "nothing": ({"values": []}, "values must have at least one user, got none"),
    "a table": ({"values": pa.table({"city": ["Cork"]})}, "the values must be a list, an array or a column of a table"),
    "one text": ({"values": "Cork"}, "the values must be a list, an array or a column of a table, got str"),
    "a matrix": ({"values": np.zeros((2, 2))}, "the values must be a list, an array or a column of a table, got nd"),
    "no domain": ({"domain": None}, "domain must be given, got none"),
    "no privacy": ({"epsilon": None}, "give alpha or epsilon, got neither"),
    "users alone": ({"users": ["me"]}, "users, memory and round go together, got only users"),
    "memory alone": ({"memory": "m.db"}, "users, memory and round go together, got only memory"),
    "no round": ({"users": ["me"], "memory": "m.db"}, "users, memory and round go together, got only users and memory"),
    "no memory of grr": (
        {"users": ["me"], "memory": "m.db", "round": "one"},
        "memory goes with dbitflip and onebitmean, got it with",
    ),
    "a maximum": ({"maximum": 3}, "maximum goes with onebitmean, got it with grr"),
    "an oracle": ({"oracle": "gr"}, "oracle must be one of grr, .*; did you mean grr"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_what_is_refused(changes, message):
    options = {"values": ["Cork"], "oracle": "grr", "epsilon": 1, "domain": CITIES, **changes}
    with pytest.raises(InputError, match=message):
        privatize(options.pop("values"), options.pop("oracle"), **options)


def test_what_cannot_be_aggregated(tmp_path):
    with pytest.raises(InputError, match="at least one file of reports must be given, got none"):
        aggregate([])
    one = privatize(VALUES, "grr", epsilon=1, domain=CITIES)
    other = privatize(VALUES, "grr", epsilon=2, domain=CITIES)
    with pytest.raises(InputError, match="reports in a batch in memory must be made with the same parameters"):
        aggregate([one, other])
    with pytest.raises(InputError, match="domain must be the one that the reports were made with, got another"):
        aggregate(one, domain=CITIES[::-1])
    with pytest.raises(InputError, match=r"reports must be saved to a \.parquet file, got r\.csv"):
        one.save("r.csv")


def test_a_task_says_what_reports_are_about():
    task = make_task("oue", epsilon=1, domain=["no", "yes"])
    reports = privatize(["no", "yes"], task)
    assert reports.header.task == task
    assert aggregate(reports, task=task).users == 2
    other = make_task("oue", epsilon=2, domain=["no", "yes"])
    with pytest.raises(InputError, match="got privacy=epsilon=1 beside privacy=epsilon=2"):
        aggregate(reports, task=other)
    with pytest.raises(InputError, match="alpha or epsilon must not be given with a task"):
        privatize(["no"], task, epsilon=1)


def test_attributes_of_a_task_stay_in_its_order():
    task = make_task("inpps", epsilon=1, domain={"a": ["0", "1"], "b": ["0", "1", "2"]})
    people = {"b": [2, 0], "a": [1, 1]}
    assert privatize(people, task).header.task == task
    assert privatize(people, task, columns=["a", "b"]).header.task == task
    with pytest.raises(InputError, match="columns must be those of the task, a, b, in this order, got others"):
        privatize(people, task, columns=["b", "a"])
