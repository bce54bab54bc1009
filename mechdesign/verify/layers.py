"""Layers of a law, verified in integers: one mechanism for every number of people.

Counts 0..n, neighbours differ by 1, uniform prior, loss L0, L1 or L2 (`power` 0, 1, 2). Let `a = alpha = p/q`,
`c = (1-a)/(1+a)`, and let s be the loss `sum_d c a^|d| |d|^power` of an input far from both ends.

A table X of depth b gives outputs i < b: `P[i,j] = X[i][j]` for j < b, and `a` times the entry before it from column b
on. Outputs i > n-b mirror them, `P[n-i,n-j] = P[i,j]`, and those between have `P[i,j] = c a^|i-j|`. Where `sum_i
X[i][j] = 1 - a^(b-j)/(1+a)` for all j < b, every column of P sums to 1 for every n >= 2b-1. Outputs and inputs 0..b
make up the corner of P. P is private, and has a property, for all those n where this is so of the corner. (At n = 2b-1
the row below row b-1 is its mirror image and not that of the corner: by privacy `X[b-1][j] >= a^(b-1-j) X[b-1][b-1]`,
which CH and CM need.) With slopes the table is `X + t Y` at `t = 1/(n+1)`. All conditions are affine in t, so they hold
from n on where they hold at t and at 0.

A remap is a table by formula. Its rows are computed whenever they are asked for, and none is kept: a file of 2 kB may
stand for a table of 500 MB.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from math import lcm
from operator import add

from . import kernel
from .enclosures import LONGEST_EXACT, power_bounds, rounded_down

PROPERTIES = ("WH", "RH", "RM", "CH", "CM", "F", "S", "FE")
MOST_DEPTH = 512
LARGEST_N = 10**9
MOST_WORK = 1 << 23
"""A depth, or the length of a walk, times the bits of the longest integer and of q to that power is at most this."""

GUARD = 256
MOST_GUARD = 1 << 16
NARROW_BITS = 200
"""A score that is not exact is enclosed to within one part in 2 to this power."""

Rows = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Layer:
    """The outermost rows and inputs of a mechanism for every n: (rows + slopes / (n+1)) / denominator."""

    alpha: Fraction
    depth: int
    denominator: int
    rows: Rows
    slopes: Rows | None = None


@dataclass(frozen=True)
class RemappedRows(Sequence[tuple[int, ...]]):
    """The table of the geometric mechanism with each output y < b, and its mirror image, replaced by remap[y].

    Output y has the row `c a^|y-j|`, and output 0, which stands for all below it, `a^j / (1+a)`; whole numbers over
    `(p+q) q^(b-1) p^floored`. The slopes: outputs i < floored get `t a^(j-i)` of the row of the output 0, which is so
    much less for remap[0].
    """

    alpha: Fraction
    remap: tuple[int, ...]
    floored: int = 0
    are_slopes: bool = False

    @cached_property
    def denominator(self) -> int:
        """The number that all entries are over."""
        (p, q), b = self.alpha.as_integer_ratio(), len(self.remap)
        denominator: int = (p + q) * q ** (b - 1) * p**self.floored
        return denominator

    def __len__(self) -> int:
        return len(self.remap)

    def __getitem__(self, i: int) -> tuple[int, ...]:  # type: ignore[override]
        b = len(self.remap)
        if not -b <= i < b:
            raise IndexError(i)
        return tuple(self._slopes(i % b) if self.are_slopes else self._row(i % b))

    @cached_property
    def _up(self) -> list[int]:
        """`p^(floored + d) q^(b-1-d)` for d = 0..b-1, then for -floored..-1."""
        (p, q), b = self.alpha.as_integer_ratio(), len(self.remap)
        return [p ** (self.floored + d) * q ** (b - 1 - d) for d in (*range(b), *range(-self.floored, 0))]

    def _row(self, i: int) -> list[int]:
        (p, q), b = self.alpha.as_integer_ratio(), len(self.remap)
        row = [0] * b
        for y, answer in enumerate(self.remap):
            if answer == i:
                weight = q - p if y else q
                row = [x + weight * self._up[abs(y - j)] for j, x in enumerate(row)]
        return row

    def _slopes(self, i: int) -> list[int]:
        (p, q), places = self.alpha.as_integer_ratio(), range(len(self.remap))
        if i < self.floored:
            return [(p + q) * self._up[j - i] for j in places]
        if i > self.remap[0]:
            return [0 for _ in places]
        given = sum(q**k * p ** (self.floored - k) for k in range(self.floored))
        return [-(p + q) * given * self._up[j] // p**self.floored for j in places]


def remapped_layer(alpha: Fraction, remap: Sequence[int], has_floor: bool = False) -> Layer:
    """Return the layer of a remap; with a floor, each output below remap[0] is the answer as often as WH asks."""
    floored = remap[0] * has_floor
    rows = RemappedRows(alpha, tuple(remap), floored)
    slopes = RemappedRows(alpha, tuple(remap), floored, True) if floored else None
    return Layer(alpha, len(remap), rows.denominator, rows, slopes)


def layer_defects(layer: Layer, properties: Collection[str], least: int) -> Iterator[str]:
    """Yield every way in which a layer fails for some n >= least: shape, signs, sums, privacy, properties."""
    fault = _layer_fault(layer)
    if fault:
        yield fault
        return
    b = layer.depth
    if type(least) is not int or least < 2 * b - 1:
        yield f"a layer of depth {b} stands for n from {2 * b - 1} on"
        return
    path = [(j, j + 1, 1) for j in range(b)]
    for corner in _corners(layer, least):
        yield from _mass_defects(corner)
        yield from kernel.privacy_defects(corner, layer.alpha.as_integer_ratio(), path)
    for name in properties:
        if name not in PROPERTIES:
            yield f"{name} is no property of a law"
        elif name != "FE" and not _holds(name, layer, least):
            yield f"property {name} does not hold"


def _mass_defects(corner: "_Corner") -> Iterator[str]:
    """Yield that an entry is negative, or that a column of the layer does not sum to `1 - a^(b-j) / (1+a)`."""
    b, (p, q) = corner.layer.depth, corner.layer.alpha.as_integer_ratio()
    least, sums = 0, [0] * b
    for row in islice(corner, b):
        least, sums = min(least, *row), list(map(add, sums, row))
    if least < 0:
        yield "an entry of the layer is negative"
    for j, total in enumerate(sums):
        if total != corner.unit - corner.step * p ** (b - j) * q ** (j + 1):
            yield f"column {j} of the layer has another sum"


def layer_holds(layer: Layer, n: int) -> list[str]:
    """List which of WH, RH, RM, CH, CM, F, S hold at every size from n on; FE holds always."""
    return [name for name in PROPERTIES[:-1] if _holds(name, layer, n)]


def _holds(name: str, layer: Layer, n: int) -> bool:
    corners = _corners(layer, n)
    if name == "WH":
        return all((n + 1) * row[i] >= corner.floor for corner in corners for i, row in enumerate(corner))
    return name == "S" or not any(list(kernel.property_defects(name, corner, corner.unit)) for corner in corners)


def _layer_fault(layer: Layer) -> str:
    """Say what is wrong with the shape of a layer."""
    tables = [table for table in (layer.rows, layer.slopes) if table is not None]
    if not 0 < layer.alpha < 1:
        return "alpha is not in (0, 1)"
    if type(layer.depth) is not int or not 1 <= layer.depth <= MOST_DEPTH:
        return f"the depth is not in 1..{MOST_DEPTH}"
    if any(len(table) != layer.depth or any(len(row) != layer.depth for row in table) for table in tables):
        return "the layer is not as deep as it says"
    longest = 0
    for x in chain((layer.denominator,), *(chain.from_iterable(table) for table in tables)):
        if type(x) is not int:
            return "the layer has an entry that is no integer"
        longest = max(longest, x.bit_length())
    if layer.denominator <= 0:
        return "the denominator is not positive"
    return work_fault(layer.depth, layer.alpha, longest)


def work_fault(depth: int, alpha: Fraction, longest: int) -> str:
    """Refuse what takes too long, stated by numbers of bits."""
    bits = depth * alpha.denominator.bit_length() + longest
    return f"depth {depth} with integers of {bits} bits is too much to walk" if depth * bits > MOST_WORK else ""


@dataclass(frozen=True)
class _Corner(Sequence[list[int]]):
    """The weights of the outputs and inputs 0..b, over `unit`, a row at a time: at n = size - 1, or at t = 0."""

    layer: Layer
    size: int = 0

    @cached_property
    def unit(self) -> int:
        layer, (p, q) = self.layer, self.layer.alpha.as_integer_ratio()
        return lcm(layer.denominator * max(1, self.size) * q, q**layer.depth * (p + q))

    @property
    def step(self) -> int:
        """What the unit is of `q^b (p+q)`."""
        p, q = self.layer.alpha.as_integer_ratio()
        whole: int = q**self.layer.depth * (p + q)
        return self.unit // whole

    @property
    def floor(self) -> int:
        """What n+1 times the diagonal has at least for WH."""
        return self.unit if self.size or self.layer.slopes is None else 0

    def __len__(self) -> int:
        return self.layer.depth + 1

    def __getitem__(self, i: int) -> list[int]:  # type: ignore[override]
        layer, (p, q) = self.layer, self.layer.alpha.as_integer_ratio()
        if not 0 <= i <= layer.depth:
            raise IndexError(i)
        if i == layer.depth:
            return [self.step * (q - p) * p ** (layer.depth - j) * q**j for j in range(layer.depth + 1)]
        factor = self.unit // (layer.denominator * max(1, self.size))
        row = layer.rows[i]
        if layer.slopes is not None and self.size:
            row = [self.size * x + y for x, y in zip(row, layer.slopes[i], strict=True)]
        return [*(x * factor for x in row), row[-1] * (factor // q) * p]


def _corners(layer: Layer, n: int) -> list[_Corner]:
    """List the corner of P: with slopes that at t = 0 is first, that at n second."""
    return [_Corner(layer), *([] if layer.slopes is None else [_Corner(layer, n + 1)])]


def bulk_loss(alpha: Fraction, power: int) -> Fraction:
    """Compute the loss s of an input far from both ends."""
    return 2 * alpha / (1 + alpha, 1 - alpha**2, (1 - alpha) ** 2)[power]


def geometric_moments(a: Fraction) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Compute `sum_(k>=0) k^e a^k` for e = 0..3."""
    r = 1 - a
    return 1 / r, a / r**2, a * (1 + a) / r**3, a * (1 + 4 * a + a * a) / r**4


