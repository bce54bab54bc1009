"""Mechanisms by a law: what they are at one n, and what is drawn from them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.geometric_sampling import GeometricSampler
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.geometric import geometric

HALF = Fraction(1, 2)
GEOMETRIC = LayeredMechanism.of(HALF, [[Fraction(2, 3)]])
LAWS = {
    "geometric": GEOMETRIC,
    "WM": design_law(alpha="4/5", properties="WH,RM,CM").mechanism,
    "CM, L1": design_law(alpha="4/5", properties="CM", loss="L1").mechanism,
    "WH, L1": design_law(alpha="4/5", properties="WH", loss="L1").mechanism,
}


def words_of(*words):
    """A source that gives these words, then zeros."""
    stream = iter([*words])
    return lambda count: np.array([next(stream, 0) for _ in range(count)], dtype=np.uint64)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_layer_of_one_row_is_the_geometric_mechanism(n):
    assert GEOMETRIC.at(n) == geometric(n, HALF)


@pytest.mark.parametrize("name", LAWS)
def test_entries_are_those_of_the_matrix(name):
    law = LAWS[name]
    n = law.least + 3
    matrix = law.at(n)
    for i in range(n + 1):
        for j in range(n + 1):
            value, power = law.entry(i, j, n)
            assert value * law.alpha**power == matrix.fraction(i, j)


def test_a_law_tells_which_sizes_and_entries_it_has():
    law = LAWS["WM"]
    with refused(InputError, about="n"):
        law.at(8)
    with refused(InputError, about="n"):
        law.at(4096)
    with refused(InputError):
        law.entry(10, 0, 9)
    with refused(InputError, about="counts"):
        law.sample([9], [10])
    with refused(InputError, about="n"):
        law.sample([8], [1])
    with refused(InputError):
        law.sample([9, 9], [1])
    assert law.sample([], []).size == 0


@given(st.integers(1, 90), st.integers(10, 90), st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
def test_a_geometric_draw_is_the_number_of_powers_above_the_uniform(p, more, first, second):
    alpha = Fraction(p, p + more)
    drawn = int(GeometricSampler(alpha).draw(words_of(first, second), 1)[0])
    low = Fraction(first, 2**64)
    high = low + Fraction(1, 2**64)
    assert drawn == 0 or alpha**drawn > low
    assert alpha ** (drawn + 1) < high


def test_a_word_on_a_threshold_is_decided_by_the_next_one():
    sampler = GeometricSampler(Fraction(1, 3))
    threshold = 2**64 // 3
    # U = (threshold, rest): 1/3 = (threshold + 1/3) / 2^64
    below, above = 2**64 // 3, 2**64 // 3 + 1
    assert sampler.draw(words_of(threshold, below - 1), 1)[0] == 1
    assert sampler.draw(words_of(threshold, above), 1)[0] == 0
    assert sampler.draw(words_of(threshold - 1), 1)[0] == 1
    assert sampler.draw(words_of(threshold + 1), 1)[0] == 0


def test_the_smallest_words_give_long_draws():
    assert GeometricSampler(HALF).draw(words_of(0, 5), 1)[0] == 125
    assert GeometricSampler(HALF).draw(words_of(1), 1)[0] == 63


@pytest.mark.slow
def test_no_draws_from_an_alpha_that_is_nearly_one():
    with refused(InputError, about="alpha"):
        GeometricSampler(1 - Fraction(1, 10**9)).draw(words_of(), 1)


def fits(drawn, chances):
    """Whether counts are within five standard deviations of chi-squared of what the chances say."""
    expected = len(drawn) * chances
    seen = np.bincount(drawn, minlength=len(chances))
    large = expected > 5
    assert not seen[chances == 0].any()
    statistic = ((seen - expected)[large] ** 2 / expected[large]).sum()
    return abs(statistic - large.sum()) < 5 * np.sqrt(2 * large.sum())


@pytest.mark.parametrize("name", LAWS)
def test_draws_have_the_chances_of_the_matrix(name):
    law = LAWS[name]
    many = 40_000
    for n in (law.least, law.least + 1, 40):
        matrix = law.at(n).matrix()
        for j in {0, 1, law.depth - 1, min(law.depth, n), n // 2, n - 1, n}:
            drawn = law.sample(np.full(many, n), np.full(many, j), seeded_words([n, j]))
            assert fits(drawn, matrix[:, j]), (n, j)


@pytest.mark.parametrize("n", [2, 3, 8, 13])
def test_fair_draws_have_the_chances_of_the_explicit_fair_mechanism(n):
    law, many = FairMechanism(Fraction(4, 5)), 40_000
    matrix = explicit_fair(n, law.alpha).matrix()
    for j in range(n + 1):
        drawn = law.sample(np.full(many, n), np.full(many, j), seeded_words([n, j]))
        assert fits(drawn, matrix[:, j]), j


def test_draws_of_many_sizes_at_once_are_those_of_each(monkeypatch):
    law = LAWS["WM"]
    sizes, counts = np.array([9, 10**6, 10**9, 50]), np.array([3, 10**6 - 1, 5 * 10**8, 0])
    drawn = law.sample(sizes, counts, seeded_words(7))
    assert (law.sample(sizes, counts, seeded_words(7)) == drawn).all()
    assert ((drawn >= 0) & (drawn <= sizes)).all()
    assert abs(int(drawn[2]) - 5 * 10**8) < 1000


def test_fair_draws_refuse_what_is_no_count():
    with refused(InputError, about="counts"):
        FairMechanism(HALF).sample([3], [4])
    with refused(InputError):
        FairMechanism(HALF).sample([3], [1, 2])
