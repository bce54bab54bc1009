"""Saved pictures: settled, reproducible, described in words, and whole or not at all."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.documents.files import require_writable, write_together
from mechdesign.errors import InputError, quote
from mechdesign_figures.plots.parts.settings import house_style

PICTURE_SUFFIXES = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150

SETTLED, MOST_PASSES = 1e-4, 6
"""A layout is settled when a pass moves nothing by this part of the figure (less than a fifth of a dot); passes."""

PROGRAM = "mechdesign"
WORDS_OF = {
    ".png": ("Title", "Description", "Software"),
    ".svg": ("Title", "Description", "Creator"),
    ".pdf": ("Title", "Subject", "Creator"),
}
"""Where a format keeps title, description and program."""

UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}

_STARTS: WeakKeyDictionary[Axes, tuple[float, float, float, float]] = WeakKeyDictionary()


def require_picture(path: Path) -> None:
    """Refuse, before any work, a picture that could not be written."""
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise InputError(f"plot must end in {', '.join(PICTURE_SUFFIXES)}, got {path}")
    require_writable(path)


@checked
def picture_bytes(picture: Figure | Axes, suffix: str) -> bytes:
    """Return a picture in the format of a suffix (`.png`, `.svg`, `.pdf`), without the time of day in it.

    The same figure gives the same bytes every time, and its title and description in words are in the file. Of axes the
    whole figure is meant that they are on.
    """
    figure = picture if isinstance(picture, Figure) else picture.get_figure(root=True)
    assert figure is not None  # axes without one cannot be had from here
    kind = suffix.lower()
    if kind not in WORDS_OF:
        raise InputError(f"suffix must be one of {', '.join(WORDS_OF)}, got {quote(suffix)}")
    stream = io.BytesIO()
    own, engine = figure.dpi, figure.get_layout_engine()
    with house_style():
        figure.set_dpi(DOTS_PER_INCH)
        settle(figure)
        figure.set_layout_engine("none")
        words = dict(zip(WORDS_OF[kind], (picture_title(figure), describe(figure), PROGRAM), strict=True))
        try:
            figure.savefig(stream, format=kind[1:], dpi=DOTS_PER_INCH, metadata=words | UNDATED.get(kind, {}))
        finally:
            figure.set_layout_engine(engine)
            figure.set_dpi(own)
    return stream.getvalue()


def settle(figure: Figure) -> None:
    """Lay a figure out until nothing moves.

    Constrained layout moves axes by what it measures of their words, which depend on where the axes are: one pass is
    not enough, and where it ends depends on where it began. So axes go back to where they were first, and passes are
    made until one changes nothing that can be seen.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        return
    for axes in figure.axes:
        start = _STARTS.setdefault(axes, axes.get_position(original=True).bounds)
        is_laid_out = axes.get_in_layout()
        axes.set_position(start)
        axes.set_in_layout(is_laid_out)  # which setting a position ends
    before = _places(figure)
    for _ in range(MOST_PASSES):
        engine.execute(figure)
        after = _places(figure)
        if len(after) == len(before) and np.abs(after - before).max(initial=0.0) < SETTLED:
            return
        before = after


def _places(figure: Figure) -> np.ndarray:
    return np.array([axes.get_position(original=True).bounds for axes in figure.axes])


def picture_title(figure: Figure) -> str:
    """Return the title of a picture: that of the figure, else of its first axes that have one."""
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    return next((_plain(title) for title in titles if title), "")


def describe(figure: Figure) -> str:
    """Describe a picture in words, for readers who do not see it: titles, axes with their units, legends."""
    return ". ".join(part for part in _parts(figure) if part)


def _parts(figure: Figure) -> Iterator[str]:
    yield _plain(figure.get_suptitle())
    for axes in figure.axes:
        yield "; ".join(word for word in _axes_words(axes) if word)
    legends = [*figure.legends, *(legend for axes in figure.axes if (legend := axes.get_legend()) is not None)]
    for legend in legends:
        names = [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]
        yield f"Legend: {', '.join(_plain(name) for name in names if name)}"


def _axes_words(axes: Axes) -> Iterator[str]:
    yield _plain(axes.get_title(loc="left") or axes.get_title())
    for label, ticks, side in (
        (axes.get_xlabel(), axes.get_xticklabels(), "across"),
        (axes.get_ylabel(), axes.get_yticklabels(), "upwards"),
    ):
        names = [_plain(tick.get_text()) for tick in ticks if tick.get_text()]
        span = f" from {names[0]} to {names[-1]}" if len(names) > 1 else f" at {names[0]}" if names else ""
        yield f"{side} {_plain(label)}{span}" if label else ""


def _plain(text: str) -> str:
    """One line, without the marks of mathematical text."""
    return " ".join(text.replace(r"\$", "\0").replace("$", "").replace("\0", "$").split())


@checked
def save_picture(picture: Figure | Axes, path: str | Path) -> None:
    """Write a picture to a `.png`, `.svg` or `.pdf` file, whole or not at all; drawn anew it gives the same file.

    Raises:
        InputError: for another suffix, or a file that cannot be written.
    """
    target = Path(path)
    require_picture(target)
    write_together({target: picture_bytes(picture, target.suffix)})
