import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError
from mechdesign.rational import (
    MAX_DIGITS,
    as_rational,
    can_be_read_back,
    fraction_from_text,
    fraction_text,
    integer_from_text,
    integer_text,
    natural_log,
    number_text,
    simplest_between,
)


@pytest.mark.parametrize("value", ["0.9", "9/10", " .9 ", 0.9, Fraction(9, 10), "90e-2", "+0.90"])
def test_a_decimal_is_the_fraction_that_a_person_meant(value):
    assert as_rational(value, "alpha") == Fraction(9, 10)


@pytest.mark.parametrize(
    "value", ["", "nan", "inf", "1/0", "0x1", "1_0", "1/2/3", "\u0663", None, True, [1], "1e9999", math.inf]
)
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(InputError):
        as_rational(value, "alpha")


@pytest.mark.parametrize(("text", "point"), [("0,5", "0.5"), (",1", ".1"), ("1,5e-1", "1.5e-1")])
def test_a_decimal_comma_is_answered_with_the_point(text, point):
    with pytest.raises(InputError, match=f"^alpha must be written with a point, as {point}, got alpha={text}$"):
        as_rational(text, "alpha")


@given(st.fractions(min_value=0, max_value=5), st.fractions(min_value=0, max_value=5))
def test_simplest_between_is_inside_and_simplest(a, b):
    low, high = min(a, b), max(a, b)
    found = simplest_between(low, high)
    assert low <= found <= high
    for d in range(1, min(found.denominator, 60)):
        assert math.floor(high * d) < math.ceil(low * d)


@given(st.integers(-(10**50), 10**50), st.integers(1, 10**50))
def test_fractions_survive_their_text(top, bottom):
    assert fraction_from_text(fraction_text(Fraction(top, bottom)), "x") == Fraction(top, bottom)


def test_integers_longer_than_python_reads_by_itself():
    value = 7**9000
    assert integer_from_text(fraction_text(Fraction(value)), "x") == value
    with refused(InputError):
        integer_from_text("1" * (MAX_DIGITS + 1), "x")


@pytest.mark.parametrize("sign", [1, -1])
def test_what_can_be_read_back_is_what_is_read(sign):
    room = MAX_DIGITS - (sign < 0)
    longest, longer = sign * (10**room - 1), sign * 10**room
    assert can_be_read_back(longest)
    assert integer_from_text(integer_text(longest), "x") == longest
    assert not can_be_read_back(longer)
    with refused(InputError):
        integer_from_text(integer_text(longer), "x")
    assert not can_be_read_back(sign << 5 * MAX_DIGITS)


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(10**6)))
def test_natural_log(value):
    assert natural_log(value) == pytest.approx(math.log(value), abs=1e-12)


def test_natural_log_beside_one_keeps_its_digits():
    assert natural_log(1 + Fraction(1, 10**20)) == pytest.approx(1e-20, rel=1e-12)


def test_one_rule_writes_alpha_whoever_typed_it():
    texts = {"9/10": "0.9", "0.90": "0.9", "10/11": "10/11", "1e-5": "1e-05", "0.123456789012": "0.123456789012"}
    for typed, written in texts.items():
        value = as_rational(typed, "alpha")
        assert number_text(value) == written
        assert as_rational(written, "alpha") == value
    assert number_text(Fraction(10**40 + 1, 3 * 10**40)) == "about 0.333333333333"
