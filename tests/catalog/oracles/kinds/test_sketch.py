"""The count-mean sketch: its variance over all public hashes exactly, by enumeration, and its sums by definition."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from public_hashes import with_hashes

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import Reports, State, make_oracle
from mechdesign_catalog.oracles.kernels.walsh import parity
from mechdesign_catalog.oracles.kinds.sketch import Hcms


def support_chances(oracle: Hcms) -> list[list[Fraction]]:
    """`[x][y]`: the probability that a user with item y supports item x, with the hashes as they are."""
    found = [[Fraction(0)] * oracle.k for _ in range(oracle.k)]
    for (j, place, bit), chances in oracle.report_law().items():
        for x in range(oracle.k):
            if (int(oracle.coefficients[j, place]) & x).bit_count() % 2 == bit:
                for y in range(oracle.k):
                    found[x][y] += chances[y]
    return found


@pytest.mark.parametrize(("k", "hashes", "width"), [(4, 2, 2), (4, 1, 4), (3, 3, 2)])
@pytest.mark.parametrize("counts", [(3, 2, 4, 0), (9, 0, 0, 0), (1, 1, 5, 2)])
def test_mean_and_variance_over_all_public_hashes_are_the_formula(k, hashes, width, counts) -> None:
    items, users = counts[:k], sum(counts[:k])
    matrices = list(itertools.product(range(4), repeat=width.bit_length() - 1))
    first, second, given_hashes, draws = [Fraction(0)] * k, [Fraction(0)] * k, [Fraction(0)] * k, 0
    for drawn in itertools.product(matrices, repeat=hashes):
        chances = support_chances(
            with_hashes(make_oracle("hcms", k, Privacy(epsilon=1), hashes=hashes, width=width), list(drawn))
        )
        draws += 1
        for x in range(k):
            mean = sum(items[y] * chances[x][y] for y in range(k))
            first[x] += mean
            second[x] += mean**2
            given_hashes[x] += sum(items[y] * chances[x][y] * (1 - chances[x][y]) for y in range(k))
    oracle = make_oracle("hcms", k, Privacy(epsilon=1), hashes=hashes, width=width)
    p, q = oracle.support.p, oracle.support.q
    variances = oracle.variance(np.array(items) / users, users)
    for x in range(k):
        mean = first[x] / draws
        assert mean == items[x] * p + (users - items[x]) * q
        exact = given_hashes[x] / draws + second[x] / draws - mean**2
        assert variances[x] == pytest.approx(float(exact / (users * (p - q)) ** 2), rel=1e-12)


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


def test_variance_has_the_collisions_and_no_more() -> None:
    oracle = make_oracle("hcms", 100, Privacy(epsilon=1), hashes=64, width=16)
    shares = np.zeros(100)
    shares[3], shares[4] = 0.75, 0.25
    found = oracle.variance(shares, 1000)
    base = oracle.moments.items(shares) / 1000
    assert found[9] - base[9] == pytest.approx((0.75**2 + 0.25**2) / (64 * 15))
    assert found[3] - base[3] == pytest.approx(0.25**2 / (64 * 15))
    assert (make_oracle("hcms", 100, Privacy(epsilon=1)).variance(shares, 10**12) < 1.0e-6).all()


def test_users_who_share_no_item_vary_as_by_themselves() -> None:
    """Over redrawn hashes the supports of different items are uncorrelated: `f p (1-p) + (1-f) q (1-q)` and no more."""
    oracle = make_oracle("hcms", 100, Privacy(epsilon=1), hashes=64, width=16)
    own, other = (chance * (1 - chance) for chance in (oracle.support.p, oracle.support.q))
    alone = float((own + 99 * other) / (oracle.support.p - oracle.support.q) ** 2) / 100**2
    assert oracle.variance(np.full(100, 0.01), 100) == pytest.approx(np.full(100, alone), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "hashes", "width", "repetitions"), [(64, 4, 4, 400), (1000, 8, 8, 100), (5, 1, 2, 400)])
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hashes": 0}, "hashes must be a whole number in 1..65536, got hashes=0"),
        ({"hashes": True}, "hashes must be a whole number"),
        ({"width": 1}, "width must be a whole number in 2..65536, got width=1"),
        ({"width": 6}, "width must be a power of two, got width=6"),
        ({"seed": -1}, "seed must be a whole number in 0..9223372036854775807, got seed=-1"),
        ({"hashes": 65536, "width": 65536}, r"hashes times width must be at most 2\^28, got 4294967296"),
    ],
)
def test_wrong_options_are_refused(options, message) -> None:
    with pytest.raises(InputError, match=message):
        make_oracle("hcms", 10, Privacy(epsilon=1), **options)


def test_reports_outside_the_report_space_are_refused() -> None:
    oracle = make_oracle("hcms", 10, Privacy(epsilon=1), hashes=3, width=4)
    reports = oracle.privatize(np.arange(5), seeded_words(1))
    for name, wrong, most in (("hash", 3, 2), ("place", 4, 3), ("bit", 2, 1)):
        column = reports.columns[name].copy()
        column[1] = wrong
        with pytest.raises(InputError, match=f"{name} in 0..{most}, got {wrong} in row 2"):
            oracle.aggregate(Reports(reports.parameters, {**reports.columns, name: column}))
    with pytest.raises(InputError, match="a state must have 12 sums"):
        oracle.estimate(State(oracle.parameters, 5, np.zeros(13, dtype=np.int64)))
    with pytest.raises(InputError, match=r"hashes times width must be at most 2\^15"):
        make_oracle("hcms", 10, Privacy(epsilon=1)).report_law()
