"""Estimated shares on the screen: frequent items, a few ranges, or ranges by name.

Ranges by name are those that were asked for.
"""

from collections.abc import Iterable

import numpy as np
from rich.console import Console

from mechdesign.documents.tabular import Column, words
from mechdesign.errors import printable
from mechdesign.rational import number_text
from mechdesign.workloads.queries import Floats, Intervals, Queries
from mechdesign_catalog.analyses.ordered.quantiles import QuantileEstimate, quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import TABLED, FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.bins import Bins, Grid
from mechdesign_catalog.decoders.estimate import Estimate, largest
from mechdesign_cli.showing.tables import ERROR, console, negative_note, print_table

MOST_SHOWN = 20
MOST_NAMED = 10
MOST_RANGES = 24
"""Items in order that are shown one by one; more are put together in ranges of equally many."""

ISOTONIC = "isotonic estimates, not unbiased, with {:g} % intervals of items"

FEW_ERRORS = (
    "of single items no standard errors are told, since each takes a solution, and in FILE.csv of at most {:,} "
    "prefixes; local ranges --ranges tells those of up to {:,} ranges"
)


def report_items(estimate: FrequencyEstimate, level: float, quantiles_said: str | None = None) -> None:
    """Print the most frequent items; or, of items in order, all of them in a few ranges, and what is said of quantiles.

    These are the quartiles, unless others are said.
    """
    screen = console()
    screen.print(headline(estimate), style="bold")
    if estimate.ordered:
        _print_in_order(estimate, level, screen)
        screen.print(quantiles_said or quartile_words(estimate, level), soft_wrap=True)
    else:
        _print_largest(estimate, level, screen)


def headline(estimate: FrequencyEstimate | WorkloadEstimate) -> str:
    """Say in one line what was reported about."""
    oracle = estimate.oracle
    kind = "items"
    if isinstance(estimate.domain, Bins):
        kind = f"bins {estimate.domain.text}"
    elif isinstance(estimate.domain, Grid):
        kind = f"pairs of bins {' and '.join(estimate.domain.texts)}"
    return f"{estimate.users:,} reports of {oracle.title}, {oracle.k:,} {kind}, {oracle.privacy.describe()}"


def _print_largest(estimate: FrequencyEstimate, level: float, screen: Console) -> None:
    shown = largest(estimate.shares, MOST_SHOWN)
    columns = [
        words("item", [estimate.items[item] for item in shown]),
        share_column("frequency", estimate.shares, shown),
        share_column(ERROR, estimate.standard_errors, shown),
        interval_column(f"{100 * level:g} % interval", estimate.intervals(level), shown),
        interval_column("for all items", estimate.simultaneous_intervals(level), shown),
    ]
    print_table(columns, least=8)
    _explain_negative(estimate.shares[shown], screen)
    if estimate.oracle.k > MOST_SHOWN:
        screen.print(f"the {MOST_SHOWN} largest of {estimate.oracle.k:,}; --output FILE.csv has all")
    screen.print(_above_noise(estimate, level), soft_wrap=True)


def _above_noise(estimate: FrequencyEstimate, level: float) -> str:
    """Say which items can be told from 0 where all are looked at."""
    above = estimate.above_noise(level)
    names = [printable(estimate.items[item]) for item in above[:MOST_NAMED]]
    more = f" and {len(above) - MOST_NAMED:,} more" if len(above) > MOST_NAMED else ""
    which = f"{len(above):,} ({', '.join(names)}{more})" if above else "none"
    return f"above noise, for all {len(estimate.items):,} items together at {100 * level:g} %: {which}"


def _print_in_order(estimate: FrequencyEstimate, level: float, screen: Console) -> None:
    assert not isinstance(estimate.domain, Grid)
    k, size = estimate.oracle.k, items_together(estimate.oracle.k)
    first = np.arange(0, k, size)
    last = np.minimum(first + size, k) - 1
    ranges = (Intervals(k, first, last), Intervals(k, np.zeros_like(first), last))
    shares, prefixes = (estimate.answers(asked) for asked in ranges)
    places, domain = range(len(first)), estimate.domain
    spans = [domain.span(int(low), int(high)) for low, high in zip(first, last, strict=True)]
    columns = [words("item" if size == 1 else "items", spans)]
    for head, answers in (("share", shares), ("so far", prefixes)):
        columns += [share_column(head, answers.shares, places), share_column(ERROR, answers.standard_errors, places)]
        columns.append(interval_column(f"{100 * level:g} % interval", answers.intervals(level), places))
    print_table(columns, (ERROR,), 8)
    _explain_negative(shares.shares, screen)
    if size > 1:
        screen.print(f"in each row {size:,} of {k:,} items; --output FILE.csv has them one by one")
        if (told := estimate.oracle.most_told) is not None:
            screen.print(FEW_ERRORS.format(min(TABLED, told), told), soft_wrap=True)
    print_precision(estimate, ranges[0], shares)


