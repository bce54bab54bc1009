"""Prove a release record again: every design, what follows from them, and that output and input belong to it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.counts.release import ReleaseColumns
from mechdesign.documents.claims import Claim, document_claims, require_true
from mechdesign.documents.files import FilePath
from mechdesign.documents.json_text import json_number
from mechdesign.documents.laws import law_claims
from mechdesign.documents.sources import open_table
from mechdesign.errors import InputError
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.privacy import epsilon_bounds, loss_text
from mechdesign.rational import number_text
from mechdesign.releases.designing import LAW_GAP
from mechdesign.releases.microdata import count_groups
from mechdesign.releases.output import ReleasedCounts, read_output
from mechdesign.releases.record import SIZE, LawEntry, ReleaseRecord, SizeEntry, file_digest
from mechdesign.releases.record_document import StoredRecord, read_stored_record
from mechdesign.releases.secret_key import input_hmac, read_key
from mechdesign.releases.statement import statement

EPSILON_EXCESS = Fraction(1, 10**9)
"""The stated epsilon may be above the loss by this share of it, never below."""


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
        claims += output_claims(stored.record, Path(output))
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
    stored = read_stored_record(Path(path))
    require_true(record_claims(stored), str(path))
    return stored.record


def read_release(output: Path, record: Path) -> tuple[ReleaseRecord, ReleasedCounts]:
    """Read the record and the output of a release, and prove all that they say.

    Raises:
        InputError: for a file that is unusable.
        RefusedError: naming the first thing in the record that is false, or false of this output.
    """
    known = read_record(record)
    require_true(output_claims(known, output), str(output))
    return known, read_output(known, output)


def record_claims(stored: StoredRecord) -> Iterator[Claim]:
    """Test what a record says, without its output: designs first, then what is said of them."""
    record, raw = stored.record, stored.raw
    for entry, stated in zip(record.sizes, raw["sizes"], strict=True):
        document = entry.document
        assert document is not None  # else the record is not read
        yield from _design_claims(entry, list(document_claims(document)))
        same = stated["design"] == entry.digest
        yield Claim(f"n = {entry.size}: the digest is that of the design", same, f"it is {entry.digest}")
        asked = document.problem.privacy.alpha
        own = asked if record.values else tightest_alpha(document.weights, document.problem.graph).alpha
        private = own is not None and record.keeps(own)
        yield Claim(f"n = {entry.size}: the design keeps {_kept(record)}", private)
    if record.law is not None:
        found = list(_law_claims(record, record.law, raw))
        yield from found
        if not all(claim.true for claim in found):
            return  # what follows from a law is told of one that is true
    yield Claim("all designs are for one problem, but for n", len(set(_problems(record))) == 1)
    yield _epsilon_claim(record, raw["privacy"]["epsilon"])
    for name, value in (("groups", record.groups), ("units", record.units)):
        yield Claim(f"{name} is the sum over the sizes", raw[name] == value, f"it is {value}")
    digest = record.designs_digest
    yield Claim("designs_sha256 is the digest of the designs' digests", raw["designs_sha256"] == digest, digest)
    last = record.last_columns
    words = "the released counts are the last column" if len(last) == 1 else "the counts and intervals are last"
    yield Claim(words, record.columns[-len(last) :] == last)
    if record.group is not None:
        named = (*record.name_columns, SIZE, *last) == record.columns and record.size_column == SIZE
        names = ("group" if record.region is None else "region, group") + (", category" if record.values else "")
        yield Claim(f"the output of microdata has the columns {names}, size, {', '.join(last)}", named)
    one = record.size_column is not None or len(record.groups_by_size) == 1
    yield Claim("groups of several sizes have a column of sizes", one)
    yield Claim("the statement is the one that follows from the record", raw["statement"] == statement(record))


def _kept(record: ReleaseRecord) -> str:
    return f"alpha = {number_text(record.alpha)}{', twice' if record.values else ''}"


def _design_claims(entry: SizeEntry, found: list[Claim]) -> Iterator[Claim]:
    """Sum up the claims of a design that is true; list those that are not."""
    false = [claim for claim in found if not claim.true]
    for claim in false:
        yield Claim(f"n = {entry.size}: {claim.claim}", False, claim.detail)
    if not false:
        yield Claim(f"n = {entry.size}: all {len(found)} claims of the design are proved", True)


def _law_claims(record: ReleaseRecord, law: LawEntry, raw: Mapping[str, Any]) -> Iterator[Claim]:
    """Test a law, and whether it serves the sizes that were released by it."""
    found = list(law_claims(law.design))
    false = [claim for claim in found if not claim.true]
    for claim in false:
        yield Claim(f"the law: {claim.claim}", False, claim.detail)
    if false:
        return
    yield Claim(f"the law: all {len(found)} claims are proved", True)
    stated = raw["law_sizes"]["design"]
    yield Claim("the law: the digest is that of its document", stated == law.digest, f"it is {law.digest}")
    private = record.keeps(law.law.problem.privacy.alpha)
    yield Claim(f"the law keeps {_kept(record)}", private)
    small = law.ends[0] < law.law.least
    yield Claim(f"the law is proved for every size that it serves, from {law.law.least} on", not small)
    if not small:
        where = " and at n = ".join(map(str, law.ends))
        near = f"the law is within {float(LAW_GAP):g} of the best at n = {where}"
        yield Claim(near, law.gap <= LAW_GAP, f"the gap is {float(law.gap):.2g}")


def _problems(record: ReleaseRecord) -> Iterator[object]:
    """Yield what each design and the law are for, but for n."""
    yield from map(_problem, record.sizes)
    if record.law is not None:
        own = record.law.law.problem
        yield DesignProblem(1, privacy=own.privacy, properties=own.properties, loss=own.loss)


def _problem(entry: SizeEntry) -> DesignProblem:
    """Return the problem of a design as if it were for one person: what designs for several sizes share."""
    assert entry.document is not None
    own = entry.document.problem
    if own.loss.table is not None or own.prior.table is not None:  # of one size only
        return own
    return DesignProblem(
        1,
        privacy=own.privacy,
        properties=own.properties,
        loss=own.loss,
        prior=None if own.is_worst_case else own.prior,
        aggregate=own.aggregate,
    )


def _epsilon_claim(record: ReleaseRecord, stated: object) -> Claim:
    low, high = epsilon_bounds(record.alpha)
    text = "epsilon is -ln(alpha), not below it"
    told = json_number(stated, "epsilon")
    return Claim(text, high <= told <= low * (1 + EPSILON_EXCESS), f"it is {loss_text(record.alpha, 12)}")


def output_claims(record: ReleaseRecord, output: Path) -> Iterator[Claim]:
    """Test whether a file of released counts is the output of a record: digest, columns, groups, sizes, ranges."""
    found = read_output(record, output)
    digest = file_digest(output)
    yield Claim("the output's digest is that of the record", digest == record.output_digest, f"it is {digest}")
    same = found.header == record.columns
    yield Claim("the output has the record's columns", same, f"it has {', '.join(found.header)[:200]}")
    if not same:
        return
    stated = record.groups_by_size
    if record.values:
        unfit = found.first_unfit(record.values)
        yield Claim("every group has a count of each value, in their order", unfit is None, f"row {unfit} does not fit")
        if unfit is not None:
            return
    one = found.of_value(record.values[0]) if record.values else found
    yield Claim("the output has as many groups of each size as the record", one.groups == stated)
    outside = found.outside
    yield Claim("every released count is in 0..n", outside is None, f"that of row {outside} is above its size")
    if record.confidence is not None and outside is None and one.groups == stated:
        wrong = found.wrong_interval(record)
        yield Claim("every interval follows from its count", wrong is None, f"that of row {wrong} does not")
    if record.group is not None:
        again = one.again
        if again is not None:
            again = (again - 1) * max(1, len(record.values)) + 1
        yield Claim(
            "every group stands once",
            again is None,
            f"that of row {again} stood before, and spends again, or has a name that no release writes",
        )
        yield Claim("the groups are sorted by name", one.is_sorted)
        yield Claim("the output has line feeds, and no byte order mark", found.is_plain)


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
