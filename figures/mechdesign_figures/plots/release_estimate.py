"""The picture of a release's estimates: shares by size, intervals, and a model.

The model is that of the groups.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign.arguments import checked
from mechdesign.releases.estimates.estimate import ReleaseEstimate
from mechdesign.releases.estimates.pooled import MODEL, PooledEstimate
from mechdesign.releases.record import sizes_in_short
from mechdesign_figures.plots.parts.curves import ROUND_STEPS
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, TITLE_SIZE, wrapped
from mechdesign_figures.plots.parts.style import COLOURS, on_figure

WIDTH, HEIGHT, PANEL = 9.6, 4.4, 4.2
"""Inches, of the picture and across a panel."""

TOLD, ALL, MODELLED = COLOURS[0], COLOURS[2], "#BBBBBB"
UNTOLD_AT, MARGIN = -0.04, 0.08
"""Below 0, where sizes that cannot be told are marked; and how far the axis of shares goes beyond 0 and 1."""

PALE = 0.25
MEAN_WORDS = "mean share, noise interval"


@checked
def plot_release_estimate(estimate: ReleaseEstimate, figure: Figure | None = None) -> Figure:
    """Draw an estimate of a release: at the left the mean share of the groups of each size, at the right a model.

    Left: mean count / size with its interval, a cross below 0 where it cannot be told, and the share of all units in
    the band of its interval. Right: the distribution of chances between groups under the stated model, which the data
    cannot prove, with what is possible in its region. Numbers are those of `estimate`. A value outside 0..1 is not
    drawn, its interval is.

    Args:
        estimate: what the release says of all its groups.
        figure: where; a new one by default.

    Returns:
        The figure.
    """
    with on_figure(figure, WIDTH, HEIGHT) as made:
        sizes, model = made.subplots(1, 2)
        _draw_sizes(estimate, sizes)
        if estimate.pooled is None:
            model.set_axis_off()
            model.set_title("no model is fitted to so many and so large sizes")
        else:
            _draw_model(estimate.pooled, model)
        level = f"{100 * estimate.confidence:.6g} %"
        counts = f"{estimate.groups:,} group{'' if estimate.groups == 1 else 's'} of {estimate.units:,} units in all"
        title = f"{counts}, sizes {sizes_in_short(one.size for one in estimate.sizes)}; {level} intervals"
        made.suptitle(wrapped(title, 0.96 * made.get_figwidth(), TITLE_SIZE), fontsize=TITLE_SIZE)
    return made


def _draw_sizes(estimate: ReleaseEstimate, axes: Axes) -> None:
    told = [one for one in estimate.sizes if one.is_informative]
    without_reports = [one.size for one in estimate.sizes if not one.is_informative]
    if estimate.share is not None:
        axes.axhspan(estimate.share.low, estimate.share.high, color=ALL, alpha=PALE, linewidth=0.0)
        axes.axhline(estimate.share.value, color=ALL, linewidth=1.3, linestyle="--", label="share of all units")
    means = {one.size: one.mean for one in told if one.mean is not None}
    if means:
        lows, highs = zip(*((mean.low / size, mean.high / size) for size, mean in means.items()), strict=True)
        axes.vlines(list(means), lows, highs, color=TOLD, linewidth=1.2)
        inside = {size: mean.value / size for size, mean in means.items() if 0.0 <= mean.value <= size}
        axes.plot(list(inside), list(inside.values()), "o", color=TOLD, markersize=4.0, label=MEAN_WORDS)
    if without_reports:
        axes.plot(
            without_reports,
            [UNTOLD_AT] * len(without_reports),
            "x",
            color="0.35",
            markersize=4.5,
            label="cannot be told",
        )
    axes.set_ylim(-MARGIN, 1.0 + MARGIN)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True, steps=ROUND_STEPS, min_n_ticks=1))
    axes.set_xlabel("size of the groups (units)")
    axes.set_ylabel("mean share of a group")
    none = "" if estimate.share is not None else "\nno unbiased estimate of all groups"
    axes.set_title(f"by size, unbiased{none}")
    axes.grid(True, axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=SMALL_SIZE)


def _draw_model(pooled: PooledEstimate, axes: Axes) -> None:
    parts = pooled.distribution
    edges = np.linspace(0.0, 1.0, len(parts) + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    axes.bar(middles, [one.value for one in parts], width=0.9 / len(parts), color=MODELLED, label="likeliest")
    axes.vlines(
        middles,
        [one.low for one in parts],
        [one.high for one in parts],
        color="black",
        linewidth=1.2,
        label="possible in the region",
    )
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0 + MARGIN)
    axes.set_xlabel("chance in a group")
    axes.set_ylabel("share of groups")
    name = MODEL.partition(":")[0]
    axes.set_title(wrapped(f"between groups, under a model ({name}) that these data cannot prove", PANEL, TITLE_SIZE))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=SMALL_SIZE)
