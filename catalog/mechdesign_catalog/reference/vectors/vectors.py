"""Test vectors of an oracle: the results that any language has for values and bytes.

The bytes are random ones, the same for all.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.rational import fraction_text
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import task_body
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.columns import Row, written_message
from mechdesign_catalog.reference.stated import stated_oracle
from mechdesign_catalog.reference.systems import columns_of, exact_estimates, report
from mechdesign_catalog.reference.vectors.refusals import refused_messages

FORMAT = "mechdesign-vectors/1"

MOST_BYTES = 1 << 16
"""Random bytes that a report of a vector may need."""

Json = dict[str, Any]


@dataclass(frozen=True)
class VectorCase:
    """A task and the values of some users.

    `with_sums` where sums and estimates are short enough to be listed, `with_estimates` where all items have shares
    that reports tell.
    """

    task: Task
    values: Sequence[Any]
    with_sums: bool = True
    with_estimates: bool = True


def vectors_text(name: str, cases: Iterable[VectorCase]) -> str:
    """Write the vectors of an oracle as JSON: one report a line.

    The random bytes of report r of case c (both from 0) are the first of the output of SHAKE-256 for the text
    `mechdesign vectors NAME c r`: anybody can make them again, and nobody chose them.
    """
    written = [_case_text(vectors_of(f"{name} {number}", case)) for number, case in enumerate(cases)]
    head = f'{{"format": {json.dumps(FORMAT)},\n "oracle": {json.dumps(name)},\n "cases": [\n'
    return head + ",\n".join(written) + "\n]}\n"


def vectors_of(label: str, case: VectorCase) -> Json:
    """Make the reports of a case, and what a server makes of them."""
    document = task_body(case.task)
    oracle = stated_oracle(document)
    columns = columns_of(oracle)
    rows: list[Row] = []
    listed: list[Json] = []
    for number, value in enumerate(case.values):
        data = hashlib.shake_256(f"mechdesign vectors {label} {number}".encode("ascii")).digest(MOST_BYTES)
        stream = ByteStream.of(data)
        rows.append(row := report(oracle, value, stream))
        listed.append(
            {
                "value": value,
                "random": data[: stream.taken].hex(),
                "columns": {name: cell.hex() if isinstance(cell, bytes) else cell for name, cell in row.items()},
                "message": written_message(columns, row).hex(),
            }
        )
    return {
        "task": document,
        "reports": listed,
        "refused": [message.hex() for message in refused_messages(columns, rows[-1])],
        "sums": _sums(case.task, [one["message"] for one in listed]) if case.with_sums else None,
        "estimates": _texts(exact_estimates(oracle, rows)) if case.with_sums and case.with_estimates else None,
    }


def _sums(task: Task, messages: Sequence[str]) -> list[int]:
    """Return the sums that the catalog's own server makes of messages."""
    oracle = task_oracle(task)
    reports = oracle.report_schema.from_messages(map(bytes.fromhex, messages), oracle.parameters)
    sums: list[int] = oracle.aggregate(reports).sums.tolist()
    return sums


def _texts(estimates: Fraction | list[Fraction] | list[list[Fraction]]) -> Any:
    """Return rationals as texts, in the lists that they are in."""
    return fraction_text(estimates) if isinstance(estimates, Fraction) else [_texts(one) for one in estimates]


def _case_text(case: Json) -> str:
    """Write a case with each report in a line of its own."""
    reports = ",\n".join(f"    {json.dumps(report)}" for report in case["reports"])
    rest = ",\n".join(f'   "{name}": {json.dumps(case[name])}' for name in ("refused", "sums", "estimates"))
    return f'  {{"task": {json.dumps(case["task"])},\n   "reports": [\n{reports}],\n{rest}}}'
