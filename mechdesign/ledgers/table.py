"""The table of a ledger's entries."""

import math
from collections.abc import Iterable
from fractions import Fraction

from mechdesign.documents.tabular import csv_bytes
from mechdesign.ledgers.entry import Entry
from mechdesign.ledgers.ledger_file import COLUMNS
from mechdesign.problem.privacy import epsilon_bounds, loss_above
from mechdesign.rational import fraction_text, nearest_float


def epsilon_interval(alpha: Fraction) -> tuple[float, float]:
    """Return floats around `-ln alpha`: one that is at most it, and one that is at least it, in shortest decimals too.

    >>> epsilon_interval(Fraction(1, 2))
    (0.6931471805599453, 0.6931471805599454)
    """
    low = epsilon_bounds(alpha)[0]
    below = nearest_float(low)
    while max(Fraction(below), Fraction(repr(below))) > low:
        below = math.nextafter(below, -math.inf)
    return max(below, 0.0), loss_above(alpha)


def entry_cells(entry: Entry) -> dict[str, object]:
    """Return an entry as a row: its attributes in order, and epsilon from below and above behind alpha."""
    low, high = epsilon_interval(entry.alpha)
    cells: dict[str, object] = {}
    for name in COLUMNS:
        cells[name] = getattr(entry, name)
        if name == "alpha":
            cells |= {"alpha": fraction_text(entry.alpha), "epsilon_low": low, "epsilon_high": high}
    return cells | {"state": entry.state.value}


def entries_csv(entries: Iterable[Entry]) -> bytes:
    """Write entries as CSV, with a header; numbers as rationals, and epsilon from below and above."""
    behind = COLUMNS.index("alpha") + 1
    names = (*COLUMNS[:behind], "epsilon_low", "epsilon_high", *COLUMNS[behind:])
    return csv_bytes(names, (entry_cells(entry).values() for entry in entries))
