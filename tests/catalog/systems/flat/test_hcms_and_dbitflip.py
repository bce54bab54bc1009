"""The count-mean sketch and dBitFlip: variances over public hashes, sums by definition and by enumeration, refusals."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.kernels.subsets import uniform_subsets
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.systems import Reports, State, make_oracle
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip, _dealt
from mechdesign_catalog.systems.flat.sketch import Hcms


def test_estimates_are_those_of_the_sketch_by_definition() -> None:
    """Each hash's row of counts transformed back, then the item's place looked up in every row."""
    oracle = make_oracle("hcms", 21, Privacy(epsilon=2), hashes=5, width=8, seed=4)
    values = np.arange(600) % 21
    reports = oracle.privatize(values, seeded_words(9))
    places = np.array([[place_of(oracle, j, x) for x in range(21)] for j in range(5)])
    signs = 1 - 2 * np.array([[(a & b).bit_count() % 2 for b in range(8)] for a in range(8)])
    sketch = np.zeros((5, 8))
    for j, place, bit in zip(*(column.tolist() for column in reports.columns.values()), strict=True):
        sketch[j] += signs[place] * (1 - 2 * bit)  # the Hadamard row of the place, as it was reported
    kept = 2 * float(oracle.support.p) - 1
    raw = sum(sketch[j, places[j]] for j in range(5)) / kept / 600
    expected = 8 / 7 * (raw - 1 / 8)
    assert oracle.estimate(oracle.aggregate(reports)) == pytest.approx(expected, abs=1e-12)


def place_of(oracle: Hcms, j: int, item: int) -> int:
    """`h_j(item)`: its bits are those of the coefficients of the places 1, 2, 4."""
    return sum((int(oracle.coefficients[j, 1 << bit]) & item).bit_count() % 2 << bit for bit in range(3))


def test_coefficients_are_the_transform_of_the_hash() -> None:
    oracle = make_oracle("hcms", 21, Privacy(epsilon=2), hashes=5, width=8, seed=4)
    for j, place, item in itertools.product(range(5), range(8), range(21)):
        assert (
            int(parity(oracle.coefficients[j, place] & np.uint8(item)))
            == (place & place_of(oracle, j, item)).bit_count() % 2
        )


def test_public_hashes_are_the_same_everywhere() -> None:
    """Clients and server must agree, on any machine and in any version: these numbers must never change."""
    assert make_oracle("hcms", 1000, Privacy(epsilon=1), hashes=2, width=4).coefficients.tolist() == [
        [0, 476, 744, 820],
        [0, 844, 1012, 184],
    ]
    other = make_oracle("hcms", 1000, Privacy(epsilon=1), hashes=2, width=4, seed=1)
    assert (
        other.coefficients.tolist()
        != make_oracle("hcms", 1000, Privacy(epsilon=1), hashes=2, width=4).coefficients.tolist()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("k", "hashes", "width", "repetitions"), [(1000, 8, 8, 100), (5, 1, 2, 400)])
def test_estimated_variance_is_the_true_one_where_collisions_are_nearly_all_of_it(
    k, hashes, width, repetitions
) -> None:
    """Also with more items than collisions are spread over, when their own noise is most of the sum of squares."""
    shares = 1 / np.arange(1, k + 1)
    counts = np.random.default_rng(k).multinomial(20_000, shares / shares.sum())
    values, truth = np.repeat(np.arange(k), counts), counts / 20_000
    found, hits = [], []
    for seed in range(repetitions):
        oracle = make_oracle("hcms", k, Privacy(epsilon=2), hashes=hashes, width=width, seed=seed)
        estimate = oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([k, seed]))))
        found.append(oracle.estimated_variance(estimate, 20_000))
        assert (found[-1] > 0).all()
        hits.append(np.abs(estimate - truth) <= 1.96 * np.sqrt(found[-1]))
    exact, base = oracle.variance(truth, 20_000), oracle.moments.items(truth) / 20_000
    assert exact.mean() > 4 * base.mean()
    error = np.std([row.mean() for row in found]) / np.sqrt(repetitions)
    if k > 5:
        assert abs(np.mean(found) - exact.mean()) <= 4 * error
        assert np.mean(found) == pytest.approx(exact.mean(), rel=0.1)
    else:  # a single hash with two places: an upper bound
        assert 1 <= np.mean(found) / exact.mean() <= 1.3
    assert np.mean(hits) > (0.9 if k > 5 else 0.75)  # a single hash with two places: all items' errors are one


def test_estimated_variance_takes_out_the_own_item() -> None:
    """Without noise left to speak of, the plug-in is the formula, for a share of 3/4 as for an absent item."""
    oracle = make_oracle("hcms", 100, Privacy(epsilon=4), hashes=64, width=16)
    shares = np.zeros(100)
    shares[3], shares[4] = 0.75, 0.25
    exact = oracle.variance(shares, 10**9)
    # squares have the variance in them; here it is put there for every item
    lifted = np.sqrt(shares**2 + exact)
    lifted[::2] *= np.where(shares[::2] > 0, 1, -1)  # they still add up to 1, nearly
    assert oracle.estimated_variance(lifted, 10**9) == pytest.approx(exact, rel=0.02)
    assert exact[9] > 5 * exact[3]


def test_the_approximate_variance_is_above_that_of_an_absent_item_whatever_the_shares() -> None:
    oracle = make_oracle("hcms", 100, Privacy(epsilon=1))
    one_item = np.eye(100)[3]
    for users in (100, 10**6, 10**10):
        exact = oracle.variance(one_item, users)[9]
        assert exact <= oracle.approximate_variance(users) * (1 + 1e-12)
        assert oracle.approximate_variance(users) == pytest.approx(exact, rel=1 / users)
    assert oracle.approximate_variance(10**15) == pytest.approx(1 / (1024 * 1023), rel=1e-3)


def test_a_single_small_hash_may_tell_nothing() -> None:
    """Its loss is below the claim for some seeds: the law has equal chances for all items."""
    told = set()
    for seed in range(20):
        law = make_oracle("hcms", 2, Privacy(epsilon=1), hashes=1, width=2, seed=seed).report_law()
        told.add(min(min(row) / max(row) for row in law.values()))
    assert told == {1, make_oracle("hcms", 2, Privacy(epsilon=1)).alpha}


def test_wrong_options_are_refused() -> None:
    for options in [
        {"hashes": 0},
        {"hashes": True},
        {"width": 1},
        {"width": 6},
        {"seed": -1},
        {"hashes": 65536, "width": 65536},
    ]:
        with refused(InputError):
            make_oracle("hcms", 10, Privacy(epsilon=1), **options)


def test_a_law_of_many_hashes_is_refused() -> None:
    with refused(InputError):
        make_oracle("hcms", 10, Privacy(epsilon=1)).report_law()


SURE = 1 - 1e-4


def chi_square(found: Counter, chances: dict) -> None:
    """Observed keys are possible ones, and as frequent as their chances say, except with chance 1e-4."""
    draws = sum(found.values())
    assert set(found) <= set(chances)
    statistic = sum((found[key] - draws * chance) ** 2 / (draws * chance) for key, chance in chances.items())
    assert statistic <= chi2.ppf(SURE, len(chances) - 1)


def test_all_buckets_are_the_default_and_are_symmetric_unary_encoding():
    oracle = make_oracle("dbitflip", 6, Privacy(epsilon=1))
    assert oracle.parameters == {"oracle": "dbitflip", "k": 6, "privacy": "epsilon=1", "d": 6}
    p = math.exp(0.5) / (1 + math.exp(0.5))
    assert float(oracle.support.p) == pytest.approx(p, rel=1e-9)
    assert oracle.approximate_variance(100) == pytest.approx(p * (1 - p) / (2 * p - 1) ** 2 / 100, rel=1e-6)
    assert oracle.bits == 6
    assert make_oracle("dbitflip", 6, Privacy(epsilon=1), d=2).bits == 2 * (3 + 1)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "size"), [(6, 1), (9, 3), (6, 5), (4, 4), (5, 3)])
def test_every_subset_is_as_likely(k, size):
    drawn = uniform_subsets(k, size, 20_000, seeded_words([1, k, size]))
    every = list(itertools.combinations(range(k), size))
    if len(every) > 1:
        chi_square(Counter(map(tuple, drawn.tolist())), dict.fromkeys(every, 1 / len(every)))
    assert (np.diff(drawn, axis=1) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(2, 1), (2, 1, 0), (1, 0, 1, 0, 1)])
def test_users_are_dealt_to_buckets_by_the_exact_law(counts):
    """Against every assignment of each user to a bucket: how many have the own bucket, and how many another's."""
    k = len(counts)
    items = np.repeat(np.arange(k), counts)
    chances: Counter = Counter()
    for buckets in itertools.product(range(k), repeat=len(items)):
        hit = np.array(buckets) == items
        own = np.bincount(items[hit], minlength=k)
        others = np.bincount(np.array(buckets)[~hit], minlength=k)
        chances[(*own.tolist(), *others.tolist())] += 1 / k ** len(items)
    generator = np.random.default_rng([3, k])
    found = Counter(tuple(np.concatenate(_dealt(np.array(counts), generator)).tolist()) for _ in range(1500))
    chi_square(found, dict(chances))


