"""Replace the values of many users by reports that are private by themselves."""

from collections.abc import Mapping
from pathlib import Path

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError
from mechdesign.problem.privacy import privacy_if_given
from mechdesign.rational import Number
from mechdesign_catalog.datasets.items.domain import DomainLike, as_domain
from mechdesign_catalog.datasets.texts import column_texts
from mechdesign_catalog.oracles.collection.batches import PrivateReports
from mechdesign_catalog.oracles.collection.clients import Client, UserRows, make_client
from mechdesign_catalog.oracles.reports import joined

VALUES, USERS = "the values", "the users"


def privatize(
    values: object,
    oracle: str,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    domain: DomainLike | None = None,
    maximum: Number | None = None,
    users: object | None = None,
    memory: FilePath | None = None,
    round: str | None = None,
    seed: int | None = None,
) -> PrivateReports:
    """Replace each user's value by a report that is private by itself (LDP).

    Args:
        values: one for each user: a list, an array, or a column of pandas, polars or pyarrow. Items of the domain, or
            numbers in 0..maximum for `onebitmean`.
        oracle: as on the command line: a name with its options (`olh`, `hrr:t=2`), `design:PROPS:LOSS`, or the file of
            a mechanism; `ORACLES` has the names.
        alpha: `exp(-epsilon)`, in (0, 1); exact as given.
        epsilon: the privacy loss of a report, instead of alpha.
        domain: the public list of all items: a file with one a line, or the items. It must never come from the values.
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
            together, a memory of something else or one that cannot be used, or a batch in which only some users
            answered in this round before.

    >>> reports = privatize(["yes", "no", "yes"], "grr", epsilon=1, domain=["yes", "no"])
    >>> len(reports), reports.header.parameters["oracle"]
    (3, 'grr')
    """
    require_together({"users": users, "memory": memory, "round": round})
    items = None if domain is None else as_domain(domain)
    client = make_client(oracle, privacy_if_given(alpha, epsilon), items, maximum, seed)
    if memory is not None and round is not None:
        client = client.remembering(Path(memory), round)
    texts = column_texts(values, VALUES)
    if not texts:
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


def _reports(client: Client, rows: UserRows) -> PrivateReports:
    step = client.rows_at_once
    starts = range(0, len(rows.values), step)
    chunks = (UserRows(rows.values[k : k + step], rows.users[k : k + step], k + 1) for k in starts)
    collection = client.collect(chunks, VALUES)
    return PrivateReports.of(collection.header, joined(list(collection.pieces)))
