"""Landscapes for every alpha on the screen: regions, crossings, and scores where these are few."""

from collections.abc import Sequence

from mechdesign.documents.tabular import Table, words
from mechdesign.formulas.landscape import Crossing, FormulaLandscape, weakest
from mechdesign.formulas.texts import end_text, function_text, ranges_text
from mechdesign.sweeps.subset_designs import Subset
from mechdesign_cli.showing.tables import console, print_facts, print_table

MOST_SCORES = 24
"""Lines of scores that a landscape prints; of more it says how to get them."""


def show_formula_landscape(landscape: FormulaLandscape) -> None:
    """Print regions with their classes in order, where classes meet, and the scores where these are few."""
    screen = console()
    spared = len(landscape.formulas) - len(landscape.solved)
    print_facts(
        [
            ("asked", landscape.describe()),
            ("regions", f"{len(landscape.regions)}, every score exact"),
            (
                "solved",
                f"{len(landscape.solved)} of {len(landscape.formulas)} closed subsets; {spared} follow from the others",
            ),
            ("seconds", f"{landscape.seconds:.3f}"),
        ]
    )
    ranges = [f"{end_text(region.start, False)} .. {end_text(region.end, False)}" for region in landscape.regions]
    orders = [" < ".join(map(_class_text, region.classes)) for region in landscape.regions]
    screen.print()
    print_table(Table.of_columns([words("alpha = a", ranges, folds=True), words("cheapest first", orders, folds=True)]))
    for crossing in landscape.crossings:
        screen.print(f"at {end_text(crossing.at)} alone: {_meeting_text(landscape, crossing)}")
    rows = [(start, end, group, score) for _, group, pieces in landscape.rows() for start, end, score in pieces]
    if len(rows) > MOST_SCORES:
        screen.print(f"\n{len(rows)} scores: --output FILE.csv, or --json, has them")
        return
    columns = [
        words("alpha = a", ranges_text([(start, end) for start, end, _, _ in rows]), folds=True),
        words("weakest", [_class_text(group) for _, _, group, _ in rows], folds=True),
        words("least score", [function_text(score) for *_, score in rows], folds=True),
    ]
    screen.print()
    print_table(Table.of_columns(columns))


def _class_text(group: Sequence[Subset]) -> str:
    return " = ".join(",".join(names) or "none" for names in weakest(group))


def _meeting_text(landscape: FormulaLandscape, crossing: Crossing) -> str:
    return "; ".join(" = ".join(map(_class_text, run)) for run in landscape.meeting(crossing))
