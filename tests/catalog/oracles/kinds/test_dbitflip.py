"""dBitFlip beyond what every oracle is tested for: loss by d, subsets, the sums' law by enumeration, bad reports."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import Reports, State, make_oracle, true_loss
from mechdesign_catalog.oracles.kernels.subsets import uniform_subsets
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip, _dealt

SURE = 1 - 1e-4


def chi_square(found: Counter, chances: dict) -> None:
    """Observed keys are possible ones, and as frequent as their chances say, except with chance 1e-4."""
    draws = sum(found.values())
    assert set(found) <= set(chances)
    statistic = sum((found[key] - draws * chance) ** 2 / (draws * chance) for key, chance in chances.items())
    assert statistic <= chi2.ppf(SURE, len(chances) - 1)


@pytest.mark.parametrize(("d", "loss"), [(1, 0.5), (2, 1), (3, 1), (5, 1)])
def test_one_bucket_spends_half_of_the_claim(d, loss):
    oracle = DBitFlip(5, Privacy(epsilon=1), d)
    assert true_loss(oracle) == pytest.approx(loss, abs=2e-9)
    tightest = min(min(row) / max(row) for row in oracle.report_law().values())
    assert tightest == oracle.alpha
    assert oracle.claim_is_tight == (d > 1)


def test_all_buckets_are_the_default_and_are_symmetric_unary_encoding():
    oracle = make_oracle("dbitflip", 6, Privacy(epsilon=1))
    assert oracle.parameters == {"oracle": "dbitflip", "k": 6, "privacy": "epsilon=1", "d": 6}
    p = math.exp(0.5) / (1 + math.exp(0.5))
    assert float(oracle.support.p) == pytest.approx(p, rel=1e-9)
    assert oracle.approximate_variance(100) == pytest.approx(p * (1 - p) / (2 * p - 1) ** 2 / 100, rel=1e-6)
    assert oracle.bits == 6
    assert make_oracle("dbitflip", 6, Privacy(epsilon=1), d=2).bits == 2 * (3 + 1)


def test_variance_by_hand():
    """k = 4, d = 2, root = 1/3 (p = 3/4): own item 2 (3/16 4 + 1) - 1 = 5/2, another's 2 (3/4) = 3/2; n = 10."""
    oracle = DBitFlip(4, Privacy(epsilon=2), 2)
    object.__setattr__(oracle, "root", Fraction(1, 3))
    assert oracle.variance(np.array([1.0, 0.0, 0.5, 0.0]), 10) == pytest.approx([0.25, 0.15, 0.2, 0.15])
    assert oracle.approximate_variance(10) == pytest.approx(0.15)


def test_variance_is_that_of_the_enumerated_law():
    """Exact mean and variance of one user's estimate from every report, for each own item."""
    oracle = DBitFlip(4, Privacy(epsilon=1), 2)
    law = oracle.report_law()
    for own in range(4):
        chances = np.array([float(row[own]) for row in law.values()])
        columns = np.array(list(law))
        singles = [oracle.estimate(oracle.aggregate(report)) for report in sent(oracle, columns)]
        mean = chances @ np.array(singles)
        spread = chances @ (np.array(singles) - mean) ** 2
        truth = np.eye(4)[own]
        assert mean == pytest.approx(truth, abs=1e-12)
        assert spread == pytest.approx(oracle.variance(truth, 1), rel=1e-9)


def sent(oracle: DBitFlip, columns: np.ndarray) -> list[Reports]:
    """Reports of one user each, from the keys of a law."""
    bits = columns[:, oracle.d :].astype(np.uint8)
    whole = Reports(oracle.parameters, {"buckets": columns[:, : oracle.d], "bits": bits})
    return [whole[row : row + 1] for row in range(len(columns))]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "size"), [(6, 1), (9, 3), (6, 5), (4, 4), (5, 3)])
def test_every_subset_is_as_likely(k, size):
    drawn = uniform_subsets(k, size, 20_000, seeded_words([1, k, size]))
    every = list(itertools.combinations(range(k), size))
    if len(every) > 1:
        chi_square(Counter(map(tuple, drawn.tolist())), dict.fromkeys(every, 1 / len(every)))
    assert (np.diff(drawn, axis=1) > 0).all()


def test_large_subsets_stay_in_range():
    for k, size in ((1000, 600), (10_000_000, 4)):
        drawn = uniform_subsets(k, size, 50, seeded_words(2))
        assert drawn.min() >= 0
        assert drawn.max() < k
        assert (np.diff(drawn, axis=1) > 0).all()
        assert drawn.mean() == pytest.approx(k / 2, rel=0.2)


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


