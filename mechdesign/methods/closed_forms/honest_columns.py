"""The best mechanism for counts under L0 with honest columns, where alpha is large.

How large alpha must be depends on the size of the group.

**Theorem.** Let `c = n//2 <= alpha/(1-alpha)`, the loss L0, its expectation under the uniform prior asked for, and CH
or CM, with any of WH, RH, RM, S and FE besides. The largest trace of a mechanism is

    n even:  T = (1 + 2 sum_(t=1..c) alpha^-t) / (n+1),
    n odd:   T = 2 sum_(t=0..c) alpha^-t / ((c+1) (1+alpha)),

and the best score `(n+1-T)/n`.

*No trace is larger*, whatever alpha is. The mean of P and its rotation has the trace of P and keeps what is asked, so
let P be its own rotation. Write `w_k = alpha^-(c-k)` and `e_k = P[k,k]/w_k` for k <= c. Privacy along row k gives
`e_k <= P[k,c]`. One step of privacy in row k, then CH in column k+1, give `alpha P[k,k] <= P[k,k+1] <= P[k+1,k+1]`,
that is `e_k <= e_(k+1)`. Column c sums to 1: for even n it has `P[k,c] = P[n-k,c]`, so `e_c + 2 sum_(k<c) e_k <= 1`;
for odd n it has, for each k <= c, P[k,c] and the rotation of `P[k,c+1] >= alpha P[k,c]`, so `(1+alpha) sum_k e_k <= 1`.
In the trace, the sum of all `w_k e_k`, w falls while e rises; by Chebyshev's sum inequality it is at most the mean of w
times the sum of e, and that is T.

*T is reached* where every e_k is the same E. Column c is E in rows 0..c, and below them E (n even) or `alpha E` (odd).
Go left from there. Column j has `u = alpha^-(c-j) E` in its rows 0..j. Each row k below may have any value from
`alpha x_k` to `x_k`, the entry on its right: it gets `alpha x_k`, and what the column lacks of the sum s of column c is
given out from row j+1 down, each row filled up to x_k. So privacy and RM hold, and columns fall away from the diagonal.
As the rows 0..j of column j+1 hold `alpha u` each, the lack is `(1-alpha) (s - (1+alpha) (j+1) u)`, never more than can
be given. It is not negative if `s >= (1+alpha) (j+1) u`; since `alpha >= c/(c+1)`, the right side is largest at
j = c-1, and there both values of s make it `alpha >= c/(c+1)`. The right half is the rotation of the left. Entries of
column j are multiples of `(pq)^j` for alpha = p/q and E = p^c q^c (for odd n one more q), so no product is rounded.

*The proof for the kernel* prices each column at 1/N, N = n+1, but the middle one (or the two) at `(1 - theta)/N`. Let
`theta = T` and `step = theta` for even n, `theta = T/2` and `step = (1+alpha) theta` for odd n, and
`M_k = sum_(i<=k) (w_i - step)`, which is not negative as w falls. The row `P[k+1,k+1] >= P[k,k+1]`, k < c, and its
rotation get the multiplier `M_k / (w_(k+1) N)`. Then every row of P is worth nothing at least.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from mechdesign.certificate.proof import dual_certificate
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.rational import over_common_denominator, total
from mechdesign.verify.certificates import Certificate


def is_in_range(n: int, alpha: Fraction) -> bool:
    """Return whether the theorem speaks of n people at this alpha: `n//2 <= alpha/(1-alpha)`."""
    return n // 2 * (1 - alpha) <= alpha


def honest_columns_score(n: int, alpha: Fraction) -> Fraction:
    """Compute the best L0 score with CH or CM, `(n+1-T)/n`, for n and alpha in range."""
    return (n + 1 - _largest_trace(n, alpha)) / n


def _largest_trace(n: int, alpha: Fraction) -> Fraction:
    weights = _weights(n, alpha)
    if n % 2 == 0:
        return (2 * total(weights) - 1) / (n + 1)
    return 2 * total(weights) / (len(weights) * (1 + alpha))


def _weights(n: int, alpha: Fraction) -> list[Fraction]:
    """`w_k = alpha^-(c-k)` for k = 0..c."""
    return [alpha ** -(n // 2 - k) for k in range(n // 2 + 1)]


def honest_columns(n: int, alpha: Fraction) -> Mechanism:
    """Make the mechanism of the theorem, n >= 1 and alpha in range; it has WH, RH, RM, CH, CM and S.

    Every entry is an integer over `(n+1) p^c q^c` (n even) or `(c+1) (p+q) p^c q^c` (n odd), alpha = p/q.
    """
    left = list(_columns_to_the_left(n, alpha.numerator, alpha.denominator))[::-1]
    right = [column[::-1] for column in left[: (n + 1) // 2]][::-1]
    return Mechanism.reduced(zip(*left, *right, strict=True), sum(left[0]))


def _columns_to_the_left(n: int, p: int, q: int) -> Iterator[list[int]]:
    """Yield the columns c, c-1, ..., 0 as integers."""
    c = n // 2
    unit = p**c * q ** (c + n % 2)
    column = [unit] * (c + 1) + [unit if n % 2 == 0 else unit // q * p] * (n - c)
    yield column
    for j in range(c - 1, -1, -1):
        unit = unit // p * q
        least = [x // q * p for x in column[j + 1 :]]
        lack = sum(column) - (j + 1) * unit - sum(least)
        column = [unit] * (j + 1) + _filled(least, column[j + 1 :], lack)
        yield column


def _filled(least: list[int], most: list[int], lack: int) -> list[int]:
    """Give `lack` out in order, each place filled from its least value up to its most."""
    given = []
    for low, high in zip(least, most, strict=True):
        share = min(lack, high - low)
        given.append(low + share)
        lack -= share
    return given


def honest_columns_proof(n: int, alpha: Fraction, kind: str) -> Certificate:
    """Make the proof of the theorem, with multipliers on rows of the `kind` CH or CM."""
    size, c, weights = n + 1, n // 2, _weights(n, alpha)
    theta = _largest_trace(n, alpha) / (1 + n % 2)
    step = theta * (1 + n % 2 * alpha)
    sums = accumulate(w - step for w in weights[:c])
    shares = [surplus / (w * size) for surplus, w in zip(sums, weights[1:], strict=True)]
    prices = [(1 - theta if j in (c, n - c) else Fraction(1)) / size for j in range(size)]
    integers, denominator = over_common_denominator([*prices, *shares])
    rows = []
    for k, m in enumerate(integers[size:]):
        rows.append((kind, k + 1, k + 1, k, k + 1, m))
        rows.append((kind, n - k - 1, n - k - 1, n - k, n - k - 1, m))
    return dual_certificate(tuple(row for row in rows if row[-1]), denominator, tuple(integers[:size]))
