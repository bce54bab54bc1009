"""Columns of any library as texts: of many rows the same as of few, and far fewer texts held."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mechdesign import InputError
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.datasets.texts import FEW, CodedTexts, column_texts, many_texts

MANY = FEW // 3 + 1
TEXTS = ["Cork", "Galway ", "Cork"] * MANY
NUMBERS = [3, -1, 3] * MANY
TRUTHS = [True, False, True] * MANY
CODED = {
    "list": TEXTS,
    "tuple": tuple(NUMBERS),
    "truths": TRUTHS,
    "numpy texts": np.array(TEXTS),
    "numpy numbers": np.array(NUMBERS, dtype=np.int8),
    "numpy truths": np.array(TRUTHS),
    "pandas": pd.Series(TEXTS),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas categories": pd.Series(TEXTS, dtype="category"),
    "pandas numbers": pd.Series(NUMBERS),
    "polars": pl.Series(TEXTS),
    "polars categories": pl.Series(TEXTS, dtype=pl.Categorical),
    "arrow": pa.array(TEXTS),
    "arrow chunks": pa.chunked_array([TEXTS[:5], TEXTS[5:]]),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
}
SPELLED = {
    "floats": [1.0, 2.5] * FEW,
    "numpy floats": np.array([1.0, 2.5] * FEW),
    "mixed": [1, "a", True] * FEW,
    "numbers and truths": [1, True] * FEW,
    "truths and numbers": [True, 1] * FEW,
    "numbers and floats": [1, 2.5] * FEW,
    "large": [2**70, 1] * FEW,
    "decimals": [decimal.Decimal("1.50")] * 2 * FEW,
    "range": range(2 * FEW),
    "bytes": [b"a"] * 2 * FEW,
    "none": [],
}


@pytest.mark.parametrize("kind", CODED)
def test_many_are_the_same_texts(kind):
    found, wanted = many_texts(CODED[kind], "x"), column_texts(CODED[kind], "x")
    assert isinstance(found, CodedTexts)
    assert len(found.texts) == 2
    assert (len(found), list(found), list(found[7:90]), found[4]) == (len(wanted), wanted, wanted[7:90], wanted[4])
    assert isinstance(many_texts(CODED[kind][:9], "x"), list)


@pytest.mark.parametrize("kind", SPELLED)
def test_other_values_are_spelled_one_by_one(kind):
    assert many_texts(SPELLED[kind], "x") == column_texts(SPELLED[kind], "x")


@pytest.mark.parametrize("column", [pd.Series([*TEXTS, None]), pl.Series([*NUMBERS, None]), [*TEXTS, None]])
def test_a_missing_value_is_named_by_its_row(column):
    with pytest.raises(InputError, match=f"values must not be missing, got none in row {len(TEXTS) + 1} of x"):
        many_texts(column, "x")


@pytest.mark.parametrize("column", [np.zeros((2000, 2)), "text", 5, pd.DataFrame({"a": TEXTS})])
def test_what_is_no_column_is_refused(column):
    with pytest.raises(InputError, match="x must be a list, an array or a column of a table"):
        many_texts(column, "x")


def test_domains_take_coded_texts():
    domain = Domain(("Galway", "Cork"))
    found = domain.encode(many_texts(TEXTS, "x"), "x")
    assert found.tolist() == [1, 0, 1] * MANY
    with pytest.raises(InputError, match=f"got another in row {len(TEXTS) + 3} of x"):
        domain.encode(many_texts([*TEXTS, "Derry"], "x"), "x", first_row=3)
    with pytest.raises(InputError, match="got a blank cell in row 2 of x"):
        domain.encode(many_texts(["Cork", " ", *TEXTS], "x"), "x")
