"""Run `mechdesign estimate`: estimate the true counts behind released ones."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.counts.estimation import (
    as_confidence,
    count_releases,
    estimate_counts,
    posterior,
    released_column,
)
from mechdesign.documents.document import document_text
from mechdesign.documents.sources import open_table
from mechdesign.documents.storage import read_count_mechanism
from mechdesign.errors import InputError
from mechdesign.problem.prior import Prior
from mechdesign.rational import as_rational
from mechdesign.releases.estimates.by_group import estimate_groups
from mechdesign.releases.estimates.estimate import estimate_release
from mechdesign_cli.files.targets import require_targets, write_and_say
from mechdesign_cli.parsing import numbers, options
from mechdesign_cli.parsing.choices import files_read, read_prior
from mechdesign_cli.parsing.data_options import refuse_options
from mechdesign_cli.showing.estimates import Answer, estimate_csv, estimate_document, report
from mechdesign_cli.showing.messages import say
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.release_estimates import (
    groups_csv,
    missing_text,
    regions_csv,
    release_estimate_document,
    report_release,
    sizes_csv,
)

NO = 1
ESTIMATED = "estimated"
TOLERANCE = "1e-6"


def estimate(
    file: Annotated[Path, typer.Argument(help="CSV file of released counts, with a header.")],
    mechanism: Annotated[
        Path | None, typer.Option("--mechanism", help="The mechanism that released them, groups of one size.")
    ] = None,
    n: options.SizeOfLaw = None,
    record: Annotated[Path | None, typer.Option("--record", help="The record of their release, of any sizes.")] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Their column: released, or the only one, if not given.")
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", help="Of the intervals of the mean and of the posterior's set.")
    ] = "0.95",
    tolerance: Annotated[
        str,
        typer.Option(
            "--tolerance",
            help="How far the log-likelihood may stay below its maximum; at least the rounding error.",
        ),
    ] = TOLERANCE,
    posterior_of: Annotated[
        int | None,
        typer.Option(
            "--posterior",
            help="A released count: how likely is each true count behind it?",
            parser=numbers.whole_number,
            metavar="COUNT",
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", help="For --posterior: uniform (the default), binomial:P, weights:W,W,..., a file, estimated."
        ),
    ] = None,
    by_group: Annotated[
        bool, typer.Option("--by-group", help="With --record: the exact interval of every group, as CSV.")
    ] = False,
    by_region: Annotated[
        bool, typer.Option("--by-region", help="With --record of groups in regions: each region's total, as CSV.")
    ] = False,
    value: Annotated[
        str | None, typer.Option("--value", help="With --record of a category: which of its values is estimated.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="CSV file for the estimates.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw them to .png, .svg or .pdf.")] = None,
    json: options.Json = False,
) -> int:
    """Print the distribution of the true counts by maximum likelihood and by unbiased inversion, and their mean.

    With --posterior COUNT: how likely each true count is behind that released one. With --record instead of
    --mechanism: total, shares and means by size of all groups, with the intervals that the noise leaves. With
    --by-group: the exact interval of each group. With --by-region: the sum of unbiased estimates of each region.

    All of it is post-processing of what is public: it costs nothing in privacy. Exit code 1 when the tolerance is not
    reached.

    Example: mechdesign estimate released.csv --mechanism wm.json --posterior 3 --prior estimated
    """
    level, wanted = as_rational(confidence, "confidence"), as_rational(tolerance, "tolerance")
    as_confidence(level)
    table = _asked_table(by_group, by_region)
    if record is not None:
        of_mechanism = {"mechanism": mechanism, "n": n, "column": column, "posterior": posterior_of, "prior": prior}
        wanted_of_it = None if tolerance == TOLERANCE else tolerance
        refuse_options({**of_mechanism, "tolerance": wanted_of_it}, "one mechanism", "--record")
        if table:
            refuse_options({"plot": plot, "json": json or None}, "all groups together", table)
            return _table(file, record, level, output, by_group, value)
        return _of_release(file, record, level, output, plot, json, value)
    if table or value is not None:
        raise InputError(f"{table or '--value'} goes with --record, got it alone")
    if mechanism is None:
        raise InputError("one of --mechanism and --record must be given, got neither")
    chosen = _read_prior(posterior_of, prior)
    require_targets([output] if output else [], plot, [file, mechanism, *files_read(None, prior)], (".csv",))
    matrix = read_count_mechanism(mechanism, n)
    if posterior_of is not None:  # is it possible at all? said before a long file is read
        posterior(posterior_of, matrix, chosen or "uniform")
    counts = _count(file, column, matrix.n_outputs - 1)
    found = estimate_counts(matrix, counts, level, float(wanted))
    one = None if posterior_of is None else posterior(posterior_of, matrix, chosen or found)
    answer = Answer(file, mechanism, found, level, one, prior or "uniform")
    contents = {}
    if output is not None:
        contents[output] = estimate_csv(found)
    if plot is not None:
        from mechdesign_figures.plots.estimate import plot_estimate
        from mechdesign_figures.plots.parts.saving import picture_bytes

        contents[plot] = picture_bytes(plot_estimate(found), plot.suffix)
    write_and_say(contents)
    if json:
        print(document_text(estimate_document(answer)), end="")
    else:
        report(answer)
    if found.likelihood.converged:
        return 0
    best = found.likelihood
    say(f"tolerance {best.tolerance:g} was not reached: the likelihood may be {best.bound:.2g} below the largest")
    return NO


def _of_release(
    file: Path,
    record: Path,
    confidence: Fraction,
    output: Path | None,
    plot: Path | None,
    json: bool,
    value: str | None,
) -> int:
    require_targets([output] if output else [], plot, [file, record], (".csv",))
    found = estimate_release(file, record, confidence=confidence, value=value)
    contents = {} if output is None else {output: sizes_csv(found)}
    if plot is not None:
        from mechdesign_figures.plots.parts.saving import picture_bytes
        from mechdesign_figures.plots.release_estimate import plot_release_estimate

        contents[plot] = picture_bytes(plot_release_estimate(found), plot.suffix)
    write_and_say(contents)
    if json:
        print(document_text(release_estimate_document(found)), end="")
    else:
        report_release(found, file, record)
    return 0


def _asked_table(by_group: bool, by_region: bool) -> str | None:
    if by_group and by_region:
        raise InputError("one of --by-group and --by-region may be given, got both")
    if by_group:
        return "--by-group"
    return "--by-region" if by_region else None


def _table(
    file: Path, record: Path, confidence: Fraction, output: Path | None, by_group: bool, value: str | None
) -> int:
    """Print or write a row for each group, or one for each region."""
    require_targets([output] if output else [], None, [file, record], (".csv",))
    remark = None
    if by_group:
        refuse_options({"value": value}, "estimates of all groups together", "--by-group")
        content = groups_csv(estimate_groups(file, record, confidence=confidence))
    else:
        found = estimate_release(file, record, confidence=confidence, value=value)
        if not found.regions:
            raise InputError(f"--by-region goes with groups in regions (--group REGION,GROUP), got none in {record}")
        content, remark = regions_csv(found), missing_text(found) or None
    if output is None:
        print(content.decode(), end="")
    else:
        write_and_say({output: content})
    say(remark)
    return 0


def _read_prior(released: int | None, text: str | None) -> Prior | None:
    """The prior; None for the estimated distribution."""
    if released is None and text is not None:
        raise InputError(f"--prior goes with --posterior COUNT, got --prior {text} alone")
    return None if text is not None and text.strip().lower() == ESTIMATED else read_prior(text)


def _count(file: Path, column: str | None, n: int) -> tuple[int, ...]:
    with open_table(file) as source:
        at = released_column(source.header, column, source.name)
        with progress_after_a_second("reading", source.total) as show:
            return count_releases(source.rows, at, n, source.name, lambda rows: show(source.position.read))
