"""Results as pictures for files, and as histograms of counts in a terminal."""

import sys
from collections.abc import Sequence
from importlib import import_module

from mechdesign_cli.showing.tables import console

MAX_LINES = 40
LONGEST_LINE = 80
EIGHTHS = " ▏▎▍▌▋▊▉"
FULL = "█"


def picture(plot: str, result: object, suffix: str, **named: object) -> bytes:
    """Draw a result by a function of `mechdesign_figures.plots`, as `sweep.plot_sweep`; matplotlib is loaded for it."""
    from mechdesign_figures.plots.parts.saving import picture_bytes

    module, _, name = plot.rpartition(".")
    draw = getattr(import_module(f"mechdesign_figures.plots.{module}"), name)
    return picture_bytes(draw(result, **named), suffix)


def print_histogram(title: str, histogram: Sequence[int]) -> None:
    """Print a histogram under its title, as wide as the terminal."""
    print(f"\n{title}")
    for line in histogram_lines(histogram, console().width, knows_blocks()):
        print(line)


def histogram_lines(histogram: Sequence[int], width: int, blocks: bool = True) -> list[str]:
    """Draw a line for each count between the first and the last that occur: number of groups, and a bar.

    Where these would be more than `MAX_LINES`, neighbouring counts share one. `blocks` False draws with `#` for
    terminals that know no block characters.

    >>> histogram_lines([0, 4, 2, 0], 12)
    ['1  4  ██████', '2  2  ███']
    """
    rows = _rows(histogram)
    labels = max(len(label) for label, _ in rows)
    numbers = max(len(str(groups)) for _, groups in rows)
    room = max(1, min(width, LONGEST_LINE) - labels - numbers - 4)
    top = max(groups for _, groups in rows)
    bars = (_bar(groups, room, top, blocks) for _, groups in rows)
    lines = (f"{label:>{labels}}  {groups:>{numbers}}  {bar}" for (label, groups), bar in zip(rows, bars, strict=True))
    return [line.rstrip() for line in lines]


def _rows(histogram: Sequence[int]) -> list[tuple[str, int]]:
    """Label and groups of each line."""
    occurring = [count for count, groups in enumerate(histogram) if groups]
    first, last = occurring[0], occurring[-1]
    together = -(-(last - first + 1) // MAX_LINES)
    starts = range(first, last + 1, together)
    ends = [min(start + together - 1, len(histogram) - 1) for start in starts]
    return [
        (str(start) if start == end else f"{start}-{end}", sum(histogram[start : end + 1]))
        for start, end in zip(starts, ends, strict=True)
    ]


def _bar(groups: int, room: int, top: int, blocks: bool) -> str:
    """As long as `groups / top` of the room, in eighths of a character; never nothing for something."""
    if not blocks:
        return "#" * max(round(room * groups / top), groups > 0)
    whole, eighth = divmod(max(round(8 * room * groups / top), groups > 0), 8)
    return FULL * whole + EIGHTHS[eighth].strip()


def knows_blocks() -> bool:
    """Return whether standard output can carry block characters."""
    try:
        (FULL + EIGHTHS).encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
