"""Tables in, the same kind of tables out: exact draws, nothing left of the true column, and estimates from them."""

import csv
import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from wording import refused

from mechdesign.counts.estimation.estimate import estimate_counts
from mechdesign.counts.release import CHUNK_ROWS, MechanismChooser, ReleaseColumns, release_rows
from mechdesign.counts.tables import estimate, release
from mechdesign.designs import design
from mechdesign.documents.csv_rows import read_rows
from mechdesign.documents.storage import export
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model

BEST = design(DesignProblem(8, "9/10", properties="WH,CM"))
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
TOWNS = {"town": ["Cork", "Galway", None, "Sligo"], "boys": [3, 5, 0, 8], "area": [1.5, None, 2.0, 0.1]}


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def column(table, name):
    values = table[name]
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def columns(table):
    return list(table.column_names if isinstance(table, pa.Table) else table.columns)


def test_the_true_column_goes_and_the_others_stay_as_they_are(make):
    table = make(TOWNS)
    found = release(table, BEST, column="boys")
    assert type(found) is type(table)
    assert columns(found) == ["town", "area", "released"]
    assert column(found, "town")[:2] == ["Cork", "Galway"]
    assert column(found, "area")[2:] == [2.0, 0.1]
    assert all(0 <= count <= 8 and count == int(count) for count in column(found, "released"))
    assert columns(table) == list(TOWNS)
    assert columns(release(table, BEST, column="boys", keep_true=True)) == [*TOWNS, "released"]


@pytest.mark.slow
def test_the_draws_are_those_of_a_file(make):
    counts = np.random.default_rng(1).integers(0, 9, CHUNK_ROWS + 500).tolist()
    header, rows = read_rows(io.StringIO("c\n" + "".join(f"{count}\n" for count in counts)), "in.csv")
    output = io.StringIO()
    chooser = MechanismChooser.one(BEST.mechanism, seeded_words(7))
    release_rows(rows, ReleaseColumns.find(header, None, None, False, "in.csv"), chooser, output, "in.csv")
    from_file = [int(row[0]) for row in csv.reader(output.getvalue().splitlines()[1:])]
    assert column(release(make({"c": counts}), BEST, seed=7), "released") == from_file


def test_without_a_seed_no_two_releases_are_alike(make):
    table = make({"c": [4] * 500})
    assert column(release(table, BEST), "released") != column(release(table, BEST), "released")


def test_the_law_is_that_of_the_mechanism(make):
    released = column(release(make({"c": [2] * 40_000}), BEST, seed=3), "released")
    shares = np.bincount(released, minlength=9) / len(released)
    expected = BEST.mechanism.matrix()[:, 2]
    assert np.abs(shares - expected).max() < 5 * np.sqrt(expected.max() / len(released))


def test_sizes_differ(make, tmp_path):
    path = tmp_path / "two.json"
    export(design(DesignProblem(2, "9/10")), path)
    made = []

    def sized(n):
        made.append(n)
        return str(path) if n == 2 else design(DesignProblem(n, "9/10"))

    found = release(make({"sick": [2, 0, 5, 1], "people": [2, 5, 5, 2]}), sized, column="sick", size="people")
    assert columns(found) == ["people", "released"]
    assert all(released <= size for released, size in zip(column(found, "released"), [2, 5, 5, 2], strict=True))
    assert sorted(made) == [2, 5]
    with refused(InputError, about="mechanism"):
        release(make({"c": [1, 1], "n": [8, 5]}), lambda n: BEST, column="c", size="n")


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ({"c": [1, 9]}, {}),
        ({"c": [1, -1]}, {}),
        ({"c": [1.0, 2.5]}, {}),
        ({"c": [1, None]}, {}),
        ({"c": [1.0, float("nan")]}, {}),
        ({"c": [True, False]}, {}),
        ({"c": ["1", "x"]}, {}),
        ({"c": [1], "d": [1]}, {}),
        ({"c": [1], "d": [1]}, {"column": "e"}),
        ({"c": [1], "released": [1]}, {"column": "c"}),
        ({"c": [1]}, {"size": "c"}),
    ],
)
def test_bad_tables(values, options, make):
    with refused(InputError):
        release(make(values), BEST, **options)


def test_empty_tables(make):
    with refused(InputError):
        release(make({"c": []}), BEST)


def test_whole_numbers_in_other_clothes(make):
    for values in ([1.0, 8.0], ["1", " 8"]):
        assert len(column(release(make({"c": values}), BEST), "released")) == 2
    assert len(release(pd.DataFrame({"c": pd.array([1, 8], dtype="UInt8")}), BEST)) == 2
    assert len(release(pd.DataFrame({"c": np.array([1, 8], dtype=object)}), BEST)) == 2
    assert len(release(pl.DataFrame({"c": pl.Series([1, 8], dtype=pl.UInt64)}), BEST)) == 2


