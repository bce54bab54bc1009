"""The database of a memory: what it keeps, for whom, what it tells its finder, and how others are kept waiting."""

import hashlib
import itertools
import json
import os
import re
import sqlite3
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from memories import NAMES, ORACLES, answers, header_of, held, never
from wording import refused

from mechdesign import InputError
from mechdesign.documents import unnamed
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.memories import memory_database
from mechdesign_catalog.collection.memories.memory_database import MemoryDatabase
from mechdesign_catalog.collection.memories.memory_file import MEMORY_DATABASE
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip

every = pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "m.db"


@every
def test_users_keep_their_answers_in_any_order_and_company(path, oracle, monkeypatch):
    monkeypatch.setattr(memory_database, "PIECE_BYTES", 1000)  # many pieces
    values = np.random.default_rng(1).integers(0, oracle.k, 300)
    first, _ = answers(path, NAMES[:200], values[:200], "one", oracle)
    before = held(path)
    order = np.random.default_rng(5).permutation(300)
    second, batch = answers(path, NAMES[order], values[order], "two", oracle)
    back = np.argsort(order)
    assert np.array_equal(second[back][:200], first)
    assert (batch.known, batch.is_again, batch.is_first) == (200, False, False)
    assert len(held(path)) == 300
    assert before.items() <= held(path).items()
    third, _ = answers(path, NAMES[250:], values[250:], "three", oracle)
    assert np.array_equal(second[back][250:], third)


def test_a_value_that_returns_gets_the_same_answer_again(path):
    oracle = ORACLES["three of ten buckets"]
    rounds = [answers(path, NAMES, np.full(300, int(v)), f"r{n}", oracle)[0] for n, v in enumerate("0120")]
    assert np.array_equal(rounds[0], rounds[3])
    assert not np.array_equal(rounds[0], rounds[1])
    assert np.array_equal(rounds[0][:, :3], rounds[1][:, :3])  # the buckets stay


def test_a_batch_that_overlaps_another_of_its_round_is_refused_before_a_draw(path):
    answers(path, NAMES[:100], np.zeros(100, dtype=int))
    answers(path, NAMES[100:150], np.zeros(50, dtype=int))
    before = path.read_bytes()
    for part in (
        slice(90, 200),
        slice(0, 99),
        slice(0, 101),
        slice(0, 150),
        slice(149, 300),
    ):
        with refused(InputError):
            answers(path, NAMES[part], np.zeros(len(NAMES[part]), dtype=int), words=never)
    assert path.read_bytes() == before
    answers(path, NAMES[90:200], np.zeros(110, dtype=int), "two")
    answers(path, NAMES[150:200], np.zeros(50, dtype=int), words=never)


def test_the_memory_itself_knows_neither_values_nor_names(path, tmp_path):
    """With the same words it is the same for all values and for users in any order."""
    other = tmp_path / "other.db"
    for oracle in ORACLES.values():
        for place, value, names in ((path, 0, NAMES), (other, oracle.k - 1, NAMES[::-1])):
            place.unlink(missing_ok=True)
            answers(place, names, np.full(300, value), "one", oracle, seed=16)
        assert path.read_bytes() == other.read_bytes()
        assert b"user 1" not in path.read_bytes()


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_the_file_is_its_owners_from_the_first_moment(path, mask):
    """As is the journal, which is there while a batch is written."""
    modes = []

    def look(count):
        modes.extend(stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir())
        return seeded_words(1)(count)

    before = os.umask(mask)
    try:
        answers(path, NAMES[:100], np.zeros(100, dtype=int), words=look)
        answers(path, NAMES[100:], np.zeros(200, dtype=int), words=look)
    finally:
        os.umask(before)
    assert set(modes) == {0o600}
    assert [file.name for file in path.parent.iterdir()] == ["m.db"]


def test_a_file_system_without_unnamed_files_serves_too(path, monkeypatch):
    monkeypatch.setattr(unnamed, "_without_name", lambda folder: None)
    answers(path, NAMES, np.zeros(300, dtype=int))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not unnamed.appear(path, b"of another process, too late")
    answers(path, NAMES, np.zeros(300, dtype=int))
    assert [file.name for file in path.parent.iterdir()] == ["m.db"]


