"""Make test vectors: what an implementation in another language must make of the same values and random bytes."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.rational import fraction_text
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import task_body
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.reports import joined
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import reference_row, report_of
from mechdesign_catalog.reference.rows import Row
from mechdesign_catalog.reference.servers.estimates import exact_estimates
from mechdesign_catalog.reference.vectors.refusals import refused_messages

FORMAT = "mechdesign-vectors/1"

MOST_BYTES = 1 << 16
"""Random bytes that a report of a vector may need."""

Json = dict[str, Any]


@dataclass(frozen=True)
class VectorCase:
    """Hold a task and the values of some users.

    `with_sums` where sums and estimates are short enough to be listed, `with_estimates` where all items have shares
    that reports tell.
    """

    oracle: LocalOracle
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
    rows: list[Row] = []
    listed: list[Json] = []
    for number, value in enumerate(case.values):
        data = hashlib.shake_256(f"mechdesign vectors {label} {number}".encode("ascii")).digest(MOST_BYTES)
        stream = ByteStream.of(data)
        rows.append(row := reference_row(case.oracle, value, stream))
        listed.append(
            {
                "value": value,
                "random": data[: stream.taken].hex(),
                "columns": {name: cell.hex() if isinstance(cell, bytes) else cell for name, cell in row.items()},
                "message": case.oracle.wire.messages(report_of(case.oracle, row))[0].hex(),
            }
        )
    refused = [message.hex() for message in refused_messages(case.oracle.wire, rows[-1])]
    return {"task": task_body(case.task), "reports": listed, "refused": refused, **_server_of(case, rows)}


def _server_of(case: VectorCase, rows: Sequence[Row]) -> Json:
    """Return the sums of all reports, and the exact estimates; null where they are too long, or there are none."""
    if not case.with_sums:
        return {"sums": None, "estimates": None}
    reports = joined([report_of(case.oracle, row) for row in rows])
    return {
        "sums": case.oracle.aggregate(reports).sums.tolist(),
        "estimates": _texts(exact_estimates(case.oracle, rows)) if case.with_estimates else None,
    }


def _texts(estimates: Fraction | list[Fraction] | list[list[Fraction]]) -> Any:
    """Return rationals as texts, in the lists that they are in."""
    return fraction_text(estimates) if isinstance(estimates, Fraction) else [_texts(one) for one in estimates]


def _case_text(case: Json) -> str:
    """Write a case with each report in a line of its own."""
    reports = ",\n".join(f"    {json.dumps(report)}" for report in case["reports"])
    rest = ",\n".join(f'   "{name}": {json.dumps(case[name])}' for name in ("refused", "sums", "estimates"))
    return f'  {{"task": {json.dumps(case["task"])},\n   "reports": [\n{reports}],\n{rest}}}'