@pytest.mark.parametrize("table", [{"c": [1]}, pl.LazyFrame({"c": [1]}), "counts.csv", None])
def test_what_is_no_table(table):
    with refused(InputError, about="table"):
        release(table, BEST)


def test_odd_names_are_named():
    with refused(InputError):
        release(pd.DataFrame([[1, 2]], columns=["a", "a"]), BEST, column="a")
    with refused(InputError):
        release(pd.DataFrame({0: [1]}), BEST)


@pytest.mark.parametrize(
    "mechanism",
    [
        Mechanism(((1, 0), (0, 1)), 1),
        design(DesignProblem(model=Model.ldp(3), alpha="1/2")),
        np.eye(2),
        "missing.json",
    ],
)
def test_mechanisms_that_release_nothing(mechanism, make):
    with refused(InputError):
        release(make({"c": [1, 0]}), mechanism)


# Privacy and pandas.


def test_an_index_and_untouched_columns_survive():
    table = pd.DataFrame(
        {"kind": pd.Categorical(["a", "b", "a"]), "boys": [1, 2, 3], "object": [(1,), None, {"x": 1}]},
        index=pd.Index([7, 7, 2], name="id"),
    )
    found = release(table, BEST, column="boys")
    pd.testing.assert_frame_equal(found[["kind", "object"]], table[["kind", "object"]])
    alone = release(table[["boys"]], BEST)
    assert (alone.index.tolist(), alone.index.name, list(alone.columns)) == ([7, 7, 2], "id", ["released"])


def test_nothing_of_the_true_column_stays_behind(make):
    found = release(make({"other": [1, 2], "boys": [1, 0], "more": [3, 4]}), BEST, column="boys")
    assert b"boys" not in pickle.dumps(found)
    assert "boys" not in repr(found)


def test_memory_is_not_shared_with_the_true_column():
    table = pd.DataFrame(np.array([[100, 1, 200], [101, 4, 201], [102, 7, 202]]), columns=["a", "boys", "b"])
    table.attrs["truth"] = [1, 4, 7]
    always_0 = Mechanism((((1,) * 9), *(((0,) * 9,) * 8)), 1)
    found = release(table, always_0, column="boys")
    assert (found.attrs, table.attrs) == ({}, {"truth": [1, 4, 7]})
    for name in found.columns:
        whole = found[name].to_numpy()
        while whole.base is not None:
            whole = whole.base
        assert set(whole.ravel().tolist()) & {1, 4, 7} == set()


def test_an_index_of_true_counts_is_refused():
    table = pd.DataFrame({"boys": [1, 2], "town": ["a", "b"]}).set_index("boys", drop=False)
    with refused(InputError):
        release(table, BEST, column="boys")


def test_notes_of_pandas_in_an_arrow_table_forget_the_true_column():
    frame = pd.DataFrame({"boys": [1, 2], "town": ["a", "b"]}, index=pd.Index([5, 6], name="id"))
    found = release(pa.Table.from_pandas(frame), BEST, column="boys")
    assert b"boys" not in found.schema.metadata[b"pandas"]
    assert found.to_pandas()[["town"]].equals(frame[["town"]])


# Estimates.


def test_tables_columns_and_lists_say_the_same(make, tmp_path):
    counts = [0, 1, 1, 8, 3]
    wanted = estimate_counts(BEST.mechanism, [1, 2, 0, 1, 0, 0, 0, 0, 1])
    path = tmp_path / "best.json"
    export(BEST, path)
    table = make({"town": ["a"] * 5, "released": counts})
    assert estimate(table, BEST) == wanted
    assert estimate(table, str(path), column="released") == wanted
    assert estimate(make({"noisy": counts}), BEST.mechanism) == wanted
    assert estimate(table["released"], BEST) == wanted
    for values in (counts, tuple(counts), np.array(counts), np.array(counts, dtype=np.uint8)):
        assert estimate(values, BEST) == wanted


@pytest.mark.parametrize(
    ("released", "options"),
    [
        (pd.DataFrame({"a": [1], "b": [1]}), {}),
        (pl.DataFrame({"released": [1, 9]}), {}),
        ([1, 2.5], {}),
        ([], {}),
        ([[1, 2], [3]], {}),
        ("released.csv", {}),
        ([1], {"column": "a"}),
        ([1], {"confidence": 2}),
    ],
)
def test_bad_releases(released, options):
    with refused(InputError):
        estimate(released, BEST, **options)
