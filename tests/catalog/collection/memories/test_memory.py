"""Permanent memoisation: the law of the answers, what repeated collection reveals with it and without, and packing."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.memories.memory import AnswerRows, checked_names
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean

ROUNDS = 200
USERS = 2000
ORACLES = {
    "all buckets": DBitFlip(8, Privacy(epsilon=1)),
    "three of ten buckets": DBitFlip(10, Privacy(epsilon=1), 3),
    "one bucket": DBitFlip(8, Privacy(epsilon=1), 1),
    "mean": OneBitMean.up_to(24, Privacy(epsilon=1)),
}
every = pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)


def some_values(oracle, seed: int = 1, count: int = USERS) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, oracle.k, count)


@pytest.mark.slow
@every
def test_one_round_with_a_memory_is_one_round_without(oracle):
    """The same law: mean of the estimates' errors 0, variance that of the formula, over 250 fresh memories."""
    values = some_values(oracle, 6, 400)
    words = seeded_words(7)
    errors = []
    for _ in range(250):
        reports = oracle.recall(oracle.remember(400, words), values)
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
    reports = oracle.recall(oracle.remember(draws, seeded_words(8)), np.full(draws, value))
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
    words = seeded_words(10)
    memory = oracle.remember(USERS, words)
    kept, redrawn, kept_error, redrawn_error = np.zeros((2, USERS, 8)), None, 0.0, 0.0
    kept, redrawn = kept
    for _ in range(ROUNDS):
        reports = oracle.recall(memory, values)
        kept += bits_of(reports, 8)
        kept_error = kept_error + (oracle.estimate(oracle.aggregate(reports)) - truth) / ROUNDS
        reports = oracle.privatize(values, words)
        redrawn += bits_of(reports, 8)
        redrawn_error = redrawn_error + (oracle.estimate(oracle.aggregate(reports)) - truth) / ROUNDS
    assert (redrawn.argmax(axis=1) == values).mean() > 0.99
    single = bits_of(oracle.recall(memory, values), 8)
    assert np.array_equal(kept, ROUNDS * single)
    # at most e^eps / (e^eps + 7) = 0.28 of the users can be told from one report; here: any bit that is 1
    guess = (single + np.random.default_rng(11).random((USERS, 8)) / 2).argmax(axis=1)
    assert 0.1 < (guess == values).mean() < 0.28
    deviation = np.sqrt(oracle.variance(truth, USERS).mean())
    assert np.sqrt((kept_error**2).mean()) == pytest.approx(deviation, rel=0.75)
    assert np.sqrt((redrawn_error**2).mean()) < deviation / 8  # sqrt(200) = 14


def bits_of(reports, k: int) -> np.ndarray:
    return np.unpackbits(reports.columns["bits"], axis=1, count=k, bitorder="little")


def test_repeated_collection_of_a_mean():
    """200 rounds, eps = 1, numbers in 0..24: redrawing tells everybody's number to about 1.8; the memory says a bit."""
    oracle = ORACLES["mean"]
    values = some_values(oracle, 12)
    numbers = oracle.numbers(values)
    words = seeded_words(13)
    memory = oracle.remember(USERS, words)
    kept, redrawn = np.zeros((2, USERS))
    for _ in range(ROUNDS):
        reports = oracle.recall(memory, values)
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
    memory = oracle.remember(USERS, seeded_words(14))
    rounds = [oracle.recall(memory, np.full(USERS, value)).columns["bits"][:, 0] for value in range(10)]
    buckets = memory["buckets"]
    for one, other in itertools.combinations(range(10), 2):
        outside = ~((buckets == one) | (buckets == other)).any(axis=1)
        assert np.array_equal(rounds[one][outside], rounds[other][outside])
        assert (rounds[one] != rounds[other])[~outside].mean() > 0.5


@pytest.mark.parametrize("key", ["all buckets", "three of ten buckets", "one bucket"])
def test_answers_of_different_states_are_drawn_by_themselves(key):
    """A bit's noise agrees between two states with `p^2 + q^2`; were it shared, a change would show both values."""
    oracle = ORACLES[key]
    answers = np.unpackbits(
        oracle.remember(USERS, seeded_words(19))["answers"], axis=2, count=oracle.drawn, bitorder="little"
    )
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


@every
def test_answers_are_packed_and_unpacked(oracle):
    rows = AnswerRows.of(oracle)
    columns = oracle.remember(50, seeded_words(17))
    packed = rows.packed(columns)
    assert {len(row) for row in packed} == {rows.width} == {oracle.remembered_bytes}
    found = rows.unpacked(packed)
    assert set(found) == set(columns)
    for name, column in columns.items():
        assert np.array_equal(found[name], column)
        assert found[name].dtype == column.dtype


