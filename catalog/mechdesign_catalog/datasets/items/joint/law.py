"""Laws of rows, and laws on few tuples."""

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.datasets.items.counts import Floats, Values
from mechdesign_catalog.datasets.items.joint.films import FilmsLaw
from mechdesign_catalog.datasets.items.synthetic import MOST_WITH_ITEMS, generator_for
from mechdesign_catalog.datasets.items.table import ItemTable

PEOPLE = 1 << 18
"""Users unless another number is asked for: as many as most of the published experiments on marginals have."""

MOST_ATTRIBUTES = 64
MOST_VALUES = 1 << 30
"""Numbers in the largest table that is drawn: 8 GiB."""


@dataclass(frozen=True, eq=False)
class TupleLaw:
    """The law of users' tuples of binary attributes, drawn by their probabilities.

    Args:
        name: the text that reads back.
        attributes: the names of the d columns.
        labels: the two items of each.
        weights: the probabilities of the `2^m` tuples of m attributes, the last one changing fastest.
        columns: which of the m attributes each column has; some columns may be copies of others.
    """

    name: str
    attributes: tuple[str, ...]
    labels: tuple[str, str]
    weights: Floats
    columns: tuple[int, ...]

    def shares(self, subset: tuple[int, ...]) -> Floats:
        """Add up the probabilities of the tuples in each cell."""
        cells = np.zeros(len(self.weights), dtype=np.int64)
        for column in subset:
            cells = 2 * cells + self._bit(np.arange(len(self.weights)), column)
        found: Floats = np.bincount(cells, weights=self.weights, minlength=1 << len(subset)).astype(np.float64)
        return found

    def draw(self, people: int, generator: np.random.Generator) -> Values:
        """Draw a tuple for each user, and copy it into the columns."""
        upper = np.cumsum(self.weights)
        tuples = np.searchsorted(upper, generator.random(people) * upper[-1], side="right")
        tuples = np.minimum(tuples, len(upper) - 1)
        return np.stack([self._bit(tuples, column) for column in range(len(self.columns))], axis=1)

    def _bit(self, tuples: Values, column: int) -> Values:
        """Return the bit of each tuple in a column."""
        last = len(self.weights).bit_length() - 2
        bits: Values = tuples >> (last - self.columns[column]) & 1
        return bits


JointLaw = FilmsLaw | TupleLaw
"""A law of users who have an item of each of d binary attributes.

`name` is the text that reads back as this law, `labels` are the two items of each attribute, 0 and 1. `shares` has the
probability of each cell of the table of some attributes, the last one changing fastest; `draw` rows, shape (people, d).
"""


def draw_table(law: JointLaw, people: int | None = None, seed: int | None = None) -> ItemTable:
    """Draw a table of independent users; the same again for the same seed, law and number.

    Raises:
        InputError: for people that are not in 1..10^9, or that do not fit with their attributes; or a negative seed.
    """
    people, d = PEOPLE if people is None else people, len(law.attributes)
    most = min(MOST_WITH_ITEMS, MOST_VALUES // d)
    if not 1 <= people <= most:
        raise InputError(f"people must be in 1..{most} for {d} attributes, got people={people}")
    values = law.draw(people, generator_for(seed))
    return ItemTable(law.name, law.attributes, (law.labels,) * d, values)
