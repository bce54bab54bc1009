"""Draw an estimate: released counts and the true ones behind them, as shares of groups by count."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechdesign.counts.estimation import Estimate, Inversion
from mechdesign_figures.plots.parts.curves import BEYOND_WORDS, MANY, ROUND_STEPS, marks_apart, middle_of_mass
from mechdesign_figures.plots.parts.style import on_axes

RELEASED, LIKELIHOOD, INVERSION = "#BBBBBB", "#0072B2", "#D55E00"
"""Light, dark and middling in grey; the marks differ as well."""

ORDER = ("released", "maximum likelihood", "inversion, one standard error")
"""Of the legend."""

NARROW = 6.0
"""Inches up to which the legend has two columns."""


def plot_estimate(found: Estimate, ax: Axes | None = None) -> Axes:
    """Draw an estimate: released shares as bars, maximum likelihood as dots, the inversion with its errors.

    An inversion whose largest standard error exceeds the largest of these shares, or is unknown, says nothing: it is
    left out, and a line under the title says so. Of many counts those are shown where the mass lies.

    Args:
        found: what released counts say about the true ones.
        ax: where; new axes by default, with the legend below them.

    Returns:
        The axes.
    """
    width = float(np.clip(2.4 + 0.34 * len(found.counts), 5.0, 10.0))
    with on_axes(ax, width, 3.6) as axes:
        _draw_estimate(found, axes)
        handles, labels = axes.get_legend_handles_labels()
        order = sorted(range(len(labels)), key=lambda k: ORDER.index(labels[k]))
        entries = [handles[k] for k in order], [labels[k] for k in order]
        figure = axes.get_figure()
        if ax is not None or figure is None:
            axes.legend(*entries, frameon=False)
        else:
            figure.legend(*entries, loc="outside lower center", ncols=3 if width > NARROW else 2, frameon=False)
    return axes


def _draw_estimate(found: Estimate, axes: Axes) -> None:
    released, likelihood = np.array(found.released_shares), np.array(found.likelihood.distribution)
    counts = _shown(released, likelihood)
    _draw_shares(counts, released, likelihood, axes)
    title = f"{found.releases:,} released count{'' if found.releases == 1 else 's'}, n = {len(likelihood) - 1:,}"
    if found.inversion is not None:
        noise = _noise(found.inversion, max(released.max(), likelihood.max()))
        if noise:
            title += f"\ninversion left out: {noise}"
        else:
            step = marks_apart(len(counts)) if len(counts) > MANY else 1
            _draw_inversion(found.inversion, counts[::step], axes)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("count (people in a group)" + (f"\n{BEYOND_WORDS}" if len(counts) < len(likelihood) else ""))
    axes.set_ylabel("share of groups")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=17, integer=True, steps=ROUND_STEPS, min_n_ticks=1))
    axes.set_xlim(counts[0] - 0.6, counts[-1] + 0.6)
    axes.set_title(title)


def _noise(found: Inversion, top: float) -> str:
    """Why an inversion says nothing beside shares of at most `top`; nothing where it does."""
    if found.standard_errors is None:
        return "standard errors unknown"
    error = max(found.standard_errors)
    if error <= top:
        return ""
    return f"standard errors up to {error:#,.2g}" if math.isfinite(error) else "standard errors beyond any float"


def _shown(released: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """All counts, of many those where the mass of either lies."""
    if len(released) <= MANY:
        return np.arange(len(released))
    spans = [middle_of_mass(released), middle_of_mass(likelihood)]
    return np.arange(min(span.start for span in spans), max(span.stop for span in spans))


def _draw_shares(counts: np.ndarray, released: np.ndarray, likelihood: np.ndarray, axes: Axes) -> None:
    """Bars and stems, or outlines of many."""
    if len(counts) <= MANY:
        axes.bar(counts, released[counts], width=0.8, color=RELEASED, label=ORDER[0])
        axes.vlines(counts, 0.0, likelihood[counts], color=LIKELIHOOD, linewidth=1.6)
        axes.plot(counts, likelihood[counts], "o", color=LIKELIHOOD, markersize=5.0, label=ORDER[1])
    else:
        edges = np.append(counts, counts[-1] + 1) - 0.5
        axes.stairs(released[counts], edges, fill=True, color=RELEASED, label=ORDER[0])
        axes.stairs(likelihood[counts], edges, color=LIKELIHOOD, linewidth=1.2, label=ORDER[1])


def _draw_inversion(found: Inversion, counts: np.ndarray, axes: Axes) -> None:
    assert found.standard_errors is not None
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
