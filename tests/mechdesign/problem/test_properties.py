import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import verify
from mechdesign.errors import InputError
from mechdesign.problem.properties import (
    PROPERTIES,
    closure,
    find_property,
    holding,
    ordered,
    parse_properties,
    smoothness,
    without_implied,
)

SUBSETS = [frozenset(s) for k in range(8) for s in itertools.combinations(PROPERTIES, k)]

square = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=k, max_size=k)
)


def literally(name, w, denominator):
    """Each property spelled out entry by entry, as the paper words it."""
    n = len(w) - 1
    every = range(n + 1)
    return {
        "RH": all(w[i][i] >= w[i][j] for i in every for j in every),
        "RM": all(w[i][j] >= w[i][k] for i in every for j in every for k in every if i <= j <= k or k <= j <= i),
        "CH": all(w[j][j] >= w[i][j] for i in every for j in every),
        "CM": all(w[i][j] >= w[k][j] for j in every for i in every for k in every if j <= i <= k or k <= i <= j),
        "F": len({w[i][i] for i in every}) == 1,
        "WH": all(w[i][i] * (n + 1) >= denominator for i in every),
        "S": all(w[i][j] == w[n - i][n - j] for i in every for j in every),
    }[name]


@given(square, st.integers(1, 12))
def test_properties_and_kernel_say_what_the_words_say(w, denominator):
    for name, prop in PROPERTIES.items():
        expected = literally(name, w, denominator)
        assert prop.holds(w, denominator) == expected
        assert (not list(verify._property_defects(name, w, denominator))) == expected


@given(square, st.integers(1, 12))
def test_what_holds_is_closed_under_implication_for_column_stochastic_matrices(w, denominator):
    sums = {sum(column) for column in zip(*w, strict=True)}
    if len(sums) == 1 and sums != {0}:
        held = set(holding(w, sums.pop()))
        assert closure(held) == held


def test_the_closed_subsets():
    without_s = {closure(s) for s in SUBSETS if "S" not in s}
    assert len(without_s) == 18


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda s: "+".join(ordered(s)) or "none")
def test_dropping_implied_properties_loses_nothing(subset):
    kept = without_implied(subset)
    assert kept <= subset
    assert closure(kept) == closure(subset)
    assert all(name not in closure(kept - {name}) for name in kept)


def test_parsing():
    assert parse_properties("wh, CM") == {"WH", "CM"}
    assert parse_properties("none") == parse_properties("") == parse_properties(()) == frozenset()
    assert parse_properties("all") == set(PROPERTIES)
    with pytest.raises(InputError, match="among WH, RH, RM, CH, CM, F, S"):
        parse_properties("WH,XY")
    with pytest.raises(InputError, match="an empty name"):
        parse_properties("WH,,CM")


def test_output_smoothness():
    assert parse_properties("wh,os:0.9") == {"WH", "OS:9/10"}
    assert parse_properties(["OS:7/10", "OS:0.5"]) == {"OS:7/10"}  # the larger beta implies the smaller
    assert parse_properties("OS:0.5,OS:0.7,all") == {*PROPERTIES, "OS:7/10"}
    assert smoothness({"WH", "OS:9/10"}) == Fraction(9, 10)
    assert smoothness({"WH"}) is None
    assert ordered({"OS:1/2", "S", "WH"}) == ("WH", "S", "OS:1/2")
    assert closure({"OS:1"}) == {*PROPERTIES, "OS:1"}
    assert without_implied({"OS:1", "WH", "F"}) == {"OS:1"}
    assert closure({"OS:1/2"}) == {"OS:1/2"}
    for word in ("OS:0", "OS:1.01", "OS:-1", "OS:", "OS:x", "OS"):
        with pytest.raises(InputError):
            parse_properties(word)


@given(square, st.sampled_from(["OS:1/2", "OS:2/3", "OS:1"]))
def test_smoothness_of_a_matrix_is_its_definition(w, name):
    beta = Fraction(name.removeprefix("OS:"))
    n = len(w) - 1
    smooth = all(
        w[i][j] >= beta * w[i + 1][j] and w[i + 1][j] >= beta * w[i][j] for i in range(n) for j in range(n + 1)
    )
    assert find_property(name).holds(w, 1) == smooth
    assert (name in holding(w, 1, [name])) == smooth
    assert (list(verify._property_defects(name, w, 1)) == []) == smooth
