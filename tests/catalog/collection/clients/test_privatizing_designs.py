"""A design for a workload in memory makes reports as its document does, and its task says all that others need."""

from fractions import Fraction

import numpy as np
import pytest
from wording import refused

import mechdesign_catalog as mc
from mechdesign import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.verify.certificates import Certificate
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
        certificate=Certificate("rows", 1, {"prior": prior}),
        score=zero,
        lower_bound=zero,
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
    assert found.identified_items == [0, 3]


def test_the_prior_of_groups_becomes_that_of_items():
    assert mc.oracle_of_design(THIRDS).used.prior == (1, 1, 1, 1)
    other = designed(FixedRanges(4, 3), ("1001", "1110", "0111", "0110", "0001", "1000"), (3, 4, 1))
    assert mc.oracle_of_design(other).used.prior == (3, 2, 2, 1)


def test_a_grid_is_reported_by_two_columns_of_bins():
    design = designed(Grid((2, 2)), ("1100", "0011", "1010", "0101", "1001", "0110"), (1, 1, 1, 1))
    values = {"x": [0.5] * 300 + [1.5] * 100, "y": [0.5] * 100 + [1.5] * 300}
    reports = mc.privatize(values, design, bins=["0:2:1", "0:2:1"], columns=["x", "y"], seed=1)
    answers = mc.aggregate(reports).answers()
    truth = Grid((2, 2)).answers(np.array([0.25, 0.5, 0, 0.25]))
    assert (np.abs(answers.shares - truth) <= 4 * answers.standard_errors + 1e-9).all()


@pytest.mark.parametrize(
    "options",
    [
        {"domain": ITEMS[:3]},
        {},
        {"maximum": 3, "domain": ITEMS},
        {"domain": {"a": ["x", "y"], "b": ["x", "y", "z"]}},
        {"domain": ITEMS, "columns": ["a", "b"]},
        {"domain": ITEMS, "alpha": "3/4"},
    ],
    ids=["another k", "nothing", "a maximum", "attributes", "columns", "a lower claim"],
)
def test_what_does_not_go_together_is_refused(options):
    with refused(InputError):
        mc.privatize(["Cork"], THIRDS, **options)


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


def test_shares_quantiles_and_posts_of_a_design_that_tells_items():
    rows = ("1000", "0100", "0010", "0001", "1100", "0110", "0011", "1001", "1110", "0111", "1011", "1101")
    half = designed(FixedRanges(4, 1), rows, (1, 1, 1, 1))
    found = mc.aggregate(mc.privatize(np.repeat(ITEMS, (500, 200, 200, 100)).tolist(), half, domain=ITEMS, seed=4))
    assert mc.postprocess(found, "norm-sub").shares.sum() == pytest.approx(1)
    assert mc.quantiles(found, "0.5").tabulate().columns["item"][0] in ITEMS
    lines = found.tabulate().csv_bytes().decode().splitlines()
    assert lines[0].startswith("item,share,standard_error,low,high")
    assert [line.split(",")[0] for line in lines[1:]] == ITEMS
    told = mc.aggregate(mc.privatize(ITEMS, THIRDS, domain=ITEMS))
    with refused(InputError, about="items"):
        mc.quantiles(told, "0.5")
    with refused(InputError, about="items"):
        mc.postprocess(told, "norm-sub")
