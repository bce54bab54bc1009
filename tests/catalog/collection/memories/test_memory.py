"""Permanent memoisation: the law of the answers, what repeated collection reveals with it and without, and packing."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from memories import ORACLES
from scipy.stats import chi2
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.memories.memory import AnswerRows, checked_names
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean

ROUNDS = 200
USERS = 2000
every = pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)


def some_values(oracle, seed: int = 1, count: int = USERS) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, oracle.k, count)


def test_remembered_reports_follow_the_law():
    for k, d, value in [(3, 3, 1), (3, 2, 1)]:
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


def test_answers_of_different_states_are_drawn_by_themselves():
    """A bit's noise agrees between two states with `p^2 + q^2`; were it shared, a change would show both values."""
    for key in ["all buckets", "three of ten buckets", "one bucket"]:
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


def test_the_best_oracle_that_remembers_less():
    """The largest d that fits; with one more it does not."""
    for k in [5, 64, 500, 10**9]:
        oracle = DBitFlip(k, Privacy(epsilon=1), min(k, 300))
        for most in (9, 10, 100, oracle.remembered_bytes - 1):
            name = oracle.remembering_less(most)
            d = int(name.removeprefix("dbitflip:d=") or 0)
            assert 0 <= d < oracle.drawn
            assert d == 0 or DBitFlip(k, Privacy(epsilon=1), d).remembered_bytes <= most
            assert d + 1 == oracle.drawn or DBitFlip(k, Privacy(epsilon=1), d + 1).remembered_bytes > most
        assert ORACLES["mean"].remembering_less(1) == ""


IMPOSSIBLE = [
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[0, 8], [0, 1]]}),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[3, 3], [0, 1]]}),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": [[0, 1]]}),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"buckets": None}),
    (
        DBitFlip(8, Privacy(epsilon=1), 2),
        {"answers": np.full((2, 3, 1), 255, dtype=np.uint8)},
    ),
    (DBitFlip(8, Privacy(epsilon=1), 2), {"answers": np.zeros((2, 2, 1), dtype=np.uint8)}),
    (DBitFlip(3, Privacy(epsilon=1)), {"buckets": [[0, 1, 2], [0, 1, 2]]}),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0, 4]}),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"point": [0]}),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 1]]}),
    (OneBitMean(5, Privacy(epsilon=1), Fraction(1)), {"answers": [[0, 2], [0, 1]]}),
]


def test_impossible_answers_are_refused():
    for oracle, change in IMPOSSIBLE:
        columns = oracle.remember(2, seeded_words(18)) | {name: np.array(column) for name, column in change.items()}
        with refused(InputError):
            oracle.require_memory({name: column for name, column in columns.items() if column.dtype != object}, 2)


def test_wrong_names_are_refused():
    for users in [
        ["ann", "bob", "ann"],
        ["ann", ""],
        ["ann", " \u00a0"],
        ["caf\u00e9", "bob", "cafe\u0301"],
        ["ann", "x" * 201],
        [1.5, 2.5],
        [["ann"]],
    ]:
        with refused(InputError):
            checked_names(users)


def test_whole_numbers_name_users_too():
    assert checked_names(np.array([3, 20, 1])).tolist() == ["3", "20", "1"]
    assert len(checked_names([])) == 0


def test_two_spellings_may_be_one_user():
    for other in ["Ann", "a-nn", "a nn", "\u00e1nn", "\u0430nn", "ann\u0301", "a\u03b7n"]:
        with refused(InputError, about="users"):
            checked_names(["bob", "ann", other, "eve"])
        assert checked_names(["bob", "ann", other], rule=1)[1] == "ann"
        assert checked_names(["1-12", "11-2", "112"]).tolist() == ["1-12", "11-2", "112"]


def test_a_greek_capital_makes_no_second_user():
    for other in ("Hans", "\u03b7ans", "nans"):
        with refused(InputError, about="users"):
            checked_names(["\u0397ans", "eve", other])
    assert checked_names(["\u0397ans", "hans"], rule=2)[1] == "hans"
    assert len(checked_names(["Hans", "\u03b7ans"])) == 2
