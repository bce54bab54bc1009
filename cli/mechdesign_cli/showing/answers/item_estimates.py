"""Show estimated frequencies of items: the most frequent ones, or all that are in order in a few ranges."""

import numpy as np
from rich.console import Console

from mechdesign.workloads.queries import Floats, Intervals
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate, largest
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.bins import Bins, Grid
from mechdesign_catalog.ordered.quantiles import quantiles
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import ERROR, console, explain_errors, negative_note, plain_table

MOST_SHOWN = 20
MOST_NAMED = 10
NUMBERS_WIDTH = 62
"""Columns of the terminal that everything but the item takes."""

MOST_RANGES = 24
"""Items in order that are shown one by one; more are put together in ranges of equally many."""

WIDE = 100
"""Columns of a terminal from which on standard errors are shown as well."""

NARROW_NUMBERS, WIDE_NUMBERS = 58, 74
"""Columns that shares with their intervals take beside the item, without and with standard errors."""


def report_items(found: FrequencyEstimate, level: float) -> None:
    """Print the most frequent items; or, of items in order, all of them in a few ranges, and the quartiles."""
    screen = console()
    screen.print(headline(found), style="bold")
    if found.ordered:
        _print_in_order(found, level, screen)
    else:
        _print_largest(found, level, screen)


def headline(found: FrequencyEstimate | WorkloadEstimate) -> str:
    """Say in one line what was reported about."""
    oracle = found.oracle
    kind = "items"
    if isinstance(found.domain, Bins):
        kind = f"bins {found.domain.text}"
    elif isinstance(found.domain, Grid):
        kind = f"pairs of bins {' and '.join(found.domain.texts)}"
    return f"{found.users:,} reports of {oracle.title}, {oracle.k:,} {kind}, {oracle.privacy.describe()}"


def _print_largest(found: FrequencyEstimate, level: float, screen: Console) -> None:
    single, together = found.intervals(level), found.simultaneous_intervals(level)
    heads = ("frequency", ERROR, f"{100 * level:g} % interval", "for all items")
    shown, rows = largest(found.frequencies, MOST_SHOWN), []
    for item in shown:
        intervals = [f"{low[item]:.4f} to {high[item]:.4f}" for low, high in (single, together)]
        numbers = (f"{found.frequencies[item]:.4f}", f"{found.standard_errors[item]:.4f}", *intervals)
        rows.append((printable(found.items[item]), *numbers))
    screen.print(plain_table(["item"], heads, rows, max(8, screen.width - NUMBERS_WIDTH)))
    explain_errors(screen)
    _explain_negative(found.frequencies[shown], screen)
    if found.oracle.k > MOST_SHOWN:
        screen.print(f"the {MOST_SHOWN} largest of {found.oracle.k:,}; --output FILE.csv has all")
    screen.print(_above_noise(found, level), soft_wrap=True)


def _above_noise(found: FrequencyEstimate, level: float) -> str:
    """Say which items can be told from 0 where all are looked at."""
    above = found.above_noise(level)
    names = [printable(found.items[item]) for item in above[:MOST_NAMED]]
    more = f" and {len(above) - MOST_NAMED:,} more" if len(above) > MOST_NAMED else ""
    which = f"{len(above):,} ({', '.join(names)}{more})" if above else "none"
    return f"above noise, for all {len(found.items):,} items together at {100 * level:g} %: {which}"


def _print_in_order(found: FrequencyEstimate, level: float, screen: Console) -> None:
    assert not isinstance(found.domain, Grid)
    k, size = found.oracle.k, items_together(found.oracle.k)
    first = np.arange(0, k, size)
    last = np.minimum(first + size, k) - 1
    shares = found.answers(Intervals(k, first, last), level)
    prefixes = found.answers(Intervals(k, np.zeros_like(first), last), level)
    wide = screen.width >= WIDE
    room = max(8, screen.width - (WIDE_NUMBERS if wide else NARROW_NUMBERS))
    each = [*([ERROR] if wide else []), f"{100 * level:g} % interval"]
    rows = []
    for place in range(len(first)):
        row: list[str] = [printable(found.domain.span(int(first[place]), int(last[place])))]
        for share, answers in ((shares.shares[place], shares), (prefixes.shares[place], prefixes)):
            error = [f"{answers.standard_errors[place]:.4f}"] if wide else []
            row += [f"{share:.4f}", *error, f"{answers.low[place]:.4f} to {answers.high[place]:.4f}"]
        rows.append(row)
    screen.print(plain_table(["item" if size == 1 else "items"], ["share", *each, "so far", *each], rows, room))
    if wide:
        explain_errors(screen)
    _explain_negative(shares.shares, screen)
    if size > 1:
        screen.print(f"in each row {size:,} of {k:,} items; --output FILE.csv has them one by one")
    screen.print(quartile_words(found, level), soft_wrap=True)


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


def quartile_words(found: FrequencyEstimate, level: float) -> str:
    """Say the median and the quartiles, each with its interval of items."""
    marked = quantiles(found, "1/4,1/2,3/4", level)
    assert not isinstance(found.domain, Grid)
    spans = [found.domain.span(int(low), int(high)) for low, high in zip(*marked.interval(), strict=True)]
    names = [found.items[int(item)] for item in marked.items]
    words = [printable(f"{name} ({span})") for name, span in zip(names, spans, strict=True)]
    return (
        f"median {words[1]}, quartiles {words[0]} and {words[2]}: isotonic estimates, not unbiased, with "
        f"{100 * level:g} % intervals of items"
    )
