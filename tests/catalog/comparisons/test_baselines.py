"""Best linear estimates of all oracles and the floor of designs, beside their own and certified optima."""

import math
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import LARGEST_GRAM
from mechdesign_catalog.comparisons import baselines, marginals_survey
from mechdesign_catalog.comparisons.baselines import rank_baselines
from mechdesign_catalog.comparisons.design_floor import least_share, variance_bound
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.randomizers.facts import information
from mechdesign_catalog.systems import parse_oracle
from mechdesign_catalog.systems.attributes.smp import Smp
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.tables.sampling.all_tables import Margps

USERS = 10**9


@pytest.mark.parametrize(
    ("name", "k", "epsilon"),
    [("prefixes", 16, 1), ("ranges", 13, "1/2"), ("grid:4,4", 16, 1), ("ranges:3", 8, 2), ("histogram", 9, 1)],
)
def test_best_estimates_are_no_worse_than_an_oracle_s_own(name, k, epsilon):
    workload, privacy = parse_named_workload(name, k), Privacy(epsilon=epsilon)
    places = {place.name: place for place in rank_baselines(workload, privacy)}
    own = {row.name: row for row in survey_workload(workload, privacy, USERS)}
    both = places.keys() & own.keys()
    assert {"flat:grr", "flat:ss", "hh:b=2", "haar"} <= both
    for each in both:
        assert places[each].variance <= own[each].variance * USERS * workload.count * (1 + 1e-8)
        assert places[each].bits == own[each].oracle.bits
    for each in ("flat:grr", "flat:ss"):  # all of their linear estimates are multiples of one
        assert places[each].variance == pytest.approx(own[each].variance * USERS * workload.count, rel=1e-8)
    variances = [place.variance for place in places.values()]
    assert variances == sorted(variances)


def test_marginal_tables_agree_with_the_rating_of_oracles_whose_estimates_are_the_best():
    """INPHT's signs are orthogonal: least squares have nothing to gain."""
    workload, privacy = parse_named_workload("marginals:2:2,2,2,2", 16), Privacy(epsilon=1)
    places = {place.name: place for place in rank_baselines(workload, privacy)}
    rows = marginals_survey.survey_marginals(workload, privacy, USERS)
    own = {(row.name, row.post): row.variance * USERS * workload.count for row in rows}
    assert places["inpht:k=2"].variance == pytest.approx(own["inpht:k=2", "least-squares"], rel=1e-7)
    assert places["margps:k=2"].variance <= own["margps:k=2", "least-squares"] * (1 + 1e-8)
    assert {"flat:ss", "inprr:oue:k=2", "marght:k=2"} <= set(places)
    assert not {"flat:oue", "inphtcms:k=2", "smp"} & set(places)


def test_oracles_that_do_not_tell_all_queries_are_left_out(monkeypatch):
    """Users who report one attribute each tell nothing of pairs."""
    workload, privacy = parse_named_workload("marginals:2:2,3", 6), Privacy(epsilon=1)
    monkeypatch.setattr(
        baselines, "marginal_oracles", lambda *_: [Smp((2, 3), privacy), Margps((2, 3), privacy, way=2)]
    )
    names = {place.name for place in rank_baselines(workload, privacy)}
    assert ("margps:k=2" in names, "smp" in names) == (True, False)


# certified optima of the variance for a user: prefixes at k = 8, ranges at k = 16, two-way tables of 4 bits
OPTIMA = [("prefixes", 8, 1, 23.0313679), ("ranges", 16, 1, 875.636281), ("marginals:2:2,2,2,2", 16, 1, 149.754)]


def test_no_oracle_is_better_than_the_certified_optimum():
    for name, k, epsilon, optimum in OPTIMA:
        ratios = [
            place.variance / optimum
            for place in rank_baselines(parse_named_workload(name, k), Privacy(epsilon=epsilon))
        ]
        assert 1 < ratios[0] < 1.4


