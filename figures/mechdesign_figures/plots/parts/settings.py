"""Matplotlib's settings of the house style."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl

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
    """Set the house style while a figure is made and saved."""
    with mpl.rc_context(rc=_SETTINGS):
        yield
