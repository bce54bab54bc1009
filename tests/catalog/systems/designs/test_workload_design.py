"""Designs for workloads as oracles: subset selection by rows, variances by fractions, files, what is not told."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from rational_algebra import solve
from row_designs import cyclic_oracle, cyclic_rows
from row_documents import all_subsets, document
from wording import refused

from mechdesign import InputError, RefusedError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.systems import State, actual_epsilon, make_oracle, oracle_of, parse_oracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.designs.workload_design_text import item_prior

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
    assert actual_epsilon(rows) == actual_epsilon(other)
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
    assert not HALVES.identifies_items
    assert HALVES.answers(state, HALVES.workload.queries()).tolist() == pytest.approx([2 / 3, 4 / 3])
    for ask in (
        lambda: HALVES.estimate(state),
        lambda: HALVES.variance(np.full(4, 0.25), 5),
        lambda: HALVES.approximate_variance(5),
    ):
        with refused(InputError):
            ask()
    told = LinearQueries(np.array([[0, 0, 3.0, 3.0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]]))
    assert HALVES.answers(state, told[:2]).tolist() == pytest.approx([1, 1])
    for ask in (HALVES.answers, HALVES.variance_bounds):
        with refused(InputError):
            ask(state, told)
    with refused(InputError, about="queries"):
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
        low, high = oracle.variance_bounds(state, queries)
        assert low.tolist() == high.tolist()
        plain = spread.T @ oracle.estimate(state)
        assert low == pytest.approx(np.clip(plain, spread.min(axis=0), spread.max(axis=0)) / users, rel=1e-12)
        means += chance * plain / users
    shares = np.bincount(own, minlength=4) / users
    assert means == pytest.approx(oracle.answer_variance(queries, shares, users), rel=1e-12)


def test_squares_that_are_not_told_leave_an_interval():
    """All cyclic pairs of four items have rank 3: 3, 2, 1, 2 is a combination of them, and 9, 4, 1, 4 is not."""
    oracle = WorkloadOracle.of(PAIRS, FixedRanges(4, 2))
    assert not oracle.identifies_items
    queries = LinearQueries(np.array([[3.0, 2.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0]]))
    low, high = oracle.variance_bounds(State(oracle.parameters, 8, np.array([2, 2, 2, 2])), queries)
    assert low[0] < high[0]
    assert low[1] == high[1]
    spread = np.array([oracle.answer_variance(queries, np.eye(4)[item], 8) for item in range(4)])
    assert (spread.min(axis=0) <= low).all()
    assert (high <= spread.max(axis=0)).all()


def test_a_claim_is_checked_and_told():
    assert SKEW.spends_whole_epsilon
    loose = WorkloadOracle.of(SKEW.mechanism, Prefixes(4), privacy=Privacy(epsilon=2))
    assert not loose.spends_whole_epsilon
    assert loose.alpha == Fraction(1, 3)
    assert loose.title == "workload-design (prefixes)"
    with refused(InputError, about="design"):
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
    "denominator": damaged(denominator="25"),
    "number": damaged(denominator=24),
    "weight": damaged(weights=["4", *["3"] * 3, *["1"] * 4]),
    "negative weight": damaged(weights=["-3", *["3"] * 3, *["1"] * 4]),
    "rows of other letters": damaged(rows=["1002"] * 8),
    "no rows": damaged(rows=[]),
    "rows twice": damaged(rows=["1000"] * 8),
    "rows that are no list": damaged(rows="1000"),
    "alpha above 1": damaged(alpha="3"),
    "prior": damaged(prior=["1", "1", "1"]),
    "prior of zeros": damaged(prior=["0"] * 4),
    "workload": damaged(workload="prefix"),
    "workload that is no text": damaged(workload=3),
    "another key": damaged(more=1),
    "no text": {**damaged(), "design": 5},
    "no JSON": {**damaged(), "design": "{"},
    "claim": {**damaged(), "privacy": "epsilon=1"},
    "k": {**damaged(), "k": 5},
    "not in lowest terms": damaged(prior=["6", "2", "2", "4"]),
    "queries of another name": queried(queries=[["1", "1", "0", "0"]]),
    "queries that are no rows": queried(queries=["1"]),
    "rows that tell nothing": damaged(rows=["0000", "1111"], weights=["1", "1"], denominator="4"),
}


@pytest.mark.parametrize("label", DAMAGED)
def test_damaged_parameters_are_refused(label):
    parameters = DAMAGED[label]
    with refused(InputError):
        oracle_of(parameters)


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.systems.designs.workload_design_text.MOST_ENTRIES", 31)
    with refused(InputError, about="rows"):
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


RANGES = ["1001", "1000", "0001", "0110", "0111", "1110"]
TRUE = {
    "prefixes": (document("prefixes", 4, "1/3", all_subsets(4, 1, 2)), True),
    "worst": (document("prefixes", 4, "1/3", all_subsets(4, 1, 2), aggregate="worst", prior=[3, 2, 2, 3]), True),
    "merged": (document("ranges:3", 4, "1/2", RANGES), False),
    "marginals": (document("marginals:1:2,2", 4, "1/2", ["1100", "0011", "1010", "0101"]), False),
}
"""Documents, and whether they tell all items."""


@pytest.fixture
def stored(tmp_path):
    def store(body):
        path = tmp_path / "design.json"
        path.write_text(json.dumps(body))
        return str(path)

    return store


@pytest.mark.parametrize("digits", [3, 9, 20, 60])
def test_variances_far_below_1_lose_no_digits(digits, stored):
    """At epsilons of 7 to 138 nearly all users report rows of their own item."""
    body = document("prefixes", 4, Fraction(1, 10**digits), all_subsets(4, 1))
    oracle = parse_oracle(stored(body), 4, None)
    sums = sum(oracle.spread(weights).sum(axis=0) for weights in oracle.query_parts(oracle.workload.queries()))
    for name, value in (("least", sums.min()), ("mean", sums.mean()), ("largest", sums.max())):
        assert value == pytest.approx(body["inputs"][name], rel=1e-10)


@pytest.mark.parametrize("label", TRUE)
def test_an_oracle_has_the_variances_of_its_document(label, stored):
    """For each item, summed over the queries, as the document says and as an exact law gives."""
    body, identifies_items = TRUE[label]
    oracle = parse_oracle(stored(body), 4, None)
    assert isinstance(oracle, WorkloadOracle)
    assert oracle.privacy == Privacy(alpha=body["problem"]["alpha"])
    assert oracle.identifies_items == identifies_items
    queries = oracle.workload.queries()
    sums = sum(oracle.spread(weights).sum(axis=0) for weights in oracle.query_parts(queries))
    for name, value in (("least", sums.min()), ("mean", sums.mean()), ("largest", sums.max())):
        assert value == pytest.approx(body["inputs"][name], rel=1e-9)
    law = oracle.report_law()
    scores, weights = oracle.scores.of_queries(queries.weights()), queries.weights()
    for item in range(4):
        chances = np.array([float(chances[item]) for chances in law.values()])
        assert scores @ chances == pytest.approx(weights[:, item], abs=1e-12)


def test_a_claim_above_the_loss_is_taken_and_one_below_is_not(stored):
    path = stored(TRUE["prefixes"][0])
    assert parse_oracle(path, 4, Privacy(epsilon=2)).privacy == Privacy(epsilon=2)
    with refused(InputError, about="design"):
        parse_oracle(path, 4, Privacy(epsilon=1))
    with refused(InputError, about="design"):
        parse_oracle(path, 5, None)


def changed(label, *place, value):
    body = json.loads(json.dumps(TRUE[label][0]))
    inner = body
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return body


FALSE = {
    "epsilon": changed("prefixes", "problem", "epsilon", value=1.0),
    "upper": changed("prefixes", "variance", "upper", "value", value=6.0),
    "upper of the worst": changed("worst", "variance", "upper", "value", value=6.135),
    "least": changed("prefixes", "inputs", "least", value=6.0),
    "mean": changed("merged", "inputs", "mean", value=8.41),
    "largest": changed("worst", "inputs", "largest", value=7),
    "another prior": changed("worst", "certificate", "prior", value=["1"] * 4),
}


@pytest.mark.parametrize("label", FALSE)
def test_false_claims_are_refused(label, stored):
    body = FALSE[label]
    with refused(RefusedError):
        parse_oracle(stored(body), 4, None)


def test_queries_that_the_rows_do_not_tell_are_a_false_claim(stored):
    body = document("histogram", 4, "1/2", all_subsets(4, 1))
    body["rows"], body["weights"], body["denominator"] = ["1100", "0011"], ["1", "1"], "3"
    with refused(RefusedError):
        parse_oracle(stored(body), 4, None)


def test_probabilities_that_do_not_sum_to_1_are_refused(stored):
    body = changed("prefixes", "weights", 0, value="2")
    with refused(InputError):
        parse_oracle(stored(body), 4, None)


def test_a_bound_that_is_false_is_no_matter_of_use(stored):
    """How near the best a design is, neither reports nor estimates need."""
    body = changed("prefixes", "variance", "lower", value={"exact": "6", "value": 6.0})
    assert parse_oracle(stored(body), 4, None).alpha == Fraction(1, 3)
