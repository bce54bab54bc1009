"""The canonical design where it is the usual one, and what is taken elsewhere."""

import pytest
from wording import refused

from mechdesign import DesignProblem, InfeasibleError, Model, canonical, design
from mechdesign.canonical import LARGEST_CANONICAL, LARGEST_WEIGHTED, LARGEST_WORST, canonical_design
from mechdesign.errors import NotCertifiedError


def test_counts_of_few_people_have_the_canonical_design():
    for asked in ({"alpha": "3/4"}, {"epsilon": 1}, {"alpha": "3/4", "aggregate": "worst"}):
        problem = DesignProblem(8, properties="WH,CM", **asked)
        found, canonic = canonical_design(problem), design(problem.at_alpha, then="canonical")
        assert found.problem is problem
        assert (found.mechanism, found.single) == (canonic.mechanism, canonic.single)
        assert found.status == ("exact" if "alpha" in asked else "certified")


def test_where_a_bound_by_epsilon_would_be_wide_the_matrix_stays():
    problem = DesignProblem(24, epsilon="1/10", properties="RH,CH", loss="L3")
    found, canonic = canonical_design(problem), design(problem.at_alpha, then="canonical")
    assert (found.status, found.stages, found.single) == ("certified", (), None)
    assert found.mechanism == canonic.mechanism


OTHERS = [
    DesignProblem(LARGEST_CANONICAL + 1, "3/4"),
    DesignProblem(LARGEST_WEIGHTED + 1, "3/4", prior="binomial:1/2"),
    DesignProblem(LARGEST_WORST + 1, "1/2", aggregate="worst"),
    DesignProblem(14, "1/10"),
    DesignProblem(8, "1/2", prior="binomial:1/1000"),
    DesignProblem(model=Model.ldp(4), alpha="1/2"),
]


@pytest.mark.parametrize("problem", OTHERS, ids=DesignProblem.describe)
def test_others_have_the_first_that_is_found(problem):
    assert canonical_design(problem).stages == ()
    assert canonical_design(problem).mechanism == design(problem).mechanism


def test_what_is_not_certified_has_the_first_that_is_found(monkeypatch):
    def without_stages(problem, *, then=(), **others):
        if then:
            raise NotCertifiedError("not certified: no exact optimum")
        return design(problem, **others)

    monkeypatch.setattr(canonical, "design", without_stages)
    assert canonical_design(DesignProblem(4, "3/4", properties="CM")).stages == ()
    with refused(InfeasibleError):
        canonical_design(DesignProblem(4, "3/4", properties="WH:4"))
