"""The law of the error against brute force, and simulation against the law."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, Mechanism
from mechdesign.counts import error_law as accuracy_module
from mechdesign.counts.error_law import error_law, simulate_errors
from mechdesign.counts.error_metrics import make_metric, parse_metrics
from mechdesign.counts.measuring import measure
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.geometric import geometric

SIGMAS = 5
"""A simulated mean within five standard errors: by chance it is not once in two million."""

GM = geometric(4, Fraction(9, 10))
HISTOGRAM = (3, 0, 40, 7, 50)


def square_mechanisms(n):
    column = st.lists(st.integers(0, 9), min_size=n + 1, max_size=n + 1).filter(any)
    columns = st.lists(column, min_size=n + 1, max_size=n + 1)
    return columns.map(
        lambda drawn: Mechanism.from_fractions(
            zip(*[[Fraction(x, sum(column)) for x in column] for column in drawn], strict=True)
        )
    )


def brute_force(mechanism, counts, value):
    """Expectation of `value(released)` over every possible release of a few groups."""
    total = Fraction(0)
    for released in itertools.product(range(mechanism.n_outputs), repeat=len(counts)):
        chance = math.prod((mechanism.fraction(i, j) for i, j in zip(released, counts, strict=True)), start=Fraction(1))
        total += chance * value(released)
    return total


@settings(max_examples=30)
@given(square_mechanisms(2), st.lists(st.integers(0, 2), min_size=1, max_size=4))
def test_expectations_against_every_possible_release(mechanism, counts):
    law = error_law(mechanism, np.bincount(counts, minlength=3).tolist())
    assert sum(law.shares) == 1
    per_group = {
        "error-rate": lambda i, j: i != j,
        "L0:1": lambda i, j: abs(i - j) > 1,
        "L1": lambda i, j: abs(i - j),
        "L2:1": lambda i, j: (i - j) ** 2 * (abs(i - j) > 1),
        "bias": lambda i, j: i - j,
        "error:-1": lambda i, j: i - j == -1,
    }
    for name, charge in per_group.items():

        def mean(released, charge=charge):
            return Fraction(sum(int(charge(i, j)) for i, j in zip(released, counts, strict=True)), len(counts))

        assert make_metric(name, 2).before_root(law) == brute_force(mechanism, counts, mean), name
    root = make_metric("rmse", 2)
    assert root.expected(law) == math.sqrt(make_metric("L2", 2).before_root(law))


def test_uniform_guessing_is_wrong_n_times_in_n_plus_1():
    mechanism = Mechanism(((1, 1, 1),) * 3, 3)
    assert error_law(mechanism, [5, 0, 2]).shares[2] == Fraction(1, 3)


@pytest.mark.parametrize("mechanism", [GM, explicit_fair(4, Fraction(2, 3))], ids=["GM", "EM"])
def test_simulation_agrees_with_the_law(mechanism):
    metrics = parse_metrics("error-rate,L0:d,L1:1,L2,bias,error-histogram", 4)
    for measured in measure(mechanism, HISTOGRAM, metrics, 400, seeded_words(7)):
        error = measured.standard_error
        if error == 0:
            assert measured.mean == pytest.approx(measured.expected, abs=1e-15), measured.metric
        else:
            assert abs(measured.mean - measured.expected) < SIGMAS * error, measured.metric


def test_rmse_agrees_on_the_mean_square():
    rmse = make_metric("rmse", 4)
    squares = rmse.square.simulated(simulate_errors(GM, HISTOGRAM, 400, seeded_words(8)))
    expected = rmse.square.expected(error_law(GM, HISTOGRAM))
    assert abs(squares.mean() - expected) < SIGMAS * squares.std(ddof=1) / math.sqrt(400)
    assert rmse.expected(error_law(GM, HISTOGRAM)) == pytest.approx(math.sqrt(expected))


def test_every_repetition_has_every_group_in_chunks_too(monkeypatch):
    whole = simulate_errors(GM, HISTOGRAM, 20, seeded_words(3))
    assert whole.shape == (20, 9)
    assert (whole.sum(axis=1) == sum(HISTOGRAM)).all()
    monkeypatch.setattr(accuracy_module, "DRAWS_AT_ONCE", 100)
    told = []
    parts = simulate_errors(GM, HISTOGRAM, 20, seeded_words(3), told.append)
    assert (parts == whole).all()
    assert sum(told) == 20 * sum(HISTOGRAM)


def test_a_seed_repeats_and_the_system_does_not():
    once, again = (simulate_errors(GM, HISTOGRAM, 3, seeded_words(1)) for _ in range(2))
    assert (once == again).all()
    assert (simulate_errors(GM, [0, 0, 10**5, 0, 0], 1) != simulate_errors(GM, [0, 0, 10**5, 0, 0], 1)).any()


def test_one_repetition_has_no_standard_error():
    (measured,) = measure(GM, HISTOGRAM, parse_metrics("bias", 4), 1, seeded_words(1))
    assert (measured.deviation, measured.standard_error) == (None, None)


def test_mean_and_standard_error_of_known_values():
    """Two repetitions, by hand: errors 0 and 2 of one group, so RMSEs of 0 and 2."""
    rmse = make_metric("rmse", 2)
    assert rmse.simulated(np.array([[0, 0, 1, 0, 0], [0, 0, 0, 0, 1]])).tolist() == [0.0, 2.0]
    (measured,) = measure(GM, HISTOGRAM, [make_metric("bias", 4)], 9, seeded_words(1))
    values = make_metric("bias", 4).simulated(simulate_errors(GM, HISTOGRAM, 9, seeded_words(1)))
    assert measured.mean == pytest.approx(values.mean())
    assert measured.standard_error == pytest.approx(values.std(ddof=1) / 3)


def test_metric_names():
    names = [metric.name for metric in parse_metrics("error-rate,l0:1,L1:d,RMSE,error-histogram,L0:1", 2)]
    bars = [f"error:{e}" for e in range(-2, 3)]
    assert names == ["error-rate", "L0:1", "L1:0", "L1:1", "rmse", *bars]


@pytest.mark.parametrize(
    "name",
    [
        "rms",
        "errorrate",
        "",
        "error:5",
        "L999",
    ],
)
def test_unknown_metrics(name):
    with refused(InputError):
        parse_metrics(name, 4)


@pytest.mark.parametrize(
    ("histogram", "repetitions"),
    [
        ([1, 2], 1),
        ([0] * 5, 1),
        ([1, -1, 1, 1, 1], 1),
        (HISTOGRAM, 0),
    ],
)
def test_unusable_data(histogram, repetitions):
    with refused(InputError):
        simulate_errors(GM, histogram, repetitions)


def test_a_matrix_that_is_not_square_has_no_errors():
    with refused(InputError, about="mechanism"):
        error_law(Mechanism(((1,), (1,)), 2), [1])


def test_what_never_varies_has_no_deviation():
    """With rounded sums 30 times the same value has another mean, and a standard error of dust."""
    always_two = Mechanism(tuple((int(i == 2),) * 5 for i in range(5)), 1)
    for measured in measure(always_two, (0, 3, 0, 7, 0), parse_metrics("L1:0,error:1,rmse", 4), 30, seeded_words(1)):
        assert (measured.deviation, measured.standard_error) == (0, 0)
        assert measured.mean == measured.expected
