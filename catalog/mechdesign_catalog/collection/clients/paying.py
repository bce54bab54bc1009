"""Payment for a collection of reports from the account of a data set."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign.ledgers.entry import Charge
from mechdesign.ledgers.ledger import Account
from mechdesign.ledgers.payment import Payment
from mechdesign.releases.secret_key import input_hmac
from mechdesign_catalog.collection.clients.client import Client, Collection
from mechdesign_catalog.collection.memories.memory import Memoised
from mechdesign_catalog.collection.reports.report_files import read_header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.reports.reports import Reports, random_identity

COLLECTION = "collection"


def payment_for_collection(
    account: Account | None, client: Client, output: Path | None, hint: Callable[[], str]
) -> Payment:
    """Make the payment for the reports of a client, which cost what one of them tells.

    With a memory the oracle's answers are paid for: the same file again costs nothing, nor do rounds after as many as
    a user has answers.
    """

    def is_there(content: str) -> bool:
        return output is not None and _identity(output) == content

    place = "" if output is None else str(output.resolve())
    memory, oracle = client.memory, client.oracle
    if memory is None or not isinstance(oracle, Memoised):
        charge = Charge(COLLECTION, oracle.alpha, place, content=random_identity())
    else:
        charge = Charge(
            COLLECTION, oracle.alpha, place, memory=memory.known_identity(), answers=oracle.permanent_answers
        )
    return Payment(account, charge, is_there, hint)


def paid_for(collection: Collection, payment: Payment) -> Collection:
    """Return a collection whose reports are noted in the ledger when all of them are drawn, and have no name yet."""
    if payment.account is None:
        return collection
    header = collection.header
    if not header.memory:
        header = replace(header, identity=payment.charge.content)

    def noted() -> Iterator[Reports]:
        yield from collection.pieces
        payment.note_draw(header.identity, header.memory)

    return Collection(header, noted(), collection.remarks)


def hint_prefix(client: Client, columns: Sequence[str | None]) -> bytes:
    """Return what stands before the input in its hint: with a memory the columns, since each has answers of its own."""
    return b"" if client.memory is None else json.dumps([client.task.digest, *columns]).encode()


def was_finished(payment: Payment, output: Path, task: Task, input: Path, before: bytes) -> bool:
    """Settle what earlier runs have paid for this output, and tell whether one had finished it from this very input.

    Reports of another task are not those that are asked for. `before` is what stands before the input in its hint.
    """
    earlier = payment.settle_earlier()
    if earlier is None or payment.account is None or read_header(output).task.digest != task.digest:
        return False
    return earlier.hint == input_hmac(input, payment.account.ledger.header.key, before)


def _identity(path: Path) -> str:
    try:
        return read_header(path).identity
    except InputError:
        return ""
