"""Adult: people of the 1994 census of the United States, with three yes-or-no questions.

B. Becker, R. Kohavi, *Adult*, UCI Machine Learning Repository, 1996. A row for each person, 15 columns between commas,
`?` where unknown. The labels of the test file end in a full stop, and its first line is a comment.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, quote
from mechdesign.names import require_known
from mechdesign_catalog.datasets.counts.people import People
from mechdesign_catalog.datasets.published import PublishedFile
from mechdesign_catalog.datasets.rows import numbered_rows

FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
ADULT = {
    "adult": PublishedFile(
        "adult.data",
        f"{FOLDER}/adult.data",
        ("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",),
    ),
    "adult-test": PublishedFile(
        "adult.test",
        f"{FOLDER}/adult.test",
        (
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            "72567b94f5c1a6f8501377dd80f93892c3848ff071cf91ba47e00b0785a28074",  # copies without the comment line
        ),
    ),
}
WIDTH = 15
DEFAULT_TARGET = "income"


@dataclass(frozen=True)
class Target:
    """A yes-or-no question: the column that answers it, and the bit for a cell, None for one that answers nothing."""

    title: str
    column: int
    bit: Callable[[str], bool | None]


def _older(cell: str) -> bool | None:
    return int(cell) > 30 if cell.isascii() and cell.isdecimal() else None


TARGETS: dict[str, Target] = {
    "income": Target("paid more than 50,000 dollars a year", 14, {">50K": True, "<=50K": False}.get),
    "sex": Target("male", 9, {"Male": True, "Female": False}.get),
    "age": Target("older than 30 years", 0, _older),
}


def open_adult(name: str, target: str | None = None, folder: Path | None = None) -> People:
    """Read all people of `adult` or `adult-test` in the order of the file, with a bit for one target.

    Raises:
        InputError: for an unknown target, with the nearest known one, or a file that is missing or wrong.
    """
    word = DEFAULT_TARGET if target is None else require_known(target, TARGETS, "target")
    file = ADULT[name]
    return People(f"{name}, {word}", parse_adult(file.read(folder), TARGETS[word], file.file_name))


def parse_adult(content: bytes, target: Target, source: str) -> NDArray[np.bool_]:
    """Parse a target's bit for each row, shape (people,).

    Raises:
        InputError: naming the row that does not have 15 columns, or no answer in the target's.

    >>> row = b"39, State-gov, 77516, Bachelors, 13, Never-married, ?, ?, White, Male, 2174, 0, 40, ?, <=50K.\\n"
    >>> parse_adult(b"|1x3 Cross validator\\n" + row, TARGETS["age"], "two lines").tolist()
    [True]
    """
    return np.fromiter(_bits(content, target, source), dtype=np.bool_)


def _bits(content: bytes, target: Target, source: str) -> Iterator[bool]:
    for number, row in numbered_rows(content, WIDTH, source):
        bit = target.bit(row[target.column].strip().removesuffix("."))
        if bit is None:
            raise InputError(
                f"row {number} of {source} must say whether a person is {target.title}, got {quote(row[target.column])}"
            )
        yield bit
