"""Real counts that are small enough to be facts inside the package."""

import random
from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.datasets.counts.grouped import GroupedCounts, require_own_size


@dataclass(frozen=True)
class CountHistogram:
    """Groups of `n` by their true count: `groups[c]` groups had the count c, for c = 0..n."""

    name: str
    title: str
    unit: str
    counted: str
    n: int
    groups: tuple[int, ...]
    source: str
    licence: str

    @property
    def size(self) -> int:
        """Number of groups."""
        return sum(self.groups)

    @property
    def own_n(self) -> int:
        """The only group size of this set."""
        return self.n

    def grouped(self, n: int) -> GroupedCounts:
        """Return all groups, by rising count: who they were in which order is not known.

        Raises:
            InputError: for another n than the set's own.
        """
        require_own_size(n, self.n, self.name)
        return GroupedCounts(self.name, n, np.repeat(np.arange(n + 1), self.groups))

    def shuffled(self, seed: int | None = None) -> GroupedCounts:
        """Return all groups in random order: as they stand in the histogram, the order would tell their counts."""
        counts = self.grouped(self.n).counts.tolist()
        shuffler = random.SystemRandom() if seed is None else random.Random(seed)
        shuffler.shuffle(counts)
        return GroupedCounts(self.name, self.n, np.array(counts))


HISTOGRAMS: dict[str, CountHistogram] = {
    data.name: data
    for data in (
        CountHistogram(
            "saxony",
            "boys among the first 12 children in 6115 families of 13, Saxony 1876-1885",
            "families",
            "boys",
            12,
            (3, 24, 104, 286, 670, 1033, 1343, 1112, 829, 478, 181, 45, 7),
            "A. Geissler, Beitraege zur Frage des Geschlechtsverhaeltnisses der Geborenen, Zeitschrift des Koeniglich "
            "Saechsischen Statistischen Bureaus 35, 1889, 1-24",
            "published 1889; facts in the public domain",
        ),
        CountHistogram(
            "weldon",
            "fives and sixes in 26306 throws of 12 dice",
            "throws",
            "fives and sixes",
            12,
            (185, 1149, 3265, 5475, 6114, 5194, 3067, 1331, 403, 105, 14, 4, 0),
            "W. F. R. Weldon 1894; K. Pearson, On the criterion that a given system of deviations ..., Philosophical "
            "Magazine 50, 1900, 157-175",
            "published 1900; facts in the public domain",
        ),
    )
}
