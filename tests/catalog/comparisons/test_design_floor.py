"""How little of an oracle's variance a design may need, against certified optima."""

from fractions import Fraction

import pytest

from mechdesign.methods.row_designs.floor import variance_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons.design_floor import least_share
from mechdesign_catalog.comparisons.survey import best
from mechdesign_catalog.comparisons.workload_survey import survey_workload

# certified variances for a user, and how far the bound in closed form may be below them
OPTIMA = [
    ("prefixes", 8, "1/2", 101.8822, 0.05),
    ("prefixes", 8, "1", 23.0313679, 0.06),
    ("ranges", 16, "1", 875.636281, 0.03),
    ("ranges", 16, "2", 158.6835, 0.2),
]


@pytest.mark.parametrize(("name", "k", "epsilon", "optimum", "loose"), OPTIMA)
def test_the_part_is_below_that_of_the_optimum_and_near_it(name, k, epsilon, optimum, loose):
    workload, privacy, users = parse_named_workload(name, k), Privacy(epsilon=epsilon), 1000
    variance = best(survey_workload(workload, privacy, users)).variance
    share, true = least_share(workload, privacy, variance, users), optimum / (users * workload.count * variance)
    assert true * (1 - loose) - 0.01 < share <= true
    assert 100 * share == pytest.approx(round(100 * share), abs=1e-9)
    assert least_share(workload, privacy, 3 * variance, 3 * users) == pytest.approx(share / 9, abs=0.01)


def test_near_one_it_is_told_finer_and_never_rounded_up():
    workload, privacy, users = parse_named_workload("ranges", 16), Privacy(epsilon=1), 1000
    floor = variance_floor(WorkloadProblem(workload, privacy=privacy)) / (users * workload.count)
    told = {share: least_share(workload, privacy, float(floor / Fraction(share)), users) for share in SHARES}
    assert list(told.values()) == list(SHARES.values())


SHARES = {"0.98989": 0.98, "0.99018": 0.9901, "0.99996": 0.9999, "1.2": 1.0}
"""What is told of each."""


def test_where_nothing_is_to_be_said():
    privacy = Privacy(epsilon=1)
    assert least_share(Ranges(129), privacy, 1.0, 1000) is None
    assert least_share(FixedRanges(8, 8), privacy, 1.0, 1000) is None
    assert least_share(Ranges(8), privacy, 0.0, 1000) is None
    assert least_share(Histogram(8), privacy, 1e6, 1000) is None
    assert least_share(Histogram(8), privacy, 1e-9, 1000) == 1.0