def print_precision(estimate: FrequencyEstimate, queries: Queries, answers: Estimate) -> None:
    """Say how near the answers are to what they stand for, where they come from steps towards it."""
    most, known = estimate.oracle.most_told, answers.standard_errors > 0
    if most is not None and not answers.has_errors:
        console().print(f"standard errors are told of at most {most:,} answers at once, got {len(answers):,}")
    elif most is not None and known.any():
        parts = estimate.oracle.solution_errors(estimate.state, queries)[known] / answers.standard_errors[known]
        console().print(f"answers are solved for to {parts.max():.0e} of their standard errors at most")


def share_column(head: str, shares: Floats, places: Iterable[int]) -> Column:
    """Return the shares, or their errors, in these places; nothing for what is not known."""
    return Column(head, ["" if np.isnan(shares[place]) else f"{shares[place]:.4f}" for place in places])


def interval_column(head: str, ends: tuple[Floats, Floats], places: Iterable[int]) -> Column:
    """Return the intervals in these places; nothing for what is not known."""
    low, high = ends
    cells = [(low[place], high[place]) for place in places]
    return Column(head, ["" if np.isnan(cell[0]) else "{:.4f} to {:.4f}".format(*cell) for cell in cells])


def _explain_negative(shares: Floats, screen: Console) -> None:
    if (note := negative_note(shares)) is not None:
        screen.print(note, soft_wrap=True)


def items_together(k: int) -> int:
    """Return how many items make a row of the screen: 1, 2 or 5 times a power of ten, so that rows are few.

    >>> [items_together(k) for k in (2, 24, 25, 120, 4096)]
    [1, 1, 2, 5, 200]
    """
    size = 1
    while -(-k // size) > MOST_RANGES:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size


def quartile_words(estimate: FrequencyEstimate, level: float) -> str:
    """Say the median and the quartiles, each with its interval of items."""
    low, median, high = _with_intervals(estimate, quantiles(estimate, "1/4,1/2,3/4", level))
    return f"median {median}, quartiles {low} and {high}: {ISOTONIC.format(100 * level)}"


def quantile_words(estimate: FrequencyEstimate, marked: QuantileEstimate, *, simultaneous: bool) -> str:
    """Say the first of the quantiles that were asked for, each with its interval of items."""
    found = _with_intervals(estimate, marked, simultaneous=simultaneous)
    pairs = zip(map(number_text, marked.quantiles[:MOST_NAMED]), found, strict=False)
    more = f" and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    together = ", of all at once" if simultaneous else ""
    said = ", ".join(f"{quantile}: {words}" for quantile, words in pairs)
    return f"quantiles {said}{more}; {ISOTONIC.format(100 * marked.level)}{together}"


def _with_intervals(estimate: FrequencyEstimate, marked: QuantileEstimate, *, simultaneous: bool = False) -> list[str]:
    """Write quantiles with their intervals of items."""
    assert not isinstance(estimate.domain, Grid)
    ends = zip(*marked.interval(simultaneous=simultaneous), strict=True)
    spans = [estimate.domain.span(int(low), int(high)) for low, high in ends]
    names = [estimate.items[int(item)] for item in marked.items]
    return [printable(f"{name} ({span})") for name, span in zip(names, spans, strict=True)]


MOST_ANSWERS = 20


def report_ranges(
    estimate: FrequencyEstimate | WorkloadEstimate, answers: Estimate, level: float, noun: str = "ranges"
) -> None:
    """Print the share of each range or other query, of many the first ones."""
    screen = console()
    screen.print(headline(estimate), style="bold")
    first, for_all = range(min(len(answers), MOST_ANSWERS)), f"for all {noun}"
    columns = [words(name, texts[:MOST_ANSWERS]) for name, texts in answers.names.items()]
    columns += [share_column("share", answers.shares, first), share_column(ERROR, answers.standard_errors, first)]
    columns.append(interval_column(f"{100 * level:g} % interval", answers.intervals(level), first))
    columns.append(interval_column(for_all, answers.simultaneous_intervals(level), first))
    print_table(columns, (ERROR, for_all), 8)
    note = (
        negative_note(answers.shares[:MOST_ANSWERS], "") if noun == "ranges" else None
    )  # others may be below 0 in truth
    if note is not None:
        screen.print(note)
    if len(answers) > MOST_ANSWERS:
        screen.print(f"the first {MOST_ANSWERS} of {len(answers):,}; --output FILE.csv has all")


def report_moments(found: Estimate, statement: str, level: float) -> None:
    """Print mean and variance with their intervals, and what the width of bins costs."""
    numbers = found.numbers(level)
    columns = [words("", list(found.names["moment"])), Column("estimate", numbers["estimate"].tolist())]
    columns.append(Column(ERROR, numbers["standard_error"].tolist()))
    ends = zip(numbers["low"], numbers["high"], strict=True)
    columns.append(Column(f"{100 * level:g} % interval", [f"{low:.6g} to {high:.6g}" for low, high in ends]))
    print_table(columns)
    console().print(statement, soft_wrap=True)
