"""Real counts that are small enough to be facts inside the package."""

import difflib
from dataclasses import dataclass

from mechdesign import InputError


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


DATA_SETS: dict[str, CountHistogram] = {
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


def find_data(name: str) -> CountHistogram:
    """The data set of that name; case does not matter.

    Raises:
        InputError: listing the names, nearest first.
    """
    data = DATA_SETS.get(name.lower())
    if data is None:
        near = difflib.get_close_matches(name.lower(), DATA_SETS, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"data must be one of {', '.join(DATA_SETS)}, got {name}{hint}")
    return data
