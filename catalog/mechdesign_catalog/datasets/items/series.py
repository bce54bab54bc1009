"""Laws with the shape of published series: posts, ratings, rides in time, check-ins.

The sizes are those of Kulkarni's thesis, table 5.1; the files are too large to come along, so these laws are ours and
only look alike. In a time series item i is the slot of `minutes` minutes that begins `i minutes` after midnight of a
Monday, and k slots are the whole span. The rate of a slot is taken at its middle, the product of

- the trend `u^rise (1-u)^fall`, where u in (0, 1) is the place in the span;
- the hour h of the day, from 0 to 24: `night + sum of height exp(-(h - peak)^2 / (2 width^2))` over the rush hours;
- `weekend` on Saturdays and Sundays, 1 on other days;
- bursts: for each burst j = 0, ..., 39 that began t <= 360 hours ago the factor `1 + height / (j+1) exp(-t / 12)`.

Burst j begins at the share `frac((j + 1/2) 0.618...)` of the span. The table's numbers contradict one another: 2,774
days are 332,880 slots of 12 minutes, more than 2^18, and four months are 5,856 half hours, not 2^17; the numbers of
slots and users stand here, with slots of the printed length.

`checkins` has places in the order of a curve through the plane: 200 towns, town j at the share `frac((j + 1) 0.618...)`
of the curve, with the weight `1/(j+1)`, each spread by `exp(-distance / (k/2000))` up to a distance of k/50, and a
tenth spread evenly.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign_catalog.datasets.items.counts import Floats
from mechdesign_catalog.datasets.items.laws import ItemLaw, Labeller

DAY = 24 * 60
GOLDEN = (5**0.5 - 1) / 2
BURST_HOURS, LONGEST = 12.0, 360
"""The time in which a burst falls by the factor e, and after which it is over."""

BURSTS = 40
TOWNS, TOWN_WIDTH, EVENLY = 200, 1 / 2000, 0.1
REACH = 40
"""Widths from its centre at which a town ends."""


@dataclass(frozen=True)
class TimeSeries:
    """A series of events in slots of time, and how many slots and users were published.

    `rush` has (peak hour, width in hours, height) of the busy hours.
    """

    name: str
    title: str
    minutes: int
    slots: int
    users: int
    rise: float
    fall: float
    night: float
    weekend: float
    burst: float
    rush: tuple[tuple[float, float, float], ...]

    def weights(self, k: int) -> Floats:
        """Compute the probability of each of k slots."""
        middle = np.arange(k, dtype=np.float64) + 0.5
        place, minute = middle / k, middle * self.minutes
        rate: Floats = place**self.rise * (1 - place) ** self.fall * self._by_day(minute)
        for start, height in self._bursts(k):
            burst = slice(start, start + LONGEST * 60 // self.minutes + 1)
            since = (minute[burst] - minute[start]) / 60
            rate[burst] *= 1 + height * np.exp(-since / BURST_HOURS)
        return np.asarray(rate / rate.sum())

    def _by_day(self, minute: Floats) -> Floats:
        hour = minute % DAY / 60
        rate = np.full(len(minute), self.night)
        for peak, width, height in self.rush:
            rate += height * np.exp(-(((hour - peak) / width) ** 2) / 2)
        rate[minute // DAY % 7 >= 5] *= self.weekend
        return rate

    def _bursts(self, k: int) -> Iterator[tuple[int, float]]:
        for j in range(BURSTS):
            yield int(k * ((j + 0.5) * GOLDEN % 1)), self.burst / (j + 1)

    def labels(self, k: int) -> Labeller:
        """Make the labels of the slots, by the time at which they begin: `day 1 00:30`."""
        return lambda item: (
            f"day {item * self.minutes // DAY + 1} {item * self.minutes % DAY // 60:02}:{item * self.minutes % 60:02}"
        )

    @property
    def law(self) -> ItemLaw:
        """The law over slots."""
        return ItemLaw(f"timeseries:{self.name}", self.weights, self.labels, self.slots, self.users)


OFFICE = ((10.5, 2.5, 1.0), (15.5, 2.5, 1.0))
EVENING = ((20.5, 3.0, 1.0),)
COMMUTE = ((8.5, 1.2, 1.0), (13.0, 2.5, 0.6), (18.5, 1.8, 1.4))

SERIES = {
    series.name: series
    for series in (
        TimeSeries("stackoverflow", "posts and edits", 12, 1 << 18, 1 << 21, 1.0, 0.0, 0.35, 0.45, 1.0, OFFICE),
        TimeSeries("movielens", "ratings of films", 32, 1 << 18, 1 << 21, 1.0, 1.0, 0.3, 1.2, 4.0, EVENING),
        TimeSeries("taxi", "pick-ups of taxis", 30, 1 << 17, 1 << 24, 0.0, 0.0, 0.15, 0.9, 0.5, COMMUTE),
    )
}
USUAL_SERIES = "stackoverflow"
"""What `timeseries` is."""


def checkin_weights(k: int) -> Floats:
    """Compute the probability of each of k places along the curve."""
    place = (np.arange(k) + 0.5) / k
    weights = np.full(k, EVENLY / k)
    ranks = 1 / np.arange(1, TOWNS + 1)
    for town, share in enumerate((1 - EVENLY) * ranks / ranks.sum()):
        centre = (town + 1) * GOLDEN % 1
        near = slice(*np.searchsorted(place, (centre - REACH * TOWN_WIDTH, centre + REACH * TOWN_WIDTH)))
        spread = np.exp(-np.abs(place[near] - centre) / TOWN_WIDTH)
        weights[near] += share * spread / spread.sum()
    return np.asarray(weights / weights.sum())


CHECKINS = ItemLaw("checkins", checkin_weights, k=1 << 16, people=1 << 21)
"""Check-ins by place, with the sizes of Gowalla's in the thesis."""


def parse_series(name: str, parameter: str | None) -> ItemLaw | None:
    """Parse `timeseries`, `timeseries:NAME` or `checkins`; None for another name.

    Raises:
        InputError: for an unknown series, with the nearest known one, or a parameter of `checkins`.
    """
    if name == "timeseries":
        return SERIES[require_known(USUAL_SERIES if parameter is None else parameter, SERIES, "timeseries")].law
    if name == CHECKINS.name and parameter is not None:
        raise InputError(f"{name} must have no parameter, got {parameter or 'an empty one'}")
    return CHECKINS if name == CHECKINS.name else None
