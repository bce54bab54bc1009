"""Releases from a file into a file, in one call."""

import dataclasses
from contextlib import ExitStack
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.counts.release import ReleaseColumns
from mechdesign.documents.files import FilePath, require_other_files, require_writable
from mechdesign.documents.sources import open_table, taps
from mechdesign.errors import InputError, argument
from mechdesign.ledgers.names import USUAL_UNIT, checked_unit
from mechdesign.ledgers.payment import open_account
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.loss import Loss
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number
from mechdesign.releases.designing import USUAL_LOSS, USUAL_PROPERTIES, DesignedSizes, DesignRequest, GivenMechanism
from mechdesign.releases.inputs import InputColumns, counted_table, table_of_counts
from mechdesign.releases.intervals import interval_confidence
from mechdesign.releases.paying import payment_for_release
from mechdesign.releases.publishing import publish
from mechdesign.releases.record import ReleaseRecord, spent_alpha
from mechdesign.releases.secret_key import InputDigest, open_key
from mechdesign.releases.staging import OutputPaths


@checked
def release_file(
    input: FilePath,
    output: FilePath,
    *,
    record: FilePath | None = None,
    bit: str | None = None,
    category: str | None = None,
    group: str | None = None,
    column: str | None = None,
    size: str | None = None,
    mechanism: FilePath | None = None,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    properties: str = USUAL_PROPERTIES,
    loss: str | Loss = USUAL_LOSS,
    prior: str | Prior | None = None,
    unit: str = USUAL_UNIT,
    unit_column: str | None = None,
    key: FilePath | None = None,
    intervals: Number | None = None,
    seed: int | None = None,
    ledger: FilePath | None = None,
    dataset: str | None = None,
    part: str | None = None,
    replace: bool = False,
) -> ReleaseRecord:
    """Release the true counts of a CSV file: each is replaced by one exact draw of the mechanism for its group's size.

    What an interrupted call has drawn is published by the next one of the same kind, and nothing is drawn anew. Where
    the release is there already, whole and with its record, nothing is done. Any other draw into files that are there
    is refused.

    Args:
        input: microdata, a row for each unit (`bit` or `category`, and `group`), or a table, a row for each group
            (`column`, and `size` where groups differ in size).
        output: the CSV file for the released counts.
        record: the JSON file for the record: designs with their proofs, sizes, digests, the statement.
        bit: the column with a 0 or a 1 for each unit; or `COLUMN=YES/NO`, with the two texts of the column.
        category: the column with one of several values for each unit, `COLUMN=A/B/C`, all of which are counted. A unit
            that moves from one to another changes two counts: each draw has half of the epsilon asked for.
        group: the column that names each unit's group, or `REGION,GROUP`: groups are then the pairs. Names and sizes
            are published, sorted by name.
        column: of the true counts; not needed where there is no other.
        size: the column of the groups' sizes.
        mechanism: a file with the mechanism for all groups; else one is designed for each size.
        alpha: what one unit is given in all, in (0, 1).
        epsilon: instead of alpha.
        properties: of the designs.
        loss: of the designs.
        prior: of the designs; uniform by default.
        unit: what is protected: one row of microdata.
        unit_column: a column in which no unit may stand twice.
        key: the file of a secret key, under which the input's bytes are bound to the record; made if absent.
        intervals: a confidence such as `"0.95"`, with which the output has exact intervals of each true count:
            `low,high` for each group by itself, `low_all,high_all` for all groups at once.
        seed: makes the noise reproducible, for simulation only; such a table must not be published.
        ledger: the file of a `Ledger`, which pays before anything is drawn, and whose unit must be this one.
        dataset: with a ledger, the name of the data set that pays.
        part: with a ledger, the name of those of its units that are in this file, and in no other part.
        replace: draw again though the output is there, and replace it: that one is lost, and both draws spend.

    Returns:
        The record, whether or not it is written.

    Raises:
        InputError: for options that do not go together, an unfit file, remains of another release, or an output that
            is there.
        RefusedError: naming the first false claim of a design document.
        NotCertifiedError, LimitReachedError: where a design fails.
        BudgetError: where less is left of the data set's budget.
    """
    source_path, places = Path(input), OutputPaths.of(Path(output), None if record is None else Path(record))
    require_one_of_microdata(bit, category)
    _require_form(bit or category, group, column, size, mechanism, unit_column)
    sources = [source_path, *_named(mechanism), *_named(ledger)]
    require_places(places, [Path(output), *_named(record)], sources, None if key is None else Path(key))
    designs: DesignedSizes | GivenMechanism
    if mechanism is not None:
        require_no_file(category, Path(mechanism))
        if alpha is not None or epsilon is not None:
            raise InputError("alpha and epsilon go with designs, got one beside a mechanism, which has its own")
        designs = GivenMechanism.read(Path(mechanism))
    else:
        wanted = Loss.parse(loss) if isinstance(loss, str) else loss
        believed = Prior.parse(prior) if isinstance(prior, str) else prior
        designs = DesignedSizes(
            DesignRequest(privacy_of_each(Privacy(alpha, epsilon), category), properties, wanted, believed)
        )
    require_recordable(designs, places)
    confidence = None if intervals is None else interval_confidence(intervals, "intervals")
    code = None if key is None else InputDigest(open_key(Path(key))[0])
    word = checked_unit(unit)
    account = open_account(ledger, dataset, part, word, seed)
    hint = None if account is None else InputDigest(account.ledger.header.key)
    payment = payment_for_release(
        account, places, spent_alpha(designs.alpha, category or ""), (lambda: "") if hint is None else hint.result
    )
    payment.require_room()
    with ExitStack() as stack:
        source = stack.enter_context(open_table(source_path, taps(*(tap for tap in (code, hint) if tap is not None))))
        if group is not None:
            asked = InputColumns(word, bit, group, unit_column, category=category)
            table, sizes = counted_table(source, source_path, asked, code, lambda read: None)
            designs.prepare(sizes, lambda done: None)
        else:
            columns = ReleaseColumns.find(source.header, column, size, keep_true=False, source=source.name)
            table = table_of_counts(source, source_path, columns, word, code)
        words = None if seed is None else seeded_words(seed)
        table = dataclasses.replace(table, confidence=confidence)
        return publish(table, designs, places, words, payment=payment, replaces=replace).record


