"""`mechdesign compare`: mechanisms side by side on data."""

import json as json_module
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mechdesign import InputError
from mechdesign.comparison import ComparisonRow, comparison_csv
from mechdesign.rational import fraction_text, natural_log
from mechdesign.sampling import seeded_words
from mechdesign.sweep.grid import parse_alphas, parse_sizes
from mechdesign_catalog.comparing import Comparison
from mechdesign_catalog.comparing import compare as compare_all
from mechdesign_catalog.data import DataSet, GroupedCounts
from mechdesign_catalog.designs import Candidate, parse_candidates
from mechdesign_cli import data_options, options
from mechdesign_cli.commands.compare_local import LocalRequest
from mechdesign_cli.commands.compare_local import run as run_local
from mechdesign_cli.data_options import DataRequest, say_what_was_dropped
from mechdesign_cli.progress import progress_after_a_second
from mechdesign_cli.requests import files_read, read_loss, read_prior
from mechdesign_cli.tables import console, printable, say
from mechdesign_cli.targets import require_targets, write_and_say

SUFFIXES = (".csv", ".json")
DEFAULT_MECHANISMS, DEFAULT_METRICS, REPETITIONS = "GM,WM,EM,UM", "error-rate,L0:1,rmse", 50
NARROW = 60
"""A narrower terminal gets three decimals."""


