"""Made-up commuting data: origin-destination counts by a gravity model.

Their sizes are those of a published census study.

The census file is not public here, so these are made-up people of the published numbers. Place i has a share of all
people and a share of all jobs. A person of place i works there with the chance `at_home`, else in place j with a
chance proportional to

    jobs_j exp(-distance_ij / range_km),     j = 1..places, i among them

(a production-constrained gravity model; A. G. Wilson, *A family of spatial interaction models*, Environment and
Planning 3, 1971). All parameters are ours, chosen so that the electoral divisions come out near the published numbers:
of 3,130^2 = 9,796,900 pairs about 287,000 occur, and about 135,000 of them with one person (seeds 1 to 5: 285,636 to
289,825, and 134,457 to 136,811). 1,085 = 31 x 35 is our reading of the county level, and that each subset is one
region of 162 places (26,244 = 162^2) is our choice; only the sizes are published.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mechdesign.names import require_known
from mechdesign_catalog.datasets.items.counts import Floats, ItemCounts, Values
from mechdesign_catalog.datasets.items.synthetic import generator_for

CENSUS_PEOPLE = 2_750_238
ROWS_AT_ONCE = 128
"""Origins whose distances are in memory together: 128 x 3130 floats are 3 MiB."""

STREAM = 0xC0


@dataclass(frozen=True)
class Gravity:
    """Parameters of the gravity model. Places are uniform in a square, but the first `city_places` of them in one disc.

    Masses (people, jobs) are the quantiles of a lognormal law with the given `spread`s, in random order, scaled to
    the city's share of all people or jobs inside the city and to the rest outside.
    """

    places: int = 3130
    side_km: float = 300.0
    city_places: int = 162
    city_radius_km: float = 8.0
    people_spread: float = 0.9
    jobs_spread: float = 1.9
    city_people: float = 0.2
    city_jobs: float = 0.35
    range_km: float = 11.0
    at_home: float = 0.25


DIVISIONS = Gravity()
"""Electoral divisions."""

COUNTIES = Gravity(places=35, city_places=1, jobs_spread=0.9, city_jobs=0.3, range_km=40.0, at_home=0.75)
"""31 counties of residence; 4 further places only give work."""

COUNTY_ORIGINS, COUNTY_DESTINATIONS, EMPTY_COUNTY_PAIRS = 31, 35, 6


@dataclass(frozen=True, eq=False)
class Region:
    """Places drawn by a `Gravity`, each with where it lies and its share of the people and of the jobs.

    Where a place lies is in km, shape (places, 2).
    """

    gravity: Gravity
    where: Floats
    people: Floats
    jobs: Floats

    @classmethod
    def drawn(cls, gravity: Gravity, generator: np.random.Generator) -> "Region":
        """Draw a random region."""
        where = gravity.side_km * generator.random((gravity.places, 2))
        radius = gravity.city_radius_km * np.sqrt(generator.random(gravity.city_places))
        angle = 2 * np.pi * generator.random(gravity.city_places)
        centre = gravity.side_km * np.array([0.8, 0.5])
        where[: gravity.city_places] = centre + np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        people = _masses(gravity, gravity.people_spread, gravity.city_people, generator)
        jobs = _masses(gravity, gravity.jobs_spread, gravity.city_jobs, generator)
        return cls(gravity, where, people, jobs)

    def only(self, places: NDArray[np.intp]) -> "Region":
        """Select the places of these numbers, as if there were no others."""
        return Region(self.gravity, self.where[places], self.people[places], self.jobs[places])

    def chances(self, origins: slice) -> Floats:
        """Compute the chance of each destination for people of some origins, shape (origins, places); rows sum to 1."""
        here = self.where[origins]
        distance = np.hypot(*(here[:, None, axis] - self.where[None, :, axis] for axis in (0, 1)))
        weights = self.jobs * np.exp(-distance / self.gravity.range_km)
        weights *= (1 - self.gravity.at_home) / weights.sum(axis=1, keepdims=True)
        own = np.arange(len(here))
        weights[own, own + origins.start] += self.gravity.at_home
        return np.asarray(weights)

    def drawn_pairs(self, people: int, generator: np.random.Generator) -> Values:
        """Draw how many people each (origin, destination) has, shape (places^2,).

        Exactly multinomial, one origin after the other.
        """
        places = len(self.where)
        leaving = generator.multinomial(people, self.people / self.people.sum())
        counts = np.empty((places, places), dtype=np.int64)
        for start in range(0, places, ROWS_AT_ONCE):
            origins = slice(start, min(places, start + ROWS_AT_ONCE))
            counts[origins] = generator.multinomial(leaving[origins], self.chances(origins))
        return counts.reshape(-1)


def _masses(gravity: Gravity, spread: float, city_share: float, generator: np.random.Generator) -> Floats:
    outside = gravity.places - gravity.city_places
    parts = []
    for places, share in ((gravity.city_places, city_share), (outside, 1 - city_share)):
        normal = NormalDist(0.0, spread)
        masses = np.exp([normal.inv_cdf((rank + 0.5) / places) for rank in range(places)])
        parts.append(share * generator.permutation(masses / masses.sum()))
    return np.concatenate(parts)


@dataclass(frozen=True)
class CommutingSet:
    """A published size: `pairs = origins * destinations` items, and how many people."""

    name: str
    title: str
    origins: int
    destinations: int
    people: int
    draw: Callable[["CommutingSet", np.random.Generator], Values]

    @property
    def pairs(self) -> int:
        """Number of items: `origins * destinations`."""
        return self.origins * self.destinations

    def counts(self, seed: int | None = None) -> ItemCounts:
        """Draw the people of each pair, the destination varying fastest; the same again for the same seed."""
        return ItemCounts(self.name, None, self.draw(self, generator_for(seed, STREAM)), self.label)

    def label(self, pair: int) -> str:
        """Write the label of a pair: `12 to 7` is from place 12 to place 7, counted from 1."""
        origin, destination = divmod(pair, self.destinations)
        return f"{origin + 1} to {destination + 1}"


def _first_ones(chosen: CommutingSet, generator: np.random.Generator) -> Values:
    """Select the first places: those of the city, or all."""
    region = Region.drawn(DIVISIONS, generator)
    return region.only(np.arange(chosen.origins)).drawn_pairs(chosen.people, generator)


def _countryside(chosen: CommutingSet, generator: np.random.Generator) -> Values:
    """Select the places nearest to the corner that is farthest from the city, as one compact region."""
    region = Region.drawn(DIVISIONS, generator)
    nearest = np.argsort(np.hypot(*region.where.T), kind="stable")[: chosen.origins]
    return region.only(np.sort(nearest)).drawn_pairs(chosen.people, generator)


def _counties(chosen: CommutingSet, generator: np.random.Generator) -> Values:
    """Draw the county level: the 6 least likely pairs are empty by construction, every other has at least one person.

    The rest are drawn.
    """
    region = Region.drawn(COUNTIES, generator)
    here = slice(0, chosen.origins)
    weights = (region.people[here, None] * region.chances(here)).reshape(-1)
    occurs = np.ones(chosen.pairs, dtype=np.int64)
    occurs[np.argsort(weights, kind="stable")[:EMPTY_COUNTY_PAIRS]] = 0
    weights *= occurs
    return occurs + generator.multinomial(chosen.people - int(occurs.sum()), weights / weights.sum())


SETS: dict[str, CommutingSet] = {
    data.name: data
    for data in (
        CommutingSet(
            "commuting:county",
            "commuters between 31 counties and 35 places of work; exactly 6 pairs are empty",
            COUNTY_ORIGINS,
            COUNTY_DESTINATIONS,
            CENSUS_PEOPLE,
            _counties,
        ),
        CommutingSet(
            "commuting:ed",
            "commuters between 3,130 electoral divisions; about 287,000 pairs occur, about 135,000 of them once",
            DIVISIONS.places,
            DIVISIONS.places,
            CENSUS_PEOPLE,
            _first_ones,
        ),
        CommutingSet(
            "commuting:subset-large",
            "commuters among the 162 electoral divisions of the city",
            162,
            162,
            218_860,
            _first_ones,
        ),
        CommutingSet(
            "commuting:subset-small",
            "commuters among 162 electoral divisions of the country",
            162,
            162,
            38_630,
            _countryside,
        ),
    )
}


def draw_commuting(name: str, seed: int | None = None) -> ItemCounts:
    """Draw the commuting set of that name.

    Raises:
        InputError: for an unknown name, with the nearest known one, or a negative seed.
    """
    return SETS[require_known(name, SETS, "data")].counts(seed)
