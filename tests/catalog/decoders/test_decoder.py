"""Answers that use that shares add up to one: their mean and variance from enumerated reports, and what is gained."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_cases import CASES, told_by
from wording import refused

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism, bit_texts
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Centred, Intervals, LinearQueries
from mechdesign_catalog.comparisons.workload_survey import rate
from mechdesign_catalog.decoders.decoder import Decoder, norm
from mechdesign_catalog.decoders.row_scores import RowScores, _pivots
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import worst_answer_bias
from mechdesign_catalog.systems import make_oracle, parse_oracle
from mechdesign_catalog.systems.flat.sketch import Hcms

FLAT = [case for case in CASES if isinstance(case.small(), ExchangeableOracle)]
ENUMERATED = [case for case in FLAT if not isinstance(case.small(), Hcms)]
ADD_UP = {"grr", "ss"}
ONE = Privacy(epsilon=1)


def by_label(case):
    return case.label


@pytest.mark.parametrize("case", FLAT, ids=by_label)
def test_it_is_known_which_scores_add_up(case):
    oracle = case.small()
    assert oracle.ignores_total == (oracle.name not in ADD_UP)
    assert Decoder(oracle).centres == oracle.ignores_total
    assert not Decoder(oracle, "raw").centres


@pytest.mark.parametrize("case", ENUMERATED, ids=by_label)
def test_mean_and_variance_are_those_of_all_reports(case):
    """One user: the mean answer is the weight of the own item, and the variance that of the reports' answers."""
    oracle = case.small()
    decoder, law = Decoder(oracle), oracle.report_law()
    queries = LinearQueries(np.random.default_rng(3).normal(size=(5, oracle.k)))
    estimates = [told_by(oracle, report) for report in law]
    if decoder.centres:
        estimates = [norm(estimate) for estimate in estimates]
    answers = np.array([queries.apply(estimate) for estimate in estimates])
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    means = chances.T @ answers
    assert means == pytest.approx(queries.weights().T, abs=1e-9)
    variances = chances.T @ answers**2 - means**2
    shares = np.random.default_rng(4).dirichlet(np.ones(oracle.k))
    assert decoder.variance(queries, shares, 7) == pytest.approx(shares @ variances / 7, rel=1e-9)


@pytest.mark.parametrize("case", FLAT, ids=by_label)
def test_answers_are_sums_of_items_that_add_up_to_one(case):
    oracle = case.small()
    items = np.random.default_rng(5).integers(0, oracle.k, 400)
    state = oracle.aggregate(oracle.privatize(items))
    decoder, queries = Decoder(oracle), Ranges(oracle.k).queries()
    shares = decoder.estimate(state)
    assert shares.sum() == pytest.approx(1)
    assert decoder.answers(state, queries) == pytest.approx(queries.apply(shares))
    whole = Intervals(oracle.k, np.array([0]), np.array([oracle.k - 1]))
    assert decoder.variance(whole, np.full(oracle.k, 1 / oracle.k), 400) == pytest.approx(0, abs=1e-12)
    assert decoder.estimated_variance(state, whole) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("k", [4, 9, 64])
