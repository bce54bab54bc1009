import itertools
from fractions import Fraction

import pytest
from estimation_cases import small_mechanisms
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, Mechanism, Prior
from mechdesign.counts.estimation import Posterior, posterior

COIN = Mechanism(((2, 1), (1, 2)), 3)


def test_randomised_response_by_hand():
    # prior (3/4, 1/4), released 1: 3/4 * 1/3 = 1/4 against 1/4 * 2/3 = 1/6
    found = posterior(1, COIN, (Fraction(3, 4), Fraction(1, 4)))
    assert found.probabilities == (Fraction(3, 5), Fraction(2, 5))
    assert (found.mode, found.mean) == (0, Fraction(2, 5))
    assert found.credible_set(Fraction(3, 5)) == (0,)
    assert found.credible_set(Fraction(61, 100)) == (0, 1)
    assert found.chance((1,)) == Fraction(2, 5)


@pytest.mark.slow
@settings(max_examples=30)
@given(data=st.data(), mechanism=small_mechanisms())
def test_against_bayes_by_enumeration(data, mechanism):
    size = mechanism.n_inputs
    weights = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    prior = [Fraction(w, sum(weights)) for w in weights]
    tickets = {}  # every (true, released) pair with its number of equally likely cases
    for j, i in itertools.product(range(size), range(size)):
        tickets[j, i] = weights[j] * mechanism.weights[i][j]
    for i in range(size):
        cases = sum(tickets[j, i] for j in range(size))
        if not cases:
            with pytest.raises(InputError, match=f"got {i}, which"):
                posterior(i, mechanism, prior)
            continue
        found = posterior(i, mechanism, prior)
        assert found.probabilities == tuple(Fraction(tickets[j, i], cases) for j in range(size))
        assert sum(found.probabilities) == 1
        assert found.probabilities[found.mode] == max(found.probabilities)
        level = data.draw(st.fractions(Fraction(1, 100), 1))
        chosen = found.credible_set(level)
        assert found.chance(chosen) >= level
        smaller = itertools.combinations(range(size), len(chosen) - 1)
        assert all(found.chance(other) < level for other in smaller)
        alike = itertools.combinations(range(size), len(chosen))
        assert found.chance(chosen) == max(map(found.chance, alike))


def test_ties_go_to_the_smaller_count():
    flat = Posterior(0, (Fraction(1, 4),) * 4)
    assert flat.mode == 0
    assert flat.credible_set(Fraction(1, 2)) == (0, 1)


@pytest.mark.parametrize(
    ("released", "weights"),
    [
        (-1, (1, 1)),
        (3, (1, 1)),
        (1, (1, 1)),
        (0, (0, 1)),
        (0, (1, 1, 1)),
    ],
)
def test_impossible_outputs(released, weights):
    gapped = Mechanism(((1, 0), (0, 0), (1, 2)), 2)
    with refused(InputError):
        posterior(released, gapped, [Fraction(w) for w in weights])


def test_named_priors():
    found = posterior(0, COIN, Prior.parse("binomial:1/3").weights(2))
    assert found.probabilities == (Fraction(4, 5), Fraction(1, 5))
