"""Declare the options that say which data, once for every command that reads some."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.counts import (
    CountHistogram,
    CountsTable,
    DataSet,
    GroupedCounts,
    open_data,
    open_table,
)
from mechdesign_cli.parsing.numbers import seed_number, whole_number
from mechdesign_cli.showing.messages import remark

DEFAULT_N = 8

Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="adult, adult-test, saxony, weldon, binomial:P, uniform, zipf:S, constant:C or a file of probabilities.",
    ),
]
Target = Annotated[str | None, typer.Option("--target", help="adult: income (the default), sex or age.")]
People = Annotated[
    int | None,
    typer.Option(
        "--people", help="Synthetic data: how many people, 10000 by default.", parser=whole_number, metavar="PEOPLE"
    ),
]
DataFolder = Annotated[
    Path | None, typer.Option("--data-dir", help="adult: the folder of its file; else MECHDESIGN_DATA, else fetched.")
]
Input = Annotated[Path | None, typer.Option("--input", help="Your own CSV file, with a header.")]
Bit = Annotated[str | None, typer.Option("--bit", help="Its column with 1 and 0 for each person, or COLUMN=YES/NO.")]
Column = Annotated[str | None, typer.Option("--column", help="Its column with the true count of each group.")]
Group = Annotated[str | None, typer.Option("--group", help="With --bit: the column that names each person's group.")]
RowsTogether = Annotated[
    int | None,
    typer.Option(
        "--group-size", help="With --bit: so many consecutive rows are a group.", parser=whole_number, metavar="N"
    ),
]
DataSeed = Annotated[
    int | None,
    typer.Option("--seed", help="Reproducible random data and order.", parser=seed_number, metavar="SEED"),
]


def require_one_source(data: str | None, input: Path | None) -> None:
    """Refuse both a named set and a file, and neither of them."""
    if (data is None) == (input is None):
        got = "neither" if data is None else "both"
        raise InputError(f"exactly one of --data and --input must be given, got {got}")


def refuse_options(given: Mapping[str, object], owner: str, other: str) -> None:
    """Refuse options that go with `owner`, where one of them was given with `other`."""
    for option, value in given.items():
        if value is not None:
            raise InputError(f"--{option} goes with {owner}, got it with {other}")


@dataclass(frozen=True)
class DataRequest:
    """The options that name the data: a set (`data`) or a file (`input`), and what goes with each."""

    data: str | None = None
    target: str | None = None
    people: int | None = None
    data_dir: Path | None = None
    input: Path | None = None
    bit: str | None = None
    column: str | None = None
    group: str | None = None
    group_size: int | None = None

    def check(self) -> None:
        """Refuse, before any reading, options that do not go together.

        Raises:
            InputError: unless exactly one of `data` and `input` is given, or for an option that does not go with it.
        """
        require_one_source(self.data, self.input)
        if self.data is not None:
            self._refuse(("bit", "column", "group", "group_size"), "--input", "--data")
        else:
            self._refuse(("target", "people", "data_dir"), "--data", "--input")

    def read(self, seed: int | None = None) -> DataSet:
        """Read the data set; `seed` makes a synthetic one reproducible.

        Raises:
            InputError: as `check`, and for data that are missing or unusable.
        """
        self.check()
        if self.input is not None:
            return open_table(
                self.input, bit=self.bit, column=self.column, group=self.group, group_size=self.group_size
            )
        assert self.data is not None
        return open_data(self.data, target=self.target, people=self.people, seed=seed, data_dir=self.data_dir)

    def _refuse(self, names: tuple[str, ...], owner: str, other: str) -> None:
        refuse_options({name.replace("_", "-"): getattr(self, name) for name in names}, owner, other)

    def files_read(self) -> list[Path]:
        """The user's files that must not be written over."""
        named = None if self.data is None else Path(self.data)
        return [path for path in (self.input, named) if path is not None and path.is_file()]


def usual_size(data: DataSet) -> int:
    """Return the n to take where none was asked for: the set's own, or 8 people.

    Raises:
        InputError: for a table of counts, which says nothing of n.
    """
    if data.own_n is None and isinstance(data, CountsTable):
        raise InputError(
            f"n must be given for the counts of {data.name}, got none; try --n {max(1, data.counts.max())}"
        )
    return DEFAULT_N if data.own_n is None else data.own_n


def group_in_public_order(data: DataSet, n: int, seed: int | None = None) -> GroupedCounts:
    """Return counts in an order that tells nothing of them.

    The order is that of the source, but shuffled where only a histogram is known.
    """
    grouped = data.grouped(n)
    return data.shuffled(seed) if isinstance(data, CountHistogram) else grouped


def say_what_was_dropped(grouped: GroupedCounts) -> None:
    """Say that a last, incomplete group is left out."""
    if grouped.dropped:
        people = "1 person" if grouped.dropped == 1 else f"{grouped.dropped} people"
        remark(f"{people} of a last, incomplete group of {grouped.source} left out (n = {grouped.n})")
