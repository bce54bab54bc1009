"""Compare mechanisms side by side on groups of people: `mechdesign compare`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from rich.table import Table

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import number_text
from mechdesign_catalog.comparisons.of_mechanisms import (
    MECHANISMS,
    METRICS,
    REPETITIONS,
    MechanismComparison,
    MechanismRow,
    measure_mechanisms,
)
from mechdesign_catalog.comparisons.rows import Entry
from mechdesign_catalog.datasets.counts import GroupedCounts
from mechdesign_catalog.datasets.items import means_items
from mechdesign_catalog.mechanisms.candidates import Candidate, parse_candidates
from mechdesign_cli.comparisons.request import ComparisonRequest
from mechdesign_cli.parsing.choices import files_read, read_loss, read_prior
from mechdesign_cli.parsing.data_options import DataRequest, say_what_was_dropped
from mechdesign_cli.showing.messages import printable, remark
from mechdesign_cli.showing.progress import progress_after_a_second
from mechdesign_cli.showing.tables import console

NARROW = 60
"""A narrower terminal gets three decimals."""


@dataclass(frozen=True, kw_only=True)
class MechanismRequest(ComparisonRequest):
    """The options of a comparison of mechanisms; texts as they were typed, None where not given."""

    source: DataRequest
    mechanisms: str | None
    n: str | None
    loss: str | None
    prior: str | None

    def comparison(self, candidates: tuple[Candidate, ...]) -> MechanismComparison:
        """Return what is to be compared; nothing is released yet."""
        return MechanismComparison.of(
            self.source.read(self.seed),
            candidates,
            n=self.n,
            alpha=self.alpha,
            epsilon=self.epsilon,
            metrics=METRICS if self.metric is None else self.metric,
            loss=read_loss(self.loss or "L0"),
            prior=None if self.prior is None else read_prior(self.prior),
            repetitions=REPETITIONS if self.repetitions is None else self.repetitions,
        )


def run(request: MechanismRequest, json: bool) -> None:
    """Compare mechanisms, write the files and print."""
    request.source.check()
    if request.source.data is not None and means_items(request.source.data):
        raise InputError(
            f"data must be counts of groups, got the items of {shorten(request.source.data)}; "
            "take mechdesign compare-oracles"
        )
    candidates = parse_candidates(MECHANISMS if request.mechanisms is None else request.mechanisms)
    files = [candidate.path for candidate in candidates if candidate.path is not None]
    sources = [*request.source.files_read(), *files, *files_read(None, request.loss, request.prior)]
    request.require_targets(sources)
    comparison, seed = request.comparison(candidates), request.seed
    if request.plot is not None:
        from mechdesign_figures.plots.mechanisms.comparison import require_plottable

        require_plottable(comparison)
    with progress_after_a_second("releasing", comparison.draws) as show:
        rows = measure_mechanisms(comparison, None if seed is None else seeded_words(seed), show)
    for counts in comparison.grouped:
        say_what_was_dropped(counts)
    if comparison.alphas and all(candidate.is_made for candidate in candidates):
        remark("alpha is not used: files have an alpha of their own")
    privacy = "alpha" if request.epsilon is None else "epsilon"
    if mixed := mixed_privacy(candidates, rows, privacy):
        remark(f"warning: mechanisms of different {privacy} are compared: {mixed}")
    document = request.document(rows, data_entries(comparison.grouped))
    request.write(rows, document, partial(_picture, rows, comparison))
    if json:
        print(document, end="")
    else:
        report(rows, comparison.grouped, privacy)


def _picture(rows: Sequence[MechanismRow], comparison: MechanismComparison, suffix: str) -> bytes:
    from mechdesign_figures.plots.mechanisms.comparison import comparison_words, plot_mechanism_comparison
    from mechdesign_figures.plots.parts.saving import picture_bytes

    return picture_bytes(plot_mechanism_comparison(rows, title=comparison_words(comparison)), suffix)


def mixed_privacy(candidates: Sequence[Candidate], rows: Sequence[MechanismRow], privacy: str) -> str | None:
    """Say which files have another alpha than what they are compared with; None where none has.

    `privacy` says whether alpha or epsilon is shown.
    """
    files = {candidate.name for candidate in candidates if candidate.is_made}
    of_files = {row.mechanism: row.alpha for row in rows if row.mechanism in files}
    asked = {row.alpha for row in rows if row.mechanism not in files}
    if not set(of_files.values()) - asked or (not asked and len(set(of_files.values())) == 1):
        return None
    told = [f"{name} {_privacy_text(alpha, privacy)}" for name, alpha in of_files.items()]
    others = [f"the others {', '.join(_privacy_text(alpha, privacy) for alpha in sorted(asked))}"] if asked else []
    return ", ".join([*told, *others])


def data_entries(grouped: Sequence[GroupedCounts]) -> list[Entry]:
    """Return what the rows were measured on."""
    return [
        {"source": g.source, "n": g.n, "groups": g.groups, "people": g.people, "dropped": g.dropped} for g in grouped
    ]


def report(rows: Sequence[MechanismRow], grouped: Sequence[GroupedCounts], privacy: str) -> None:
    """Print a table for each group size, metric by metric, so that mechanisms stand below one another.

    `privacy` says whether alpha or epsilon is shown.
    """
    screen = console()
    shown = {row.alpha: _privacy_text(row.alpha, privacy) for row in rows}
    shared = f", {privacy} = {shown[rows[0].alpha]}" if len(shown) == 1 else ""
    for counts in grouped:
        screen.print(f"{counts.source}: {counts.groups:,} groups of n = {counts.n}{shared}", style="bold")
        column = {} if len(shown) == 1 else shown
        table = comparison_table([row for row in rows if row.n == counts.n], privacy, column, screen.width < NARROW)
        screen.print(table)
        screen.print()
    times = rows[0].measured.repetitions
    screen.print(f"expected: exact, given the data; simulated: mean of {times} releases; +-: its standard error")


def _privacy_text(alpha: Fraction, privacy: str) -> str:
    return loss_text(alpha, 4) if privacy == "epsilon" else number_text(alpha)


def comparison_table(
    rows: Sequence[MechanismRow], privacy: str, shown: Mapping[Fraction, str], is_narrow: bool
) -> Table:
    """Return a table of metric, mechanism, exact expectation, simulated mean and its standard error.

    There is a column of alpha or epsilon where they differ.
    """
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
