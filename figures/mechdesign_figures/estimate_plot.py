"""Released counts and the true ones behind them: shares of groups by count."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechdesign.estimation import Estimate, Inversion
from mechdesign_figures.style import house_style, picture_bytes

RELEASED, LIKELIHOOD, INVERSION = "#BBBBBB", "#0072B2", "#D55E00"
"""Light, dark and middling in grey; the marks differ as well."""

ORDER = (
    "released",
    "maximum likelihood",
    "inversion, one standard error",
    "inversion, standard error unknown",
    "inversion beyond the axis",
)
"""Of the legend."""

NARROW = 6.0
"""Inches up to which the legend has two columns."""

ROOM = 2.0
"""The axis shows inversions up to so many times the largest released or likeliest share; arrows point to others."""

BEYOND = 1e6
"""No axis reaches as far: longer bars, those that are infinite as floats among them, are cut here."""


def draw_estimate(found: Estimate, axes: Axes) -> Axes:
    """Draw released shares as bars, maximum likelihood as dots on stems, the inversion with bars of one standard error.

    Where the inversion's errors dwarf the shares the axis is cut so that these can be read; an arrow at the edge stands
    for an inversion beyond it. Returns the axes.
    """
    counts = np.arange(len(found.counts))
    released, likelihood = np.array(found.released_shares), np.array(found.likelihood.distribution)
    axes.bar(counts, released, width=0.8, color=RELEASED, label=ORDER[0])
    axes.vlines(counts, 0.0, likelihood, color=LIKELIHOOD, linewidth=1.6)
    axes.plot(counts, likelihood, "o", color=LIKELIHOOD, markersize=5.0, label=ORDER[1])
    top = float(max(released.max(), likelihood.max()))
    if found.inversion is not None:
        _draw_inversion(found.inversion, top, axes)
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel("count (people in a group)")
    axes.set_ylabel("share of groups")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=17, integer=True, min_n_ticks=1))
    axes.set_xlim(-0.6, len(counts) - 0.4)
    return axes


def _draw_inversion(inversion: Inversion, top: float, axes: Axes) -> None:
    known = inversion.standard_errors
    shares = np.array(inversion.distribution)
    errors = np.zeros(len(shares)) if known is None else np.minimum(known, BEYOND)
    counts = np.arange(len(shares)) + 0.2
    high = min(ROOM * top, max(top, float((shares + errors).max())))
    low = max(-ROOM * top / 2, min(0.0, float((shares - errors).min())))
    axes.set_ylim(low * 1.05, high * 1.05)
    inside = (shares >= low) & (shares <= high)
    axes.errorbar(
        counts[inside],
        shares[inside],
        yerr=None if known is None else errors[inside],
        fmt="D",
        color=INVERSION,
        markerfacecolor="white",
        markersize=4.5,
        linewidth=1.0,
        capsize=2.5,
        label=ORDER[2 if known is not None else 3],
    )
    for outside, edge, marker in ((shares > high, high, "^"), (shares < low, low, "v")):
        if outside.any():
            label = ORDER[4] if marker == "^" or not (shares > high).any() else None
            axes.plot(
                counts[outside], np.full(outside.sum(), edge), marker, color=INVERSION, markersize=6.0, label=label
            )


def estimate_bytes(found: Estimate, suffix: str) -> bytes:
    """The picture as the content of a `.png`, `.svg` or `.pdf` file."""
    with house_style():
        width = float(np.clip(2.4 + 0.34 * len(found.counts), 5.0, 10.0))
        figure = Figure(figsize=(width, 3.6))
        axes = draw_estimate(found, figure.add_subplot())
        axes.set_title(
            f"{found.releases} released count{'' if found.releases == 1 else 's'}, n = {len(found.counts) - 1}"
        )
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
