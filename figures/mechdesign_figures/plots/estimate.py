"""The picture of an estimate: released counts, and the true ones behind them, by count."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechdesign.arguments import checked
from mechdesign.counts.estimation import Estimate, Inversion, MeanEstimate
from mechdesign_figures.plots.parts.curves import BEYOND_WORDS, MANY, ROUND_STEPS, marks_apart, middle_of_mass
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE, wrapped
from mechdesign_figures.plots.parts.style import on_axes

RELEASED, LIKELIHOOD, INVERSION, MEAN = "#BBBBBB", "#0072B2", "#D55E00", "#009E73"
"""Light, dark and middling in grey; the marks differ as well."""

PALE = 0.45
"""Opacity of the likeliest shares and of the interval of the mean."""

ORDER = ("released", "true, maximum likelihood", "true, inversion with one standard error")
"""Of the legend; the mean is last."""

NARROW = 7.0
"""Inches up to which the legend has two columns."""

MARGIN = 1.4
"""Inches of the width that words above leave free."""


@checked
def plot_estimate(estimate: Estimate, ax: Axes | None = None) -> Axes:
    """Draw an estimate: released shares as bars, the mean of the true counts, and their distribution if it is known.

    The mean is a line in the band of its interval (for these groups, clipped to what is possible). Where the
    distribution of the true counts can be told (`Estimate.doubt` is empty), the inversion is drawn with its standard
    errors and maximum likelihood pale beside it. Else neither is drawn, since the likeliest distribution is one of many
    and looks like more than it is: a line under the title says why. Of many counts those are shown where the mass lies.

    Args:
        estimate: what released counts say about the true ones.
        ax: where; new axes by default, with the legend below them.

    Returns:
        The axes.
    """
    width = float(np.clip(2.4 + 0.34 * len(estimate.counts), 5.6, 10.0))
    with on_axes(ax, width, 3.8) as axes:
        _draw_estimate(estimate, axes, width)
        handles, labels = axes.get_legend_handles_labels()
        order = sorted(range(len(labels)), key=lambda k: ORDER.index(labels[k]) if labels[k] in ORDER else len(ORDER))
        entries = [handles[k] for k in order], [labels[k] for k in order]
        figure = axes.get_figure()
        if ax is not None or figure is None:
            axes.legend(*entries, frameon=False)
        else:
            columns = 2 if width <= NARROW or len(labels) == 2 else 4
            figure.legend(*entries, loc="outside lower center", ncols=columns, frameon=False)
    return axes


def _draw_estimate(estimate: Estimate, axes: Axes, width: float) -> None:
    released, likelihood = np.array(estimate.released_shares), np.array(estimate.likelihood.distribution)
    doubt = estimate.doubt
    counts = _shown(released, released if doubt else likelihood)
    title = f"{estimate.releases:,} released count{'' if estimate.releases == 1 else 's'}, n = {len(likelihood) - 1:,}"
    _draw_released(counts, released, axes)
    if doubt:
        title += f"\ndistribution of the true counts left out: {doubt}"
    else:
        _draw_likelihood(counts, likelihood, axes)
        assert estimate.inversion is not None
        step = marks_apart(len(counts)) if len(counts) > MANY else 1
        _draw_inversion(estimate.inversion, counts[::step], axes)
    if estimate.mean is not None:
        _draw_mean(estimate.mean, len(likelihood) - 1, axes)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("count (people in a group)" + (f"\n{BEYOND_WORDS}" if len(counts) < len(likelihood) else ""))
    axes.set_ylabel("share of groups")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=17, integer=True, steps=ROUND_STEPS, min_n_ticks=1))
    axes.set_xlim(counts[0] - 0.6, counts[-1] + 0.6)
    axes.set_title(wrapped(title, width - MARGIN, TITLE_SIZE))


def _shown(released: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """All counts, of many those where the mass of either lies."""
    if len(released) <= MANY:
        return np.arange(len(released))
    spans = [middle_of_mass(released), middle_of_mass(likelihood)]
    return np.arange(min(span.start for span in spans), max(span.stop for span in spans))


def _draw_released(counts: np.ndarray, released: np.ndarray, axes: Axes) -> None:
    """Bars, or one shape of many."""
    if len(counts) <= MANY:
        axes.bar(counts, released[counts], width=0.8, color=RELEASED, label=ORDER[0])
    else:
        edges = np.append(counts, counts[-1] + 1) - 0.5
        axes.stairs(released[counts], edges, fill=True, color=RELEASED, label=ORDER[0])


def _draw_likelihood(counts: np.ndarray, likelihood: np.ndarray, axes: Axes) -> None:
    """Pale stems, or the outline of many."""
    if len(counts) <= MANY:
        axes.vlines(counts, 0.0, likelihood[counts], color=LIKELIHOOD, linewidth=1.4, alpha=PALE)
        axes.plot(counts, likelihood[counts], "o", color=LIKELIHOOD, markersize=4.5, alpha=PALE, label=ORDER[1])
    else:
        edges = np.append(counts, counts[-1] + 1) - 0.5
        axes.stairs(likelihood[counts], edges, color=LIKELIHOOD, linewidth=1.2, alpha=PALE, label=ORDER[1])


def _draw_mean(mean: MeanEstimate, n: int, axes: Axes) -> None:
    """A line in the band of the interval for these groups, clipped to what is possible; not where it is beyond."""
    if not 0 <= mean.value <= n:
        return
    words = "true, mean"
    if mean.noise is not None:
        low, high = np.clip([mean.noise.low, mean.noise.high], 0.0, n)
        axes.axvspan(low, high, color=MEAN, alpha=PALE / 2, linewidth=0.0, zorder=1.5)
        words += f" with its {100 * mean.confidence:.6g} % interval"
    axes.axvline(mean.value, color=MEAN, linewidth=1.4, linestyle="--", label=words)


def _draw_inversion(inversion: Inversion, counts: np.ndarray, axes: Axes) -> None:
    assert inversion.standard_errors is not None
    axes.errorbar(
        counts + 0.2,
        np.array(inversion.distribution)[counts],
        yerr=np.array(inversion.standard_errors)[counts],
        fmt="D",
        color=INVERSION,
        markerfacecolor="white",
        markersize=4.5,
        linewidth=1.0,
        capsize=2.5,
        label=ORDER[2],
    )
