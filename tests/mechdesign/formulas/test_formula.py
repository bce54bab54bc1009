"""Formulas against exact designs at single alphas, against closed forms, and against what they promise themselves."""

import itertools
from fractions import Fraction

import pytest
from formula_cases import PROBLEMS, alphas_of, facts_of_items, facts_of_l0, facts_without_properties, score_of
from wording import refused

import mechdesign as md

FEW = 6


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_formula_is_the_score_of_exact_designs(name):
    found = md.formula(**PROBLEMS[name])
    assert found.is_complete
    for alpha in alphas_of(found, FEW, seed=len(name)):
        problem = found.problem.at(alpha)
        expected = score_of(problem)
        if expected is None:
            with pytest.raises(md.InfeasibleError):
                found.score(alpha)
            continue
        assert found.score(alpha) == expected
        mechanism = found.mechanism(alpha)
        audited = md.audit(mechanism, alpha=alpha, model=problem.model, properties=problem.properties)
        assert all(claim.true for claim in audited.claims)


@pytest.mark.parametrize("name", ["monotone", "too honest", "worst", "lldp L1"])
def test_neighbours_share_an_end_and_differ_in_score(name):
    found = md.formula(**PROBLEMS[name])
    pieces = found.pieces
    assert (pieces[0].start.exact, pieces[-1].end.exact) == (0, 1)
    for before, after in itertools.pairwise(pieces):
        assert before.end == after.start
        assert before.score != after.score
    for piece in pieces:
        ends = [(part.start, part.end) for part in piece.parts]
        assert (ends[0][0], ends[-1][1]) == (piece.start, piece.end)
        assert all(before[1] == after[0] for before, after in itertools.pairwise(ends))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
def test_closed_forms_of_l0(n):
    assert untrue(facts_of_l0(n)) == []


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("power", [1, 2])
def test_first_and_last_piece_without_properties(n, power):
    assert untrue(facts_without_properties(n, power)) == []
    if n % 2 == 0:
        found = md.formula(n=n, loss=f"L{power}")
        beyond = (found.pieces[-1].start.between[1] + 1) / 2
        assert found.mechanism(beyond).weights == tuple((int(i == n // 2),) * (n + 1) for i in range(n + 1))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_where_randomised_response_is_best(k):
    assert untrue(facts_of_items(k)) == []
    found = md.formula(model=md.Model.ldp(k), loss="L1")
    alpha = found.pieces[0].end.between[0] / 2
    assert found.mechanism(alpha).fraction(0, 0) == 1 / (1 + (k - 1) * alpha)


def untrue(facts):
    return [name for name, is_true in facts if not is_true]


def test_a_range_without_a_mechanism():
    found = md.formula(n=6, properties="WH:3/2")
    assert [piece.score is None for piece in found.pieces] == [False, False, True]
    end = found.pieces[1].end
    low, high = end.between
    assert found.score(low) > found.score(low / 2)
    with refused(md.InfeasibleError):
        found.score(high)
    at_a_rational_end = md.formula(n=1, properties="WH:4/3")
    assert at_a_rational_end.pieces[0].end.exact == Fraction(1, 2)
    assert at_a_rational_end.score("1/2") == Fraction(2, 3)
    assert at_a_rational_end.mechanism("1/2").fraction(0, 0) == Fraction(2, 3)


def test_both_matrices_serve_at_a_shared_end():
    found = md.formula(n=4, properties="WH,CM")
    for piece in found.pieces[:-1]:
        if piece.end.exact is not None:
            assert found.score(piece.end.exact) == score_of(found.problem.at(piece.end.exact))
            mechanism = found.mechanism(piece.end.exact)
            assert all(claim.true for claim in md.audit(mechanism, alpha=piece.end.exact, properties="CM").claims)


REFUSED = {
    "alpha": {"n": 4, "alpha": "0.9"},
    "epsilon": {"n": 4, "epsilon": 1},
    "size": {"n": 64},
    "items": {"model": md.Model.ldp(65)},
    "fractions": {"model": md.Model.metric([[0, "1/2"], ["1/2", 0]])},
    "aggregate": {"n": 4, "aggregate": "median"},
}
ABOUT = {"size": "n", "items": "k", "fractions": "distances"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_formula_serves(name):
    with refused(md.InputError, about=ABOUT.get(name, name)):
        md.formula(**REFUSED[name])


def test_one_problem_is_asked():
    asked = md.formula(n=1).problem
    assert md.formula(asked) == md.formula(n=1)
    with refused(md.InputError, about="problem"):
        md.formula(asked, n=1)
    with refused(md.InputError, about="problem"):
        md.formula()


@pytest.mark.parametrize("alpha", [0, 1, "1.5", "x"])
def test_an_alpha_outside(alpha):
    with refused(md.InputError, about="alpha"):
        md.formula(n=1).score(alpha)


def test_a_formula_says_what_it_is():
    found = md.formula(n=8, properties="WH,CM")
    assert str(found).splitlines()[1].split("    ")[-1].strip() == "(14a^2 + 3a - 1) / (8a(a + 1))"
    assert str(found).splitlines()[2].startswith("2/3 .. 0.693000 (4a^2 + 3a - 4) ")
    assert repr(found).startswith("<Formula: n = 8, every alpha, WH, CM, loss L0")
    assert "(11a - 3) / (8a)" in found._repr_html_()
    assert r"\frac{11\alpha - 3}{8\alpha} & \tfrac{2}{3} \le \alpha \le 0.693000" in found.latex()


def test_sympy_has_the_same_function():
    sympy = pytest.importorskip("sympy")
    found = md.formula(n=6, properties="WH:3/2")
    expression = found.to_sympy()
    (alpha,) = expression.free_symbols
    for at in ("1/3", "7/10", "77/100"):
        value = expression.subs(alpha, sympy.Rational(at))
        assert Fraction(int(value.p), int(value.q)) == found.score(at)
    assert expression.subs(alpha, sympy.Rational(9, 10)) is sympy.nan
