"""Run `mechdesign compare-oracles`: compare local oracles side by side on items."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign_catalog.comparisons.frequency_metrics import KNOWN
from mechdesign_catalog.comparisons.workload_metrics import KNOWN_OF_WORKLOADS
from mechdesign_catalog.postprocessing import POSTPROCESSING
from mechdesign_cli.comparisons.of_oracles import ItemRequest, OracleRequest, run
from mechdesign_cli.parsing import data_options, numbers, options


def compare_oracles(
    oracles: Annotated[
        str | None,
        typer.Option(
            "--oracles", help="Names from mechdesign oracles, or design:PROPS:LOSS, with commas between them."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="titanic, titanic:class, adult:education, commuting:county, zipf:S and so on; mechdesign data lists "
            "all.",
        ),
    ] = None,
    people: data_options.People = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", help="Synthetic data: how many items, 32 by default.", parser=numbers.whole_number, metavar="K"
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option("--data-dir", help="adult, nursery: the folder of the file; else MECHDESIGN_DATA, else fetched."),
    ] = None,
    input: data_options.Input = None,
    column: Annotated[str | None, typer.Option("--column", help="Its column with the item of each user.")] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="With --input: public file of all items, one a line.")
    ] = None,
    workload: options.WorkloadName = None,
    alpha: options.Alphas = None,
    epsilon: options.Epsilons = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help=f"With commas between: {', '.join(KNOWN)}. With --workload: {', '.join(KNOWN_OF_WORKLOADS)}. "
            "K and X are whole numbers.",
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            help="Simulated collections from all users, 10 by default.",
            parser=numbers.whole_number,
            metavar="TIMES",
        ),
    ] = None,
    simulate: Annotated[
        str | None,
        typer.Option("--simulate", help="reports (every user's), or aggregate (the server's sums by their law)."),
    ] = None,
    post: Annotated[
        str | None,
        typer.Option("--post", help=f"{', '.join(POSTPROCESSING)}; raw leaves them as they are."),
    ] = None,
    seed: options.Seed = None,
    output: options.Tables = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the comparison to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Show each metric as the mean of simulated collections.

    Files and --json also have the exact expectation of mse and rmse. Unless --oracles is given, ss takes the subset
    size of the least mean squared error.

    laplace, geometric, stability, central-hh:b=16 and privelet are central baselines (a trusted server).

    With --workload: errors of the answers to its queries, by oracles and systems of levels.

    Example: mechdesign compare-oracles --data titanic --epsilon 1,2 --oracles grr,oue,laplace --metric rmse,max

    Example: mechdesign compare-oracles --data mixture --epsilon 1 --workload ranges --oracles flat:oue,hh:b=4,haar
    """
    request = OracleRequest(
        source=ItemRequest(data, people, k, data_dir, input, column, domain),
        oracles=oracles,
        alpha=alpha,
        epsilon=epsilon,
        metric=metric,
        repetitions=repetitions,
        simulate=simulate,
        post=post,
        workload=workload,
        seed=seed,
        output=output or [],
        plot=plot,
    )
    run(request, json)
