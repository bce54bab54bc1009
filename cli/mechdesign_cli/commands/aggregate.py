"""Run `mechdesign aggregate`: estimate from reports each item's share of all users."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mechdesign.counts.estimation import as_confidence
from mechdesign.errors import InputError
from mechdesign.rational import as_rational
from mechdesign_catalog.oracles import oracle_of
from mechdesign_catalog.oracles.collection.aggregating import FrequencyEstimate, ReportedMean, common_header, largest
from mechdesign_catalog.oracles.collection.aggregating import aggregate as estimate
from mechdesign_catalog.oracles.collection.batches import as_batches
from mechdesign_catalog.oracles.mean import MEAN_ORACLES
from mechdesign_catalog.postprocessing import find_postprocessing, postprocess, square_mechanism
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import options
from mechdesign_cli.showing.messages import printable, remark, say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console

MOST_SHOWN = 20
MOST_NAMED = 10
NUMBERS_WIDTH = 62
"""Columns of the terminal that everything but the item takes."""


def aggregate(
    files: Annotated[list[Path], typer.Argument(help="Parquet files of reports, all of one oracle and domain.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file: item, frequency, standard_error, intervals.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the estimate to .png, .svg or .pdf.")] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="The items, where they are too many to be in the files.")
    ] = None,
    post: Annotated[
        str | None,
        typer.Option("--post", help="Post-processing, not done unless asked for: base-pos, base-cut, norm-sub, em."),
    ] = None,
    confidence: Annotated[str, typer.Option("--confidence", help="Of the intervals.")] = "0.95",
    json: options.Json = False,
) -> None:
    """Print unbiased estimates: they may be below 0 and need not sum to 1.

    Intervals are given for each item by itself, and for all items together: who looks for the largest of many items
    needs the latter. Both are of the unbiased estimates, also where --post makes other frequencies of them.

    Example: mechdesign aggregate reports.parquet --output estimate.csv --plot estimate.png
    """
    sources = [*files, *([domain] if domain else [])]
    require_targets([output] if output else [], plot, sources, (".csv",))
    level = as_confidence(as_rational(confidence, "confidence"))
    batches = as_batches(files)
    header = common_header(batches)
    if header.parameters.get("oracle") in MEAN_ORACLES:
        for option, value in (("plot", plot), ("post", post)):
            if value is not None:
                raise InputError(
                    f"--{option} goes with frequencies of items, got it with {header.parameters['oracle']}"
                )
    elif find_postprocessing(post or "base").needs_mechanism:
        square_mechanism(oracle_of(header.parameters))  # said before long files are read
    with progress_after_a_second("aggregating", sum(batch.header.rows for batch in batches)) as show:
        found = estimate(files, domain=domain, report=show)
    if isinstance(found, ReportedMean):
        deliver_mean(found, output, level, json)
    else:
        deliver_items(found, post or "base", output, plot, level, json)
    if header.seed is not None:
        say(f"the reports were seeded with {header.seed}: a simulation")


def deliver_items(
    estimated: FrequencyEstimate, post: str, output: Path | None, plot: Path | None, level: float, json: bool
) -> None:
    """Write the files, post-processed as asked, and print the document or the report."""
    found = postprocess(estimated, post)
    if found.post != estimated.post:
        remark(
            f"frequencies are post-processed ({found.post}); standard errors and intervals are of unbiased estimates"
        )
    contents = {}
    if output is not None:
        contents[output] = found.csv_bytes(level)
    if plot is not None:
        from mechdesign_figures.plots.frequencies import plot_frequencies
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_frequencies(found, level=level), plot.suffix)
    write_and_say(contents)
    if json:
        print(document(found, level), end="")
    else:
        report(found, level)


def deliver_mean(found: ReportedMean, output: Path | None, level: float, json: bool) -> None:
    """Write the file of a mean, and print the document or the line."""
    oracle, users = found.oracle, found.state.users
    low, high = found.interval(level)
    write_and_say({} if output is None else {output: found.csv_bytes()})
    if json:
        numbers = {"mean": found.mean, "standard_error": found.standard_error, "low": low, "high": high}
        body = {"parameters": oracle.parameters, "users": users, "confidence": level, **numbers}
        print(json_module.dumps(body, indent=1))
    else:
        where = f"numbers in 0..{float(oracle.maximum):g}, {oracle.privacy.describe()}"
        print(f"{users:,} reports of {oracle.name}, {where}")
        print(f"mean {found.mean:.6g} +- {found.standard_error:.3g} ({100 * level:g} %: {low:.6g} to {high:.6g})")


def document(found: FrequencyEstimate, level: float) -> str:
    """Return the JSON document: all items, with their intervals."""
    columns = found.columns(level)
    body = {
        "parameters": found.oracle.parameters,
        "users": found.users,
        "confidence": level,
        "post": found.post,
        "simultaneous": "sidak",
        "above_noise": [found.items[item] for item in found.above_noise(level)],
        "items": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    }
    return json_module.dumps(body, indent=1) + "\n"


def report(found: FrequencyEstimate, level: float) -> None:
    """Print the most frequent items."""
    screen = console()
    oracle = found.oracle
    screen.print(
        f"{found.users:,} reports of {oracle.name}, {oracle.k:,} items, {oracle.privacy.describe()}",
        style="bold",
    )
    single, together = found.intervals(level), found.simultaneous_intervals(level)
    table = Table(box=None, pad_edge=False)
    table.add_column("item", overflow="ellipsis", no_wrap=True, max_width=max(8, screen.width - NUMBERS_WIDTH))
    for name in ("frequency", "+-", f"{100 * level:g} % interval", "for all items"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in largest(found.frequencies, MOST_SHOWN):
        intervals = [f"{low[item]:.4f} to {high[item]:.4f}" for low, high in (single, together)]
        numbers = (f"{found.frequencies[item]:.4f}", f"{found.standard_errors[item]:.4f}", *intervals)
        table.add_row(printable(found.items[item]), *numbers)
    screen.print(table)
    if oracle.k > MOST_SHOWN:
        screen.print(f"the {MOST_SHOWN} largest of {oracle.k:,}; --output FILE.csv has all")
    screen.print(_above_noise(found, level), soft_wrap=True)


def _above_noise(found: FrequencyEstimate, level: float) -> str:
    """Say which items can be told from 0 where all are looked at."""
    above = found.above_noise(level)
    names = [printable(found.items[item]) for item in above[:MOST_NAMED]]
    more = f" and {len(above) - MOST_NAMED:,} more" if len(above) > MOST_NAMED else ""
    which = f"{len(above):,} ({', '.join(names)}{more})" if above else "none"
    return f"above noise, for all {len(found.items):,} items together at {100 * level:g} %: {which}"
