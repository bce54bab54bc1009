"""Certificates of lower bounds: a kind, a scale and named arrays, which one codec reads and writes.

What an array means, and what it proves, is said where its kind is proved: `kernel` for matrices, `bounds` for designs
for workloads, `layer_duals` for laws. A new kind is one entry of `LAYOUTS`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from .kernel import Multiplier
from .texts import UnreadableError, entries, integer, items, rational, shown, whole

MULTIPLIERS = "multipliers"
ROWS, RELAXATION, LEVELS = "rows", "relaxation", "levels"
FLOOR, RECURSION = "floor", "recursion"
LAYER, FAIR, ONLY = "layer", "fair law", "only"
NOISE = "noise table"
"""Kinds: of a matrix, of a design for a workload, of one of levels, of a law and its stages, of a noise table."""

LARGEST_CUT = 1 << 20
MOST_INDEX = 10**9

Array = tuple[Any, ...]


@dataclass(frozen=True)
class Certificate:
    """A proof of a lower bound as it travels with a design; only the kernel says what it proves.

    Attributes:
        kind: one of `LAYOUTS`: it says how the bound follows, and which arrays there are.
        scale: what integers of the arrays are divided by, but for priors and indices.
        arrays: by name.
    """

    kind: str
    scale: int
    arrays: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def get(self, name: str) -> Array | None:
        """Return an array, None where there is none of the name."""
        return self.arrays.get(name)

    def changed(self, **arrays: Array) -> "Certificate":
        """Return the certificate with other arrays of these names."""
        return replace(self, arrays={**self.arrays, **arrays})


class Form(NamedTuple):
    """The form of an array: `read` takes a JSON value, its name and its length.

    `write` gives a text for each integer.
    """

    read: Callable[[object, str, int | None], Array]
    write: Callable[[Array, Callable[[int], str]], object]


def _read_triangle(value: object, name: str, size: int | None) -> Array:
    widths = iter(range(1, (size or 0) + 1))
    return tuple(items(value, name, lambda row, row_name: tuple(items(row, row_name, integer, next(widths))), size))


def _read_multiplier(row: object, name: str) -> Multiplier:
    """Return a row of a dual; whether the problem has such a row is for the kernel to say."""
    if isinstance(row, list) and len(row) == 6:
        kind, i, j, k, h, m = row
        if type(kind) is str and all(type(x) is int for x in (i, j, k, h)):
            return kind, i, j, k, h, integer(m, name)
    raise UnreadableError(f"{name} must be [kind, i, j, k, h, multiplier], got {shown(row)}")


def _read_cut(value: object, name: str, size: int | None) -> tuple[int, tuple[int, ...]]:
    if isinstance(value, list) and len(value) == 2:
        found = items(value[1], name, lambda x, key: whole(x, key, -LARGEST_CUT, LARGEST_CUT), size)
        if sum(found) % 2 == 0:
            raise UnreadableError(f"{name} must have an odd sum, got {shown(value)}")
        return integer(value[0], name), tuple(found)
    raise UnreadableError(f"{name} must be [multiplier, numbers], got {shown(value)}")


def _read_shape(row: object, name: str) -> tuple[int, int, int, int]:
    if isinstance(row, list) and len(row) == 4 and all(type(x) is int for x in row[:3]):
        return row[0], row[1], row[2], integer(row[3], name)
    raise UnreadableError(f"{name} must be [row, noise, noise, multiplier], got {shown(row)}")


def _read_test(row: object, name: str) -> tuple[int, int, int, int, tuple[tuple[int, int], ...]]:
    if isinstance(row, list) and len(row) == 5 and all(type(x) is int for x in row[:3]):
        return row[0], row[1], row[2], integer(row[3], name), tuple(items(row[4], name, _read_test_weight))
    raise UnreadableError(f"{name} must be [guarantee, count, count, weight, weights], got {shown(row)}")


def _read_test_weight(pair: object, name: str) -> tuple[int, int]:
    if isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int:
        return pair[0], integer(pair[1], name)
    raise UnreadableError(f"{name} must have pairs [output, weight], got {shown(pair)}")


INTEGERS = Form(
    lambda value, name, length: tuple(items(value, name, integer, length)),
    lambda array, text: [text(value) for value in array],
)
TRIANGLE = Form(_read_triangle, lambda array, text: [[text(value) for value in row] for row in array])
RATIONALS = Form(
    lambda value, name, length: tuple(items(value, name, rational, length)),
    lambda array, text: [_rational_text(value, text) for value in array],
)
ROWS_OF_LP = Form(
    lambda value, name, length: tuple(items(value, name, _read_multiplier, length)),
    lambda array, text: [[*row[:5], text(row[5])] for row in array],
)
CUTS = Form(
    lambda value, name, size: tuple(items(value, name, lambda cut, cut_name: _read_cut(cut, cut_name, size))),
    lambda array, text: [[text(multiplier), list(cut)] for multiplier, cut in array],
)
SHAPES = Form(
    lambda value, name, length: tuple(items(value, name, _read_shape, length)),
    lambda array, text: [[*row[:3], text(row[3])] for row in array],
)
TESTS = Form(
    lambda value, name, length: tuple(items(value, name, _read_test, length)),
    lambda array, text: [[*row[:3], text(row[3]), [[i, text(y)] for i, y in row[4]]] for row in array],
)
INDEX = Form(lambda value, name, _: (whole(value, name, 0, MOST_INDEX),), lambda array, text: array[0])


def _rational_text(value: Fraction, text: Callable[[int], str]) -> str:
    top = text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{text(value.denominator)}"


class Layout(NamedTuple):
    """The keys of a kind in a document: those of its head, the scale last, if any, then a form for each array's key."""

    head: tuple[str, ...]
    arrays: Mapping[str, Form]


