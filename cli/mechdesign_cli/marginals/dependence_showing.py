"""Print on the screen which attributes are associated, and the tree of their dependences."""

import math
from collections.abc import Sequence

from rich.table import Table

from mechdesign_catalog.dependence.associations import Association, Associations
from mechdesign_catalog.dependence.learning import LearntTree
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console

MOST_SHOWN = 40
NUMBERS_WIDTH, NUMBER_WIDTH = 38, 20
"""Columns of the terminal that the numbers of associations and of a tree take."""


def report_associations(found: Associations, names: Sequence[str]) -> None:
    """Print the pairs of attributes that are found, the surest first, and what the published test would find."""
    screen = console()
    shown = sorted((test for test in found.tests if test.found), key=_order)
    screen.print(f"{len(shown)} of {len(found.tests)} pairs of attributes are associated (fdr {found.rate:g})")
    if shown:
        table = _table(screen.width - NUMBERS_WIDTH, ("Cramer's V", "p-value", "q-value"))
        for test in shown[:MOST_SHOWN]:
            numbers = (f"{test.cramers_v:.3f}", f"{test.aware.p_value:.2g}", f"{test.q_value:.2g}")
            table.add_row(*(printable(names[i]) for i in test.pair), *numbers)
        screen.print(table)
    if len(shown) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of them; --association FILE.csv has all pairs")
    published = [test.published.p_value for test in found.tests if not math.isnan(test.published.p_value)]
    called = sum(p_value <= found.rate for p_value in published)
    screen.print(f"the published test, which knows no noise, calls {called} of {len(published)} dependent")
    if len(published) < len(found.tests):
        screen.print(f"it is not defined for {len(found.tests) - len(published)}, where expected counts are below 0")


def report_tree(found: LearntTree, names: Sequence[str]) -> None:
    """Print the edges of a tree, those that tell most first."""
    screen = console()
    tree = found.tree
    kind = "tree" if len(tree.edges) == tree.d - 1 else "forest"
    joined = "1 pair" if len(tree.edges) == 1 else f"{len(tree.edges)} pairs"
    beyond = " beyond noise" if any(edge.noise for edge in tree.edges) else ""
    screen.print(f"{kind} of dependences: {joined}, mutual information{beyond} {tree.information:.4g} nats")
    if tree.edges:
        table = _table(screen.width - NUMBER_WIDTH, ("nats",))
        for edge in tree.edges[:MOST_SHOWN]:
            table.add_row(*(printable(names[i]) for i in edge.pair), f"{edge.beyond_noise:.4f}")
        screen.print(table)
    if len(tree.edges) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of {len(tree.edges)}; --json has all")


def _table(room: int, numbers: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for _ in range(2):
        table.add_column("attribute", no_wrap=True, overflow="ellipsis", max_width=max(6, room // 2 - 2))
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _order(test: Association) -> tuple[float, float]:
    return test.q_value, -test.cramers_v
