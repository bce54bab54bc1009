"""Lettering of pictures: words measured, wrapped and cut, and names kept apart."""

import math
import re
import textwrap
from collections.abc import Sequence

from matplotlib.font_manager import FontProperties, findfont, get_font

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 10.0, 9.0, 8.0
"""Points: of titles and of other words as the house style has them, and of remarks."""

POINTS_AN_INCH = 72
MEASURED_AT, PARTS_OF_A_DOT = 600, 64
"""Dots an inch, so that rounding to whole ones does not matter; fonts are measured in parts of them."""

LONGEST_NAME = 28
"""Letters, unless that would make two names alike."""

DIGITS, MOST_DECIMALS = 4, 6
LEAST_WRITTEN_OUT, MOST_WRITTEN_OUT = 1e-3, 1e9
"""Panels whose largest number is outside are in powers of ten."""

JOINT = "\N{NO-BREAK SPACE}"

_FILE = re.compile(r"(?!design:).*/", re.IGNORECASE)


def inches(text: str, size: float = TEXT_SIZE) -> float:
    """Return the width in inches of the widest line of a text, in the current font at `size` points."""
    return max((_line_inches(line, size) for line in text.split("\n") if line.strip()), default=0.0)


def _line_inches(line: str, size: float) -> float:
    font = get_font(findfont(FontProperties()))
    font.set_size(size, MEASURED_AT)
    font.set_text(line)
    return float(font.get_width_height()[0]) / PARTS_OF_A_DOT / MEASURED_AT


def wrapped(text: str, room: float, size: float = TEXT_SIZE) -> str:
    """Break a text into lines of at most about `room` inches; words that are longer themselves are broken."""
    return "\n".join(_in_lines(line, room, size) for line in text.split("\n"))


def _in_lines(line: str, room: float, size: float) -> str:
    wide = inches(line, size)
    letters = len(line)
    while wide > room:
        letters = max(1, min(letters - 1, int(letters * room / wide)))
        made = filled(line, letters)
        wide = inches(made, size)
        if letters == 1 or wide <= room:
            return made
    return line


def filled(text: str, letters: int) -> str:
    """Break a text into lines of so many letters at most; what an equals sign joins stays together.

    >>> filled("n = 8, alpha = 0.9", 16)
    'n = 8,\\nalpha = 0.9'
    """
    joined = text.replace(" = ", f"{JOINT}={JOINT}")
    return textwrap.fill(joined, letters, break_on_hyphens=False).replace(JOINT, " ")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Shorten the names of mechanisms for a picture, so that no two are alike.

    Files go by their name, with as many folders as tell them apart; what is still long is cut in the middle.

    >>> list(short_names(["GM", "/home/us/m.json", "design:WH+RM+CM+RH+CH+F+S:L0:1"]).values())
    ['GM', 'm.json', 'design:WH+RM...+CH+F+S:L0:1']
    """
    distinct = list(dict.fromkeys(names))
    parts = 1
    while len({_end(name, parts) for name in distinct}) < len(distinct):
        parts += 1
    return dict(zip(distinct, cut_names([_end(name, parts) for name in distinct]), strict=True))


def cut_names(names: Sequence[str]) -> list[str]:
    """Cut long names in the middle, so that no two that differ become alike; what cannot be printed is a space.

    >>> cut_names(["Cork", "Cork, the second largest city of the state", "1 $"])
    ['Cork', 'Cork, the se... of the state', '1 \\\\$']
    """
    clean = ["".join(letter if letter.isprintable() else " " for letter in name) for name in names]
    letters = LONGEST_NAME
    while len({_cut(name, letters) for name in clean}) < len(set(clean)):
        letters += 1
    return [_cut(name, letters).replace("$", r"\$") for name in clean]


def _end(name: str, parts: int) -> str:
    """The last parts of a path; other names as they are."""
    return "/".join(name.split("/")[-parts:]) if _FILE.match(name) else name


def _cut(name: str, letters: int) -> str:
    if len(name) <= letters:
        return name
    head = (letters - 3) // 2
    return f"{name[:head]}...{name[head + 3 - letters :]}"


def numbers(values: Sequence[float]) -> list[str]:
    """Write the values of one panel with the same number of decimals: four digits of the largest, two of the least.

    >>> numbers([0.86, 0.8609]), numbers([2, 22.984, 0])
    (['0.8600', '0.8609'], ['2.00', '22.98', '0.00'])
    """
    sizes = [abs(value) for value in values if value] or [1.0]
    if not LEAST_WRITTEN_OUT <= max(sizes) < MOST_WRITTEN_OUT:
        return [f"{value:.{DIGITS - 1}e}" for value in values]
    wanted = max(DIGITS - 1 - _magnitude(max(sizes)), 1 - _magnitude(min(sizes)))
    return [f"{value:,.{min(max(wanted, 0), MOST_DECIMALS)}f}" for value in values]


def _magnitude(size: float) -> int:
    return math.floor(math.log10(size))