def test_a_million_items_at_once():
    oracle = DBitFlip(1_000_000, Privacy(epsilon=2), 1)
    counts = np.zeros(1_000_000, dtype=np.int64)
    counts[:2] = 10**9
    state = oracle.simulate_sums(counts, np.random.default_rng(5))
    errors = oracle.estimate(state) - counts / state.users
    assert errors.std() == pytest.approx(math.sqrt(oracle.approximate_variance(state.users)), rel=0.01)


def test_only_one_or_all_buckets_are_simulated_at_once():
    with refused(InputError):
        DBitFlip(4, Privacy(epsilon=1), 2).simulate_sums(np.ones(4, dtype=np.int64), np.random.default_rng(1))


def test_wrong_d_is_refused():
    for d in [0, 6, True, "2"]:
        with refused(InputError):
            make_oracle("dbitflip", 5, Privacy(epsilon=1), d=d)


def test_buckets_that_are_no_set_and_sums_beyond_their_users_are_refused():
    oracle = DBitFlip(5, Privacy(epsilon=1), 3)
    good = oracle.privatize(np.arange(5), seeded_words(6)).columns
    for row in ([0, 1, 5], [-1, 0, 1], [0, 2, 2], [2, 1, 3]):
        buckets = good["buckets"].astype(np.int64)
        buckets[3] = row
        with refused(InputError):
            oracle.aggregate(Reports(oracle.parameters, {**good, "buckets": buckets}))
    with refused(InputError):  # more ones than users with the bucket
        oracle.estimate(State(oracle.parameters, 5, np.array([3, 0, 0, 0, 0, 2, 3, 3, 3, 4])))


def test_a_law_that_is_too_large_is_refused():
    with refused(InputError, about="k"):
        DBitFlip(40, Privacy(epsilon=1), 20).report_law()


def test_published_probabilities_give_the_published_error_with_one_bucket():
    """k = 32, eps = 1, 10^4 users: largest error 0.24 to 0.27; with all of eps in the one bit it would be 0.13."""
    generator = np.random.default_rng(7)
    share = np.exp(-(((np.arange(32) - 15.5) / 5.3) ** 2) / 2)
    counts = generator.multinomial(10_000, share / share.sum())

    def largest(oracle: DBitFlip) -> float:
        found = [oracle.estimate(oracle.simulate_sums(counts, generator)) - counts / 10_000 for _ in range(100)]
        return float(np.abs(found).max(axis=1).mean())

    assert largest(DBitFlip(32, Privacy(epsilon=1), 1)) == pytest.approx(0.255, abs=0.02)
    assert largest(DBitFlip(32, Privacy(epsilon=2), 1)) == pytest.approx(0.13, abs=0.015)
    assert DBitFlip(32, Privacy(epsilon=2), 1).alpha == Privacy(epsilon=1).alpha
