"""Algebra over the polynomials in alpha: roots against known ones, systems against FLINT's at one point, texts."""

from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat, fmpz_poly
from hypothesis import assume, given
from hypothesis import strategies as st

from mechdesign.formulas.elimination import solve
from mechdesign.formulas.ends import end_at
from mechdesign.formulas.interval import interval_around
from mechdesign.formulas.pieces import RationalFunction
from mechdesign.formulas.polynomials import coefficients, evaluate, lowest_terms
from mechdesign.formulas.roots import Roots, variations
from mechdesign.formulas.texts import function_text
from mechdesign.program.exact.forest import SingularBasisError
from mechdesign.program.exact.numbers import to_fraction

FRACTIONS = st.fractions(min_value=Fraction(1, 40), max_value=Fraction(39, 40), max_denominator=40)
WHOLE = st.integers(-6, 6)
POLYNOMIALS = st.lists(WHOLE, max_size=4).map(fmpz_poly)


def factor_of(root: Fraction):
    return fmpz_poly([-root.numerator, root.denominator])


def is_square(number: int) -> bool:
    return round(number**0.5) ** 2 == number


@given(st.dictionaries(FRACTIONS, st.integers(1, 3), max_size=4), st.integers(2, 30))
def test_roots_are_those_that_were_put_in(orders, under):
    assume(not is_square(under))
    product = fmpz_poly([-1, 0, under])  # 1/sqrt(under), irrational
    for root, order in orders.items():
        product *= factor_of(root) ** order
    roots = Roots()
    found = roots.inside(coefficients(product * fmpz_poly([3, 0, 1])))
    rational = sorted(to_fraction(root.low) for root in found if root.is_rational)
    assert rational == sorted(orders)
    (other,) = [end_at(root) for root in found if not root.is_rational]
    low, high = other.between
    assert low**2 * under < 1 < high**2 * under
    assert float(other) == pytest.approx(under**-0.5, abs=1e-9)
    again = roots.inside(coefficients(-product))
    assert {id(root) for root in again} == {id(root) for root in found}


@given(st.sets(FRACTIONS, max_size=6), FRACTIONS)
def test_an_interval_ends_at_the_nearest_roots(roots, sample):
    assume(sample not in roots)
    signs = [factor_of(root) if root < sample else -factor_of(root) for root in roots]
    low, high = interval_around(fmpq(sample.numerator, sample.denominator), signs, Roots())
    assert to_fraction(low.low) == max((root for root in roots if root < sample), default=0)
    assert to_fraction(high.high) == min((root for root in roots if root > sample), default=1)


@given(FRACTIONS)
def test_an_even_root_ends_an_interval(root):
    sample = fmpq(root.numerator, root.denominator) / 2
    square = factor_of(root) ** 2
    assert to_fraction(interval_around(sample, [square], Roots())[1].low) == root
    assert interval_around(sample, [square, -square], Roots()) is None


@given(st.lists(FRACTIONS, max_size=5), FRACTIONS, FRACTIONS)
def test_no_change_of_sign_is_no_root(roots, one, other):
    low, high = sorted((one, other))
    assume(low < high)
    product = fmpz_poly([1])
    for root in roots:
        product *= factor_of(root)
    ends = [fmpq(end.numerator, end.denominator) for end in (low, high)]
    inside = sum(low < root < high for root in roots)
    changes = variations(product, *ends)
    assert changes >= inside
    assert (changes - inside) % 2 == 0


@given(
    st.integers(1, 4).flatmap(
        lambda m: st.lists(st.lists(POLYNOMIALS, min_size=m + 1, max_size=m + 1), min_size=m, max_size=m)
    )
)
def test_a_system_is_solved_at_every_alpha(rows):
    matrix, right = [row[:-1] for row in rows], [row[-1] for row in rows]
    at = fmpq(101, 7)
    there = fmpq_mat([[entry(at) for entry in row] for row in matrix])
    try:
        values, determinant = solve(matrix, right)
    except SingularBasisError:
        assert there.det() == 0
        return
    assume(there.det() != 0)
    assert abs(determinant(at)) == abs(there.det())
    expected = there.solve(fmpq_mat([[side(at)] for side in right])).entries()
    assert [value(at) / determinant(at) for value in values] == list(expected)


def test_lowest_terms_are_positive_where_they_are_asked_to_be():
    top, bottom = fmpz_poly([0, -6, 6]), fmpz_poly([-4, 4])
    (top,), bottom = lowest_terms([top], bottom, fmpq(1, 2))
    assert (coefficients(top), coefficients(bottom)) == ((0, 3), (2,))


TEXTS = {
    ((0, 2), (1, 1)): "2a / (a + 1)",
    ((-3, 11), (0, 8)): "(11a - 3) / (8a)",
    ((6,), (5,)): "6 / 5",
    ((0, 0, 1), (0, 1)): "a^2 / a",
    ((), (1,)): "0",
    ((1, 2, 1), (1,)): "(a + 1)^2",
    ((1, -1), (-1, 0, 3)): "-(a - 1) / (3a^2 - 1)",
    ((1, 12, -3), (4, 6, -2)): "(3a^2 - 12a - 1) / (2(a^2 - 3a - 2))",
    ((1, 1), (3, -1)): "-(a + 1) / (a - 3)",
}


@pytest.mark.parametrize("values", TEXTS)
def test_functions_are_written_factored(values):
    assert function_text(RationalFunction(*values)) == TEXTS[values]


@given(st.lists(WHOLE, max_size=6), FRACTIONS)
def test_values_are_exact(values, at):
    assert evaluate(values, at) == sum((value * at**power for power, value in enumerate(values)), Fraction(0))
