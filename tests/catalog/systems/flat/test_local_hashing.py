"""The linear hash family, enumerated; what reports support, counted in three ways; and the published variances."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.hashing import LinearHashes, collision, parities_for
from mechdesign_catalog.systems import Reports, make_oracle, oracle_of
from mechdesign_catalog.systems.flat.local_hashing import Blh, Olh


def hashes_and_buckets(oracle, reports):
    coefficients, buckets = oracle.columns_of(reports)
    return coefficients, buckets.astype(np.int64)


def all_hashes(family: LinearHashes) -> np.ndarray:
    """The bucket of every item (columns) by every hash of the family (rows)."""
    items = np.arange(family.k, dtype=np.int64)
    words = itertools.product(range(1 << family.word_bits), repeat=family.rows)
    return np.array([family.bucket(np.tile(np.array(c, dtype=family.kind), (family.k, 1)), items) for c in words])


def test_every_pair_of_items_collides_with_the_stated_probability() -> None:
    for k, rows, buckets in [(6, 1, 2), (5, 2, 4), (5, 2, 3), (4, 3, 5), (7, 2, 2)]:
        family = LinearHashes(k, rows, buckets)
        hashes = all_hashes(family)
        for x, y in itertools.combinations(range(k), 2):
            assert Fraction(int((hashes[:, x] == hashes[:, y]).sum()), len(hashes)) == family.collision


def test_with_any_three_items_two_collisions_are_independent() -> None:
    """What variance and covariance of supports rest on: as if fully random, unless the buckets differ in size."""
    for k, rows, buckets in [(5, 2, 4), (8, 1, 2), (5, 2, 3)]:
        family = LinearHashes(k, rows, buckets)
        hashes = all_hashes(family)
        sizes = np.diff(family.edges).tolist()
        both = Fraction(sum(size**3 for size in sizes), 8**rows)
        for x, y, w in itertools.permutations(range(k), 3):
            found = (hashes[:, x] == hashes[:, y]) & (hashes[:, x] == hashes[:, w])
            assert Fraction(int(found.sum()), len(hashes)) == both
        if buckets == 1 << rows:
            assert both == family.collision**2


def test_default_parities_make_buckets_nearly_even() -> None:
    for buckets in (*range(2, 200), 404, 1098, 8104, 22027, 65536):
        rows = parities_for(buckets)
        sizes = np.diff(LinearHashes(2, rows, buckets).edges)
        assert sizes.sum() == 1 << rows
        assert sizes.min() >= 1
        assert collision(rows, buckets) == Fraction(int((sizes**2).sum()), 4**rows)
        assert 1 <= buckets * collision(rows, buckets) <= Fraction(129, 128)
        if buckets & (buckets - 1) == 0:
            assert collision(rows, buckets) == Fraction(1, buckets)


def naive_supports(oracle: Blh | Olh, reports: Reports) -> list[int]:
    """Report by report, item by item, bit by bit."""
    family = oracle.hashes
    counts = [0] * oracle.k
    words = reports.columns["coefficients"].view(family.kind).tolist()
    for own, bucket in zip(words, reports.columns["bucket"].tolist(), strict=True):
        for item in range(oracle.k):
            extended = item + (1 << family.item_bits if family.affine else 0)
            z = sum(((c & extended).bit_count() % 2) << i for i, c in enumerate(own))
            counts[item] += z * family.buckets // 2**family.rows == bucket
    return counts


@settings(max_examples=40)
@given(
    k=st.integers(2, 150),
    epsilon=st.sampled_from(["1/10", "1/2", "1", "3/2", "2", "3"]),
    more=st.integers(0, 2),
    users=st.integers(0, 40),
    seed=st.integers(0, 1000),
)
def test_transform_and_direct_count_are_the_naive_count(k, epsilon, more, users, seed) -> None:
    oracle = make_oracle("olh", k, Privacy(epsilon=epsilon))
    oracle = make_oracle("olh", k, Privacy(epsilon=epsilon), hash_bits=oracle.hash_bits + more)
    values = np.random.default_rng(seed).integers(0, k, users)
    reports = oracle.privatize(values, seeded_words(seed))
    expected = naive_supports(oracle, reports)
    coefficients, buckets = hashes_and_buckets(oracle, reports)
    assert oracle.hashes.supports_of(oracle.hashes.spectrum(coefficients, buckets)).tolist() == expected
    assert oracle.hashes.counted(coefficients, buckets).tolist() == expected
    assert oracle.aggregate(reports).sums.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize(("k", "epsilon", "users"), [(1300, 1, 3000), (300, 6, 2500), (70, 11, 30)])
def test_transform_and_direct_count_agree_over_several_blocks(k, epsilon, users, monkeypatch) -> None:
    monkeypatch.setattr("mechdesign_catalog.randomizers.kernels.hashing.USERS_AT_ONCE", 1000)
    monkeypatch.setattr("mechdesign_catalog.systems.flat.local_hashing.USERS_AT_ONCE", 700)
    oracle = make_oracle("olh", k, Privacy(epsilon=epsilon))
    reports = oracle.privatize(np.arange(users) % k, seeded_words(5))
    columns = hashes_and_buckets(oracle, reports)
    if oracle.hash_bits < 13:
        assert np.array_equal(
            oracle.hashes.supports_of(oracle.hashes.spectrum(*columns)), oracle.hashes.counted(*columns)
        )
    else:
        assert oracle.hashes.counted(*columns).tolist() == naive_supports(oracle, reports)
        assert oracle.time_class == "N k"


def test_the_cheaper_way_is_taken() -> None:
    assert LinearHashes(1000, 2, 4).by_transform(100_000)
    assert not LinearHashes(10, 10, 1000).by_transform(100_000)
    assert LinearHashes(10**6, 2, 4).by_transform(3)  # a transform of a million entries, or as many comparisons
    assert not LinearHashes(1000, 6, 21).by_transform(300)  # 63 passes over few reports
    large = make_oracle("olh", 1 << 22, Privacy(epsilon="10.9")).hashes
    assert large.rows == 18
    assert not large.by_transform(100)  # 2^18 passes over 100 reports
    assert large.by_transform(10**6)


def test_weights_of_buckets_are_their_sums_of_signs() -> None:
    for rows, buckets in [(1, 2), (2, 3), (3, 8), (4, 9), (6, 37), (7, 128), (8, 200)]:
        family = LinearHashes(8, rows, buckets)
        for subset in range(1, 1 << rows):
            signs = [(-1) ** (z & subset).bit_count() for z in range(1 << rows)]
            expected = [sum(signs[a:b]) for a, b in itertools.pairwise(family.edges.tolist())]
            assert family.weights(subset, np.arange(buckets)).tolist() == expected
            assert family.weights(subset, np.array([buckets - 1, 0])).tolist() == [expected[-1], expected[0]]


def test_published_variances() -> None:
    """Wang et al. 2017, eq. for BLH and OLH; at e^eps = 3 the four buckets are exactly the optimum."""
    olh, blh = Olh(50, Privacy(epsilon="1.0986122886681096")), Blh(50, Privacy(epsilon="1.0986122886681096"))
    assert float(olh.support.p) == pytest.approx(1 / 2, abs=1e-8)
    assert olh.support.q == Fraction(1, 4)
    assert olh.approximate_variance(1000) == pytest.approx(3 / 1000, rel=1e-8)
    assert blh.approximate_variance(1000) == pytest.approx(4 / 1000, rel=1e-8)
    for epsilon in np.arange(0.25, 8, 0.25):
        e = math.exp(epsilon)
        found = make_oracle("olh", 50, Privacy(epsilon=str(epsilon))).approximate_variance(1)
        # g is a whole number near e^eps + 1, and buckets are nearly even: 6% at most, which small epsilon need
        assert 1 - 1e-9 <= found / (4 * e / (e - 1) ** 2) <= 1.06


def test_the_largest_domain_reports() -> None:
    oracle = make_oracle("olh", 1 << 40, Privacy(epsilon=2))
    reports = oracle.privatize(np.array([0, (1 << 40) - 1]), seeded_words(3))
    assert oracle.hashes.kind.itemsize == 8
    coefficients, buckets = hashes_and_buckets(oracle, reports)
    assert coefficients.max() >= 1 << 32
    assert buckets.max() < 8


def test_bad_options_are_refused() -> None:
    with refused(InputError, about="epsilon"):
        make_oracle("olh", 10, Privacy(epsilon=12))
    with refused(InputError, about="hash_bits"):
        make_oracle("olh", 10, Privacy(epsilon=1), hash_bits=1)
    with refused(InputError, about="hash_bits"):
        make_oracle("olh", 10, Privacy(epsilon=1), hash_bits=21)
    with refused(InputError, about="hash_bits"):
        make_oracle("olh", 10, Privacy(epsilon=1), hash_bits="two")
    with refused(InputError):
        oracle_of({"oracle": "olh", "k": 10, "privacy": "epsilon=1", "hash_bits": 0})
    with refused(InputError, about="k"):
        make_oracle("olh", 1000, Privacy(epsilon=1)).report_law()


def test_what_is_said_to_serve_beyond_the_largest_epsilon_does() -> None:
    """`Var` of rare items is about `4 e^-eps`; GRR's would grow with k."""
    for k in [10, 10**6, 1 << 40]:
        for name in ("ss", "oue"):
            assert make_oracle(name, k, Privacy(epsilon=12)).approximate_variance(1) <= 4.1 * math.exp(-12)
