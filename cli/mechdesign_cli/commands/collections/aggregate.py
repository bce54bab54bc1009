"""Run `mechdesign aggregate`: estimate from reports each item's share of all users."""

import json as json_module
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mechdesign.counts.estimation import as_confidence
from mechdesign.documents.files import Content
from mechdesign.errors import InputError
from mechdesign.rational import as_rational
from mechdesign.workers.choosing import workers_for
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.collection.servers.collecting import collect_inputs, remarks_on
from mechdesign_catalog.collection.servers.estimating import estimate_state
from mechdesign_catalog.collection.tasks.domains import attributes_of, domain_of
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.marginals.consistency.posts import DEFAULT_POST, TABLE_POSTS
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_catalog.oracles import oracle_of
from mechdesign_catalog.oracles.decoder import NORM, RAW
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.mean import MEAN_ORACLES
from mechdesign_catalog.ordered.named_ranges import read_ranges
from mechdesign_catalog.ordered.quantiles import STATEMENT, require_one_order
from mechdesign_catalog.postprocessing import find_postprocessing, postprocess, square_mechanism
from mechdesign_cli.collections.asked_task import AskedTask
from mechdesign_cli.files.asked_answers import AskedAnswers
from mechdesign_cli.files.asked_state import AskedState, say_of
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.marginals.asked_dependence import AskedDependence
from mechdesign_cli.marginals.asked_tables import AskedTables
from mechdesign_cli.marginals.delivery import TableDelivery
from mechdesign_cli.marginals.dependence_delivery import DependenceDelivery
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.showing.answers.checked_reports import CheckedReports
from mechdesign_cli.showing.answers.frequency_answers import FrequencyAnswers
from mechdesign_cli.showing.answers.workload_answers import WorkloadAnswers
from mechdesign_cli.showing.messages import remark, say
from mechdesign_cli.showing.progress import progress_after_a_second

PANELS = {
    "Reports": ("files", "domain", "task", "drop_invalid", "jobs", "cluster"),
    "Sums of secure aggregation": ("sums", "users", "source"),
    "States": ("state", "seal"),
    "Estimates": ("post", "confidence"),
    "Items in order": ("ranges", "quantiles", "quantiles_output", "simultaneous"),
    "Several attributes": ("marginal", "all_tables", "association", "fdr", "tree", "sample", "sample_output"),
    "Output": ("output", "plot", "json", "help"),
}
"""How the help groups the options."""