def ahead(moments: Sequence[Fraction], d: int, power: int) -> Fraction:
    """Compute `sum_(k>=0) a^k (d+k)^power`, given `sum_k k^e a^k` for e = 0, 1, ..."""
    return sum((c * d ** (power - e) * moments[e] for e, c in enumerate(_BINOMIALS[power])), Fraction(0))


_BINOMIALS = ((1,), (1, 1), (1, 2, 1))


def layer_excess(layer: Layer, power: int) -> tuple[Fraction, Fraction]:
    """Compute E0 and E1: up to powers a^n the losses of all columns sum to `(n+1) s + 2 (E0 + E1/(n+1))`."""
    a, b = layer.alpha, layer.depth
    moments = geometric_moments(a)
    beyond = (1 - a) / (1 + a) * a**b * ahead(moments[1:], b, power)
    slope = Fraction(0) if layer.slopes is None else _left_loss(layer, layer.slopes, power)
    return _left_loss(layer, layer.rows, power) - b * bulk_loss(a, power) - beyond, slope


def _left_loss(layer: Layer, rows: Sequence[Sequence[int]], power: int) -> Fraction:
    """Compute the loss in the outputs < b over all inputs 0, 1, 2, ..."""
    b, moments = layer.depth, geometric_moments(layer.alpha)
    inside, tail = 0, Fraction(0)
    for i, row in enumerate(rows):
        inside += sum(x * (abs(i - j) ** power if i != j else 0) for j, x in enumerate(row))
        tail += row[-1] * ahead(moments, b - i, power)
    return (inside + layer.alpha * tail) / layer.denominator


