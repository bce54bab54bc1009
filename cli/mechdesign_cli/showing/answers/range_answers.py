"""Show the answers of ranges that were asked for."""

from rich.table import Table

from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_cli.showing.answers.item_estimates import headline
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import ERROR, console, explain_errors, negative_note

MOST_SHOWN = 20
SHARE, EACH, ALL = "share", "{:g} % interval", "for all {}"
WIDTHS = {SHARE: 7, ERROR: 6, EACH: 18, ALL: 18}
"""Columns of the terminal that numbers take, two between them aside; where room is short, the least needed go first."""

SPARED = (ERROR, ALL)
LEAST_LABEL = 8


def report_ranges(
    found: FrequencyEstimate | WorkloadEstimate, ranges: NamedQueries, answers: AnswerEstimate, noun: str = "ranges"
) -> None:
    """Print the share of each range or other query, of many the first ones."""
    screen = console()
    screen.print(headline(found), style="bold")
    labels = {name: [printable(text) for text in texts[:MOST_SHOWN]] for name, texts in ranges.names.items()}
    wanted = sum(max(len(name), *map(len, texts)) + 2 for name, texts in labels.items())
    shown = _fitting(screen.width - wanted)
    room = max(LEAST_LABEL, (screen.width - _width(shown)) // len(labels) - 2)
    table = Table(box=None, pad_edge=False)
    for name in labels:
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=room)
    for name in shown:
        table.add_column(name.format(noun if name == ALL else 100 * answers.confidence), justify="right", no_wrap=True)
    for row in range(min(MOST_SHOWN, len(answers.shares))):
        numbers = {
            SHARE: f"{answers.shares[row]:.4f}",
            ERROR: f"{answers.standard_errors[row]:.4f}",
            EACH: f"{answers.low[row]:.4f} to {answers.high[row]:.4f}",
            ALL: f"{answers.low_all[row]:.4f} to {answers.high_all[row]:.4f}",
        }
        table.add_row(*(texts[row] for texts in labels.values()), *(numbers[name] for name in shown))
    screen.print(table)
    if ERROR in shown:
        explain_errors(screen)
    note = (
        negative_note(answers.shares[:MOST_SHOWN], "") if noun == "ranges" else None
    )  # others may be below 0 in truth
    if note is not None:
        screen.print(note)
    if len(answers.shares) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of {len(answers.shares):,}; --output FILE.csv has all")


def _fitting(room: int) -> list[str]:
    """Return the columns of numbers that fit, the share and its interval in any case."""
    shown = list(WIDTHS)
    for name in SPARED:
        if _width(shown) > room:
            shown.remove(name)
    return shown


def _width(names: list[str]) -> int:
    return sum(WIDTHS[name] + 2 for name in names)
