"""Run `mechdesign task new`: settle what a collection is about, in a document that every client reads."""

from pathlib import Path
from typing import Annotated

import typer

from mechdesign.problem.privacy import loss_text
from mechdesign_catalog.collection.clients.task_clients import make_task
from mechdesign_catalog.collection.tasks.task_document import save_task, task_text
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_cli.collections.design_loss import smaller_loss_text
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.files.value_columns import value_names
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.showing.messages import say, say_wrote

PANELS = {
    "Items, or numbers": ("k", "domain", "ordered", "bins", "columns", "maximum"),
    "Privacy": ("oracle", "epsilon", "alpha"),
    "Output": ("output", "json", "help"),
}
"""How the help groups the options."""


def task_new(
    oracle: Annotated[str, typer.Option("--oracle", help="A name from mechdesign oracles, with its options: hrr:t=2.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the task.")],
    k: Annotated[
        int | None,
        typer.Option("--k", help="Instead of --domain: items are 0..K-1.", parser=numbers.whole_number, metavar="K"),
    ] = None,
    domain: Annotated[
        Path | None,
        typer.Option(
            "--domain", help="Public file of all items, one a line; of several attributes a CSV file column,item."
        ),
    ] = None,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="The items of --domain are in their order: for ranges and quantiles.")
    ] = False,
    bins: Annotated[
        list[str] | None,
        typer.Option("--bins", help="Instead of --domain: FIRST:LAST:STEP of numbers or dates; twice for two columns."),
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", help="The attributes of --domain, in their order, if not all.")
    ] = None,
    maximum: Annotated[
        str | None, typer.Option("--maximum", help="onebitmean, instead of --domain: numbers are in 0..MAXIMUM.")
    ] = None,
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    json: options.Json = False,
) -> None:
    """Write the oracle, its exact constants and the domain, so that no client computes an exponential.

    Every file of reports carries the task's digest: files, states and sums of another task are refused.
    REPORTS.md specifies clients in any language.

    Example: mechdesign task new --oracle hrr --epsilon 1 --k 1000 --output task.json

    Example: mechdesign task new --oracle inpht:k=2 --epsilon 1 --domain attributes.csv --output task.json
    """
    sources = [] if domain is None else [domain]
    require_targets([output], None, sources, (".json",))
    task = make_task(
        oracle,
        alpha=alpha,
        epsilon=epsilon,
        k=k,
        domain=domain,
        bins=bins,
        ordered=ordered,
        columns=value_names(None, columns),
        maximum=maximum,
    )
    save_task(task, output)
    say_wrote(output)
    made = task_oracle(task)
    if (smaller := smaller_loss_text(made)) is not None:
        say(smaller)
    say(f"task {task.digest[:16]} of {made.title}: a report is {loss_text(made.alpha)}-LDP by itself")
    if json:
        print(task_text(task), end="")
