"""The picture of an estimated distribution function, with its band and quantiles.

Items are in their order.
"""

from matplotlib.axes import Axes

from mechdesign.arguments import checked
from mechdesign_catalog.analyses.ordered.distribution import DistributionFunction
from mechdesign_catalog.analyses.ordered.quantiles import QuantileEstimate, quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_figures.plots.parts.item_axis import ItemAxis
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TITLE_SIZE, cut_names, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, on_axes

WIDTH, HEIGHT, MARGIN = 7.0, 4.4, 1.0
"""Inches, of the picture and of what words across it leave free."""

QUARTILES = "1/4,1/2,3/4"
MOST_POINTS = 2000
"""Edges that are drawn; of more bins than can be told apart, some evenly spread ones."""

FEW = 40
"""Bins up to which their edges are marked."""

MOST_NAMED = 9
"""Quantiles up to which each has the name of its item beside it."""

LETTER_HEIGHT = 0.05
"""Share that a name takes upwards: quantiles that are nearer to each other have their names on one line."""

BAND, EACH, RAW, MARK = "#D8E6F0", "#9CC4E0", "0.35", COLOURS[1]


@checked
def plot_distribution(
    estimate: FrequencyEstimate | WorkloadEstimate,
    ax: Axes | None = None,
    *,
    at: QuantileEstimate | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw an estimated distribution function: at each edge of the bins, the share of the users below it.

    The dark band has an interval for each edge by itself; the pale one holds the whole function at once, narrowed to
    what a rising function can be. Both are cut to 0..1, where every share is. The thick line is the rising function
    nearest to the unbiased estimates (isotonic regression), which are the thin one. Each quantile is a dot at its item,
    with its interval of items thick, and thin for all quantiles at once. Items that are no bins are steps.

    Args:
        estimate: what the reports say about all users; its items are in order.
        ax: where; new axes by default.
        at: the quantiles; the quartiles by default.
        level: of the intervals, in (0, 1).

    Raises:
        InputError: for items in two columns, which are in no order.

    Returns:
        The axes.
    """
    estimate = shares_of(estimate)
    marked = quantiles(estimate, QUARTILES, level) if at is None else at
    with on_axes(ax, WIDTH, HEIGHT) as axes:
        _draw(estimate, marked, axes)
        figure = axes.get_figure()
        handles, labels = axes.get_legend_handles_labels()
        if ax is not None or figure is None:
            axes.legend(handles, labels, frameon=False, fontsize=SMALL_SIZE)
        else:
            figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=SMALL_SIZE)
    return axes


def _draw(estimate: FrequencyEstimate, marked: QuantileEstimate, axes: Axes) -> None:
    line = ItemAxis(estimate.domain)
    drawn = DistributionFunction.of(estimate, marked, MOST_POINTS)
    across = line.edges(drawn.places)
    percent = f"{100 * marked.level:.6g} %"
    for low, high, colour, words in (
        (drawn.low_all, drawn.high_all, BAND, f"{percent} band of the whole function"),
        (drawn.low, drawn.high, EACH, f"{percent} interval of each edge by itself"),
    ):
        axes.fill_between(
            across,
            low,
            high,
            step=None if line.is_continuous else "post",
            color=colour,
            linewidth=0.0,
            label=words,
        )
    marker = "." if line.is_continuous and estimate.oracle.k <= FEW else ""
    style = "default" if line.is_continuous else "steps-post"
    for shares, colour, width, words in (
        (drawn.unbiased, RAW, 0.7, "unbiased estimate"),
        (drawn.rising, COLOURS[0], 1.5, "isotonic estimate (rising)"),
    ):
        axes.plot(across, shares, color=colour, linewidth=width, drawstyle=style, marker=marker, label=words)
    _draw_quantiles(marked, line, axes)
    line.label(axes, WIDTH - MARGIN)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("share of the users below" if line.is_continuous else "share of the users up to the item")
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    title = f"{estimate.users:,} reports of {estimate.oracle.title}, {estimate.oracle.privacy.describe()}"
    axes.set_title(wrapped(title, WIDTH - MARGIN, TITLE_SIZE))


def _draw_quantiles(marked: QuantileEstimate, line: ItemAxis, axes: Axes) -> None:
    heights = [float(quantile) for quantile in marked.quantiles]
    for low, high, width in ((marked.low_all, marked.high_all, 0.8), (marked.low, marked.high, 2.4)):
        axes.hlines(heights, line.edges(low), line.edges(high + 1), color=MARK, linewidth=width)
    words = "quantiles, with their intervals (thick: each by itself; thin: all at once)"
    axes.plot(line.middles(marked.items), heights, "o", color=MARK, markeredgecolor="white", label=words)
    if len(heights) > MOST_NAMED:
        return
    names = cut_names([marked.names[int(item)] for item in marked.items])
    ends = line.edges(marked.high_all + 1)
    for near in _near(heights):
        axes.annotate(
            ", ".join(dict.fromkeys(names[i] for i in near)),
            (max(ends[i] for i in near), sum(heights[i] for i in near) / len(near)),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_SIZE,
            color=MARK,
        )


def _near(heights: list[float]) -> list[list[int]]:
    """Put quantiles together, from the lowest up, whose names would lie on one another."""
    groups: list[list[int]] = []
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        if groups and heights[i] - heights[groups[-1][-1]] < LETTER_HEIGHT:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
