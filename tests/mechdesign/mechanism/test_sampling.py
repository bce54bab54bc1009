"""Exact in law: every word of a small size is enumerated, undecided words are settled bit by bit."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from wording import refused

from mechdesign import DesignProblem, InputError, Mechanism, design
from mechdesign.mechanism.sampling import UNDECIDED, ColumnSampler, Sampler, seeded_words, system_words

SMALL = 6
ALARM = 1e-6
"""A chi-square test with fixed seeds fails by chance once in a million choices of seed."""


@given(st.lists(st.integers(0, 40), min_size=1, max_size=7).filter(any))
def test_every_small_word_goes_where_the_law_says(weights):
    denominator = sum(weights)
    sampler = ColumnSampler(weights, denominator, word_bits=SMALL)
    decided = sampler.decide(np.arange(2**SMALL, dtype=np.uint64))
    cumulative = [0, *itertools.accumulate(weights)]
    for word, output in enumerate(decided.tolist()):
        low, high = Fraction(word, 2**SMALL), Fraction(word + 1, 2**SMALL)
        inside = [c for c in cumulative if low < Fraction(c, denominator) < high]
        if output == UNDECIDED:
            assert inside
        else:
            assert not inside
            assert Fraction(cumulative[output], denominator) <= low
            assert high <= Fraction(cumulative[output + 1], denominator)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(any), st.data())
def test_an_undecided_word_is_settled_by_its_further_bits(weights, data):
    sampler = ColumnSampler(weights, sum(weights), word_bits=SMALL)
    undecided = np.flatnonzero(sampler.decide(np.arange(2**SMALL, dtype=np.uint64)) == UNDECIDED)
    for word in undecided.tolist():
        more = data.draw(st.integers(0, 2**64 - 1))
        output = sampler.decide_by_more_bits(word, lambda count, more=more: np.full(count, more, dtype=np.uint64))
        u = Fraction((word << 64) + more, 2 ** (SMALL + 64)) * sum(weights)
        assert sum(weights[:output]) <= u < sum(weights[: output + 1]) or abs(u - sum(weights[:output])) < Fraction(
            1, 2**40
        )


def test_impossible_outputs_never_occur_and_certain_ones_always():
    sampler = Sampler([[0, 1], [5, 0], [0, 4]], 5)
    assert set(sampler.sample(np.zeros(1000, dtype=np.int64)).tolist()) == {1}
    assert set(sampler.sample(np.ones(1000, dtype=np.int64)).tolist()) == {0, 2}


@pytest.mark.parametrize("source", [None, seeded_words(20261120)], ids=["system", "seeded"])
def test_frequencies_at_the_real_word_size(source):
    mechanism = design(DesignProblem(8, "9/10", properties="WH,CM")).mechanism
    draws = 90_000
    counts = np.repeat(np.arange(9), draws)
    released = mechanism.sample(counts, source).reshape(9, draws)
    for j in range(9):
        observed = np.bincount(released[j], minlength=9)
        assert chisquare(observed, mechanism.matrix()[:, j] * draws).pvalue > ALARM


def test_denominators_of_any_length():
    tiny = Mechanism(((1, 3**400 - 1), (3**400 - 1, 1)), 3**400)
    assert set(tiny.sample(np.zeros(1000, dtype=np.int64)).tolist()) == {1}


def test_shapes_and_bad_counts():
    mechanism = Mechanism(((2, 1), (1, 2)), 3)
    assert mechanism.sample(np.array([[0, 1], [1, 0], [1, 1]])).shape == (3, 2)
    assert mechanism.sample(np.array([], dtype=np.int64)).shape == (0,)
    for bad in ([2], [-1], [0.5]):
        with refused(InputError, about="counts"):
            mechanism.sample(np.array(bad))


def test_the_system_source_gives_words_and_seeds_repeat():
    assert system_words(5).dtype == np.uint64
    assert len(set(system_words(50).tolist())) == 50
    assert (seeded_words(3)(4) == seeded_words(3)(4)).all()
