"""All oracles with their best linear estimates, beside their own and beside certified optima."""

import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.comparisons import marginals_survey, shelf
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.comparisons.shelf import lay_on_shelf
from mechdesign_catalog.comparisons.workload_survey import survey_workload
from mechdesign_catalog.marginals.sampling.all_tables import Margps
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.oracles import information
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle

USERS = 10**9


@pytest.mark.parametrize(
    ("name", "k", "epsilon"),
    [("prefixes", 16, 1), ("ranges", 13, "1/2"), ("grid:4,4", 16, 1), ("ranges:3", 8, 2), ("histogram", 9, 1)],
)
def test_best_estimates_are_no_worse_than_an_oracle_s_own(name, k, epsilon):
    workload, privacy = parse_named_workload(name, k), Privacy(epsilon=epsilon)
    places = {place.name: place for place in lay_on_shelf(workload, privacy)}
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
    places = {place.name: place for place in lay_on_shelf(workload, privacy)}
    rows = marginals_survey.survey_marginals(workload, privacy, USERS)
    own = {(row.name, row.post): row.variance * USERS * workload.count for row in rows}
    assert places["inpht:k=2"].variance == pytest.approx(own["inpht:k=2", "least-squares"], rel=1e-7)
    assert places["margps:k=2"].variance <= own["margps:k=2", "least-squares"] * (1 + 1e-8)
    assert {"flat:ss", "inprr:oue:k=2", "marght:k=2"} <= set(places)
    assert not {"flat:oue", "inphtcms:k=2", "smp"} & set(places)


def test_oracles_that_do_not_tell_all_queries_are_left_out(monkeypatch):
    """Users who report one attribute each tell nothing of pairs."""
    workload, privacy = parse_named_workload("marginals:2:2,3", 6), Privacy(epsilon=1)
    monkeypatch.setattr(shelf, "marginal_oracles", lambda *_: [Smp((2, 3), privacy), Margps((2, 3), privacy, way=2)])
    names = {place.name for place in lay_on_shelf(workload, privacy)}
    assert ("margps:k=2" in names, "smp" in names) == (True, False)


# certified optima of the variance for a user: prefixes at k = 8, ranges at k = 16, two-way tables of 4 bits
OPTIMA = [("prefixes", 8, 1, 23.0313679), ("ranges", 16, 1, 875.636281), ("marginals:2:2,2,2,2", 16, 1, 149.754)]


@pytest.mark.parametrize(("name", "k", "epsilon", "optimum"), OPTIMA, ids=[row[0] for row in OPTIMA])
def test_no_oracle_is_better_than_the_certified_optimum(name, k, epsilon, optimum):
    ratios = [
        place.variance / optimum for place in lay_on_shelf(parse_named_workload(name, k), Privacy(epsilon=epsilon))
    ]
    assert 1.05 < ratios[0] < 1.4


@pytest.mark.parametrize(("name", "k"), [("prefixes", 4), ("ranges:3", 5)], ids=["prefixes", "a singular workload"])
def test_a_design_is_rated_as_it_rates_itself_and_no_oracle_is_better(name, k):
    workload, privacy = parse_named_workload(name, k), Privacy(alpha="1/3")
    design = design_workload(WorkloadProblem(workload, alpha="1/3"))
    told = WorkloadOracle.of(design.mechanism, workload).information()
    assert LinearEstimates.of(workload).least_variance(told.matrix) == pytest.approx(float(design.upper), rel=1e-7)
    assert lay_on_shelf(workload, privacy)[0].variance > float(design.lower)


def test_subset_selection_is_the_optimum_for_single_items():
    places = lay_on_shelf(parse_named_workload("histogram", 64), Privacy(epsilon=1))
    assert (places[0].name, round(places[0].variance, 4)) == ("flat:ss", 227.4166)


def test_hashes_that_are_not_gone_through_are_said(monkeypatch):
    monkeypatch.setattr(information, "MOST_CHANCES", 1 << 10)
    said = {place.name: place.is_exact for place in lay_on_shelf(Prefixes(8), Privacy(epsilon=1))}
    assert (said["flat:olh"], said["flat:ss"], said["hh:b=4:in=olh"]) == (False, True, False)


def test_too_many_items_are_refused(monkeypatch):
    monkeypatch.setattr(shelf, "MOST_ITEMS", 7)
    with pytest.raises(InputError, match="k must be at most 7 for oracles with their best estimates, got k=8"):
        lay_on_shelf(Prefixes(8), Privacy(epsilon=1))
