"""Polynomials between two ends: signs beside exact roots of FLINT, and the algebra beside its arithmetic."""

from fractions import Fraction

import pytest
from flint import fmpz_poly
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mechdesign.verify.formulas.ends import End, is_before
from mechdesign.verify.formulas.polynomials import are_coprime, at, product, quotient
from mechdesign.verify.formulas.roots import coefficients_between, doubt, sign_changes
from mechdesign.verify.formulas.signs import QuickTest, Signs
from mechdesign.verify.formulas.work import Work

HALF = Fraction(1, 2)
ROOTS = [
    *(((-x.numerator, x.denominator), x, x) for x in map(Fraction, ("0", "1/5", "1/3", "1/2", "2/3", "9/10", "1"))),
    ((-1, 0, 2), Fraction(0), Fraction(1)),
    ((-1, 1, 1), HALF, Fraction(2, 3)),
    ((1, -4, 2), Fraction(1, 4), Fraction(1, 3)),
    ((1, -5, 5), Fraction(1, 4), Fraction(1, 3)),
    ((1, -5, 5), Fraction(2, 3), Fraction(3, 4)),
    ((-1, 2, 0, 1), Fraction(2, 5), HALF),
    ((-1, 24, -80, 64), Fraction(0), Fraction(1, 8)),
    ((-1, 24, -80, 64), Fraction(1, 4), HALF),
    ((-1, 24, -80, 64), Fraction(3, 4), Fraction(1)),
]
"""Ends; of the last polynomial all three roots are in (0, 1), of the one before the quadratic ones both."""

ENDS = [End(*root) for root in ROOTS]
FACTORS = [root[0] for root in ROOTS] + [(1,), (-1,), (2, 1), (1, -1, 1), (3, -9, 7), (-3, 10, -8), (100, -401, 402)]
POLYNOMIALS = st.lists(st.sampled_from(FACTORS), min_size=1, max_size=5)
ANY = st.lists(st.integers(-20, 20), min_size=1, max_size=8).map(lambda values: (*values, 1))


def made_of(factors):
    total = fmpz_poly([1])
    for factor in factors:
        total *= fmpz_poly(list(factor))
    return tuple(map(int, total.coeffs()))


def real_roots(p):
    """The real roots of a polynomial with the irreducible polynomial of each, by FLINT."""
    return [
        (float(root.real), tuple(map(int, factor.coeffs())))
        for factor, _ in fmpz_poly(list(p)).factor()[1]
        for root, _ in factor.complex_roots()
        if root.imag == 0
    ]


def is_root_at(end, root, factor):
    return factor == end.polynomial and end.low <= Fraction(root).limit_denominator(10**9) <= end.high


def where(end):
    return next(root for root, factor in real_roots(end.polynomial) if is_root_at(end, root, factor))


def is_positive_between(p, first, second):
    """Whether p is positive at every point strictly between two ends."""
    low, high = where(first), where(second)
    inside = [
        root
        for root, factor in real_roots(p)
        if low - 1e-9 < root < high + 1e-9 and not any(is_root_at(end, root, factor) for end in (first, second))
    ]
    assert all(min(abs(root - low), abs(root - high)) > 1e-9 for root in inside)
    return not inside and at(p, Fraction((low + high) / 2)) > 0


def ordered(first, second):
    assume(where(first) < where(second))
    return first, second


@given(POLYNOMIALS, st.sampled_from(ENDS), st.sampled_from(ENDS))
@example([(-1, 24, -80, 64)], ENDS[-3], ENDS[-1])
@example([(-1, 24, -80, 64), (-1, 2)], ENDS[-3], ENDS[-1])
@example([(-1, 24, -80, 64)] * 2, ENDS[-3], ENDS[-1])
@example([(1, -5, 5), (-1,)], ENDS[-6], ENDS[-5])
@example([(1, -5, 5)] * 2, ENDS[-6], ENDS[-5])
@example([(100, -401, 402)], ENDS[0], ENDS[6])
def test_signs_between_ends_are_those_of_exact_roots(factors, one, other):
    first, second = ordered(one, other)
    p = made_of(factors)
    assert Signs(first, second, Work()).is_positive(p) == is_positive_between(p, first, second)


@given(ANY, st.sampled_from(ENDS), st.sampled_from(ENDS))
def test_signs_of_any_polynomial_are_those_of_exact_roots(p, one, other):
    first, second = ordered(one, other)
    assert Signs(first, second, Work()).is_positive(p) == is_positive_between(p, first, second)


