"""Released counts and the true ones behind them: shares of groups by count."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign.estimation import Estimate, Inversion
from mechdesign_figures.curves import MANY, marks_apart, middle_of_mass
from mechdesign_figures.style import house_style, picture_bytes

RELEASED, LIKELIHOOD, INVERSION = "#BBBBBB", "#0072B2", "#D55E00"
"""Light, dark and middling in grey; the marks differ as well."""

ORDER = ("released", "maximum likelihood", "inversion, one standard error")
"""Of the legend."""

NARROW = 6.0
"""Inches up to which the legend has two columns."""

TINY = 1e-4
"""Share of the highest stem below which many stems are not drawn."""


def draw_estimate(found: Estimate, axes: Axes) -> Axes:
    """Draw released shares as bars, maximum likelihood as dots on stems, the inversion with bars of one standard error.

    An inversion whose largest standard error exceeds the largest of these shares says nothing: it is left out, and a
    line under the title says so. Of many counts those are shown where the mass lies. Returns the axes.
    """
    counts = np.arange(len(found.counts))
    released, likelihood = np.array(found.released_shares), np.array(found.likelihood.distribution)
    shown = counts
    if len(counts) <= MANY:
        axes.bar(counts, released, width=0.8, color=RELEASED, label=ORDER[0])
    else:
        shown = counts[middle_of_mass(released + likelihood)]
        axes.stairs(released, np.append(counts, len(counts)) - 0.5, fill=True, color=RELEASED, label=ORDER[0])
    stems = shown if len(counts) <= MANY else shown[likelihood[shown] > TINY * likelihood.max()]
    axes.vlines(stems, 0.0, likelihood[stems], color=LIKELIHOOD, linewidth=1.6)
    axes.plot(stems, likelihood[stems], "o", color=LIKELIHOOD, markersize=5.0, label=ORDER[1])
    title = f"{found.releases:,} released counts, n = {len(counts) - 1:,}"
    error = 0.0 if found.inversion is None else max(found.inversion.standard_errors)
    if error > max(released.max(), likelihood.max()):
        title += f"\ninversion left out: standard errors up to {error:,.2g}"
    elif found.inversion is not None:
        _draw_inversion(found.inversion, shown[:: marks_apart(len(shown))] if len(counts) > MANY else shown, axes)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("count (people in a group)")
    axes.set_ylabel("share of groups")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=17, integer=True, min_n_ticks=1))
    axes.set_xlim(shown[0] - 0.6, shown[-1] + 0.6)
    axes.set_title(title)
    return axes


def _draw_inversion(found: Inversion, counts: np.ndarray, axes: Axes) -> None:
    axes.errorbar(
        counts + 0.2,
        np.array(found.distribution)[counts],
        yerr=np.array(found.standard_errors)[counts],
        fmt="D",
        color=INVERSION,
        markerfacecolor="white",
        markersize=4.5,
        linewidth=1.0,
        capsize=2.5,
        label=ORDER[2],
    )


def estimate_bytes(found: Estimate, suffix: str) -> bytes:
    """The picture as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        width = float(np.clip(2.4 + 0.34 * len(found.counts), 5.0, 10.0))
        figure = Figure(figsize=(width, 3.6))
        axes = draw_estimate(found, figure.add_subplot())
        handles, labels = axes.get_legend_handles_labels()
        order = sorted(range(len(labels)), key=lambda k: ORDER.index(labels[k]))
        figure.legend(
            [handles[k] for k in order],
            [labels[k] for k in order],
            loc="outside lower center",
            ncols=3 if width > NARROW else 2,
            frameon=False,
        )
        return picture_bytes(figure, suffix)
