"""Docstrings for Sphinx as they are written: code in single backticks, all else plain."""

import re
from itertools import groupby

from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring

SPECIAL = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")
"""Letters that would begin emphasis, a substitution or a reference in reStructuredText."""

WITH_SECTIONS = ("class", "exception", "function", "method")
"""What may have sections in Google's style; a colon in a property's docstring is one of its sentence."""


def read_plainly(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Change the lines of a docstring into reStructuredText, in place; examples are left alone."""
    changed: list[str] = []
    for is_example, block in groupby(marked(lines), key=lambda pair: pair[0]):
        text = "\n".join(line for _, line in block)
        changed += (text if is_example else as_rst(text)).split("\n")
    lines[:] = GoogleDocstring(changed, what=what, name=name).lines() if what in WITH_SECTIONS else changed


def marked(lines: list[str]) -> list[tuple[bool, str]]:
    """Return each line with whether it belongs to an example at a Python prompt."""
    found, inside = [], False
    for line in lines:
        inside = line.lstrip().startswith(">>>") or (inside and bool(line.strip()))
        found.append((inside, line))
    return found


def as_rst(text: str) -> str:
    """Return plain text with code in backticks as reStructuredText."""
    parts = re.split(r"`([^`]+)`", text)
    pieces = [f"``{part.strip()}``" if place % 2 else SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts)]
    return "".join(pieces)
