"""Permanent memoisation: what repeated collection reveals with it and without, growth, files, and what is refused."""

import itertools
import re
import stat
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import Domain
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.collection.memory import SECRET, Memory, checked_names
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean

ROUNDS = 200
USERS = 2000
NAMES = np.array([f"user {i}" for i in range(USERS)])
ORACLES = {
    "all buckets": DBitFlip(8, Privacy(epsilon=1)),
    "three of ten buckets": DBitFlip(10, Privacy(epsilon=1), 3),
    "one bucket": DBitFlip(8, Privacy(epsilon=1), 1),
    "mean": OneBitMean.up_to(24, Privacy(epsilon=1)),
}
every = pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)


def some_values(oracle, seed: int = 1, count: int = USERS) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, oracle.k, count)


def same(one, other) -> bool:
    return set(one.columns) == set(other.columns) and all(
        np.array_equal(one.columns[name], other.columns[name]) for name in one.columns
    )


@every
def test_reports_stay_the_same_while_values_do(oracle):
    values = some_values(oracle)
    first, memory = Memory.empty(oracle).answer(NAMES, values, seeded_words(2))
    for round_ in range(20):
        again, memory = memory.answer(NAMES, values, seeded_words([3, round_]))
        assert same(first, again)
    assert len(memory) == USERS


@every
def test_users_keep_their_answers_in_any_order_and_company(oracle):
    values = some_values(oracle)
    words = seeded_words(4)
    first, memory = Memory.empty(oracle).answer(NAMES[:1000], values[:1000], words)
    order = np.random.default_rng(5).permutation(USERS)
    second, memory = memory.answer(NAMES[order], values[order], words)
    back = np.argsort(order)
    for name, column in second.columns.items():
        assert np.array_equal(column[back][:1000], first.columns[name])
    assert len(memory) == USERS
    third, unchanged = memory.answer(NAMES[1500:], values[1500:], words)
    assert unchanged is memory
    for name, column in second.columns.items():
        assert np.array_equal(column[back][1500:], third.columns[name])


@pytest.mark.slow
@every
def test_one_round_with_a_memory_is_one_round_without(oracle):
    """The same law: mean of the estimates' errors 0, variance that of the formula, over 250 fresh memories."""
    values = some_values(oracle, 6, 400)
    words = seeded_words(7)
    errors = []
    for _ in range(250):
        reports, _ = Memory.empty(oracle).answer(NAMES[:400], values, words)
        errors.append(oracle.estimate(oracle.aggregate(reports)))
    if isinstance(oracle, OneBitMean):
        truth, variance = np.array([oracle.numbers(values).mean()]), np.array([oracle.variance(values)])
    else:
        truth = np.bincount(values, minlength=oracle.k) / 400
        variance = oracle.variance(truth, 400)
    off = np.array(errors).reshape(250, -1) - truth
    assert (np.abs(off.mean(axis=0)) <= 4 * np.sqrt(variance / 250)).all()
    assert (np.abs(off.var(axis=0) - variance) <= 4.5 * variance * np.sqrt(2 / 250)).all()


@pytest.mark.parametrize(("k", "d", "value"), [(3, 3, 1), (3, 2, 1)])
def test_remembered_reports_follow_the_law(k, d, value):
    oracle = DBitFlip(k, Privacy(epsilon=1), d)
    draws = 20_000
    reports, _ = Memory.empty(oracle).answer(np.arange(draws), np.full(draws, value), seeded_words(8))
    columns = [column.reshape(draws, -1) for column in reports.columns.values()]
    found = Counter(map(tuple, np.concatenate(columns, axis=1).tolist()))
    expected = {report: draws * float(row[value]) for report, row in oracle.report_law().items()}
    statistic = sum((found[report] - mean) ** 2 / mean for report, mean in expected.items())
    assert set(found) <= set(expected)
    assert statistic <= chi2.ppf(1 - 1e-4, len(expected) - 1)


@pytest.mark.slow
def test_repeated_collection_of_a_histogram():
    """200 rounds, k = 8, eps = 1: redrawing gives nearly everybody away and averages the noise to nothing."""
    oracle = ORACLES["all buckets"]
    values = some_values(oracle, 9)
    truth = np.bincount(values, minlength=8) / USERS
    memory, words = Memory.empty(oracle), seeded_words(10)
    kept, redrawn, kept_error, redrawn_error = np.zeros((2, USERS, 8)), None, 0.0, 0.0
    kept, redrawn = kept
    for _ in range(ROUNDS):
        reports, memory = memory.answer(NAMES, values, words)
        kept += bits_of(reports, 8)
        kept_error = kept_error + (oracle.estimate(oracle.aggregate(reports)) - truth) / ROUNDS
        reports = oracle.privatize(values, words)
        redrawn += bits_of(reports, 8)
        redrawn_error = redrawn_error + (oracle.estimate(oracle.aggregate(reports)) - truth) / ROUNDS
    assert (redrawn.argmax(axis=1) == values).mean() > 0.99
    single = bits_of(oracle.recall(memory.columns, values), 8)
    assert np.array_equal(kept, ROUNDS * single)
    # at most e^eps / (e^eps + 7) = 0.28 of the users can be told from one report; here: any bit that is 1
    guess = (single + np.random.default_rng(11).random((USERS, 8)) / 2).argmax(axis=1)
    assert 0.1 < (guess == values).mean() < 0.28
    deviation = np.sqrt(oracle.variance(truth, USERS).mean())
    assert np.sqrt((kept_error**2).mean()) == pytest.approx(deviation, rel=0.75)
    assert np.sqrt((redrawn_error**2).mean()) < deviation / 8  # sqrt(200) = 14


