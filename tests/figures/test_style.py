import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from mechdesign_figures.style import COLOURS, MECHANISM_LOOKS, mechanism_looks

TOGETHER = (("GM", "WM", "EM", "UM"), ("UCM", "WM", "FM", "AM", "UM"))
"""Mechanisms that stand in one picture."""


def test_every_mechanism_has_a_look_of_its_own():
    looks = list(MECHANISM_LOOKS.values())
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(looks)


@pytest.mark.parametrize("names", TOGETHER)
def test_in_one_picture_grey_or_dash_tells_them_apart(names):
    for one, other in itertools.combinations((MECHANISM_LOOKS[name] for name in names), 2):
        greys = [np.dot(to_rgb(look.colour), [0.299, 0.587, 0.114]) for look in (one, other)]
        assert abs(greys[0] - greys[1]) > 0.15 or one.dash != other.dash


def test_others_take_what_is_free_and_keep_it():
    looks = mechanism_looks(["GM", "mine.json", "design:WH:L0", "GM", *(f"x{k}.csv" for k in range(12))])
    assert looks["GM"] == MECHANISM_LOOKS["GM"]
    assert looks["mine.json"].colour == COLOURS[1]
    assert looks["mine.json"].marker != looks["GM"].marker
    assert len({(look.colour, look.dash) for look in looks.values()}) == len(looks) == 15
