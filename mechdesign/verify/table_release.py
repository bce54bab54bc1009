"""Records of tables of counts that were released through a noise table, proved or refuted, with their output.

The noise itself needs the secret, and the promise of several cells a convolution: both are for `mechdesign check`.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from .noise_table import LARGE, NoiseTableDocument, noise_claims, read_noise_table
from .output import csv_rows, file_bytes
from .proving import Claim
from .texts import UnreadableError, different_texts, entries, items, number, rational, shown, text, whole

FORMAT = "mechdesign-table-release/1"
TOP = (
    *("format", "version", "date", "name", "variables", "sets", "sets_so_far", "domain", "hide", "unit_column"),
    *("table_sha256", "input", "output", "promise", "statement", "table"),
)
NOT_LOOKED_AT = (
    "not looked at: the promise of several cells, the statement in words, the input, the noise, and an output that is "
    "not named"
)
LARGEST_HIDDEN, MOST_SETS = 10_000, 1 << 12
RELEASED, TRUE = "released", "true"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COUNT = re.compile(r"0|[1-9][0-9]{0,17}")
Variables = tuple[str, ...]


@dataclass(frozen=True)
class Promised:
    """Delta of so many cells at an epsilon, as stated."""

    epsilon: Fraction
    start: int | str
    cells: int
    delta: Fraction


@dataclass(frozen=True)
class TableRelease:
    """The record of a release of tables."""

    name: str
    variables: Variables
    sets: tuple[Variables, ...]
    so_far: tuple[Variables, ...]
    domain: bool
    hide: int
    unit_column: str | None
    table_digest: str
    input_code: str
    columns: list[str]
    output_digest: str
    promise: tuple[Promised, ...]
    statement: tuple[str, ...]
    table: NoiseTableDocument


def read_table_release(data: Any) -> TableRelease:
    """Read the record of a release of tables from JSON values, the keys and types of FORMAT.md alone.

    Raises:
        UnreadableError: saying what is none of it.
    """
    entries(data, "record", TOP, ("x",))
    if data["format"] != FORMAT:
        raise UnreadableError(f"format must be {FORMAT}, got {shown(data['format'])}")
    text(data["version"], "version")
    _require_date(data["date"])
    if type(data["domain"]) is not bool:
        raise UnreadableError(f"domain must be true or false, got {shown(data['domain'])}")
    output = entries(data["output"], "output", ("columns", "sha256"))
    return TableRelease(
        text(data["name"], "name"),
        tuple(different_texts(data["variables"], "variables")),
        _read_sets(data["sets"], "sets"),
        _read_sets(data["sets_so_far"], "sets_so_far"),
        data["domain"],
        whole(data["hide"], "hide", 0, LARGEST_HIDDEN),
        None if data["unit_column"] is None else text(data["unit_column"], "unit_column"),
        _digest(data["table_sha256"], "table_sha256"),
        _digest(entries(data["input"], "input", ("hmac_sha256",))["hmac_sha256"], "hmac_sha256"),
        different_texts(output["columns"], "columns"),
        _digest(output["sha256"], "sha256"),
        tuple(items(data["promise"], "promise", _read_promise)),
        tuple(items(data["statement"], "statement", text)),
        read_noise_table(data["table"]),
    )


def _require_date(value: object) -> None:
    try:
        date.fromisoformat(text(value, "date"))
    except ValueError:
        raise UnreadableError(f"date must be a day such as 2026-01-31, got {shown(value)}") from None


def _read_sets(value: object, name: str) -> tuple[Variables, ...]:
    found = tuple(items(value, name, lambda one, key: tuple(different_texts(one, key))))
    if len(set(found)) < len(found) or not 0 < len(found) <= MOST_SETS:
        raise UnreadableError(f"{name} must be different sets of variables, 1 to {MOST_SETS}, got others")
    return found


def _digest(value: object, name: str) -> str:
    if type(value) is not str or not _DIGEST.fullmatch(value):
        raise UnreadableError(f"{name} must be 64 hexadecimal digits, got {shown(value)}")
    return value


def _read_promise(value: object, name: str) -> Promised:
    found = entries(value, name, ("epsilon", "start", "cells", "delta"))
    start = found["start"] if found["start"] == LARGE else whole(found["start"], "start", 0, 1000)
    cells = whole(found["cells"], "cells", 1, 2 * MOST_SETS)
    return Promised(rational(found["epsilon"], "epsilon"), start, cells, number(found["delta"], "delta"))


def digest_of(table: NoiseTableDocument) -> str:
    """Return the SHA-256 of a table's rows and denominator, as the record states it."""
    rows = [[[noise, str(weight)] for noise, weight in sorted(row.items()) if weight] for row in table.rows]
    written = json.dumps([rows, str(table.denominator)], separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def release_claims(record: TableRelease) -> Iterator[Claim]:
    """Yield every claim of a record that needs no secret, with a verdict."""
    yield from noise_claims(record.table)
    own = digest_of(record.table)
    yield Claim("the noise table has the record's digest", own == record.table_digest, f"it is {own}")
    yield from _set_claims(record)
    from_zero = any(record.table.problem.start(one) == 0 for one in record.table.problem.guarantees)
    yield Claim("a guarantee from count 0 on goes with public items", record.domain or not from_zero, "there are none")
    m = len(record.so_far)
    expected = [
        (times * one.epsilon, one.start, cells)
        for one in record.table.problem.guarantees
        for times, cells in ((1, m), (m, m), (2 * m, 2 * m))
    ]
    stated = [(one.epsilon, one.start, one.cells) for one in record.promise]
    words = f"{m} cells of a unit are published under this name, and the promise is of {m} and of {2 * m}"
    yield Claim(words, stated == expected, "it is of others")


def _set_claims(record: TableRelease) -> Iterator[Claim]:
    names, sets = set(record.variables), set(record.sets)
    closed = all(
        tuple(sorted(set(one) - {name})) in sets and set(one) <= names and tuple(sorted(one)) == one
        for one in sets
        for name in one
    )
    yield Claim("every set of variables comes with all its margins", closed and () in sets, "one is missing")
    inside = set(record.sets) <= set(record.so_far)
    yield Claim("what was published so far includes what is published here", inside, "it does not")
    expected = [[*record.variables, RELEASED], [*record.variables, RELEASED, TRUE]]
    yield Claim("the columns are the variables, then released", record.columns in expected, "they are others")


def release_output_claims(record: TableRelease, path: Path) -> Iterator[Claim]:
    """Yield every claim about a file of released cells.

    Raises:
        UnreadableError: for a file that cannot be read.
    """
    data = file_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    yield Claim("the output has the record's digest", digest == record.output_digest, f"it is {digest}")
    header, *rows = csv_rows(data)
    fits = header == record.columns
    yield Claim("the output has the record's columns", fits, "it has others")
    if fits:
        yield from _cell_claims(record, rows)


def _cell_claims(record: TableRelease, rows: list[list[str]]) -> Iterator[Claim]:
    width = len(record.variables)
    cells = [tuple(row[:width]) for row in rows]
    yield Claim("every cell stands once", len(set(cells)) == len(cells), "one stands twice")
    sets = {_set_of(record, cell) for cell in cells}
    yield Claim("cells are of the sets of variables that are published", sets == set(record.sets), "others are there")
    block, hide = record.table.problem.block, record.hide
    wrong = next((k for k, row in enumerate(rows, 1) if not _may_be(row[width], block, hide)), None)
    yield Claim("every released count is one that the table gives", wrong is None, f"that of row {wrong} is not")
    if record.domain:
        known: dict[str, set[str]] = {
            name: {cell[k] for cell in cells} - {""} for k, name in enumerate(record.variables)
        }
        combinations = sum(prod(len(known[name]) for name in one) for one in record.sets)
        whole = combinations == len(cells) == len(set(cells))
        yield Claim("every combination of the items that occur stands there", whole, "one is missing")


def _set_of(record: TableRelease, cell: tuple[str, ...]) -> Variables:
    return tuple(sorted(name for name, value in zip(record.variables, cell, strict=True) if value))


def _may_be(released: str, block: int, hide: int) -> bool:
    if hide and released == f"<{hide}":
        return True
    if not _COUNT.fullmatch(released):
        return False
    return not 1 <= int(released) <= block and int(released) >= hide
