"""Figure 4.10: histograms from reports of t Hadamard coefficients each, t = 1 to 4.

A user with item j draws t different indexes l of 0..k-1, k a power of two, and sends the pattern of their signs
`(-1)^<l,j>` through randomised response over `2^t` patterns. A sign is kept with the chance p_r, and
`r = 2 p_r - 1 = (x - 1)/(x + 2^t - 1)`, x = e^epsilon; the signs of two indexes are kept or turned together with the
correlation r as well. The score of item v is `sum_i s_i (-1)^<l_i,v> / (t r)`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import ItemCounts, open_items
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_figures.plots.parts.curves import draw_legend
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals.distances import expected_total_variation, total_variation
from mechdesign_figures.studies.matrices import number, whole
from mechdesign_figures.studies.repeated import NOISE_STREAM, REPEATED, repeated
from mechdesign_figures.studies.study import Row, Study

ITEMS_LOG2, QUICK_ITEMS_LOG2 = (8, 9, 10, 12), (4, 5)
MOST_T = 4
USERS = 1 << 24
RATIO = Fraction(3)
"""e^epsilon."""

LAW, DATA_SEED = "zipf", 4_100
"""The published histogram is not described."""

SIMULATED, QUICK_SIMULATED = 1 << 20, 1 << 14
REPETITIONS = 5
COLUMNS = (
    *("items_log2", "coefficients", "rare_variance", "expected", "support_rare_variance", "support_expected"),
    *("simulated_users", *REPEATED),
)
LOOKS = {
    "HRRt, signs added up": LineStyle("#0072B2", "s", ""),
    "hrr:t of this package, patterns matched": LineStyle("#E69F00", "s", ""),
    "simulated": LineStyle("#000000", "o", ""),
}
WIDTH = 0.38


@dataclass(frozen=True)
class SignSums:
    """Reports of t Hadamard coefficients of one of `2^items_log2` items, decoded sign by sign; x is e^epsilon."""

    items_log2: int
    t: int
    x: Fraction = RATIO

    @property
    def kept(self) -> Fraction:
        """The chance that the pattern is kept."""
        return self.x / (self.x + (1 << self.t) - 1)

    @property
    def correlation(self) -> Fraction:
        """The number r: the expectation of a reported sign times the true one, and of two such products."""
        return (self.x - 1) / (self.x + (1 << self.t) - 1)

    @property
    def rare_variance(self) -> Fraction:
        """The variance of the score of an item that the user does not have.

        Signs of different indexes, of which half are -1, have the correlation `-1/(k - 1)`.
        """
        together = Fraction(-1, (1 << self.items_log2) - 1)
        r = self.correlation
        return (1 + (self.t - 1) * r * together) / (self.t * r * r)

    @property
    def own_variance(self) -> Fraction:
        """The variance of the score of the user's own item."""
        r = self.correlation
        return (1 + (self.t - 1) * r) / (self.t * r * r) - 1

    def variances(self, shares: Floats, users: int) -> Floats:
        """Return the exact variances of all items' estimates, shape (k,)."""
        found: Floats = (float(self.rare_variance) * (1 - shares) + float(self.own_variance) * shares) / users
        return found

    def simulate(self, values: np.ndarray, generator: np.random.Generator) -> Floats:
        """Draw the reports of users with these items, and estimate all items' shares."""
        k, users = 1 << self.items_log2, len(values)
        indexes = _different(users, self.t, k, generator)
        signs = 1.0 - 2.0 * (np.bitwise_count(indexes & values[:, None]) & 1)
        others = generator.integers(1, 1 << self.t, size=users)
        turned = np.where(generator.random(users) < float(self.kept), 0, others)
        signs *= 1.0 - 2.0 * ((turned[:, None] >> np.arange(self.t)) & 1)
        sums = np.bincount(indexes.reshape(-1), weights=signs.reshape(-1), minlength=k)
        return _transform(sums.astype(np.float64)) / (users * self.t * float(self.correlation))


def _different(users: int, t: int, k: int, generator: np.random.Generator) -> np.ndarray:
    """Indexes of 0..k-1 that differ in each row, shape (users, t): each new one is counted among those still free."""
    found = generator.integers(0, k, size=(users, 1))
    for taken in range(1, t):
        new = generator.integers(0, k - taken, size=users)
        for one in np.sort(found, axis=1).T:
            new += new >= one
        found = np.column_stack([found, new])
    return found


