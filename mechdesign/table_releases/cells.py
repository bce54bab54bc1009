"""Cells of tables of counts: every combination of some variables, with all margins down to the total."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from pathlib import Path

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.sources import Tap, open_csv, open_table
from mechdesign.errors import InputError, argument, quote, shorten

Cell = tuple[tuple[str, str], ...]
"""Pairs (variable, value) in the order of the variables' names; a margin leaves variables out."""

MOST_VARIABLES = 12
MOST_CELLS = 5_000_000
Variables = tuple[str, ...]


@dataclass(frozen=True)
class CountedCells:
    """Counts of the cells of some sets of variables.

    Attributes:
        variables: all of them, in the order in which they were first named.
        sets: the sets of variables, each with all its subsets, once.
        counts: the number of units of each cell that is published.
    """

    variables: Variables
    sets: tuple[Variables, ...]
    counts: Mapping[Cell, int]


def parse_tables(tables: Sequence[str]) -> tuple[Variables, ...]:
    """Read what `--by` names: variables separated by commas, one list for each table.

    Raises:
        InputError: for no table, a name twice in one, an empty name, or more than 12 variables.
    """
    if not tables:
        raise InputError("by must name variables, got none; try by=education,sex")
    found = tuple(tuple(name.strip() for name in next(csv.reader([text]), [])) for text in tables)
    for names in found:
        if "" in names or not names or len(set(names)) < len(names):
            raise InputError(f"by must have different names, separated by commas, got {quote(','.join(names))}")
        if len(names) > MOST_VARIABLES:
            raise InputError(f"by must have at most {MOST_VARIABLES} variables, got {len(names)}")
    return found


def margins_of(tables: Iterable[Variables]) -> tuple[Variables, ...]:
    """Return all sets of variables that tables with their margins publish, each once, sorted by name within a set.

    >>> margins_of([("sex", "age")])
    ((), ('age',), ('sex',), ('age', 'sex'))
    """
    sets = {
        tuple(sorted(subset))
        for names in tables
        for size in range(len(names) + 1)
        for subset in combinations(names, size)
    }
    return tuple(sorted(sets, key=lambda names: (len(names), names)))


def count_cells(
    path: Path, tables: Sequence[Variables], unit: str | None, domain: Mapping[str, Sequence[str]] | None, tap: Tap
) -> CountedCells:
    """Count the rows of a file in every cell; each row is one protected unit.

    Args:
        path: a CSV or Parquet file with a header.
        tables: lists of variables, which are columns.
        unit: a column that names each unit, which may then have one row alone; None for no such column.
        domain: the items of every variable, whose cells are all published; None for the cells that occur.
        tap: is shown every byte that is read.

    Raises:
        InputError: for a missing column or value, an item outside the domain, a unit in two rows, or too many cells.
    """
    variables = tuple(dict.fromkeys(name for names in tables for name in names))
    if domain is not None:
        _require_known(variables, domain)
    with open_table(path, tap) as source:
        places = [column_position(source.header, name, str(path), "by") for name in variables]
        own = None if unit is None else column_position(source.header, unit, str(path), "unit_column")
        if "released" in variables or "true" in variables:
            raise InputError("by must not name released or true, which are columns of the output")
        tally = _tally(source.rows, places, own, str(path))
    for values in tally:
        _require_values(variables, values, domain, str(path))
    sets = margins_of(tables)
    counts = Counter[Cell](dict.fromkeys(_all_cells(sets, domain), 0) if domain is not None else {(): 0})
    order = sorted(range(len(variables)), key=variables.__getitem__)
    chosen = [[place for place in order if variables[place] in names] for names in sets]
    for values, number in tally.items():
        for members in chosen:
            counts[tuple((variables[place], values[place]) for place in members)] += number
    return CountedCells(variables, sets, counts)


def _tally(rows: Iterable[Sequence[str]], places: Sequence[int], own: int | None, source: str) -> Counter[Variables]:
    """Count the rows of each combination of values; refuse a unit that has two."""
    if own is None:
        return Counter(tuple([row[place] for place in places]) for row in rows)
    found, units = Counter[Variables](), set[str]()
    for number, row in enumerate(rows, 1):
        if row[own] in units:
            raise InputError(f"a unit must have one row, got a second one in row {number} of {source}")
        units.add(row[own])
        found[tuple(row[place] for place in places)] += 1
    return found


def _require_values(
    variables: Variables, values: Variables, domain: Mapping[str, Sequence[str]] | None, source: str
) -> None:
    for name, value in zip(variables, values, strict=True):
        if not value.strip():
            raise InputError(f"every row must have a value of {quote(name)}, got a row without one in {source}")
        if domain is not None and value not in domain[name]:
            raise InputError(f"items of {quote(name)} must be in the domain, got another in {source}")


def _require_known(variables: Variables, domain: Mapping[str, Sequence[str]]) -> None:
    for name in variables:
        if name not in domain:
            raise InputError(f"domain must have items of every variable, got none of {quote(name)}")
    cells = prod(len(domain[name]) + 1 for name in variables)
    if cells > MOST_CELLS:
        raise InputError(f"tables must have at most {MOST_CELLS} cells, got up to {cells}")


def _all_cells(sets: Iterable[Variables], domain: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    for names in sets:
        for values in product(*(domain[name] for name in names)):
            yield tuple(zip(names, values, strict=True))


def read_items(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Read the public items of variables from a CSV file with the columns `column,item`.

    Raises:
        InputError: for another header, a blank, or an item that stands twice.
    """
    found: dict[str, list[str]] = {}
    with open_csv(path, argument("domain")) as (header, rows):
        if header != ["column", "item"]:
            raise InputError(f"domain must have the columns column,item, got {shorten(', '.join(header))} in {path}")
        for number, (name, item) in enumerate(rows, 2):
            if not name or not item.strip() or item in found.get(name, ()):
                raise InputError(f"domain must have every item once, got {quote(item)} in line {number} of {path}")
            found.setdefault(name, []).append(item)
    return {name: tuple(items) for name, items in found.items()}


def sorted_cells(cells: Collection[Cell], variables: Variables) -> list[Cell]:
    """Sort cells for output: the total first, then margins, the values of a variable by their text."""
    place = {name: k for k, name in enumerate(variables)}

    def key(cell: Cell) -> tuple[object, ...]:
        own = sorted((place[name], value) for name, value in cell)
        return len(own), [k for k, _ in own], [value for _, value in own]

    return sorted(cells, key=key)
