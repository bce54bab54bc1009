"""`mechdesign aggregate`: what reports say about all users together."""

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mechdesign.counts.estimation import as_confidence
from mechdesign.errors import InputError
from mechdesign.rational import as_rational
from mechdesign_catalog.datasets.items import read_domain
from mechdesign_catalog.oracles import State, oracle_of
from mechdesign_catalog.oracles.collection.aggregating import (
    Adds,
    FrequencyEstimate,
    MeanEstimate,
    aggregate_files,
    common_header,
    largest,
    total_rows,
)
from mechdesign_catalog.oracles.collection.report_files import Header
from mechdesign_catalog.oracles.fit import require_fit
from mechdesign_catalog.oracles.mean import MEAN_ORACLES, mean_interval, mean_oracle_of
from mechdesign_catalog.oracles.reports import Parameters
from mechdesign_catalog.postprocessing import find_postprocessing, square_mechanism
from mechdesign_cli import options
from mechdesign_cli.messages import printable, say
from mechdesign_cli.progress import progress_after_a_second
from mechdesign_cli.tables import console
from mechdesign_cli.targets import require_targets, write_and_say

MOST_SHOWN = 20
NUMBERS_WIDTH = 42
"""Columns of the terminal that everything but the item takes."""


def aggregate(
    files: Annotated[list[Path], typer.Argument(help="Parquet files of reports, all of one oracle and domain.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file: item, frequency, standard_error.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the estimate to .png, .svg or .pdf.")] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="The items, where they are too many to be in the files.")
    ] = None,
    post: Annotated[
        str | None,
        typer.Option("--post", help="Post-processing, not done unless asked for: base-pos, base-cut, norm-sub, em."),
    ] = None,
    confidence: Annotated[str, typer.Option("--confidence", help="Of the interval of each item.")] = "0.95",
    json: options.Json = False,
) -> None:
    """Estimates are unbiased: they may be below 0 and need not sum to 1.

    Example: mechdesign aggregate reports.parquet --output estimate.csv --plot estimate.png
    """
    sources = [*files, *([domain] if domain else [])]
    require_targets([output] if output else [], plot, sources, (".csv",))
    level = as_confidence(as_rational(confidence, "confidence"))
    header = common_header(files)
    if header.parameters.get("oracle") in MEAN_ORACLES:
        for option, value in (("plot", plot), ("post", post)):
            if value is not None:
                raise InputError(
                    f"--{option} goes with frequencies of items, got it with {header.parameters['oracle']}"
                )
        _aggregate_mean(header, files, output, level, json)
    else:
        _aggregate_items(header, files, domain, post or "base", output, plot, level, json)
    if header.seed is not None:
        say(f"the reports were seeded with {header.seed}: a simulation")


def _aggregate_items(
    header: Header,
    files: Sequence[Path],
    domain: Path | None,
    post: str,
    output: Path | None,
    plot: Path | None,
    level: float,
    json: bool,
) -> None:
    oracle = oracle_of(header.parameters)
    require_fit(oracle)
    items = items_of(header, domain)
    if len(items) != oracle.k:
        raise InputError(f"the domain must have the oracle's {oracle.k} items, got {len(items)} in {files[0]}")
    chosen = find_postprocessing(post)
    mechanism = square_mechanism(oracle) if chosen.needs_mechanism else None
    found = FrequencyEstimate.of(oracle, _sums(oracle, files))
    if chosen.name != found.post:
        found = found.processed(chosen.name, chosen.apply(found.estimates, found.users, mechanism))
        say(f"frequencies are post-processed ({chosen.name}); standard errors and intervals are of unbiased estimates")
    contents = {}
    if output is not None:
        contents[output] = found.csv_bytes(items)
    if plot is not None:
        from mechdesign_figures.plots.frequencies import frequency_bytes

        contents[plot] = frequency_bytes(found, items, level, plot.suffix)
    write_and_say(contents)
    if json:
        print(document(found, items, level, header.parameters), end="")
    else:
        report(found, items, level)


def _aggregate_mean(header: Header, files: Sequence[Path], output: Path | None, level: float, json: bool) -> None:
    oracle = mean_oracle_of(header.parameters)
    state = _sums(oracle, files)
    found = MeanEstimate(oracle, state)
    low, high = mean_interval(oracle, state, level)
    write_and_say({} if output is None else {output: found.csv_bytes()})
    if json:
        numbers = {"mean": found.mean, "standard_error": found.standard_error, "low": low, "high": high}
        body = {"parameters": header.parameters, "users": state.users, "confidence": level, **numbers}
        print(json_module.dumps(body, indent=1))
    else:
        where = f"numbers in 0..{float(oracle.maximum):g}, epsilon = {float(oracle.epsilon):g}"
        print(f"{state.users:,} reports of {oracle.name}, {where}")
        print(f"mean {found.mean:.6g} +- {found.standard_error:.3g} ({100 * level:g} %: {low:.6g} to {high:.6g})")


def _sums(oracle: Adds, files: Sequence[Path]) -> State:
    with progress_after_a_second("aggregating", total_rows(files)) as show:
        return aggregate_files(oracle, files, show)


def items_of(header: Header, domain: Path | None) -> tuple[str, ...]:
    """The items' names: from the files, or from the domain file that they were made with."""
    if domain is None:
        if header.items is None:
            raise InputError("--domain must be given for a domain that is too large to be in the files, got none")
        return header.items
    found = read_domain(domain)
    if found.digest != header.domain_digest:
        raise InputError(f"--domain must be the one that the reports were made with, got another in {domain}")
    return found.items


def document(found: FrequencyEstimate, items: tuple[str, ...], level: float, parameters: Parameters) -> str:
    """All items, with their intervals."""
    low, high = found.intervals(level)
    columns = (items, *(x.tolist() for x in (found.frequencies, found.standard_errors, low, high, found.estimates)))
    names = ("item", "frequency", "standard_error", "low", "high", "estimate")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    body = {"parameters": parameters, "users": found.users, "confidence": level, "post": found.post, "items": rows}
    return json_module.dumps(body, indent=1) + "\n"


def report(found: FrequencyEstimate, items: tuple[str, ...], level: float) -> None:
    """The most frequent items."""
    screen = console()
    oracle = found.oracle
    screen.print(
        f"{found.users:,} reports of {oracle.name}, {oracle.k:,} items, epsilon = {float(oracle.epsilon):g}",
        style="bold",
    )
    low, high = found.intervals(level)
    table = Table(box=None, pad_edge=False)
    table.add_column("item", overflow="ellipsis", no_wrap=True, max_width=max(8, screen.width - NUMBERS_WIDTH))
    for name in ("frequency", "+-", f"{100 * level:g} % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in largest(found.frequencies, MOST_SHOWN):
        interval = f"{low[item]:.4f} to {high[item]:.4f}"
        numbers = (f"{found.frequencies[item]:.4f}", f"{found.standard_errors[item]:.4f}", interval)
        table.add_row(printable(items[item]), *numbers)
    screen.print(table)
    if oracle.k > MOST_SHOWN:
        screen.print(f"the {MOST_SHOWN} largest of {oracle.k:,}; --output FILE.csv has all")