@given(POLYNOMIALS, st.sampled_from(ENDS), st.sampled_from(ENDS))
def test_signs_at_the_ends_too_are_those_of_exact_roots(factors, one, other):
    first, second = ordered(one, other)
    p = made_of(factors)
    vanishes = any(is_root_at(end, root, factor) for end in (first, second) for root, factor in real_roots(p))
    truth = is_positive_between(p, first, second) and not vanishes
    assert Signs(first, second, Work()).is_positive_at_ends_too(p) == truth


@pytest.mark.parametrize("p", [(), (0, 0, 1), (0, -1)])
def test_zero_is_not_positive_and_powers_of_alpha_are(p):
    signs = Signs(ENDS[0], ENDS[6], Work())
    assert signs.is_positive(p) == (p == (0, 0, 1))
    assert signs.is_never_negative(p) == (p != (0, -1))


def test_ends_are_in_the_order_of_their_numbers():
    for first in ENDS:
        for second in ENDS:
            assert is_before(first, second, Work()) == (where(first) < where(second) - 1e-9)


@pytest.mark.parametrize(
    ("p", "is_positive"),
    [
        ((1, -4, 4), False),
        ((1, -8, 16), False),
        ((1, -6, 9), False),
        ((2, -6, 5), True),
        ((100, -401, 402), False),
        ((100, -401, 403), True),
        ((1000001, -4000000, 4000000), True),
        ((1,), True),
        ((-1,), False),
        ((0, 1), True),
        ((1, -1), True),
        ((0, 1, -1), True),
        ((), False),
    ],
)
def test_doubt_is_left_where_a_polynomial_is_not_positive_between_0_and_1(p, is_positive):
    point = doubt(p, Fraction(0), Fraction(1), Work()) if p else HALF
    assert (point is None) == is_positive
    assert Signs(ENDS[0], ENDS[6], Work()).is_positive(p) == is_positive


@given(st.sampled_from(ENDS), st.integers(0, 12))
def test_an_end_is_within_its_enclosures(end, level):
    low, high = end.enclosure(level, Work())
    if end.is_rational:
        assert low == high == end.low
    else:
        assert high - low == Fraction(1, 2 ** (16 * (level + 1)))
        assert at(end.polynomial, low) * at(end.polynomial, high) < 0
        assert low < Fraction(where(end)) + Fraction(1, 10**12)
        assert Fraction(where(end)) - Fraction(1, 10**12) < high


FRACTIONS = st.fractions(0, 1, max_denominator=50)


@given(ANY, FRACTIONS, FRACTIONS)
def test_coefficients_between_are_those_of_the_substitution(p, one, other):
    """At x = 2, where `(low + 2 high) / 3` is what p is asked at, with the sign kept."""
    assume(one != other)
    low, high = sorted((one, other))
    values = coefficients_between(p, low, high, Work())
    here = sum(value * 2**k for k, value in enumerate(reversed(values)))
    exact = sum(value * ((low + 2 * high) / 3) ** k for k, value in enumerate(p)) * 3 ** (len(p) - 1)
    assert here == exact * (low.denominator * high.denominator) ** (len(p) - 1)


@given(ANY, FRACTIONS, FRACTIONS)
def test_sign_changes_bound_the_number_of_roots(p, one, other):
    assume(one != other)
    low, high = sorted((one, other))
    found = fmpz_poly(list(p)).factor()[1]
    many = sum(
        times
        for factor, times in found
        for root, _ in factor.complex_roots()
        if root.imag == 0 and float(low) + 1e-12 < float(root.real) < float(high) - 1e-12
    )
    changes = sign_changes(p, low, high, Work())
    assert changes >= many
    assert (changes - many) % 2 == 0
    point = doubt(p, low, high, Work())
    if many == 0:
        assert (point is None) == (at(p, (low + high) / 2) > 0)
    else:
        assert low <= point <= high


@given(ANY, FRACTIONS, FRACTIONS)
def test_the_quick_test_shows_nothing_that_is_not_so(p, one, other):
    low, high = sorted((one, other))
    if QuickTest(low, high).is_positive(p):
        assert all(at(p, low + (high - low) * Fraction(k, 64)) > 0 for k in range(65))
        assert not [root for root, _ in real_roots(p) if float(low) <= root <= float(high)]


