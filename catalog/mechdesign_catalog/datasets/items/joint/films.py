"""Made-up users of films of 17 genres, all pairs of genres positively related.

A user has seen films of some of them.

The published experiments on marginals (T. Kulkarni, thesis, section 4.4.1) have such bits of some 150,000 users, from
ratings whose licence does not let them be passed on; all that is printed of them is that most pairs correlate
positively. The law is ours: a user has an activity u with the density 2u on [0, 1], and has seen a film of genre j with
the probability `u^c_j`, independently of the others. So all genres of a set S are seen by the share
`2 / (2 + sum of c_j over S)`, which gives every table.
"""

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.items.counts import Floats, Values

RARITY = {
    **{"drama": 0.10, "comedy": 0.12, "action": 0.16, "thriller": 0.18, "adventure": 0.20, "romance": 0.25},
    **{"sci-fi": 0.32, "crime": 0.36, "fantasy": 0.50, "children": 0.65, "mystery": 0.75, "animation": 0.85},
    **{"horror": 1.00, "war": 1.10, "musical": 1.40, "western": 2.50, "documentary": 3.50},
}
"""The exponent `c_j` of each genre: seen by 2 / (2 + c_j) of all users."""

EVEN = 2.0
"""The activity has the density `EVEN u^(EVEN - 1)`."""


@dataclass(frozen=True)
class FilmsLaw:
    """The law of which of the first d genres a user has seen.

    Raises:
        InputError: for d that is not in 1..17.
    """

    d: int = len(RARITY)
    labels: tuple[str, str] = ("no", "yes")

    def __post_init__(self) -> None:
        if not 1 <= self.d <= len(RARITY):
            raise InputError(f"d must be in 1..{len(RARITY)}, got d={self.d}")

    @property
    def name(self) -> str:
        """The text that reads back."""
        return "films" if self.d == len(RARITY) else f"films:d={self.d}"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The genres."""
        return tuple(RARITY)[: self.d]

    def shares(self, subset: tuple[int, ...]) -> Floats:
        """Subtract, genre by genre, those who have seen it from all."""
        seen = np.zeros((2,) * len(subset))
        for axis, attribute in enumerate(subset):
            seen += np.array([0.0, RARITY[self.attributes[attribute]]]).reshape(
                [2 if other == axis else 1 for other in range(len(subset))]
            )
        shares = EVEN / (EVEN + seen)
        for axis in range(len(subset)):
            every, of_these = np.split(shares, 2, axis=axis)
            shares = np.concatenate([every - of_these, of_these], axis=axis)
        return shares.reshape(-1)

    def draw(self, people: int, generator: np.random.Generator) -> Values:
        """Draw each user's activity, and then the genres."""
        activity = generator.random(people) ** (1 / EVEN)
        chances = activity[:, None] ** np.array([RARITY[genre] for genre in self.attributes])
        seen: Values = (generator.random((people, self.d)) < chances).astype(np.int64)
        return seen
