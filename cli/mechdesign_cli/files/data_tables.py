"""Data sets whose users have several attributes: on the screen, as rows, as attributes."""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.documents.tabular import csv_bytes
from mechdesign.errors import InputError, printable, shorten
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.datasets.counts.descriptions import DataEntry
from mechdesign_catalog.datasets.items import ItemTable, find_item_entry, open_item_table
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law, split_attribute
from mechdesign_catalog.datasets.items.own_columns import read_item_table
from mechdesign_catalog.datasets.items.table import MOST_CELLS
from mechdesign_catalog.decoders.tables.subsets import PeopleShares, Subset, cells_of, subsets_of
from mechdesign_cli.files.targets import require_targets, say_true, write_and_say
from mechdesign_cli.parsing.data_options import DataSource, refuse_options
from mechdesign_cli.python_text import CATALOG, PythonText
from mechdesign_cli.record import Group, option
from mechdesign_cli.showing.answers.item_tables import about_rows
from mechdesign_cli.showing.messages import print_result, say
from mechdesign_cli.showing.tables import print_facts

FROM_VALUES = (
    "{} has the items that occur in {}: for trials alone; for real reports the list must be public, and never come "
    "from the values"
)
MOST_TABLES = 10_000
MOST_LINES = 32
"""Cells of a true table that are shown."""

MOST_SHOWN = 6
"""Items of an attribute that are shown; of more only the most frequent."""


class SeveralAttributes(Group, title="Several attributes"):
    """Users with an item of each attribute: which are taken, in this order, and what else is asked of them."""

    columns: str | None = option("Attributes to take from adult, taxi or --input, separated by commas.")
    tables: int | None = option("Also show the true table of every K of the attributes.", metavar="K")
    domain_output: Path | None = option(
        "The public list of all attributes' items; --output then has a row for each user.", metavar="CSV"
    )

    def is_meant(self, name: str | None) -> bool:
        """Return whether rows are asked for, rather than the items of one attribute or of all together."""
        if self.given():
            return True
        text, attribute = ("", None) if name is None else split_attribute(name)
        return attribute is None and parse_joint_law(text) is not None

    def deliver(self, source: DataSource, seed: int | None, output: Path | None, json: bool) -> None:
        """Open the table, write the files that are asked for, and show the attributes.

        Raises:
            InputError: for a set without attributes, unknown columns, or files that cannot be written.
        """
        require_targets([output, self.domain_output], None, [source.input], (".csv",))
        table = self._opened(source, seed)
        subsets = self._subsets(table)
        contents = {} if output is None else {output: rows_csv(table)}
        if self.domain_output is not None:
            domains = dict(zip(table.attributes, table.domains, strict=True))
            contents[self.domain_output] = Attributes.of(domains).csv_bytes()
        write_and_say(contents)
        say_true(output, "values")
        if source.input is not None and self.domain_output is not None:
            say(FROM_VALUES.format(self.domain_output, source.input))
        entry = find_item_entry(table.name)
        print_result(json, table_document, show_table, table, entry, subsets)

    def python(self, text: PythonText, source: DataSource, seed: int | None) -> None:
        """Write the table of users, the true tables, and the list of items."""
        if source.input is not None:
            text.call("table", text.use(CATALOG, "read_item_table"), source.input, self._names())
        else:
            made = {"people": source.people, "seed": seed, "data_dir": source.data_dir}
            text.call("table", text.use(CATALOG, "open_item_table"), source.data, **made)
            if self.columns is not None:
                text.call("table", "table.taken", self._names())
        text.add("print(table.users, table.attributes, table.domains)")
        if self.tables is not None:
            text.use("itertools", "combinations")
            text.add(
                f"for names in combinations(table.attributes, {self.tables}):",
                "    print(names, table.taken(names).joint().frequencies)",
            )
        if self.domain_output is not None:
            text.use(CATALOG, "Attributes")
            text.write(self.domain_output, "Attributes.of(dict(zip(table.attributes, table.domains))).csv_bytes()")

    def _names(self) -> list[str] | None:
        if self.columns is None:
            return None
        names = [name.strip() for name in self.columns.split(",")]
        if not all(names):
            got = shorten(self.columns) or "none"
            raise InputError(f"columns must be names separated by commas, got columns={got}")
        return names

    def _opened(self, source: DataSource, seed: int | None) -> ItemTable:
        names = self._names()
        if source.input is not None:
            given = {"people": source.people, "seed": seed, "data-dir": source.data_dir}
            refuse_options(given, "a data set", f"the file {source.input}")
            return read_item_table(source.input, names)
        assert source.data is not None  # as one of the two is given
        opened = open_item_table(source.data, people=source.people, seed=seed, data_dir=source.data_dir)
        return opened if names is None else opened.taken(names)

    def _subsets(self, table: ItemTable) -> list[Subset]:
        """List the subsets of attributes whose true tables are asked for."""
        if self.tables is None:
            return []
        d = len(table.attributes)
        if not 1 <= self.tables <= d:
            raise InputError(f"tables must be of 1 to {d} attributes, got tables={self.tables}")
        if (count := math.comb(d, self.tables)) > MOST_TABLES:
            raise InputError(f"tables must be at most {MOST_TABLES:,}, got {count:,} of {self.tables} attributes")
        subsets = subsets_of(d, self.tables)
        cells = sum(cells_of(table.sizes, subset) for subset in subsets)
        if cells > MOST_CELLS:
            raise InputError(f"tables must have at most {MOST_CELLS:,} cells together, got {cells:,}")
        return subsets


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
    print_facts(shown)
    if len(cells) > MOST_LINES:
        print(f"the first {MOST_LINES} of {len(cells):,} cells; --json has all")


def show_table(table: ItemTable, entry: DataEntry | None, subsets: Sequence[Subset] = ()) -> None:
    """Print the facts, a line for each attribute with the shares of its most frequent items, and the true tables."""
    lines = [("users", f"{table.users:,}"), ("attributes", f"{len(table.attributes)}")]
    print_facts(about_rows(table.name, entry, lines))
    print("\nshares of items")
    print_facts([(printable(name), _shares(table, name)) for name in table.attributes])
    for subset in subsets:
        show_true_table(table, subset)


def _shares(table: ItemTable, name: str) -> str:
    found = table.attribute(name)
    order = range(found.k) if found.k <= MOST_SHOWN else np.argsort(-found.counts, kind="stable")[:MOST_SHOWN].tolist()
    listed = [f"{printable(found.label(item))} {found.counts[item] / found.users:.4f}" for item in order]
    return ", ".join([*listed, *([f"and {found.k - MOST_SHOWN} more"] if found.k > MOST_SHOWN else [])])