@pytest.mark.parametrize("k", [2, 3, 8, 17, 1000])
def test_dealing_loses_nobody(k):
    generator = np.random.default_rng(4)
    counts = generator.integers(0, 50, k)
    own, others = _dealt(counts, generator)
    assert own.sum() + others.sum() == counts.sum()
    assert (own <= counts).all()
    assert others.min() >= 0


def test_a_million_items_at_once():
    oracle = DBitFlip(1_000_000, Privacy(epsilon=2), 1)
    counts = np.zeros(1_000_000, dtype=np.int64)
    counts[:2] = 10**9
    state = oracle.draw_state(counts, np.random.default_rng(5))
    errors = oracle.estimate(state) - counts / state.users
    assert errors.std() == pytest.approx(math.sqrt(oracle.approximate_variance(state.users)), rel=0.01)


def test_only_one_or_all_buckets_are_simulated_at_once():
    refusal = "simulate must be reports for dbitflip, whose sums have no simple law, got aggregate"
    with pytest.raises(InputError, match=refusal):
        DBitFlip(4, Privacy(epsilon=1), 2).draw_state(np.ones(4, dtype=np.int64), np.random.default_rng(1))


@pytest.mark.parametrize("d", [0, 6, True, "2"])
def test_wrong_d_is_refused(d):
    with pytest.raises(InputError, match=rf"d must be in 1..k, got d={d} for k=5"):
        make_oracle("dbitflip", 5, Privacy(epsilon=1), d=d)


def test_reports_outside_the_report_space_are_refused():
    oracle = DBitFlip(5, Privacy(epsilon=1), 3)
    good = oracle.privatize(np.arange(5), seeded_words(6)).columns

    def aggregate(**changed: np.ndarray) -> State:
        return oracle.aggregate(Reports(oracle.parameters, {**good, **changed}))

    assert aggregate().users == 5
    for row in ([0, 1, 5], [-1, 0, 1], [0, 2, 2], [2, 1, 3]):
        buckets = good["buckets"].astype(np.int64)
        buckets[3] = row
        shown = ", ".join(map(str, row))
        with pytest.raises(InputError, match=f"buckets( in 0..4)?, got {shown} in row 4"):
            aggregate(buckets=buckets)
    with pytest.raises(InputError, match="no bit beyond bit 2, got one in row 1"):
        aggregate(bits=good["bits"] | np.uint8(16))
    with pytest.raises(InputError, match=r"columns of equal length, got buckets \(5, 3\), bits \(4, 1\)"):
        aggregate(bits=good["bits"][:4])
    with pytest.raises(InputError, match="1 bytes for each user, got int64"):
        aggregate(bits=good["bits"].astype(np.int64))
    with pytest.raises(InputError, match="column buckets of whole numbers, got float64"):
        aggregate(buckets=good["buckets"].astype(float))
    with pytest.raises(InputError, match=r"counts in 0\.\.2, got 3 in place 1"):  # more ones than users with the bucket
        oracle.estimate(State(oracle.parameters, 5, np.array([3, 0, 0, 0, 0, 2, 3, 3, 3, 4])))
    with pytest.raises(InputError, match="10 sums"):
        oracle.estimate(State(oracle.parameters, 5, np.zeros(5, dtype=np.int64)))


def test_a_law_that_is_too_large_is_refused():
    with pytest.raises(InputError, match="k must be small where every report is listed, got k=40, d=20"):
        DBitFlip(40, Privacy(epsilon=1), 20).report_law()


def test_published_probabilities_give_the_published_error_with_one_bucket():
    """k = 32, eps = 1, 10^4 users: largest error 0.24 to 0.27; with all of eps in the one bit it would be 0.13."""
    generator = np.random.default_rng(7)
    share = np.exp(-(((np.arange(32) - 15.5) / 5.3) ** 2) / 2)
    counts = generator.multinomial(10_000, share / share.sum())

    def largest(oracle: DBitFlip) -> float:
        found = [oracle.estimate(oracle.draw_state(counts, generator)) - counts / 10_000 for _ in range(100)]
        return float(np.abs(found).max(axis=1).mean())

    assert largest(DBitFlip(32, Privacy(epsilon=1), 1)) == pytest.approx(0.255, abs=0.02)
    assert largest(DBitFlip(32, Privacy(epsilon=2), 1)) == pytest.approx(0.13, abs=0.015)
    assert DBitFlip(32, Privacy(epsilon=2), 1).alpha == Privacy(epsilon=1).alpha
