"""Designs for workloads as oracles: subset selection by rows, answers and variances by fractions, what is not told."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from rational_algebra import solve
from row_designs import cyclic_oracle, cyclic_rows

from mechdesign import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.oracles import State, make_oracle, oracle_of, true_loss
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.kinds.workload_design_text import item_prior

LIARS = Fraction(1, 100)

THIRD = Privacy(alpha="1/3")
SKEW = cyclic_oracle(4, THIRD, (3, 1), (3, 1, 1, 2))
"""Intervals of one and two items, with estimates that are best for some shares."""

HALVES = WorkloadOracle.of(
    RowMechanism(Fraction(1, 2), ("1100", "0011"), (1, 1), 3), MatrixWorkload.of([[1, 1, 0, 0], [1, 1, 2, 2]], "h.csv")
)
"""Two groups of two items, told apart by randomised response."""


def subsets(k, size, alpha):
    """Subset selection, row by row."""
    rows = ["".join("01"[item in chosen] for item in range(k)) for chosen in itertools.combinations(range(k), size)]
    ones = sum(row[0] == "1" for row in rows)
    weight = alpha.numerator
    return RowMechanism(
        alpha, tuple(rows), (weight,) * len(rows), weight * (len(rows) - ones) + alpha.denominator * ones
    )


@pytest.mark.parametrize(("k", "size"), [(4, 1), (4, 2), (4, 3), (6, 2)])
def test_rows_of_one_size_are_subset_selection(k, size):
    """With size 1 randomised response: the same estimates, variances, loss and bias of liars."""
    rows = WorkloadOracle.of(subsets(k, size, THIRD.alpha), Histogram(k))
    other = make_oracle("ss", k, THIRD, size=size)
    assert true_loss(rows) == true_loss(other)
    assert float(rows.worst_bias(LIARS).value) == pytest.approx(float(other.worst_bias(LIARS).value), rel=1e-12)
    assert rows.worst_bias(LIARS).value >= other.worst_bias(LIARS).value
    assert rows.approximate_variance(50) == pytest.approx(other.approximate_variance(50), rel=1e-12)
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    assert rows.variance(shares, 50) == pytest.approx(other.variance(shares, 50), rel=1e-12)
    sums = np.random.default_rng([k, size]).multinomial(1000, np.full(rows.outputs, 1 / rows.outputs))
    theirs = State(other.parameters, 1000, sums @ rows.mechanism.ones.astype(np.int64))
    assert rows.estimate(State(rows.parameters, 1000, sums)) == pytest.approx(other.estimate(theirs), abs=1e-12)
    queries = Ranges(k).queries()
    expected = other.answer_variance(queries, shares, 9)
    assert rows.answer_variance(queries, shares, 9) == pytest.approx(expected, rel=1e-10, abs=1e-14)


def exact_scores(oracle, weights):
    """What each report says of the answer of a query, by `A c = w` in fractions; for rows that tell every item."""
    made, prior = oracle.mechanism, oracle.used.prior
    rows = [[1 / made.alpha if letter == "1" else Fraction(1) for letter in row] for row in made.rows]
    means = [sum(p * r for p, r in zip(prior, row, strict=True)) / sum(prior) for row in rows]
    parts = [Fraction(w, made.denominator) / m for w, m in zip(made.weights, means, strict=True)]
    items = range(oracle.k)
    matrix = [[sum(p * r[u] * r[v] for p, r in zip(parts, rows, strict=True)) for v in items] for u in items]
    c = solve(matrix, [Fraction(w) for w in weights])
    return [sum(a * b for a, b in zip(c, row, strict=True)) / m for row, m in zip(rows, means, strict=True)]


def test_answers_and_variances_by_fractions():
    """Scores are unbiased for every item, exactly; answers are their means, variances their second moments."""
    queries = Prefixes(4).queries()
    sums = np.array([5, 3, 2, 7, 1, 0, 4, 8])
    for number, weights in enumerate(queries.weights().astype(int).tolist()):
        scores = exact_scores(SKEW, weights)
        spread = []
        for item in range(4):
            chances = [SKEW.mechanism.fraction(row, item) for row in range(8)]
            assert sum(c * z for c, z in zip(chances, scores, strict=True)) == weights[item]
            spread.append(sum(c * z**2 for c, z in zip(chances, scores, strict=True)) - weights[item] ** 2)
        answer = sum(int(s) * z for s, z in zip(sums, scores, strict=True)) / 30
        found = SKEW.answers(State(SKEW.parameters, 30, sums), queries)[number]
        assert found == pytest.approx(float(answer), rel=1e-13)
        for item in range(4):
            variance = SKEW.answer_variance(queries, np.eye(4)[item], 7)[number]
            assert variance == pytest.approx(float(spread[item] / 7), rel=1e-12, abs=1e-15)


def test_scores_are_the_best_for_users_of_the_prior():
    """Any other unbiased scores have a larger mean variance by it: here those that are best for equal shares."""
    equal = WorkloadOracle.of(SKEW.mechanism, Prefixes(4))
    queries, prior = Prefixes(4).queries(0, 3), np.array([3, 1, 1, 2]) / 7
    own, other = (oracle.answer_variance(queries, prior, 1) for oracle in (SKEW, equal))
    assert (own < other).all()
    uniform = np.full(4, 1 / 4)
    assert (equal.answer_variance(queries, uniform, 1) < SKEW.answer_variance(queries, uniform, 1)).all()


def test_items_that_no_reports_tell_have_no_shares():
    state = State(HALVES.parameters, 90, np.array([50, 40]))
    assert not HALVES.tells_items
    assert HALVES.answers(state, HALVES.workload.queries()).tolist() == pytest.approx([2 / 3, 4 / 3])
    message = "got 4 of 4 items whose share no reports of a design for h.csv@"
    for ask in (
        lambda: HALVES.estimate(state),
        lambda: HALVES.variance(np.full(4, 0.25), 5),
        lambda: HALVES.approximate_variance(5),
    ):
        with pytest.raises(InputError, match=message):
            ask()
    told = LinearQueries(np.array([[0, 0, 3.0, 3.0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]]))
    assert HALVES.answers(state, told[:2]).tolist() == pytest.approx([1, 1])
    for ask in (HALVES.answers, HALVES.told_variance):
        with pytest.raises(InputError, match=r"combinations of the rows of the design for h.csv@\w+, got query 3 of 4"):
            ask(state, told)
    with pytest.raises(InputError, match="queries must be on the 4 items"):
        HALVES.answers(state, Prefixes(5).queries())


def test_the_variance_that_reports_tell_is_unbiased():
    """Over all reports of three users, before it is brought between the least and the largest that there is."""
    oracle, users, own = SKEW, 3, (0, 1, 3)
    queries = Intervals(4, np.array([0, 0, 1]), np.array([0, 1, 2]))
    spread = np.array([oracle.answer_variance(queries, np.eye(4)[item], 1) for item in range(4)])
    means = np.zeros(3)
    for reports in itertools.product(range(8), repeat=users):
        chance = math.prod(float(oracle.mechanism.fraction(r, v)) for r, v in zip(reports, own, strict=True))
        state = State(oracle.parameters, users, np.bincount(reports, minlength=8))
        low, high = oracle.told_variance(state, queries)
        assert low.tolist() == high.tolist()
        plain = spread.T @ oracle.estimate(state)
        assert low == pytest.approx(np.clip(plain, spread.min(axis=0), spread.max(axis=0)) / users, rel=1e-12)
        means += chance * plain / users
    shares = np.bincount(own, minlength=4) / users
    assert means == pytest.approx(oracle.answer_variance(queries, shares, users), rel=1e-12)


def test_squares_that_are_not_told_leave_an_interval():
    """All cyclic pairs of four items have rank 3: 3, 2, 1, 2 is a combination of them, and 9, 4, 1, 4 is not."""
    oracle = WorkloadOracle.of(PAIRS, FixedRanges(4, 2))
    assert not oracle.tells_items
    queries = LinearQueries(np.array([[3.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0]]))
    low, high = oracle.told_variance(State(oracle.parameters, 8, np.array([2, 2, 2, 2])), queries)
    assert low[0] < high[0]
    assert low[1] == high[1]
    spread = np.array([oracle.answer_variance(queries, np.eye(4)[item], 8) for item in range(4)])
    assert (spread.min(axis=0) <= low).all()
    assert (high <= spread.max(axis=0)).all()


@pytest.mark.slow
def test_real_reports_vary_as_the_exact_variance_says():
    """Of 2000 collections of 200 users, drawn report by report: the mean square error of each prefix."""
    oracle, queries = cyclic_oracle(6, Privacy(epsilon=1), (2, 1, 1)), Prefixes(6).queries(0, 5)
    values = np.repeat(np.arange(6), (90, 50, 30, 20, 10, 0))
    shares = np.bincount(values, minlength=6) / 200
    reports = oracle.privatize(np.tile(values, 2000), seeded_words(17))
    parts = [oracle.aggregate(reports[start : start + 200]) for start in range(0, 400_000, 200)]
    squares = (np.array([oracle.answers(part, queries) for part in parts]) - queries.apply(shares)) ** 2
    error = squares.std(axis=0, ddof=1) / math.sqrt(2000)
    assert (np.abs(squares.mean(axis=0) - oracle.answer_variance(queries, shares, 200)) <= 4 * error).all()
    told = np.array([oracle.told_variance(part, queries)[0] for part in parts]).mean(axis=0)
    assert told == pytest.approx(oracle.answer_variance(queries, shares, 200), rel=0.02)


def test_a_claim_is_checked_and_told():
    assert SKEW.claim_is_tight
    loose = WorkloadOracle.of(SKEW.mechanism, Prefixes(4), privacy=Privacy(epsilon=2))
    assert not loose.claim_is_tight
    assert loose.alpha == Fraction(1, 3)
    assert loose.title == "workload-design (prefixes)"
    with pytest.raises(InputError, match=r"design must have a loss of at most 1, got 1\.0986"):
        WorkloadOracle.of(SKEW.mechanism, Prefixes(4), privacy=Privacy(epsilon=1))


def test_the_same_design_in_other_terms_is_the_same_oracle():
    made = SKEW.mechanism
    tripled = RowMechanism(made.alpha, made.rows, tuple(3 * w for w in made.weights), 3 * made.denominator)
    assert WorkloadOracle.of(tripled, Prefixes(4), (6, 2, 2, 4)) == SKEW
    assert oracle_of(json.loads(json.dumps(HALVES.parameters))) == HALVES


def test_the_prior_of_groups_is_shared_out():
    assert item_prior(((0, 3), (1,), (2,)), (2, 1, 1)) == (1, 1, 1, 1)
    assert item_prior(((0, 1, 2), (3,)), (1, 1)) == (1, 1, 1, 3)


PAIRS = RowMechanism(Fraction(1, 2), ("1100", "0110", "0011", "1001"), (1,) * 4, 6)
"""All cyclic pairs."""


def damaged(**changes):
    return {**SKEW.parameters, "design": json.dumps({**json.loads(SKEW.design), **changes}, separators=(",", ":"))}


def queried(**changes):
    return {**HALVES.parameters, "design": json.dumps({**json.loads(HALVES.design), **changes}, separators=(",", ":"))}


DAMAGED = {
    "denominator": (damaged(denominator="25"), "item 0 must have probabilities that sum to 1"),
    "number": (damaged(denominator=24), "denominator must be an integer written as a string"),
    "weight": (damaged(weights=["4", *["3"] * 3, *["1"] * 4]), "item 0 must have probabilities that sum to 1"),
    "negative weight": (damaged(weights=["-3", *["3"] * 3, *["1"] * 4]), "weights must be positive integers"),
    "few weights": (damaged(weights=["1"] * 7), "weights must be 8, one for each row, got 7"),
    "rows of other letters": (damaged(rows=["1002"] * 8), "rows must be texts of 4 letters 0 and 1"),
    "rows that are no texts": (damaged(rows=[1] * 8), "rows must be at least one text"),
    "no rows": (damaged(rows=[]), "rows must be at least one text"),
    "rows twice": (damaged(rows=["1000"] * 8), "rows must be different"),
    "rows that are no list": (damaged(rows="1000"), "rows must be a list of texts, got 1000"),
    "alpha": (damaged(alpha="1/2"), "item 0 must have probabilities that sum to 1"),
    "alpha above 1": (damaged(alpha="3"), r"alpha must be in \(0, 1\)"),
    "prior": (damaged(prior=["1", "1", "1"]), "prior must be 4 whole numbers"),
    "prior below 0": (damaged(prior=["1", "1", "1", "-1"]), "prior must be 4 whole numbers"),
    "prior of zeros": (damaged(prior=["0"] * 4), "prior must be 4 whole numbers"),
    "workload": (damaged(workload="prefix"), "workload must be one of"),
    "workload of another k": (damaged(workload="grid:2,3"), "grid"),
    "workload that is no text": (damaged(workload=3), "workload must be a text"),
    "another key": (damaged(more=1), "design must have alpha, denominator, prior, rows, weights, workload"),
    "no text": ({**damaged(), "design": 5}, "design must be a JSON text"),
    "no JSON": ({**damaged(), "design": "{"}, "file must be JSON, got the parameters of workload-design"),
    "claim": ({**damaged(), "privacy": "epsilon=1"}, "loss of at most 1, got 1.09"),
    "k": ({**damaged(), "k": 5}, "design must have rows of 5 items, got 4"),
    "not in lowest terms": (damaged(prior=["6", "2", "2", "4"]), "must be those that it writes"),
    "queries of another name": (queried(queries=[["1", "1", "0", "0"]]), "got other weights beside h.csv"),
    "queries that are no rows": (queried(queries=["1"]), "queries must be rows"),
    "queries of another k": (queried(queries=[["1", "1"]]), "got"),
    "rows that tell nothing": (
        damaged(rows=["0000", "1111"], weights=["1", "1"], denominator="4"),
        "design must tell at least two items apart",
    ),
}


@pytest.mark.parametrize("label", DAMAGED)
def test_damaged_parameters_are_refused(label):
    parameters, message = DAMAGED[label]
    with pytest.raises(InputError, match=message):
        oracle_of(parameters)


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.oracles.kinds.workload_design_text.MOST_ENTRIES", 31)
    with pytest.raises(InputError, match="rows must have at most 31 entries, and weights 4096 bits, got 8 x 4"):
        WorkloadOracle.of(SKEW.mechanism, Prefixes(4))


@pytest.mark.parametrize("text", ["1e-8", "1e-17"])
def test_scores_of_tiny_epsilons_are_right_to_the_last_digit(text):
    """Rows of entries 1 and 1 + epsilon: two floats would be one."""
    oracle = cyclic_oracle(3, Privacy(epsilon=text), (1,))
    exact = exact_scores(oracle, [1, 0, 0])
    assert oracle.scores.of_queries(np.eye(3)[:1])[0] == pytest.approx([float(score) for score in exact], rel=1e-15)


def test_the_title_is_one_short_line_whatever_a_file_calls_its_workload():
    queries = np.tril(np.ones((4, 4), dtype=int)).tolist()
    for source in ("a\nproved optimal", "\x1b[31mred", "\u202eabc", "x" * 5000):
        workload = MatrixWorkload.of(queries, source)
        title = WorkloadOracle.of(cyclic_rows(4, Fraction(1, 3), [1, 1]), workload).title
        assert title.isprintable()
        assert len(title) < 150
    assert cyclic_oracle(4, Privacy(alpha=Fraction(1, 3)), [1, 1]).title == "workload-design (prefixes)"
