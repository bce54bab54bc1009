"""The heat map of a report: exact tooltips, and letters that are read on their cells in both themes."""

import re

import pytest

from mechdesign import DesignProblem, design
from mechdesign.pages.assets import style
from mechdesign.pages.heat_map import MOST_DRAWN, MOST_NUMBERED, heat_map, is_light, themes
from mechdesign.rational import fraction_text


@pytest.mark.parametrize("n", [1, MOST_NUMBERED, MOST_DRAWN - 1])
def test_every_cell_has_its_exact_fraction(n):
    mechanism = design(DesignProblem(n, "9/10")).mechanism
    drawn = heat_map(mechanism, 'a "picture" & more')
    titles = re.findall(r"<title>output (\d+), input (\d+): (.*?)</title>", drawn)
    places = [(i, j) for i in range(n + 1) for j in range(n + 1)]
    assert titles == [(str(i), str(j), fraction_text(mechanism.fraction(i, j))) for i, j in places]
    assert 'aria-label="a &quot;picture&quot; &amp; more"' in drawn
    assert len(re.findall(r'<text class="[dl]{2}"', drawn)) == (len(places) if n < MOST_NUMBERED else 0)
    assert 'style="--v:100.0%"' in drawn


def contrast(one, other):
    def luminance(colour):
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_letters_are_read_on_their_cells():
    sheet = style("files/style/tokens.css")
    inks = {name: re.search(rf"--heat-{name}-ink: #(\w+)", sheet)[1] for name in ("dark", "light")}
    dark, light = ([int(inks[name][at : at + 2], 16) / 255 for at in (0, 2, 4)] for name in ("dark", "light"))
    for low, middle, high in themes():
        for step in range(101):
            share = step / 100
            ends, within = ((low, middle), 2 * share) if share <= 0.5 else ((middle, high), 2 * share - 1)
            colour = [a + within * (b - a) for a, b in zip(*ends, strict=True)]
            assert contrast(colour, dark if is_light([low, middle, high], share) else light) >= 4
