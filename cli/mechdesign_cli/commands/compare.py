"""`mechdesign compare`: mechanisms for counts, or local oracles, side by side on data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.errors import InputError
from mechdesign_cli import data_options, options
from mechdesign_cli.comparisons import of_mechanisms as count_comparison
from mechdesign_cli.comparisons import of_oracles as local_comparison
from mechdesign_cli.comparisons.of_mechanisms import CountRequest
from mechdesign_cli.comparisons.of_oracles import LocalRequest, LocalSource
from mechdesign_cli.data_options import DataRequest


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
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="adult, saxony, weldon, binomial:P and so on; ldp: titanic, titanic:class, adult:education, "
            "commuting:county, zipf:S and so on; mechdesign data lists all.",
        ),
    ] = None,
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
        typer.Option("--post", help="ldp: base (as they are), base-pos, base-cut, norm-sub, em."),
    ] = None,
    seed: options.Seed = None,
    output: options.Outputs = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the comparison to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Compare mechanisms side by side on data; with --model ldp, local oracles on items.

    Each metric comes twice: its exact expectation given the data (ldp: of mse and rmse), and the mean of simulated
    releases. With --model ldp the names laplace, geometric and stability are what a trusted server would release.

    Example: mechdesign compare --data saxony --alpha 0.9 --mechanisms GM,WM,EM,UM --metric error-rate,rmse
    """
    of_counts = {"mechanisms": mechanisms, "target": target, "bit": bit, "group": group, "group-size": group_size}
    of_counts |= {"n": n, "loss": loss, "prior": prior}
    of_items = {"oracles": oracles, "domain": domain, "k": k, "simulate": simulate, "post": post}
    files = output or []
    if _is_local(model):
        _refuse(of_counts, "count", "ldp")
        own = LocalSource(data, people, k, data_dir, input, column, domain)
        local = LocalRequest(
            own, oracles, alpha, epsilon, metric, repetitions, simulate, post, seed=seed, output=files, plot=plot
        )
        local_comparison.run(local, json)
    else:
        _refuse(of_items, "ldp", "count")
        source = DataRequest(data, target, people, data_dir, input, bit, column, group, group_size)
        counts = CountRequest(
            source, mechanisms, n, alpha, epsilon, loss, prior, metric, repetitions, seed=seed, output=files, plot=plot
        )
        count_comparison.run(counts, json)


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
