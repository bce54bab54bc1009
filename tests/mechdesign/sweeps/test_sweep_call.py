"""A sweep in one call: values or texts, rows and tables, and sweeps that go on."""

from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from sweep_work import untimed
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.loss import Loss
from mechdesign.sweeps.sweep import sweep
from mechdesign.sweeps.table import table_bytes
from mechdesign.sweeps.worker import COLUMNS

ASKED = {"n": "2:4:2", "alpha": "1/2,0.9", "properties": "none;WH,CM", "loss": "L0,L1"}


@pytest.fixture(scope="module")
def rows():
    return sweep(**ASKED)


@pytest.mark.slow
def test_values_and_texts_ask_the_same(rows):
    losses = ["L0", Loss.parse("L1")]
    values = sweep([2, 4], [Fraction(1, 2), 0.9], properties=["none", ("WH", "CM")], loss=losses, jobs=2)
    assert list(map(untimed, values)) == list(map(untimed, rows))


def test_one_of_each_is_enough():
    (row,) = sweep(k=3, alpha="1/2", model="ldp", loss=Loss.parse("L1"))
    assert (row.model, row.k, row.n, row.loss) == ("ldp", 3, None, "L1")


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_a_table_is_written_where_one_is_asked(name, rows, tmp_path):
    path = tmp_path / name
    found = sweep(**ASKED, output=str(path))
    assert list(map(untimed, found)) == list(map(untimed, rows))
    assert path.read_bytes() == table_bytes(found, path.suffix)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    with refused(InputError, about="output"):
        sweep(**ASKED, output=path)
    assert len(sweep(2, "1/2", output=path, overwrite=True)) == 1


def test_a_stopped_sweep_goes_on(rows, tmp_path):
    path = tmp_path / "s.parquet"
    seen = []

    def stop(finished):
        if finished == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(**ASKED, output=path, report=stop)
    assert not path.exists()
    found = sweep(**ASKED, output=path, report=seen.append)
    assert list(map(untimed, found)) == list(map(untimed, rows))
    assert min(seen) >= 5  # those five were not designed again
    assert pq.read_table(path).num_rows == len(rows)


def test_rows_are_tables_to_pandas_and_polars(rows):
    assert list(pd.DataFrame(rows).columns) == list(pl.DataFrame(rows).columns) == list(COLUMNS)
    assert pd.DataFrame(rows)["score"].tolist() == pl.DataFrame(rows)["score"].to_list() == [row.score for row in rows]


@pytest.mark.parametrize(
    "options",
    [
        {"n": None},
        {"k": 3},
        {"model": "metric"},
        {"n": [2, 2.5]},
        {"n": True},
        {"n": []},
        {"alpha": ["1/2", 1.7]},
        {"properties": ["none", " "]},
        {"output": "s.json"},
        {"jobs": 0},
    ],
)
def test_bad_sweeps(options):
    with refused(InputError):
        sweep(**(ASKED | options))
