"""Files that are no memory, or not as they were written: one line, and nobody is drawn anew in silence."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from memories import NAMES, ORACLES, answers, change, header_of, never
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.collection.memories.memory_file import MEMORY_DATABASE


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "m.db"


@pytest.mark.slow
def test_a_byte_that_a_disk_changed_is_found_or_does_not_matter(path):
    """Each answer is what it was, or one line says that the memory is damaged: nobody is drawn anew in silence."""
    first, _ = answers(path, NAMES[:40], np.zeros(40, dtype=int), seed=1)
    whole, refused, kept = path.read_bytes(), 0, 0
    for place in range(0, len(whole), 61):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 255, *whole[place + 1 :]]))
        try:
            again, batch = answers(path, NAMES[:40], np.zeros(40, dtype=int), seed=1, words=never)
        except InputError as error:
            refused += "\n" not in str(error)
        else:
            assert batch.is_again
            assert np.array_equal(first, again)
            kept += 1
    assert kept + refused == len(range(0, len(whole), 61))
    assert refused > 30


@pytest.mark.parametrize("keep", [0, 1, 50, 100, 4000, 4096, 8192, -4096, -1])
def test_what_is_cut_off_is_refused(path, keep):
    """Seeded: where the last byte is by chance 0, SQLite reads a file without it as the same."""
    answers(path, NAMES, np.zeros(300, dtype=int), seed=1)
    path.write_bytes(path.read_bytes()[:keep])
    content = path.read_bytes()
    with refused(InputError, about="memory"):
        answers(path, NAMES, np.zeros(300, dtype=int), seed=1)
    assert path.read_bytes() == content


def foreign(connection):
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE users (name TEXT)")


FOREIGN = {
    "another database": foreign,
    "a later format": lambda connection: connection.execute("PRAGMA user_version = 2"),
    "no header": lambda connection: connection.execute("DELETE FROM header"),
    "two headers": lambda connection: connection.execute("INSERT INTO header SELECT text FROM header"),
    "a header that is a number": lambda connection: connection.execute("UPDATE header SET text = 5"),
    "no table of users": lambda connection: connection.execute("DROP TABLE users"),
    "other answers": lambda connection: connection.execute("UPDATE users SET answers = x'00' WHERE number = 7"),
    "exchanged answers": lambda connection: connection.execute(
        "UPDATE users SET answers = (SELECT answers FROM users WHERE number = 8) WHERE number = 7"
    ),
    "a text for answers": lambda connection: connection.execute("UPDATE users SET answers = 'a' WHERE number = 7"),
    "a text for users": lambda connection: connection.execute("UPDATE batches SET users = 'a'"),
    "another round": lambda connection: connection.execute("UPDATE batches SET digest = x'00'"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_memory_is_refused(path, name):
    oracle = ORACLES["three of ten buckets"]
    if name != "another database":
        answers(path, NAMES, np.zeros(300, dtype=int), oracle=oracle)
    with closing(sqlite3.connect(path)) as connection:
        FOREIGN[name](connection)
        connection.commit()
    before = path.read_bytes()
    with refused(InputError, about="memory"):
        answers(path, NAMES, np.zeros(300, dtype=int), oracle=oracle, words=never)
    assert path.read_bytes() == before


@pytest.mark.parametrize("field", ["format", "parameters", "domain", "seed", "identity", "key", "sha256"])
def test_a_header_that_was_changed_is_refused(path, field):
    answers(path, NAMES, np.zeros(300, dtype=int))
    body = header_of(path)
    for value in (None, 5, "x", "0" * 64, [], {}):
        change(path, "UPDATE header SET text = ?", json.dumps({**body, field: value}))
        if body[field] != value:
            with refused(InputError):
                answers(path, NAMES, np.zeros(300, dtype=int))


def test_what_sqlite_cannot_do_is_one_line(path):
    answers(path, NAMES, np.zeros(300, dtype=int))
    for mode, statement in (
        ("ro", "DELETE FROM users"),
        ("rw", "SELECT * FROM nothing"),
    ):
        connection = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True)
        with closing(connection), refused(InputError), MEMORY_DATABASE.sqlite_errors(path, 30):
            connection.execute(statement)
    missing = path.with_name("missing.db")
    with (
        refused(InputError, about="memory"),
        MEMORY_DATABASE.sqlite_errors(missing, 30),
    ):
        sqlite3.connect(f"{missing.as_uri()}?mode=rw", uri=True).execute("BEGIN IMMEDIATE")


@pytest.mark.slow
def test_a_memory_of_two_names_is_refused(path):
    """A journal goes by the name: what a killed run left under one name would undo what the other has answered."""
    answers(path, NAMES, np.zeros(300, dtype=int))
    other = path.with_name("link.db")
    other.hardlink_to(path)
    for name in (path, other):
        with refused(InputError):
            answers(name, NAMES, np.zeros(300, dtype=int), "two", words=never)
    other.unlink()
    other.symlink_to(path)
    assert answers(other, NAMES, np.zeros(300, dtype=int))[1].is_again
