import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.properties import (
    FAMILIES,
    LATTICE,
    PROPERTIES,
    closure,
    find_property,
    implied_by,
    ordered,
    parse_properties,
    properties_of,
    smoothness,
    without_implied,
)
from mechdesign.verify import kernel
from mechdesign.verify.document import PLAIN_PROPERTIES
from mechdesign.verify.proving import MEANING

SUBSETS = [frozenset(s) for k in range(8) for s in itertools.combinations(LATTICE, k)]

square = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=k, max_size=k)
)


def floor(beta):
    return lambda w, d, n, every: all(w[i][i] * (n + 1) >= beta * d for i in every)


WORDS = {
    "RH": lambda w, d, n, every: all(w[i][i] >= w[i][j] for i in every for j in every),
    "RM": lambda w, d, n, every: all(
        w[i][j] >= w[i][k] for i in every for j in every for k in every if i <= j <= k or k <= j <= i
    ),
    "CH": lambda w, d, n, every: all(w[j][j] >= w[i][j] for i in every for j in every),
    "CM": lambda w, d, n, every: all(
        w[i][j] >= w[k][j] for j in every for i in every for k in every if j <= i <= k or k <= i <= j
    ),
    "F": lambda w, d, n, every: len({w[i][i] for i in every}) == 1,
    "FE": lambda w, d, n, every: w[0][0] == w[n][n],
    "S": lambda w, d, n, every: all(w[i][j] == w[n - i][n - j] for i in every for j in every),
    "WH": floor(1),
    "WH:1/2": floor(Fraction(1, 2)),
    "WH:5/3": floor(Fraction(5, 3)),
    "OS:1/2": lambda w, d, n, every: all(
        2 * w[i][j] >= w[k][j] for i in every for j in every for k in (i - 1, i + 1) if k in every
    ),
}
"""Each property spelled out entry by entry, as people word it."""


def literally(name, w, denominator):
    return WORDS[name](w, denominator, len(w) - 1, range(len(w)))


def test_every_property_stands_in_the_table():
    known = {*PROPERTIES, *FAMILIES}
    for place, names in (
        ("WORDS of tests/mechdesign/problem/test_properties.py", {find_property(name).kind for name in WORDS}),
        ("_HOLDS of mechdesign/verify/kernel.py", kernel._HOLDS.keys()),
        ("PLAIN_PROPERTIES of mechdesign/verify/document.py", {*PLAIN_PROPERTIES, *FAMILIES}),
        ("MEANING of mechdesign/verify/proving.py", {name.removesuffix(":") for name in MEANING}),
    ):
        assert set(names) == known, f"{place} must have {known - set(names)}, and no other, got {set(names) - known}"


@given(square, st.integers(1, 12), st.sampled_from(sorted(WORDS)))
def test_properties_and_kernel_say_what_the_words_say(w, denominator, name):
    expected = literally(name, w, denominator)
    assert find_property(name).holds(w, denominator) == expected
    assert (not list(kernel.property_defects(name, w, denominator))) == expected


