"""Show the answers of ranges that were asked for."""

from mechdesign_catalog.collection.estimates.answering import AnswerEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.named_queries import NamedQueries
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_cli.showing.answers.item_estimates import headline
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import ERROR, console, negative_note, print_answers

MOST_SHOWN = 20


def report_ranges(
    found: FrequencyEstimate | WorkloadEstimate, ranges: NamedQueries, answers: AnswerEstimate, noun: str = "ranges"
) -> None:
    """Print the share of each range or other query, of many the first ones."""
    screen = console()
    screen.print(headline(found), style="bold")
    labels = {name: [printable(text) for text in texts[:MOST_SHOWN]] for name, texts in ranges.names.items()}
    shares, errors = ([f"{value:.4f}" for value in of[:MOST_SHOWN]] for of in (answers.shares, answers.standard_errors))
    each, together = (
        [f"{low:.4f} to {high:.4f}" for low, high in zip(lows[:MOST_SHOWN], highs[:MOST_SHOWN], strict=True)]
        for lows, highs in ((answers.low, answers.high), (answers.low_all, answers.high_all))
    )
    interval, for_all = f"{100 * answers.confidence:g} % interval", f"for all {noun}"
    numbers = {"share": (7, shares), ERROR: (6, errors), interval: (18, each), for_all: (18, together)}
    print_answers(labels, numbers, (ERROR, for_all), 8)
    note = (
        negative_note(answers.shares[:MOST_SHOWN], "") if noun == "ranges" else None
    )  # others may be below 0 in truth
    if note is not None:
        screen.print(note)
    if len(answers.shares) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of {len(answers.shares):,}; --output FILE.csv has all")