def bits_of(reports, k: int) -> np.ndarray:
    return np.unpackbits(reports.columns["bits"], axis=1, count=k)


def test_repeated_collection_of_a_mean():
    """200 rounds, eps = 1, numbers in 0..24: redrawing tells everybody's number to about 1.8; the memory says a bit."""
    oracle = ORACLES["mean"]
    values = some_values(oracle, 12)
    numbers = oracle.numbers(values)
    memory, words = Memory.empty(oracle), seeded_words(13)
    kept, redrawn = np.zeros((2, USERS))
    for _ in range(ROUNDS):
        reports, memory = memory.answer(NAMES, values, words)
        kept += reports.columns["bit"]
        redrawn += oracle.privatize(values, words).columns["bit"]
    p, q = float(oracle.support.p), float(oracle.support.q)
    found = 24 * (redrawn / ROUNDS - q) / (p - q)
    assert np.abs(found - numbers).mean() < 1.6
    assert np.corrcoef(found, numbers)[0, 1] > 0.95
    assert set(kept.tolist()) == {0.0, float(ROUNDS)}
    assert np.corrcoef(kept, numbers)[0, 1] < 0.35
    share = kept.mean() / ROUNDS
    error = 24 * (share - q) / (p - q) - numbers.mean()
    assert abs(error) <= 4 * np.sqrt(oracle.variance(values))
    noise = 24 * (redrawn.mean() / ROUNDS - q) / (p - q) - numbers.mean()
    assert abs(noise) <= 4 * np.sqrt(oracle.variance(values) / ROUNDS)


def test_a_changed_value_shows_only_as_a_change():
    """d = 3 of 10: values outside the user's buckets share one answer; every state has its own, and returns."""
    oracle = ORACLES["three of ten buckets"]
    memory = Memory.empty(oracle)
    rounds = []
    for value in range(10):
        reports, memory = memory.answer(NAMES, np.full(USERS, value), seeded_words([14, value]))
        rounds.append(reports.columns["bits"][:, 0])
    buckets = memory.columns["buckets"]
    for one, other in itertools.combinations(range(10), 2):
        outside = ~((buckets == one) | (buckets == other)).any(axis=1)
        assert np.array_equal(rounds[one][outside], rounds[other][outside])
        assert (rounds[one] != rounds[other])[~outside].mean() > 0.5
    back, memory = memory.answer(NAMES, np.full(USERS, 0), seeded_words(15))
    assert np.array_equal(back.columns["bits"][:, 0], rounds[0])


@pytest.mark.parametrize("key", ["all buckets", "three of ten buckets", "one bucket"])
def test_answers_of_different_states_are_drawn_by_themselves(key):
    """A bit's noise agrees between two states with `p^2 + q^2`; were it shared, a change would show both values."""
    oracle = ORACLES[key]
    answers = np.unpackbits(oracle.remember(USERS, seeded_words(19))["answers"], axis=2, count=oracle.drawn)
    noise = answers ^ np.eye(answers.shape[1], oracle.drawn, dtype=np.uint8)
    agree = float(oracle.support.p**2 + oracle.support.q**2)
    error = np.sqrt(agree * (1 - agree) / (USERS * oracle.drawn))
    for one, other in itertools.combinations(range(answers.shape[1]), 2):
        assert abs((noise[:, one] == noise[:, other]).mean() - agree) <= 4.5 * error


def test_remembered_rounding_is_unbiased_at_every_value_of_a_coarse_grid():
    """0 is never rounded up, the maximum always, the middle by half of the users."""
    oracle = OneBitMean.up_to(24, Privacy(epsilon=1), k=3)
    memory = oracle.remember(USERS, seeded_words(20))
    bits = [oracle.recall(memory, np.full(USERS, value)).columns["bit"] for value in range(3)]
    assert np.array_equal(bits[0], memory["answers"][:, 0])
    assert np.array_equal(bits[2], memory["answers"][:, 1])
    ups = int((memory["point"] == 0).sum())
    assert abs(ups - USERS / 2) <= 4 * np.sqrt(USERS) / 2
    assert np.array_equal(bits[1], np.where(memory["point"] == 0, bits[2], bits[0]))


