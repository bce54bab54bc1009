"""The header of a report file: its task, its number of reports, and digests.

The header is JSON with a digest of its own. It names the task by digest; what the task is stands beside it. Two random
identities tell copies and rounds apart: that of the file, and that of the memory which answered (`memory`), where one
did. Then the file's identity is that of the batch, and `round` the collection that the batch is a part of.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from mechdesign.errors import InputError
from mechdesign_catalog.collection.reports.row_groups import digest_of_groups
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.randomizers.reports import headers

FORMAT = "mechdesign-reports/2"


@dataclass(frozen=True, slots=True)
class Header:
    """Reports: of which task they are, and how many there are.

    `groups` are the SHA-256 of all groups of rows, in order, and `reports_digest` is the one over them. `identity` is
    the file's own, empty where a seed makes it reproducible; `memory` is that of the memory, empty where reports are
    fresh. With a memory `identity` is that of the batch, and `round` names the collection in which each user answers
    once; without one `round` is empty.
    """

    task: Task
    rows: int = 0
    groups: tuple[str, ...] = ()
    seed: int | None = None
    memory: str = ""
    identity: str = ""
    round: str = ""

    @property
    def reports_digest(self) -> str:
        """SHA-256 over the digests of all groups of rows."""
        return digest_of_groups(self.groups)

    def to_json(self) -> str:
        """Write the header with the digest of everything else."""
        body = self._body()
        return json.dumps({**body, "sha256": headers.digest(body)})

    def _body(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "task": self.task.digest,
            "rows": self.rows,
            "groups": list(self.groups),
            "reports": {"sha256": self.reports_digest},
            "seed": self.seed,
            "memory": self.memory,
            "identity": self.identity,
            "round": self.round,
        }

    @classmethod
    def from_json(cls, text: str, task: Task, name: str) -> "Header":
        """Parse the header of a file of this task; errors say `name`.

        Raises:
            InputError: for one of another format, whose digest is not that of its content, with an impossible field,
                or of another task.
        """
        try:
            body = headers.parse_header(text, FORMAT)
            claimed, found = body.pop("sha256", None), headers.digest(body)
        except (InputError, RecursionError):
            raise InputError(f"reports must be of format {FORMAT}, got another header in {name}") from None
        if claimed != found:
            raise InputError(f"the header's digest must be that of its content, got a changed header in {name}")
        try:
            if headers.hexadecimal(body.get("task"), "task", headers.SHA256_DIGITS) != task.digest:
                raise InputError("task must be the one of the file, got another digest")
            header = cls(
                task=task,
                rows=headers.count(body.get("rows"), "rows"),
                groups=_groups(body),
                seed=headers.seed_if_any(body),
                memory=_identity(body, "memory"),
                identity=_identity(body, "identity"),
                round="" if body.get("round") == "" else checked_round(body.get("round")),
            )
            if headers.part(body, "reports") != {"sha256": header.reports_digest}:
                raise InputError("reports must have the digest of all groups, got another")
            if {bool(header.memory), bool(header.memory and header.identity)} != {bool(header.round)}:
                raise InputError("memory, round and identity of a batch must stand together, got only some")
            if bool(header.identity) != (header.seed is None or bool(header.memory)):
                raise InputError(
                    "identity must be empty with a seed, unless a memory answered, and only then, got another"
                )
            if header._body() != body:
                raise InputError("keys must be those of a header, got others")
            return header
        except InputError as error:
            raise InputError(f"{error} in the header of {name}") from None


def checked_round(name: object) -> str:
    """Check the name of a round.

    Raises:
        InputError: unless it is made of 1 to 64 letters and digits of ASCII, and of `.`, `_`, `:` and `-` after the
            first.

    >>> checked_round("2026-11-20")
    '2026-11-20'
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", name):
        shown = repr(name[:40]) if isinstance(name, str) else "no text"
        raise InputError(f"round must be 1 to 64 letters, digits or . _ : - such as 2026-11-20, got {shown}")
    return name


def _identity(body: headers.Body, name: str) -> str:
    return headers.hexadecimal(body.get(name), name, headers.IDENTITY_DIGITS, may_be_empty=True)


def _groups(body: headers.Body) -> tuple[str, ...]:
    found = body.get("groups")
    if not isinstance(found, list):
        raise InputError("groups must be a list of digests, got another")
    return tuple(headers.hexadecimal(one, "groups", headers.SHA256_DIGITS) for one in found)