def require_one_of_microdata(bit: str | None, category: str | None) -> None:
    """Refuse a bit and a category at once."""
    if bit is not None and category is not None:
        raise InputError(f"one of {argument('bit')} and {argument('category')} may be given, got both")


def require_no_file(category: str | None, mechanism: Path) -> None:
    """Refuse a mechanism of a file, of which nobody said that it is drawn from for half of what is spent."""
    if category is not None:
        raise InputError(f"a category goes with designs, got the file {mechanism} as {argument('mechanism')}")


def privacy_of_each(privacy: Privacy, category: str | None) -> Privacy:
    """Return the privacy of each draw: of a category half of what a unit spends, as two counts change with it."""
    return privacy if category is None else privacy.split(2)


def _named(path: FilePath | None) -> list[Path]:
    return [] if path is None else [Path(path)]


def require_recordable(designs: DesignedSizes | GivenMechanism, places: OutputPaths) -> None:
    """Refuse a record of a mechanism that has no proof.

    Raises:
        InputError: for a plain matrix.
    """
    if places.record is not None and isinstance(designs, GivenMechanism) and designs.document is None:
        raise InputError(
            f"record must hold designs with their proofs, got the plain matrix {designs.name}; take a design document "
            "(.json), or leave the record out"
        )


def _require_form(
    bit: str | None,
    group: str | None,
    column: str | None,
    size: str | None,
    mechanism: FilePath | None,
    unit_column: str | None,
) -> None:
    if (bit is None) != (group is None):
        raise InputError(f"bit and group go together, got bit={bit} and group={group}")
    if bit is not None and (column is not None or size is not None):
        raise InputError("column and size go with a table of counts, got one beside bit and group")
    if bit is None and unit_column is not None:
        raise InputError(f"unit_column goes with bit and group, got unit_column={unit_column} alone")
    if bit is None and (size is None) == (mechanism is None):
        got = "neither" if size is None else "both"
        raise InputError(f"exactly one of size and mechanism must be given with a table of counts, got {got}")


def require_places(places: OutputPaths, targets: list[Path], sources: list[Path], key: Path | None = None) -> None:
    """Refuse, before any work, files that cannot be written, or that are one and the same.

    Args:
        places: of the output and the record.
        targets: all files that are written, by the names that they were given by.
        sources: files that are read.
        key: the secret key's, which is written where there is none.

    Raises:
        InputError: naming the file.
    """
    keys = [] if key is None else [key]
    for path in (*targets, *(path for path in keys if not path.exists())):
        require_writable(path)
    require_other_files([*targets, *keys], sources)
    written = [path.resolve() for path in (*targets, *keys, places.staged_output, places.staged_record)]
    for path in written:
        if written.count(path) > 1:
            raise InputError(f"output, record, statement and key must be different files, got {path} twice")