def test_the_memory_itself_does_not_know_the_values():
    """Drawn before the value is looked at: with the same words it is the same for all values."""
    for oracle in ORACLES.values():
        empty = Memory.empty(oracle)
        _, one = empty.answer(NAMES, np.zeros(USERS, dtype=np.int64), seeded_words(16))
        _, other = empty.answer(NAMES, np.full(USERS, oracle.k - 1), seeded_words(16))
        assert one.to_bytes() == other.to_bytes()


@every
def test_saved_and_read(oracle, tmp_path):
    path = tmp_path / "answers.npz"
    values = some_values(oracle)
    first, memory = Memory.empty(oracle).answer(NAMES, values, seeded_words(17))
    memory.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SECRET.encode("utf-32-le") in path.read_bytes()
    again, memory = Memory.read(path, oracle).answer(NAMES, values)
    assert same(first, again)
    _, grown = memory.answer(["naïve 名", "another"], values[:2])
    path.chmod(0o640)  # the owner's wish
    grown.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert Memory.read(path, oracle).users[-2:].tolist() == ["naïve 名", "another"]
    Memory.empty(oracle).save(path)
    assert len(Memory.read(path, oracle)) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["answers.npz"]


@every
def test_a_memory_of_another_domain_is_refused(oracle, tmp_path):
    """The same number of items, in another order: answers of other states are not those that were given before."""
    path = tmp_path / "answers.npz"
    digests = {Domain(tuple(map(str, order))).digest for order in (range(9), range(9)[::-1], range(1, 10))}
    for digest in digests | {""}:
        _, memory = Memory.empty(oracle, digest).answer(["ann"], np.array([1]))
        memory.save(path)
        assert Memory.read(path, oracle, digest).domain_digest == digest
        for other in (digests | {""}) - {digest}:
            with pytest.raises(InputError, match=r"its own domain, got items for .* others or in another order; with"):
                Memory.read(path, oracle, other)


def test_simulated_and_real_answers_do_not_mix(tmp_path):
    path, oracle = tmp_path / "answers.npz", ORACLES["mean"]
    Memory.empty(oracle).save(path)
    with pytest.raises(InputError, match=r"a simulation must have a memory of its own, got .*npz of real answers with"):
        Memory.read(path, oracle, seed=0)
    Memory.empty(oracle, seed=0).save(path)
    assert Memory.read(path, oracle, seed=5).seed == 0
    with pytest.raises(InputError, match=r"got .*npz, a simulation with the seed 0; give a new file, or a seed"):
        Memory.read(path, oracle)


def test_every_memory_has_an_identity_for_life(tmp_path):
    path, oracle = tmp_path / "answers.npz", ORACLES["one bucket"]
    memory = Memory.empty(oracle)
    assert re.fullmatch("[0-9a-f]{32}", memory.identity)
    assert len({memory.identity, *(Memory.empty(oracle).identity for _ in range(50))}) == 51
    for name in ("ann", "bob"):
        _, grown = memory.answer([name], np.array([1]))
        grown.save(path)
        assert Memory.read(path, oracle).identity == grown.identity == memory.identity
    one, same_seed, other = (Memory.empty(oracle, seed=seed).identity for seed in (1, 1, 2))
    assert (one == same_seed, one == other) == (True, False)  # a simulation is reproducible


def test_a_memory_of_other_parameters_is_refused(tmp_path):
    path = tmp_path / "answers.npz"
    _, memory = Memory.empty(DBitFlip(8, Privacy(epsilon=1), 2)).answer(["a"], np.array([1]))
    memory.save(path)
    for other, got in (
        (DBitFlip(8, Privacy(epsilon=2), 2), "privacy=epsilon=1 beside privacy=epsilon=2"),
        (DBitFlip(8, Privacy(epsilon=1), 3), "d=2 beside d=3"),
        (ORACLES["mean"], "oracle=dbitflip beside oracle=onebitmean"),
    ):
        with pytest.raises(InputError, match=f"the memory .*npz must be made with the same parameters, got {got}"):
            Memory.read(path, other)


NO_MEMORY = (
    "memory must be a whole memory file of mechdesign privatize, got .*answers.npz {}; bring it back from a copy"
)


