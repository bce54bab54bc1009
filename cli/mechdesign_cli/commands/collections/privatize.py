"""Run `mechdesign privatize`: make the reports that users send instead of their values."""

import json as json_module
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.documents.files import require_new
from mechdesign.documents.sources import open_table
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.ledgers.payment import open_account
from mechdesign.problem.privacy import loss_text, privacy_if_given
from mechdesign.rational import fraction_text
from mechdesign.releases.secret_key import InputDigest
from mechdesign_catalog.collection.clients.asking import Asked
from mechdesign_catalog.collection.clients.client import Client
from mechdesign_catalog.collection.clients.paying import hint_prefix, paid_for, payment_for_collection, was_finished
from mechdesign_catalog.collection.clients.privatizing import require_together
from mechdesign_catalog.collection.clients.task_clients import asked_client
from mechdesign_catalog.collection.reports.report_files import write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task_document import read_task
from mechdesign_catalog.oracles.oracle import true_loss
from mechdesign_cli.collections.design_loss import smaller_loss_text
from mechdesign_cli.files.targets import require_targets
from mechdesign_cli.files.value_columns import ValueColumns, value_names
from mechdesign_cli.parsing import ledger_options, options
from mechdesign_cli.showing.ledgers import say_spent
from mechdesign_cli.showing.messages import remark, say, say_wrote
from mechdesign_cli.showing.progress import progress_after_a_second

PANELS = {
    "Values": ("input", "column", "columns"),
    "Items, or numbers": ("domain", "ordered", "bins", "beyond", "maximum"),
    "Privacy": ("oracle", "task", "epsilon", "alpha", "seed"),
    "Repeated collection": ("user", "memory", "round_"),
    "A ledger of what is spent": ("ledger", "dataset", "part", "unit"),
    "Output": ("output", "replace", "json", "help"),
}
"""How the help groups the options."""

LEVELS = re.compile(r"levels=[^:]+")
"""How the name of an oracle says how users share out over levels."""


