"""Closed forms with their proofs, against LPs that know nothing of them."""

import itertools
from fractions import Fraction

import pytest
from cases import SKEWED, require_certified
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Loss, Model, Prior, derive, design
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair_score
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.methods.closed_forms.theorems import theorems
from mechdesign.problem.properties import LATTICE, closure


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("alpha", [Fraction(1, 3), Fraction(9, 10)])
def test_the_explicit_fair_mechanism_is_minimax_for_every_property_set(n, alpha):
    subsets = {closure(s) for k in range(8) for s in itertools.combinations(LATTICE, k)}
    for properties in subsets:
        result = design(DesignProblem(n, alpha, properties=properties, aggregate="worst"))
        require_certified(result)
        assert result.method == "closed-form"
        assert result.score == result.lower_bound == explicit_fair_score(n, alpha)
    for properties in ("none", "WH,RM", "CM", "all"):
        problem = DesignProblem(n, alpha, properties=properties, aggregate="worst")
        assert design(problem, method="full").score == explicit_fair_score(n, alpha)


@pytest.mark.parametrize("prior", ["uniform", "binomial:1/3", SKEWED])
@pytest.mark.parametrize("properties", ["F", "F,S", "F,RM,CM", "all"])
def test_fairness_under_any_prior(prior, properties):
    problem = DesignProblem(4, "9/10", properties=properties, prior=prior)
    result = design(problem, method="closed-form")
    require_certified(result)
    assert result.score == explicit_fair_score(4, Fraction(9, 10)) == design(problem, method="full").score
    local = DesignProblem(model=Model.ldp(5), alpha="9/10", properties=properties, prior=prior)
    assert design(local, method="closed-form").score == design(local, method="full").score


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.integers(1, 9),
    st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    st.sampled_from(["L0", "L1", "L2", "L0:1", "L1:2", "L3"]),
    st.sampled_from(["none", "S"]),
    st.data(),
)
def test_the_best_remap_of_gm_is_optimal_for_any_prior(n, alpha, loss, properties, data):
    """Ghosh, Roughgarden, Sundararajan, theorem 3.2; S too, at the averaged cost."""
    weights = data.draw(st.lists(st.integers(0, 9), min_size=n + 1, max_size=n + 1))
    prior = Prior.from_weights([Fraction(w + (j == 0), sum(weights) + 1) for j, w in enumerate(weights)])
    problem = DesignProblem(n, alpha, loss=loss, prior=prior, properties=properties)
    result = design(problem, method="closed-form")
    require_certified(result)
    assert result.status == "exact"
    assert result.score == design(problem, method="full").score
    assert derive(result.mechanism, alpha).derivable


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=5), st.sampled_from(["1/3", "9/10"]), st.sampled_from(["L0", "L1"])
)
def test_and_on_a_path_of_unequal_steps(steps, alpha, loss):
    places = [sum(steps[:j]) for j in range(len(steps) + 1)]
    model = Model.metric([[abs(a - b) for b in places] for a in places])
    problem = DesignProblem(model=model, alpha=alpha, loss=loss)
    result = design(problem)
    require_certified(result)
    assert result.score == design(problem, method="full").score


def test_a_loss_outside_the_theorem_is_left_to_others():
    """A loss that likes errors: whether the prices of GM's remap are a proof, the kernel says."""
    loss = Loss.from_matrix([[0, 2, 2, 0], [2, 1, 2, 3], [0, 3, 2, 1], [2, 1, 1, 1]])
    problem = DesignProblem(3, "1/2", loss=loss)
    assert [theorem.name for theorem in theorems(problem)] == ["geometric mechanism, remapped"]
    result = design(problem)
    require_certified(result)
    assert result.method == "full"
    assert result.score == design(problem, method="full").score == Fraction(11, 12)
    with refused(InputError):
        design(problem, method="closed-form")


def test_a_short_proof_travels_with_a_closed_form():
    result = design(DesignProblem(60, "9/10", loss="L2"))
    assert (result.certificate["rows"], len(result.certificate["prices"])) == ((), 61)


@pytest.mark.parametrize("aggregate", ["expected", "worst"])
@pytest.mark.parametrize("model", [Model.count(5), Model.ldp(4), Model.lldp(5, 2)], ids=Model.describe)
def test_full_smoothness_leaves_the_uniform_mechanism(model, aggregate):
    problem = DesignProblem(model=model, alpha="1/2", properties="OS:1", loss="L2", aggregate=aggregate)
    result = design(problem)
    require_certified(result)
    size = problem.size
    assert result.mechanism.weights == ((1,) * size,) * size
    assert result.score == design(problem, method="full").score


def test_smoothness_costs_more_and_more():
    scores = [design(DesignProblem(5, "1/2", properties=f"OS:{k}/10")).score for k in range(1, 11)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (design(DesignProblem(5, "1/2")).score, 1)


@pytest.mark.parametrize(
    ("ratio", "is_best"), [("1", True), ("9/10", True), ("4/5", True), ("79/100", False), ("5/4", True)]
)
@pytest.mark.parametrize("n", [2, 5, 12])
def test_gm_is_optimal_for_geometric_priors_that_fall_no_faster_than_alpha(ratio, is_best, n):
    weights = [Fraction(ratio) ** j for j in range(n + 1)]
    prior = Prior.from_weights([weight / sum(weights) for weight in weights])
    best = design(DesignProblem(n, "4/5", prior=prior))
    gm = geometric(n, Fraction(4, 5))
    loss = 1 - sum(weight * gm.fraction(j, j) for j, weight in enumerate(weights)) / sum(weights)
    assert (best.score == loss * Fraction(n + 1, n)) == is_best
    assert best.status == "exact"


@pytest.mark.parametrize("alpha", ["9/10", "1/3", "10/11"])
def test_gm_of_many_people_holds_each_long_number_once(alpha):
    """Of (n+1)^2 entries 2 (n+1) at most differ; copies of each took 5 GB at n = 2201."""
    n = 60
    weights = [weight for row in geometric(n, Fraction(alpha)).weights for weight in row]
    assert len({id(weight) for weight in weights}) <= 2 * (n + 1) < len(weights)