@pytest.mark.parametrize("k", [5, 64, 500, 10**9])
def test_the_best_oracle_that_remembers_less(k):
    """The largest d that fits; with one more it does not."""
    oracle = DBitFlip(k, Privacy(epsilon=1), min(k, 300))
    for most in (9, 10, 100, oracle.remembered_bytes - 1):
        name = oracle.remembering_less(most)
        d = int(name.removeprefix("dbitflip:d=") or 0)
        assert 0 <= d < oracle.drawn
        assert d == 0 or DBitFlip(k, Privacy(epsilon=1), d).remembered_bytes <= most
        assert d + 1 == oracle.drawn or DBitFlip(k, Privacy(epsilon=1), d + 1).remembered_bytes > most
    assert ORACLES["mean"].remembering_less(1) == ""


IMPOSSIBLE = [
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[0, 8], [0, 1]]}, r"buckets in 0..7, got 0, 8 in row 1"),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[3, 3], [0, 1]]}, "ascending buckets in 0..7, got 3, 3 in row 1"),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[0, 1]]}, "buckets for each of 2 users, got 1"),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": None}, "must have answers, buckets, got others"),
    (
        DBitFlip(8, Privacy(epsilon=1), 2),
        {"answers": np.full((2, 3, 1), 255, dtype=np.uint8)},
        "no bit beyond bit 1",
    ),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"answers": np.zeros((2, 2, 1), dtype=np.uint8)}, "3 answers each, got shape"),
    (DBitFlip(3, Privacy(epsilon=1)), {"buckets": [[0, 1, 2], [0, 1, 2]]}, "must have answers, got others"),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0, 4]}, r"point in 0..3, got 4 in row 2"),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0]}, "a point for each user"),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 1]]}, "two answers for each user"),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 2], [0, 1]]}, r"answers in 0..1, got 0, 2"),
]


@pytest.mark.parametrize(("oracle", "change", "message"), IMPOSSIBLE)
def test_impossible_answers_are_refused(oracle, change, message):
    columns = oracle.remember(2, seeded_words(18)) | {name: np.array(column) for name, column in change.items()}
    with pytest.raises(InputError, match=message):
        oracle.require_memory({name: column for name, column in columns.items() if column.dtype != object}, 2)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (["ann", "bob", "ann"], "users must stand once in a batch, got that of row 1 again in row 3"),
        (["ann", ""], "users must not be blank, got one in row 2"),
        (["ann", " \u00a0"], "users must not be blank, got one in row 2"),
        (["caf\u00e9", "bob", "cafe\u0301"], "users must stand once in a batch, got that of row 1 again in row 3"),
        (["ann", "x" * 201], "users must be 200 letters at most, got one in row 2"),
        ([1.5, 2.5], "texts or whole numbers, got float64"),
        ([["ann"]], "2 dimensions"),
    ],
)
def test_wrong_names_are_refused(users, message):
    with pytest.raises(InputError, match=message):
        checked_names(users)


def test_whole_numbers_name_users_too():
    assert checked_names(np.array([3, 20, 1])).tolist() == ["3", "20", "1"]
    assert len(checked_names([])) == 0


def test_a_name_is_known_however_its_letters_are_written():
    assert checked_names(["cafe\u0301", " Ann\u00a0", "p1\u200b"]).tolist() == ["caf\u00e9", "Ann", "p1"]


@pytest.mark.parametrize("other", ["Ann", "a-nn", "a nn", "\u00e1nn", "\u0430nn", "ann\u0301", "a\u03b7n"], ids=ascii)
def test_two_spellings_may_be_one_user(other):
    with pytest.raises(InputError, match=r"^users must differ in more than case, .* letters, got rows 2 and 3$"):
        checked_names(["bob", "ann", other, "eve"])
    assert checked_names(["bob", "ann", other], rule=1)[1] == "ann"
    assert checked_names(["1-12", "11-2", "112"]).tolist() == ["1-12", "11-2", "112"]


def test_a_greek_capital_makes_no_second_user():
    for other in ("Hans", "\u03b7ans", "nans"):
        with pytest.raises(InputError, match=r"^users must differ in more than case, .* letters, got rows 1 and 3$"):
            checked_names(["\u0397ans", "eve", other])
    assert checked_names(["\u0397ans", "hans"], rule=2)[1] == "hans"
    assert len(checked_names(["Hans", "\u03b7ans"])) == 2
