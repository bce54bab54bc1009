"""Print on the screen which attributes are associated, and the tree of their dependences."""

import math
from collections.abc import Sequence

from mechdesign_catalog.dependence.associations import Association, Associations
from mechdesign_catalog.dependence.learning import LearntTree
from mechdesign_cli.showing.messages import printable
from mechdesign_cli.showing.tables import console, plain_table

MOST_SHOWN = 40
PAIR = ("attribute", "attribute")
NUMBERS_WIDTH, NUMBER_WIDTH = 38, 20
"""Columns of the terminal that the numbers of associations and of a tree take."""


def report_associations(found: Associations, names: Sequence[str]) -> None:
    """Print the pairs of attributes that are found, the surest first, and what the published test would find."""
    screen = console()
    shown = sorted((test for test in found.tests if test.found), key=_order)
    screen.print(f"{len(shown)} of {len(found.tests)} pairs of attributes are associated (fdr {found.rate:g})")
    if shown:
        rows = [
            (*_named(test.pair, names), f"{test.cramers_v:.3f}", f"{test.aware.p_value:.2g}", f"{test.q_value:.2g}")
            for test in shown[:MOST_SHOWN]
        ]
        room = max(6, (screen.width - NUMBERS_WIDTH) // 2 - 2)
        screen.print(plain_table(PAIR, ("Cramer's V", "p-value", "q-value"), rows, room))
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
        rows = [(*_named(edge.pair, names), f"{edge.beyond_noise:.4f}") for edge in tree.edges[:MOST_SHOWN]]
        screen.print(plain_table(PAIR, ("nats",), rows, max(6, (screen.width - NUMBER_WIDTH) // 2 - 2)))
    if len(tree.edges) > MOST_SHOWN:
        screen.print(f"the first {MOST_SHOWN} of {len(tree.edges)}; --json has all")


def _named(pair: Sequence[int], names: Sequence[str]) -> list[str]:
    return [printable(names[i]) for i in pair]


def _order(test: Association) -> tuple[float, float]:
    return test.q_value, -test.cramers_v
