"""One look for all pictures: colour-blind safe, readable in grey, no chart junk."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from mechdesign import InputError
from mechdesign.files import require_writable

HEAT = "cividis"
"""Perceptually uniform, the same to readers with and without colour vision, monotone in lightness."""

PICTURE_SUFFIXES = (".png", ".svg", ".pdf")
DOTS_PER_INCH = 150

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "mechdesign",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Settings that hold while a figure is made and saved."""
    with mpl.rc_context(rc=_SETTINGS):
        yield


def require_picture(path: Path) -> None:
    """Refuse, before any work, a picture that could not be written."""
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise InputError(f"plot must end in {', '.join(PICTURE_SUFFIXES)}, got {path}")
    require_writable(path)


def picture_bytes(figure: Figure, suffix: str) -> bytes:
    """A picture in the format of a suffix (`.png`, `.svg`, `.pdf`), without the time of day in it."""
    kind = suffix.lower().lstrip(".")
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=DOTS_PER_INCH, metadata=dated.get(kind))
    return stream.getvalue()
