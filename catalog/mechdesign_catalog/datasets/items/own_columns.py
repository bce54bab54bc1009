"""Columns of a CSV file of one's own as data, for trials: their values become known."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from mechdesign.counts.release import CHUNK_ROWS
from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.sources import Source, open_table
from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.items.bins import Beyond, Bins, as_beyond, parse_grid
from mechdesign_catalog.datasets.items.counts import ItemCounts, Values
from mechdesign_catalog.datasets.items.table import MOST_CELLS, ItemTable

MOST_ITEMS = 1000
"""Items of an attribute: whoever has more of them has numbers, or names, and no table to show."""


def read_item_table(path: FilePath, columns: Sequence[str] | None = None) -> ItemTable:
    """Read users with several attributes from a CSV file with a header; the items are those that occur.

    Items are in their order: numbers by size, before other texts by the alphabet. Who reports under local privacy may
    not take the items from the values; this is for trials, where the values are known.

    Args:
        path: one row for each user.
        columns: those to take, in this order; all if not given.

    Raises:
        InputError: for an unreadable file, an unknown column, no row, a blank cell, or a column with less than two or
            more than 1000 different items.
    """
    with open_table(Path(path)) as source:
        names = list(source.header) if columns is None else list(columns)
        at = [column_position(source.header, name, source.name, "columns") for name in names]
        if len(set(at)) < len(at):
            raise InputError(f"columns must be different ones, got {shorten(', '.join(names))}")
        items: list[dict[str, int]] = [{} for _ in names]
        parts = [_codes(rows, at, names, items, done, source) for done, rows in _chunks(source)]
    if not parts:
        raise InputError(f"the input must have at least one row, got none in {path}")
    values = np.concatenate(parts)
    for place, (name, seen) in enumerate(zip(names, items, strict=True)):
        if len(seen) < 2:
            raise InputError(f"column {shorten(name)} must have at least 2 different items, got 1 in {path}")
        order = sorted(seen, key=_order)
        number = np.empty(len(order), dtype=np.int64)
        number[[seen[item] for item in order]] = np.arange(len(order))
        values[:, place] = number[values[:, place]]
        items[place] = dict.fromkeys(order, 0)
    return ItemTable(Path(path).name, tuple(names), tuple(map(tuple, items)), values)


def _chunks(source: Source) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield some rows at a time, each time with the number of those before."""
    done = 0
    while rows := list(islice(source.rows, CHUNK_ROWS)):
        yield done, rows
        done += len(rows)


def _codes(
    rows: list[list[str]], at: list[int], names: list[str], items: list[dict[str, int]], done: int, source: Source
) -> Values:
    """Number the cells of some rows by column, in the order in which they come; new ones are added to `items`."""
    found = np.empty((len(rows), len(at)), dtype=np.int64)
    for place, (column, name, seen) in enumerate(zip(at, names, items, strict=True)):
        cells = [row[column].strip() for row in rows]
        if "" in cells:
            row = done + cells.index("") + 1
            raise InputError(f"column {shorten(name)} must have no blank cell, got one in row {row} of {source.name}")
        found[:, place] = [seen.setdefault(cell, len(seen)) for cell in cells]
        if len(seen) > MOST_ITEMS:
            raise InputError(
                f"column {shorten(name)} must have at most {MOST_ITEMS:,} different items, got more in {source.name}; "
                "numbers and dates go into bins"
            )
    return found


def _order(item: str) -> tuple[bool, float, str]:
    """Whole numbers by size, then texts by the alphabet."""
    is_whole = item.removeprefix("-").isdecimal() and item.isascii()
    return not is_whole, float(item) if is_whole else 0.0, item


def count_bins(
    path: FilePath,
    columns: str | Sequence[str],
    bins: str | Sequence[str],
    beyond: Beyond | str | None = None,
) -> ItemCounts:
    """Count how many rows of a CSV file have their number or date in each bin, or in each pair of bins of two columns.

    Args:
        path: one row for each user, with a header.
        columns: the name of the column, or of two.
        bins: FIRST:LAST:STEP, as 0:120:1 or 2020-01-01:2021-01-01:7d; two of them for two columns.
        beyond: what becomes of values beyond the bins: refuse (if not given), or clip.

    Raises:
        InputError: for an unreadable file, an unknown column, no row, more than 2^20 bins, columns that are not as many
            as lists of bins, and as `parse_bins` and `Bins.encode`.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    domain = parse_grid([bins] if isinstance(bins, str) else bins)
    clipped = as_beyond(beyond)
    if len(names) != len(domain.texts):
        raise InputError(f"columns must be as many as the bins, {len(domain.texts)}, got {len(names)}")
    if domain.k > MOST_CELLS:
        raise InputError(f"bins must be at most {MOST_CELLS:,} to be counted, got {domain.k:,}")
    counts = np.zeros(domain.k, dtype=np.int64)
    with open_table(Path(path)) as source:
        at = [column_position(source.header, name, source.name, "columns") for name in names]
        for done, rows in _chunks(source):
            texts = [[row[place] for row in rows] for place in at]
            if isinstance(domain, Bins):
                found = domain.encode(texts[0], f"column {names[0]} of {source.name}", done + 1, clipped)
            else:
                found = domain.encode(texts, source.name, done + 1, clipped)
            counts += np.bincount(found, minlength=domain.k)
    if not counts.any():
        raise InputError(f"the input must have at least one row, got none in {path}")
    return ItemCounts(f"{Path(path).name}, {' and '.join(names)}", tuple(domain.items), counts)
