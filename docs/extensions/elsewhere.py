"""Links to the types of other libraries in signatures.

Every other name without a page is an error.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PYTHON = "https://docs.python.org/3/library/"
NUMPY = "https://numpy.org/doc/stable/reference/"
MATPLOTLIB = "https://matplotlib.org/stable/api/"
NARWHALS = "https://narwhals-dev.github.io/narwhals/api-reference/typing/"
MBI = "https://github.com/ryan112358/mbi"

ADDRESSES = {
    "concurrent.futures._base.Executor": f"{PYTHON}concurrent.futures.html#concurrent.futures.Executor",
    "contextlib.AbstractContextManager": f"{PYTHON}contextlib.html#contextlib.AbstractContextManager",
    "fractions.Fraction": f"{PYTHON}fractions.html#fractions.Fraction",
    "matplotlib.axes._axes.Axes": f"{MATPLOTLIB}axes_api.html#matplotlib.axes.Axes",
    "matplotlib.colors.Normalize": f"{MATPLOTLIB}_as_gen/matplotlib.colors.Normalize.html",
    "matplotlib.figure.Figure": f"{MATPLOTLIB}figure_api.html#matplotlib.figure.Figure",
    "mbi.Domain": MBI,
    "mbi.LinearMeasurement": MBI,
    "narwhals._native.IntoDataFrameT": NARWHALS,
    "narwhals._native.NativeDataFrame": NARWHALS,
    "narwhals._native.NativeSeries": NARWHALS,
    "numpy.bool": f"{NUMPY}arrays.scalars.html#numpy.bool",
    "numpy.dtype": f"{NUMPY}generated/numpy.dtype.html",
    "numpy.float64": f"{NUMPY}arrays.scalars.html#numpy.float64",
    "numpy.int64": f"{NUMPY}arrays.scalars.html#numpy.int64",
    "numpy.ndarray": f"{NUMPY}generated/numpy.ndarray.html",
    "numpy.object_": f"{NUMPY}arrays.scalars.html#numpy.object_",
    "numpy.random._generator.Generator": f"{NUMPY}random/generator.html#numpy.random.Generator",
    "numpy.typing.ArrayLike": f"{NUMPY}typing.html#numpy.typing.ArrayLike",
    "numpy.typing.NDArray": f"{NUMPY}typing.html#numpy.typing.NDArray",
    "numpy.uint64": f"{NUMPY}arrays.scalars.html#numpy.uint64",
    "numpy.uint8": f"{NUMPY}arrays.scalars.html#numpy.uint8",
    "pathlib.Path": f"{PYTHON}pathlib.html#pathlib.Path",
    "rich.table.Table": "https://rich.readthedocs.io/en/stable/reference/table.html#rich.table.Table",
} | {
    f"collections.abc.{name}": f"{PYTHON}collections.abc.html#collections.abc.{name}"
    for name in ("Callable", "Collection", "Iterable", "Iterator", "Mapping", "Sequence")
}
"""Where each name of another library has its page, by the name that signatures have."""


def link_elsewhere(
    app: Sphinx, environment: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.reference | None:
    """Return a link to the page of another library's name, or None where it is not one of those above."""
    address = ADDRESSES.get(node.get("reftarget", ""))
    return nodes.reference("", "", shown, internal=False, refuri=address) if address else None
