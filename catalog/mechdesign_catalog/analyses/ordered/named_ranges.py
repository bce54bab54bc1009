"""Named ranges of items, from a CSV file."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mechdesign.documents.csv_rows import column_position
from mechdesign.documents.files import FilePath
from mechdesign.documents.sources import open_table
from mechdesign.errors import InputError, shorten
from mechdesign.workloads.arcs import ArcQueries, Arcs
from mechdesign.workloads.queries import Intervals, Rectangles
from mechdesign_catalog.collection.estimates.named_queries import BOTH_ENDS, ENDS, NamedQueries
from mechdesign_catalog.datasets.items.bins import Bins, Grid, ItemDomain
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle


def read_ranges(
    path: FilePath, domain: ItemDomain, oracle: LocalOracle | None = None, *, circle: bool = False
) -> NamedQueries:
    """Read ranges from the columns `first` and `last` of a CSV file, both inclusive, a range a row.

    Each end is an item; of bins it may also be a number or a date that is the first or the last unit of a bin. Pairs of
    bins have the columns `first_1`, `last_1`, `first_2`, `last_2`. On a circle a range from 22 to 3 runs over the end.

    Args:
        path: the CSV file.
        domain: the items.
        oracle: that of the reports; if it is designed for arcs (`circular`), its items lie on a circle.
        circle: whether the items lie on a circle whatever the reports are designed for; of pairs, both sides.

    Raises:
        InputError: for a file that cannot be read or has no range, an unknown item, an end inside a bin or beyond all
            of them, or a first item after its last one on no circle, with the row.
    """
    sides: Sequence[Domain | Bins] = domain.sides if isinstance(domain, Grid) else (domain,)
    wanted = ENDS if len(sides) == 1 else BOTH_ENDS
    with open_table(Path(path)) as source:
        at = [column_position(source.header, name, source.name) for name in wanted]
        cells = [[row[place].strip() for place in at] for row in source.rows]
    if not cells:
        raise InputError(f"ranges must be at least one, got none in {path}")
    names = {name: list(column) for name, column in zip(wanted, zip(*cells, strict=True), strict=True)}
    ends, circles = list[NDArray[np.int64]](), {0, 1} if circle else _circles(oracle)
    for number, side in enumerate(sides):
        first, last = wanted[2 * number : 2 * number + 2]
        ends += _ends(side, names, first, last, str(path), number in circles)
    if len(sides) == 1:
        if (ends[0] > ends[1]).any():
            return NamedQueries(names, ArcQueries(domain.k, ends[0], (ends[1] - ends[0]) % domain.k + 1))
        return NamedQueries(names, Intervals(domain.k, ends[0], ends[1]))
    is_circle = 0 in circles, 1 in circles
    return NamedQueries(names, Rectangles((sides[0].k, sides[1].k), ends[0], ends[1], ends[2], ends[3], is_circle))


def _circles(oracle: LocalOracle | None) -> set[int]:
    """Return which sides, 0 or 1, lie on a circle in the workload that reports are designed for."""
    if not isinstance(oracle, WorkloadOracle):
        return set()
    sides = oracle.workload.sides or (oracle.workload,)
    return {number for number, side in enumerate(sides) if isinstance(side, Arcs)}


def _ends(
    side: Domain | Bins, names: dict[str, list[str]], first: str, last: str, source: str, is_circle: bool
) -> list[NDArray[np.int64]]:
    """Return the numbers of the first and last items of all ranges of one side."""
    ends = [_numbers(side.first_of, names[first], first, source), _numbers(side.last_of, names[last], last, source)]
    turned = ends[0] > ends[1]
    if turned.any() and not is_circle:
        row = int(np.argmax(turned))
        got = f"{shorten(names[first][row])} and {shorten(names[last][row])}"
        raise InputError(
            f"{first} must not be after {last} unless items lie on a circle, got {got} in row {row + 1} of "
            f"{source}; for hours and the like give --circle"
        )
    return ends


def _numbers(find: Callable[[str], int], texts: Sequence[str], name: str, source: str) -> NDArray[np.int64]:
    """Return the item of each text; each different text is looked up once."""
    found: dict[str, int] = {}
    for row, text in enumerate(texts, start=1):
        if text not in found:
            try:
                found[text] = find(text)
            except InputError as error:
                raise InputError(f"{name} {error} in row {row} of {source}") from None
    return np.fromiter(map(found.__getitem__, texts), dtype=np.int64, count=len(texts))
