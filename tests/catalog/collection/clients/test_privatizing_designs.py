"""A design for a workload in memory makes reports as its document does, and its task says all that others need."""

from fractions import Fraction

import numpy as np
import pytest

import mechdesign_catalog as mc
from mechdesign import InputError, Privacy
from mechdesign.certificate.row_proof import RowProof
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.workload_designs import ByInput, WorkloadDesign
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid

ITEMS = ["Cork", "Galway", "Derry", "Sligo"]


def designed(workload, rows, prior, alpha=Fraction(1, 2)):
    """Rows of one weight, half of which have a one for each item; nothing is claimed of how good they are."""
    weights = (alpha.numerator,) * len(rows)
    denominator = len(rows) // 2 * (alpha.numerator + alpha.denominator)
    zero = Fraction(0)
    return WorkloadDesign(
        problem=WorkloadProblem(workload, alpha),
        mechanism=RowMechanism(alpha, rows, weights, denominator),
        proof=RowProof("rows", 1, prior),
        upper=zero,
        lower=zero,
        by_input=ByInput(zero, zero, zero),
        floor=zero,
        seconds=Seconds(0.0, 0.0, 0.0),
        how="by hand",
        method="by hand",
    )


THIRDS = designed(FixedRanges(4, 3), ("1001", "1110", "0111", "0110", "0001", "1000"), (1, 2, 1))
"""Items 1 and 2 are one group."""


def test_reports_and_answers_of_a_design_in_memory():
    values = np.repeat(ITEMS, (200, 100, 60, 40)).tolist()
    reports = mc.privatize(values, THIRDS, domain=ITEMS, seed=4)
    assert reports.header.task.parameters == mc.oracle_of_design(THIRDS).parameters
    found = mc.aggregate(reports)
    assert isinstance(found, mc.WorkloadEstimate)
    answers = found.answers()
    assert len(answers.shares) == 2
    true = np.array([0.9, 0.5])
    assert (np.abs(answers.shares - true) <= 4 * answers.standard_errors).all()
    assert found.told_items == [0, 3]


def test_the_prior_of_groups_becomes_that_of_items():
    assert mc.oracle_of_design(THIRDS).used.prior == (1, 1, 1, 1)
    other = designed(FixedRanges(4, 3), ("1001", "1110", "0111", "0110", "0001", "1000"), (3, 4, 1))
    assert mc.oracle_of_design(other).used.prior == (3, 2, 2, 1)


def test_a_task_of_a_design_serves_without_it(tmp_path):
    task = mc.make_task(THIRDS, domain=ITEMS, ordered=True)
    mc.save_task(task, tmp_path / "task.json")
    read = mc.read_task(tmp_path / "task.json")
    assert read == task
    assert mc.aggregate(mc.privatize(["Cork"] * 5, read)).users == 5


def test_a_grid_is_reported_by_two_columns_of_bins():
    design = designed(Grid((2, 2)), ("1100", "0011", "1010", "0101", "1001", "0110"), (1, 1, 1, 1))
    values = {"x": [0.5] * 300 + [1.5] * 100, "y": [0.5] * 100 + [1.5] * 300}
    reports = mc.privatize(values, design, bins=["0:2:1", "0:2:1"], columns=["x", "y"], seed=1)
    answers = mc.aggregate(reports).answers()
    truth = Grid((2, 2)).answers(np.array([0.25, 0.5, 0, 0.25]))
    assert (np.abs(answers.shares - truth) <= 4 * answers.standard_errors + 1e-9).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": ITEMS[:3]}, "domain must have the 4 items of the oracle, got 3"),
        ({}, "domain must be given for workload-design"),
        ({"maximum": 3, "domain": ITEMS}, "domain must be given for workload-design"),
        ({"domain": {"a": ["x", "y"], "b": ["x", "y"]}}, "domain must be a list of items for workload-design"),
        ({"domain": ITEMS, "columns": ["a", "b"]}, "columns must be one for workload-design"),
        ({"domain": ITEMS, "alpha": "3/4"}, "design must have a loss of at most 0.28"),
    ],
    ids=["another k", "nothing", "a maximum", "attributes", "columns", "a lower claim"],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        mc.privatize(["Cork"], THIRDS, **options)


def test_more_may_be_claimed():
    reports = mc.privatize(["Cork"], THIRDS, domain=ITEMS, epsilon=1)
    assert reports.header.task.parameters["privacy"] == str(Privacy(epsilon=1))