def aggregate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Parquet files of reports, and .state files, all of one oracle and domain."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="CSV file: item, frequency, standard_error, intervals; of --marginal and --all: items of each "
            "attribute, share, standard_error, interval.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the estimate to .png, .svg or .pdf.")] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="Public list of the items, if they are too many to be in the files.")
    ] = None,
    task: Annotated[
        Path | None, typer.Option("--task", help="JSON file of the task; reports of another task are refused.")
    ] = None,
    sums: Annotated[
        Path | None,
        typer.Option("--sums", help="CSV file part,place,sum: sums of the users' vectors; needs --users, --task."),
    ] = None,
    users: Annotated[
        int | None,
        typer.Option("--users", help="Number of users in --sums.", parser=numbers.whole_number, metavar="N"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Name of the delivery in --sums; with --state it is never counted twice."),
    ] = None,
    post: Annotated[
        str | None,
        typer.Option(
            "--post",
            help="Post-processing of items and ranges: raw (default of items), norm (default of ranges), base-pos, "
            "base-cut, norm-sub, em. For tables of several "
            f"attributes: {DEFAULT_POST} (default), {', '.join(n for n in TABLE_POSTS if n != DEFAULT_POST)}.",
        ),
    ] = None,
    ranges: Annotated[
        Path | None,
        typer.Option(
            "--ranges",
            help="CSV file with columns first,last: ranges of items in order, whose shares go to --output "
            "(two columns of bins: first_1,last_1,first_2,last_2).",
        ),
    ] = None,
    quantiles: Annotated[
        str | None,
        typer.Option("--quantiles", help="For items in order: numbers in (0, 1) and ranges, as 0.5 or 0.1:0.9:0.1."),
    ] = None,
    quantiles_output: Annotated[
        Path | None,
        typer.Option("--quantiles-output", help="CSV file: quantile, item, low, high; stdout if not given."),
    ] = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Intervals that hold for all quantiles at once.")
    ] = False,
    marginal: Annotated[
        str | None, typer.Option("--marginal", help="Several attributes: print the table of these, as cc,tip.")
    ] = None,
    all_tables: Annotated[
        bool, typer.Option("--all", help="Write all tables of the k attributes that reports serve, in one CSV file.")
    ] = False,
    association: Annotated[
        list[Path] | None,
        typer.Option(
            "--association",
            help="Test all pairs of attributes: a .csv file, or a picture of the matrix; may be repeated.",
        ),
    ] = None,
    fdr: Annotated[
        str | None,
        typer.Option(
            "--fdr",
            help="Average share of false pairs among those found (default 0.05); with --tree join only pairs found.",
        ),
    ] = None,
    tree: Annotated[
        Path | None, typer.Option("--tree", help="Draw the Chow-Liu tree of dependences to .png, .svg or .pdf.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", help="Draw N synthetic rows from the law of the tree.", parser=numbers.whole_number, metavar="N"
        ),
    ] = None,
    sample_output: Annotated[
        Path | None, typer.Option("--sample-output", help="CSV file: a column for each attribute.")
    ] = None,
    drop_invalid: Annotated[
        bool,
        typer.Option(
            "--drop-invalid", help="Leave out reports that no client can have made; otherwise they refuse the file."
        ),
    ] = False,
    confidence: Annotated[str, typer.Option("--confidence", help="Confidence of the intervals.")] = "0.95",
    state: Annotated[
        Path | None,
        typer.Option(
            "--state", help="Write the sums to a .state file, to merge later; prints no estimate unless asked for."
        ),
    ] = None,
    seal: Annotated[
        bool,
        typer.Option("--seal", help="Fold the names of all files counted into one digest in --state."),
    ] = False,
    jobs: options.Jobs = None,
    cluster: options.Cluster = None,
    json: options.Json = False,
) -> None:
    """Print unbiased estimates: they may be below 0 and need not sum to 1.

    Each item has an interval of its own and one for all items together; use the latter to look for the largest of many
    items. Both are of unbiased estimates, also with --post.

    Items in order (bins, systems of levels, a list with --ordered) also have ranges and quantiles, and --plot draws
    their distribution function. Quantiles are not unbiased; their intervals invert the pointwise band of that function.

    With several attributes the tables of single ones are printed, unless you ask for others. All tables agree and
    total 1, by least squares; standard errors are exact given the shares. --association tests which attributes depend
    on each other, --tree draws the Chow-Liu tree, and --sample draws synthetic rows from its law.

    A report that no client can have made refuses the whole file, unless --drop-invalid leaves it out. Counts that
    honest users would produce with probability below 1e-9 are reported as suspicious, on stderr and in --json.

    Reports of a design for a workload answer its queries, or --ranges, with standard errors at the estimated shares.
    --post raw prints the shares of all items, if the design determines them.

    Other machines and other days can count parts: --state writes the sums of a part. Give the .state files here to
    merge them. A file is never counted twice (sealed files can no longer be recognised).

    With --sums no report is seen: secure aggregation (Prio, DAP) delivers the sums of the users' vectors. Sums that no
    N users can have are refused. mechdesign task show describes the vector of each user.

    Example: mechdesign aggregate reports.parquet --output estimate.csv --plot estimate.png

    Example: mechdesign aggregate people.parquet --marginal cc,tip --output m.csv --plot m.png

    Example: mechdesign aggregate people.parquet --association pairs.csv --association pairs.png --tree tree.png
    --sample 1000 --sample-output rows.csv

    Example: mechdesign aggregate ages.parquet --ranges ranges.csv --output answers.csv --quantiles 0.1:0.9:0.1
    --quantiles-output q.csv --plot cdf.png

    Example: mechdesign aggregate reports.parquet --state monday.state

    Example: mechdesign aggregate --sums sums.csv --users 60 --task task.json
    """
    asked = AskedAnswers.parse(ranges, quantiles, quantiles_output, simultaneous)
    asked.require_outputs(output, json)
    dependence = AskedDependence.parse(association, fdr, tree, sample, sample_output)
    if sums is not None and drop_invalid:
        raise InputError("--drop-invalid goes with reports, got it with --sums, where no single one is seen")
    settled = AskedTask.parse(task, sums, users, source)
    sources = [path for path in (*(files or ()), *settled.sources, domain, ranges) if path is not None]
    outputs = [path for path in (output, quantiles_output) if path is not None]
    require_targets(outputs, plot, sources, (".csv",))
    dependence.require_targets([*outputs, *([] if plot is None else [plot])], sources)
    level = as_confidence(as_rational(confidence, "confidence"))
    kept = AskedState.parse(state, seal)
    kept.require_target(sources, [*outputs, *([] if plot is None else [plot])])
    inputs = settled.inputs(files or ())
    about = inputs.task
    tables, name = AskedTables.parse(marginal, all_tables, post), about.oracle
    if name in MARGINAL_ORACLES:
        refuse_options(asked.given, "reports of one attribute", name)
        tables.check(marginal_oracle_of(about.parameters), attributes_of(about, domain), output, plot)
        dependence.check(marginal_oracle_of(about.parameters))
    else:
        refuse_options(tables.given | dependence.given, "reports of several attributes", name)
        require_answers(about, asked, plot, post)
    named = None if ranges is None else read_ranges(ranges, domain_of(about, domain))
    if asked.quantiles:
        require_one_order(domain_of(about, domain))
    workers = None if jobs is None and cluster is None else workers_for(jobs, cluster=cluster)
    with progress_after_a_second("aggregating", 100) as show:
        counted, again = collect_inputs(
            inputs, workers=workers, drop_invalid=drop_invalid, report=lambda share: show(int(100 * share))
        )
    for text in remarks_on(inputs.batches, again):
        remark(text)
    kept.write(counted)
    if kept.is_all([output, plot, post, json, *asked.given.values(), *tables.given.values(), *dependence.given]):
        say_of(counted)
        return
    found = estimate_state(counted, domain=domain)
    checked = CheckedReports(counted)
    if isinstance(found, ReportedMean):
        deliver_mean(found, output, level, checked.document() if json else None)
    elif isinstance(found, MarginalsEstimate):
        linked = DependenceDelivery(found, dependence, tables.post)
        TableDelivery(found, tables, level, linked, checked.document()).deliver(output, plot, json)
    elif isinstance(found, WorkloadEstimate) and not asks_items(asked, post):
        deliver_answers(WorkloadAnswers(found, level, named, checked.document()), output, plot, json)
    else:
        processed = processed_as_asked(found.frequencies if isinstance(found, WorkloadEstimate) else found, post)
        answers = FrequencyAnswers(
            processed, level, named, asked.quantiles, asked.simultaneous, counted=checked.document()
        )
        deliver_items(answers, asked, output, plot, json)
    if any(asked.given.values()) and not about.ordered and not about.bins:
        say("the items are taken in the order of their list; privatize --ordered says that this order means something")
    checked.say(found.items if isinstance(found, FrequencyEstimate) else ())
    say_of(counted)