def test_the_owners_wish_about_the_mode_is_kept(path):
    answers(path, NAMES[:10], np.zeros(10, dtype=int))
    memory = MemoryDatabase(path, ORACLES["one bucket"], round="one")
    assert memory.warnings == ()
    path.chmod(0o640)
    answers(path, NAMES[10:], np.zeros(290, dtype=int))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "mode 640" in memory.warnings[0]


def test_real_answers_are_drawn_by_the_operating_system(path, tmp_path):
    for place in (path, tmp_path / "other.db"):
        answers(place, NAMES, np.zeros(300, dtype=int))
    one, other = held(path), held(tmp_path / "other.db")
    assert not one.keys() & other.keys()
    assert sorted(one.values()) != sorted(other.values())
    first, second = header_of(path), header_of(tmp_path / "other.db")
    assert all(first[name] != second[name] for name in ("identity", "key"))
    assert re.fullmatch("[0-9a-f]{64}", first["key"])


@every
def test_a_memory_of_another_domain_is_refused(oracle, path):
    """The same number of items, in another order: answers of other states are not those that were given before."""
    digests = {Domain(tuple(map(str, order))).digest for order in (range(9), range(9)[::-1], range(1, 10))} | {""}
    for digest in digests:
        path.unlink(missing_ok=True)
        answers(path, ["ann"], [1], "one", oracle, domain_digest=digest)
        for other in digests - {digest}:
            with refused(InputError):
                answers(path, ["ann"], [1], "one", oracle, domain_digest=other)


def test_simulated_and_real_answers_do_not_mix(path):
    answers(path, ["ann"], [1])
    with refused(InputError):
        answers(path, ["ann"], [1], seed=0)
    path.unlink()
    answers(path, ["ann"], [1], seed=0)
    answers(path, ["ann"], [1], seed=5)
    with refused(InputError):
        answers(path, ["ann"], [1])


def test_a_simulation_is_reproducible_and_later_newcomers_draw_by_themselves(path):
    contents = []
    for _ in range(2):
        path.unlink(missing_ok=True)
        answers(path, NAMES[:150], np.zeros(150, dtype=int), seed=7)
        answers(path, NAMES[150:], np.zeros(150, dtype=int), seed=7)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    rows = list(held(path).values())
    assert len(set(rows[:150]) | set(rows[150:])) > 1
    assert rows[:150] != rows[150:]


def test_a_memory_of_other_parameters_is_refused(path):
    answers(path, ["a"], [1], oracle=DBitFlip(8, Privacy(epsilon=1), 2))
    for other in (
        DBitFlip(8, Privacy(epsilon=2), 2),
        DBitFlip(8, Privacy(epsilon=1), 3),
        ORACLES["mean"],
    ):
        with refused(InputError):
            answers(path, ["a"], [1], oracle=other)


def test_a_locked_memory_is_waited_for(path, monkeypatch):
    assert memory_database.PATIENCE == 30
    answers(path, NAMES[:10], np.zeros(10, dtype=int))
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, other.execute, ["COMMIT"]).start()
    answers(path, NAMES[10:], np.zeros(290, dtype=int))
    assert len(held(path)) == 300
    for lock in ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"):
        other.execute(lock)
        monkeypatch.setattr(memory_database, "PATIENCE", 0.1)
        with refused(InputError, about="memory"):
            answers(path, NAMES, np.zeros(300, dtype=int), "two")
        other.execute("ROLLBACK")
    other.close()
    answers(path, NAMES, np.zeros(300, dtype=int), "two")


