"""Privatisation: the values of many users, replaced by reports private by themselves."""

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mechdesign.arguments import checked
from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.frames import open_frame
from mechdesign.errors import InputError, shorten
from mechdesign.ledgers.ledger import Account
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.ledgers.payment import open_account
from mechdesign.problem.privacy import privacy_if_given
from mechdesign.rational import Number
from mechdesign.releases.secret_key import InputDigest
from mechdesign_catalog.collection.clients.client import Client, UserRows
from mechdesign_catalog.collection.clients.input_specification import AnyWorkloadDesign, InputSpecification
from mechdesign_catalog.collection.clients.paying import paid_for, payment_for_collection
from mechdesign_catalog.collection.clients.task_clients import client_for
from mechdesign_catalog.collection.reports.batches import PrivateReports
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.attributes import AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.datasets.texts import column_texts, many_texts
from mechdesign_catalog.randomizers.reports.reports import joined

VALUES, USERS = "the values", "the users"


@checked
def privatize(
    values: object,
    oracle: str | AnyWorkloadDesign | Task,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    domain: DomainLike | AttributesLike | None = None,
    bins: str | Sequence[str] | None = None,
    beyond: str | None = None,
    ordered: bool = False,
    columns: Sequence[str] | None = None,
    maximum: Number | None = None,
    users: object | None = None,
    memory: FilePath | None = None,
    round: str | None = None,
    seed: int | None = None,
    ledger: FilePath | None = None,
    dataset: str | None = None,
    part: str | None = None,
    unit: str = USUAL_UNIT,
) -> PrivateReports:
    """Replace each user's value by a report that is private by itself (LDP).

    Args:
        values: one for each user: a list, an array, or a column of pandas, polars or pyarrow. Items of the domain, or
            numbers or dates that go into bins, or numbers in 0..maximum for `onebitmean`. With `columns`, or for an
            oracle of several attributes, a table: of pandas, polars or pyarrow, lists by name, or an array with a row
            for each user.
        oracle: as on the command line: a name with its options (`olh`, `hrr:t=2`), `design:PROPS:LOSS`, or the file of
            a mechanism; `ORACLES` has the names. Or a design for a workload, as `mechdesign.design` returns it. Or the
            task of a collection, which says privacy and domain too.
        alpha: `exp(-epsilon)`, in (0, 1); exact as given.
        epsilon: the privacy loss of a report, instead of alpha.
        domain: the public list of all items: a file with one a line, or the items. It must never come from the values.
            For an oracle of several attributes a CSV file with columns column,item, or lists of items by name.
        bins: instead of a domain: `FIRST:LAST:STEP` for bins `[e, e')` of numbers ("0:120:1") or of dates
            ("2020-01-01:2021-01-01:7d"); two of them for pairs of values in two columns.
        beyond: with bins, what becomes of values beyond them: "refuse" (the default), or "clip", which moves them to
            the first or the last bin; nothing tells how many there were.
        ordered: the domain lists its items in their order, so that ranges and quantiles of them mean something.
        columns: the names of the columns of a table that hold the values: one, two with two bins, or those of the
            attributes that are wanted, in their order; all of the domain's if not given.
        maximum: for `onebitmean`, instead of a domain.
        users: with a memory, each user's name.
        memory: a SECRET file (an SQLite database) of each user's permanent answers, for repeated collection by
            `dbitflip` or `onebitmean`; made where there is none. Answers are on the disk before this returns. Other
            processes may use it at the same time.
        round: with a memory, the name of the collection in which each user answers once, such as "2026-11-20". The
            same users again get the same answers, in a batch of the same identity; other users are another batch, and
            batches of one round add up.
        seed: makes the reports reproducible, for simulation only; they are marked as such.
        ledger: the file of a `mechdesign.Ledger`, which pays before anything is drawn.
        dataset: with a ledger, the name of the data set that pays.
        part: with a ledger, the name of those of its users that are here, and in no other part.
        unit: with a ledger, what each value is of; it must be what the ledger protects.

    Returns:
        The reports, in the order of the values, for `aggregate` or to be saved.

    Raises:
        InputError: for a value outside the domain (naming its row, not the value, which is private), what does not go
            together, bins that are none, a memory of something else or one that cannot be used, or a batch in which
            only some users answered in this round before.
        BudgetError: where less is left of the data set's budget.

    >>> reports = privatize(["yes", "no", "yes"], "grr", epsilon=1, domain=["yes", "no"])
    >>> len(reports), reports.header.task.oracle
    (3, 'grr')

    Of several attributes, each with its items:

    >>> users = {"card": ["yes", "no", "yes"], "tip": ["yes", "no", "no"]}
    >>> items = {"card": ["no", "yes"], "tip": ["no", "yes"]}
    >>> privatize(users, "inpht:k=2", epsilon=1, domain=items).header.task.columns
    ('card', 'tip')
    """
    require_together({"users": users, "memory": memory, "round": round})
    account = open_account(ledger, dataset, part, unit, seed)
    asked = InputSpecification(domain, bins, beyond, ordered, columns, maximum)
    text, task = (None, oracle) if isinstance(oracle, Task) else (oracle, None)
    client, names = client_for(asked, text, privacy_if_given(alpha, epsilon), task, seed)
    if memory is not None and round is not None:
        client = client.remembering(Path(memory), round)
    if client.losses is not None and not client.keeps_claim:
        warnings.warn(client.losses, stacklevel=3)
    texts = [many_texts(column, VALUES) for column in _columns(values, names)]
    if not texts[0]:
        raise InputError("values must have at least one user, got none")
    if len({len(column) for column in texts}) > 1:
        raise InputError(f"columns of {VALUES} must be equally long, got {', '.join(str(len(c)) for c in texts)}")
    told = [] if users is None else [name.strip() for name in column_texts(users, USERS)]
    return _reports(client, UserRows(texts, told), account)