@pytest.mark.parametrize("name", ["oue", "olh", "hrr"])
def test_it_is_the_tree_of_one_level(name, k):
    shares, queries = np.random.default_rng(k).dirichlet(np.ones(k)), Ranges(k).queries()
    tree = parse_oracle(f"hh:b={k}:in={name}", k, ONE)
    own = Decoder(make_oracle(name, k, ONE)).variance(queries, shares, 1000)
    assert own == pytest.approx(tree.answer_variance(queries, shares, 1000), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", ["oue", "olh", "hrr", "hcms", "dbitflip:d=3"])
@pytest.mark.parametrize("workload", [Ranges(24), Prefixes(24), Histogram(24), FixedRanges(24, 5), "grid:4,6"], ids=str)
@pytest.mark.parametrize("post", ["norm", "raw"])
def test_closed_forms_are_the_mean_and_the_largest_of_all_queries(name, workload, post):
    workload = parse_workload(workload, 24) if isinstance(workload, str) else workload
    oracle = parse_oracle(name, 24, ONE)
    every = Decoder(oracle, post).variance(workload.queries(), np.full(24, 1 / 24), 50)
    found = rate(oracle, workload, 50, post)
    assert found.average == pytest.approx(every.mean(), rel=1e-9)
    assert found.largest == pytest.approx(every.max(), rel=1e-9)
    assert found.is_exact


def test_a_sketch_has_the_variance_of_the_weights_that_are_left():
    oracle, queries = make_oracle("hcms", 11, ONE, hashes=3, width=4), Ranges(11).queries()
    shares = np.random.default_rng(6).dirichlet(np.ones(11))
    written = LinearQueries(Centred(queries).weights())
    assert Decoder(oracle).variance(queries, shares, 9) == pytest.approx(oracle.answer_variance(written, shares, 9))


def test_of_too_many_ranges_a_sketch_has_a_sample():
    found = rate(make_oracle("hcms", 1 << 12, ONE), Ranges(1 << 12), 1000)
    assert found.bound is None
    assert found.average < found.largest


@pytest.mark.parametrize(
    ("name", "k", "raw", "known"),
    [("oue", 4, 4.16, 1.56), ("oue", 64, 2.082, 1.025), ("oue", 1024, 2.005, 1.0015), ("hrr", 64, 2.63, 1.29)],
)
def test_what_is_gained_over_subset_selection(name, k, raw, known):
    """Means over all ranges, each over that of subset selection: figures from an independent computation."""
    least = rate(make_oracle("ss", k, ONE, size="mean"), Ranges(k), 10).average
    oracle = make_oracle(name, k, ONE)
    assert rate(oracle, Ranges(k), 10, "raw").average / least == pytest.approx(raw, rel=3e-3)
    assert rate(oracle, Ranges(k), 10).average / least == pytest.approx(known, rel=3e-3)


def test_centring_by_buckets_is_not_needed():
    """Halves of 2^18 items: 3116/16 = 195 times at sixteen times as few items as in the table of the how-to."""
    half = FixedRanges(1 << 18, 1 << 17)
    olh, oue = (make_oracle(name, 1 << 18, Privacy(epsilon="1.4")) for name in ("olh", "oue"))
    assert rate(olh, half, 1, "raw").average / rate(oue, half, 1, "raw").average == pytest.approx(3116 / 16, rel=0.01)
    assert rate(olh, half, 1).average / rate(oue, half, 1).average == pytest.approx(1.003, abs=1e-3)


def test_liars_move_prefixes_less_and_an_item_more():
    oue, liars = make_oracle("oue", 1000, ONE), Fraction(1, 1000)

    def moved(workload, post):
        return float(worst_answer_bias(Decoder(oue, post), workload, liars).value / liars)

    assert [moved(Prefixes(1000), post) for post in ("raw", "norm")] == pytest.approx([3163, 1082.5], rel=1e-3)
    assert [moved(Histogram(1000), post) for post in ("raw", "norm")] == pytest.approx([3.164, 5.323], rel=1e-3)


@pytest.mark.parametrize("case", ENUMERATED, ids=by_label)
def test_no_report_moves_an_answer_further(case):
    """Over all reports, queries, honest items and both directions; some report moves one as far where that is said."""
    oracle = case.small()
    decoder, law, workload = Decoder(oracle), oracle.report_law(), Ranges(oracle.k)
    estimates = [told_by(oracle, report) for report in law]
    answers = np.array([workload.queries().apply(norm(e) if decoder.centres else e) for e in estimates])
    honest = workload.queries().weights().T
    most = max(float((sign * answers.max(axis=0) - sign * honest).max()) for sign in (1.0,))
    most = max(most, float((honest - answers.min(axis=0)).max()))
    found = worst_answer_bias(decoder, workload, Fraction(1, 10))
    assert most / 10 <= float(found.value) * (1 + 1e-9)
    if found.is_exact:
        assert most / 10 == pytest.approx(float(found.value), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=12), st.integers(0, 2**32 - 1))
def test_centred_queries_are_their_weights(vector, seed):
    k, x = len(vector), np.array(vector)
    generator = np.random.default_rng(seed)
    ends = np.sort(generator.integers(0, k, (2, 3)), axis=0)
    for queries in (Intervals(k, ends[0], ends[1]), LinearQueries(generator.normal(size=(3, k)))):
        centred = Centred(queries)
        weights = centred.weights()
        assert weights.sum(axis=1) == pytest.approx(0, abs=1e-12)
        assert centred.apply(x) == pytest.approx(weights @ x, abs=1e-9)
        assert centred.apply_squares(x) == pytest.approx(weights**2 @ x, abs=1e-9)
        assert centred.squares == pytest.approx((weights**2).sum(axis=1), abs=1e-12)
        assert centred.extremes()[0] == pytest.approx(weights.min(axis=1), abs=1e-12)
        assert centred.extremes()[1] == pytest.approx(weights.max(axis=1), abs=1e-12)
        assert centred[1:].weights().tolist() == weights[1:].tolist()


def test_other_decoders_are_refused():
    with refused(InputError):
        Decoder(make_oracle("oue", 4, ONE), "norm-sub")


CIRCULANT = np.array([[1, 1, 0, 1, 0, 0, 0], *[[0] * 7] * 6])
for _row in range(1, 7):
    CIRCULANT[_row] = np.roll(CIRCULANT[0], _row)
"""Fano's plane: its determinant is 24."""

RING = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]])


def scores_of(ones):
    alpha, count = Fraction(1, 2), int(ones[:, 0].sum())
    rows = RowMechanism(alpha, bit_texts(ones.astype(np.uint8)), (1,) * len(ones), len(ones) + count)
    return RowScores.of(rows, (1,) * ones.shape[1])


@pytest.mark.parametrize("prime", [3, 5, (1 << 61) - 1], ids=["divides the determinant", "small", "usual"])
def test_a_prime_that_divides_the_determinant_is_given_up(prime, monkeypatch):
    assert len(_pivots(CIRCULANT, prime)) == (6 if prime == 3 else 7)
    monkeypatch.setattr("mechdesign_catalog.decoders.row_scores.FIRST_PRIME", prime)
    found = scores_of(CIRCULANT)
    assert found.identifies_items
    assert found.basis.tolist() == list(range(7))


def test_columns_follow_from_those_of_the_basis():
    """Of the pairs in a ring the last item is the first, less the second, and the third."""
    found = scores_of(RING)
    assert found.basis.tolist() == [0, 1, 2]
    assert found.whole.tolist() == [[1, 0, 0, 1], [0, 1, 0, -1], [0, 0, 1, 1]]
    assert found.missing(np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0.0]])).tolist() == [
        False,
        True,
        True,
        True,
    ]
