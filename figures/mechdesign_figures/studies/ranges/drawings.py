"""Studies 5.1 and 5.2: a dyadic tree with two users' paths, and the Haar matrix of 8 items."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure

from mechdesign.rational import fraction_text
from mechdesign_figures.plots.parts.signed_matrix import draw_signed_matrix
from mechdesign_figures.plots.parts.style import HouseFigure
from mechdesign_figures.plots.parts.tree import Node, draw_tree
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.ranges.decomposition import parts
from mechdesign_figures.studies.study import Row, Study

SHARES = tuple(map(Fraction, ("0.1", "0.15", "0.23", "0.12", "0.2", "0.05", "0.07", "0.08")))
"""Of the items of figure 5.1."""

USERS = (1, 5)
"""Items of the two users whose paths it shows."""

EXAMPLE = (2, 22)
"""A range of 32 items that the text decomposes."""

ITEMS = 8
TREE_COLUMNS = ("record", "depth", "first", "last", "share", *(f"user_at_{item}" for item in USERS))
HAAR_COLUMNS = ("item", "coefficient", "height", "sign", "square", "value")


def tree_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table of the tree: its nodes, and the parts of the range that the text decomposes."""
    found: list[Row] = [*_nodes()]
    found += [{"record": "part of [2, 22]", "first": first, "last": last} for first, last in parts(*EXAMPLE, 2)]
    return [{column: row.get(column) for column in TREE_COLUMNS} for row in found]


def _nodes() -> Iterator[Row]:
    for depth in range(int(math.log2(ITEMS)) + 1):
        size = ITEMS >> depth
        for first in range(0, ITEMS, size):
            within = range(first, first + size)
            share = fraction_text(sum((SHARES[item] for item in within), Fraction(0)))
            paths = {f"user_at_{item}": int(item in within) for item in USERS}
            yield {"record": "node", "depth": depth, "first": first, "last": within[-1], "share": share, **paths}


def draw_trees(rows: Sequence[Row]) -> Figure:
    """Draw the tree of everybody's shares above those of the two users."""
    nodes = [row for row in rows if row["record"] == "node"]
    depths = sorted({whole(row, "depth") for row in nodes})
    names = ["root", *(f"level {depth}" for depth in depths[1:])]
    figure = HouseFigure(figsize=(7.2, 7.4))
    panels: np.ndarray = figure.subplots(1 + len(USERS), 1)
    titles = {"share": "shares of all users", **{f"user_at_{item}": f"a user with item {item}" for item in USERS}}
    for axes, (column, title) in zip(panels, titles.items(), strict=True):
        levels = [[_node(row, column) for row in nodes if row["depth"] == depth] for depth in depths]
        draw_tree(levels, axes, title=title, names=names)
    panels[-1].set_xlabel("item")
    return figure


def _node(row: Row, column: str) -> Node:
    first, last = whole(row, "first"), whole(row, "last")
    value = number(row, column)
    return Node(first, last, f"{value:.2f}" if column == "share" else f"{value:g}", column != "share" and value == 1)


def haar_rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the Haar matrix: coefficient 0 is the constant one, then those of the root, of its children, and so on.

    The entry of an item that is in the left half of a node of height i is `2^(-i/2)`, in the right half minus that.
    """
    heights = int(math.log2(ITEMS))
    found: list[Row] = [_entry(item, 0, heights, 1) for item in range(ITEMS)]
    for height in range(heights, 0, -1):
        size = 1 << height
        for node in range(ITEMS // size):
            for item in range(ITEMS):
                inside = item // size == node
                sign = (1 if item % size < size // 2 else -1) if inside else 0
                found.append(_entry(item, ITEMS // size + node, height, sign))
    return found


def _entry(item: int, coefficient: int, height: int, sign: int) -> Row:
    square = Fraction(abs(sign), 1 << height)
    return {
        "item": item,
        "coefficient": coefficient,
        "height": height,
        "sign": sign,
        "square": fraction_text(square),
        "value": sign * math.sqrt(square),
    }


def draw_haar(rows: Sequence[Row]) -> Figure:
    """Draw the Haar matrix times the root of its size."""
    matrix = np.zeros((ITEMS, ITEMS))
    texts = [[""] * ITEMS for _ in range(ITEMS)]
    for row in rows:
        place = whole(row, "item"), whole(row, "coefficient")
        matrix[place] = number(row, "value")
        texts[place[0]][place[1]] = _times_root(whole(row, "sign"), ITEMS * Fraction(str(row["square"])))
    figure = HouseFigure(figsize=(5.2, 5.2))
    draw_signed_matrix(
        matrix,
        texts,
        figure.subplots(),
        title=rf"Haar matrix of {ITEMS} items, times $\sqrt{{{ITEMS}}}$",
        x_label="coefficient",
        y_label="item",
    )
    return figure


def _times_root(sign: int, square: Fraction) -> str:
    """Write sign times the root of a power of two.

    >>> _times_root(-1, Fraction(2)), _times_root(1, Fraction(4))
    ('$-\\\\sqrt{2}$', '$2$')
    """
    root = math.isqrt(int(square))
    text = "0" if sign == 0 else str(root) if root * root == square else rf"\sqrt{{{square}}}"
    return f"${'-' if sign < 0 else ''}{text}$"


STUDIES = (
    Study(
        number="5.1",
        title="A dyadic tree of 8 items, and the paths of two users",
        setting="shares 0.10, 0.15, 0.23, 0.12, 0.20, 0.05, 0.07, 0.08; users with the items 1 and 5; the table has "
        "the parts of [2, 22] among 32 items as well",
        columns=TREE_COLUMNS,
        rows=tree_rows,
        draw=draw_trees,
    ),
    Study(
        number="5.2",
        title="The Haar matrix of 8 items",
        setting="8 items; entries 2^(-i/2) or minus that at a node of height i",
        columns=HAAR_COLUMNS,
        rows=haar_rows,
        draw=draw_haar,
    ),
)