def _transform(sums: Floats) -> Floats:
    """Multiply by the Hadamard matrix with entries `(-1)^<l,v>`."""
    found, half = sums, 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        half *= 2
    return found


@lru_cache(maxsize=8)
def histogram(items_log2: int, users: int) -> ItemCounts:
    """Make up the users."""
    return open_items(LAW, k=1 << items_log2, people=users, seed=DATA_SEED)


def support_oracle(items_log2: int, t: int) -> ExchangeableOracle:
    """Return the oracle of the package that draws signs alike, but counts whole patterns."""
    made = parse_oracle(f"hrr:t={t}", 1 << items_log2, Privacy(alpha=1 / RATIO))
    if not isinstance(made, ExchangeableOracle):
        raise TypeError("an oracle that treats all items alike is needed")
    return made


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table."""
    sizes, users = (QUICK_ITEMS_LOG2, QUICK_SIMULATED) if quick else (ITEMS_LOG2, SIMULATED)
    return [row for log2 in sizes for t in range(1, MOST_T + 1) for row in _rows(log2, t, users)]


def _rows(items_log2: int, t: int, users: int) -> Iterator[Row]:
    shares, system = histogram(items_log2, USERS).frequencies, SignSums(items_log2, t)
    support = support_oracle(items_log2, t)
    yield {
        "items_log2": items_log2,
        "coefficients": t,
        "rare_variance": float(system.rare_variance),
        "expected": expected_total_variation(system.variances(shares, USERS)),
        "support_rare_variance": float(support.moments.other),
        "support_expected": expected_total_variation(support.variance(shares, USERS)),
        "simulated_users": users,
        **repeated(simulated(system, users)),
    }


def simulated(system: SignSums, users: int) -> list[float]:
    """Return total variation distances of so many users, scaled to 2^24, once for each repetition."""
    data = histogram(system.items_log2, users)
    found = []
    for repetition in range(REPETITIONS):
        generator = np.random.default_rng((system.items_log2, system.t, users, repetition, NOISE_STREAM))
        estimates = system.simulate(data.values(seed=repetition), generator)
        found.append(total_variation(estimates, data.frequencies) * math.sqrt(users / USERS))
    return found


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel of bars for each number of items."""
    sizes = sorted({whole(row, "items_log2") for row in rows})
    figure = HouseFigure(figsize=(2.3 * len(sizes) + 0.8, 3.6))
    panels: np.ndarray = figure.subplots(1, len(sizes), squeeze=False)
    for axes, log2 in zip(panels[0], sizes, strict=True):
        _draw_bars([row for row in rows if row["items_log2"] == log2], axes)
        axes.set_title(f"2^{log2} items")
    panels[0][0].set_ylabel("total variation distance")
    draw_legend(figure, LOOKS, f"bars: expected, exact variances; dots: simulated means of {REPETITIONS} repetitions")
    return figure


def _draw_bars(rows: Sequence[Row], axes: Axes) -> None:
    places = np.array([whole(row, "coefficients") for row in rows])
    signs, support, simulated_ = LOOKS.values()
    for look, column, side in ((signs, "expected", -1), (support, "support_expected", 1)):
        axes.bar(places + side * WIDTH / 2, [number(row, column) for row in rows], WIDTH, color=look.colour)
    bars = [number(row, "standard_error") for row in rows]
    means = [number(row, "mean") for row in rows]
    axes.errorbar(places - WIDTH / 2, means, yerr=bars, fmt="o", color=simulated_.colour, markersize=3, capsize=2)
    axes.set_xticks(places)
    axes.set_xlabel("coefficients t")
    axes.grid(True, axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)


STUDIES = (
    Study(
        number="4.10",
        title="Histograms from several Hadamard coefficients of each user",
        setting="2^8, 2^9, 2^10 and 2^12 items; e^epsilon = 3; 2^24 users with Zipf shares; t = 1 to 4 different "
        f"coefficients, their signs through randomised response over 2^t patterns; {REPETITIONS} repetitions, "
        "simulated for 2^20 users and scaled to 2^24",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="The published histogram is not described. Estimates are not clipped, so their error does not depend on "
        "how sparse the histogram is. Ours beside it: `hrr:t` counts reports whose whole pattern matches an item, "
        "which is better from t = 2 on.",
    ),
)
