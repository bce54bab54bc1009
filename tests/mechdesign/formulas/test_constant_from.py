"""From where on it is best to say n/2 whatever the data: the closed condition against the last piece of the formula."""

from fractions import Fraction

import pytest

from mechdesign import DesignProblem, formula
from mechdesign.methods.closed_forms.remapped_geometric import DIGITS, constant_from


@pytest.mark.parametrize("loss", ["L1", "L2"])
@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_it_is_where_the_last_piece_begins(n: int, loss: str) -> None:
    found = constant_from(DesignProblem(n=n, alpha="1/2", loss=loss))
    last = formula(n=n, loss=loss).pieces[-1]
    assert found is not None
    assert last.score is not None
    assert (len(last.score.numerator), len(last.score.denominator)) == (1, 1)
    assert not last.start.is_above(found)
    assert last.start.is_above(found - Fraction(1, DIGITS))


@pytest.mark.parametrize(
    "stated",
    [{"n": 5}, {"n": 4, "loss": "L0"}, {"n": 4, "properties": "WH"}, {"n": 4, "prior": "binomial:1/3"}, {"n": 4000}],
)
def test_elsewhere_nothing_is_said(stated: dict[str, object]) -> None:
    assert constant_from(DesignProblem(**{"alpha": "1/2", "loss": "L1", **stated})) is None
