"""Replace the values of many users by reports that are private by themselves."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.frames import open_frame
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import privacy_if_given
from mechdesign.rational import Number
from mechdesign_catalog.collection.batches import PrivateReports
from mechdesign_catalog.collection.clients import Client, UserRows, make_client
from mechdesign_catalog.collection.encoders import DomainEncoder, asked_encoder
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.datasets.texts import column_texts
from mechdesign_catalog.oracles.reports import joined

VALUES, USERS = "the values", "the users"


def privatize(
    values: object,
    oracle: str,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    domain: DomainLike | None = None,
    bins: str | Sequence[str] | None = None,
    beyond: str | None = None,
    ordered: bool = False,
    columns: Sequence[str] | None = None,
    maximum: Number | None = None,
    users: object | None = None,
    memory: FilePath | None = None,
    round: str | None = None,
    seed: int | None = None,
) -> PrivateReports:
    """Replace each user's value by a report that is private by itself (LDP).

    Args:
        values: one for each user: a list, an array, or a column of pandas, polars or pyarrow. Items of the domain, or
            numbers or dates that go into bins, or numbers in 0..maximum for `onebitmean`. With `columns` a table.
        oracle: as on the command line: a name with its options (`olh`, `hrr:t=2`), `design:PROPS:LOSS`, or the file of
            a mechanism; `ORACLES` has the names.
        alpha: `exp(-epsilon)`, in (0, 1); exact as given.
        epsilon: the privacy loss of a report, instead of alpha.
        domain: the public list of all items: a file with one a line, or the items. It must never come from the values.
        bins: instead of a domain: `FIRST:LAST:STEP` for bins `[e, e')` of numbers ("0:120:1") or of dates
            ("2020-01-01:2021-01-01:7d"); two of them for pairs of values in two columns.
        beyond: with bins, what becomes of values beyond them: "refuse" (the default), or "clip", which moves them to
            the first or the last bin; nothing tells how many there were.
        ordered: the domain lists its items in their order, so that ranges and quantiles of them mean something.
        columns: the names of the columns of a table that hold the values: one, or two with two bins.
        maximum: for `onebitmean`, instead of a domain.
        users: with a memory, each user's name.
        memory: a SECRET file (an SQLite database) of each user's permanent answers, for repeated collection by
            `dbitflip` or `onebitmean`; made where there is none. Answers are on the disk before this returns. Other
            processes may use it at the same time.
        round: with a memory, the name of the collection in which each user answers once, such as "2026-11-20". The
            same users again get the same answers, in a batch of the same identity; other users are another batch, and
            batches of one round add up.
        seed: makes the reports reproducible, for simulation only; they are marked as such.

    Returns:
        The reports, in the order of the values, for `aggregate` or to be saved.

    Raises:
        InputError: for a value outside the domain (naming its row, not the value, which is private), what does not go
            together, bins that are none, a memory of something else or one that cannot be used, or a batch in which
            only some users answered in this round before.

    >>> reports = privatize(["yes", "no", "yes"], "grr", epsilon=1, domain=["yes", "no"])
    >>> len(reports), reports.header.parameters["oracle"]
    (3, 'grr')
    """
    require_together({"users": users, "memory": memory, "round": round})
    items = asked_encoder(domain, bins, beyond, ordered)
    require_columns(columns, items)
    client = make_client(oracle, privacy_if_given(alpha, epsilon), items, maximum, seed)
    if memory is not None and round is not None:
        client = client.remembering(Path(memory), round)
    texts = [column_texts(column, VALUES) for column in _columns(values, columns)]
    if not texts[0]:
        raise InputError("values must have at least one user, got none")
    names = [] if users is None else [name.strip() for name in column_texts(users, USERS)]
    return _reports(client, UserRows(texts, names))


def require_together(given: Mapping[str, object]) -> None:
    """Refuse to take only some of these options.

    Raises:
        InputError: naming those that are there.
    """
    found = [name for name, value in given.items() if value is not None]
    if found and len(found) < len(given):
        *first, last = given
        raise InputError(f"{', '.join(first)} and {last} go together, got only {' and '.join(found)}")


def require_columns(columns: Sequence[str] | None, items: DomainEncoder | None) -> None:
    """Refuse columns that are not as many as the bins, or not one for other values.

    Raises:
        InputError: with both numbers.
    """
    wanted = max(1, len(items.bins)) if items is not None else 1
    given = 1 if columns is None else len(columns)
    if given != wanted:
        raise InputError(f"columns must be as many as bins, got {given} for {wanted}")
    if columns is not None and len(set(columns)) != given:
        raise InputError(f"columns must be two, got {shorten(columns[0])} twice")


def _columns(values: object, names: Sequence[str] | None) -> list[object]:
    """Return the columns of values: the values themselves, or those of a table with these names."""
    if names is None:
        return [values]
    frame = open_frame(values)
    return [frame[:, column_position(frame.columns, name, VALUES)] for name in names]


def _reports(client: Client, rows: UserRows) -> PrivateReports:
    step = client.rows_at_once
    starts = range(0, len(rows.columns[0]), step)
    chunks = (
        UserRows([column[k : k + step] for column in rows.columns], rows.users[k : k + step], k + 1) for k in starts
    )
    collection = client.collect(chunks, VALUES)
    return PrivateReports.of(collection.header, joined(list(collection.pieces)))
