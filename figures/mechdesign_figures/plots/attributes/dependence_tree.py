"""The picture of the tree of dependences between attributes, or of a forest."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from mechdesign.arguments import checked
from mechdesign_catalog.analyses.dependence.trees import DependenceTree
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TEXT_SIZE, TITLE_SIZE, cut_names, inches, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, on_axes

INK, FILL = "0.25", "white"
THINNEST, THICKEST = 0.8, 5.0
"""Points, of a line that joins two attributes: from no mutual information to the most in the tree."""

ROW_INCHES, GAP_INCHES = 0.42, 0.75
"""Height of a row; and room beside the widest name, for the number on a line."""

LEAST_WRITTEN = 0.001
"""Nats; lines carry three decimals."""

Places = dict[int, tuple[float, float]]


@checked
def plot_dependence_tree(
    tree: DependenceTree, names: Sequence[str], ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Draw a tree of attributes from its middle on the left to its leaves, lines as thick as they tell much.

    Each line carries the mutual information of its two attributes in nats, less that of noise where the tree was found
    so. Trees of a forest stand one below another.

    Args:
        tree: as `chow_liu_tree` finds it.
        names: of the attributes.
        ax: where; new axes by default, as large as the tree asks for.
        title: what was collected.

    Returns:
        The axes.
    """
    parents = tree.hung_from(_middles_first(tree))
    places = _places(parents)
    short = cut_names(list(names))
    step = GAP_INCHES + max(inches(name, TEXT_SIZE) for name in short)
    columns = 1 + max(across for across, _ in places.values())
    rows = 1 + max(down for _, down in places.values())
    width = max(4.2, 0.4 + step * columns)
    with on_axes(ax, width, 1.1 + ROW_INCHES * rows) as axes:
        _draw_edges(tree, places, axes)
        for i, (across, down) in places.items():
            box = {"boxstyle": "round,pad=0.35", "facecolor": FILL, "edgecolor": INK, "linewidth": 1.0}
            axes.text(across, -down, short[i], ha="center", va="center", bbox=box, zorder=3, fontsize=TEXT_SIZE)
        axes.set_xlim(-0.6, columns - 0.4)
        axes.set_ylim(-rows + 0.4, 0.6)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in axes.spines.values():
            side.set_visible(False)
        less = ", less that of noise" if any(edge.noise for edge in tree.edges) else ""
        words = f"lines: mutual information of two attributes in nats{less}, {tree.information:.4g} in all"
        axes.set_xlabel(wrapped(words, 0.95 * width, SMALL_SIZE), fontsize=SMALL_SIZE)
        axes.set_title(wrapped(title, 0.95 * width, TITLE_SIZE))
        return axes


def _draw_edges(tree: DependenceTree, places: Places, axes: Axes) -> None:
    most = max([edge.beyond_noise for edge in tree.edges if edge.beyond_noise > 0], default=1.0)
    for edge in tree.edges:
        (x1, y1), (x2, y2) = (places[i] for i in edge.pair)
        width = THINNEST + (THICKEST - THINNEST) * max(0.0, edge.beyond_noise) / most
        axes.plot([x1, x2], [-y1, -y2], color=COLOURS[0], linewidth=width, zorder=1, solid_capstyle="butt")
        box = {"facecolor": FILL, "edgecolor": "none", "pad": 0.8}
        middle = ((x1 + x2) / 2, -(y1 + y2) / 2)
        axes.text(
            *middle,
            _number(edge.beyond_noise),
            ha="center",
            va="center",
            fontsize=SMALL_SIZE,
            color=INK,
            bbox=box,
            zorder=2,
        )


def _number(information: float) -> str:
    return f"{information:.3f}" if information >= LEAST_WRITTEN else f"< {LEAST_WRITTEN}"


def _middles_first(tree: DependenceTree) -> list[int]:
    """The attributes from which their trees are least deep first."""

    def depth(start: int) -> int:
        depths: dict[int, int] = {}
        for i, parent in tree.hung_from([start]).items():
            depths[i] = 0 if parent is None else depths[parent] + 1
        return max(depths.values())

    return sorted(range(tree.d), key=depth)


def _places(parents: Mapping[int, int | None]) -> Places:
    """Across is how far from the first, down a row for each leaf; an attribute stands in the middle of its children."""
    children: dict[int | None, list[int]] = {i: [] for i in (None, *parents)}
    across: dict[int, int] = {}
    for i, parent in parents.items():
        children[parent].append(i)
        across[i] = 0 if parent is None else across[parent] + 1
    down: dict[int, float] = {}
    row = 0
    waiting = sorted(children[None], reverse=True)
    while waiting:
        i = waiting.pop()
        waiting.extend(reversed(children[i]))
        if not children[i]:
            down[i] = row
            row += 1
    for i in reversed(list(parents)):
        if children[i]:
            down[i] = (down[children[i][0]] + down[children[i][-1]]) / 2
    return {i: (across[i], down[i]) for i in parents}
