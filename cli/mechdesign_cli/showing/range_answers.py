"""Show the answers of ranges that were asked for."""

from rich.table import Table

from mechdesign_catalog.oracles.collection.aggregating import FrequencyEstimate
from mechdesign_catalog.oracles.collection.answering import AnswerEstimate
from mechdesign_catalog.ordered.named_ranges import NamedRanges
from mechdesign_cli.showing.item_estimates import headline
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console

MOST_SHOWN = 20


def report_ranges(found: FrequencyEstimate, ranges: NamedRanges, answers: AnswerEstimate) -> None:
    """Print the share of each range, of many ranges the first ones."""
    screen = console()
    screen.print(headline(found), style="bold")
    table = Table(box=None, pad_edge=False)
    for name in ranges.names:
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for name in ("share", "+-", f"{100 * answers.confidence:g} % interval", "for all ranges"):
        table.add_column(name, justify="right", no_wrap=True)
    columns = list(ranges.names.values())
    for row in range(min(MOST_SHOWN, len(answers.shares))):
        table.add_row(
            *(printable(column[row]) for column in columns),
            f"{answers.shares[row]:.4f}",
            f"{answers.standard_errors[row]:.4f}",
            f"{answers.low[row]:.4f} to {answers.high[row]:.4f}",
            f"{answers.low_all[row]:.4f} to {answers.high_all[row]:.4f}",
        )
    screen.print(table)
    if len(answers.shares) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of {len(answers.shares):,}; --output FILE.csv has all")