@pytest.mark.parametrize("p", [(-1, 3), (1, -3), (-1, 0, 9), (1, 0, -9), (-1, 0, 0, 27), (1, 0, 0, -27)])
def test_the_quick_test_rounds_powers_against_what_it_shows(p):
    third = Fraction(1, 3)
    assert not QuickTest(third, third).is_positive(p)
    assert QuickTest(third, third).is_positive((p[0] * 2**99 + 1, *(value * 2**99 for value in p[1:])))


@given(ANY, ANY, ANY)
def test_products_and_quotients_are_those_of_flint(p, q, r):
    whole = product(p, q)
    assert fmpz_poly(whole) == fmpz_poly(list(p)) * fmpz_poly(list(q))
    assert quotient(whole, q) == list(p)
    divides = fmpz_poly(list(r)) % fmpz_poly(list(q)) == 0
    assert (quotient(r, q) is not None) == divides


@given(POLYNOMIALS, POLYNOMIALS, st.integers(1, 3))
def test_common_factors_are_those_of_flint(one, other, factor):
    p, q = (tuple(factor * value for value in made_of(factors)) for factors in (one, other))
    common = fmpz_poly(list(p)).gcd(fmpz_poly(list(q)))
    assert are_coprime(p, q) == (common == 1)


def test_products_with_zero_are_zero():
    assert product((), (1, 2)) == product((1, 2), ()) == []
    assert product((), ()) == []


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_root_next_to_an_end_is_seen(mirrored):
    """The polynomial of one end has a root next to the other one, within the first enclosure of that."""
    unit, r, s = 10**12, 707106781187, 9 * 10**11
    q = (r * s + 1, -unit * (r + s), unit**2)  # its roots are near r/unit, above that of 2a^2 - 1, and near 9/10
    ends = End((-1, 0, 2), HALF, Fraction(3, 4)), End(q, Fraction(4, 5), Fraction(1))
    if mirrored:  # a is 1 - a
        q = tuple(int(value) for value in fmpz_poly(list(q))(fmpz_poly([1, -1])).coeffs())
        ends = End(q, Fraction(0), Fraction(1, 5)), End((1, -4, 2), Fraction(1, 4), HALF)
    first, second = ends
    own = second if mirrored else first
    assert not [
        defect
        for end, x in ((first, where(first)), (second, where(second)))
        for defect in end.defects(Fraction(x), Work())
    ]
    low, high = own.enclosure(0, Work())
    assert at(q, low) * at(q, high) < 0
    assert at(q, Fraction(where(first) + where(second)) / 2) < 0
    assert not Signs(first, second, Work()).is_positive(tuple(-value for value in q))


def test_zero_has_a_common_factor_with_all_but_units():
    assert are_coprime((), (1,))
    assert not are_coprime((), (2,))
    assert not are_coprime((), (1, 1))


@pytest.mark.parametrize(
    ("polynomial", "low", "high", "value", "is_one"),
    [
        ((-1, 0, 2), "1/2", "3/4", "0.70710678118", True),
        ((-1, 0, 2), "1/2", "3/4", "0.707107", False),
        ((-1, 0, 2), "1/4", "1/2", "0.70710678118", False),
        ((1, -5, 5), "1/4", "3/4", "0.27639320225", False),
        ((-1, 24, -80, 64), "0", "1", "0.388739533", False),
        ((1, -4, 4), "1/4", "3/4", "0.5", False),
        ((-1, 2, -1, 2), "1/4", "3/4", "0.5", None),
        ((-1, 3), "1/3", "1/3", "0.3333333333", True),
        ((-1, 3), "1/3", "1/3", "0.33333", False),
        ((-1, 2), "1/3", "1/3", "0.3333333333", False),
    ],
)
def test_an_end_is_one_root_near_its_value(polynomial, low, high, value, is_one):
    """None stands for a root at which bisection ends: its polynomial is not irreducible."""
    defects = End(polynomial, Fraction(low), Fraction(high)).defects(Fraction(value), Work())
    if is_one is None:
        with pytest.raises(ValueError, match="not irreducible"):
            list(defects)
    else:
        assert (not list(defects)) == is_one


def test_ends_that_are_too_near_have_nothing_between():
    with pytest.raises(ValueError, match="too near"):
        Signs(ENDS[3], ENDS[3], Work())
