"""Signatures for readers: `NDArray[float64]`, `ArrayLike`, and values of named defaults."""

import re
from collections.abc import Iterator
from typing import Any

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

NDARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([^\[\]]+)\]\]")
ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")


def write_plainly(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Return a signature and the type of its result with short names of arrays, and defaults as values."""
    plain = shorter(signature)
    if plain is not None:
        for parameter, default in simple_defaults(value):
            plain = re.sub(rf"(\b{parameter}(?:: [^=]*?)? ?= ?)[A-Z][\w.]*", rf"\g<1>{default!r}", plain, count=1)
    return plain, shorter(result)


def shorter(text: str | None) -> str | None:
    """Return a text with short names of arrays, and `...` for a default that is made anew each time.

    Python writes that one as `<factory>`, with which a signature cannot be read.
    """
    if text is None:
        return None
    plain = text.replace(ARRAY_LIKE, "~numpy.typing.ArrayLike").replace("<factory>", "...")
    return NDARRAY.sub(r"~numpy.typing.NDArray[\1]", plain)


def simple_defaults(value: object) -> Iterator[tuple[str, str | int | float]]:
    """Yield the parameters of a function or a class whose defaults are texts or numbers, with these."""
    function: Any = vars(value).get("__init__") if isinstance(value, type) else getattr(value, "__func__", value)
    code = getattr(function, "__code__", None)
    if code is None:
        return
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    for name, default in [*zip(names, values, strict=True), *(function.__kwdefaults__ or {}).items()]:
        if isinstance(default, str | int | float):
            yield name, default
