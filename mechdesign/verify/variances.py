"""The variance of the best unbiased estimates from a mechanism of rows.

It is exact, or between two rationals.

Output r has the probability `theta_r r_u` for item u, with entries of r that are 1 or E = q/p. Under a prior p of the
groups and with `A = sum theta_r r r' / (p'r)` the best linear estimates are `z_r = W A^+ r / (p'r)`. They are unbiased
where the rows span those of W. The variance for a user with item u, summed over the answers, is

    v_u = sum_r theta_r r_u |z_r|^2 - G_uu,   |z_r|^2 = r'Mr / (p'r)^2,   M = A^+ G A^+,   G = W'W,

and the mean of v_u under p is `tr(G A^+) - sum_u p_u G_uu`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from .matrices import Matrix, SingularError, approximate_inverse, eliminated, largest_row_sum, product
from .workloads import Workload

BITS = 320
"""Binary places of the numbers in an approximate inverse; four times those of E are added."""

MOST_GROUPS = 256
"""Groups up to which a matrix is inverted; more are judged by their symmetry alone."""

LONGEST_EXACT = 1 << 22
"""Bits of an entry, times the square of the groups, up to which exact variances are computed by elimination."""


NEARLY_SINGULAR = "the matrix of the rows is too near to a singular one"


@dataclass(frozen=True)
class Rows:
    """A mechanism on the groups: the bits of each output as an integer, group 0 lowest, and weights."""

    bits: list[int]
    weights: list[int]
    denominator: int


@dataclass(frozen=True)
class Variances:
    """V_u of every group between two rationals, and the exact mean under the prior where it is computed."""

    low: list[Fraction]
    high: list[Fraction]
    exact: Fraction | None


def variances_of(workload: Workload, alpha: Fraction, rows: Rows, prior: Sequence[int], exactly: bool) -> Variances:
    """Compute the variances of all groups; the exact mean under the prior only where asked.

    Raises:
        SingularError: where no unbiased estimates of all answers exist.
        ValueError: where the numbers are too large to be proved here.
    """
    if workload.flips and len(set(prior)) == 1 and is_invariant(rows, workload.flips):
        found = _by_transform(workload, alpha, rows)
        return Variances([found] * workload.size, [found] * workload.size, found)
    if workload.is_histogram and len(set(prior)) == 1 and len({bits.bit_count() for bits in rows.bits}) == 1:
        balanced = _by_balance(workload, alpha, rows)
        if balanced is not None:
            return Variances([balanced] * workload.size, [balanced] * workload.size, balanced)
    if workload.size > MOST_GROUPS:
        raise ValueError(f"more than {MOST_GROUPS} groups, and flipping an attribute changes the rows or the prior")
    kept = spanning(workload, rows)
    low, high = _enclosed(workload, alpha, rows, prior, kept)
    return Variances(low, high, _exact(workload, alpha, rows, prior) if exactly else None)


def spanning(workload: Workload, rows: Rows) -> list[int]:
    """Return groups J for which A_JJ has the rank of A.

    A has the range of `1 1' + sum b b'` over the bits b of the rows, since 1 is a sum of rows.

    Raises:
        SingularError: where some answers cannot be estimated without a bias.
    """
    size = workload.size
    counts = [[1] * size for _ in range(size)]
    for bits in rows.bits:
        ones = [u for u in range(size) if bits >> u & 1]
        for u in ones:
            own = counts[u]
            for v in ones:
                own[v] += 1
    return eliminated(counts, workload.gram)[0]


def _exact(workload: Workload, alpha: Fraction, rows: Rows, prior: Sequence[int]) -> Fraction:
    """Return `tr(G A^+) - sum_u p_u G_uu` exactly.

    Raises:
        ValueError: where the numbers are too long.
    """
    p, q = alpha.as_integer_ratio()
    size, total = workload.size, sum(prior)
    classes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for bits, weight in zip(rows.bits, rows.weights, strict=True):
        mean = p * total + (q - p) * sum(share for u, share in enumerate(prior) if bits >> u & 1)
        classes[mean].append((bits, weight))
    common = lcm(*classes)
    weighed = ((bits, weight * (common // mean)) for mean, members in classes.items() for bits, weight in members)
    matrix = _sum_of_squares(size, weighed, p, q)
    longest = max(value.bit_length() for row in matrix for value in row)
    if longest * size * size > LONGEST_EXACT:
        raise ValueError("too long to be computed exactly")
    _, value, slope = eliminated(matrix, workload.gram)
    trace = Fraction(slope * common * rows.denominator * p, value * total * workload.denominator)
    return trace - mean_square(workload, prior)


def mean_square(workload: Workload, weights: Sequence[int]) -> Fraction:
    """Return the mean of G_uu under weights of the groups."""
    squares = sum(weight * workload.gram[u][u] for u, weight in enumerate(weights))
    return Fraction(squares, sum(weights) * workload.denominator)


def _sum_of_squares(size: int, weighed: Iterable[tuple[int, int]], p: int, q: int) -> Matrix:
    """Return `sum w r r'` for `r = p 1 + (q - p) bits` over pairs of bits and weight w."""
    both, total = [[0] * size for _ in range(size)], 0
    for bits, weight in weighed:
        total += weight
        ones = [u for u in range(size) if bits >> u & 1]
        for i, u in enumerate(ones):
            own = both[u]
            for v in ones[: i + 1]:
                own[v] += weight
    step = q - p
    lines = [p * step * both[u][u] for u in range(size)]
    for u, own in enumerate(both):
        for v in range(u + 1):
            own[v] = both[v][u] = p * p * total + lines[u] + lines[v] + step * step * own[v]
    return both


def _by_balance(workload: Workload, alpha: Fraction, rows: Rows) -> Fraction | None:
    """Return the variance of every user of a histogram whose rows all have n ones, where `A = a I + b J`.

    Every |z_r|^2 is then the same, and so is every v_u. None where A is another matrix.
    """
    p, q = alpha.as_integer_ratio()
    k = workload.size
    counts = [[0] * k for _ in range(k)]
    for bits, weight in zip(rows.bits, rows.weights, strict=True):
        ones = [u for u in range(k) if bits >> u & 1]
        for u in ones:
            own = counts[u]
            for v in ones:
                own[v] += weight
    alone, together = counts[0][0], counts[0][1]
    if any(value != (alone if u == v else together) for u, row in enumerate(counts) for v, value in enumerate(row)):
        return None
    if alone == together:
        raise SingularError
    # A is k for the vector of ones, and `(q - p)^2 (alone - together) k / (p (k p + (q - p) n) D)` across it
    mean = k * p + (q - p) * rows.bits[0].bit_count()
    across = Fraction((k - 1) * rows.denominator * p * mean, k * (q - p) ** 2 * (alone - together))
    return across + Fraction(1, k) - 1


def _enclosed(
    workload: Workload, alpha: Fraction, rows: Rows, prior: Sequence[int], kept: list[int]
) -> tuple[list[Fraction], list[Fraction]]:
    """Return v_u of all groups from below and above, by an approximate inverse X of A on the rows J.

    `r'Mr = |W (X + F) r|^2` differs from `|W X r|^2` by at most `eta = |J| E^2 |G| (2 |X| |F| + |F|^2)` in norms of
    largest row sums, and so does v_u, since `p'r >= 1` and `sum theta_r r_u = 1`.

    Raises:
        ValueError: where A is too near to a singular matrix.
    """
    p, q = alpha.as_integer_ratio()
    places = BITS + 4 * (q // p).bit_length()
    means = [
        p * sum(prior) + (q - p) * sum(share for u, share in enumerate(prior) if bits >> u & 1) for bits in rows.bits
    ]
    inverse, norm, off = _inverse(workload, alpha, rows, (means, sum(prior)), kept, places)
    gram = [[workload.gram[u][v] for v in kept] for u in kept]
    eta = len(kept) * Fraction(largest_row_sum(gram), alpha * alpha * workload.denominator) * (2 * norm + off) * off
    turned = list(map(list, zip(*inverse, strict=True)))
    squares = product(product(turned, gram), inverse)
    shares = _shares(squares, rows, (means, sum(prior)), (p, q), kept, places)
    unit = rows.denominator * workload.denominator * p << places
    low, high = [], []
    for u in range(workload.size):
        value = sum(share * (q if bits >> u & 1 else p) for share, bits in zip(shares, rows.bits, strict=True))
        middle = Fraction(value, unit) - Fraction(workload.gram[u][u], workload.denominator)
        low.append(middle - eta)
        high.append(middle + Fraction(len(rows.bits) * q, unit) + eta)
    return low, high


def _inverse(
    workload: Workload, alpha: Fraction, rows: Rows, chances: tuple[Sequence[int], int], kept: list[int], places: int
) -> tuple[Matrix, Fraction, Fraction]:
    """Return X near A^-1 on the rows J, times `f = 2^places`, its norm, and a bound of the norm of `F = A^-1 - X`.

    A is known but for less than `m E^2 / f` in each of its entries, since the weights `theta_r / (p'r)` are cut to
    places, and for 1/f by the division. With `R = I - A X`, F is at most `|X| |R| / (1 - |R|)`.

    Raises:
        ValueError: where |R| is not small.
    """
    p, q = alpha.as_integer_ratio()
    means, total = chances
    one, size = 1 << places, len(kept)
    cut = [
        (weight * p * total << places) // (rows.denominator * mean)
        for weight, mean in zip(rows.weights, means, strict=True)
    ]
    matrix = _sum_of_squares(workload.size, zip(rows.bits, cut, strict=True), p, q)
    own = [[matrix[u][v] // (p * p) for v in kept] for u in kept]
    inverse = approximate_inverse(own, places)
    if inverse is None:
        raise ValueError(NEARLY_SINGULAR)
    rest = [
        [(one * one if u == v else 0) - value for v, value in enumerate(row)]
        for u, row in enumerate(product(own, inverse))
    ]
    norm = Fraction(largest_row_sum(inverse), one)
    unknown = size * (len(rows.bits) / (alpha * alpha) + 1) / one
    miss = Fraction(largest_row_sum(rest), one * one) + unknown * norm
    if miss >= Fraction(1, 2):
        raise ValueError(NEARLY_SINGULAR)
    return inverse, norm, norm * miss / (1 - miss)


def _shares(
    squares: Matrix,
    rows: Rows,
    chances: tuple[Sequence[int], int],
    ratio: tuple[int, int],
    kept: list[int],
    places: int,
) -> list[int]:
    """Return `w_r r'Mr / (p'r)^2` of every row, times the Gram matrix's denominator and `2^places`, rounded down.

    `squares` is M on the rows J, times the denominator and `4^places`.
    """
    p, q = ratio
    means, total = chances
    sums = [sum(row) for row in squares]
    corner = p * p * sum(sums)
    found = []
    for bits, weight, mean in zip(rows.bits, rows.weights, means, strict=True):
        ones = [i for i, u in enumerate(kept) if bits >> u & 1]
        inside = sum(sum(map(squares[i].__getitem__, ones)) for i in ones)
        line = sum(map(sums.__getitem__, ones))
        value = corner + 2 * p * (q - p) * line + (q - p) ** 2 * inside
        found.append(weight * value * total * total // (mean * mean << places))
    return found


def is_invariant(rows: Rows, flips: int) -> bool:
    """Return whether flipping any one of the attributes maps rows to rows of the same weights."""
    weight_of = dict(zip(rows.bits, rows.weights, strict=True))
    for flip in (1 << j for j in range(flips)):
        low = sum(1 << u for u in range(1 << flips) if not u & flip)
        for bits, weight in weight_of.items():
            if weight_of.get((bits & low) << flip | (bits >> flip) & low) != weight:
                return False
    return True


def _by_transform(workload: Workload, alpha: Fraction, rows: Rows) -> Fraction:
    """Return the variance of every user where flips of attributes map the mechanism to itself.

    A and G are then diagonal for the signs `(-1)^(u.S)`: with the transform t_r of a row, A has the eigenvalues
    `sum theta_r t_r(S)^2 / (k p'r)`. All rows that are flips of one another have the same squares.

    Raises:
        SingularError: where A is 0 on a sign on which G is not.
    """
    p, q = alpha.as_integer_ratio()
    k = workload.k
    weights: dict[int, int] = defaultdict(int)
    seen: set[int] = set()
    for bits, weight in zip(rows.bits, rows.weights, strict=True):
        if bits not in seen:
            orbit = _orbit(bits, workload.flips)
            seen |= orbit
            weights[bits] = weight * len(orbit)
    classes: dict[int, list[int]] = {}
    for bits, weight in weights.items():
        ones = bits.bit_count()
        squares = classes.setdefault(k * p + (q - p) * ones, [0] * k)
        for s, value in enumerate(transformed([bits >> u & 1 for u in range(k)])):
            squares[s] += weight * ((q - p) * value + (k * p if s == 0 else 0)) ** 2
    common = lcm(*classes)
    total = Fraction(0)
    for s, eigenvalue in enumerate(transformed(workload.gram[0])):
        own = sum(common // mean * squares[s] for mean, squares in classes.items())
        if eigenvalue:
            if own == 0:
                raise SingularError
            total += Fraction(eigenvalue * common * rows.denominator * p, own)
    return total - workload.gram[0][0]


def _orbit(bits: int, flips: int) -> set[int]:
    """Return all rows that flips of attributes make of one."""
    found = {bits}
    for flip in (1 << j for j in range(flips)):
        low = sum(1 << u for u in range(1 << flips) if not u & flip)
        found |= {(row & low) << flip | (row >> flip) & low for row in found}
    return found


def transformed(values: list[int]) -> list[int]:
    """Return `sum_u (-1)^(u.S) values[u]` for all S, the Walsh transform."""
    found, step = values[:], 1
    while step < len(found):
        for start in range(0, len(found), 2 * step):
            for u in range(start, start + step):
                a, b = found[u], found[u + step]
                found[u], found[u + step] = a + b, a - b
        step *= 2
    return found
