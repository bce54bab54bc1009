"""The fast transform against the matrix, and Hadamard response against its definition."""

import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import State, make_oracle
from mechdesign_catalog.oracles.kernels.hashing import LinearHashes
from mechdesign_catalog.oracles.kernels.walsh import parity, walsh_hadamard
from mechdesign_catalog.oracles.kinds.hadamard import best_t


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("tile_bits", [1, 2, 3, 18])
def test_transform_is_the_matrix_of_sylvester(kind, tile_bits, monkeypatch) -> None:
    monkeypatch.setattr("mechdesign_catalog.oracles.kernels.walsh.TILE_BITS", tile_bits)
    for bits in range(10):
        values = np.random.default_rng(bits).integers(-100, 100, 1 << bits).astype(kind)
        found = values.copy()
        walsh_hadamard(found)
        assert found.dtype == kind
        assert np.array_equal(found, hadamard(1 << bits, dtype=np.int64) @ values)
        walsh_hadamard(found)
        assert np.array_equal(found, values << bits)  # its own inverse, but for the scale


def test_parity_is_the_sum_of_binary_places_modulo_two() -> None:
    numbers = np.array([0, 1, 2, 3, 7, 255, 2**63, 2**64 - 1], dtype=np.uint64)
    assert parity(numbers).tolist() == [0, 1, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("t", [1, 2, 3])
@pytest.mark.parametrize("k", [2, 5, 16, 37])
def test_supports_are_the_items_with_all_the_bits(k: int, t: int) -> None:
    oracle = make_oracle("hrr", k, Privacy(epsilon=1), t=t)
    reports = oracle.privatize(np.arange(200) % k, seeded_words([k, t]))
    words = reports.columns["coefficients"].astype(int).tolist()
    expected = [0] * k
    for own, bits in zip(words, reports.columns["bucket"].tolist(), strict=True):
        for item in range(k):
            expected[item] += all((c & item).bit_count() % 2 == bits >> i & 1 for i, c in enumerate(own))
    state = oracle.aggregate(reports)
    assert oracle.supports(state).tolist() == expected
    share = (np.array(expected) / 200 - 2.0**-t) / (float(oracle.support.p) - 2.0**-t)
    assert oracle.estimate(state) == pytest.approx(share)


def test_the_state_is_the_spectrum() -> None:
    """With t = 1: for each coefficient, how many more bits are 0 than 1, and at 0 also the number of users."""
    oracle = make_oracle("hrr", 8, Privacy(epsilon=1))
    reports = oracle.privatize(np.arange(100) % 8, seeded_words(3))
    expected = [0] * 8
    expected[0] = 100
    for (word,), bit in zip(reports.columns["coefficients"].tolist(), reports.columns["bucket"].tolist(), strict=True):
        expected[word] += 1 - 2 * bit
    assert oracle.aggregate(reports).sums.tolist() == expected


def test_sums_that_do_not_fit_32_bits_are_exact() -> None:
    family = LinearHashes(8, 1, 2)
    supports = np.array([3, 2**40, 2**33 + 1, 0, 7, 1, 2, 5])
    spectrum = supports.copy()
    walsh_hadamard(spectrum)  # times 8, while a spectrum is times 2
    assert family.supports_of(spectrum).tolist() == (4 * supports).tolist()
    edge = np.array([2**30, 2**30] + [0] * 6)  # their sum is 2^31, one too many for 32 bits
    assert family.supports_of(edge)[0] == 2**30


def test_published_variances() -> None:
    """`((e^eps + 1)/(e^eps - 1))^2` with one coefficient; with two at e^eps = 3 that of OLH, the optimum."""
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        ratio = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        assert make_oracle("hrr", 9, Privacy(epsilon=epsilon)).approximate_variance(100) == pytest.approx(
            ratio**2 / 100, rel=1e-8
        )
    assert make_oracle("hrr", 9, Privacy(epsilon="1.0986122886681096"), t=2).approximate_variance(1) == pytest.approx(
        3, rel=1e-8
    )


def test_best_number_of_coefficients() -> None:
    for t, root in ((1, 3), (2, 21), (3, 105)):  # t and t + 1 are equally good where e^(2 eps) = (2^t - 1)(2^(t+1) - 1)
        tie = math.log(root) / 2
        assert best_t(Privacy(epsilon=tie - 0.01)) == t
        assert best_t(Privacy(epsilon=tie + 0.01)) == t + 1


def test_sizes() -> None:
    oracle = make_oracle("hrr", 1000, Privacy(epsilon=2), t=3)
    assert (oracle.bits, oracle.time_class) == (33, "N 8 + k log k")
    reports = oracle.privatize(np.arange(10), seeded_words(1))
    assert reports.columns["coefficients"].shape == (10, 3)
    assert sum(column.nbytes for column in reports.columns.values()) == 10 * oracle.wire.width


@pytest.mark.parametrize("t", [0, 13, "1", True])
def test_wrong_t_is_refused(t) -> None:
    with pytest.raises(InputError, match=f"t must be a whole number from 1 to 12, got t={t}"):
        make_oracle("hrr", 10, Privacy(epsilon=1), t=t)


def test_a_state_of_another_length_is_refused() -> None:
    oracle = make_oracle("hrr", 10, Privacy(epsilon=1))
    with pytest.raises(InputError, match=r"a state must have 16 sums, got shape \(10,\)"):
        oracle.estimate(State(oracle.parameters, 5, np.zeros(10, dtype=np.int64)))
