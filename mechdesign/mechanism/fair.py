"""The explicit fair mechanism for counts of every size, and draws without its matrix.

`P[i,j] = y a^e`, `e = |i-j|` where that is below `m = min(j, n-j)`, else `ceil((|i-j| + m) / 2)` (Cormode, Kulkarni,
Srivastava, ICDE 2018). Every column holds the powers 0, 1, 1, 2, 2, .. up to floor(n/2), and one more where n is odd.
So a geometric variable for the power and a coin for the side, drawn again where the column has no such entry, make a
draw.

In row i the exponent is `|i - j|` too, but for j in `floor(i/2) .. ceil((n+i)/2)` alone: at all inputs beyond it is
that of the nearest of these. The rows 0..i of a column j <= n/2 sum to `N / (1 + a - N')`, where with h = floor(n/2)

    N  = a^(j-i) - a^(j+1)                            i < j
         1 + a - a^(j+1) - a^(i-j+1)                  j <= i <= 2j
         1 + a - 2 a^(1+i/2),   or for odd i   1 + a - (1+a) a^(1+(i-1)/2)          2j < i
    N' = 2 a^(1+h),             or for odd n   (1+a) a^(1+h).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechdesign.arguments import checked
from mechdesign.mechanism.geometric_sampling import GeometricSampler
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.mechanism.sampling import WORD_BITS, WordSource, counts_in_groups, system_words

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FairMechanism:
    """The explicit fair mechanisms of one alpha, for every n."""

    alpha: Fraction

    @cached_property
    def _geometric(self) -> GeometricSampler:
        return GeometricSampler(self.alpha)

    def rows_at(self, n: int, outputs: Sequence[int]) -> NDArray[np.float64]:
        """Return rows of the matrix at n as floats, one for each of these outputs, shape (outputs, n + 1)."""
        i, j = np.asarray(outputs)[:, None], np.arange(n + 1)
        a, odd = float(self.alpha), n % 2
        diagonal = (1 - a) / (1 + a - (2 - odd * (1 - a)) * a ** (n // 2 + 1))
        found: NDArray[np.float64] = diagonal * a ** np.abs(i - np.clip(j, i // 2, -(-(n + i) // 2)))
        return found

    @checked
    def sample(
        self, sizes: Counts | Iterable[int], counts: Counts | Iterable[int], words: WordSource | None = None
    ) -> Counts:
        """Draw one exact random output for each true count of a group of that size.

        The randomness is the operating system's unless `words` are given.

        Raises:
            InputError: for arrays of different lengths, or a count outside its group.
        """
        n, j = counts_in_groups(sizes, counts)
        source = words or system_words
        mirrored = 2 * j > n
        near = np.where(mirrored, n - j, j)
        result = np.full(n.shape, -1, dtype=np.int64)
        left = np.arange(len(n))
        while len(left):
            power = self._geometric.draw(source, len(left))
            side = (source(len(left)) >> np.uint64(WORD_BITS - 1)).astype(np.int64)
            result[left] = _row(power, side, near[left], n[left])
            left = left[result[left] < 0]
        return np.where(mirrored, n - result, result)


LawMechanism = LayeredMechanism | FairMechanism
"""The mechanism of a law."""


def _row(power: Counts, side: Counts, j: Counts, n: Counts) -> Counts:
    """Return the row of column j <= n/2 with this power, the first or the second of two; -1 where there is none."""
    inside = np.where(side == 0, j - power, j + power)
    beyond = 2 * power - side  # one end is used up: two rows of each power follow on the other side
    found = np.where(power <= j, inside, beyond)
    return np.where((found > n) | ((power == 0) & (side == 1)), -1, found)
