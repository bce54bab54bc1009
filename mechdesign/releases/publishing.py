"""Publication of a table of true counts in a file, with its record.

A release that was begun is finished, never drawn again.
"""

import csv
import hashlib
import io
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import IO

from mechdesign.counts.release import MechanismChooser, Progress, ReleaseColumns, release_rows
from mechdesign.documents.csv_rows import Cells
from mechdesign.documents.files import require_new
from mechdesign.documents.sources import open_table
from mechdesign.errors import InputError
from mechdesign.ledgers.payment import Payment
from mechdesign.mechanism.sampling import WordSource
from mechdesign.releases.designing import Designs, GivenMechanism
from mechdesign.releases.intervals import GroupIntervals
from mechdesign.releases.record import INTERVALS, LawEntry, ReleaseRecord, SizeEntry, needed_format, spent_alpha
from mechdesign.releases.record_document import record_text
from mechdesign.releases.staging import ExistingRelease, OutputPaths, Stage
from mechdesign.version import __version__

IN_MEMORY = 1 << 24
"""Bytes of drawn output that are kept in memory; more go to a file without a name."""


@dataclass(frozen=True)
class TrueCounts:
    """A table of true counts, and what they are counts of.

    Args:
        columns: where the true count stands, and the size if rows have their own.
        rows: read once.
        source: what errors call the table.
        counted: the column of the bits, or of the counts.
        group: the column of the groups' names, where rows of units were counted.
        unit: what is protected.
        unit_column: the column in which no unit stands twice.
        region: the column of their regions' names, where groups stand in regions.
        values: of a category, each of which is counted in each group; none for a bit.
        size: of every group, where rows do not have their own and no mechanism is given.
        input_hmac: the code of the input under the secret key, once all rows are read; None without a key.
        input: the file, where there is one.
        confidence: of the intervals that are asked for; None for none.
    """

    columns: ReleaseColumns
    rows: Iterable[Cells]
    source: str
    counted: str
    group: str | None = None
    unit: str = "person"
    unit_column: str | None = None
    size: int | None = None
    input_hmac: Callable[[], str | None] = lambda: None
    input: Path | None = None
    confidence: Fraction | None = None
    region: str | None = None
    values: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The header of the output."""
        return (*self.columns.written(), *(() if self.confidence is None else INTERVALS))


@dataclass(frozen=True)
class Released:
    """The record of a release, and how far an earlier run had come with it; None where this run drew it.

    `replaced` tells whether the output took the place of a file that was there before; `changed` is when the input
    was changed after the draw, as far as its date tells.
    """

    record: ReleaseRecord
    earlier: Stage | None
    replaced: bool = False
    changed: datetime | None = None


def publish(
    table: TrueCounts,
    designs: Designs,
    places: OutputPaths,
    words: WordSource | None = None,
    progress: Progress = lambda rows: None,
    payment: Payment | None = None,
    replaces: bool = False,
) -> Released:
    """Draw a noisy count for each true one, and publish output and record; or finish what an earlier run has drawn.

    Args:
        table: of the true counts.
        designs: the mechanisms.
        places: where output and record go.
        words: of a seed, for a simulation; else the operating system's.
        progress: told how many rows are done.
        payment: from the account of a ledger, before anything is drawn.
        replaces: whether a new draw may take the place of files that are there.

    Raises:
        BudgetError: where less is left of the budget.
        InputError: for a table that is unfit, files that cannot be written, or must not be replaced, or what an earlier
            run has left of another command.
    """
    _require_plain(table)
    paid = Payment() if payment is None else payment
    with places.alone():
        found = places.look()
        if found is not None and _continues(found, table, designs, words is not None, places):
            _require_same_rows(found, table)
            changed = _changed_since(found, table)
            paid.adopt(found.record.output_digest, found.record.alpha)
            places.publish(found.stage, paid.deliver)
            return Released(found.record, found.stage, changed=changed)
        if not replaces:
            for name, path in (("output", places.output), ("record", places.record)):
                if path is not None:
                    require_new(name, path, words is not None)
        replaced = places.output.exists()
        paid.settle_earlier()
        with _nameless(places.output.parent) as drawn, paid.drawing():  # what is staged is not taken back
            paid.reserve()
            record = _draw(table, designs, words, drawn, progress, places.output.parent)
            paid.note_draw(record.output_digest)
            places.stage(record_text(record), drawn)
        places.publish(Stage.DRAWN, paid.deliver)
    return Released(record, None, replaced)


def finish(places: OutputPaths) -> ExistingRelease | None:
    """Publish what an interrupted run has drawn, without the table that it is of; nothing is drawn.

    Returns:
        What was found, with the stage that the earlier run had reached; None where nothing was drawn, or it is lost.

    Raises:
        InputError: for remains that do not belong together, or files that cannot be renamed.
    """
    with places.alone():
        found = places.look()
        if found is not None and found.stage is not Stage.PUBLISHED:
            places.publish(found.stage)
    return found


def _require_plain(table: TrueCounts) -> None:
    """Refuse names that would break the lines of a statement, or that intervals need."""
    if table.confidence is not None and (taken := set(table.columns.written()) & set(INTERVALS)):
        raise InputError(f"columns must not be called {min(taken)}, as an interval is, got one in {table.source}")
    for name in (*table.columns.header, table.counted, table.group or "", table.region or "", table.unit_column or ""):
        if not name.isprintable():
            raise InputError(f"columns must have names in one line, got {name[:40]!a} in {table.source}")


def _continues(
    existing: ExistingRelease, table: TrueCounts, designs: Designs, seeded: bool, places: OutputPaths
) -> bool:
    """Return whether what an earlier run has left is of this command; False for another release, which is complete.

    An input that was changed makes another release only of one that is complete: to finish a draw takes no counts.

    Raises:
        InputError: where it is of another command, and not complete.
    """
    other = next(_differences(existing, table, designs, seeded), None)
    if existing.stage is Stage.PUBLISHED:
        return other is None and _changed_since(existing, table) is None
    if other is not None:
        raise InputError(
            f"a release must be finished before the next, got {places.staged_output}, drawn for {other}; run that "
            "command again, or delete it with --discard (it was drawn)"
        )
    return True


def _differences(existing: ExistingRelease, table: TrueCounts, designs: Designs, seeded: bool) -> Iterator[str]:
    """Yield in what a record differs from what is asked for now."""
    record, columns = existing.record, table.columns
    size_column = None if columns.size is None else columns.header[columns.size]
    stated: tuple[tuple[str, object, object], ...] = (
        ("column", record.column, table.counted),
        ("group", (record.region, record.group), (table.region, table.group)),
        ("unit", record.unit, table.unit),
        ("unit column", record.unit_column, table.unit_column),
        ("size column", record.size_column, size_column),
        ("columns", record.columns, table.header),
        ("list of values", record.values, table.values),
        ("alpha", record.alpha, spent_alpha(designs.alpha, table.values)),
        ("confidence", record.confidence, table.confidence),
        ("seed", record.simulation, seeded),
    )
    for name, was, now in stated:
        if was != now:
            yield f"another {name}"
    if not all(map(designs.agrees, (*record.sizes, *(() if record.law is None else (record.law,))))):
        yield "another design"


def _changed_since(existing: ExistingRelease, table: TrueCounts) -> datetime | None:
    """Return when the input was changed after the draw; None where it was not, or where its code is what tells."""
    bound = existing.record.input_hmac is not None and table.input_hmac() is not None
    if bound or table.input is None:
        return None
    status = table.input.stat()
    if status.st_mtime_ns <= existing.output.stat().st_mtime_ns:
        return None
    return datetime.fromtimestamp(status.st_mtime, UTC)


def _require_same_rows(existing: ExistingRelease, table: TrueCounts) -> None:
    """Hold what was published, or waits to be, against the table as it is now: all but the counts must be the same.

    Raises:
        InputError: naming the first row that differs, or an input with another code.
    """
    at = existing.record.released_at
    with open_table(existing.output) as drawn:
        for number, (row, other) in enumerate(zip_longest(table.rows, drawn.rows), start=1):
            if row is None or other is None or table.columns.rewritten(row, "")[:-1] != other[:at]:
                raise InputError(
                    f"rows must be those of the release in {existing.output}, got another in row {number} of "
                    f"{table.source}; {_serves(existing)}"
                )
    code = table.input_hmac()
    if code is not None and code != existing.record.input_hmac:
        raise InputError(
            f"input must be that of the release in {existing.output}, got another, or another key; {_serves(existing)}"
        )


def _serves(existing: ExistingRelease) -> str:
    waits = "" if existing.stage is Stage.PUBLISHED else ", or --discard deletes this one (it was drawn)"
    return f"take other names for another release{waits}"


def _draw(
    table: TrueCounts,
    designs: Designs,
    words: WordSource | None,
    drawn: IO[bytes],
    progress: Progress,
    folder: Path,
) -> ReleaseRecord:
    """Write the output to `drawn`, and make the record of it; `folder` has room for it."""
    size = designs.size if isinstance(designs, GivenMechanism) else table.size
    single = None if size is None else designs.mechanism(size)
    chooser = MechanismChooser(designs.mechanism, words, single, designs.by_law)
    text = io.TextIOWrapper(drawn, encoding="utf-8", newline="", write_through=True)
    try:
        release_rows(table.rows, table.columns, chooser, text, table.source, progress)
        text.detach()
        drawn.flush()
    except OSError as error:
        raise InputError(f"output could not be written ({error.strerror})") from None
    columns = table.columns
    served = chooser.served
    drawn_of = {n: number // max(1, len(table.values)) for n, number in chooser.drawn.items()}
    sizes = tuple(SizeEntry(n, drawn_of[n], designs.entry(n)) for n in sorted(drawn_of.keys() - served))
    law = None
    if served and designs.law is not None:
        law = LawEntry({n: drawn_of[n] for n in sorted(served)}, designs.law.entry)
    record = ReleaseRecord(
        column=table.counted,
        group=table.group,
        unit=table.unit,
        unit_column=table.unit_column,
        alpha=spent_alpha(designs.alpha, table.values),
        sizes=sizes,
        columns=table.header,
        size_column=None if columns.size is None else columns.header[columns.size],
        output_digest="",
        input_hmac=table.input_hmac(),
        simulation=words is not None,
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        confidence=table.confidence,
        format=needed_format(sizes, table.confidence, table.group, law, table.region, table.values),
        law=law,
        region=table.region,
        values=table.values,
    )
    if table.confidence is not None:
        _append_intervals(record, drawn, folder)
    drawn.seek(0)
    return replace(record, output_digest=_digest(drawn))


def _append_intervals(record: ReleaseRecord, drawn: IO[bytes], folder: Path) -> None:
    """Write the interval of each group behind its count: nothing is drawn, they follow from the counts."""
    assert record.confidence is not None
    known = GroupIntervals(record, record.confidence)
    drawn.seek(0)
    plain = io.TextIOWrapper(drawn, encoding="utf-8", newline="")
    with _nameless(folder) as spare:
        text = io.TextIOWrapper(spare, encoding="utf-8", newline="", write_through=True)
        rows, writer = csv.reader(plain), csv.writer(text, lineterminator="\n")
        at = None if record.size_column is None else record.columns.index(record.size_column)
        single = next(iter(record.groups_by_size))
        next(rows)
        writer.writerow(record.columns)
        for row in rows:
            size = single if at is None else int(row[at])
            writer.writerow([*row, *known.of(size, int(row[-1]))])
        text.detach()
        plain.detach()
        spare.seek(0)
        drawn.seek(0)
        shutil.copyfileobj(spare, drawn)
        drawn.flush()


def _digest(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := stream.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


@contextmanager
def _nameless(folder: Path) -> Iterator[IO[bytes]]:
    """Open a file that nobody can find: in memory while it is small, then on the disk without a name."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(folder)) as stream:
        yield stream
