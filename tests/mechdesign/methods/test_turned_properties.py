"""Tests: a property that a half turn does not keep is designed for together with S, and its proof is right."""

import numpy as np
import pytest

from mechdesign import DesignProblem, Model, design
from mechdesign.problem.properties import PROPERTIES
from mechdesign.problem.property import Property
from mechdesign.verify import kernel


def first_over(size):
    """P[0,1] >= P[1,0]."""
    return np.array([1]), np.array([size])


def both_over(size):
    """P[0,1] >= P[1,0], and the half turn of that."""
    last = size * size - 1
    return np.array([1, last - 1]), np.array([size, last - size])


@pytest.fixture
def over(monkeypatch):
    """A property of one corner, ZX, and ZY of two, stated in the engine and in the kernel."""
    known = kernel._require_row

    def require_row(kind, place, m, length, last, properties):
        corners = {"ZX": [(0, 1, 1, 0)], "ZY": [(0, 1, 1, 0), (last, last - 1, last - 1, last)]}
        if kind in corners:
            assert place in corners[kind]
            assert m >= 0
        else:
            known(kind, place, m, length, last, properties)

    monkeypatch.setattr(kernel, "_require_row", require_row)
    for name, pairs in (("ZX", first_over), ("ZY", both_over)):
        made = Property(name, "a corner", "P[0,1] >= P[1,0]", pairs=pairs, in_lattice=False)
        monkeypatch.setitem(PROPERTIES, name, made)
        monkeypatch.setitem(kernel._HOLDS, name, lambda _, w, d: w[0][1] >= w[1][0])


@pytest.mark.parametrize("model", [Model.count(5), Model.ldp(5)], ids=["count", "ldp"])
@pytest.mark.parametrize("others", ["", ",RM", ",WH,CM"])
@pytest.mark.parametrize("aggregate", ["expected", "worst"])
def test_a_row_and_its_half_turn_are_one_under_symmetry(over, model, others, aggregate):
    one, two, none = (
        design(DesignProblem(model=model, alpha="1/2", properties=f"{names}S{others}", loss="L2", aggregate=aggregate))
        for names in ("ZX,", "ZY,", "")
    )
    assert (one.status, one.score) == ("exact", two.score)
    assert one.score >= none.score
    assert not PROPERTIES["ZX"].keeps_rotation
    assert PROPERTIES["ZY"].keeps_rotation


def test_some_multiplier_is_of_the_row(over):
    best = design(DesignProblem(5, "1/2", properties="ZX,S,CM", loss="L2"))
    assert [row[:5] for row in best.certificate["rows"] if row[0] == "ZX"] == [("ZX", 0, 1, 1, 0)]
