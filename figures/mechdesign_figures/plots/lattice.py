"""The lattice of a landscape: the Hasse diagram of its closed subsets, by price.

The cheapest is at the bottom.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mechdesign.arguments import checked
from mechdesign.errors import InputError
from mechdesign.problem.privacy import loss_text
from mechdesign.sweeps.landscape import Landscape, ScoreClass, covers
from mechdesign.sweeps.law_landscape import LawLandscape
from mechdesign.sweeps.subset_designs import Subset, generator
from mechdesign_catalog.mechanisms.landmarks import class_names
from mechdesign_figures.plots.parts.style import HEAT, on_axes

STEPS = {"WH": 0.0, **dict.fromkeys(("CH", "CM"), -1.0), **dict.fromkeys(("RH", "RM"), 2.0), "F": -9.0}
"""How far each property moves a subset to the right where S is free: lines between neighbours pass by other boxes."""

STEPS_WITH_S = {**dict.fromkeys(("WH", "CH", "CM"), -1.0), **dict.fromkeys(("RH", "RM"), 1.0), "F": 5.0, "S": 9.0}
"""The same where S has a price and twice as many subsets are drawn, not by price."""

EDGE_GREY = "0.78"
SAME_WIDTH, OTHER_WIDTH = 4.0, 0.8
INCHES_ACROSS, INCHES_UP = 0.56, 0.62
INCHES_UP_WITH_S = 0.95
INCHES_A_LETTER = 0.07


def places(landscape: Landscape | LawLandscape) -> dict[Subset, tuple[float, float]]:
    """Return where each closed subset stands: above those that it contains, and above all that are cheaper.

    Where S has a price, they are too many to be ordered by price: there each stands by how many properties it has.
    """
    if "S" in landscape.closed[-1]:
        return {subset: (sum(STEPS_WITH_S[name] for name in subset), float(len(subset))) for subset in landscape.closed}
    rows = {subset: (k, len(subset)) for k, group in enumerate(_classes(landscape)) for subset in group.closed}
    order = sorted(set(rows.values()))
    return {subset: (sum(STEPS[name] for name in subset), float(order.index(row))) for subset, row in rows.items()}


def _classes(landscape: Landscape | LawLandscape) -> Sequence[ScoreClass[Any]]:
    return landscape.classes


def class_colours(count: int) -> list[str]:
    """Return one colour for each class, dark (free) to light (strict): the order shows in grey, too."""
    shades = mpl.colormaps[HEAT](np.linspace(0.0, 1.0, max(count, 2)))
    return [mpl.colors.to_hex(shade) for shade in shades[:count]]


@checked
def plot_landscape(
    landscape: Landscape | LawLandscape,
    ax: Axes | None = None,
    *,
    names: Sequence[str | None] | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a landscape as the lattice of its closed subsets, coloured and numbered by class, with a legend.

    A thick line in the colour of a class joins subsets that score the same: there the stricter one is free.

    Args:
        landscape: what each property costs.
        ax: where; new axes by default, so large that no label touches another. The legend stands at the right of the
            axes: a figure with `layout="constrained"` keeps room for it.
        names: what the classes are called, one or None for each; by default those of the named mechanisms.
        title: by default what was asked.

    Returns:
        The axes.
    """
    called = names or (landscape.names if isinstance(landscape, LawLandscape) else class_names(landscape))
    if len(called) != len(landscape.classes):
        raise InputError(f"names must be one for each of {len(landscape.classes)} classes, got {len(called)}")
    with on_axes(ax, *lattice_size(landscape)) as axes:
        return _draw_lattice(landscape, axes, called, landscape_words(landscape) if title is None else title)


def landscape_words(landscape: Landscape | LawLandscape) -> str:
    """Return the title of a landscape: what was asked, and epsilon rounded up."""
    missing = "; ".join(",".join(names) for sets in landscape.without.values() for names in sets)
    drawn = f"\nwithout a score, not drawn: {missing} and what asks for more" if missing else ""
    return f"{landscape.describe()};\nepsilon = {loss_text(landscape.problem.privacy.alpha)}{drawn}"


