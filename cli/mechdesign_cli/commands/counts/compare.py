"""Run `mechdesign compare`: compare mechanisms for counts side by side on data."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign.counts.error_metrics import KNOWN
from mechdesign_catalog.mechanisms.candidates import COUNT_FORMS, NAMED_DESIGNS
from mechdesign_cli.comparisons.of_mechanisms import MechanismRequest, run
from mechdesign_cli.parsing import data_options, numbers, options
from mechdesign_cli.parsing.data_options import DataRequest


def compare(
    mechanisms: Annotated[
        str | None,
        typer.Option(
            "--mechanisms",
            help=f"With commas between: {', '.join([*COUNT_FORMS, *NAMED_DESIGNS])}, design:PROPS:LOSS, and files "
            "(.json, .npz, .npy, .csv if exact).",
        ),
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
    n: options.GroupSizes = None,
    alpha: options.Alphas = None,
    epsilon: options.Epsilons = None,
    loss: Annotated[
        str | None, typer.Option("--loss", help="What the named designs minimise: L0 (the default), L1, L2, L0:1.")
    ] = None,
    prior: options.PriorOption = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", help=f"With commas between: {', '.join(KNOWN)}; the letter d means every d."),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            help="Simulated releases of all groups, 50 by default.",
            parser=numbers.whole_number,
            metavar="TIMES",
        ),
    ] = None,
    seed: options.Seed = None,
    output: options.Tables = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the comparison to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Show each metric twice: its exact expectation given the data, and the mean of simulated releases.

    Example: mechdesign compare --data saxony --alpha 0.9 --mechanisms "GM;WM;EM;UM" --metric error-rate,rmse
    """
    request = MechanismRequest(
        source=DataRequest(data, target, people, data_dir, input, bit, column, group, group_size),
        mechanisms=mechanisms,
        n=n,
        alpha=alpha,
        epsilon=epsilon,
        loss=loss,
        prior=prior,
        metric=metric,
        repetitions=repetitions,
        seed=seed,
        output=output or [],
        plot=plot,
    )
    run(request, json)
