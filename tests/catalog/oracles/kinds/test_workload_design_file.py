"""Documents of designs for workloads as oracles: what use needs is checked, and said in one line where it is false."""

import json
from fractions import Fraction

import numpy as np
import pytest
from row_documents import all_subsets, document

from mechdesign import InputError, RefusedError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import parse_oracle
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle

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
    body, tells_items = TRUE[label]
    oracle = parse_oracle(stored(body), 4, None)
    assert isinstance(oracle, WorkloadOracle)
    assert oracle.privacy == Privacy(alpha=body["problem"]["alpha"])
    assert oracle.tells_items == tells_items
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
    with pytest.raises(InputError, match=r"design must have a loss of at most 1, got 1\.0986"):
        parse_oracle(path, 4, Privacy(epsilon=1))
    with pytest.raises(InputError, match=r"design must have k = 5 items, got 4 in .*design\.json"):
        parse_oracle(path, 5, None)


def changed(label, *place, value):
    body = json.loads(json.dumps(TRUE[label][0]))
    inner = body
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return body


FALSE = {
    "epsilon": (changed("prefixes", "problem", "epsilon", value=1.0), "epsilon is at least the loss, 1.0986"),
    "upper": (changed("prefixes", "variance", "upper", "value", value=6.0), "upper: the variance is 6 "),
    "upper of the worst": (
        changed("worst", "variance", "upper", "value", value=6.135),
        "upper: the variance is 6.135 ",
    ),
    "least": (changed("prefixes", "inputs", "least", value=6.0), "inputs least: the variance for a user is 6 "),
    "mean": (changed("merged", "inputs", "mean", value=8.41), "inputs mean: the variance for a user is 8.41 "),
    "largest": (changed("worst", "inputs", "largest", value=7), "inputs largest: the variance for a user is 7 "),
    "another prior": (changed("worst", "certificate", "prior", value=["1"] * 4), "inputs least"),
}


@pytest.mark.parametrize("label", FALSE)
def test_false_claims_are_refused(label, stored):
    body, message = FALSE[label]
    with pytest.raises(RefusedError, match=f"claims what is false: {message}"):
        parse_oracle(stored(body), 4, None)


def test_queries_that_the_rows_do_not_tell_are_a_false_claim(stored):
    body = document("histogram", 4, "1/2", all_subsets(4, 1))
    body["rows"], body["weights"], body["denominator"] = ["1100", "0011"], ["1", "1"], "3"
    with pytest.raises(RefusedError, match=r"claims what is false: all queries are answered .*got query 1 of 4"):
        parse_oracle(stored(body), 4, None)


def test_probabilities_that_do_not_sum_to_1_are_refused(stored):
    body = changed("prefixes", "weights", 0, value="2")
    with pytest.raises(InputError, match=r"item \d must have probabilities that sum to 1, got another sum"):
        parse_oracle(stored(body), 4, None)


def test_a_bound_that_is_false_is_no_matter_of_use(stored):
    """How near the best a design is, neither reports nor estimates need."""
    body = changed("prefixes", "variance", "lower", value={"exact": "6", "value": 6.0})
    assert parse_oracle(stored(body), 4, None).alpha == Fraction(1, 3)
