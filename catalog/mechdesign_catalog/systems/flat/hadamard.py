"""HRR, Hadamard randomised response: t random Hadamard coefficients of a user's item."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.facts.sources import MADDOCK, NGUYEN, Source
from mechdesign_catalog.randomizers.kernels.hashing import Counts, LinearHashes
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Spectrum
from mechdesign_catalog.randomizers.reports.reports import Column, State
from mechdesign_catalog.systems.flat.local_hashing import HashingOracle

MAX_T = 12


def best_t(privacy: Privacy) -> int:
    """Choose the t with the smallest variance of rare items, the smaller one of two that are equal.

    >>> [best_t(Privacy(epsilon=epsilon)) for epsilon in ("0.5", 1, 2, 3, 5)]
    [1, 2, 3, 4, 7]
    """
    oracles = [Hrr(2, privacy, t) for t in range(1, MAX_T + 1)]
    return min(oracles, key=lambda oracle: oracle.approximate_variance(1)).t


@dataclass(frozen=True)
class Hrr(HashingOracle):
    """The t bits `<c, x> mod 2` of t drawn words c, by randomised response over `2^t` values.

    The words are uniform on 0..K-1, K the power of two from k on.

    The first paper has t = 1, the second any t. Another item has all t bits of the user's with probability `2^-t`
    exactly, as it differs in at least one binary place. So this is local hashing to `2^t` buckets by linear hashes, and
    `Var` is least for a `2^t` near `e^eps + 1`: t = 1 up to eps = ln(3)/2, t = 2 up to ln(21)/2, and so on, see
    `best_t`.

    The server keeps the spectrum, one number for each c, so that states add up; `estimate` transforms it once.

    Raises:
        InputError: for t that is not in 1..12.

    >>> oracle = Hrr(1000, Privacy(epsilon=1))
    >>> oracle.support.q, oracle.bits, oracle.time_class
    (Fraction(1, 2), 11, 'N 2 + k log k')
    """

    t: int = 1
    name: ClassVar[str] = "hrr"
    sources: ClassVar[tuple[Source, ...]] = (NGUYEN, MADDOCK)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.t, bool) or not isinstance(self.t, int) or not 1 <= self.t <= MAX_T:
            raise InputError(f"t must be a whole number from 1 to {MAX_T}, got t={self.t}")

    @cached_property
    def hashes(self) -> LinearHashes:
        """Family that each user draws a hash from."""
        return LinearHashes(self.k, self.t, 1 << self.t)

    @property
    def time_class(self) -> str:
        """How time grows, client and server."""
        return f"N {1 << self.t} + k log k"

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: the transform of the items in the reported bucket."""
        return Spectrum(1 << self.hashes.item_bits, self.t)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Add up the transforms of the reported buckets."""
        coefficients, buckets = columns
        return self.hashes.spectrum(coefficients, buckets.astype(np.int64))

    def supports(self, state: State) -> Counts:
        """Count the reports that support each item, shape (k,)."""
        return self.hashes.supports_of(self.sums_in(state))
