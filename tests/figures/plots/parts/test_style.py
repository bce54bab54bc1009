import itertools
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from mechdesign_figures.plots.parts.style import COLOURS, MECHANISM_LOOKS, mechanism_looks, short

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


@pytest.mark.parametrize("known", [0, 1, 4, 8])
def test_no_two_of_twenty_one_share_two_of_colour_marker_and_dash(known):
    names = [*list(MECHANISM_LOOKS)[:known], *(f"x{k}" for k in range(21 - known))]
    looks = mechanism_looks(names)
    assert list(looks) == names
    assert all(looks[name] == look for name, look in MECHANISM_LOOKS.items() if name in looks)
    for one, other in itertools.combinations(looks.values(), 2):
        shared = (one.colour == other.colour) + (one.marker == other.marker) + (one.dash == other.dash)
        assert shared < 2


def test_a_known_name_keeps_its_look_wherever_it_stands():
    assert mechanism_looks(["mine.json", "GM"]) == mechanism_looks(["GM", "mine.json"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("31/50", "0.62"),
        (Fraction(9, 10), "0.9"),
        (0.84, "0.84"),
        ("0.99999", "0.99999"),
        ("10/11", "10/11"),
        (1, "1"),
        (1_000_000, "1000000"),
        ("1234567/7654321", "1234567/7654321"),
        (Fraction(10**40 + 1, 3 * 10**40), "about 0.333333333333"),
    ],
)
def test_numbers_of_titles_are_as_typed(value, text):
    assert short(value) == text


def test_twelve_mechanisms_have_twelve_colours_and_no_two_look_the_same():
    own = [f"design:{k}" for k in range(4)]
    looks = list(mechanism_looks([*MECHANISM_LOOKS, *own]).values())
    assert len({look.colour for look in looks}) == len(looks) == 12
    many = list(mechanism_looks([f"design:{k}" for k in range(21)]).values())
    for one, other in itertools.combinations(many, 2):
        same = (one.colour == other.colour, one.marker == other.marker, one.dash == other.dash)
        assert sum(same) <= 1
