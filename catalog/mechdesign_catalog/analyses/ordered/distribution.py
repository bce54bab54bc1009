"""The estimated distribution function of ordered items, at as many points as a picture shows."""

from dataclasses import dataclass

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign_catalog.analyses.ordered.prefixes import Items, between_known
from mechdesign_catalog.analyses.ordered.quantiles import QuantileEstimate
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items.bins import Bins
from mechdesign_catalog.datasets.items.units import Days
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True, eq=False)
class DistributionFunction:
    """An estimated distribution function at some places, shape (places,) each, all cut to 0..1.

    Of bins, place j is their edge j, and the function is the share of the users below it: 0 at the first, 1 at the
    last edge. Of other items it is the share up to item j, which stays until the next one.

    `unbiased` need not rise; `rising` is the rising function nearest to it (isotonic regression). `low` and `high` are
    intervals of each place by itself, `low_all` and `high_all` hold the whole function at once.
    """

    estimate: FrequencyEstimate
    places: Items
    unbiased: Floats
    rising: Floats
    low: Floats
    high: Floats
    low_all: Floats
    high_all: Floats

    @classmethod
    def of(cls, estimate: FrequencyEstimate, marked: QuantileEstimate, most: int) -> "DistributionFunction":
        """Look the function up at most `most` + 1 places, evenly spread; `marked` are quantiles of the estimate.

        Intervals have the level of the quantiles.
        """
        k = estimate.oracle.k
        places = np.unique(np.linspace(0, k, min(most, k) + 1).astype(np.int64))
        is_continuous = isinstance(estimate.domain, Bins)
        prefixes = estimate.unbiased.cumulative()

        def at_places(shares: Floats) -> Floats:
            known = np.r_[0.0, np.clip(shares[:-1], 0.0, 1.0), 1.0]
            return known[places] if is_continuous else np.append(known[1:], 1.0)[places]

        columns = (prefixes.shares, marked.rising, *between_known(*prefixes.intervals(marked.level)), *marked.band)
        return cls(estimate, places, *map(at_places, columns))

    @property
    def kind(self) -> str:
        """What lies between two places: `numbers` or `dates` where items are bins, else nothing: `items`."""
        if not isinstance(self.estimate.domain, Bins):
            return "items"
        return "dates" if isinstance(self.estimate.domain.unit, Days) else "numbers"

    def tabulate(self) -> Table:
        """Make a table of the function: the text and the number of each place, then the shares.

        `edge` is the text of a bin's edge, or the name of an item; `at` the number itself, days since 1970-01-01 for
        dates, or the number of the item.
        """
        domain = self.estimate.domain
        shown = slice(None) if isinstance(domain, Bins) else slice(0, -1)
        places = self.places[shown]
        if isinstance(domain, Bins):
            edges, at = [domain.edge(int(place)) for place in places], domain.numbers(places)
        else:
            edges, at = [domain.items[int(place)] for place in places], places.astype(np.float64)
        names = ("unbiased", "rising", "low", "high", "low_all", "high_all")
        shares = {name: getattr(self, name)[shown].tolist() for name in names}
        return Table({"edge": edges, "at": at.tolist(), **shares})
