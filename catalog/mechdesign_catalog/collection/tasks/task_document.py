"""The document of a task, which clients in any language read.

Beside the task it says the exact numbers that clients need, and how reports and sums look. All that follows from the
task is checked when a document is read, so that nobody collects by numbers that are not the oracle's.
"""

import json
from pathlib import Path
from typing import Any

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath, read_text, require_writable, whole_file
from mechdesign.documents.json_text import parse_json
from mechdesign.errors import InputError, quote, shorten
from mechdesign_catalog.collection.tasks.domains import attributes_of, domain_of
from mechdesign_catalog.collection.tasks.task import FORMAT, Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.datasets.attributes import Attributes

DOMAIN_KEYS = frozenset({"sha256", "items", "bins", "ordered", "attributes", "columns"})
"""What a document says of a domain; no more, and no less."""


def task_body(task: Task) -> dict[str, Any]:
    """Return the document of a task, as JSON has it.

    Raises:
        InputError: for parameters that no oracle has.
    """
    return {
        "format": FORMAT,
        "sha256": task.digest,
        **task.body(),
        "constants": task_oracle(task).constants,
    }


def task_text(task: Task) -> str:
    """Return the document of a task as text."""
    return json.dumps(task_body(task), indent=1, ensure_ascii=False) + "\n"


def save_task(task: Task, path: FilePath) -> None:
    """Write the document of a task to a file, whole or not at all.

    Raises:
        InputError: for another suffix than .json, or a file that cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() != ".json":
        raise InputError(f"a task must be saved to a .json file, got {target}")
    require_writable(target)
    with whole_file(target) as stream:
        stream.write(task_text(task))


@checked
def read_task(path: FilePath) -> Task:
    """Read a task from its document.

    Raises:
        InputError: for a file that is none, items that are not those of the digest, or numbers that are not those that
            follow from the oracle's parameters.
    """
    source = Path(path)
    found = parse_json(read_text(source), str(source))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"a task must be a document of format {FORMAT}, got another in {source}")
    try:
        domain = found.get("domain")
        if isinstance(domain, dict) and set(domain) != DOMAIN_KEYS:
            raise InputError(f"domain must have {', '.join(sorted(DOMAIN_KEYS))}, got other keys")
        task = Task.of_body(found)
        _require_same_keys(task_body(task), found)
        if isinstance(task.domain, Attributes):
            attributes_of(task)
        elif task.domain is not None:
            domain_of(task)
    except InputError as error:
        raise InputError(f"{error} in {source}") from None
    return task


def _require_same_keys(wanted: dict[str, Any], entries: dict[str, Any]) -> None:
    """Refuse a document with other keys than a task's, or with values that do not follow from the task."""
    for key in entries:
        if key not in wanted:
            raise InputError(f"keys must be {', '.join(wanted)}, got {quote(key)}")
    for key, value in wanted.items():
        if key not in entries:
            raise InputError(f"keys must be {', '.join(wanted)}, got no {key}")
        if entries[key] != value:
            raise InputError(f"{key} must be what follows from the parameters, got {_difference(value, entries[key])}")


def _difference(wanted: object, got: object, name: str = "") -> str:
    """Say where two JSON values first differ."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in [*wanted, *got]:
            if wanted.get(key) != got.get(key):
                return _difference(wanted.get(key), got.get(key), f"{name}.{key}" if name else key)
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        place = next(place for place, pair in enumerate(zip(wanted, got, strict=True)) if pair[0] != pair[1])
        return _difference(wanted[place], got[place], f"{name}[{place}]")
    shown = f"{name}=" if name else ""
    return f"{shown}{shorten(json.dumps(got))} beside {shown}{shorten(json.dumps(wanted))}"
