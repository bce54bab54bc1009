"""Files of reports under headers that somebody changed, with digests that fit."""

import copy
import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq

from mechdesign import InputError
from mechdesign_cli.commands.collections.aggregate import aggregate

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
    return json.loads(pq.ParquetFile(path).metadata.metadata[b"mechdesign"])


def write_body(source, target, body):
    """The reports of one file under another header, with the digest that fits it."""
    body.pop("sha256", None)
    table = pq.read_table(source).replace_schema_metadata(None)
    with pq.ParquetWriter(target, table.schema) as parquet:
        parquet.write_table(table)
        parquet.add_key_value_metadata({"mechdesign": json.dumps({**body, "sha256": digest_of(body)})})


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
        aggregate([Path("bad.parquet")], json=True)
    except InputError as error:
        return str(error)
    return None
