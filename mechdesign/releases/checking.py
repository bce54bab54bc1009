"""Checks of a release record: designs proved again, and digests of output and input."""

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.counts.release import ReleaseColumns
from mechdesign.documents.files import FilePath, require_readable
from mechdesign.documents.sources import open_table
from mechdesign.documents.stored import require_true
from mechdesign.errors import InputError
from mechdesign.releases.microdata import count_groups
from mechdesign.releases.output import ReleasedCounts, read_output
from mechdesign.releases.record import SIZE, ReleaseRecord
from mechdesign.releases.record_document import StoredRecord, read_stored_record
from mechdesign.releases.secret_key import input_hmac, read_key
from mechdesign.releases.statement import statement
from mechdesign.verify import output as verify_output
from mechdesign.verify import record as verify
from mechdesign.verify.proving import Claim
from mechdesign.verify.texts import UnreadableError


@checked
def check_release(
    record: FilePath, output: FilePath | None = None, input: FilePath | None = None, key: FilePath | None = None
) -> tuple[Claim, ...]:
    """Check everything that the record of a release says, and what is given besides.

    Args:
        record: its file.
        output: the file of released counts, which must be the one that the record is of.
        input: the file that was released; goes with `key`.
        key: the secret key under which the record has the input's code.

    Returns:
        What was tested, each true or false, with how it fails.

    Raises:
        InputError: for files that are unusable, or an input without a key.
    """
    if (input is None) != (key is None):
        raise InputError("input and key go together, got one without the other")
    stored = read_stored_record(Path(record))
    claims = list(record_claims(stored))
    if output is not None:
        claims += output_claims(stored, Path(output))
    if input is not None and key is not None:
        claims += input_claims(
            stored.record, Path(input), read_key(Path(key)), None if output is None else Path(output)
        )
    return tuple(claims)


@checked
def read_record(path: FilePath) -> ReleaseRecord:
    """Read the record of a release, and prove it again.

    Raises:
        InputError: for a file that is unusable.
        RefusedError: naming the first thing that is false.
    """
    return _proved(Path(path)).record


def _proved(path: Path) -> StoredRecord:
    stored = read_stored_record(path)
    require_true(record_claims(stored), str(path))
    return stored


def read_release(output: Path, record: Path) -> tuple[ReleaseRecord, ReleasedCounts]:
    """Read the record and the output of a release, and prove all that they say.

    Raises:
        InputError: for a file that is unusable.
        RefusedError: naming the first thing in the record that is false, or false of this output.
    """
    stored = _proved(record)
    require_true(output_claims(stored, output), str(output))
    return stored.record, read_output(stored.record, output)


def record_claims(stored: StoredRecord) -> Iterator[Claim]:
    """Test what a record says, without its output: what `verify` proves of it, then what is said in words."""
    record = stored.record
    proved = list(verify.record_claims(stored.parsed))
    yield from proved
    if record.law is not None and not all(claim.true for claim in proved):
        return  # what follows from a law is told of one that is true
    last = record.last_columns
    words = "the released counts are the last column" if len(last) == 1 else "the counts and intervals are last"
    yield Claim(words, record.columns[-len(last) :] == last)
    if record.group is not None:
        named = (*record.name_columns, SIZE, *last) == record.columns and record.size_column == SIZE
        names = ("group" if record.region is None else "region, group") + (", category" if record.values else "")
        yield Claim(f"the output of microdata has the columns {names}, size, {', '.join(last)}", named)
    one = record.size_column is not None or len(record.groups_by_size) == 1
    yield Claim("groups of several sizes have a column of sizes", one)
    same = stored.raw["statement"] == statement(record)
    yield Claim("the statement is the one that follows from the record", same)


def output_claims(stored: StoredRecord, output: Path) -> Iterator[Claim]:
    """Test whether a file of released counts is the output of a record, by what `verify` says of it.

    Raises:
        InputError: for a file that is unusable, or has a cell that no release writes (naming its row).
    """
    require_readable(output)
    try:
        yield from verify_output.output_claims(stored.parsed, output)
    except UnreadableError as error:
        raise InputError(f"output must be what a release writes, got {output} ({error})") from None


def input_claims(record: ReleaseRecord, input: Path, key: bytes, output: Path | None = None) -> Iterator[Claim]:
    """Test whether a file is the input of a record, and of its output: code, names and sizes of the groups."""
    code = input_hmac(input, key)
    detail = "the record has none" if record.input_hmac is None else f"it is {code} under this key"
    yield Claim("the input is that of the record, by its HMAC-SHA256", code == record.input_hmac, detail)
    try:
        if record.group is not None:
            yield from _group_claims(record, input, output)
        elif output is not None:
            row = _first_difference(record, input, output)
            same = row is None
            yield Claim("all columns but the counts are those of the input", same, f"row {row} differs")
    except InputError as error:
        yield Claim("the input has the columns of the record", False, str(error))


def _group_claims(record: ReleaseRecord, input: Path, output: Path | None) -> Iterator[Claim]:
    with open_table(input) as source:
        found = count_groups(source.header, source.rows, None, record.group_columns, source.name, record.unit_column)
    stated = record.groups_by_size
    yield Claim("the input has as many groups of each size as the record", Counter(found.sizes) == stated)
    if output is not None:
        read = read_output(record, output)
        drawn = read.of_value(record.values[0]) if record.values else read
        known = dict(zip(found.names, found.sizes, strict=True))
        same = len(drawn.names) == len(known) and dict(zip(drawn.names, drawn.sizes, strict=True)) == known
        yield Claim("the output has the names and sizes of the input's groups", same)


def _first_difference(record: ReleaseRecord, input: Path, output: Path) -> int | None:
    """Return the first row in which a table and its output differ in what is published as it is, from 1."""
    with open_table(input) as source, open_table(output) as drawn:
        columns = ReleaseColumns.find(source.header, record.column, record.size_column, False, source.name)
        rows = zip_longest(source.rows, drawn.rows)
        for number, (row, other) in enumerate(rows, start=1):
            if row is None or other is None or columns.rewritten(row, "")[:-1] != other[: record.released_at]:
                return number
    return None