@pytest.mark.parametrize("size", [2, 3, 4, 7, 10])
@pytest.mark.parametrize("name", WORDS)
def test_what_a_property_says_of_itself_is_so_at_every_size(name, size):
    """Flags and estimates are looked up at one size."""
    prop = find_property(name)
    chance = np.random.default_rng(size)
    for _ in range(20):
        w = chance.integers(0, 3, (size, size)).tolist()
        rotated = [row[::-1] for row in reversed(w)]
        if prop.keeps_rotation:
            assert literally(name, w, size) == literally(name, rotated, size)
        if prop.is_rotation:
            assert literally(name, w, size) == (w == rotated)
    pairs = ([], []) if prop.pairs is None else prop.pairs(size)
    assert len(pairs[0]) == prop.n_pairs(size)
    assert prop.compares_rows == any(a // size != b // size for a, b in zip(*pairs, strict=True))


@given(square, st.integers(1, 12))
def test_what_holds_is_closed_under_implication_for_column_stochastic_matrices(w, denominator):
    sums = {sum(column) for column in zip(*w, strict=True)}
    if len(sums) == 1 and sums != {0}:
        held = set(properties_of(w, sums.pop()))
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
    assert parse_properties("all") == set(LATTICE)
    with refused(InputError):
        parse_properties("WH,XY")
    with refused(InputError):
        parse_properties("WH,,CM")


def test_the_highest_floor_wins_and_one_is_plain_weak_honesty():
    assert parse_properties("WH:1") == parse_properties("wh:1.0,WH:1/2") == parse_properties("WH,WH:0.9") == {"WH"}
    assert parse_properties("WH:3/2,WH,WH:2") == {"WH:2"}
    assert parse_properties("all,WH:2") == {"WH:2", *LATTICE} - {"WH"}
    assert closure({"WH:2"}) == {"WH:2", "WH"}
    assert closure({"WH:1/2"}) == {"WH:1/2"}
    assert without_implied({"WH:1/2", "CH"}) == {"CH"}
    assert without_implied({"WH:2", "CH"}) == {"WH:2", "CH"}
    assert without_implied({"OS:1", "WH:2"}) == {"OS:1", "WH:2"}
    for word in ("WH:0", "WH:-1", "WH:", "WH:x", "WH:nan", "WH:1/0"):
        with refused(InputError):
            parse_properties(word)


def test_fair_ends_follow_from_fairness_and_from_symmetry_and_stay_out_of_the_lattice():
    assert without_implied({"FE", "F"}) == {"F"}
    assert without_implied({"FE", "S"}) == {"S"}
    assert without_implied({"FE", "CM"}) == {"FE", "CM"}
    assert "FE" not in closure({"F", "S"})
    assert "FE" not in properties_of([[1, 1], [1, 1]], 2)
    assert properties_of([[1, 1], [1, 1]], 2, ["FE", "WH:1/2", "WH:2"]) == tuple(sorted([*LATTICE, "FE", "WH:1/2"]))


def test_output_smoothness():
    assert parse_properties("wh,os:0.9") == {"WH", "OS:9/10"}
    assert parse_properties(["OS:7/10", "OS:0.5"]) == {"OS:7/10"}  # the larger beta implies the smaller
    assert parse_properties("OS:0.5,OS:0.7,all") == {*LATTICE, "OS:7/10"}
    assert smoothness({"WH", "OS:9/10"}) == Fraction(9, 10)
    assert smoothness({"WH"}) is None
    assert ordered({"OS:1/2", "S", "WH"}) == ("WH", "S", "OS:1/2")
    assert closure({"OS:1"}) == {*LATTICE, "OS:1"}
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
    assert (name in properties_of(w, 1, [name])) == smooth
    assert (list(kernel.property_defects(name, w, 1)) == []) == smooth


def test_what_follows_is_told_by_the_least_that_implies_it():
    assert implied_by([]) == implied_by(["CM"] * 0) == {}
    assert implied_by(parse_properties("F,CM,RM")) == {"WH": ("CM",), "RH": ("RM",), "CH": ("CM",), "FE": ("F",)}
    assert implied_by(parse_properties("WH:1/2,CH")) == {"WH": ("CH",), "WH:1/2": ("CH",)}
    assert implied_by(parse_properties("WH:2,CH")) == {"WH": ("WH:2",)}
    assert set(implied_by(["OS:1"])) == set(PROPERTIES)


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda subset: ",".join(ordered(subset)) or "none")
def test_what_follows_and_what_does_not_make_the_closure(subset):
    found = implied_by(subset)
    assert frozenset(found) & frozenset(LATTICE) == closure(subset) - without_implied(subset)
    for name, causes in found.items():
        assert set(causes) <= without_implied(subset)
        assert name in _closed(causes)
        assert all(name not in _closed(set(causes) - {cause}) for cause in causes)


def _closed(names):
    """Everything in the lattice that follows, and `FE`, which F and S imply."""
    return closure(names) | ({"FE"} if {"F", "S"} & set(names) else set())
