"""The heat map of a mechanism as a drawing without a script, in the colours of the page that it stands in."""

import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import tooltip
from mechdesign.pages.assets import style

MOST_DRAWN = 65
"""Inputs of a mechanism whose cells are drawn one by one."""

MOST_NUMBERED = 16
WIDEST, SIDE = 44, 528
"""Pixels of a cell at most, and of all cells in a row about."""

EDGE = 40
"""Pixels before the first row and column, for labels."""

ROOM_OF_LABEL = 20
READABLE = 0.179
"""The luminance from which on dark letters are read more easily than light ones, by the ratio of WCAG."""

Colour = tuple[float, ...]


def heat_map(mechanism: Mechanism, words: str) -> str:
    """Draw a mechanism of at most `MOST_DRAWN` inputs; each cell has its fraction as a tooltip, `words` name it all."""
    size = mechanism.n_inputs
    each = min(WIDEST, SIDE // size)
    whole = EDGE + each * size
    top = max(max(row) for row in mechanism.weights)
    cells = "".join(_cells(mechanism, each, top))
    labels = "".join(_labels(size, each))
    down = f'<text class="axis" x="12" y="{EDGE}" writing-mode="tb">output →</text>'
    axes = f'<text class="axis" x="{EDGE}" y="12">input →</text>{down}'
    return (
        f'<svg class="heat" role="img" aria-label="{escape(words)}" viewBox="0 0 {whole} {whole}" width="{whole}">\n'
        f"{axes}{labels}\n{cells}</svg>"
    )


def _cells(mechanism: Mechanism, each: int, top: int) -> Iterator[str]:
    numbered = mechanism.n_inputs <= MOST_NUMBERED
    for i, row in enumerate(mechanism.weights):
        for j, weight in enumerate(row):
            x, y, share = EDGE + j * each, EDGE + i * each, weight / top
            half, within = ("low", 2 * share) if share <= 0.5 else ("high", 2 * share - 1)
            title = f"output {i}, input {j}: {escape(tooltip(mechanism.fraction(i, j)))}"
            yield (
                f'<rect class="{half}" style="--v:{within:.1%}" x="{x}" y="{y}" width="{each - 1}" height="{each - 1}">'
                f"<title>{title}</title></rect>"
            )
            if numbered:
                ink = "".join("d" if is_light(colours, share) else "l" for colours in themes())
                middle = f'x="{x + each / 2:g}" y="{y + each / 2:g}"'
                yield f'<text class="{ink}" {middle}>{_number(weight / mechanism.denominator)}</text>'
        yield "\n"


def _labels(size: int, each: int) -> Iterator[str]:
    for k in range(0, size, -(-ROOM_OF_LABEL // each)):
        middle = EDGE + (k + 0.5) * each
        yield f'<text x="{middle:g}" y="{EDGE - 10}">{k}</text><text x="{EDGE - 12}" y="{middle:g}">{k}</text>'


def _number(value: float) -> str:
    if value == 0:
        return "0"
    return "&lt;.01" if value < 0.005 else f"{value:.2f}".removeprefix("0")


def themes() -> Iterator[list[Colour]]:
    """Yield the stops of the colours, as parts of red, green and blue, of the light theme and of the dark one."""
    sheet = style("files/style/tokens.css")
    found = dict(re.findall(r"--heat-(\w+): light-dark\((.*)\);", sheet))
    pairs = [re.findall(r"#(\w{6})", found[name]) for name in ("low", "middle", "high")]
    for theme in zip(*pairs, strict=True):
        yield [tuple(int(text[at : at + 2], 16) / 255 for at in (0, 2, 4)) for text in theme]


def is_light(stops: list[Colour], share: float) -> bool:
    """Tell whether dark letters are read on the colour of a share in [0, 1]."""
    place = min(share * 2, 1.999999)
    low, high = list(pairwise(stops))[int(place)]
    parts = (a + (place - int(place)) * (b - a) for a, b in zip(low, high, strict=True))
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)) > READABLE
