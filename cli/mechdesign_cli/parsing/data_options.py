"""Options of data, stated once for every command that reads some."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.counts import (
    CountHistogram,
    CountsTable,
    DataSet,
    GroupedCounts,
    open_data,
    open_table,
)
from mechdesign_catalog.datasets.counts.adult import TARGETS
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import CATALOG, Code, NoPythonError, PythonText
from mechdesign_cli.record import Group, option, shared
from mechdesign_cli.showing.messages import remark

DEFAULT_N = 8

Target = Annotated[
    str | None, shared("adult: income (the default), sex or age.", autocompletion=options.words(*TARGETS))
]
People = Annotated[int | None, shared("Number of people in synthetic data (default 10000).")]
DataFolder = Annotated[Path | None, shared("adult: the folder of its file; else MECHDESIGN_DATA, else fetched.")]
Input = Annotated[Path | None, shared("Your own file, with a header.", metavar="CSV")]


def require_one_source(data: str | None, input: Path | None) -> None:
    """Refuse both a named set and a file, and neither of them."""
    if (data is None) == (input is None):
        got = "neither" if data is None else "both"
        raise InputError(f"exactly one of --data and --input must be given, got {got}")


def refuse_options(given: Mapping[str, object], owner: str, other: str) -> None:
    """Refuse options that go with `owner`, where one of them was given with `other`."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name} goes with {owner}, got it with {other}")


class DataSource(Group, title="Data"):
    """Counts of groups of people: a set by its name (`data`) or a file (`input`), and what goes with each."""

    data: str | None = option(
        "adult, adult-test, saxony, weldon, binomial:P, uniform, zipf:S, constant:C or a file of probabilities."
    )
    target: Target = None
    people: People = None
    data_dir: DataFolder = None
    input: Input = None
    bit: str | None = option("With --input: the column with 1 or 0 for each person, or COLUMN=YES/NO.")
    column: str | None = option("With --input: the column with the true count of each group.")
    group: str | None = option("With --bit: the column that names each person's group.")
    group_size: int | None = option("With --bit: make each N consecutive rows a group.", metavar="N")

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

    def python(self, text: PythonText, seed: int | None = None, *, by_name: bool = False) -> object:
        """Write the line that opens the data, and return their name; a set's own name where that says all (`by_name`).

        Raises:
            NoPythonError: for a file that is none, or a synthetic set whose seed is that of the noise as well.
        """
        if self.input is not None:
            text.call("data", text.use(CATALOG, "open_table"), self.input, **self.arguments("input", "data"))
            return Code("data")
        if self.data is None or (by_name and not self.arguments("data")):
            return self.data
        if by_name and seed is not None:
            raise NoPythonError("one seed for data and noise")
        text.call("data", text.use(CATALOG, "open_data"), self.data, **self.arguments("data"), seed=seed)
        return Code("data")

    def _refuse(self, names: tuple[str, ...], owner: str, other: str) -> None:
        refuse_options({name.replace("_", "-"): getattr(self, name) for name in names}, owner, other)

    def files_read(self) -> list[Path]:
        """List the user's files that must not be written over."""
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


def note_dropped(grouped: GroupedCounts) -> None:
    """Say that a last, incomplete group is left out."""
    if grouped.dropped:
        people = "1 person" if grouped.dropped == 1 else f"{grouped.dropped} people"
        remark(f"{people} of a last, incomplete group of {grouped.source} left out (n = {grouped.n})")
