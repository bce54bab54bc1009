"""Tables of counts released through a noise table: counted, noted under the release's name, and written.

The order is what makes it safe to be killed anywhere: what will be published is noted in the secret first, and then
output and record appear together. The same command again gives the same cells.
"""

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.files import FilePath, require_other_files, require_writable, write_together
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.noise_tables import read_noise_table_file
from mechdesign.errors import InputError, quote, shorten
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.problem import PERTURBED
from mechdesign.rational import fraction_text
from mechdesign.releases.secret_key import InputDigest
from mechdesign.table_releases.cells import Cell, CountedCells, count_cells, parse_tables, read_items, sorted_cells
from mechdesign.table_releases.noise import CellNoise, table_digest
from mechdesign.table_releases.promise import Promise, promises
from mechdesign.table_releases.secret import keep_secret, note_release, open_secret
from mechdesign.table_releases.statement import statement
from mechdesign.verify.table_release import FORMAT, LARGEST_HIDDEN, RELEASED, TRUE
from mechdesign.version import __version__

LONGEST_NAME = 200


@dataclass(frozen=True)
class TableRelease:
    """A release of tables of counts.

    Attributes:
        counted: the true counts of the cells that are published.
        released: the published counts; None for one that is hidden.
        record: the JSON object of its record.
        output: the bytes of its file of cells.
        promises: what it promises, for each guarantee of the table, of m and of 2m cells.
        made_secret: whether the secret was made now.
    """

    counted: CountedCells
    released: dict[Cell, int | None]
    record: dict[str, Any]
    output: bytes
    promises: tuple[tuple[Promise, Promise, Promise], ...]
    made_secret: bool


@checked
def apply_noise_table(
    table: FilePath,
    input: FilePath,
    by: Sequence[str],
    *,
    secret: FilePath,
    name: str,
    output: FilePath,
    record: FilePath,
    domain: FilePath | None = None,
    unit_column: str | None = None,
    hide: int = 0,
    keep_true: bool = False,
) -> TableRelease:
    """Release tables of counts through a noise table, with all their margins, and write output and record.

    Args:
        table: the document of a noise table.
        input: a CSV or Parquet file; each row is one protected unit.
        by: for each table its variables, separated by commas.
        secret: the office's secret; it is made where there is none. Whoever has it can undo all noise.
        name: of the release; another input or another noise table needs another name.
        output: the file of cells: the variables, then `released`; an empty field means all values.
        record: the file of the record.
        domain: a CSV file `column,item` of the public items, all of whose cells are published; without it those that
            occur are, and which these are is then public.
        unit_column: a column that names the units, each of which must have one row.
        hide: released counts below it are written as one mark.
        keep_true: write the true counts too, for the office alone.

    Raises:
        InputError: for input that is unusable, or a name that was used for another input or table.
        RefusedError: for a noise table that claims what is false.
    """
    paths = [Path(output), Path(record), Path(secret)]
    _require_arguments(name, hide, paths, [Path(table), Path(input), *([] if domain is None else [Path(domain)])])
    tables = parse_tables(by)
    stored = read_noise_table_file(table).stored
    if stored is None:
        raise InputError(f"table must be a document of mechdesign table design (.json), got {table}")
    design = stored.proved()
    if design.problem.zeros == PERTURBED and domain is None:
        raise InputError("domain must be given where zeros are perturbed, for every cell is published then, got none")
    if domain is None and any(design.problem.start_of(one) == 0 for one in design.problem.guarantees):
        raise InputError(
            "domain must be given for a guarantee from count 0 on, got none: which cells occur tells 0 from 1; "
            "design the table with @1, or give the public items"
        )
    key, is_new = open_secret(Path(secret))
    digest = InputDigest(key.input_key)
    items = None if domain is None else read_items(domain)
    counted = count_cells(Path(input), tables, unit_column, items, digest)
    if is_new:
        keep_secret(paths[2], key)
    noted = note_release(paths[2], key, name, table_digest(design.mechanism), digest.result(), counted.sets)
    noise = CellNoise(design.mechanism, key.noise_key, name, digest.result())
    released = {cell: _hidden(count + noise.of(cell, count), hide) for cell, count in counted.counts.items()}
    content = cells_csv(counted, released, hide, keep_true)
    found = promises(design.mechanism, _points(design), len(noted))
    document = {
        "format": FORMAT,
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "name": name,
        "variables": list(counted.variables),
        "sets": [list(names) for names in counted.sets],
        "sets_so_far": [list(names) for names in noted],
        "domain": domain is not None,
        "hide": hide,
        "unit_column": unit_column,
        "table_sha256": table_digest(design.mechanism),
        "input": {"hmac_sha256": digest.result()},
        "output": {
            "columns": [*counted.variables, RELEASED, *([TRUE] if keep_true else [])],
            "sha256": hashlib.sha256(content).hexdigest(),
        },
        "promise": [promise_entry(one) for three in found for one in three],
        "statement": statement(design.problem, found, len(noted), domain is not None),
        "table": parse_json(document_text(design_document(design)), str(table)),
    }
    write_together({paths[0]: content, paths[1]: document_text(document).encode()})
    return TableRelease(counted, released, document, content, tuple(found), is_new)


def _require_arguments(name: str, hide: int, targets: Sequence[Path], sources: Sequence[Path]) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"name must be a printable text of at most {LONGEST_NAME} letters, got {quote(name)}")
    if not 0 <= hide <= LARGEST_HIDDEN:
        raise InputError(f"hide must be from 0 to {LARGEST_HIDDEN}, got hide={hide}")
    for number, path in enumerate(targets):
        if path.resolve() in {other.resolve() for other in targets[:number]}:
            raise InputError(f"output, record and secret must be different files, got {shorten(path)} twice")
    for path in targets[:2]:
        require_writable(path)
    require_other_files(targets, sources)


def _points(design: NoiseTableDesign) -> list[tuple[Any, int | str, int]]:
    problem = design.problem
    return [(one.epsilon, one.start or 0, problem.start_of(one)) for one in problem.guarantees]


def _hidden(released: int, hide: int) -> int | None:
    return released if released >= hide else None


def cells_csv(counted: CountedCells, released: dict[Cell, int | None], hide: int, keep_true: bool) -> bytes:
    """Write the cells, the total first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*counted.variables, RELEASED, *([TRUE] if keep_true else [])])
    for cell in sorted_cells(released, counted.variables):
        own, value = dict(cell), released[cell]
        shown = f"<{hide}" if value is None else value
        kept = [counted.counts[cell]] if keep_true else []
        writer.writerow([*(own.get(name, "") for name in counted.variables), shown, *kept])
    return stream.getvalue().encode()


def promise_entry(promise: Promise) -> dict[str, Any]:
    """Write a promise as JSON values."""
    return {
        "epsilon": fraction_text(promise.epsilon),
        "start": promise.start,
        "cells": promise.cells,
        "delta": promise.delta,
    }
