"""The picture of estimated frequencies of items, each with its confidence interval."""

import numpy as np
from matplotlib.axes import Axes

from mechdesign.arguments import checked
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_catalog.decoders.estimate import largest
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TITLE_SIZE, cut_names, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, on_axes

MOST_ITEMS = 40
WIDTH, MARGIN = 7.0, 2.4
"""Inches, of the picture and of what words across it leave free."""


@checked
def plot_frequencies(
    estimate: FrequencyEstimate | WorkloadEstimate, ax: Axes | None = None, *, level: float = 0.95
) -> Axes:
    """Draw estimated frequencies: a dot with intervals for each item, in the order of the domain from top to bottom.

    The thick interval is for the item by itself, the thin one for all items together. The dot of an item is filled
    where it is above noise for all items together (`FrequencyEstimate.above_noise`), else hollow.

    Intervals are of the unbiased estimates, wherever a post-processing may have moved the dots. Of more than 40 items
    the largest, the most frequent on top.

    Args:
        estimate: what the reports say about all users.
        ax: where; new axes by default, as high as the items ask for.
        level: of the intervals, in (0, 1).

    Returns:
        The axes.
    """
    estimate = shares_of(estimate)
    with on_axes(ax, WIDTH, 1.7 + 0.22 * min(len(estimate.items), MOST_ITEMS)) as axes:
        return _draw_frequencies(estimate, level, axes)


def _draw_frequencies(estimate: FrequencyEstimate, level: float, axes: Axes) -> Axes:
    items = estimate.items
    k = len(items)
    shown = np.arange(k) if k <= MOST_ITEMS else np.array(largest(estimate.shares, MOST_ITEMS))
    low, high = estimate.intervals(level)
    at = np.arange(len(shown))
    low_all, high_all = estimate.simultaneous_intervals(level)
    axes.hlines(at, low_all[shown], high_all[shown], color=COLOURS[0], linewidth=0.5)
    axes.hlines(at, low[shown], high[shown], color=COLOURS[0], linewidth=1.2)
    for ends in (low, high):
        axes.plot(ends[shown], at, "|", color=COLOURS[0], markersize=6.0)
    real = np.isin(shown, estimate.above_noise(level))
    for is_real, fill in ((True, COLOURS[0]), (False, "white")):
        here = real == is_real
        axes.plot(estimate.shares[shown][here], at[here], "o", color=COLOURS[0], markerfacecolor=fill, markersize=4.5)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(at, cut_names([items[int(item)] for item in shown]))
    axes.set_ylim(len(shown) - 0.4, -0.6)
    post = "" if estimate.is_unbiased else f"; dots: {estimate.post}"
    words = (
        f"estimated share of the users, {100 * level:.6g} % intervals of the unbiased estimates{post} "
        "(thick: of each item by itself; thin: of all items together; filled dot: above noise for all together)"
    )
    axes.set_xlabel(wrapped(words, WIDTH - MARGIN, SMALL_SIZE), fontsize=SMALL_SIZE)
    axes.set_ylabel("item")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    which = "" if k <= MOST_ITEMS else f", the {MOST_ITEMS} largest of {k:,} items"
    title = f"{estimate.users:,} reports of {estimate.oracle.title}, {estimate.oracle.privacy.describe()}{which}"
    axes.set_title(wrapped(title, WIDTH - MARGIN, TITLE_SIZE))
    return axes
