"""The least variance of linear estimates, against weighted least squares that are written down."""

import math

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import LARGEST_GRAM
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.oracles import parse_oracle

CASES = [("hh:b=2", "prefixes", 6), ("ss", "ranges", 5), ("hh:b=3:in=ss", "ranges:3", 5), ("hrr", "histogram", 4)]


@pytest.mark.parametrize(("name", "workload", "k"), CASES, ids=[name for name, _, _ in CASES])
def test_no_other_linear_estimate_is_better(name, workload, k):
    """Of all `z` with `sum_r z_r q(r, u) = w_u` the one of least `sum_r z_r^2 s'q_r`, by weighted pseudo-inverse."""
    oracle, queries = parse_oracle(name, k, Privacy(alpha="1/3")), parse_named_workload(workload, k)
    rows = np.array([[float(chance) for chance in row] for row in oracle.report_law().values()])
    weights, means = queries.queries().weights(), rows.mean(axis=1)
    scores = weights @ np.linalg.pinv(rows / np.sqrt(means)[:, None]) / np.sqrt(means)
    assert scores @ rows == pytest.approx(weights, abs=1e-9)
    wanted = float(np.sum(scores**2 @ rows) - np.sum(weights**2)) / k
    found = LinearEstimates.of(queries).least_variance(oracle.information().matrix)
    assert found == pytest.approx(wanted, rel=1e-9)


def test_reports_that_do_not_tell_an_item_have_no_variance_for_it():
    """Two items that every report has alike: nothing is told of them apart, and all of them together."""
    information_of_three = np.array([[1.5, 0.75, 0.75], [0.75, 1.5, 0.75], [0.75, 0.75, 1.5]])
    merged = information_of_three[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])]
    assert LinearEstimates.of(parse_named_workload("histogram", 4)).least_variance(merged) == math.inf
    one_item = LinearEstimates.of(parse_named_workload("ranges:4", 4))
    assert one_item.least_variance(merged) == pytest.approx(0, abs=1e-9)


def test_more_items_than_a_gram_matrix_has_are_refused():
    with pytest.raises(InputError, match="k must be at most"):
        LinearEstimates.of(parse_named_workload("ranges", LARGEST_GRAM + 1))
