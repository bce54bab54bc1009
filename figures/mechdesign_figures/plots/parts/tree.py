"""The picture of a tree of intervals: a row of boxes a level, the root on top.

Each box is over the leaves that it covers.
"""

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

FILL, PLAIN_FILL = "#D55E00", "white"
EDGE = "0.3"
HIGH, GAP = 0.62, 0.06
"""Of a box, where levels are 1 apart; and the room left between neighbours, where leaves are 1 wide."""


@dataclass(frozen=True)
class Node:
    """A node over the leaves `first..last`, with the words in its box; `marked` boxes are filled."""

    first: int
    last: int
    words: str
    marked: bool = False


def draw_tree(levels: Sequence[Sequence[Node]], axes: Axes, *, title: str = "", names: Collection[str] = ()) -> Axes:
    """Draw levels of nodes downwards on given axes, the root's first; returns the axes.

    Lines join each node with those right below it; `names` are written to the left of the levels.
    """
    for depth, level in enumerate(levels):
        for node in level:
            fill = FILL if node.marked else PLAIN_FILL
            corner, width = (node.first - 0.5 + GAP, -depth - HIGH / 2), node.last - node.first + 1 - 2 * GAP
            axes.add_patch(Rectangle(corner, width, HIGH, facecolor=fill, edgecolor=EDGE, linewidth=0.9, zorder=2))
            colour = "white" if node.marked else "black"
            axes.text(_middle(node), -depth, node.words, ha="center", va="center", color=colour, zorder=3)
    for depth, (above, below) in enumerate(itertools.pairwise(levels)):
        for node in below:
            parent = next(found for found in above if found.first <= node.first <= found.last)
            ends = ([_middle(parent), _middle(node)], [-depth - HIGH / 2, -depth - 1 + HIGH / 2])
            axes.plot(*ends, color=EDGE, linewidth=0.8, zorder=1)
    leaves = levels[-1]
    axes.set_xlim(leaves[0].first - 0.6, leaves[-1].last + 0.6)
    axes.set_ylim(-len(levels) + 0.5, 0.5)
    axes.set_yticks([-depth for depth in range(len(names))], list(names))
    axes.set_xticks([node.first for node in leaves])
    axes.tick_params(length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_title(title)
    return axes


def _middle(node: Node) -> float:
    return (node.first + node.last) / 2