def _draw_lattice(landscape: Landscape | LawLandscape, axes: Axes, names: Sequence[str | None], title: str) -> Axes:
    colours = class_colours(len(landscape.classes))
    home = {subset: number for number, group in enumerate(_classes(landscape)) for subset in group.closed}
    where, prices = places(landscape), landscape.prices
    for low, high in covers(landscape.closed):
        same = home[low] == home[high]
        colour, width = (colours[home[low]], SAME_WIDTH) if same else (EDGE_GREY, OTHER_WIDTH)
        across, up = zip(where[low], where[high], strict=True)
        axes.plot(across, up, color=colour, linewidth=width, solid_capstyle="butt", zorder=1 + same)
    for subset, number in home.items():
        _node(axes, where[subset], f"{', '.join(generator(subset)) or 'none'}\n{prices[number]}", colours[number])
    _legend(landscape, axes, colours, names, prices)
    words = title if "S" in landscape.closed[-1] else f"{title}{'; ' if title else ''}S is free and left out"
    axes.set_title(words, loc="left" if landscape.skipped else "center")
    axes.set_axis_off()
    axes.margins(x=0.07, y=0.06)
    axes.autoscale_view()  # now, because the layout measures the labels before anything is drawn
    return axes


def _node(axes: Axes, where: tuple[float, float], text: str, colour: str) -> None:
    box = {"boxstyle": "round,pad=0.2", "facecolor": colour, "edgecolor": "white", "linewidth": 1.2}
    ink = "black" if _lightness(colour) > 0.5 else "white"
    axes.text(*where, text, ha="center", va="center", color=ink, fontsize=8, bbox=box, zorder=3)


def _lightness(colour: str) -> float:
    return float(np.dot(mpl.colors.to_rgb(colour), [0.299, 0.587, 0.114]))


def _legend(
    landscape: Landscape | LawLandscape,
    axes: Axes,
    colours: Sequence[str],
    names: Sequence[str | None],
    prices: Sequence[str],
) -> None:
    entries = []
    for number, (group, decimal, name) in enumerate(zip(_classes(landscape), landscape.decimals, names, strict=True)):
        text = f"{prices[number]}:  {decimal}"
        text += f"  {name}" if name else ""
        text += "" if group.status == "exact" else "  (not proved equal to another)"
        entries.append(Patch(facecolor=colours[number], edgecolor="white", label=text))
    drawn = [line.get_color() for line in axes.lines]
    free = [colour for colour in colours if colour in drawn]
    samples = {}
    if free:
        parts = (Line2D([], [], color=colour, linewidth=SAME_WIDTH, solid_capstyle="butt") for colour in free)
        samples["upwards: costs nothing\n(in the colour of its class)"] = tuple(parts)
    if EDGE_GREY in drawn:
        samples["upwards: costs more"] = (Line2D([], [], color=EDGE_GREY, linewidth=OTHER_WIDTH),)
    axes.legend(
        handles=[*entries[::-1], *samples.values()],
        labels=[*(str(entry.get_label()) for entry in entries[::-1]), *samples],
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
        title="price above the cheapest, and score",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
    )


def lattice_size(landscape: Landscape | LawLandscape) -> tuple[float, float]:
    """Return the width and height in inches at which no label touches another."""
    across, up = zip(*places(landscape).values(), strict=True)
    words = max(len(text) + len(price) for text, price in zip(landscape.decimals, landscape.prices, strict=True))
    legend = 1.0 + INCHES_A_LETTER * words if isinstance(landscape, LawLandscape) else 0.0
    return 2.9 + legend + INCHES_ACROSS * (max(across) - min(across)), 1.0 + (
        INCHES_UP_WITH_S if "S" in landscape.closed[-1] else INCHES_UP
    ) * (max(up) - min(up))
