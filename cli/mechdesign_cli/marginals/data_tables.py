"""Show a data set whose users have several attributes, and write its rows and its attributes."""

import csv
import io
import json as json_module
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.attributes import Attributes
from mechdesign_catalog.datasets.counts.descriptions import DataEntry
from mechdesign_catalog.datasets.items import ItemTable, find_item_entry, open_item_table
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law, split_attribute
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.showing.messages import printable, say
from mechdesign_cli.showing.tables import console, facts

MOST_SHOWN = 6
"""Items of an attribute that are shown; of more only the most frequent."""


@dataclass(frozen=True)
class TableRequest:
    """Hold what is asked of a table: its attributes in order, all where there are none, and files for both parts."""

    name: str
    columns: str | None = None
    people: int | None = None
    seed: int | None = None
    data_dir: Path | None = None
    output: Path | None = None
    domain_output: Path | None = None

    @property
    def is_meant(self) -> bool:
        """Whether rows are asked for, rather than the items of one attribute or of all together."""
        if self.columns is not None or self.domain_output is not None:
            return True
        text, attribute = split_attribute(self.name)
        return attribute is None and parse_joint_law(text) is not None

    def deliver(self, json: bool) -> None:
        """Open the table, write the files that are asked for, and show the attributes.

        Raises:
            InputError: for a set without attributes, unknown columns, or files that cannot be written.
        """
        outputs = [path for path in (self.output, self.domain_output) if path is not None]
        require_targets(outputs, None, [], (".csv",))
        if len({path.resolve() for path in outputs}) < len(outputs):
            raise InputError(f"output and domain-output must be two files, got {self.output} for both")
        opened = open_item_table(self.name, people=self.people, seed=self.seed, data_dir=self.data_dir)
        table = opened if self.columns is None else opened.taken(_names(self.columns))
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
        entry = find_item_entry(table.name)
        if json:
            print(json_module.dumps(table_document(table, entry), indent=1))
        else:
            show_table(table, entry)


def _names(columns: str) -> list[str]:
    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise InputError(f"columns must be names with commas between them, got columns={shorten(columns) or 'none'}")
    return names


def rows_csv(table: ItemTable) -> bytes:
    """Write a header of attributes and a row for each user, as `privatize --columns` reads them."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.attributes)
    columns = (
        np.array(items, dtype=object)[column] for items, column in zip(table.domains, table.values.T, strict=True)
    )
    writer.writerows(zip(*columns, strict=True))
    return stream.getvalue().encode()


def table_document(table: ItemTable, entry: DataEntry | None) -> dict[str, Any]:
    """Return the attributes as a JSON document: items, and the users of each."""
    attributes = [
        {"attribute": name, "items": list(items), "counts": table.attribute(name).counts.tolist()}
        for name, items in zip(table.attributes, table.domains, strict=True)
    ]
    about = None if entry is None else entry.entry()
    return {"data": table.name, "users": table.users, "attributes": attributes, "about": about}


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
