"""Made-up groups whose true counts follow a known law."""

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import ColumnSampler, seeded_words, system_words
from mechdesign.rational import over_common_denominator
from mechdesign_catalog.datasets.counts.grouped import GroupedCounts, require_groups
from mechdesign_catalog.datasets.counts.laws import Law

USUAL_PEOPLE = 10_000
MOST_IN_GROUPS = 10_000_000
DATA_STREAM = 0xDA7A
"""Keeps made-up data apart from noise that was seeded with the same number."""


@dataclass(frozen=True)
class Synthetic:
    """Made-up groups, `people // n` of size n, with independent exact draws from a law.

    The law is over 0..n.

    The counts are drawn anew for each n, and are the same again for the same seed and n. Without a seed they are fresh
    at each call. The seed is for simulation: it makes data, it hides nothing.
    """

    law: Law
    people: int = USUAL_PEOPLE
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.people <= MOST_IN_GROUPS:
            raise InputError(f"people must be in 1..{MOST_IN_GROUPS}, got people={self.people}")
        if self.seed is not None and self.seed < 0:
            raise InputError(f"seed must be a whole number of at least 0, got seed={self.seed}")

    @property
    def name(self) -> str:
        """The law's name."""
        return self.law.name

    @property
    def own_n(self) -> int | None:
        """The only group size that the law is made for; None for any."""
        return self.law.own_n

    def grouped(self, n: int) -> GroupedCounts:
        """Draw the counts of `people // n` groups; people beyond a multiple of n are dropped.

        Raises:
            InputError: for fewer people than one group, or an n that the law is not made for.
        """
        require_groups(n, self.own_n, self.name, self.people)
        groups, dropped = divmod(self.people, n)
        weights, denominator = over_common_denominator(self.law.weights(n))
        words = system_words if self.seed is None else seeded_words((self.seed, n, DATA_STREAM))
        counts = ColumnSampler(weights, denominator).draw(words, groups)
        return GroupedCounts(self.name, n, counts.astype(np.int64), dropped)
