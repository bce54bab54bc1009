"""AUC of a hidden score: the formula, its gradient, what is unbiased and what is not, intervals, bins, bad input."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.analyses.ordered.auc import AucEstimate, ScoreBins, _auc, estimate_auc, estimate_auc_of_halves
from mechdesign_catalog.analyses.ordered.delta_method import consistent_estimates
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.systems import State
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms

users = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 64)), min_size=2, max_size=40).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


def auc_of(pairs):
    """(2.12) with ties 1/2, pair by pair, as a fraction."""
    ones, zeros = ([score for label, score in pairs if label == mark] for mark in (1, 0))
    wins = [Fraction(1 + (a > b) - (a < b), 2) for a, b in itertools.product(ones, zeros)]
    return sum(wins) / len(wins), Fraction(sum(win == Fraction(1, 2) for win in wins), len(wins))


def shares_of(items, k):
    return np.bincount(items, minlength=k) / len(items)


@given(users)
def test_auc_of_known_shares_is_that_of_all_pairs(rows):
    bins = ScoreBins(65, 0, 65)
    shares = shares_of(bins.items(*zip(*rows, strict=True)), bins.k)
    found, tied, *_ = _auc(shares, shares)
    assert (found, tied) == pytest.approx(tuple(map(float, auc_of(rows))), abs=1e-12)


@given(users, st.integers(2, 20))
def test_bins_change_it_by_at_most_half_the_tied_pairs(rows, count):
    bins = ScoreBins(count, 0, 64)
    items = bins.items(*zip(*rows, strict=True))
    binned, tied = auc_of([divmod(item, count) for item in items.tolist()])
    assert abs(binned - auc_of(rows)[0]) <= tied / 2


def test_gradients_are_slopes():
    for which in [0, 1]:
        rng = np.random.default_rng(3)
        shares, other = rng.dirichlet(np.ones(8)), rng.dirichlet(np.ones(8))
        steps = 1e-6 * np.eye(8)
        both = [_auc(shares + step, shares + step)[which] - _auc(shares - step, shares - step)[which] for step in steps]
        own = [_auc(shares + step, other)[which] - _auc(shares - step, other)[which] for step in steps]
        assert np.array(both) / 2e-6 == pytest.approx(_auc(shares, shares)[2 + which], abs=1e-7)
        assert np.array(own) / 1e-6 == pytest.approx(_auc(shares, other)[2 + which], abs=1e-7)


def estimates_by_law(oracle, items):
    """The estimates of every collection of reports that users with these items can send, with its probability."""
    law = oracle.report_law()
    for reports in itertools.product(law, repeat=len(items)):
        chance = Fraction(1)
        for report, item in zip(reports, items, strict=True):
            chance *= law[report][item]
        sums = sum(supported(oracle, report) for report in reports)
        yield chance, oracle.estimate(State(oracle.parameters, len(items), sums))


def supported(oracle, report):
    """What one report adds to the sums: its bits, or one at its item."""
    if isinstance(oracle, Oue):
        return np.unpackbits(np.array(report, dtype=np.uint8), count=oracle.k, bitorder="little").astype(np.int64)
    return np.eye(oracle.k, dtype=np.int64)[report[0]]


def pairs_won(x, y):
    """The numerator of the AUC, doubled: sum over i > j of x1_i y0_j, half of it for i = j."""
    zeros, ones = np.split(y, 2)[0], np.split(x, 2)[1]
    return float(ones @ (2 * np.cumsum(zeros) - zeros))


@pytest.mark.parametrize("kind", [Oue, Grr])
def test_the_product_is_unbiased_where_items_do_not_covary(kind):
    """Enumerated for two bins and two users: OUE has no bias, GRR that of its covariances, -1/n or so."""
    oracle = kind(4, Privacy(alpha="1/3"))
    items = np.array([0, 3])
    truth = shares_of(items, 4)
    mean = sum(float(chance) * pairs_won(found, found) for chance, found in estimates_by_law(oracle, items.tolist()))
    bias = mean - pairs_won(truth, truth)
    covariances = np.cov(
        *[np.array([found for _, found in estimates_by_law(oracle, items.tolist())]).T],
        aweights=[float(chance) for chance, _ in estimates_by_law(oracle, items.tolist())],
        ddof=0,
    )
    expected = 2 * (covariances[2, 0] / 2 + covariances[3, 0] + covariances[3, 1] / 2)
    assert bias == pytest.approx(expected, abs=1e-12)
    assert (abs(bias) < 1e-12) == (kind is Oue)


def test_the_product_of_halves_is_unbiased_for_any_oracle():
    oracle = Grr(4, Privacy(alpha="1/3"))
    first, second = np.array([0, 3]), np.array([0, 3])
    halves = [list(estimates_by_law(oracle, items.tolist())) for items in (first, second)]
    mean = sum(float(p * q) * pairs_won(x, y) for (p, x), (q, y) in itertools.product(*halves))
    assert mean == pytest.approx(pairs_won(shares_of(first, 4), shares_of(second, 4)), abs=1e-12)


BINS = ScoreBins(64)
RNG = np.random.default_rng(11)
LABELS = (RNG.random(20_000) < 0.4).astype(np.int64)
SCORES = np.clip(RNG.normal(0.45 + 0.12 * LABELS, 0.15), 0, 1)
COUNTS = np.bincount(BINS.items(LABELS, SCORES), minlength=BINS.k)
TRUTH = _auc(COUNTS / len(LABELS), COUNTS / len(LABELS))[:2]


def test_intervals_cover_and_the_bias_is_small():
    """400 collections of 20,000 users: 95 % intervals, of which between 91 and 99 % may hold (+- 4 sigma)."""
    oracle = Oue(BINS.k, Privacy(epsilon=1))
    rng = np.random.default_rng(5)
    found = [estimate_auc(oracle, oracle.simulate_sums(COUNTS, rng)) for _ in range(400)]
    values, errors = np.array([one.value for one in found]), np.array([one.standard_error for one in found])
    held = np.mean([one.interval()[0] <= TRUTH[0] <= one.interval()[1] for one in found])
    assert 0.91 <= held <= 0.99
    assert abs(values.mean() - TRUTH[0]) <= 4 * values.std() / 20
    assert 0.9 <= errors.mean() / values.std() <= 1.25
    tied = np.array([one.tied for one in found])
    assert abs(tied.mean() - TRUTH[1]) <= 4 * tied.std() / 20


def test_intervals_of_halves_cover():
    oracle = Oue(BINS.k, Privacy(epsilon=1))
    rng = np.random.default_rng(6)
    found = []
    for _ in range(400):
        half = rng.multivariate_hypergeometric(COUNTS, len(LABELS) // 2)
        states = (oracle.simulate_sums(part, rng) for part in (half, COUNTS - half))
        found.append(estimate_auc_of_halves(oracle, *states))
    values, errors = np.array([one.value for one in found]), np.array([one.standard_error for one in found])
    assert np.mean([one.interval()[0] <= TRUTH[0] <= one.interval()[1] for one in found]) >= 0.91
    assert abs(values.mean() - TRUTH[0]) <= 4 * values.std() / 20
    assert 0.9 <= errors.mean() / values.std() <= 1.4


def test_a_tree_without_inference_is_refused():
    tree = HierarchicalHistograms(BINS.k, Privacy(epsilon=1), estimate_="raw")
    with refused(InputError):
        estimate_auc(tree, tree.simulate_sums(COUNTS, np.random.default_rng(1)))


def test_the_interval_of_scores_is_that_of_bins_and_half_the_tied_pairs():
    found = AucEstimate(0.7, 0.01, 0.2, 0.05)
    assert found.interval(0.9) == pytest.approx((0.7 - 1.6449 * 0.01, 0.7 + 1.6449 * 0.01), abs=1e-5)
    wide = 1.95996 * 0.01 + (0.2 + 1.6449 * 0.05) / 2  # of each the chance to miss is 0.05
    assert found.score_interval(0.9) == pytest.approx((0.7 - wide, 0.7 + wide), abs=1e-5)
    assert AucEstimate(0.99, 0.01, 0.2, 0.05).score_interval()[1] == 1
    assert AucEstimate(0.7, 0.01, -0.2, 0.05).score_interval(0.9)[0] == pytest.approx(0.7 - 0.0195996)


def test_the_interval_of_scores_holds_that_of_bins_and_the_auc_of_the_scores():
    oracle = Oue(BINS.k, Privacy(alpha="1e-12"))
    found = estimate_auc(oracle, oracle.simulate_sums(COUNTS, np.random.default_rng(1)))
    low, high = found.score_interval()
    assert low < found.interval()[0] < found.value < found.interval()[1] < high
    order = np.argsort(SCORES)
    ranks = np.empty(len(SCORES))
    ranks[order] = np.arange(1, len(SCORES) + 1)
    ones = LABELS.sum()
    exact = (ranks[LABELS == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(LABELS) - ones))
    assert low <= exact <= high


def test_bad_input_is_refused():
    for make in [
        lambda: ScoreBins(1),
        lambda: ScoreBins(4, -1e308, 1e308),
        lambda: ScoreBins(4, 1, 1),
        lambda: ScoreBins(4).items([0, 2], [0.1, 0.2]),
        lambda: ScoreBins(4).items([0, 1], [0.1, 1.2]),
        lambda: ScoreBins(4).items([0, 1], [float("nan"), 0.2]),
        lambda: ScoreBins(4).items([0, 1], [0.1]),
    ]:
        with refused(InputError):
            make()


def test_a_label_that_nobody_has_leaves_no_answer():
    oracle = Grr(4, Privacy(alpha="1/100"))
    state = State(oracle.parameters, 100, np.array([50, 50, 0, 0]))
    with refused(NoAnswerError):
        estimate_auc(oracle, state)


def test_the_variance_grows_with_the_bins_and_under_a_tree_with_their_logarithm():
    """The numbers of the docstring, exact at the shares of two normal scores."""
    found = {}
    for bins in (64, 256, 1024):
        edges = np.linspace(0, 1, bins + 1)
        zeros, ones = (np.diff(ndtr((edges - mean) / 0.15)) for mean in (0.4, 0.6))
        shares = np.concatenate([0.6 * zeros / zeros.sum(), 0.4 * ones / ones.sum()])
        query = LinearQueries(_auc(shares, shares)[2][None])
        for oracle in (Oue(2 * bins, Privacy(epsilon=1)), HierarchicalHistograms(2 * bins, Privacy(epsilon=1), b=2)):
            found[oracle.name, bins] = 100_000 * Decoder(oracle).variance(query, shares, 100_000)[0]
    assert [found["oue", bins] for bins in (64, 256, 1024)] == pytest.approx([338, 1351.8, 5406], rel=1e-3)
    assert [found["hh", bins] for bins in (64, 256, 1024)] == pytest.approx([57, 71.4, 86.4], rel=1e-3)


def test_large_noise_is_no_other_estimate():
    """Sums of 2^18 items of a standard error of 280 each are off by more than 1e-9 in floats."""
    oracle = Oue(1 << 18, Privacy(epsilon="0.001"))
    state = oracle.aggregate(oracle.privatize(np.arange(50), seeded_words(1)))
    decoder = Decoder(oracle)
    assert consistent_estimates(decoder, state).tolist() == decoder.estimate(state).tolist()
