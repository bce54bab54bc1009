"""A law drawn out to one size is what the kernel of designs says it is, and its bound is below the optimum."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from law_documents import (
    CASES,
    first_size,
    geometric,
    kernel_bound,
    kernel_defects,
    kernel_score,
    law_of,
    matrix_of,
    raised,
    shifted,
    whole,
)
from wording import refused

from mechdesign import DesignProblem, design
from mechdesign.verify import fair, kernel, layer_duals, layers
from mechdesign.verify.fair import fair_sum
from mechdesign.verify.layer_duals import LayerDual
from mechdesign.verify.layers import Layer

LAST = 60


@pytest.mark.parametrize("name", CASES)
def test_a_layer_is_a_mechanism_at_every_size(name):
    layer, dual, properties, power = law_of(name)
    first = first_size(layer, dual, properties, power)
    assert not list(layers.layer_defects(layer, properties, first))
    sizes = {2 * layer.depth - 1, first, first + 1, 30, LAST}
    for n in sorted(sizes):
        asked = [name for name in properties if n >= first or (name != "WH" and layer.slopes is None)]
        assert kernel_defects(layer, asked, n) == []
        assert layers.score_sum(layer, power, n) == (kernel_score(layer, power, n),) * 2


@pytest.mark.parametrize("name", CASES)
def test_a_bound_is_one_at_every_size(name):
    layer, dual, properties, power = law_of(name)
    n0 = layer_duals.proved_from(dual, power)
    shortest = max(2 * dual.depth - 1, 2 * layer.depth - 1)
    for lowered in {dual.lowered, 0, dual.depth} if power else {0}:
        one = replace(dual, lowered=lowered)
        for n in sorted({shortest, shortest + 1, max(n0 - 1, shortest), n0, n0 + 1, 30, LAST}):
            stated = layer_duals.bound_sum(one, power, properties, n)
            shown, lowering = kernel_bound(one, power, properties, n, stated)
            assert lowering >= 0
            assert stated <= shown <= kernel_score(layer, power, n)
            assert power or shown == stated == kernel_score(layer, 0, n)


@pytest.mark.parametrize("lowered", [0, 1, 14])
def test_a_short_dual_of_which_the_prices_rise_steeply(lowered):
    """J is 14, and B is 1."""
    dual = LayerDual(Fraction(4, 5), 1, 1, (18,), (), lowered)
    assert layer_duals.proved_from(dual, 2) == 37
    for n in (lowered + 1, 36, 37, 38, 50):
        bound = layer_duals.bound_sum(dual, 2, (), n)
        assert kernel_bound(dual, 2, (), n, bound)[0] >= bound


@pytest.mark.parametrize(("name", "n"), [("weak", 12), ("rows", 17), ("honest", 17), ("squares", 14), ("plain", 9)])
def test_no_design_of_one_size_is_below_the_bound(name, n):
    layer, dual, properties, power = law_of(name)
    best = design(DesignProblem(n, layer.alpha, properties=properties, loss=f"L{power}")).score
    bound, score = (
        layer_duals.bound_sum(dual, power, properties, n) / (n + 1),
        layers.score_sum(layer, power, n)[0] / (n + 1),
    )
    assert bound <= best <= score


@pytest.mark.parametrize("name", CASES)
def test_layer_and_dual_meet(name):
    layer, dual, properties, power = law_of(name)
    assert layers.layer_excess(layer, power) == layer_duals.dual_excess(dual, power, properties)


def test_golden_values():
    layer, dual, _, _ = law_of("wm")
    assert layers.layer_excess(layer, 0) == (Fraction(-821, 2304), 0)
    assert layers.score_sum(layer, 0, 10**9) == (Fraction(8 * (10**9 + 1), 9) - Fraction(821, 1152),) * 2
    with refused(ValueError):
        layers.score_sum(layer, 0, 2 * layer.depth - 2)
    assert layers.layer_holds(layer, 11) == ["WH", "RH", "RM", "CH", "CM", "S"]
    assert layers.layer_holds(layer, 3) == ["RH", "RM", "CH", "CM", "S"]
    assert layer_duals.proved_from(dual, 0) == 2 * dual.depth - 1


RATIONALS = st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000)


@given(RATIONALS, st.sampled_from([0, 1]), st.integers(1, 4), st.integers(0, 12))
def test_the_geometric_mechanism_is_a_law(alpha, power, depth, more):
    layer, dual = geometric(alpha, power, depth)
    n = 2 * depth - 1 + more
    assert not list(layers.layer_defects(layer, (), n))
    found = layers.layer_excess(layer, power)
    assert found == layer_duals.dual_excess(dual, power, ()) == layers.layer_excess(geometric(alpha, power)[0], power)
    score, bound = layers.score_sum(layer, power, n)[0], layer_duals.bound_sum(dual, power, (), n)
    assert kernel_score(layer, power, n) == score
    assert kernel_bound(dual, power, (), n, bound)[0] >= bound
    assert bound == score == n * 2 * alpha / (1 + alpha) if power == 0 else bound <= score


@pytest.mark.parametrize("name", ["weak", "squares"])
@pytest.mark.parametrize("n", [129, 500, 3000])
def test_long_scores_are_enclosed(name, n, monkeypatch):
    layer, _, _, power = law_of(name)
    low, high = layers.score_sum(layer, power, n)
    monkeypatch.setattr(layers, "LONGEST_EXACT", n)
    assert low < layers.score_sum(layer, power, n)[0] < high < low * (1 + Fraction(1, 10**50))


@pytest.mark.parametrize("n", [129, 1000, 10**9])
def test_the_gap_falls_to_nothing(n):
    for name in ("rows", "squares"):
        layer, dual, properties, power = law_of(name)
        low, high = layers.score_sum(layer, power, n)
        bound = layer_duals.bound_sum(dual, power, properties, n)
        assert high * (1 - Fraction(1, 10**12 if n == 129 else 10**50)) < bound <= high
        assert max(low.denominator, bound.denominator) <= 2**300


def exponent(i, j, n):
    m = min(j, n - j)
    return abs(i - j) if abs(i - j) < m else ceil((abs(i - j) + m) / 2)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 24, 25])
def test_the_fair_law_has_all_properties(n):
    a = Fraction(4, 5)
    total, _ = fair_sum(a, n)
    y = 1 - total / (n + 1)
    weights = whole([[y * a ** exponent(i, j, n) for j in range(n + 1)] for i in range(n + 1)])
    path = [(j, j + 1, 1) for j in range(n)]
    assert not list(kernel.defects(*weights, (4, 5), path, ["WH", "RH", "RM", "CH", "CM", "F", "S", "FE"]))
    if n < 10:
        assert design(DesignProblem(n, a, properties="F")).score == total / n


@pytest.mark.parametrize("alpha", [Fraction(4, 5), Fraction(10**9 - 1, 10**9), Fraction(1, 10**60)])
@pytest.mark.parametrize("n", [129, 1000])
def test_long_scores_of_the_fair_law_are_enclosed(alpha, n, monkeypatch):
    low, high = fair_sum(alpha, n)
    monkeypatch.setattr(fair, "LONGEST_EXACT", n)
    assert low < fair_sum(alpha, n)[0] < high < low * (1 + Fraction(1, 10**50))


@pytest.mark.parametrize("name", CASES)
def test_no_weight_can_be_changed_by_one(name):
    """Nor moved between outputs: a layer that passes is a mechanism, and worse than the best."""
    layer, _, properties, power = law_of(name)
    n, depth = 60, layer.depth
    for i in range(depth):
        for j in range(depth):
            rows = [[x + (u == i and v == j) for v, x in enumerate(row)] for u, row in enumerate(layer.rows)]
            other = replace(layer, rows=tuple(map(tuple, rows)))
            assert f"column {j} of the layer has another sum" in layers.layer_defects(other, properties, n)
            moved = shifted(layer, i, j, (i + 1) % depth)
            if depth > 1 and not list(layers.layer_defects(moved, properties, n)):
                assert kernel_defects(moved, properties, 20) == []
                assert layers.layer_excess(moved, power) >= layers.layer_excess(layer, power)


@pytest.mark.parametrize("name", CASES)
def test_no_price_can_be_raised(name):
    _, dual, properties, power = law_of(name)
    for j in range(dual.depth):
        with refused(ValueError):
            layer_duals.dual_excess(raised(dual, j), power, properties)


def multipliers(dual, *rows):
    return replace(dual, multipliers=(*dual.multipliers, *rows))


def first_place(dual, kind):
    """The dual over another denominator, since equal ones are proved once; a number of its rows has another type."""
    (name, place, *others), *rest = [(*row[:-1], 3 * row[-1]) for row in dual.multipliers]
    prices = tuple(3 * price for price in dual.prices)
    rows = ((name, kind(place), *others), *rest)
    return replace(dual, denominator=3 * dual.denominator, prices=prices, multipliers=rows)


REFUSED = {
    "twice": lambda dual: multipliers(dual, dual.multipliers[0]),
    "zero": lambda dual: multipliers(dual, ("CM", 0, 0, 1, 0, 0)),
    "negative": lambda dual: multipliers(dual, ("CM", 0, 0, 1, 0, -1)),
    "not asked": lambda dual: multipliers(dual, ("RH", 0, 0, 0, 1, 1)),
    "floor": lambda dual: multipliers(dual, ("WH", 0, 0, 0, 1, 1)),
    "privacy": lambda dual: multipliers(dual, ("DP", 0, 0, 0, 1, 1)),
    "fair": lambda dual: multipliers(dual, ("F", 0, 0, 1, 1, 1)),
    "far output": lambda dual: multipliers(dual, ("CM", dual.depth - 1, 0, dual.depth, 0, 1)),
    "far input": lambda dual: multipliers(dual, ("RM", 0, dual.depth, 0, dual.depth + 1, 1)),
    "negative place": lambda dual: multipliers(dual, ("CM", 0, -1, 1, -1, 1)),
    "upward": lambda dual: multipliers(dual, ("CM", 1, 0, 0, 0, 1)),
    "one price more": lambda dual: replace(dual, prices=(*dual.prices, 1)),
    "a price less": lambda dual: replace(dual, prices=dual.prices[1:]),
    "no depth": lambda dual: replace(dual, depth=0, prices=()),
    "lowered": lambda dual: replace(dual, lowered=1),
    "denominator": lambda dual: replace(dual, denominator=0),
    "a float": lambda dual: replace(dual, prices=(0.5, *dual.prices[1:])),
    "a truth value": lambda dual: replace(dual, prices=(True, *dual.prices[1:])),
    "a float in a row": lambda dual: first_place(dual, float),
    "a fraction in a row": lambda dual: first_place(dual, Fraction),
    "alpha": lambda dual: replace(dual, alpha=Fraction(1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_duals_that_are_none(name):
    change = REFUSED[name]
    _, dual, properties, power = law_of("wm")
    with refused(ValueError):
        layer_duals.dual_excess(change(dual), power, properties)


def test_a_dual_over_another_denominator_is_the_same():
    _, dual, properties, power = law_of("wm")
    assert layer_duals.dual_excess(first_place(dual, int), power, properties) == layer_duals.dual_excess(
        dual, power, properties
    )


def test_rows_of_two_equal_entries_are_none():
    _, dual = geometric("1/2", 0, 2)
    for row in (("RH", 1, 1, 1, 1, 1), ("CH", 1, 1, 1, 1, 1)):
        with refused(ValueError):
            layer_duals.dual_excess(multipliers(dual, row), 0, ["RH", "CH"])
    for unknown in ("OS:1/2", "F", "WH:2", "XY"):
        with refused(ValueError):
            layer_duals.dual_excess(dual, 0, [unknown])


LIMITS = {
    "far": LayerDual(Fraction(1, 2), 1, 1, (10**9,), ()),
    "near one": LayerDual(Fraction(10**6 - 1, 10**6), 1, 1, (0,), ()),
    "long": LayerDual(Fraction(1, 2), 1, 1 << (1 << 23), (0,), ()),
    "deep": LayerDual(Fraction(1, 2), 513, 1, (0,) * 513, ()),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name):
    with refused(ValueError):
        layer_duals.proved_from(LIMITS[name], 2)


MISSHAPEN = {
    "alpha": {"alpha": Fraction(1)},
    "depth": {"depth": 2},
    "no depth": {"depth": 0, "rows": ()},
    "row": {"rows": ((1, 2),)},
    "a float": {"rows": ((2.0,),)},
    "denominator": {"denominator": -3},
    "slopes": {"slopes": ((0, 0),)},
    "sum of slopes": {"slopes": ((1,),)},
    "negative": {"depth": 2, "rows": ((3, 0), (-1, 1))},
}


@pytest.mark.parametrize("name", MISSHAPEN)
def test_layers_that_are_none(name):
    layer = Layer(Fraction(1, 2), 1, 3, ((2,),))
    assert not list(layers.layer_defects(layer, ("CM", "RM", "S", "FE"), 1))
    assert list(layers.layer_defects(replace(layer, **MISSHAPEN[name]), (), 3))


def test_what_a_layer_is_asked():
    layer = Layer(Fraction(1, 2), 1, 3, ((2,),))
    assert list(layers.layer_defects(layer, ("WH",), 1)) == ["property WH does not hold"]
    assert list(layers.layer_defects(layer, ("OS:1/2",), 1)) == ["OS:1/2 is no property of a law"]
    assert list(layers.layer_defects(layer, ("F",), 1)) == ["property F does not hold"]
    assert list(layers.layer_defects(layer, (), 0)) == ["a layer of depth 1 stands for n from 1 on"]


def two_sizes_alone():
    """A layer that is a mechanism at n = 24 and 32, and between, but not at large n: it falls below 0 with 1/(n+1)."""
    plain = law_of("plain")[0]
    a, depth = plain.alpha, plain.depth
    table = geometric(a, 0, depth)[0]
    ends = [
        [[Fraction(x, one.denominator) for x in row] for row in one.rows] for one in (table, plain)
    ]  # at n = 24 and at n = 32
    gap = Fraction(1, 25) - Fraction(1, 33)
    slopes = [[(x - y) / gap for x, y in zip(*rows, strict=True)] for rows in zip(*ends, strict=True)]
    starts = [[x - y / 25 for x, y in zip(*rows, strict=True)] for rows in zip(ends[0], slopes, strict=True)]
    rows, denominator = whole([*starts, *slopes])
    return Layer(a, depth, denominator, rows[:depth], rows[depth:])


def test_a_layer_that_is_right_at_two_sizes_alone_is_refused():
    layer = two_sizes_alone()
    for n in (24, 28, 32):
        assert kernel_defects(layer, (), n) == []
    assert kernel_defects(layer, (), 80)
    for n in (24, 32):
        assert "an entry of the layer is negative" in layers.layer_defects(layer, (), n)


def test_floors_are_asked_at_both_ends():
    layer, dual, properties, power = law_of("weak")
    first = first_size(layer, dual, properties, power)
    assert first == layer_duals.proved_from(dual, power)
    assert layers.layer_holds(layer, first)[0] == "WH"
    without = replace(layer, slopes=None)
    assert kernel_defects(without, ("WH",), 30)
    assert "property WH does not hold" in layers.layer_defects(without, ("WH",), 30)
    assert matrix_of(layer, 30) != matrix_of(without, 30)
