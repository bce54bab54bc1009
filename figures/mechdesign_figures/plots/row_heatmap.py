"""The picture of a workload design: its mechanism's rows beside the queries."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.level_designs import LevelDesign, LevelMechanism
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.privacy import rounded_down, rounded_up
from mechdesign.rational import nearest_float
from mechdesign.verify.level_design import BlockEntry, LevelEntry, RowEntry
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.workload import Workload
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE, wrapped
from mechdesign_figures.plots.parts.style import HEAT, on_figure

WIDTH, HEIGHT = 9.2, 5.6
TITLE_ROOM = 8.6
"""Inches for a line of the title."""

SHARES = (6, 1, 5)
"""Of the width: rows of the mechanism, how likely they are, workload."""

PAIR = ListedColormap(colormaps[HEAT]([0.0, 1.0]))
"""Colours of the lower and of the higher probability of an output."""

MOST_WEIGHTS = 1 << 22
"""Weights of queries up to which the workload is drawn as it is; beyond, as W'W."""

LEVEL_SIZE = 6
"""Size of the letters beside a level, of which there may be some forty."""

POSITIVE, SIGNED = "Greys", "PuOr"
"""Colours of weights of 0 and more, and of weights of both signs."""


@checked
def plot_workload_design(
    design: WorkloadDesign | LevelDesign, figure: Figure | None = None, *, title: str | None = None
) -> Figure:
    """Draw the rows of a design for a workload, outputs by items, likeliest first, and the workload beside them.

    Each output has two probabilities, the higher one 1/alpha times the lower; which item has which is drawn, and how
    likely the output is where all items are as likely. Of a design of levels it is how often each level is drawn.

    Args:
        design: the design.
        figure: where; a new one by default.
        title: by default the problem and what is proved of the variance.

    Returns:
        The figure.
    """
    with on_figure(figure, WIDTH, HEIGHT) as chosen:
        if isinstance(design, LevelDesign):
            draw_levels(design.mechanism, chosen.subplots())
        else:
            rows, likely, queries = chosen.subplots(1, 3, width_ratios=SHARES)
            draw_rows(design.mechanism, rows, likely)
            draw_workload(design.problem.workload, queries)
        words = design_words(design) if title is None else title
        chosen.suptitle(wrapped(words, TITLE_ROOM, TITLE_SIZE), fontsize=TITLE_SIZE)
    return chosen


def design_words(design: WorkloadDesign | LevelDesign) -> str:
    """Return the title of a design: the problem, the variance for a user, and by how much it may exceed the least."""
    if isinstance(design, LevelDesign) and design.measured:
        known = f"measured; no mechanism has less than {rounded_down(design.lower_bound, 6)}"
        return f"{design.problem.describe()}: variance for a user about {nearest_float(design.score):.6g}, {known}"
    proved = "no bound" if design.gap is None else f"at most {rounded_up(design.gap, 2)} of the least above it"
    return f"{design.problem.describe()}: variance for a user {nearest_float(design.score):.6g}, {proved}"


def draw_rows(mechanism: RowMechanism, axes: Axes, beside: Axes) -> None:
    """Draw the rows of a mechanism on given axes, the likeliest output on top, and how likely each is beside them."""
    chances = likelihoods(mechanism)
    order = np.argsort(-chances, kind="stable")
    axes.imshow(mechanism.ones[order], cmap=PAIR, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    _label(axes, "input: item u", "output r, likeliest first")
    axes.set_title(f"{mechanism.n_outputs} outputs")
    names = ("lower Pr[r | u]", "1/alpha times that")
    patches = [Patch(color=PAIR(place), label=name) for place, name in enumerate(names)]
    axes.legend(handles=patches, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
    places = np.arange(len(order))
    beside.fill_betweenx(places, chances[order], step="mid", color=PAIR(0), linewidth=0)
    beside.set_ylim(len(order) - 0.5, -0.5)
    beside.set_xlim(left=0)
    beside.set_yticks([])
    beside.xaxis.set_major_locator(MaxNLocator(2))
    beside.set_xlabel("Pr[r],\nuniform items")


def draw_levels(mechanism: LevelMechanism, axes: Axes) -> None:
    """Draw how often each level is drawn, the finest on top: its number of blocks, or its row of cells."""
    total = sum(level.weight for level in mechanism.levels)
    names = [_level_name(level, mechanism.places) for level in mechanism.levels]
    axes.barh(names, [level.weight / total for level in mechanism.levels], color=PAIR(0))
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=LEVEL_SIZE)
    axes.set_xlabel("chance of the level")
    shape = f"a circle of {mechanism.places:,} places; cells by their row"
    axes.set_title(f"{len(names)} levels on {f'a line of {mechanism.k:,} items' if mechanism.is_line else shape}")


def _level_name(level: LevelEntry, places: int) -> str:
    if isinstance(level, RowEntry):
        return f"{level.row}, cells"
    if isinstance(level, BlockEntry):
        return f"{level.blocks:,} blocks"
    return f"{level.blocks:,} blocks, longer at the ends"


def likelihoods(mechanism: RowMechanism) -> NDArray[np.float64]:
    """Return the probability of each output where all items are as likely, shape (n_outputs,)."""
    weights = np.array([weight / mechanism.denominator for weight in mechanism.weights])
    means: NDArray[np.float64] = 1 + (float(1 / mechanism.alpha) - 1) * mechanism.ones.mean(axis=1)
    return weights * means


def draw_workload(workload: Workload, axes: Axes) -> Axes:
    """Draw the weights of a workload's queries on given axes, with their colour bar; of very many queries W'W."""
    is_whole = workload.count * workload.k <= MOST_WEIGHTS
    matrix = workload.queries().weights() if is_whole else np.array(workload.gram(), dtype=np.float64)
    colours, norm = _colours(matrix)
    image = axes.imshow(matrix, cmap=colours, norm=norm, aspect="auto", interpolation="nearest")
    _label(axes, "item u", "query" if is_whole else "item v")
    axes.set_title(workload.described if is_whole else f"W'W of {workload.described}")
    figure = axes.get_figure(root=True)
    if figure is not None:
        label = "weight of the item in the query" if is_whole else "sum over queries of products of weights"
        figure.colorbar(image, ax=axes, label=label, shrink=0.85)
    return axes


def _colours(matrix: NDArray[np.float64]) -> tuple[str, Normalize]:
    low, high = float(matrix.min()), float(matrix.max())
    if low >= 0:
        return POSITIVE, Normalize(0, high or 1)
    most = max(-low, high)
    return SIGNED, Normalize(-most, most)


def _label(axes: Axes, across: str, downwards: str) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(downwards)
    axes.spines[:].set_visible(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 4, 5, 10]))
    axes.tick_params(length=0)
