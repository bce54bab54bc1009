"""Exact chances that a law's output misses the true count by more than d.

They are known for every true count and size.

Of a layered law, with `a = alpha`, depth b and table X, `Pr[R <= i | j]` has no n in it for `i <= n - b`:

    sum_(k <= i) X[k][j]                          i < b, j < b
    sum_(k <= i) X[k][b-1] a^(j-b+1)              i < b, j >= b - 1
    a^(j-i) / (1+a)                               b - 1 <= i <= n - b, j >= i
    1 - a^(i+1-j) / (1+a)                         b - 1 <= i <= n - b, j <= i + 1

and mirror images tell the rest. So the count j is missed by more than d with a chance that changes with j only where j,
j-d-1 or n-j-d-1 is in 0..b: few runs of counts with one chance each make up every group. Powers of alpha are those at
distances beyond d. From d = b on all have the factor `a^(d-b)`, which is left out until the end: nothing is computed
with a long number.

Of the fair law, `P[i,j] = y a^e`, the chance is `1 - y W_j`, with `W_j` the sum of `a^e` over the rows within d of j.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from mechdesign.mechanism.layered import LayeredMechanism, Rows

Run = tuple[int, Fraction]
"""How many neighbouring true counts, and the chance that each of them has."""


@dataclass(frozen=True)
class LayeredMisses:
    """The chances of a layered law to miss by more than d; `factor_power` is that of alpha, left out of them."""

    mechanism: LayeredMechanism
    d: int

    @property
    def factor_power(self) -> int:
        """The power k of alpha: a chance is `alpha^k` times what `runs` says."""
        return max(0, self.d - self.mechanism.depth)

    @property
    def far(self) -> int:
        """From this n on the chances of different true counts are the same at every n, but for slopes."""
        return 2 * (self.mechanism.depth + self.d)

    def runs(self, n: int, table: tuple[Rows, int] | None = None) -> Iterator[Run]:
        """Yield the true counts 0..floor(n/2) by runs of one chance; the others mirror them.

        `table` is another than that at n.
        """
        b, d, middle = self.mechanism.depth, self.d, n // 2
        below = _Below(self.mechanism.alpha, n, self.factor_power, *(table or self.mechanism.table(n)))
        starts = {*range(b + 1), *range(d + 1, d + b + 2), *range(n - d - b, n - d + 1)}
        starts = {0, middle + 1, *(j for j in starts if 0 < j <= middle)}
        for j, following in pairwise(sorted(starts)):
            yield following - j, below(j - d - 1, j) + below(n - j - d - 1, n - j)


class _Below:
    """The chances `Pr[R <= i | j]` in a group of n for `i < j`, over a power of alpha."""

    def __init__(self, alpha: Fraction, n: int, left_out: int, rows: Rows, denominator: int) -> None:
        self.alpha, self.n, self.left_out, self.depth, self.denominator = alpha, n, left_out, len(rows), denominator
        self.sums = [list(accumulate(column)) for column in zip(*rows, strict=True)]

    def __call__(self, i: int, j: int) -> Fraction:
        if i < 0:
            return Fraction(0)
        if i < self.depth:
            column = min(j, self.depth - 1)
            return Fraction(self.sums[column][i], self.denominator) * self.alpha ** (j - column - self.left_out)
        if i <= self.n - self.depth:
            return self.alpha ** (j - i - self.left_out) / (1 + self.alpha)
        return 1 - Fraction(self.sums[self.n - j][self.n - i - 1], self.denominator)


def fair_sums(alpha: Fraction, n: int, d: int) -> tuple[int, list[tuple[int, int]]]:
    """Return an integer and, over it, the sums `W_j` of the fair law, by runs of true counts 0..floor(n/2).

    With `m = min(j, n-j)` the rows at the distances 1..m have the powers 1, 1, 2, 2, .., and those beyond, up to n-m,
    the powers m+1, m+1, m+2, m+2, ... So from j = d on the sum is the same.
    """
    (p, q), middle, reach = alpha.as_integer_ratio(), n // 2, min(d, n)
    powers = [p**k * q ** (reach - k) for k in range(reach + 1)]
    sums = [0, *accumulate(powers[1:])]
    runs = []
    for j in range(min(d, middle + 1)):
        pairs, odd = divmod(min(d, n - j) - j, 2)
        runs.append((1, powers[0] + 2 * sums[j + pairs] + (powers[j + pairs + 1] if odd else 0)))
    if d <= middle:
        runs.append((middle + 1 - d, powers[0] + 2 * sums[d]))
    return powers[0], runs
