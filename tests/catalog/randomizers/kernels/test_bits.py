"""Kernels: packed bits by their exact law, draws below a bound, block designs."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Model, design
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.bits import (
    AT_ONCE,
    CHOICES,
    ByteSampler,
    bernoulli_rows,
    column_sums,
    last_byte,
    put_bits,
    row_sums,
    row_width,
)
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, random_bytes
from mechdesign_catalog.randomizers.kernels.hashing import LinearHashes
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, require_few
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.designs.designed import Designed

PROBABILITIES = (
    Fraction(0),
    Fraction(1),
    Fraction(1, 2),
    Fraction(3, 16),
    Fraction(1, 3),
    Fraction(268941421369995, 10**15),
    Fraction(1, 1 << 40),
    Fraction(10**87 - 1, 10**87),
)


def byte_chance(probability: Fraction, byte: int) -> Fraction:
    """The product over its eight bits."""
    chance = Fraction(1)
    for position in range(8):
        chance *= probability if byte >> position & 1 else 1 - probability
    return chance


@pytest.mark.parametrize("probability", PROBABILITIES, ids=lambda p: f"{float(p):.3g}")
def test_table_and_rest_together_are_the_law_exactly(probability: Fraction) -> None:
    sampler = ByteSampler(probability)
    every_word = np.arange(CHOICES, dtype=np.uint16).view(np.uint64)
    answered = sampler.draw(CHOICES, lambda count: every_word if count == CHOICES // 4 else np.zeros(count, np.uint64))
    chances = [Fraction(int(n), CHOICES) for n in np.bincount(answered[: sampler.decided], minlength=256)]
    if sampler.rest is not None:
        ends = [0, *sampler.rest.cumulative, sampler.rest.denominator]
        left = Fraction(CHOICES - sampler.decided, CHOICES)
        for output, low, high in zip(sampler.rest.outputs, ends[:-1], ends[1:], strict=True):
            chances[output] += left * Fraction(high - low, sampler.rest.denominator)
    assert chances == [byte_chance(probability, byte) for byte in range(256)]
    assert CHOICES - sampler.decided <= 255


def test_words_that_stand_for_no_byte_are_answered_by_what_rounding_left() -> None:
    probability, count = Fraction(1, 3), 40_000
    sampler = ByteSampler(probability)
    seeded = seeded_words(5)
    top = (1 << 64) - 1  # four 16-bit words beyond the table
    found = sampler.draw(count, lambda asked: np.full(asked, top, np.uint64) if asked == count // 4 else seeded(asked))
    rest = np.array([float(CHOICES * byte_chance(probability, byte) % 1) for byte in range(256)])
    expected = rest / rest.sum() * count
    seen = np.bincount(found, minlength=256)
    assert seen[expected == 0].sum() == 0
    often = expected > 5
    assert often.sum() > 200
    statistic = ((seen - expected)[often] ** 2 / expected[often]).sum()
    assert statistic <= chi2.ppf(0.999, often.sum())


def test_rare_bits_are_not_rounded_away() -> None:
    """2^-20 is less than the table can hold: 2^26 bits have 64 ones, standard deviation 8; chance below 1e-6 of 4.9."""
    rows = bernoulli_rows(Fraction(1, 1 << 20), 1 << 16, 1 << 10, seeded_words(6))
    assert abs(int(np.bitwise_count(rows).sum(dtype=np.int64)) - 64) < 40


def test_bits_of_a_byte_and_neighbours_are_independent() -> None:
    bits = np.unpackbits(bernoulli_rows(Fraction(1, 3), 50_000, 20, seeded_words(7)), axis=1, bitorder="little")
    assert not bits[:, 20:].any()
    correlation = np.corrcoef(bits[:, :20], rowvar=False)[np.triu_indices(20, 1)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(50_000)  # 190 pairs, family-wise below 2e-3
    assert np.abs(bits[:, :20].mean(axis=0) - 1 / 3).max() < 4 * np.sqrt(2 / 9 / 50_000)


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(0, 300), st.integers(0, 2**32))
def test_sums_are_those_of_unpacked_bits(k: int, users: int, seed: int) -> None:
    bits = np.random.default_rng(seed).random((users, k)) < 0.5
    rows = np.packbits(bits, axis=1, bitorder="little")
    assert np.array_equal(column_sums(rows, k), bits.sum(axis=0))
    assert np.array_equal(row_sums(rows), bits.sum(axis=1))


def test_sums_of_full_rows_do_not_overflow_and_wide_rows_are_summed_in_parts() -> None:
    full = np.full((1021, 2), 255, dtype=np.uint8)
    assert (column_sums(full, 16) == 1021).all()
    bits = np.random.default_rng(8).random((300, 9001)) < 0.3
    rows = np.packbits(bits, axis=1, bitorder="little")
    assert np.array_equal(column_sums(rows, 9001), bits.sum(axis=0))
    assert np.array_equal(row_sums(rows), bits.sum(axis=1))
    assert column_sums(rows[::7], 9001).sum() == bits[::7].sum()  # a view


@pytest.mark.parametrize("probability", [Fraction(-1, 3), Fraction(4, 3)])
def test_a_chance_beyond_0_and_1_is_refused(probability: Fraction) -> None:
    with refused(InputError, about="probability"):
        bernoulli(probability, 4, seeded_words(1))


def test_bits_are_put_in_every_block() -> None:
    users, k = AT_ONCE + 5, 11
    generator = np.random.default_rng(9)
    bits = generator.random((users, k)) < 0.5
    items, on = generator.integers(0, k, users), generator.random(users) < 0.5
    rows = np.packbits(bits, axis=1, bitorder="little")
    put_bits(rows, items, on)
    bits[np.arange(users), items] = on
    assert np.array_equal(rows, np.packbits(bits, axis=1, bitorder="little"))


def test_last_byte_has_the_rest_of_the_items() -> None:
    assert [last_byte(k) for k in (1, 2, 7, 8, 9, 16)] == [1, 3, 127, 255, 1, 255]
    assert [row_width(k) for k in (1, 8, 9, 1000)] == [1, 1, 2, 125]


def test_laws_of_many_reports_are_refused() -> None:
    with refused(InputError):
        require_few(65537, "sue")
    require_few(65536, "sue")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oue", "ss"])
def test_memory_is_the_reports_and_little_more(name: str) -> None:
    oracle = make_oracle(name, 2400, Privacy(epsilon=1))
    values = np.random.default_rng(10).integers(0, 2400, 50_000)
    tracemalloc.start()
    reports = oracle.privatize(values, seeded_words(11))
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    oracle.aggregate(reports)
    reading = tracemalloc.get_traced_memory()[1] - size
    tracemalloc.stop()
    assert peak <= 50_000 * oracle.row_bytes + (8 << 20)
    assert reading <= 4 << 20


@pytest.mark.parametrize("name", ["sue", "oue", "rappor", "ss"])
def test_nobody_and_large_domains_are_no_trouble(name: str) -> None:
    oracle = make_oracle(name, 100_003, Privacy(epsilon=1))
    assert oracle.privatize(np.zeros(0, dtype=np.int64)).columns["bits"].shape == (0, 12_501)
    state = oracle.aggregate(oracle.privatize(np.full(8, 100_002), seeded_words(12)))
    assert state.sums.shape == (100_003,)
    assert abs(state.sums.sum() / 8 / 100_003 - float(oracle.support.q)) < 0.01
    huge = make_oracle(name, 1 << 40, Privacy(epsilon=1))
    assert huge.row_bytes > 1 << 37
    assert huge.bits > 1 << 39
    with refused(InputError):
        huge.report_law()


def words_of_a_machine(order):
    """Return words 1, 2, ... as a machine of this byte order holds them."""
    return lambda count: (np.arange(1, count + 1, dtype=np.uint64) * 0x0102030405060708).astype(f"{order}u8")


def test_bytes_do_not_depend_on_the_byte_order_of_the_machine():
    big, little = (random_bytes(13, words_of_a_machine(order)).tolist() for order in "><")
    assert big == little == [8, 7, 6, 5, 4, 3, 2, 1, 16, 14, 12, 10, 8]


def test_hashes_do_not_depend_on_the_byte_order_of_the_machine():
    hashes = LinearHashes(1000, 3, 8)
    drawn = [hashes.draw(5, words_of_a_machine(order)).tolist() for order in "><"]
    assert drawn[0] == drawn[1]


PLANES = {7: (1, 2, 4), 13: (0, 1, 3, 9), 21: (3, 6, 7, 12, 14)}
"""Difference sets: every difference but 0 occurs once among the members, modulo k."""


def designed(k: int, epsilon: str) -> FrequencyOracle:
    block = PLANES[k]
    rows = tuple(tuple(int((item - output) % k not in block) for item in range(k)) for output in range(k))
    problem = DesignProblem(model=Model.ldp(k), epsilon=epsilon, loss=Loss.from_matrix(rows))
    return Designed.of(design(problem).mechanism, Privacy(epsilon=epsilon))


@pytest.mark.parametrize("k", [7, 13])
@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_a_plane_is_subset_selection_of_its_lines(k, epsilon):
    oracle = designed(k, epsilon)
    selection = make_oracle("ss", k, Privacy(epsilon=epsilon), size=len(PLANES[k]))
    assert oracle.approximate_variance(1) == pytest.approx(selection.approximate_variance(1), rel=1e-12)
    assert oracle.bits < selection.bits


def test_where_it_beats_the_oracles():
    """Below the variance of every other at (7, 1/2) and (21, 1); behind GRR and subset selection at (7, 2)."""
    others = ("grr", "sue", "oue", "blh", "olh", "hrr")
    for k, epsilon in ((7, "1/2"), (21, "1")):
        variance = designed(k, epsilon).approximate_variance(1)
        assert all(variance < make_oracle(name, k, Privacy(epsilon=epsilon)).approximate_variance(1) for name in others)
        assert variance <= make_oracle("ss", k, Privacy(epsilon=epsilon)).approximate_variance(1) * (1 + 1e-12)
    assert designed(7, "2").approximate_variance(1) > make_oracle("grr", 7, Privacy(epsilon="2")).approximate_variance(
        1
    )
