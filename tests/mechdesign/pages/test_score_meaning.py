"""What a score means in people's words, beside the same number from the matrix."""

from fractions import Fraction

import pytest

from mechdesign import DesignProblem, design
from mechdesign.pages.words import score_meaning

SIZE = 5


def average(matrix, weights, loss):
    """The mean of a loss, from the matrix."""
    return float(sum(weights[j] * matrix[i][j] * loss(abs(i - j)) for i in range(SIZE) for j in range(SIZE)))


@pytest.mark.parametrize("options", [{}, {"prior": "weights:1,2,3,4,5"}, {"properties": "WH,CM"}])
@pytest.mark.parametrize(
    ("loss", "charge", "text"),
    [
        ("L0", lambda error: error > 0, lambda mean: f"wrong in {100 * mean:.1f} %"),
        ("L0:1", lambda error: error > 1, lambda mean: f"off by more than 1 in {100 * mean:.1f} %"),
        ("L1", lambda error: error, lambda mean: f"off by {mean:.2f} on average"),
        ("L2", lambda error: error**2, lambda mean: f"off by {mean**0.5:.2f}, as a root mean square"),
    ],
    ids=["wrong", "far", "distance", "square"],
)
def test_it_is_the_mean_error_of_the_matrix(loss, charge, text, options):
    problem = DesignProblem(SIZE - 1, "3/4", loss=loss, **options)
    best = design(problem)
    total = 15 if "prior" in options else SIZE
    weights = [Fraction(j + 1 if "prior" in options else 1, total) for j in range(SIZE)]
    expected = text(average(best.mechanism.matrix(), weights, charge))
    assert score_meaning(problem, best.score) == (f"{expected} under the prior" if "prior" in options else expected)


def test_the_worst_input_is_named():
    problem = DesignProblem(SIZE - 1, "3/4", loss="L1", aggregate="worst")
    matrix = design(problem).mechanism.matrix()
    worst = max(sum(matrix[i][j] * abs(i - j) for i in range(SIZE)) for j in range(SIZE))
    assert score_meaning(problem, design(problem).score) == f"off by {float(worst):.2f} on average at the worst input"


def test_what_has_no_word_has_none():
    assert score_meaning(DesignProblem(4, "3/4", loss="PB:0.9"), Fraction(1)) is None
    assert score_meaning(DesignProblem(4, "3/4", loss="L3"), Fraction(1)) is None


@pytest.mark.parametrize(
    ("share", "text"), [(Fraction(1, 10**6), "less than 0.1 %"), (Fraction(99_999, 100_000), "more than 99.9 %")]
)
def test_no_share_is_rounded_to_none_or_all(share, text):
    problem = DesignProblem(4, "3/4")
    assert score_meaning(problem, share * problem.rescaling) == f"wrong in {text}"
