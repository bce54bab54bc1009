"""Values that no argument is meant to be: of other types, too large, unwritable, unreadable."""

from fractions import Fraction

import numpy as np
import pandas as pd


class Unwritable:
    """An object whose texts cannot be had."""

    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Text(str):
    """A text of a type of its own."""

    __slots__ = ()


ITSELF: list = []
ITSELF.append(ITSELF)


def duplicate_columns():
    frame = pd.DataFrame([[1, 2], [3, 4]])
    frame.columns = ["count", "count"]
    return frame


WRONG = {
    "None": None,
    "True": True,
    "False": False,
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "-0.0": -0.0,
    "0": 0,
    "1": 1,
    "-1": -1,
    "half": 0.5,
    "2.5": 2.5,
    "-2.5": -2.5,
    "tiny": 5e-324,
    "largest float": 1.7e308,
    "2^31": 2**31,
    "2^53 + 1": 2**53 + 1,
    "2^63": 2**63,
    "-2^63 - 1": -(2**63) - 1,
    "2^128": 2**128,
    "5,000 digits": 10**5000,
    "minus 5,000 digits": -(10**5000),
    "fraction": Fraction(1, 3),
    "negative fraction": Fraction(-7, 2),
    "fraction of 5,000 digits": Fraction(1, 10**5000 + 1),
    "complex": 1j,
    "np.int64": np.int64(5),
    "np.int8": np.int8(-5),
    "np.uint64": np.uint64(2**64 - 1),
    "np.float64": np.float64(0.3),
    "np.float64 nan": np.float64("nan"),
    "np.float32": np.float32(0.3),
    "np.bool": np.bool_(True),
    "np.str": np.str_("text"),
    "np.datetime64": np.datetime64("2026-01-01"),
    "no text": "",
    "blanks": "   ",
    "text": "text",
    "text of a type of its own": Text("text"),
    "number as text": "5",
    "decimal": "0.5",
    "exponent": "1e999",
    "exponent of zeros": "1e-999",
    "0/0": "0/0",
    "5,000 digits as text": "9" * 5000,
    "5,000 letters": "x" * 5000,
    "folders of 5,000 letters": "x/" * 2500,
    "two lines": "one\ntwo",
    "NUL": "a\0b",
    "escape": "\x1b[31mred",
    "half a letter": "\ud800",
    "half a letter at the end": "file\udfff.json",
    "right to left": "\u202egnirts",
    "emoji": "\U0001f600",
    "colon": "a:b:c",
    "comma": "a,b,,c",
    "missing folder": "/nowhere/at/all/file.json",
    "missing file": "missing.json",
    "root": "/",
    "folder": ".",
    "device": "/dev/zero",
    "home": "~nobody/x",
    "bytes": b"text",
    "no bytes": b"",
    "bytearray": bytearray(b"text"),
    "memoryview": memoryview(b"text"),
    "empty list": [],
    "empty tuple": (),
    "empty dict": {},
    "empty set": set(),
    "list of None": [None],
    "list of nan": [float("nan")],
    "list of bool": [True, False],
    "list of texts": ["a", "b"],
    "list of numbers": [1, 2],
    "mixed": [1, "a", None, 2.5],
    "rows": [[1, 2], [3, 4]],
    "ragged rows": [[1, 2], [3]],
    "rows without cells": [[], []],
    "rows of None": [[None, None], [None, None]],
    "rows of texts": [["a", "b"], ["c", "d"]],
    "rows of nan": [[float("nan")] * 2] * 2,
    "huge in a list": [10**5000],
    "list of itself": ITSELF,
    "dict": {"a": 1},
    "dict of lists": {"count": [1, 2]},
    "set": {1, 2},
    "range": range(3),
    "empty array": np.array([]),
    "array": np.array([1.0, 2.0]),
    "0-dimensional array": np.array(5),
    "matrix": np.eye(2),
    "three dimensions": np.zeros((2, 2, 2)),
    "array of objects": np.array([None, "x"], dtype=object),
    "array of texts": np.array(["a", "b"]),
    "array of nan": np.array([np.nan]),
    "complex array": np.array([1j]),
    "array of 2^63": np.array([2**63], dtype=np.uint64),
    "structured array": np.zeros(2, dtype=[("a", int)]),
    "duplicate columns": duplicate_columns(),
    "frame of texts": pd.DataFrame({"count": ["a", None]}),
    "frame without rows": pd.DataFrame({"count": []}),
    "series": pd.Series([1, 2]),
    "a callable": lambda *values: None,
    "a type": type("Anything", (), {}),
    "a module": np,
    "an error": ValueError("x"),
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
    "object": object(),
    "unwritable": Unwritable(),
    "slice": slice(1),
}