def require_together(given: Mapping[str, object]) -> None:
    """Refuse to take only some of these options.

    Raises:
        InputError: naming those that are there.
    """
    found = [name for name, value in given.items() if value is not None]
    if found and len(found) < len(given):
        *first, last = given
        raise InputError(f"{', '.join(first)} and {last} go together, got only {' and '.join(found)}")


def _columns(values: object, names: Sequence[str] | None) -> list[object]:
    """Return the columns of values: the values themselves, or those of a table with these names.

    A table may be a mapping of columns by name too, or an array, whose columns are in the order of the names.
    """
    if names is None:
        return [values]
    if isinstance(values, Mapping):
        missing = [name for name in names if name not in values]
        if missing:
            raise InputError(f"{VALUES} must have a column {shorten(missing[0])}, got none")
        return [values[name] for name in names]
    if isinstance(values, np.ndarray):
        if values.ndim != 2 or values.shape[1] != len(names):
            raise InputError(f"{VALUES} must be an array of {len(names)} columns, got the shape {values.shape}")
        return list(values.T)
    frame = open_frame(values)
    return [frame[:, column_position(frame.columns, name, "the table")] for name in names]


def _reports(client: Client, rows: UserRows, account: Account | None) -> PrivateReports:
    step = client.rows_at_once
    starts = range(0, len(rows.columns[0]), step)
    chunks = (
        UserRows([column[k : k + step] for column in rows.columns], rows.users[k : k + step], k + 1) for k in starts
    )
    payment = payment_for_collection(account, client, None, lambda: _hint(account, rows))
    with payment.drawing():
        collection = paid_for(client.collect(chunks, VALUES, payment.reserve), payment)
        made = PrivateReports.of(collection.header, joined(list(collection.pieces)))
    payment.deliver()
    return made


def _hint(account: Account | None, rows: UserRows) -> str:
    """The code of the values under the ledger's key, by which the same values are known again."""
    assert account is not None
    code = InputDigest(account.ledger.header.key)
    code(json.dumps([rows.columns, rows.users]).encode("utf-8", "surrogatepass"))
    return code.result()
