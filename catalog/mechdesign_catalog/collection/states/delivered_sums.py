"""Sums from secure aggregation, which were added up elsewhere: no report is seen.

The vector that each user contributes is stated by the oracle (`Contribution`). A file of sums is CSV with the columns
`part,place,sum`, places counted from 0 in each part; `part` may be left out where there is one.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.sources import open_csv
from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import InputError, quote, shorten
from mechdesign_catalog.collection.states.collection_state import MOST_USERS, CollectionState
from mechdesign_catalog.collection.states.provenance import Provenance, named
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.contributions import Part, Sums, require_sums
from mechdesign_catalog.randomizers.reports.reports import State

PART, PLACE, SUM = "part", "place", "sum"
LARGEST_SUM = 2**63 - 1


def delivered_state(task: Task, sums: ArrayLike, users: int, source: str | None = None) -> CollectionState:
    """Make the state of so many users whose vectors add up to these sums.

    Args:
        task: what the users contributed to.
        sums: whole numbers, shape (length of the vector,), all parts after each other.
        users: number N of users.
        source: a name of the delivery, by which it is not counted twice; without one the state is unguarded.

    Raises:
        InputError: for no users, or sums that no N vectors add up to.
    """
    if isinstance(users, bool) or not isinstance(users, int) or not 1 <= users <= MOST_USERS:
        raise InputError(f"users must be a whole number from 1 to 2^53, got users={users}")
    given = np.asarray(sums)
    if given.dtype.kind not in "iu" or given.ndim != 1 or (given.dtype.kind == "u" and (given > LARGEST_SUM).any()):
        raise InputError(f"sums must be a vector of whole numbers of 63 bits, got {given.dtype}, {given.shape}")
    checked = require_sums(task_oracle(task).contribution, given.astype(np.int64), users)
    provenance = Provenance(unguarded=True) if source is None else Provenance(frozenset({named(source)}))
    return CollectionState(task, State(task.parameters, users, checked), provenance)


def read_sums(path: FilePath, task: Task, users: int, source: str | None = None) -> CollectionState:
    """Read the sums of a task from a CSV file with the columns part, place, sum; `source` as in `delivered_state`.

    Raises:
        InputError: for other columns, a place that is missing, unknown or there twice, and as `delivered_state`.
    """
    file = Path(path)
    with open_csv(file, "sums") as (header, rows):
        sums = _placed(header, rows, task_oracle(task).contribution.parts, str(file))
    try:
        return delivered_state(task, sums, users, source)
    except InputError as error:
        raise InputError(f"{error} in {file}") from None


def sums_csv(state: CollectionState) -> bytes:
    """Write the sums of a state as `read_sums` reads them."""
    parts = task_oracle(state.task).contribution.parts
    places = ((part.name, place) for part in parts for place in range(part.length))
    totals = state.sums.sums.tolist()
    return csv_bytes((PART, PLACE, SUM), ((*place, total) for place, total in zip(places, totals, strict=True)))


def _placed(header: list[str], rows: Iterator[list[str]], parts: Sequence[Part], name: str) -> Sums:
    """Put each sum in its place of the vector."""
    starts, start = {}, 0
    for part in parts:
        starts[part.name] = (start, part.length)
        start += part.length
    of_sum, of_place = (column_position(header, title, name) for title in (SUM, PLACE))
    of_part = column_position(header, PART, name) if PART in header or len(parts) > 1 else None
    found = np.zeros(start, dtype=np.int64)
    seen = np.zeros(start, dtype=np.bool_)
    for number, row in enumerate(rows, start=1):
        where = f"in row {number} of {name}"
        word = parts[0].name if of_part is None else row[of_part].strip()
        if word not in starts:
            raise InputError(f"part must be one of {shorten(', '.join(starts))}, got {quote(word)} {where}")
        first, length = starts[word]
        place = _whole(row[of_place], PLACE, where)
        if not 0 <= place < length:
            raise InputError(f"place must be in 0..{length - 1} of {word}, got {place} {where}")
        if seen[first + place]:
            raise InputError(f"each place must be given once, got {place} of {word} twice, {where}")
        found[first + place] = _whole(row[of_sum], SUM, where)
        seen[first + place] = True
    if not seen.all():
        missing = int(np.argmin(seen))
        word = next(word for word, (first, length) in starts.items() if first <= missing < first + length)
        raise InputError(
            f"each place must be given, got no sum for place {missing - starts[word][0]} of {word} in {name}"
        )
    return found


def _whole(text: str, name: str, where: str) -> int:
    word = text.strip()
    digits = word.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= 19 and abs(int(word)) <= LARGEST_SUM:
        return int(word)
    raise InputError(f"{name} must be a whole number of 63 bits, got {quote(text)} {where}")
