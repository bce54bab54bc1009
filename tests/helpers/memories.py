"""Memories of answers, made and looked into from outside."""

import json
import sqlite3
from contextlib import closing

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.memories.memory_database import MemoryDatabase
from mechdesign_catalog.randomizers.reports.reports import joined
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean

ORACLES = {
    "all buckets": DBitFlip(8, Privacy(epsilon=1)),
    "three of ten buckets": DBitFlip(10, Privacy(epsilon=1), 3),
    "one bucket": DBitFlip(8, Privacy(epsilon=1), 1),
    "mean": OneBitMean.up_to(24, Privacy(epsilon=1)),
}
NAMES = np.array([f"user {i}" for i in range(300)])


def never(count):
    """A source of randomness that must not be used."""
    raise AssertionError


def answers(path, names, values, round_="one", oracle=ORACLES["one bucket"], words=None, **options):
    """The reports of a batch, as rows of whole numbers, and the batch."""
    memory = MemoryDatabase(path, oracle, round=round_, **options)
    batch = memory.note(names, words)
    return table(joined(list(memory.recall(batch, np.asarray(values))))), batch


def table(reports):
    return np.concatenate([column.reshape(len(reports), -1) for column in reports.columns.values()], axis=1)


def held(path):
    """All users' rows, by the hash of their names."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT name, answers FROM users"))


def header_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return json.loads(connection.execute("SELECT text FROM header").fetchone()[0])


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()
