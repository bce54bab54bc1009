"""Variance bounds on circles, for shifted levels of rows and for every mechanism.

The queries are ranges and arcs.

Everything is a sum over the frequencies j of a circle of K places, made of `sin(pi j / n)`. One table of these serves:
`sin(pi L j / K)` stands in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, cycle, pairwise
from math import gcd, isqrt
from operator import add

BITS = 128
"""Binary places of the sines, and of what is made of them."""

GUARD = 16
"""Further places of the sines and cosines that a table is made of."""

ULPS = 2
"""A sine of a table is off by less than so many units of its last place."""

ONE = 1 << BITS

Runs = tuple[tuple[int, int], ...]
"""Places of a row: the first of each run, and how many it has."""

PAIRS = {"circular": (2, 0), "ranges": (1, 1), "prefixes": (0, 1)}
"""How often a workload has the queries between any two of k cuts, and how often those from the start to a cut."""


@dataclass(frozen=True)
class Sines:
    """The numbers `2^BITS sin(pi j / n)` and their squares, for j = 0 .. n//2, each between two integers."""

    n: int

    @cached_property
    def middle(self) -> list[int]:
        """Integers that are off by less than `ULPS`: each the sine of a sum of one of few angles and a small one.

        Sines and cosines of these two are off by less than 2^-8, from some thirty terms that are off by 2 units of
        GUARD more places. So a product and a sum are off by less than a unit, and one more is cut off.
        """
        step = isqrt(self.n // 2) + 1
        coarse = [self._turned(i * step) for i in range(self.n // 2 // step + 1)]
        fine = [self._turned(i) for i in range(step)]
        shift = BITS + 2 * GUARD
        every = [s * b + c * a >> shift for s, c in coarse for a, b in fine]
        return every[: self.n // 2 + 1]

    @cached_property
    def squares(self) -> tuple[list[int], list[int]]:
        """Lower and upper bounds of the squares."""
        low = [max(0, sine - ULPS) ** 2 >> BITS for sine in self.middle]
        return low, [((sine + ULPS) ** 2 >> BITS) + 1 for sine in self.middle]

    def cosecants(self, most: int) -> Fraction:
        """Bound `sum_(j=1..most) 1 / sin(pi j / n)` from below, for most up to n/2."""
        return Fraction(sum((ONE << BITS) // (sine + ULPS) for sine in self.middle[1 : most + 1]), ONE)

    def place(self, j: int) -> int:
        """Return where the sine of `pi j / n` stands, but for its sign."""
        rest = j % self.n
        return min(rest, self.n - rest)

    def _turned(self, j: int) -> tuple[int, int]:
        """Return sine and cosine of `pi j / n` with GUARD more places, by their series; `j <= n/2 + step`."""
        bits = BITS + GUARD
        x = pi_below(bits) * j // self.n
        square = x * x >> bits
        sine, cosine, odd, even, i = 0, 0, x, 1 << bits, 0
        while abs(odd) > 1 or abs(even) > 1:
            sine, cosine = sine + odd, cosine + even
            even = -(even * square >> bits) // ((2 * i + 1) * (2 * i + 2))
            odd = -(odd * square >> bits) // ((2 * i + 2) * (2 * i + 3))
            i += 1
        return sine, cosine


def pi_below(bits: int) -> int:
    """Return pi times `2^bits`, less by at most one: `16 arctan(1/5) - 4 arctan(1/239)` (Machin).

    >>> pi_below(10)
    3216
    """
    more = bits + GUARD
    found = 16 * _arctan(5, more) - 4 * _arctan(239, more)
    return found >> GUARD


def _arctan(q: int, bits: int) -> int:
    power, total, i = (1 << bits) // q, 0, 0
    while power:
        total += (power // (2 * i + 1)) * (1 - 2 * (i % 2))
        power, i = power // (q * q), i + 1
    return total


@dataclass(frozen=True)
class Circle:
    """The k items on a circle of `places`, at least k; those beyond are padding, which nobody has."""

    k: int
    places: int

    @property
    def padding(self) -> int:
        """Places that are no items."""
        return self.places - self.k

    @cached_property
    def sines(self) -> Sines:
        """Those of `pi j / places`."""
        return Sines(self.places)


@dataclass(frozen=True)
class Level:
    """A level of rows at public shifts of a circle: what its reports hold, and how often it is drawn.

    The row with start s has the places of a pattern p, s further on; of each pattern there are `times` at each start.
    With F the sums of a vector h of sum 0 over a row, and c the share of users whose items it holds, the score of one
    report has the mean square `sum F^2 (plain + own c)` over all rows; its mean for an item is `pull` times the sum of
    F over the rows with it.

    Attributes:
        weight: how often it is drawn, in proportion to the others.
        rows: `times` and runs of each pattern, a run being its first place and how many it has.
    """

    weight: int
    rows: tuple[tuple[int, Runs], ...]
    plain: Fraction
    own: Fraction
    pull: Fraction

    def scale(self, places: int) -> Fraction:
        """Return what scores are multiplied by."""
        return self.pull / self._even(places)

    def excess(self, circle: Circle) -> Fraction:
        """Bound the mean square where all items are as frequent, over that where all places are in even rows."""
        missing = 0 if self.own >= 0 else circle.padding
        held = [min(max(0, ones - missing), circle.k) for _, ones in self._ones]
        most = max(held) if self.own >= 0 else min(held)
        return (self.plain + self.own * Fraction(most, circle.k)) / self._even(circle.places)

    @cached_property
    def apart(self) -> dict[int, int]:
        """Numbers c, by d, of which `sum c sin^2(pi j d / K)` is `|p_j|^2 sin^2(pi j / K)`, over all rows.

        A run from a to b has `(z^a - z^b) / (1 - z)` for `z = exp(-2 pi i j / K)`. Of ends with signs s that add up to
        0 the square `|sum s z^a|^2` is the sum of `-4 s t sin^2(pi j (a - b) / K)` over all pairs. Where a run ends and
        the next one begins, both go.
        """
        found: dict[int, int] = {}
        for times, runs in self.rows:
            ends = [(at, sign) for first, width in runs for at, sign in ((first, 1), (first + width, -1))]
            for (a, s), (b, t) in combinations(ends, 2):
                found[b - a] = found.get(b - a, 0) - s * t * times
        return {apart: number for apart, number in found.items() if apart and number}

    @property
    def _ones(self) -> list[tuple[int, int]]:
        return [(times, sum(width for _, width in runs)) for times, runs in self.rows]

    def _even(self, places: int) -> Fraction:
        """Return `plain + own c` for the mean share c of a row, where all places are as frequent."""
        ones = Fraction(sum(times * one for times, one in self._ones), sum(times for times, _ in self._ones))
        return self.plain + self.own * ones / places


def set_chances(alpha: Fraction, labels: int, held: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the chances that a report holds the own label p, another one q, two others r, and the own and another s.

    A report is a random set of `held` of the labels. A set with the own label is 1/alpha times as likely as one
    without it, and any three labels are in as many sets as by chance.
    """
    p = 1 / (1 + (Fraction(labels, held) - 1) * alpha)
    q = (held - p) / (labels - 1)
    s = p * Fraction(held - 1, labels - 1)
    r = Fraction(0)
    if labels > 2:
        r = (p * (held - 1) * (held - 2) + (1 - p) * held * (held - 1)) / ((labels - 1) * (labels - 2))
    return p, q, r, s


def block_level(alpha: Fraction, weight: int, places: int, blocks: int, bits: int, below: int) -> Level:
    """State a level of masked blocks: a report holds a random set of `below / 2^bits` of 2^t labels of blocks.

    2^t is the least power of 2 that is no less than the number of blocks. With the chances of `set_chances` scores have
    the mean square `(q - r) sum h^2 + (p - q + 2r - 2s) h_own^2`, at each of the shifts.
    """
    labels = 1 << (blocks - 1).bit_length()
    p, q, r, s = set_chances(alpha, labels, labels * below >> bits)
    shifts, (length, longer) = places // gcd(places, blocks), divmod(places, blocks)
    kinds = ((blocks - longer, length), (longer, length + 1))
    rows = tuple((number * shifts // places, ((0, ones),)) for number, ones in kinds if number)
    return Level(weight, rows, *(part / shifts for part in (q - r, p - q + 2 * r - 2 * s, p - q)))


def cell_unit(places: int, cells: int) -> int:
    """Return d: cells have multiples of d places, so that a start modulo d says nothing of the item."""
    return 1 if places % cells == 0 else gcd(places, 1 << max(0, (places - 1).bit_length() - 12))


def cell_level(alpha: Fraction, weight: int, places: int, row: tuple[bool, ...]) -> Level:
    """State a level of cells: a report is the start of a row, 1/alpha times as likely if it holds the item."""
    unit = cell_unit(places, len(row))
    ends = [cell * (places // unit) // len(row) * unit for cell in range(len(row) + 1)]
    runs = tuple((first, end - first) for (first, end), held in zip(pairwise(ends), row, strict=True) if held)
    odds = 1 / alpha - 1
    total = places + odds * sum(width for _, width in runs)
    return Level(weight, ((1, runs),), 1 / total, odds / total, odds / total)


def variance_above(workload: str, circle: Circle, levels: Sequence[Level]) -> Fraction:
    """Bound the variance for a user of all ranges or arcs from above, where the items are equally frequent.

    With the transforms q_j of the queries and `A_j = sum_l w_l scale_l pull_l |p_j|^2`, w_l the chances of the levels,
    it is at most `excess sum_j |q_j|^2 / (K A_j)` less the squares of what answers have by the item alone. Without
    padding that is the variance itself.

    Raises:
        ValueError: where A is not shown to be above 0 at every frequency.
    """
    places, (low, high) = circle.places, circle.sines.squares
    told = _told(circle, levels)
    if min(told[1:]) <= 0:
        raise ValueError("the levels are not shown to tell every frequency")
    fixed, moving = _cut_squares(workload, circle)
    width = circle.padding + 1
    total = 0
    for j in range(1, places // 2 + 1):
        at = circle.sines.place(width * j)
        up, down = (high, low) if moving >= 0 else (low, high)
        end = (up[at] << BITS) // (width * width * down[j]) + (moving >= 0) if width > 1 else ONE
        squares = fixed * ONE + moving * end
        total += ((squares << BITS) // told[j] + 1) * (1 if 2 * j == places else 2)
    excess = max(level.excess(circle) for level in levels)
    return excess * Fraction(total, 4 * places * ONE) - _known(workload, circle.k, circle.places)


def terms(circle: Circle, levels: Sequence[Level]) -> int:
    """Return how many numbers tell what levels do: one for each distance of two ends of a row and each of its turns."""
    every = {apart for level in levels for apart in level.apart}
    return sum(circle.places // gcd(circle.places, apart) for apart in every)


def _told(circle: Circle, levels: Sequence[Level]) -> list[int]:
    """Bound `A_j sin^2(pi j / K)` from below for the frequencies j = 0 .. K//2.

    It is a sum of `c sin^2(pi j d / K)`. Each has the period K / gcd(K, d), and is the same at j and -j. So it is
    computed for half a period, and added to the next longer period that is a multiple of it.
    """
    sines, places, all_weights = circle.sines, circle.places, sum(level.weight for level in levels)
    parts: dict[int, int] = {}
    for level in levels:
        top, bottom = (level.weight * level.scale(places) * level.pull / all_weights * ONE).as_integer_ratio()
        for apart, number in level.apart.items():
            parts[apart] = parts.get(apart, 0) + number * top // bottom
    low, high = sines.squares
    halves = {places: [0] * (places // 2 + 1)}
    for apart, factor in parts.items():
        period = places // gcd(places, apart)
        squares = low if factor >= 0 else high
        own = [squares[sines.place(apart * j)] * factor >> BITS for j in range(period // 2 + 1)]
        halves[period] = list(map(add, own, halves[period])) if period in halves else own
    for period in sorted(halves)[:-1]:
        half = halves.pop(period)
        target = min(longer for longer in halves if longer % period == 0)
        turn = half + half[(period - 1) // 2 : 0 : -1]
        halves[target] = list(map(add, halves[target], cycle(turn)))
    return halves[places]


def _cut_squares(workload: str, circle: Circle) -> tuple[int, int]:
    """Return a and b for which `4 sin^2(pi j / K)` times the sum of `|q_j|^2` over all queries is `a + b e_j`.

    A query lies between two of k cuts. The transform of one of the k - 1 between items has the size 1. The last is
    spread evenly over the padding and its two sides: e_j is its square, `(sin(x w) / (w sin x))^2` with x = pi j / K
    and w = padding + 1. All cuts but it sum to -w times it.
    """
    k, padding = circle.k, circle.padding
    pairs, starts = PAIRS[workload]
    fixed = pairs * k * (k - 1) + starts * (k - 1)
    return fixed, pairs * (k - padding * padding) + starts * (k + 1 + 2 * padding)


def _known(workload: str, k: int, places: int) -> Fraction:
    """Return the squares of what answers have by the item alone, over all queries, where items are equally frequent.

    A range of d of k items has the mean d/k, and `1 - d/k` or `-d/k` beside it; scores are taken from its mean over all
    places, of which it has d, or d and half of the padding where it goes to the last cut.
    """
    pairs, starts = PAIRS[workload]
    padding, inner, outer = places - k, 0, 0
    for d in range(1, k):
        own = 4 * places * places * d * (k - d)
        inner += (k - 1 - d) * (own + (2 * d * padding) ** 2)
        outer += own + ((2 * d - k) * padding) ** 2
    return Fraction(pairs * inner + (pairs + starts) * outer, (2 * places * k) ** 2)


def variance_floor(workload: str, k: int, alpha: Fraction, sines: Sines | None = None) -> Fraction:
    """Bound the variance of every mechanism from below: `(sum of the roots of eigenvalues)^2 / Y + constant`.

    P takes means away. `P W'W P` has the eigenvalues `k / (2 sin^2(pi j / k))`, j = 1 .. k-1, of arcs; of ranges
    `(k+1) / (4 sin^2 x)` at `x = pi j / k`, j < k/2, and `pi j / (k+1)`, j <= k/2; of prefixes `1 / (4 sin^2(pi j /
    2k))`, j = 1 .. k-1. Y is the largest `k (E-1)^2 n (k-n) / (k + (E-1) n)^2` over whole n, which lies next to
    `k / (E+1)`.
    """
    if workload == "prefixes":
        square = (Sines(2 * k).cosecants(k - 1) / 2) ** 2
    else:
        half = (Sines(k) if sines is None else sines).cosecants((k - 1) // 2)
        if workload == "circular":
            square = Fraction(k, 2) * (2 * half + (k % 2 == 0)) ** 2
        else:
            square = (k + 1) * ((half + Sines(k + 1).cosecants(k // 2)) / 2) ** 2
    p, q = alpha.as_integer_ratio()
    near = k * p // (p + q)
    most = max(
        Fraction(k * (q - p) ** 2 * n * (k - n), (k * p + (q - p) * n) ** 2) for n in (near, near + 1) if 0 < n < k
    )
    return square / most - _known(workload, k, k)