def test_threads_that_write_at_once_lose_nothing(path):
    """Eight batches of one new memory, all at the same time; users stand in two rounds."""
    found = {}

    def collect(number):
        part = NAMES[30 * number : 30 * number + 60]
        found[number] = answers(path, part, np.zeros(60, dtype=int), f"r{number % 2}", ORACLES["all buckets"])[0]

    threads = [threading.Thread(target=collect, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(held(path)) == 270
    for number, part in itertools.product(range(7), (slice(30, 60),)):
        assert np.array_equal(found[number][part], found[number + 1][:30])


def test_answers_that_do_not_fit_are_refused_with_what_serves(path, monkeypatch):
    wide = DBitFlip(500, Privacy(epsilon=1))
    names = np.arange(40_000)
    with refused(InputError) as caught:
        answers(path, names, np.zeros(40_000, dtype=int), oracle=wide, words=never)
    assert "fit the 537 MB that a batch may draw, got 40,000 new users" in str(caught.value)
    d, users = re.search(r"; dbitflip:d=(\d+) or batches of ([\d,]+) users would fit$", str(caught.value)).groups()
    assert 200 < int(d) < 400
    memory = MemoryDatabase(path, DBitFlip(500, Privacy(epsilon=1), int(d)), round="one")
    memory._require_room(40_000)
    MemoryDatabase(path, wide, round="one")._require_room(int(users.replace(",", "")))
    for oracle, count in ((replace_d(memory.oracle, int(d) + 1), 40_000), (wide, 1 + int(users.replace(",", "")))):
        with refused(InputError):
            MemoryDatabase(path, oracle, round="one")._require_room(count)
    monkeypatch.setattr(memory_database, "disk_usage", lambda folder: Usage())
    with refused(InputError):
        answers(path, NAMES, np.zeros(300, dtype=int))


class Usage:
    free = 10


def replace_d(oracle, d):
    return DBitFlip(oracle.k, oracle.privacy, d)


def test_wrong_values_are_refused(path):
    memory = MemoryDatabase(path, ORACLES["all buckets"], round="one")
    batch = memory.note(["ann", "bob"])
    with refused(InputError):
        list(memory.recall(batch, np.array([0, 8])))
    with refused(InputError):
        memory.note([])


def test_another_spelling_of_a_known_user_is_refused_before_a_draw(path):
    values = np.zeros(3, dtype=int)
    answers(path, np.array(["p1", "ann", "bob"]), values)
    assert {len(name) for name in held(path)} == {64}
    _, batch = answers(path, np.array(["p1\u200b", "\uff41nn ", "bob\ufe0f"]), values, "two", words=never)
    assert batch.known == 3
    before = path.read_bytes()
    for other in ("P1", "p-1", "p 1", "p1\u0301", "\u04401", "A\u039dn", "\u03a11"):
        with refused(InputError):
            answers(path, np.array(["eve", other]), values[:2], "three", words=never)
    assert path.read_bytes() == before


def test_a_greek_capital_makes_no_second_user(path):
    """Whichever comes first; a name that is neither alike nor another case of the known one is another user's."""
    values = np.zeros(1, dtype=int)
    answers(path, np.array(["\u0397ans"]), values)
    answers(path, np.array(["Nino"]), values, "two")
    for other in ("Hans", "\u03b7ans", "nans", "\u039dino"):
        with refused(InputError):
            answers(path, np.array([other]), values, "three", words=never)
    answers(path, np.array(["vans"]), values, "three")
    assert answers(path, np.array(["\u0397ans"]), values, "four", words=never)[1].known == 1


def header_of_rule(rule):
    body = {
        "format": f"mechdesign-memory/{rule}",
        "secret": "",
        "parameters": ORACLES["one bucket"].parameters,
        "domain": {"sha256": ""},
        "seed": None,
        "identity": "a" * 32,
        "key": "b" * 64,
        **({} if rule == 1 else {"names": rule}),
    }
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return json.dumps({**body, "sha256": digest})


def test_a_memory_of_the_second_rule_keeps_it(path):
    """It has one key for each name, of its small letters."""
    text = header_of_rule(2)
    MEMORY_DATABASE.create(path, lambda connection: connection.execute("INSERT INTO header VALUES (?)", (text,)))
    values = np.zeros(2, dtype=int)
    answers(path, np.array(["\u0397ans", "hans"]), values)
    assert [len(name) for name in held(path)] == [32] * 2
    with refused(InputError):
        answers(path, np.array(["HANS"]), values[:1], "two", words=never)
    assert answers(path, np.array(["hans"]), values[:1], "two", words=never)[1].known == 1


def test_a_memory_of_the_first_rule_keeps_it(path):
    """Its users are known by NFKC alone; another case is another user, as when it was written."""
    text = header_of_rule(1)
    MEMORY_DATABASE.create(path, lambda connection: connection.execute("INSERT INTO header VALUES (?)", (text,)))
    values = np.zeros(4, dtype=int)
    answers(path, np.array(["ann", "Ann", "p1", "p1\u200b"]), values)
    assert [len(name) for name in held(path)] == [16] * 4
    _, batch = answers(path, np.array(["p1\u200b", "\uff21nn", "p1", "ann"]), values, "two", words=never)
    assert (batch.known, header_of(path)["format"], "names" in header_of(path)) == (4, "mechdesign-memory/1", False)