def compare(
    mechanisms: Annotated[
        str | None,
        typer.Option(
            "--mechanisms",
            help="Between commas: GM, EM, UM, EXP, RR, WM, WH, UCM, FM, AM, design:PROPS:LOSS, files.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="count (the default), or ldp: local oracles on items.")
    ] = None,
    oracles: Annotated[
        str | None,
        typer.Option("--oracles", help="ldp: between commas, as mechdesign oracles lists them, or design:PROPS:LOSS."),
    ] = None,
    data: data_options.Data = None,
    target: data_options.Target = None,
    people: data_options.People = None,
    data_dir: data_options.DataFolder = None,
    input: data_options.Input = None,
    bit: data_options.Bit = None,
    column: data_options.Column = None,
    group: data_options.Group = None,
    group_size: data_options.RowsTogether = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="ldp, with --input: public file of all items, one a line.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", help="ldp: items of synthetic data.", parser=options.whole_number, metavar="K"),
    ] = None,
    n: Annotated[
        str | None, typer.Option("--n", help="Group sizes: numbers and ranges a:b:step, which include b.")
    ] = None,
    alpha: Annotated[
        str | None, typer.Option("--alpha", help="exp(-epsilon) in (0, 1): a list such as 0.5,2/3, or ranges.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option("--epsilon", help="Privacy losses, instead of --alpha.")] = None,
    loss: Annotated[
        str | None, typer.Option("--loss", help="What the named designs minimise: L0 (the default), L1, L2, L0:1.")
    ] = None,
    prior: options.PriorOption = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help="Between commas: error-rate, Lp, Lp:1, Lp:d (every d), rmse, bias, error-histogram; "
            "ldp: mse, rmse, rmse-people, max, tv, w1, top10, rank10, zeroed, seconds, bits.",
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            help="Simulated releases: 50 of all groups; ldp: 10 collections from all users.",
            parser=options.whole_number,
            metavar="TIMES",
        ),
    ] = None,
    simulate: Annotated[
        str | None,
        typer.Option("--simulate", help="ldp: reports (every user's), or aggregate (the server's sums by their law)."),
    ] = None,
    post: Annotated[
        str | None,
        typer.Option("--post", help="ldp: base (as they are), base-pos, base-cut, norm-sub, simplex."),
    ] = None,
    seed: options.Seed = None,
    output: options.Outputs = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the comparison to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Compare mechanisms side by side on data; with --model ldp, local oracles on items.

    Each metric comes twice: its exact expectation given the data, and the mean of simulated releases.

    Example: mechdesign compare --data saxony --alpha 0.9 --mechanisms GM,WM,EM,UM --metric error-rate,rmse
    """
    of_counts = {"mechanisms": mechanisms, "target": target, "bit": bit, "group": group, "group-size": group_size}
    of_counts |= {"n": n, "loss": loss, "prior": prior}
    of_items = {"oracles": oracles, "domain": domain, "k": k, "simulate": simulate, "post": post}
    if _is_local(model):
        _refuse(of_counts, "count", "ldp")
        request = LocalRequest(
            oracles=oracles,
            data=data,
            people=people,
            data_dir=data_dir,
            input=input,
            column=column,
            domain=domain,
            k=k,
            alpha=alpha,
            epsilon=epsilon,
            metric=metric,
            repetitions=repetitions,
            simulate=simulate,
            post=post,
            seed=seed,
            output=output or [],
            plot=plot,
        )
        run_local(request, json)
        return
    _refuse(of_items, "ldp", "count")
    source = DataRequest(data, target, people, data_dir, input, bit, column, group, group_size)
    source.check()
    candidates = parse_candidates(mechanisms or DEFAULT_MECHANISMS)
    files = [candidate.path for candidate in candidates if candidate.path is not None]
    require_targets(output or [], plot, [*source.files_read(), *files, *files_read(None, loss, prior)], SUFFIXES)
    opened = source.read(seed)
    grouped = tuple(opened.grouped(size) for size in group_sizes(n, opened, candidates))
    comparison = Comparison(
        candidates=candidates,
        grouped=grouped,
        alphas=() if alpha is None and epsilon is None else parse_alphas(alpha, epsilon),
        metrics=metric or DEFAULT_METRICS,
        loss=read_loss(loss or "L0"),
        repetitions=REPETITIONS if repetitions is None else repetitions,
        prior=None if prior is None else read_prior(prior),
    )
    if plot is not None:
        from mechdesign_figures.comparison_plot import require_plottable

        require_plottable(comparison)
    with progress_after_a_second("releasing", comparison.draws) as show:
        rows = compare_all(comparison, None if seed is None else seeded_words(seed), show)
    for counts in grouped:
        say_what_was_dropped(counts)
    if comparison.alphas and all(candidate.is_file for candidate in candidates):
        say("alpha is not used: files have an alpha of their own")
    deliver(rows, grouped, seed, output or [], plot)
    if json:
        print(document_text(rows, grouped, seed), end="")
    else:
        report(rows, grouped, "alpha" if epsilon is None else "epsilon")


def _is_local(model: str | None) -> bool:
    name = (model or "count").strip().lower()
    if name not in ("count", "ldp"):
        raise InputError(f"model must be count or ldp to compare, got model={model}")
    return name == "ldp"


def _refuse(given: Mapping[str, object], owner: str, model: str) -> None:
    """Options of the other model."""
    for option, value in given.items():
        if value is not None:
            raise InputError(f"--{option} goes with --model {owner}, got it with --model {model}")


def group_sizes(text: str | None, data: DataSet, candidates: Sequence[Candidate]) -> tuple[int, ...]:
    """As asked, else the only size that the data have, else that of the files among the mechanisms."""
    if text is not None:
        return parse_sizes(text, "n")
    if data.own_n is not None:
        return (data.own_n,)
    sizes = {candidate.own_n for candidate in candidates if candidate.is_file}
    if len(sizes) != 1:
        raise InputError(f"--n must be given for {data.name}, got none; try --n 8")
    return tuple(sizes)


def deliver(
    rows: Sequence[ComparisonRow],
    grouped: Sequence[GroupedCounts],
    seed: int | None,
    output: list[Path],
    plot: Path | None,
) -> None:
    """Write the files, all or none."""
    document = document_text(rows, grouped, seed)
    contents = {
        path: (document if path.suffix.lower() == ".json" else comparison_csv(rows)).encode() for path in output
    }
    if plot is not None:
        from mechdesign_figures.comparison_plot import comparison_bytes

        contents[plot] = comparison_bytes(rows, plot.suffix)
    write_and_say(contents)


def document_text(rows: Sequence[ComparisonRow], grouped: Sequence[GroupedCounts], seed: int | None) -> str:
    """The rows, and what they were measured on."""
    data = [
        {"source": g.source, "n": g.n, "groups": g.groups, "people": g.people, "dropped": g.dropped} for g in grouped
    ]
    document = {"rows": [row.entry() for row in rows], "data": data, "seed": seed}
    return json_module.dumps(document, indent=1) + "\n"


def report(rows: Sequence[ComparisonRow], grouped: Sequence[GroupedCounts], privacy: str) -> None:
    """A table for each group size, metric by metric, so that mechanisms stand below one another.

    `privacy` says whether alpha or epsilon is shown.
    """
    screen = console()
    shown = {row.alpha: _privacy_text(row.alpha, privacy) for row in rows}
    shared = f", {privacy} = {shown[rows[0].alpha]}" if len(shown) == 1 else ""
    for counts in grouped:
        screen.print(f"{counts.source}: {counts.groups:,} groups of n = {counts.n}{shared}", style="bold", markup=False)
        column = {} if len(shown) == 1 else shown
        table = comparison_table([row for row in rows if row.n == counts.n], privacy, column, screen.width < NARROW)
        screen.print(table)
        screen.print()
    times = rows[0].measured.repetitions
    screen.print(f"expected: exact, given the data; simulated: mean of {times} releases; +-: its standard error")


def _privacy_text(alpha: Fraction, privacy: str) -> str:
    return f"{-natural_log(alpha):.4g}" if privacy == "epsilon" else fraction_text(alpha)


def comparison_table(
    rows: Sequence[ComparisonRow], privacy: str, shown: Mapping[Fraction, str], is_narrow: bool
) -> Table:
    """Metric, mechanism, alpha or epsilon where they differ, exact expectation, simulated mean, its standard error."""
    table = Table(box=None, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("mechanism", overflow="fold", min_width=9)
    if shown:
        table.add_column(privacy, no_wrap=True)
    for name in ("expected", "simulated", "+-"):
        table.add_column(name, justify="right", no_wrap=True)
    digits = 3 if is_narrow else 6
    for metric in dict.fromkeys(row.measured.metric for row in rows):
        of_metric = [row for row in rows if row.measured.metric == metric]
        for k, row in enumerate(of_metric):
            found = row.measured
            error = "" if found.standard_error is None else _decimal(found.standard_error, digits)
            numbers = (_decimal(found.expected, digits), _decimal(found.mean, digits), error)
            at = [shown[row.alpha]] if shown else []
            table.add_row("" if k else metric, printable(row.mechanism), *at, *numbers)
    return table


def _decimal(value: float, digits: int) -> str:
    """So many decimals, or digits of what is large."""
    return f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:.{digits}g}"