def score_sum(layer: Layer, power: int, n: int) -> tuple[Fraction, Fraction]:
    """Enclose the sum of the losses of all columns at n >= 2b-1; exactly for L0 and up to n = 128.

    Raises:
        ValueError: for a smaller n, and where no enclosure is found; then the layer is none.
    """
    a, b, excess = layer.alpha, layer.depth, layer_excess(layer, power)
    about = (n + 1) * bulk_loss(a, power) + 2 * (excess[0] + excess[1] / (n + 1))
    if n < 2 * b - 1:
        raise ValueError(f"a layer of depth {b} stands for n from {2 * b - 1} on")
    if power == 0:
        return about, about
    moments, m = geometric_moments(a), n - b + 1
    last = [Fraction(row[-1]) for row in layer.rows]
    if layer.slopes is not None:
        last = [x + Fraction(row[-1], n + 1) for x, row in zip(last, layer.slopes, strict=True)]
    lost = sum((x * ahead(moments, n + 1 - i, power) for i, x in enumerate(last)), Fraction(0))
    rest = 2 * ((1 - a) / (1 + a) * ahead(moments[1:], m, power) - a * lost / layer.denominator)
    if n <= LONGEST_EXACT:
        exact = about + a**m * rest
        return exact, exact
    bits = GUARD
    while bits <= MOST_GUARD:
        low, high = (about + Fraction(x, 1 << bits) * rest for x in power_bounds(a, m, bits)[:: 1 if rest > 0 else -1])
        if 0 < high <= low * (1 + Fraction(1, 1 << NARROW_BITS)):
            return rounded_down(low), -rounded_down(-high)
        bits *= 2
    raise ValueError("the score is not enclosed")
