"""Covariances of answers: by enumeration of the reports of few users, and those of tables of results."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from html_pages import Page
from row_designs import cyclic_oracle
from wording import refused

from mechdesign import InputError
from mechdesign.documents.tabular import MOST_SHOWN
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.decoders.decoder import NORM, RAW, Decoder
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.registry import make_oracle
from mechdesign_catalog.testing import OracleLaw

ONE = Privacy(epsilon=1)
PAIRS = WorkloadOracle.of(
    RowMechanism(Fraction(1, 2), ("1100", "0110", "0011", "1001"), (1,) * 4, 6), FixedRanges(4, 2)
)
"""Rows of rank 3: every pair in a ring is told, no single item."""

FLAT = {
    "grr": make_oracle("grr", 3, ONE),
    "oue": make_oracle("oue", 3, ONE),
    "ss": make_oracle("ss", 4, ONE, size=2),
    "dbitflip": make_oracle("dbitflip", 3, ONE, d=2),
    "design": make_oracle("design:CH:L1", 3, ONE),
    "workload design": cyclic_oracle(3, Privacy(alpha="1/3"), (2, 1), (3, 1, 1)),
}
TREES = {
    "hh": make_oracle("hh", 4, ONE, b=2, in_="grr"),
    "haar": make_oracle("haar", 4, ONE),
}


def queries_on(k):
    """Ranges that overlap, and one query of any weights; all of them together are more than there are items."""
    rows = np.triu(np.ones((k, k)))
    return LinearQueries(np.concatenate([rows, [np.linspace(-1.0, 2.0, k)]]))


def enumerated(oracle, items, counts=None):
    """All states of users with these items and their chances; only those with these users of each branch, if given."""
    judge = OracleLaw.of(oracle)
    states, chances = [], []
    for reports in product(range(len(judge.sums)), repeat=len(items)):
        chance = np.prod([judge.chances[report, item] for report, item in zip(reports, items, strict=True)])
        branches = [judge.branches[report] for report in reports]
        if chance and (counts is None or [branches.count(branch) for branch in range(len(counts))] == list(counts)):
            states.append(State(oracle.parameters, len(items), np.sum([judge.sums[r] for r in reports], axis=0)))
            chances.append(chance)
    return states, np.array(chances) / sum(chances)


def covariance(values, chances):
    off = values - chances @ values
    return (chances[:, None] * off).T @ off


@pytest.mark.parametrize("post", [RAW, NORM])
@pytest.mark.parametrize("name", FLAT)
def test_covariances_are_those_of_all_reports_of_few_users_and_their_estimates_are_unbiased(name, post):
    oracle, decoder = FLAT[name], Decoder(FLAT[name], post)
    items = [0, 1, 1]
    states, chances = enumerated(oracle, items)
    queries = queries_on(oracle.k)
    true = covariance(np.array([decoder.answers(state, queries) for state in states]), chances)
    shares = np.bincount(items, minlength=oracle.k) / len(items)
    assert decoder.covariance(queries, shares, len(items)) == pytest.approx(true, abs=1e-12 * true.max())
    found = np.array([decoder.estimated_covariance(state, queries) for state in states])
    assert np.tensordot(chances, found, 1) == pytest.approx(true, abs=1e-11 * np.abs(found).max())


@pytest.mark.parametrize("name", TREES)
def test_covariances_of_levels_are_those_of_all_reports_at_these_users_of_each_level(name):
    oracle, items, counts = TREES[name], [0, 1, 1, 3], (1, 3)
    states, chances = enumerated(oracle, items, counts)
    queries = queries_on(4)[1:]  # the sum of all is known
    true = covariance(np.array([oracle.answers(state, queries) for state in states]), chances)
    shares = np.bincount(items, minlength=4) / 4
    found = oracle.answer_covariance(queries, shares, np.array(counts, dtype=float))
    assert found == pytest.approx(true, abs=1e-12 * true.max())


def test_what_the_reports_of_a_design_do_not_tell_is_refused_and_the_rest_is_exact():
    items, told = [0, 2, 2], LinearQueries(np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]))
    states, chances = enumerated(PAIRS, items)
    true = covariance(np.array([PAIRS.answers(state, told[::2]) for state in states]), chances)
    found = np.array([PAIRS.covariance_from_reports(state, told[::2]) for state in states])
    assert np.tensordot(chances, found, 1) == pytest.approx(true, abs=1e-11 * np.abs(found).max())
    answers = WorkloadEstimate.of(PAIRS, Domain(("a", "b", "c", "d")), states[0]).answers(told)
    assert answers.covariance([0, 2]) == pytest.approx(found[0])
    with refused(InputError):
        answers.covariance()


def collected(name, k=12, ordered=True, **options):
    oracle = make_oracle(name, k, ONE, **options)
    values = np.random.default_rng(1).choice(k, 40_000, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    state = oracle.aggregate(oracle.privatize(values, seeded_words(2)))
    return FrequencyEstimate.of(oracle, parse_bins(f"0:{k}:1"), state, ordered=ordered)


CASES = {
    "oue": {}, "grr": {}, "hrr": {}, "hcms": {"hashes": 64, "width": 64, "seed": 3}, "hh": {"b": 2}, "haar": {}
}  # fmt: skip


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_variances_are_the_squares_of_the_standard_errors(name, ordered):
    found = collected(name, ordered=ordered, **CASES[name])
    ranges = Intervals(12, [0, 3, 3, 7], [5, 8, 3, 11])
    for one, rows in ((found, [2, 7, 11]), (found.answers(ranges), None)):
        errors = one.standard_errors[[0, 1, 2, 3] if rows is None else rows]
        matrix = one.covariance(rows)
        near = 2e-3 if one is not found and found.decoder.centres else 1e-9  # where half of the items has one variance
        assert np.diag(matrix) == pytest.approx(errors**2, rel=near)
        assert np.array_equal(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > 0


@pytest.mark.parametrize("name", CASES)
def test_the_variance_of_a_difference_is_that_of_its_query(name):
    found = collected(name, **CASES[name])
    matrix = found.answers(Intervals(12, [0, 4], [5, 9])).covariance()
    difference = np.repeat([1.0, 0.0, -1.0, 0.0], [4, 2, 4, 2])
    (error,) = found.answers(LinearQueries(difference[None])).standard_errors
    assert matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1] == pytest.approx(error**2, rel=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_covariances_are_bilinear_at_estimates_that_are_no_shares(name):
    oracle = make_oracle(name, 12, ONE, **CASES[name])
    first, second = np.random.default_rng(5).normal(size=(2, 4, 12))
    estimates = np.random.default_rng(6).normal(size=12)
    users = np.full(oracle.branches, 50.0) if isinstance(oracle, Mixture) else 400
    found = oracle.estimated_answer_covariance(LinearQueries(np.concatenate([first, second])), estimates, users)
    sums = oracle.estimated_answer_covariance(LinearQueries(first + second), estimates, users)
    crossed = found[:4, 4:]
    expected = found[:4, :4] + found[4:, 4:] + crossed + crossed.T
    assert sums == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_answers_that_are_no_sums_of_items_have_no_covariance():
    with refused(InputError, about="answers"):
        collected("hh", b=2, estimate="raw").covariance([0, 1])


def test_rows_come_in_the_order_in_which_they_are_asked_for():
    answers = collected("hh", b=2).answers(Intervals(12, [0, 3, 7], [5, 8, 11]))
    whole = answers.covariance()
    assert answers.covariance([2, 0]) == pytest.approx(whole[np.ix_([2, 0], [2, 0])], rel=1e-12)
    assert answers.taken(np.array([2, 0])).covariance([1]) == pytest.approx(whole[:1, :1], rel=1e-12)
    assert answers.covariance([]).shape == (0, 0)


@pytest.mark.parametrize(
    "rows",
    [
        [3],
        [-1],
        [0.5],
        [["a"]],
    ],
)
def test_rows_that_are_none(rows):
    with refused(InputError):
        collected("oue").answers(Intervals(12, [0, 3, 7], [5, 8, 11])).covariance(rows)


def test_more_pairs_than_are_computed_are_refused(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.randomizers.oracle.MOST_PAIR_WEIGHTS", 12 * 6)
    found = collected("oue")
    assert found.covariance([0, 1, 2]).shape == (3, 3)
    with refused(InputError, about="covariances"):
        found.covariance([0, 1, 2, 3])


def test_a_table_has_the_names_and_the_columns_that_are_known():
    answers = collected("oue").answers(Intervals(12, [0, 3], [5, 8]))
    table = answers.named({"first": ["0", "3"], "last": ["5", "8"]}).tabulate(0.9)
    low, high = answers.intervals(0.9)
    assert ",".join(table.columns) == "first,last,share,standard_error,low,high,low_all,high_all,estimate"
    assert (table.columns["low"], table.columns["high"]) == (low.tolist(), high.tolist())
    assert table.common == {"confidence": 0.9, "post": "norm"}


def test_a_notebook_shows_the_table_and_a_repr_is_one_line():
    """Items of a FrequencyEstimate are not listed, however many: their names alone would fill pages."""
    found = collected("oue", k=600)
    page = Page(found._repr_html_())
    assert page.cells == MOST_SHOWN * len(found.tabulate().columns)
    assert repr(found) == "<FrequencyEstimate: 600 rows; norm>"
    answers = found.answers(Intervals(600, [0, 3], [5, 8]))
    assert repr(answers) == "<Estimate: 2 rows; norm>"
    assert Page(answers._repr_html_()).cells == 2 * len(answers.tabulate().columns)
    pairs = WorkloadEstimate.of(PAIRS, Domain(tuple("abcd")), State(PAIRS.parameters, 4, np.array([1, 1, 2, 0])))
    assert repr(pairs) == "<WorkloadEstimate: 4 users; ranges:2>"
    assert Page(pairs._repr_html_()).cells == 3 * len(pairs.tabulate().columns)
