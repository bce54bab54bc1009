"""Contingency tables that are small enough to be facts inside the package."""

import math
from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.datasets.items.table import ItemTable


@dataclass(frozen=True)
class Contingency:
    """The counts of people by several attributes, as `cells` in the order of the domains.

    The last attribute varies fastest.
    """

    name: str
    title: str
    attributes: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    cells: tuple[int, ...]
    source: str
    licence: str

    @property
    def users(self) -> int:
        """Number of people."""
        return sum(self.cells)

    @property
    def k(self) -> int:
        """Number of joint cells."""
        return math.prod(map(len, self.domains))

    def table(self) -> ItemTable:
        """Return a row for each person, by rising cell: who stood where is not known."""
        sizes = tuple(map(len, self.domains))
        people = np.repeat(np.arange(self.k), self.cells)
        values = np.stack(np.unravel_index(people, sizes), axis=1).astype(np.int64)
        return ItemTable(self.name, self.attributes, self.domains, values)


CONTINGENCIES: dict[str, Contingency] = {
    data.name: data
    for data in (
        Contingency(
            "titanic",
            "people on board of the Titanic, 1912; 8 of the 32 cells are empty, 4 of them because the crew had no "
            "children",
            ("class", "sex", "age", "survived"),
            (("1st", "2nd", "3rd", "crew"), ("male", "female"), ("child", "adult"), ("no", "yes")),
            (
                *(0, 5, 118, 57, 0, 1, 4, 140),
                *(0, 11, 154, 14, 0, 13, 13, 80),
                *(35, 13, 387, 75, 17, 14, 89, 76),
                *(0, 0, 670, 192, 0, 0, 3, 20),
            ),
            "British Board of Trade, Report on the Loss of the Titanic, 1912; R. J. MacG. Dawson, Journal of "
            "Statistics Education 3(3), 1995; in R as Titanic",
            "published 1912; facts in the public domain",
        ),
        Contingency(
            "ucb",
            "applicants to the six largest departments of the graduate school at Berkeley, 1973",
            ("admit", "gender", "dept"),
            (("admitted", "rejected"), ("male", "female"), ("A", "B", "C", "D", "E", "F")),
            (
                *(512, 353, 120, 138, 53, 22),
                *(89, 17, 202, 131, 94, 24),
                *(313, 207, 205, 279, 138, 351),
                *(19, 8, 391, 244, 299, 317),
            ),
            "P. J. Bickel, E. A. Hammel, J. W. O'Connell, Sex bias in graduate admissions, Science 187, 1975, "
            "398-403; in R as UCBAdmissions",
            "counts are facts, which no licence covers",
        ),
        Contingency(
            "hair-eye",
            "hair and eye colour of students of statistics at Delaware",
            ("hair", "eye", "sex"),
            (("black", "brown", "red", "blond"), ("brown", "blue", "hazel", "green"), ("male", "female")),
            (
                *(32, 36, 11, 9, 10, 5, 3, 2),
                *(53, 66, 50, 34, 25, 29, 15, 14),
                *(10, 16, 10, 7, 7, 7, 7, 7),
                *(3, 4, 30, 64, 5, 5, 8, 8),
            ),
            "R. D. Snee, Graphical display of two-way contingency tables, The American Statistician 28, 1974, 9-12; "
            "the division by sex was added for teaching by M. Friendly, 1992; in R as HairEyeColor",
            "counts are facts, which no licence covers",
        ),
    )
}
