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
from mechdesign.workloads.marginals import Marginals
from mechdesign_catalog.collection.estimates.workload_queries import name_queries

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
        (
            {"domain": {"a": ["x", "y"], "b": ["x", "y", "z"]}},
            "attributes must have 4 tuples, as a design does, got 2, 3",
        ),
        ({"domain": ITEMS, "columns": ["a", "b"]}, "domain must have the items of each attribute for a design"),
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


TABLES = designed(Marginals((2, 2), 1), ("1100", "0011", "1010", "0101"), (1, 1, 1, 1))
PEOPLE = {"card": ["no", "yes"], "tip": ["none", "some"]}
USERS = {"card": ["no"] * 500 + ["yes"] * 300, "tip": ["none"] * 200 + ["some"] * 600}


def test_attributes_are_reported_as_tuples():
    reports = mc.privatize(USERS, TABLES, domain=PEOPLE, seed=2)
    assert reports.header.task.items == ("no x none", "no x some", "yes x none", "yes x some")
    found = mc.aggregate(reports)
    answers = found.answers()
    assert (np.abs(answers.shares - np.array([500, 300, 200, 600]) / 800) <= 4 * answers.standard_errors).all()
    names = name_queries(found.queries, found.domain).names
    assert names == {"attributes": ["0", "0", "1", "1"], "cell": ["no", "yes", "none", "some"]}


def test_columns_are_taken_in_the_order_that_is_asked_for(tmp_path):
    path = tmp_path / "attributes.csv"
    path.write_text("column,item\ntip,none\ntip,some\nother,a\nother,b\ncard,no\ncard,yes\n")
    reports = mc.privatize(USERS, TABLES, domain=path, columns=["card", "tip"])
    assert reports.header.task.items == ("no x none", "no x some", "yes x none", "yes x some")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            {"card": ["no", "yes"], "tip": ["a", "b", "c"]},
            "attributes must have 2, 2 items, as a design does, got 2, 3",
        ),
        ({"card": ["a", "b", "c", "d"]}, "attributes must have 2, 2 items, as a design does, got 4 items"),
    ],
    ids=["more items", "one attribute"],
)
def test_other_attributes_are_refused(items, message):
    with pytest.raises(InputError, match=message):
        mc.privatize(USERS, TABLES, domain=items)


def test_shares_quantiles_and_posts_of_a_design_that_tells_items():
    rows = ("1000", "0100", "0010", "0001", "1100", "0110", "0011", "1001", "1110", "0111", "1011", "1101")
    half = designed(FixedRanges(4, 1), rows, (1, 1, 1, 1))
    found = mc.aggregate(mc.privatize(np.repeat(ITEMS, (500, 200, 200, 100)).tolist(), half, domain=ITEMS, seed=4))
    assert mc.postprocess(found, "norm-sub").frequencies.sum() == pytest.approx(1)
    assert mc.quantiles(found, "0.5").tabulate().columns["item"][0] in ITEMS
    lines = found.tabulate().csv_bytes().decode().splitlines()
    assert lines[0].startswith("item,share,standard_error,low,high")
    assert [line.split(",")[0] for line in lines[1:]] == ITEMS
    told = mc.aggregate(mc.privatize(ITEMS, THIRDS, domain=ITEMS))
    with pytest.raises(InputError, match="items must have shares that the reports tell, got 2 of 4"):
        mc.quantiles(told, "0.5")
    with pytest.raises(InputError, match="items must have shares that the reports tell"):
        mc.postprocess(told, "norm-sub")