def privatize(
    input: Annotated[Path, typer.Option("--input", help="CSV file of private values, one user a row, with a header.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Parquet file for the reports.")],
    oracle: Annotated[
        str | None,
        typer.Option(
            "--oracle",
            help="A name from mechdesign oracles, with its options: ss, hrr:t=2, haar; design:none:L0; the file of a "
            "design; onebitmean; for several attributes calm:k=2, spl.",
        ),
    ] = None,
    task: Annotated[
        Path | None, typer.Option("--task", help="Instead of oracle, privacy and domain: the JSON file of a task.")
    ] = None,
    domain: Annotated[
        Path | None,
        typer.Option(
            "--domain", help="Public file of all items, one a line; of several attributes a CSV file column,item."
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The column of values; the only one if not given.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Columns a,b,.. of values: for an oracle of several attributes, or two columns with --bins each.",
        ),
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(
            "--bins",
            help="Instead of --domain: FIRST:LAST:STEP of numbers (0:120:1) or dates (2020-01-01:2021-01-01:7d); LAST "
            "itself is outside.",
        ),
    ] = None,
    beyond: Annotated[
        str | None,
        typer.Option("--beyond", help="Values outside the bins: refuse (default), or clip to the first or last bin."),
    ] = None,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="The items of --domain are in their order: for ranges and quantiles.")
    ] = False,
    maximum: Annotated[
        str | None, typer.Option("--maximum", help="onebitmean, instead of --domain: numbers are in 0..MAXIMUM.")
    ] = None,
    epsilon: options.Epsilon = None,
    alpha: options.Alpha = None,
    user: Annotated[
        str | None, typer.Option("--user", help="The column that names the user, for repeated collection.")
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option("--memory", help="SECRET database of each user's permanent answers (dbitflip, onebitmean)."),
    ] = None,
    round_: Annotated[
        str | None,
        typer.Option("--round", help="With --memory: name of the round; in it each user answers once (2026-11-20)."),
    ] = None,
    ledger: ledger_options.LedgerFile = None,
    dataset: ledger_options.Dataset = None,
    part: ledger_options.Part = None,
    unit: Annotated[
        str, typer.Option("--unit", help="With --ledger: what one row is, and what the ledger protects.")
    ] = USUAL_UNIT,
    seed: options.Seed = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Draw again though --output is there: it is lost, and both draws spend.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make one report for each row. A report is private on its own; mechdesign aggregate estimates from all of them.

    The domain is a public file and never comes from the values; nor do bins. A bin holds the values from its lower edge
    to below its upper one. The number of clipped values is not reported, since it would leak.

    Running this again on the same people spends epsilon again, unless --memory keeps their answers. So without a memory
    an --output that is there is refused before a draw, unless you give --replace. With a memory a user's report stays
    the same while the value does. All rows are one batch of the round. Batches of a round add up, and the same batch
    again gives the same reports. A batch that shares only some users with others is refused.

    With several attributes k is the most of them in a table. The oracles are inpht:k=2 (InpHT), inprr:oue and inprr:sue
    (InpRR), inpps (InpPS), margps (MargPS), marght (MargHT), margrr (MargRR with OUE) and margrr:sue. Others are inpem
    (InpEM, as RAPPOR collects), inpolh (InpOLH), inphtcms (InpHTCMS), inpes (Efron-Stein) and calm (CALM). The oracles
    spl, smp and rs+fd (SPL, SMP, RS+FD) print their true privacy loss.

    Example: mechdesign privatize --oracle olh --epsilon 1 --input v.csv --column city --domain d.txt -o reports.parquet

    Example: mechdesign privatize --oracle hh:b=2:in=ss-hrr:levels=ranges --epsilon 1 --input ages.csv --column age
    --bins 0:120:1 --output ages.parquet

    Example: mechdesign privatize --oracle inpht:k=2 --epsilon 1.1 --input people.csv --columns cc,toll,far,tip
    --domain attributes.csv --output people.parquet

    Example: mechdesign privatize --task task.json --input v.csv --column city --output cities.parquet

    Example: mechdesign privatize --oracle dbitflip:d=2 --epsilon 1 --input u.csv --column city --domain d.txt
    --user id --memory answers.db --round 2026-11-20 -o day.parquet
    """
    sources = [path for path in (input, domain, task, ledger) if path is not None]
    require_targets([output], None, sources, (".parquet",))
    require_together({"--user": user, "--memory": memory, "--round": round_})
    if memory is not None:
        require_targets([memory], None, [*sources, output])
    account = open_account(ledger, dataset, part, unit, seed)
    asked = Asked(domain, bins, beyond, ordered, value_names(column, columns), maximum)
    settled = None if task is None else read_task(task)
    client, names = asked_client(asked, oracle, privacy_if_given(alpha, epsilon), settled, seed)
    if (smaller := smaller_loss_text(client.oracle)) is not None:
        remark(smaller)
    if memory is not None and round_ is not None:
        client = client.remembering(memory, round_)
    if seed is not None:
        remark("warning: --seed makes the noise reproducible; the output is for simulation, not for release")
    hint = InputDigest(b"" if account is None else account.ledger.header.key)
    hint(before := hint_prefix(client, [user, *(names or ())]))
    payment = payment_for_collection(account, client, output, hint.result)
    if was_finished(payment, output, client.task, input, before):
        say(f"an interrupted run had written {output}: nothing was drawn anew")
        if memory is None:
            say("if that run took another column, the same command again draws anew, and spends another epsilon")
        say_spent(payment)
        return
    if memory is None and seed is None and not replace:
        require_new("output", output)
    payment.require_room()

    def begin() -> None:
        payment.reserve()
        say(client.losses)

    with (
        open_table(input, hint) as source,
        progress_after_a_second("privatizing", source.total) as show,
        payment.drawing(),
    ):
        found = ValueColumns.find(source, names, user, client.encoder.is_value)
        chunks = found.chunks(source, client.rows_at_once, show)
        collection = paid_for(client.collect(chunks, source.name, begin), payment)
        rows = write_reports(output, collection.header, collection.pieces)
    payment.deliver()
    say_wrote(output)
    report(client, rows, collection.remarks, oracle)
    say_spent(payment)
    if json:
        print(json_module.dumps(reports_document(client, collection.header, output, rows), indent=1))


def report(client: Client, rows: int, remarks: Sequence[str], asked: str | None) -> None:
    """Print on stderr, in words, how much privacy was spent; levels that were asked for by a word are called so."""
    oracle = client.oracle
    word, weights = LEVELS.search(asked or ""), LEVELS.search(oracle.title)
    title = oracle.title if word is None or weights is None else oracle.title.replace(weights[0], word[0])
    reports, each = ("1 report", "") if rows == 1 else (f"{rows:,} reports", "each ")
    claim = f"claimed: {oracle.privacy.describe()}"
    say(f"{reports} of {title}, {each}{loss_text(oracle.alpha)}-LDP by itself ({claim})")
    if word is not None and weights is not None and word[0] != weights[0]:
        say(f"{word[0]} is {weights[0]}: so users share out over the levels")
    for text in remarks:
        say(text)


def reports_document(client: Client, header: Header, output: Path, rows: int) -> dict[str, Any]:
    """Return what a JSON document tells of the reports; nothing in it comes from a value.

    `loss_of_two_runs` is the epsilon of a user whose value was reported twice; null where a memory keeps the answers.
    """
    oracle = client.oracle
    loss = true_loss(oracle)
    return {
        "file": output.name,
        "reports": rows,
        "oracle": oracle.name,
        "title": oracle.title,
        "parameters": oracle.parameters,
        "bits": oracle.bits,
        "epsilon": oracle.privacy.epsilon,
        "alpha": fraction_text(oracle.privacy.alpha),
        "true_alpha": fraction_text(oracle.alpha),
        "true_loss": loss,
        "keeps_claim": client.keeps_claim,
        "seed": header.seed,
        "loss_of_two_runs": None if header.memory else 2 * loss,
    }