def require_answers(task: Task, asked: AskedAnswers, plot: Path | None, post: str | None) -> None:
    """Refuse, before long files are read, what reports of one attribute cannot answer."""
    name = task.oracle
    if name in MEAN_ORACLES:
        refuse_options({"plot": plot, "post": post, **asked.given}, "frequencies of items", name)
    elif asked.quantiles and find_postprocessing(post or RAW).name not in (RAW, NORM):
        refuse_options({"post": post}, "frequencies of items", "--quantiles, which are of unbiased estimates")
    elif find_postprocessing(post or RAW).needs_mechanism:
        square_mechanism(oracle_of(task.parameters))
    if name == WorkloadOracle.name and (plot is not None or asks_items(asked, post)):
        oracle = oracle_of(task.parameters)
        assert isinstance(oracle, WorkloadOracle)
        oracle.require_items()


def asks_items(asked: AskedAnswers, post: str | None) -> bool:
    """Tell whether what is asked for, other than pictures, is made of the shares of all items."""
    return post is not None or bool(asked.quantiles)


def processed_as_asked(found: FrequencyEstimate, post: str | None) -> FrequencyEstimate:
    """Return the estimate with the post-processing that is asked for, and remark on it."""
    if post is None:
        return found
    processed = postprocess(found, post)
    if not processed.is_unbiased:
        remark(
            f"frequencies are post-processed ({processed.post}); standard errors and intervals are of unbiased "
            "estimates"
        )
    return processed


def deliver_items(
    answers: FrequencyAnswers, asked: AskedAnswers, output: Path | None, plot: Path | None, json: bool
) -> None:
    """Write the files, and print the document, the quantiles or the report."""
    contents: dict[Path, Content] = {}
    if output is not None:
        contents[output] = answers.csv_bytes()
    if asked.quantiles_output is not None:
        contents[asked.quantiles_output] = answers.quantiles_csv()
    if plot is not None:
        contents[plot] = answers.picture(plot.suffix)
    write_and_say(contents)
    if json:
        print(answers.document(), end="")
    elif asked.prints_quantiles(json):
        print(answers.quantiles_csv().decode(), end="")
    else:
        answers.report()
    if asked.quantiles:
        say(f"{STATEMENT} ({'all quantiles at once' if asked.simultaneous else 'one quantile at a time'})")


def deliver_answers(answers: WorkloadAnswers, output: Path | None, plot: Path | None, json: bool) -> None:
    """Write the files, and print the document or the report of the answers of a workload."""
    contents: dict[Path, Content] = {} if output is None else {output: answers.csv_bytes()}
    if plot is not None:
        contents[plot] = answers.picture(plot.suffix)
    write_and_say(contents)
    if json:
        print(answers.document(), end="")
    else:
        answers.report()


def deliver_mean(found: ReportedMean, output: Path | None, level: float, told: Mapping[str, Any] | None) -> None:
    """Write the file of a mean, and print the line; or the document, with what is told of the reports, if it is."""
    oracle, users = found.oracle, found.state.users
    low, high = found.interval(level)
    write_and_say({} if output is None else {output: found.tabulate().csv_bytes()})
    if told is not None:
        numbers = {"mean": found.mean, "standard_error": found.standard_error, "low": low, "high": high}
        body = {"parameters": oracle.parameters, "users": users, "confidence": level, **told, **numbers}
        print(json_module.dumps(body, indent=1))
    else:
        where = f"numbers in 0..{float(oracle.maximum):g}, {oracle.privacy.describe()}"
        print(f"{users:,} reports of {oracle.name}, {where}")
        print(f"mean {found.mean:.6g} +- {found.standard_error:.3g} ({100 * level:g} %: {low:.6g} to {high:.6g})")