OF_DUAL = {"prior": INTEGERS, "prices": INTEGERS, "dual": TRIANGLE}
LAYOUTS: Mapping[str, Layout] = {
    MULTIPLIERS: Layout(("denominator",), {"rows": ROWS_OF_LP, "prices": INTEGERS, "prior": RATIONALS}),
    ROWS: Layout(("kind", "scale"), OF_DUAL),
    RELAXATION: Layout(("kind", "scale"), {**OF_DUAL, "diagonal": INTEGERS, "cuts": CUTS}),
    LEVELS: Layout(("kind", "scale"), {"prior": INTEGERS, "prices": INTEGERS, "levels": INTEGERS}),
    LAYER: Layout(("kind", "depth", "denominator"), {"prices": INTEGERS, "rows": ROWS_OF_LP, "lowered": INDEX}),
    FLOOR: Layout(("kind",), {}),
    RECURSION: Layout(("kind",), {"multipliers": INTEGERS}),
    FAIR: Layout(("kind",), {}),
    ONLY: Layout(("kind",), {}),
    NOISE: Layout(
        ("denominator",),
        {
            "means": INTEGERS,
            "variances": INTEGERS,
            "stay": INTEGERS,
            "mirror": INTEGERS,
            "shape": SHAPES,
            "tests": TESTS,
        },
    ),
}
"""`depth` is the number of prices."""


def certificate_entry(certificate: Certificate, text: Callable[[int], str] = str) -> dict[str, Any]:
    """Write a certificate as JSON values, each integer by `text`."""
    layout = LAYOUTS[certificate.kind]
    head = dict.fromkeys(layout.head, text(certificate.scale))
    if "kind" in head:
        head["kind"] = certificate.kind
    entry: dict[str, Any] = {**head, **({"depth": len(certificate["prices"])} if "depth" in head else {})}
    arrays = certificate.arrays
    return entry | {key: form.write(arrays[key], text) for key, form in layout.arrays.items() if key in arrays}


def read_certificate(
    value: object,
    kind: str,
    name: str,
    lengths: Mapping[str, int],
    *,
    optional: Collection[str] = (),
    absent: Collection[str] = (),
) -> Certificate:
    """Read a certificate of a kind from JSON values.

    Args:
        value: the JSON object.
        kind: one of `LAYOUTS`.
        name: of the object, for messages.
        lengths: of the arrays, as far as they are known.
        optional: arrays that may be left out.
        absent: arrays that must be.

    Raises:
        UnreadableError: saying what is none.
    """
    layout = LAYOUTS[kind]
    keys = [key for key in layout.arrays if key not in absent]
    entry = entries(value, name, [*layout.head, *(key for key in keys if key not in optional)], optional)
    arrays = {
        key: layout.arrays[key].read(entry[key], f"{name} {key}", lengths.get(key)) for key in keys if key in entry
    }
    scale = 1 if layout.head == ("kind",) else integer(entry[layout.head[-1]], f"{name} {layout.head[-1]}")
    return Certificate(kind, scale, arrays)
