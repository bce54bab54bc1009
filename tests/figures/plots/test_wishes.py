"""The picture of wishes: its line, what is shaded, its axes, and wishes that do not go together."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.calibration import Answered, WishRow
from mechdesign.sweeps.wishes import tabulate_wishes
from mechdesign_figures.plots.wishes import plot_wishes


@dataclass(frozen=True)
class One(Answered):
    told: WishRow

    @property
    def row(self):
        return self.told


def wish(error, enough, impossible, asked="error", sought="epsilon"):
    bound = None if impossible is None else Fraction(impossible)
    row = WishRow((asked, Fraction(error)), (sought, Fraction(enough)), Fraction(enough) - 1, bound, {"bits": 3})
    return One(row)


THREE = [wish("0.02", 2, 1), wish("0.01", 4, 3), wish("0.05", "1.5", None)]


def test_the_line_goes_through_all_wishes_and_what_is_impossible_lies_below():
    (axes,) = plot_wishes(THREE).axes
    least, bound = axes.lines
    assert least.get_xydata().tolist() == [[0.01, 4], [0.02, 2], [0.05, 1.5]]
    assert bound.get_xydata().tolist() == [[0.01, 3], [0.02, 1]]
    (shaded,) = axes.collections
    corners = shaded.get_paths()[0].vertices
    assert np.isclose(corners[:, 1].min(), axes.get_ylim()[0])
    assert corners[:, 1].max() == 3
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_chances_have_a_plain_axis_and_no_bound_no_shade():
    (axes,) = plot_wishes([wish("0.8", 1, None, "chance"), wish("0.9", 2, None, "chance")]).axes
    assert (axes.get_xscale(), len(axes.collections)) == ("linear", 0)


def test_a_table_has_a_row_for_each_in_the_order_of_asking():
    assert tabulate_wishes(THREE).entries() == [
        {"error": 0.02, "epsilon": 2, "too_little": 1, "impossible": 1, "bits": 3},
        {"error": 0.01, "epsilon": 4, "too_little": 3, "impossible": 3, "bits": 3},
        {"error": 0.05, "epsilon": 1.5, "too_little": 0.5, "impossible": None, "bits": 3},
    ]


@pytest.mark.parametrize("found", [[], [THREE[0], wish("0.1", 7, 6, sought="users")]], ids=["none", "two kinds"])
def test_wishes_of_several_kinds_are_refused(found):
    for made in (plot_wishes, tabulate_wishes):
        with refused(InputError):
            made(found)
