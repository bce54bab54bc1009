"""Write arrays in signatures as the sources do: `NDArray[float64]` and `ArrayLike`, not what they stand for."""

import re

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

NDARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([^\[\]]+)\]\]")
ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")


def shorten_arrays(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Return a signature and the type of its result with short names of arrays."""
    return shorter(signature), shorter(result)


def shorter(text: str | None) -> str | None:
    """Return a text with short names of arrays."""
    if text is None:
        return None
    return NDARRAY.sub(r"~numpy.typing.NDArray[\1]", text.replace(ARRAY_LIKE, "~numpy.typing.ArrayLike"))
