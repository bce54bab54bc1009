from dataclasses import replace
from fractions import Fraction

import pytest
from cases import SKEWED

from mechdesign import DesignProblem
from mechdesign.sweeps.landscape import landscape
from mechdesign_catalog.mechanisms.landmarks import class_names


@pytest.mark.parametrize(
    ("n", "alpha", "names"),
    [
        (8, "9/10", ["GM", "WH", "WM", "EM"]),
        (18, "9/10", ["GM", "WM", "EM"]),  # from n = 2 alpha/(1 - alpha) on GM is weakly honest
        (6, "2/5", ["GM", "EM"]),  # GM has every column property up to alpha = 1/2
        (1, "9/10", ["GM"]),
    ],
)
def test_the_classes_of_the_published_flowchart(n, alpha, names):
    assert list(class_names(landscape(DesignProblem(n, alpha)))) == names


def test_outside_the_flowchart_only_landmarks_are_named():
    skewed = class_names(landscape(DesignProblem(4, "9/10", prior=SKEWED)))
    assert "WM" not in skewed
    assert "WH" not in skewed
    assert skewed[-1] == "EM"  # optimal with F under any prior
    assert class_names(landscape(DesignProblem(2, "3/10", loss="L1"))) == ("GM", None)
    assert set(class_names(landscape(DesignProblem(8, "9/10", loss="L1")))) == {None}


def test_a_score_that_is_not_proved_gets_no_landmark():
    found = landscape(DesignProblem(8, "9/10"))
    first, *others = found.classes
    unproved = replace(found, classes=(replace(first, lower_bound=Fraction(9, 10)), *others))
    assert class_names(unproved) == (None, "WH", "WM", "EM")