def test_damaged_memories_are_refused(tmp_path):
    path = tmp_path / "answers.npz"
    oracle = DBitFlip(8, Privacy(epsilon=1), 2)
    _, memory = Memory.empty(oracle).answer(["ann", "bob"], np.array([1, 2]))
    whole = memory.to_bytes()
    for part in (whole[:-40], whole[: len(whole) // 2], b"", bytes([*whole[:200], whole[200] ^ 255, *whole[201:]])):
        path.write_bytes(part)
        with pytest.raises(InputError, match=NO_MEMORY.format(r"\(cut off, changed, or another kind of file\)")):
            Memory.read(path, oracle)
    path.write_bytes(
        make_oracle("grr", 3, Privacy(epsilon=1))
        .aggregate(make_oracle("grr", 3, Privacy(epsilon=1)).privatize(np.array([1])))
        .to_bytes()
    )
    with pytest.raises(InputError, match=NO_MEMORY.format(r"\(no header of format mechdesign-memory/1\)")):
        Memory.read(path, oracle)
    with pytest.raises(InputError, match=r"memory must exist, got .*none\.npz"):
        Memory.read(tmp_path / "none.npz", oracle)


@pytest.mark.parametrize(
    ("oracle", "change", "message"),
    [
        (DBitFlip(8, Privacy(epsilon=1), 2), {"users": ["ann", "ann"]}, "users must stand once"),
        (DBitFlip(8, Privacy(epsilon=1), 2), {"users": ["ann"]}, "2 packed bits"),
        (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[0, 8], [0, 1]]}, "ascending buckets"),
        (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": None}, "must have answers, buckets, got others"),
        (DBitFlip(8, Privacy(epsilon=1), 2), {"answers": np.full((2, 3, 1), 255, dtype=np.uint8)}, "zeros after them"),
        (DBitFlip(8, Privacy(epsilon=1), 2), {"answers": np.zeros((2, 2, 1), dtype=np.uint8)}, "2 packed bits"),
        (DBitFlip(3, Privacy(epsilon=1)), {"buckets": [[0, 1, 2], [0, 1, 2]]}, "must have answers, got others"),
        (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0, 4]}, r"point in 0..3, got 4 in row 2"),
        (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0]}, "a point for each user"),
        (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 1]]}, "two answers for each user"),
        (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 2], [0, 1]]}, r"answers in 0..1, got 2"),
    ],
)
def test_impossible_memories_are_refused(oracle, change, message, tmp_path):
    _, memory = Memory.empty(oracle).answer(["ann", "bob"], np.array([1, 2]))
    users = np.array(change.pop("users", memory.users))
    columns = {**memory.columns, **{name: np.array(column) for name, column in change.items()}}
    columns = {name: column for name, column in columns.items() if column.dtype != object}
    path = tmp_path / "answers.npz"
    Memory(oracle, users, columns).save(path)
    with pytest.raises(InputError, match=NO_MEMORY.format(rf"\(damaged: .*{message}.*\)")):
        Memory.read(path, oracle)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (["ann", "bob", "ann"], "users must stand once in a round, got that of row 1 again in row 3"),
        (["ann", ""], "users must not be blank, got one in row 2"),
        (["ann", "x" * 201], "users must be 200 letters at most, got one in row 2"),
        ([1.5, 2.5], "texts or whole numbers, got float64"),
        ([["ann"]], "2 dimensions"),
    ],
)
def test_wrong_names_are_refused(users, message):
    with pytest.raises(InputError, match=message):
        Memory.empty(ORACLES["mean"]).answer(users, np.zeros(len(users), dtype=np.int64))


def test_wrong_values_are_refused_before_anything_is_drawn():
    def never(count: int) -> np.ndarray:
        raise AssertionError

    memory = Memory.empty(ORACLES["all buckets"])
    with pytest.raises(InputError, match=r"values must be in 0..7, got 8 in row 2"):
        memory.answer(["ann", "bob"], np.array([0, 8]), never)
    with pytest.raises(InputError, match="users must be as many as values, got 1 for 2"):
        memory.answer(["ann"], np.array([0, 7]), never)


def test_whole_numbers_name_users_too():
    assert checked_names(np.array([3, 20, 1])).tolist() == ["3", "20", "1"]
    assert len(checked_names([])) == 0


def test_too_much_to_remember_is_refused():
    with pytest.raises(InputError, match="answers to remember must fit 2 GiB, got 100000 users with 1000 answers"):
        DBitFlip(1000, Privacy(epsilon=1)).remember(100_000, seeded_words(18))


def test_operating_system_randomness_is_the_default():
    oracle = ORACLES["all buckets"]
    values = np.zeros(USERS, dtype=np.int64)
    (one, _), (other, _) = (Memory.empty(oracle).answer(NAMES, values) for _ in range(2))
    assert not same(one, other)


def test_a_memory_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path: Path = tmp_path / "answers.npz"
    oracle = ORACLES["one bucket"]
    _, memory = Memory.empty(oracle).answer(["ann"], np.array([1]))
    memory.save(path)
    before = path.read_bytes()
    _, grown = memory.answer(["bob"], np.array([1]))
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(InputError, match="output could not be written"):
        grown.save(path)
    assert path.read_bytes() == before
