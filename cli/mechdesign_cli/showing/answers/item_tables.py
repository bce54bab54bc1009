"""Short tables of how many users have each item."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import printable
from mechdesign_catalog.comparisons.frequency_metrics import top_items
from mechdesign_catalog.datasets.counts.descriptions import DataEntry
from mechdesign_catalog.datasets.items import ItemCounts
from mechdesign_cli.showing.messages import entries_of
from mechdesign_cli.showing.tables import print_facts

MOST_LINES = 32
"""Items that are shown in their own order; of more only the most frequent."""

FEW = 10
MOST_LISTED = 1 << 16
"""Items that a JSON document lists one by one."""


def show_items(items: ItemCounts, entry: DataEntry | None) -> None:
    """Print the facts, and the users of each item or of the most frequent ones."""
    empty = int((items.counts == 0).sum())
    lines = [
        ("users", f"{items.users:,}"),
        ("items", f"{items.k:,}" + (f", {empty:,} of them without a user" if empty else "")),
    ]
    print_facts(about_rows(items.name, entry, lines))
    is_short = items.k <= MOST_LINES
    shown = list(range(items.k)) if is_short else _largest(items)
    labels = [printable(items.label(item))[:60] for item in shown]
    width, digits = max(map(len, labels)), len(f"{items.counts.max():,}")
    print("\nusers of each item" if is_short else "\nmost frequent items")
    for label, item in zip(labels, shown, strict=True):
        count = int(items.counts[item])
        print(f"{label:<{width}}  {count:>{digits},}  {count / items.users:.4f}")


def about_rows(name: str, entry: DataEntry | None, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return facts on a data set: what it is, these, and where it comes from, if it is one of the list."""
    if entry is None:
        return [("data", name), *rows]
    return [("data", f"{name}: {entry.title}"), *rows, ("source", entry.source), ("licence", entry.licence)]


def items_document(items: ItemCounts, entry: DataEntry | None) -> dict[str, Any]:
    """Return the items as a JSON document.

    `items` and `counts` are null for a domain that is too large to list.
    """
    is_listed = items.k <= MOST_LISTED
    return {
        "data": items.name,
        **entries_of(items, "users", "k"),
        "occupied": int(np.count_nonzero(items.counts)),
        "items": [items.label(item) for item in range(items.k)] if is_listed else None,
        "counts": items.counts.tolist() if is_listed else None,
        "largest": [{"item": items.label(item), "count": int(items.counts[item])} for item in _largest(items)],
        "about": None if entry is None else entry.entry(),
    }


def values_csv(items: ItemCounts) -> bytes:
    """Write a column `item` with one row for each user, by rising item, as `privatize --input` reads it."""
    occupied = np.flatnonzero(items.counts).tolist()
    return csv_bytes(("item",), chain.from_iterable([(items.label(i),)] * int(items.counts[i]) for i in occupied))


def _largest(items: ItemCounts) -> list[int]:
    return [int(item) for item in top_items(items.counts, FEW)]
