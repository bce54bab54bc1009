"""The command `mechdesign data`: the data sets, or one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.counts import CountHistogram, GroupedCounts, Synthetic
from mechdesign_catalog.datasets.counts.descriptions import DataEntry, find_entry
from mechdesign_catalog.datasets.descriptions import list_data_sets
from mechdesign_catalog.datasets.items import find_item_entry, means_items, open_items
from mechdesign_catalog.datasets.items.opening import is_drawn
from mechdesign_catalog.datasets.items.own_columns import count_bins
from mechdesign_cli.files.data_tables import SeveralAttributes
from mechdesign_cli.files.targets import require_targets, say_true, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.parsing.data_options import (
    DataSource,
    group_in_public_order,
    note_dropped,
    refuse_options,
    usual_size,
)
from mechdesign_cli.parsing.items import value_names
from mechdesign_cli.parsing.numbers import seed_number
from mechdesign_cli.python_text import CATALOG, FIGURES, PythonText
from mechdesign_cli.record import Command, Group, argument, option
from mechdesign_cli.showing.answers.item_tables import about_rows, items_document, show_items, values_csv
from mechdesign_cli.showing.messages import entries_of, print_result
from mechdesign_cli.showing.pictures import picture, print_histogram
from mechdesign_cli.showing.tables import print_entry, print_facts


class NamedOrOwn(DataSource):
    """A set by its name, the argument, or a file."""

    data: str | None = argument("A data set, such as adult or binomial:0.1; leave it out for the list.")
    people: int | None = option("Number of people in synthetic data (default 10000; 262144 for taxi, films, skewed).")


class Items(Group, title="Items"):
    """Users with one of k items: how many they are made of, and where their list goes."""

    k: int | None = option("Number of items of a synthetic set.", metavar="K")
    domain: Path | None = option("File for the public list of the items, one a line.")


class Bins(Group, title="Bins of numbers or dates"):
    """Bins in which numbers or dates of a file are counted."""

    bins: list[str] | None = option("With --input and --column: count users in each bin FIRST:LAST:STEP.")
    beyond: str | None = option("Values outside the bins: refuse (the default) or clip.")


class Data(Command):
    """A set is shown as true counts of its groups, numbers of users by item, or users with several attributes.

    A set has items where each user has one of k (titanic, adult:sex, commuting:county). With --columns, --tables or
    --domain-output, and for taxi, films and skewed, users have an item of each attribute.

    For a file of your own, these are the items that occur in it, or with --bins the users in each bin. Use this for
    trials only.

    Example: mechdesign data saxony --output counts.csv

    Example: mechdesign data cauchy:0.3 --k 1024 --people 5000 --seed 1 --output items.csv --domain domain.txt

    Example: mechdesign data titanic --output people.csv --domain-output attributes.csv --columns class,sex,survived
    """

    n: options.OptionalGroupSize = None
    seed: int | None = option("Seed that makes random data and order reproducible.", parser=seed_number)
    output: Path | None = option(
        "The true count of each group, or each user's item (for local privatize).", "--output", "-o", metavar="CSV"
    )
    plot: Path | None = option("Draw the histogram to .png, .svg or .pdf.")
    json: options.Json = False
    source: NamedOrOwn
    items: Items
    several: SeveralAttributes
    binned: Bins

    def run(self) -> None:
        """List the sets, or show one in the form that is asked for."""
        name, input = self.source.data, self.source.input
        if not self.source.given():
            if self.given("json"):
                raise InputError("NAME must be given with options, got options alone; try mechdesign data saxony")
            list_sets(self.json)
            return
        if (name is None) == (input is None):
            got = "neither" if name is None else "both"
            raise InputError(f"data must be named (mechdesign data saxony) or read from --input, got {got}")
        if self.binned.bins is not None:
            self._show_bins(self.binned.bins)
            return
        if self.binned.beyond is not None:
            raise InputError("--beyond goes with --bins")
        if self.several.is_meant(name) and self.items.domain is None:
            own = {"n": self.n, "k": self.items.k, "plot": self.plot}
            others = {**self.source.given("data", "input", "people", "data_dir"), **own}
            owner = "a file" if name is None else shorten(name)
            refuse_options(others, "counts of groups or items", f"the attributes of {owner}")
            self.several.deliver(self.source, self.seed, self.output, self.json)
            return
        for given in self.several.given():
            raise InputError(f"--{given} goes with a set of several attributes without --domain")
        if name is not None and means_items(name):
            self._show_items(name)
        else:
            self._show_counts()

    def python(self, text: PythonText) -> None:
        """Write a data set, or the list of them."""
        source, name = self.source, self.source.data
        if name is None and source.input is None:
            text.use(CATALOG, "list_data_sets")
            text.add("for entry in list_data_sets():", "    print(entry.name, entry.title, entry.obtained)")
            return
        if self.binned.bins is not None:
            bins = self.binned.bins if len(self.binned.bins) > 1 else self.binned.bins[0]
            count = text.use(CATALOG, "count_bins")
            text.call("counts", count, source.input, self._columns(), bins, **self.binned.arguments("bins"))
            text.add("print(counts.users, counts.counts)")
        elif self.several.is_meant(name) and self.items.domain is None:
            self.several.python(text, source, self.seed)
        elif name is not None and means_items(name):
            made = {"k": self.items.k, "people": source.people, "seed": self.seed, "data_dir": source.data_dir}
            text.call("counts", text.use(CATALOG, "open_items"), name, **made)
            text.add("print(counts.users, counts.k, counts.counts)")
        else:
            source.python(text, self.seed)
            text.add(f"groups = data.grouped({self.n or 'data.own_n or 8'})", "print(groups.groups, groups.histogram)")
            if self.plot is not None:
                text.picture(self.plot, f"{text.use(FIGURES, 'plot_counts')}(groups)")
        for path in (self.output, self.items.domain):
            if path is not None:
                text.leave_out(path, "data")

    def _columns(self) -> list[str]:
        """Return the columns of numbers or dates."""
        names = value_names(self.source.column, self.several.columns)
        if names is None:
            raise InputError(
                f"--column must be given with --bins, got none; a name in the header of {self.source.input}"
            )
        return names

    def _show_bins(self, bins: list[str]) -> None:
        """Show how many users of a file have their number or date in each bin."""
        if self.source.input is None:
            raise InputError("--bins goes with --input, got it with a named set")
        given = self.given("input", "column", "columns", "bins", "beyond", "json")
        refuse_options(given, "other data", "--bins")
        items = count_bins(self.source.input, self._columns(), bins, self.binned.beyond)
        print_result(self.json, items_document, show_items, items, None)

    def _show_items(self, name: str) -> None:
        given = {"target": self.source.target, "n": self.n, "plot": self.plot}
        given |= self.source.given("data", "people", "data_dir", "target")
        refuse_options(given, "counts of groups", f"the items of {shorten(name)}")
        output, domain = self.output, self.items.domain
        require_targets([output], None, [], (".csv",))
        require_targets([domain], None, [], (".txt", ".csv"))
        if output is not None and domain is not None and output.resolve() == domain.resolve():
            raise InputError(f"output and domain must be two files, got {output} for both")
        if self.seed is not None and not is_drawn(name):
            raise InputError(f"--seed goes with random data, got it with {shorten(name)}")
        source = self.source
        items = open_items(name, k=self.items.k, people=source.people, seed=self.seed, data_dir=source.data_dir)
        entry = find_item_entry(items.name)
        contents = {} if output is None else {output: values_csv(items)}
        if domain is not None:
            contents[domain] = "".join(f"{items.label(item)}\n" for item in range(items.k)).encode()
        write_and_say(contents)
        say_true(output, "values")
        print_result(self.json, items_document, show_items, items, entry)

    def _show_counts(self) -> None:
        refuse_options(self.items.given(), "items", "counts of groups")
        require_targets([self.output], self.plot, self.source.files_read(), (".csv",))
        chosen = self.source.read(self.seed)
        if self.seed is not None and not isinstance(chosen, Synthetic | CountHistogram):
            raise InputError(f"--seed goes with random data, got it with {chosen.name}")
        grouped = group_in_public_order(chosen, usual_size(chosen) if self.n is None else self.n, self.seed)
        entry = find_entry(grouped.source)
        contents: dict[Path, bytes] = {}
        if self.output is not None:
            contents[self.output] = "".join(f"{count}\n" for count in ["count", *grouped.counts.tolist()]).encode()
        if self.plot is not None:
            contents[self.plot] = picture("count_histogram.plot_counts", grouped, self.plot.suffix)
        write_and_say(contents)
        say_true(self.output, "counts")
        note_dropped(grouped)
        print_result(self.json, counts_document, show, grouped, entry)


def list_sets(json: bool) -> None:
    """Print name, title, size, source and licence of each set, and how to get it."""

    def show(entries: Sequence[DataEntry]) -> None:
        for entry in entries:
            print_entry(f"{entry.name}  {entry.title}", _about(entry))

    print_result(json, lambda entries: {"sets": [listed_entry(entry) for entry in entries]}, show, list_data_sets())


def listed_entry(entry: DataEntry) -> dict[str, Any]:
    """Return an entry of the list as JSON: what the set is, and whether it is on this machine.

    `opened_as` is a name to open it by, and `fetch` the command that fetches its files, null where nothing has to be
    fetched.
    """
    missing = entry.opened_as is not None and not entry.is_here
    return {
        **entry.entry(),
        **entries_of(entry, "kind", "n", "opened_as"),
        "here": entry.is_here,
        "fetch": f"mechdesign data {entry.opened_as}" if missing else None,
    }


def _about(entry: DataEntry) -> dict[str, str]:
    here = "; on this machine" if entry.files and entry.is_here else ""
    return {**entries_of(entry, "size", "source", "licence"), "to get it": f"{entry.obtained}{here}"}


def show(grouped: GroupedCounts, entry: DataEntry | None) -> None:
    """Print the facts about the groups and their histogram."""
    lines = [
        *about_rows(
            grouped.source,
            entry,
            [
                ("groups", f"{grouped.groups:,} of n = {grouped.n}"),
                ("people", f"{grouped.people:,}" + (f", and {grouped.dropped} left out" if grouped.dropped else "")),
                ("mean", f"{_mean(grouped):.4f} of {grouped.n}, a share of {_mean(grouped) / grouped.n:.4f}"),
            ],
        )
    ]
    print_facts(lines)
    print_histogram("groups by true count", grouped.histogram)


def counts_document(grouped: GroupedCounts, entry: DataEntry | None) -> dict[str, Any]:
    """Return the groups as a JSON document; `histogram[c]` groups have the count c."""
    return {
        "data": grouped.source,
        **entries_of(grouped, "n", "groups", "people", "dropped"),
        "mean": _mean(grouped),
        "share": _mean(grouped) / grouped.n,
        "histogram": list(grouped.histogram),
        "about": None if entry is None else entry.entry(),
    }


def _mean(grouped: GroupedCounts) -> float:
    return float(grouped.counts.mean())