def test_a_design_is_rated_as_it_rates_itself_and_no_oracle_is_better():
    for name, k in [("prefixes", 4), ("ranges:3", 5)]:
        workload, privacy = parse_named_workload(name, k), Privacy(alpha="1/3")
        design = design_workload(WorkloadProblem(workload, alpha="1/3"))
        told = WorkloadOracle.of(design.mechanism, workload).information()
        assert LinearEstimates.of(workload).least_variance(told.matrix) == pytest.approx(float(design.score), rel=1e-7)
        assert rank_baselines(workload, privacy)[0].variance > float(design.lower_bound)


def test_subset_selection_is_the_optimum_for_single_items():
    places = rank_baselines(parse_named_workload("histogram", 64), Privacy(epsilon=1))
    assert (places[0].name, round(places[0].variance, 4)) == ("flat:ss", 227.4166)


def test_hashes_that_are_not_gone_through_are_said(monkeypatch):
    monkeypatch.setattr(information, "MOST_CHANCES", 1 << 10)
    said = {place.name: place.is_exact for place in rank_baselines(Prefixes(8), Privacy(epsilon=1))}
    assert (said["flat:olh"], said["flat:ss"], said["hh:b=4:in=olh"]) == (False, True, False)


def test_too_many_items_are_refused(monkeypatch):
    monkeypatch.setattr(baselines, "MOST_ITEMS", 7)
    with refused(InputError, about="k"):
        rank_baselines(Prefixes(8), Privacy(epsilon=1))


CASES = [("hh:b=2", "prefixes", 6), ("ss", "ranges", 5), ("hh:b=3:in=ss", "ranges:3", 5), ("hrr", "histogram", 4)]


def test_no_other_linear_estimate_is_better():
    """Of all `z` with `sum_r z_r q(r, u) = w_u` the one of least `sum_r z_r^2 s'q_r`, by weighted pseudo-inverse."""
    for name, workload, k in CASES:
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
    with refused(InputError, about="k"):
        LinearEstimates.of(parse_named_workload("ranges", LARGEST_GRAM + 1))


# certified variances for a user, and how far the bound in closed form may be below them
CERTIFIED = [
    ("prefixes", 8, "1/2", 101.8822, 0.05),
    ("prefixes", 8, "1", 23.0313679, 0.06),
    ("ranges", 16, "1", 875.636281, 0.03),
    ("ranges", 16, "2", 158.6835, 0.2),
]


def test_the_bound_is_below_the_optimum_and_near_it():
    for name, k, epsilon, optimum, loose in CERTIFIED:
        workload, users = parse_named_workload(name, k), 1000
        bound = variance_bound(workload, Privacy(epsilon=epsilon), users)
        true = optimum / (users * workload.count)
        assert true * (1 - loose) < bound <= true
        assert variance_bound(workload, Privacy(epsilon=epsilon), 3 * users) == bound / 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prefixes", "ranges", "histogram"])
def test_no_oracle_is_below_the_bound(name):
    for k, epsilon in ((16, "0.25"), (16, "3"), (97, "2"), (4099, "1")):
        found = survey_workload(parse_named_workload(name, k), Privacy(epsilon=epsilon), 10**6)
        assert all(s.times_bound_interval[1] >= 1 for s in found if s.rating.error)
        times = [s.times_bound for s in found if not s.rating.error]
        assert min(times) >= 1
        assert times == sorted(times)


def test_where_there_is_no_bound():
    privacy = Privacy(epsilon=1)
    assert variance_bound(FixedRanges(129, 5), privacy, 1000) is None
    assert variance_bound(FixedRanges(8, 8), privacy, 1000) is None
    assert variance_bound(Ranges(1), privacy, 1000) is None
    assert variance_bound(FixedRanges(128, 5), privacy, 1000) > 0


SHARES = {"0.98989": 0.98, "0.99018": 0.9901, "0.99996": 0.9999, "1.2": 1.0, "0.0099": None}
"""What is told of each."""


def test_near_one_a_share_is_told_finer_and_never_rounded_up():
    bound = variance_bound(Histogram(8), Privacy(epsilon=1), 1000)
    assert [least_share(bound, float(bound / Fraction(share))) for share in SHARES] == list(SHARES.values())
    assert least_share(bound, 0.0) is least_share(None, 1.0) is None
