"""Run `mechdesign data`: list the data sets, or show one."""

import json as json_module
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.errors import InputError, shorten
from mechdesign_catalog.datasets.counts import CountHistogram, GroupedCounts, Synthetic
from mechdesign_catalog.datasets.counts.descriptions import DataEntry, find_entry
from mechdesign_catalog.datasets.descriptions import list_data_sets
from mechdesign_catalog.datasets.items import find_item_entry, means_items, open_items
from mechdesign_catalog.datasets.items.opening import is_drawn
from mechdesign_catalog.datasets.items.own_columns import count_bins
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.files.value_columns import value_names
from mechdesign_cli.marginals.data_tables import TableRequest
from mechdesign_cli.parsing import data_options, numbers, options
from mechdesign_cli.parsing.data_options import DataRequest, group_in_public_order, say_what_was_dropped, usual_size
from mechdesign_cli.showing.answers.item_tables import items_document, show_items, values_csv
from mechdesign_cli.showing.histograms import histogram_lines, knows_blocks
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.tables import console, facts


def data(
    name: Annotated[
        str | None, typer.Argument(help="A data set, such as adult or binomial:0.1; leave it out for the list.")
    ] = None,
    target: data_options.Target = None,
    n: options.OptionalGroupSize = None,
    people: Annotated[
        int | None,
        typer.Option(
            "--people",
            help="Synthetic data: how many people, 10000 by default (262144 for taxi, films, skewed).",
            parser=numbers.whole_number,
            metavar="PEOPLE",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", help="Synthetic items: how many.", parser=numbers.whole_number, metavar="K"),
    ] = None,
    data_dir: data_options.DataFolder = None,
    input: data_options.Input = None,
    bit: data_options.Bit = None,
    column: data_options.Column = None,
    group: data_options.Group = None,
    group_size: data_options.RowsTogether = None,
    seed: data_options.DataSeed = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="CSV file: the true count of each group, or each user's item (for privatize)."
        ),
    ] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="Items: a file for the public list of them, one a line.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Several attributes (adult, taxi, columns of --input): those to take, with commas between them.",
        ),
    ] = None,
    tables: Annotated[
        int | None,
        typer.Option(
            "--tables",
            help="Several attributes: the true tables of so many of them too.",
            parser=numbers.whole_number,
            metavar="K",
        ),
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option("--bins", help="With --input and --column: users in each bin FIRST:LAST:STEP, as privatize has."),
    ] = None,
    beyond: Annotated[
        str | None, typer.Option("--beyond", help="With --bins: refuse values beyond them (as usual), or clip them.")
    ] = None,
    domain_output: Annotated[
        Path | None,
        typer.Option(
            "--domain-output",
            help="Several attributes: a CSV file for the public list of their items; --output then has a row for each "
            "user.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the histogram to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Show the true counts of a set's groups, the number of users of each item, or users with several attributes.

    A set has items where each user has one of k (titanic, adult:sex, commuting:county). With --columns, --tables or
    --domain-output, and for taxi, films and skewed, users have an item of each attribute.

    Of a file of one's own these are the items that occur in it, and with --bins the users in each bin: for trials.

    Example: mechdesign data saxony --output counts.csv

    Example: mechdesign data cauchy:0.3 --k 1024 --people 5000 --seed 1 --output items.csv --domain domain.txt

    Example: mechdesign data titanic --output people.csv --domain-output attributes.csv --columns class,sex,survived
    """
    request = DataRequest(name, target, people, data_dir, input, bit, column, group, group_size)
    if request == DataRequest():
        alone = (n, k, seed, output, domain, columns, tables, bins, beyond, domain_output, plot)
        if any(value is not None for value in alone):
            raise InputError("data must have a name to show a set, got options alone; try mechdesign data saxony")
        list_sets(json)
        return
    if (name is None) == (input is None):
        got = "neither" if name is None else "both"
        raise InputError(f"data must be named (mechdesign data saxony) or read from --input, got {got}")
    if bins is not None:
        others = {"n": n, "k": k, "seed": seed, "domain": domain, "tables": tables, "plot": plot, "output": output}
        show_bins(request, columns, bins, beyond, {**others, "domain-output": domain_output}, json)
        return
    _refuse({"beyond": beyond}, "--bins")
    table = TableRequest(name, input, columns, people, seed, data_dir, output, domain_output, tables)
    if table.is_meant and domain is None:
        _deliver_table(table, {**asdict(request), "n": n, "k": k, "plot": plot}, json)
        return
    _refuse(
        {"columns": columns, "tables": tables, "domain-output": domain_output},
        "a set of several attributes without --domain",
    )
    if name is not None and means_items(name):
        _refuse({"target": target, "n": n, "plot": plot}, f"counts of groups, got it with the items of {shorten(name)}")
        _show_items(name, request, k, seed, output, domain, json)
        return
    _refuse({"k": k, "domain": domain}, "items, got it with counts of groups")
    require_targets([output] if output else [], plot, request.files_read(), (".csv",))
    chosen = request.read(seed)
    if seed is not None and not isinstance(chosen, Synthetic | CountHistogram):
        raise InputError(f"--seed goes with what is random, got it with {chosen.name}")
    grouped = group_in_public_order(chosen, usual_size(chosen) if n is None else n, seed)
    entry = find_entry(grouped.source)
    _write(grouped, output, plot)
    say_what_was_dropped(grouped)
    if json:
        print(json_module.dumps(counts_document(grouped, entry), indent=1))
    else:
        show(grouped, entry)


def _refuse(given: Mapping[str, object], owner: str) -> None:
    for option, value in given.items():
        if value is not None:
            raise InputError(f"--{option} goes with {owner}")


def _deliver_table(table: TableRequest, given: Mapping[str, object], json: bool) -> None:
    others = {
        name.replace("_", "-"): value
        for name, value in given.items()
        if name not in ("data", "input", "people", "data_dir")
    }
    owner = "a file" if table.name is None else shorten(table.name)
    _refuse(others, f"counts of groups or items, got it with the attributes of {owner}")
    table.deliver(json)


def show_bins(
    request: DataRequest,
    columns: str | None,
    bins: list[str],
    beyond: str | None,
    others: Mapping[str, object],
    json: bool,
) -> None:
    """Show how many users of a file have their number or date in each bin."""
    if request.input is None:
        raise InputError("--bins goes with --input, got it with a named set")
    given = {name: value for name, value in asdict(request).items() if name not in ("input", "column")}
    for option, value in {**given, **others}.items():
        if value is not None:
            raise InputError(f"--{option.replace('_', '-')} goes with other data, got it with --bins")
    names = value_names(request.column, columns)
    if names is None:
        raise InputError(f"--column must be given with --bins, got none; a name in the header of {request.input}")
    items = count_bins(request.input, names, bins, beyond)
    if json:
        print(json_module.dumps(items_document(items, None), indent=1))
    else:
        show_items(items, None)


def _show_items(
    name: str,
    request: DataRequest,
    k: int | None,
    seed: int | None,
    output: Path | None,
    domain: Path | None,
    json: bool,
) -> None:
    require_targets([output] if output else [], None, [], (".csv",))
    require_targets([domain] if domain else [], None, [], (".txt", ".csv"))
    if output is not None and domain is not None and output.resolve() == domain.resolve():
        raise InputError(f"output and domain must be two files, got {output} for both")
    if seed is not None and not is_drawn(name):
        raise InputError(f"--seed goes with what is random, got it with {shorten(name)}")
    items = open_items(name, k=k, people=request.people, seed=seed, data_dir=request.data_dir)
    entry = find_item_entry(items.name)
    contents: dict[Path, bytes] = {}
    if output is not None:
        contents[output] = values_csv(items)
    if domain is not None:
        contents[domain] = "".join(f"{items.label(item)}\n" for item in range(items.k)).encode()
    write_and_say(contents)
    if output is not None:
        say(f"{output} holds the true values: do not publish it")
    if json:
        print(json_module.dumps(items_document(items, entry), indent=1))
    else:
        show_items(items, entry)


def _write(grouped: GroupedCounts, output: Path | None, plot: Path | None) -> None:
    contents: dict[Path, bytes] = {}
    if output is not None:
        contents[output] = "".join(f"{count}\n" for count in ["count", *grouped.counts.tolist()]).encode()
    if plot is not None:
        from mechdesign_figures.plots.count_histogram import plot_counts
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_counts(grouped), plot.suffix)
    write_and_say(contents)
    if output is not None:
        say(f"{output} holds the true counts: do not publish it")


def list_sets(json: bool) -> None:
    """Print name, title, size, source and licence of each set, and how to get it."""
    every = list_data_sets()
    if json:
        print(json_module.dumps({"sets": [listed_entry(entry) for entry in every]}, indent=1))
        return
    screen = console()
    for entry in every:
        screen.print(f"{entry.name}  {entry.title}", style="bold")
        screen.print(facts(_about(entry, indent="    "), screen.width))


def listed_entry(entry: DataEntry) -> dict[str, Any]:
    """Return an entry of the list as JSON: what the set is, and whether it is on this machine.

    `opened_as` is a name to open it by, and `fetch` the command that fetches its files, null where nothing has to be
    fetched.
    """
    missing = entry.opened_as is not None and not entry.is_here
    return {
        **entry.entry(),
        "kind": entry.kind,
        "n": entry.n,
        "opened_as": entry.opened_as,
        "here": entry.is_here,
        "fetch": f"mechdesign data {entry.opened_as}" if missing else None,
    }


def _about(entry: DataEntry, indent: str = "") -> list[tuple[str, str]]:
    return [
        (f"{indent}size", entry.size),
        (f"{indent}source", entry.source),
        (f"{indent}licence", entry.licence),
        (f"{indent}to get it", entry.obtained + ("; on this machine" if entry.files and entry.is_here else "")),
    ]


def show(grouped: GroupedCounts, entry: DataEntry | None) -> None:
    """Print the facts about the groups and their histogram."""
    screen = console()
    lines = [
        ("data", grouped.source if entry is None else f"{grouped.source}: {entry.title}"),
        ("groups", f"{grouped.groups:,} of n = {grouped.n}"),
        ("people", f"{grouped.people:,}" + (f", and {grouped.dropped} left out" if grouped.dropped else "")),
        ("mean", f"{_mean(grouped):.4f} of {grouped.n}, a share of {_mean(grouped) / grouped.n:.4f}"),
    ]
    if entry is not None:
        lines += [("source", entry.source), ("licence", entry.licence)]
    screen.print(facts(lines, screen.width))
    print("\ngroups by true count")
    for line in histogram_lines(grouped.histogram, screen.width, knows_blocks()):
        print(line)


def counts_document(grouped: GroupedCounts, entry: DataEntry | None) -> dict[str, Any]:
    """Return the groups as a JSON document; `histogram[c]` groups have the count c."""
    return {
        "data": grouped.source,
        "n": grouped.n,
        "groups": grouped.groups,
        "people": grouped.people,
        "dropped": grouped.dropped,
        "mean": _mean(grouped),
        "share": _mean(grouped) / grouped.n,
        "histogram": list(grouped.histogram),
        "about": None if entry is None else entry.entry(),
    }


def _mean(grouped: GroupedCounts) -> float:
    return float(grouped.counts.mean())
