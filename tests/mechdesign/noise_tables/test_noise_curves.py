"""Exact privacy curves of noise tables, against sums over all sets of outputs, and against published numbers."""

import math
from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

import mechdesign as md
from mechdesign.audits.curves import audit_curve
from mechdesign.errors import InputError
from mechdesign.mechanism.privacy_curve import delta_at, least_ratio
from mechdesign.noise_tables.guarantee import ratio_above, ratio_below

COIN = md.NoiseTable((((0, 4),), ((-1, 1), (0, 2), (1, 1)), ((-1, 1), (0, 2), (1, 1))), 4)

laws = st.dictionaries(st.integers(0, 5), st.integers(1, 30), min_size=1, max_size=5)


def over_sets(a, b, ratio):
    """Delta by its definition: the set of outputs that tells most."""
    outputs = sorted({*a, *b})
    sets = chain.from_iterable(combinations(outputs, size) for size in range(len(outputs) + 1))
    return max(sum(a.get(i, 0) - ratio * b.get(i, 0) for i in one) for one in sets)


@given(laws, laws, st.fractions(1, 20))
def test_delta_is_that_of_the_worst_set(a, b, ratio):
    assert delta_at([(a, b)], 7, ratio) == over_sets(a, b, ratio) / 7


@given(laws, laws, st.fractions(0, 1))
def test_the_least_ratio_is_the_least(a, b, delta):
    total = sum(a.values())
    ratio = least_ratio([(a, b)], total, delta)
    if ratio is None:
        assert Fraction(sum(w for i, w in a.items() if i not in b), total) > delta
    else:
        assert delta_at([(a, b)], total, ratio) <= delta
        assert ratio == 1 or delta_at([(a, b)], total, ratio) == delta


@given(st.fractions(Fraction(1, 100), 20, max_denominator=1000))
@settings(max_examples=30)
def test_ratios_enclose_the_exponential(epsilon):
    low, high = ratio_below(epsilon), ratio_above(epsilon)
    assert math.log(low) <= float(epsilon) * (1 + 1e-12)
    assert float(epsilon) * (1 - 1e-12) <= math.log(high)
    assert high / low < 1 + Fraction(1, 10**9)


def test_larger_counts_are_served_by_the_last_row_or_in_turn():
    assert COIN.row(7) == COIN.rows[2]
    turning = md.NoiseTable((((0, 1),), ((0, 1),), ((1, 1),)), 1, following=1)
    assert [turning.row(count)[0][0] for count in range(6)] == [0, 0, 1, 0, 1, 0]
    assert turning.delta(Fraction(5), 1) == 1


def test_hidden_results_are_one_mark():
    """Where results below J + D are one mark, only the last row is seen."""
    assert COIN.delta(Fraction(2), 0, hide=4) == COIN.delta(Fraction(2), 2) == Fraction(1, 4)
    assert COIN.delta(Fraction(2)) == Fraction(3, 4)


@pytest.fixture(scope="module")
def ptable():
    """ptable's own table for D = 5, V = 3, js = 2: the most entropy, without a guarantee."""
    return md.design_noise_table(noise=5, variance=3, block=2, shape="left").mechanism


def test_the_table_of_most_entropy_is_the_one_of_ptable(ptable):
    """Digits of ptable's file, and what was computed of it by other code."""
    stated = {(1, -1): 0.73446954, (1, 2): 0.13672019, (1, 3): 0.07279631}
    assert {key: float(ptable.chance(*key)) for key in stated} == pytest.approx(stated, abs=1e-6)
    audit = audit_curve(ptable)
    curve = {
        (start, eps): float(audit.delta(Fraction(eps), start)) for start in audit.starts for eps in ("1/2", "1", "2")
    }
    deltas = {0: (0.2655, 0.2655, 0.2655), 1: (0.2092, 0.0545, 0.0201), "large": (0.0716, 0.0173, 0.0038)}
    expected = {(start, eps): d for start, row in deltas.items() for eps, d in zip(("1/2", "1", "2"), row, strict=True)}
    assert curve == pytest.approx(expected, abs=6e-5)
    assert float(audit.least_epsilon("0.05", "large")) == pytest.approx(0.66563, abs=2e-5)


def test_claims_say_what_is_true(ptable):
    audit = audit_curve(ptable)
    assert audit.claim(1, "0.0173", "large").true
    false = audit.claim(1, "0.0172", "large")
    assert not false.true
    assert false.detail.startswith("delta is 0.0172")
    assert audit_curve(ptable, hide=13).delta(Fraction(1)) == audit.delta(Fraction(1), "large")


def test_a_matrix_for_counts_has_a_curve():
    design = md.design(n=3, alpha="1/2", loss="L1")
    audit = audit_curve(design)
    assert audit.delta(Fraction("0.7")) == 0
    assert audit.least_epsilon(0) == "0.693148"
    low = audit_curve([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    assert delta_at([({0: 3, 1: 1}, {0: 1, 1: 3})], 4, ratio_below(Fraction(1, 2))) == low.delta(Fraction(1, 2))


@pytest.mark.parametrize(
    ("about", "call"),
    [
        ("hide", lambda: audit_curve(COIN, hide=-1)),
        ("hide", lambda: audit_curve([[1, 0], [0, 1]], hide=3)),
        (None, lambda: audit_curve([[2, 0], [-1, 1]])),
        ("start", lambda: audit_curve(COIN).delta(Fraction(1), 9)),
        ("delta", lambda: audit_curve(COIN).claim(1, 2)),
        ("epsilon", lambda: audit_curve(COIN).claim(0, "0.1")),
        (None, lambda: md.NoiseTable((((0, 1), (0, 1)),), 2)),
        (None, lambda: md.NoiseTable((((0, 1),), ((0, 2),)), 1)),
        (None, lambda: md.NoiseTable((), 1)),
        (None, lambda: md.NoiseTable((((-1, 1),),), 1)),
    ],
)
def test_bad_input(about, call):
    with refused(InputError, about=about):
        call()
