"""Replace the values of many users by reports that are private by themselves."""

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
        memory: a SECRET file of each user's permanent answers, for repeated collection by `dbitflip` or `onebitmean`;
            made where there is none, and saved before this returns.
        seed: makes the reports reproducible, for simulation only; they are marked as such.

    Returns:
        The reports, in the order of the values, for `aggregate` or to be saved.

    Raises:
        InputError: for a value outside the domain (naming its row, not the value, which is private), what does not go
            together, or a memory of something else.

    >>> reports = privatize(["yes", "no", "yes"], "grr", epsilon=1, domain=["yes", "no"])
    >>> len(reports), reports.header.parameters["oracle"]
    (3, 'grr')
    """
    if (users is None) != (memory is None):
        raise InputError(f"users and memory go together, got only {'users' if memory is None else 'memory'}")
    items = None if domain is None else as_domain(domain)
    client = make_client(oracle, privacy_if_given(alpha, epsilon), items, maximum)
    if memory is not None:
        client = client.remembering(Path(memory), seed)
    texts = column_texts(values, VALUES)
    if not texts:
        raise InputError("values must have at least one user, got none")
    names = [] if users is None else [name.strip() for name in column_texts(users, USERS)]
    return _reports(client, UserRows(texts, names), seed)


def _reports(client: Client, rows: UserRows, seed: int | None) -> PrivateReports:
    step = client.rows_at_once
    starts = range(0, len(rows.values), step)
    chunks = (UserRows(rows.values[k : k + step], rows.users[k : k + step], k + 1) for k in starts)
    pieces = list(client.pieces(chunks, client.words(seed), VALUES))
    return PrivateReports.of(client.header(seed), joined(pieces))
