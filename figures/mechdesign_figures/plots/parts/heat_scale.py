"""Colour scales of probabilities: logarithmic with zeros apart, or even steps from 0.

Privacy bounds ratios, so equal factors are equal steps of colour: a column that falls by alpha falls by as much colour
everywhere, beside a bright row too. The rule is the same for every matrix:

- the upper end is the largest entry,
- the lower end the smallest that is not 0, but at most a half of the upper end, so that what is nearly equal looks so,
  and at least a thousandth of it: entries below have the colour of the lower end, and the bar ends in a point,
- an entry of 0 has no colour but hatching: it is impossible, which is more than being rare.

In even steps from 0 (`HeatScale.from_zero`), colours tell how much entries differ: what is nearly uniform
looks so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from mechdesign_figures.plots.parts.style import HEAT

LEAST_SPAN, MOST_SPAN = 2.0, 1000.0
"""Factors between the ends of the colours."""

HATCH, HATCH_GREY = "/////", "0.72"
ZERO_WORDS = "0: impossible"
LIGHT = 0.55
"""Share of the colours from which on black reads better than white."""

FEW_TICKS, MOST_TICKS = 3, 7
ROUND = ((1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
"""Ticks over powers of ten, coarse and fine."""


@dataclass(frozen=True)
class HeatScale:
    """The ends of the colours, and whether there are entries of 0, and positive ones below the lower end."""

    low: float
    high: float
    has_zeros: bool = False
    goes_below: bool = False
    is_logarithmic: bool = True

    @classmethod
    def of(cls, matrices: Sequence[np.ndarray]) -> "HeatScale":
        """Choose the scale that all of these matrices of probabilities share; some entry must be positive."""
        entries = np.concatenate([matrix.ravel() for matrix in matrices])
        positive = entries[entries > 0]
        high, least = float(positive.max()), float(positive.min())
        low = max(min(least, high / LEAST_SPAN), high / MOST_SPAN)
        return cls(low, high, has_zeros=bool((entries == 0).any()), goes_below=least < low)

    @classmethod
    def from_zero(cls, matrices: Sequence[np.ndarray]) -> "HeatScale":
        """Choose even steps from 0 to the largest entry of these matrices."""
        has_zeros = any((matrix == 0).any() for matrix in matrices)
        return cls(0.0, max(float(matrix.max()) for matrix in matrices), has_zeros=has_zeros, is_logarithmic=False)

    @cached_property
    def norm(self) -> Normalize:
        """What matplotlib makes colours by."""
        return (LogNorm if self.is_logarithmic else Normalize)(self.low, self.high, clip=True)

    def share(self, value: float) -> float:
        """Return how far along the colours a positive value is, in [0, 1]."""
        if not self.is_logarithmic:
            return min(max(value / self.high, 0.0), 1.0)
        span = math.log(self.high / self.low)
        return min(max(math.log(value / self.low) / span, 0.0), 1.0)

    def ink(self, value: float) -> str:
        """Return the colour of a number on a cell."""
        return "black" if value == 0 or self.share(value) > LIGHT else "white"

    @property
    def ticks(self) -> list[float]:
        """Round values between the ends: of powers of ten, or of even steps where those are few."""
        if not self.is_logarithmic:
            return self._even_ticks
        exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for factors in ROUND:
            found = [float(f"{factor:g}e{exponent}") for exponent in exponents for factor in factors]
            inside = [value for value in found if self.low <= value <= self.high]
            if len(inside) >= FEW_TICKS:
                return inside
        return self._even_ticks

    @property
    def _even_ticks(self) -> list[float]:
        even = MaxNLocator(MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        return [float(value) for value in even if self.low <= value <= self.high]


def draw_cells(matrix: np.ndarray, axes: Axes, scale: HeatScale) -> AxesImage:
    """Draw the cells of a matrix in the colours of a scale, its zeros hatched; returns the image."""
    if (matrix == 0).any():
        axes.patch.set(facecolor="white", edgecolor=HATCH_GREY, hatch=HATCH, linewidth=0.0)
    return axes.imshow(np.ma.masked_equal(matrix, 0.0), cmap=HEAT, norm=scale.norm, aspect="equal")


def draw_bar(
    figure: Figure, image: AxesImage, axes: Axes | np.ndarray, scale: HeatScale, label: str, *, aspect: float = 20.0
) -> Colorbar:
    """Draw the colour bar of a scale beside axes: round ticks, a point where entries lie below, what hatching is."""
    end = "min" if scale.goes_below else "neither"
    where = list(axes.flat) if isinstance(axes, np.ndarray) else axes
    words = f"{label},\nlogarithmic" if scale.is_logarithmic else label
    bar = figure.colorbar(image, ax=where, label=words, shrink=0.85, aspect=aspect, extend=end)
    bar.ax.yaxis.set_major_locator(FixedLocator(scale.ticks))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.yaxis.set_major_formatter("{x:g}")
    if scale.has_zeros:
        bar.ax.legend(
            handles=[Patch(facecolor="white", edgecolor=HATCH_GREY, hatch=HATCH, label=ZERO_WORDS)],
            loc="upper center",
            bbox_to_anchor=(0.5, -0.06 if scale.goes_below else -0.01),
            frameon=False,
            handlelength=1.2,
            borderaxespad=0.2,
            fontsize="small",
        )
    return bar
