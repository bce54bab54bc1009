"""The best mechanism with honest columns: the kernel accepts it wherever the theorem speaks, LPs agree."""

from fractions import Fraction

import pytest
from cases import WM, require_certified
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign import DesignProblem, Prior, design
from mechdesign.methods.closed_forms.honest_columns import (
    honest_columns,
    honest_columns_proof,
    honest_columns_score,
    is_in_range,
)
from mechdesign.methods.closed_forms.theorems import theorems

NAME = "honest columns"
SETS = ("WH,RM,RH,CH,CM,S", "CH", "CM")
ALPHAS = [
    Fraction(text)
    for text in (
        *("1/2", "3/5", "2/3", "7/10", "3/4", "4/5", "5/6", "6/7", "9/10", "10/11", "19/20", "20/21", "99/100"),
        "999/1000",
    )
]


def cases(sizes):
    """Each of these n with every alpha in range, and the least alpha in range."""
    for n in sizes:
        least = Fraction(n // 2, n // 2 + 1)
        for alpha in dict.fromkeys([least, *ALPHAS]):
            if is_in_range(n, alpha):
                yield n, alpha


def require_theorem(n, alpha, properties):
    problem = DesignProblem(n, alpha, properties=properties)
    result = design(problem, method="closed-form")
    assert (result.status, result.how) == ("exact", f"closed form: {NAME}")
    assert result.score == result.lower_bound == honest_columns_score(n, alpha)
    assert set(result.holds) >= {"WH", "RH", "RM", "CH", "CM", "S"}
    return result


@pytest.mark.parametrize("properties", SETS)
def test_the_kernel_accepts_mechanism_and_proof(properties):
    found = [require_theorem(n, alpha, properties) for n, alpha in cases(range(2, 13))]
    assert len(found) == 113


@pytest.mark.slow
@pytest.mark.parametrize("properties", SETS)
def test_and_so_it_does_for_larger_groups(properties):
    found = [require_theorem(n, alpha, properties) for n, alpha in cases(range(13, 41, 3))]
    assert len(found) == 53


@pytest.mark.parametrize(
    ("n", "alpha", "score"),
    [
        (2, "1/2", Fraction(2, 3)),  # GM there
        (4, "9/10", Fraction(391, 405)),
        (8, "9/10", Fraction(114025, 118098)),
        (8, "10/11", Fraction(348949, 360000)),
        (12, "10/11", Fraction(25170943, 26000000)),
    ],
)
def test_known_scores(n, alpha, score):
    assert require_theorem(n, Fraction(alpha), WM).score == score


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.integers(1, 11),
    st.fractions(Fraction(1, 3), Fraction(49, 50), max_denominator=50),
    st.sampled_from(["CH", "CM", WM, "CH,S", "CM,FE", "WH:9/10,CH", "RH,CM"]),
)
def test_the_range_is_that_of_the_formula(n, alpha, properties):
    """LPs agree inside, and score more than the formula outside; no method needs to know."""
    problem = DesignProblem(n, alpha, properties=properties)
    by_program = design(problem, method="symmetric")
    require_certified(design(problem))
    if is_in_range(n, alpha):
        assert by_program.score == design(problem).score == honest_columns_score(n, alpha)
    else:
        assert by_program.lower_bound > honest_columns_score(n, alpha)
        assert NAME not in [theorem.name for theorem in theorems(problem)]


@pytest.mark.parametrize(("n", "alpha"), [(2, "1/2"), (3, "1/2"), (4, "2/3"), (5, "2/3"), (8, "4/5"), (9, "4/5")])
def test_both_ends_of_the_range(n, alpha):
    alpha = Fraction(alpha)
    require_theorem(n, alpha, "CH")
    assert not is_in_range(n, alpha - Fraction(1, 10**9))
    below = design(DesignProblem(n, alpha - Fraction(1, 10**9), properties="CH"))
    assert below.status == "exact"
    assert below.how != f"closed form: {NAME}"


@pytest.mark.parametrize(
    "change",
    [
        {"properties": "WH,RM"},
        {"properties": "CM,F"},
        {"properties": "CM,OS:1/2"},
        {"properties": "CM,WH:11/10"},
        {"loss": "L1"},
        {"loss": "L0:1"},
        {"prior": "binomial:1/3"},
        {"aggregate": "worst"},
        {"alpha": "4/5", "n": 10},
    ],
)
def test_it_is_not_proposed_beside_its_range(change):
    problem = DesignProblem(**{"n": 6, "alpha": "9/10", "properties": "CM", **change})
    assert NAME not in [theorem.name for theorem in theorems(problem)]
    require_certified(design(problem))


def test_a_prior_from_a_file_may_be_uniform():
    prior = Prior.from_weights([Fraction(1, 5)] * 5)
    assert design(DesignProblem(4, "9/10", properties="CM", prior=prior)).score == Fraction(391, 405)


def test_integers_stay_short():
    mechanism = honest_columns(64, Fraction(99, 100))
    assert mechanism.denominator.bit_length() < 440
    proof = honest_columns_proof(64, Fraction(99, 100), "CM")
    assert (len(proof["rows"]), len(proof["prices"])) == (64, 65)


@pytest.mark.slow
def test_a_group_of_256():
    """Every entry is a number of thousands of bits, and nearly all the time is the kernel's."""
    result = require_theorem(256, Fraction(999, 1000), WM)
    assert result.seconds.solve == 0
