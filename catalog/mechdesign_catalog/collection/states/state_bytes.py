"""The bytes of a state, the same on every machine.

A header in JSON, which ends with the first line break, has everything but the sums: keys sorted, no blanks, ASCII, and
every list sorted. Then come the sums, eight bytes each, signed, little end first, and the SHA-256 of all before, which
finds out damage. Nothing is compressed: what is compressed differs from version to version.
"""

import hashlib
import json
import re

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.collection.reports.report_header import checked_round
from mechdesign_catalog.collection.states.provenance import Provenance, named
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.reports import headers
from mechdesign_catalog.randomizers.reports.reports import State

FORMAT = "mechdesign-state/2"
DIGEST_BYTES = 32
_FORMAT_FIRST = re.compile(rb'\{"format":"(mechdesign-state/[0-9]{1,9})"')


def packed(task: Task, sums: State, provenance: Provenance) -> bytes:
    """Write a state."""
    content = _content(task, sums, provenance)
    return content + hashlib.sha256(content).digest()


def digest_of(task: Task, sums: State, provenance: Provenance) -> str:
    """Compute the SHA-256 of a state's content."""
    return hashlib.sha256(_content(task, sums, provenance)).hexdigest()


def unpacked(content: bytes, name: str) -> tuple[Task, State, Provenance]:
    """Read what `packed` wrote; errors say `name`.

    Raises:
        InputError: for bytes that are cut off or changed, of another format, or with an impossible field.
    """
    header, line_break, rest = content.partition(b"\n")
    require_format(header, name)
    if not line_break or hashlib.sha256(content[:-DIGEST_BYTES]).digest() != content[-DIGEST_BYTES:]:
        raise InputError(f"a state's digest must be that of its content, got a changed or cut state in {name}")
    try:
        body = headers.parse_header(header.decode("ascii"), FORMAT)
        task = Task.of_body(headers.part(body, "task"))
        users = headers.count(body.get("users"), "users")
        provenance = _provenance(headers.part(body, "provenance"))
    except UnicodeDecodeError:
        raise InputError(f"the header of a state must be in ASCII, got other bytes in {name}") from None
    except InputError as error:
        raise InputError(f"{error} in the header of {name}") from None
    values = rest[:-DIGEST_BYTES]
    if len(values) % 8:
        raise InputError(f"sums of a state must have 8 bytes each, got {len(values)} bytes in {name}")
    sums = np.frombuffer(values, dtype="<i8").astype(np.int64)
    return task, State(task.parameters, users, sums), provenance


def require_format(header: bytes, name: str) -> None:
    """Refuse another file, or another version, before anything else: the format is the first key."""
    found = _FORMAT_FIRST.match(header)
    if found is None:
        raise InputError(f"file must be a state of format {FORMAT}, got {name}")
    if found[1].decode() != FORMAT:
        raise InputError(f"file must be a state of format {FORMAT}, got format {found[1].decode()} in {name}")


def _content(task: Task, sums: State, provenance: Provenance) -> bytes:
    body = {
        "format": FORMAT,
        "task": task.body(),
        "users": sums.users,
        "provenance": {
            "sources": sorted(provenance.sources),
            "seals": sorted(provenance.seals),
            "seeds": sorted(provenance.seeds),
            "rounds": dict(provenance.rounds),
            "unguarded": provenance.unguarded,
            "dropped": provenance.dropped,
        },
    }
    header = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return header.encode("ascii") + b"\n" + sums.sums.astype("<i8").tobytes()


def _provenance(body: headers.Body) -> Provenance:
    rounds = headers.part(body, "rounds")
    return Provenance(
        sources=frozenset(named(source) for source in _listed(body, "sources")),
        seals=frozenset(headers.hexadecimal(seal, "seal", headers.SHA256_DIGITS) for seal in _listed(body, "seals")),
        seeds=frozenset(_seed(seed) for seed in _listed(body, "seeds")),
        rounds={
            headers.hexadecimal(memory, "memory", headers.IDENTITY_DIGITS): checked_round(name)
            for memory, name in rounds.items()
        },
        unguarded=_truth(body.get("unguarded")),
        dropped=headers.count(body.get("dropped"), "dropped"),
    )


def _listed(body: headers.Body, name: str) -> list[object]:
    found = body.get(name)
    if not isinstance(found, list):
        raise InputError(f"{name} must be a list, got {shorten(json.dumps(found))}")
    return found


def _seed(seed: object) -> int:
    if seed is None:
        raise InputError("seeds must be whole numbers, got null")
    return headers.seed(seed)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"unguarded must be true or false, got {shorten(json.dumps(value))}")
    return value
