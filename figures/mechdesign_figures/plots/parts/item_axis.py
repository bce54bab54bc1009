"""The axis of items in order: numbers and dates to scale, other items side by side."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from mechdesign_catalog.datasets.items.bins import Bins, ItemDomain
from mechdesign_catalog.datasets.items.units import Days
from mechdesign_figures.plots.parts.curves import ROUND_STEPS
from mechdesign_figures.plots.parts.lettering import SMALL_SIZE, cut_names, inches

MOST_NAMES = 24
SLANTED = 40
"""Degrees, of names that would not fit side by side."""

MARGIN = 0.9
"""Of the room between two names that they may take."""


@dataclass(frozen=True)
class ItemAxis:
    """The edges of items, from j to j+1, and whether values in between mean something."""

    domain: ItemDomain

    @property
    def is_continuous(self) -> bool:
        """Whether items are bins, so that a value may be between the edges."""
        return isinstance(self.domain, Bins)

    def edges(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the lower edges of these items; place k is the upper edge of the last one."""
        return self.domain.numbers(places) if isinstance(self.domain, Bins) else places.astype(np.float64)

    def middles(self, items: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the places half-way between the edges of these items."""
        return (self.edges(items) + self.edges(items + 1)) / 2

    def label(self, axes: Axes, room: float) -> None:
        """Set limits, ticks and label of the axis across; it is about so many inches wide."""
        low, high = self.edges(np.array([0, self.domain.k]))
        axes.set_xlim(low, high)
        if isinstance(self.domain, Bins):
            self._label_bins(self.domain, axes)
        else:
            self._label_names(axes, room)

    def _label_bins(self, bins: Bins, axes: Axes) -> None:
        if isinstance(bins.unit, Days):
            locator = AutoDateLocator(minticks=3, maxticks=9)
            axes.xaxis.set_major_locator(locator)
            axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
        else:
            axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=ROUND_STEPS))
        axes.set_xlabel(_bin_words(bins))

    def _label_names(self, axes: Axes, room: float) -> None:
        every = -(-self.domain.k // MOST_NAMES)
        shown = np.arange(0, self.domain.k, every)
        names = cut_names([self.domain.items[int(item)] for item in shown])
        axes.set_xticks(self.middles(shown), names, fontsize=SMALL_SIZE)
        widths = [inches(name, SMALL_SIZE) for name in names]
        if max(map(sum, pairwise(widths))) / 2 > MARGIN * room / len(names):
            axes.tick_params(axis="x", rotation=SLANTED)
            for name in axes.get_xticklabels():
                name.set_horizontalalignment("right")
                name.set_rotation_mode("anchor")
        axes.set_xlabel("item, in the order of the domain" + (f" (one in {every} has its name)" if every > 1 else ""))


def _bin_words(bins: Bins) -> str:
    """Say what the bins are of: dates and days, or numbers."""
    if not isinstance(bins.unit, Days):
        return f"value ({bins.k:,} bins of {bins.unit.step_text(bins.step)}, lines between their edges)"
    length = "a day" if bins.step == 1 else f"{bins.step:,} days"
    return f"date ({bins.k:,} bins of {length}, lines between their edges)"
