"""Show a data set whose users have several attributes, and write its rows and its attributes."""

import json as json_module
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.datasets.counts.descriptions import DataEntry
from mechdesign_catalog.datasets.items import ItemTable, find_item_entry, open_item_table
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law, split_attribute
from mechdesign_catalog.datasets.items.own_columns import read_item_table
from mechdesign_catalog.datasets.items.table import MOST_CELLS
from mechdesign_catalog.multidimensional.tables import PeopleShares, Subset, cells_of, subsets_of
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.showing.messages import printable, say
from mechdesign_cli.showing.tables import console, facts

FROM_VALUES = (
    "{} has the items that occur in {}: for trials alone; for real reports the list must be public, and never come "
    "from the values"
)
MOST_TABLES = 10_000
MOST_LINES = 32
"""Cells of a true table that are shown."""

MOST_SHOWN = 6
"""Items of an attribute that are shown; of more only the most frequent."""


@dataclass(frozen=True)
class TableRequest:
    """Hold what is asked of a table: its attributes in order, all where there are none, and files for both parts.

    It is the set `name`, or the file `input`. `way` is how many attributes a table has whose true shares are asked for.
    """

    name: str | None
    input: Path | None = None
    columns: str | None = None
    people: int | None = None
    seed: int | None = None
    data_dir: Path | None = None
    output: Path | None = None
    domain_output: Path | None = None
    way: int | None = None

    @property
    def is_meant(self) -> bool:
        """Whether rows are asked for, rather than the items of one attribute or of all together."""
        if self.columns is not None or self.domain_output is not None or self.way is not None:
            return True
        if self.name is None:
            return False
        text, attribute = split_attribute(self.name)
        return attribute is None and parse_joint_law(text) is not None

    def deliver(self, json: bool) -> None:
        """Open the table, write the files that are asked for, and show the attributes.

        Raises:
            InputError: for a set without attributes, unknown columns, or files that cannot be written.
        """
        outputs = [path for path in (self.output, self.domain_output) if path is not None]
        require_targets(outputs, None, [] if self.input is None else [self.input], (".csv",))
        if len({path.resolve() for path in outputs}) < len(outputs):
            raise InputError(f"output and domain-output must be two files, got {self.output} for both")
        table = self._opened()
        subsets = [] if self.way is None else self._subsets(table)
        contents = {}
        if self.output is not None:
            contents[self.output] = rows_csv(table)
        if self.domain_output is not None:
            contents[self.domain_output] = Attributes.of(
                dict(zip(table.attributes, table.domains, strict=True))
            ).csv_bytes()
        write_and_say(contents)
        if self.output is not None:
            say(f"{self.output} holds the true values: do not publish it")
        if self.input is not None and self.domain_output is not None:
            say(FROM_VALUES.format(self.domain_output, self.input))
        entry = find_item_entry(table.name)
        if json:
            print(json_module.dumps(table_document(table, entry, subsets), indent=1))
        else:
            show_table(table, entry)
            for subset in subsets:
                show_true_table(table, subset)

    def _opened(self) -> ItemTable:
        names = None if self.columns is None else _names(self.columns)
        if self.input is not None:
            given = {"people": self.people, "seed": self.seed, "data-dir": self.data_dir}
            refuse_options(given, "a data set", f"the file {self.input}")
            return read_item_table(self.input, names)
        assert self.name is not None  # as one of the two is given
        opened = open_item_table(self.name, people=self.people, seed=self.seed, data_dir=self.data_dir)
        return opened if names is None else opened.taken(names)

    def _subsets(self, table: ItemTable) -> list[Subset]:
        d = len(table.attributes)
        if self.way is None or not 1 <= self.way <= d:
            raise InputError(f"tables must be of 1 to {d} attributes, got tables={self.way}")
        if (count := math.comb(d, self.way)) > MOST_TABLES:
            raise InputError(f"tables must be at most {MOST_TABLES:,}, got {count:,} of {self.way} attributes")
        subsets = subsets_of(d, self.way)
        cells = sum(cells_of(table.sizes, subset) for subset in subsets)
        if cells > MOST_CELLS:
            raise InputError(f"tables must have at most {MOST_CELLS:,} cells together, got {cells:,}")
        return subsets


def _names(columns: str) -> list[str]:
    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise InputError(f"columns must be names with commas between them, got columns={shorten(columns) or 'none'}")
    return names


def rows_csv(table: ItemTable) -> bytes:
    """Write a header of attributes and a row for each user, as `privatize --columns` reads them."""
    columns = zip(table.domains, table.values.T, strict=True)
    rows = zip(*(np.array(items, dtype=object)[column] for items, column in columns), strict=True)
    return csv_bytes(table.attributes, rows)


def table_document(table: ItemTable, entry: DataEntry | None, subsets: Sequence[Subset] = ()) -> dict[str, Any]:
    """Return the attributes as a JSON document: items, and the users of each; and the true tables of these subsets."""
    attributes = [
        {"attribute": name, "items": list(items), "counts": table.attribute(name).counts.tolist()}
        for name, items in zip(table.attributes, table.domains, strict=True)
    ]
    about = None if entry is None else entry.entry()
    document: dict[str, Any] = {"data": table.name, "users": table.users, "attributes": attributes, "about": about}
    if subsets:
        document["tables"] = [
            {
                "attributes": [table.attributes[i] for i in subset],
                "cells": [{"items": list(items), "share": share} for items, share in _true_cells(table, subset)],
            }
            for subset in subsets
        ]
    return document


def _true_cells(table: ItemTable, subset: Subset) -> list[tuple[tuple[str, ...], float]]:
    """The items and the true share of each cell, the last attribute changing fastest."""
    shares = PeopleShares(table.sizes, table.values).table(subset).tolist()
    return list(zip(product(*(table.domains[i] for i in subset)), shares, strict=True))


def show_true_table(table: ItemTable, subset: Subset) -> None:
    """Print the true share of each cell, of many the first ones."""
    cells = _true_cells(table, subset)
    print(f"\n{printable(', '.join(table.attributes[i] for i in subset))}: true shares")
    shown = [(f"{share:.4f}", printable(", ".join(items))) for items, share in cells[:MOST_LINES]]
    console().print(facts(shown, console().width))
    if len(cells) > MOST_LINES:
        print(f"the first {MOST_LINES} of {len(cells):,} cells; --json has all")


def show_table(table: ItemTable, entry: DataEntry | None) -> None:
    """Print the facts, and a line for each attribute with the shares of its items or of the most frequent ones."""
    screen = console()
    lines = [
        ("data", table.name if entry is None else f"{table.name}: {entry.title}"),
        ("users", f"{table.users:,}"),
        ("attributes", f"{len(table.attributes)}"),
    ]
    if entry is not None:
        lines += [("source", entry.source), ("licence", entry.licence)]
    screen.print(facts(lines, screen.width))
    print("\nshares of items")
    shares = [(printable(name), _shares(table, name)) for name in table.attributes]
    screen.print(facts(shares, screen.width))


def _shares(table: ItemTable, name: str) -> str:
    found = table.attribute(name)
    order = range(found.k) if found.k <= MOST_SHOWN else np.argsort(-found.counts, kind="stable")[:MOST_SHOWN].tolist()
    listed = [f"{printable(found.label(item))} {found.counts[item] / found.users:.4f}" for item in order]
    return ", ".join([*listed, *([f"and {found.k - MOST_SHOWN} more"] if found.k > MOST_SHOWN else [])])
