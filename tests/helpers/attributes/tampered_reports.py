"""Files of reports under headers that somebody changed, with digests that fit."""

import copy
import hashlib
import json

import pyarrow.parquet as pq

from mechdesign import InputError
from mechdesign_cli.app import COMMAND_LINE

NESTED: list = []
for _ in range(900):
    NESTED = [NESTED]
ODD = {
    "null": None,
    "true": True,
    "zero": 0,
    "minus one": -1,
    "half": 0.5,
    "whole float": 8.0,
    "huge": 10**400,
    "large": 2**63,
    "infinite": float("inf"),
    "no number": float("nan"),
    "empty": "",
    "text": "abc",
    "digits": "8",
    "surrogate": "\ud800",
    "control": "\x1b[31m\n",
    "list": [1],
    "no list": [],
    "object": {"a": 1},
    "no object": {},
    "nested": NESTED,
}

PARAMETER_KINDS = ["null", "true", "minus one", "zero", "half", "huge", "large", "text", "digits", "list", "object"]


def digest_of(body):
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def read_body(path):
    """The header with the whole task in the place of its digest."""
    metadata = pq.ParquetFile(path).metadata.metadata
    return {**json.loads(metadata[b"mechdesign"]), "task": json.loads(metadata[b"mechdesign.task"])}


def digest_of_task(task):
    """The digest of what a task may be, or what stands there where it can be none."""
    try:
        domain = {name: task["domain"][name] for name in ("sha256", "ordered", "columns")}
        text = json.dumps(
            {"format": "mechdesign-task/1", "parameters": task["parameters"], "domain": domain},
            sort_keys=True,
            separators=(",", ":"),
        )
    except (KeyError, TypeError, IndexError):
        return "0" * 64
    return hashlib.sha256(text.encode()).hexdigest()


def write_body(source, target, body):
    """The reports of one file under another header and task, with the digests that fit them."""
    table = pq.read_table(source).replace_schema_metadata(None)
    header = {name: value for name, value in body.items() if name not in ("sha256", "task")}
    metadata = {}
    if "task" in body:
        header["task"] = digest_of_task(body["task"])
        metadata["mechdesign.task"] = json.dumps(body["task"])
    metadata["mechdesign"] = json.dumps({**header, "sha256": digest_of(header)})
    with pq.ParquetWriter(target, table.schema) as parquet:
        parquet.write_table(table)
        parquet.add_key_value_metadata(metadata)


def set_at(place, value):
    def change(body):
        *parts, last = place.split(".")
        for part in parts:
            body = body[part]
        body[last] = value

    return change


def aggregated(good, change):
    """What the command makes of `good.parquet` under a changed header: the error's one line, or nothing."""
    body = copy.deepcopy(good)
    change(body)
    write_body("good.parquet", "bad.parquet", body)
    try:
        COMMAND_LINE.command("local aggregate").main(["bad.parquet", "--json"], standalone_mode=False)
    except InputError as error:
        return str(error)
    return None
