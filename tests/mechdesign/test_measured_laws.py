"""Laws measured by losses that they do not minimise: against their matrices, programs of one size, and other sums."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest

from mechdesign import DesignProblem, Law, calibrate, design
from mechdesign.laws.geometric_losses import bulk_rest, least_mean_rest, uniform_figures
from mechdesign.laws.measured import MeasuredLaw
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy

N = 60


@pytest.mark.parametrize("properties", ["none", "WH,CM", "F"])
def test_scores_are_those_of_the_matrix(properties):
    for alpha, name in product((Fraction(1, 2), Fraction(4, 5)), ("L0", "L0:2", "L0:20", "L1", "L2")):
        loss, names = Loss.parse(name), frozenset(properties.split(",")) - {"none"}
        worst, mean = (MeasuredLaw(Privacy(alpha), names, loss, is_worst, N) for is_worst in (True, False))
        matrix, scale = worst.law.at(N), loss.rescaling(N + 1)
        columns = [
            Fraction(
                sum(row[j] * loss.charge(i - j).numerator for i, row in enumerate(matrix.weights)), matrix.denominator
            )
            for j in range(N + 1)
        ]
        if loss.counts_errors:
            assert float(worst.score) == pytest.approx(float(scale * max(columns)), rel=1e-15)
            assert float(mean.score) == pytest.approx(float(scale * sum(columns) / (N + 1)), rel=1e-15)
        else:  # an upper end: the group is taken for one without the other end, but for its outputs
            far = N**2 * alpha ** (N // 2 - 20)
            assert max(columns) <= worst.score == mean.score <= max(columns) + far
        assert worst.lower_bound <= scale * sum(columns) / (N + 1)


def test_the_least_mean_of_errors_beyond_d_is_that_of_the_best_design():
    for n, beyond, alpha in product((1, 2, 5, 12), (0, 1, 2), ("1/2", "9/10")):
        if n <= 2 * beyond:
            continue  # d, whatever the count, is right
        a, least = Fraction(alpha), design(DesignProblem(n, alpha=alpha, loss=f"L0:{beyond}")).score
        assert a ** (beyond + 1) * least_mean_rest(a, 0, beyond, n) == least * n / (n + 1)


def test_the_least_mean_of_other_losses_is_no_more_than_that_of_the_best_design():
    for n, name, alpha in product((9, 24), ("L1", "L2"), ("1/5", "1/2", "4/5")):
        least = design(DesignProblem(n, alpha=alpha, loss=name)).score
        found = Fraction(alpha) * least_mean_rest(Fraction(alpha), int(name[1]), 0, n)
        assert found <= least
        assert alpha != "1/5" or found > least * Fraction(9, 10)


def test_sums_without_an_end_term_by_term():
    a = Fraction(7, 10)
    for power, beyond in product((0, 1, 2, 3), (0, 1, 4)):
        terms = [2 * float((1 - a) / (1 + a) * a**k) * k**power for k in range(beyond + 1, 300)]
        assert float(a ** (beyond + 1) * bulk_rest(a, power, beyond)) == pytest.approx(sum(terms), rel=1e-13)


def test_the_uniform_mechanism_column_by_column():
    for n, power, beyond in product((1, 2, 7), (0, 1, 2), (0, 1, 3, 9)):
        losses = [
            [Fraction(abs(i - j) ** power, n + 1) * (abs(i - j) > beyond) for i in range(n + 1)] for j in range(n + 1)
        ]
        columns = [sum(column) for column in losses]
        assert uniform_figures(n, power, beyond) == (sum(columns) / (n + 1), max(columns))


def root(figure):
    """Find the epsilon at which a falling figure of alpha is 0, to 40 digits."""
    with localcontext() as context:
        context.prec = 50
        low, high = Decimal("0.001"), Decimal(20)
        for _ in range(150):
            middle = (low + high) / 2
            low, high = (middle, high) if figure((-middle).exp()) > 0 else (low, middle)
        return Fraction(high)


PEOPLE = 100_000
LARGE = {
    "within 2": (
        {"within": 2, "chance": "0.9"},
        lambda a: 2 * a**3 / (1 + a) - Decimal("0.1"),
        lambda a: 2 * a**3 / (1 + a) * (PEOPLE - 4) / (PEOPLE + 1) - Decimal("0.1"),
    ),
    "within 2, fair": (
        {"within": 2, "chance": "0.9", "properties": "F"},
        lambda a: 1 - (1 - a) / (1 + a) * (1 + 2 * a) - Decimal("0.1"),
        lambda a: 2 * a**3 / (1 + a) * (PEOPLE - 4) / (PEOPLE + 1) - Decimal("0.1"),
    ),
    "worst L1": (
        {"loss": "L1", "score": "1.5", "aggregate": "worst", "properties": "WH,CM"},
        lambda a: 2 * a / (1 - a * a) - Decimal("1.5"),
        lambda a: 2 * a / (1 - a * a) * (1 - (1 + a) / (1 - a) / (PEOPLE + 1)) - Decimal("1.5"),
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_both_ends_of_a_large_group_by_hand_formulas(name):
    asked, upper, lower = LARGE[name]
    found = calibrate(PEOPLE, **asked)
    apart = Fraction(1, 1000)
    assert isinstance(found.proved, Law)
    assert found.is_close == (name != "within 2, fair")
    assert found.upper - apart < root(upper) <= found.upper
    assert found.lower <= root(lower) < found.lower + apart
    assert found.best.score <= found.wish.score < found.refuted.lower_bound
