"""Proofs for workloads with levels: a few exact numbers, whatever k.

With `B = sum_j beta_j P_j` and `Gc = sum_j gamma_j P_j`, `M = B Gc B` has the eigenvalue `beta_j^2 gamma_j` on
level j. Let mu be the largest of the even levels, nu of the odd ones; a histogram has one level, that counts as even.
The bits b of a row `r = 1 + (E-1) b` with n entries E = 1/alpha have the squared length `n (k-n) / k` across the
constants. On odd levels it is that of `(b - b') / 2`, where b' is b after the flip of all attributes: a half in size,
and not 0 for at most `2 min(n, k-n)` items. And `(p'r)(y'r) = Y (p'r)^2` at `y = (Y/k) 1`, where
`p'r = (k + (E-1) n) / k`. Hence

    k (E-1)^2 (mu n (k-n) + max(0, nu - mu) k min(n, k-n) / 2) / (k + (E-1) n)^2 <= Y    for n = 1..k-1

proves    variance >= tr(B Gc)^2 / Y + constant.    It is exact where rows of the best size can lie in the levels in the
proportion that the workload asks for: for histograms always, and for single attributes where E <= 3.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.verify.certificates import LEVELS, Certificate
from mechdesign.workloads.eigenspaces import Eigenspaces

SPARE_BITS = 60
"""Bits by which the numbers of a proof are longer than those of the problem."""

RATIOS = tuple(Fraction(whole, 16) for whole in (16, 17, 18, 20, 22, 24, 28, 32, 40, 48, 64, 96, 128))
"""How many times larger M may be on odd levels than on even ones."""

Counts = NDArray[np.int64]


def level_proof(levels: Eigenspaces, alpha: Fraction) -> Certificate:
    """Return the best proof by levels, with M equal on all even levels, and on all odd ones."""
    scale = largest_price(levels.k, alpha).denominator << SPARE_BITS
    proofs = [_tilted(levels, alpha, scale, ratio) for ratio in (RATIOS if levels.flips else RATIOS[:1])]
    return max(proofs, key=lambda proof: bound_by_levels(levels, alpha, proof))


def _tilted(levels: Eigenspaces, alpha: Fraction, scale: int, ratio: Fraction) -> Certificate:
    """Return the proof for which M is so many times larger on the odd levels than on the even ones."""
    sides = [ratio if levels.flips and j % 2 == 0 else Fraction(1) for j in range(len(levels.eigenvalues))]
    betas = tuple(
        isqrt(int(scale * scale * side / gamma)) if gamma else 0
        for side, gamma in zip(sides, levels.eigenvalues, strict=True)
    )
    price = -(-_price(levels, alpha, betas) // scale)
    return Certificate(LEVELS, scale, {"prior": (1,) * levels.k, "prices": (int(price),), "levels": betas})


def bound_by_levels(levels: Eigenspaces, alpha: Fraction, proof: Certificate) -> Fraction:
    """Return the lower bound of the variance for each user that a proof by levels proves, exactly.

    Raises:
        InputError: for a proof of other levels, or a price that rows of some size exceed.
    """
    if len(proof["levels"]) != len(levels.eigenvalues) or len(proof["prices"]) != 1 or proof.scale <= 0:
        raise InputError(f"a proof by levels must have {len(levels.eigenvalues)} levels and one price")
    (price,) = proof["prices"]
    if price <= 0 or _price(levels, alpha, proof["levels"]) > price * proof.scale:
        raise InputError("price of a proof by levels must be at least what rows of every size cost, got a lower one")
    trace = sum(map(mul, proof["levels"], map(mul, levels.eigenvalues, levels.dimensions)))
    return Fraction(trace * trace, proof.scale * price) + levels.constant


def variance_by_levels(levels: Eigenspaces, mechanism: RowMechanism) -> Fraction | None:
    """Return the variance for each user, whatever the item, of a mechanism that has the symmetries of the levels.

    Flips: the rows with their weights must be the same after each flip of an attribute. Then
    `A = sum theta_r r r' / (p'r)` has the products of attributes' signs as eigenvectors, and the eigenvalues are read
    off the rows' Walsh transforms. Histogram: the rows must be of one size, and hold every two items equally often;
    then A is a number across the constants.

    None is returned for other mechanisms. The mean over the items is what each item has: by the flips, and for the
    histogram since every report's estimates have the same length.
    """
    if mechanism.k != levels.k:
        return None
    eigenvalues = _walsh_eigenvalues(mechanism) if levels.flips else _pair_eigenvalue(mechanism)
    if eigenvalues is None:
        return None
    asked = Counter((j, v) for j, v in zip(_orders(levels), eigenvalues, strict=True) if levels.eigenvalues[j])
    if not all(value for _, value in asked):
        return None
    multiples = 1 if levels.flips else levels.k - 1
    terms = (multiples * count * levels.eigenvalues[j] / value for (j, value), count in asked.items())
    return sum(terms, start=Fraction(0)) + levels.constant


def is_closed_under_flips(rows: Sequence[str], weights: Sequence[int]) -> bool:
    """Return whether rows with their weights are the same after each flip of an attribute of two items."""
    own = dict(zip(rows, weights, strict=True))
    return all(own.get(_flipped(row, width)) == w for row, w in own.items() for width in _widths(len(row)))


def walsh_sums(ones: NDArray[np.uint8]) -> Counts:
    """Return `sum_u (-1)^|S and u| b_u` for each row b and each set S of attributes, shape as the rows: (m, 2^d)."""
    sums = ones.astype(np.int64)
    for width in _widths(sums.shape[1]):
        pairs = sums.reshape(len(sums), -1, 2, width)
        sums = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
    return sums.reshape(len(ones), -1)


def largest_price(k: int, alpha: Fraction) -> Fraction:
    """Return the largest `k (E-1)^2 n (k-n) / (k + (E-1) n)^2`, which is Y for mu = 1; over n = 1..k-1.

    The size n of the rows for which it is reached is that of subset selection (Ye, Barg, IEEE T-IT 64, 2018).
    """
    return _length(k, best_size(k, alpha), alpha)


def best_size(k: int, alpha: Fraction) -> int:
    """Return how many of k entries of a row are E, in the rows that carry most: an integer next to `k / (E+1)`."""
    near = int(k / (1 / alpha + 1))
    return max(range(max(near, 1), min(near + 2, k)), key=lambda n: _length(k, n, alpha))


def _length(k: int, n: int, alpha: Fraction) -> Fraction:
    p, q = alpha.as_integer_ratio()
    return Fraction(k * (q - p) ** 2 * n * (k - n), (k * p + (q - p) * n) ** 2)


def _price(levels: Eigenspaces, alpha: Fraction, betas: Sequence[int]) -> Fraction:
    """Return the least Y that the rows of every size allow, for whole numbers beta."""
    costs = [beta * beta * gamma for beta, gamma in zip(betas, levels.eigenvalues, strict=True)]
    even = max(costs[1::2], default=0) if levels.flips else max(costs)
    more, k = max(0, max(costs[::2]) - even), levels.k
    if not more:
        return even * largest_price(k, alpha)
    p, q = alpha.as_integer_ratio()
    sizes = ((2 * even * n * (k - n) + more * k * min(n, k - n), k * p + (q - p) * n) for n in range(1, k))
    dearest, row = max(sizes, key=lambda size: Fraction(size[0], size[1] ** 2))
    return Fraction(k * (q - p) ** 2 * dearest, 2 * row**2)


def _orders(levels: Eigenspaces) -> list[int]:
    """Return the number of the level, from 0, of each eigenvalue that A may have across the constants."""
    return [u.bit_count() - 1 for u in range(1, levels.k)] if levels.flips else [0]


def _walsh_eigenvalues(mechanism: RowMechanism) -> list[Fraction] | None:
    """Return the eigenvalues of A by sets S of attributes that are not empty, None without the symmetry.

    That of S is `(E-1)^2 sum_r theta_r (Walsh sum of r's ones)^2 / (k + (E-1) n_r)`.
    """
    if not is_closed_under_flips(mechanism.rows, mechanism.weights):
        return None
    squares = walsh_sums(mechanism.ones) ** 2
    kinds: dict[tuple[int, int], list[int]] = {}
    for row, kind in enumerate(zip(mechanism.weights, mechanism.ones.sum(axis=1).tolist(), strict=True)):
        kinds.setdefault(kind, []).append(row)
    step = 1 / mechanism.alpha - 1
    totals = [(weight / (mechanism.k + step * n), squares[rows].sum(axis=0)) for (weight, n), rows in kinds.items()]
    columns = list(zip(*(total[1:].tolist() for _, total in totals), strict=True))
    scale = step * step / mechanism.denominator
    shares = [share for share, _ in totals]
    found = {column: scale * sum(map(mul, shares, column)) for column in set(columns)}
    return [found[column] for column in columns]


def _pair_eigenvalue(mechanism: RowMechanism) -> list[Fraction] | None:
    """Return the one eigenvalue of A across the constants, None where A has several.

    It is `(E-1)^2 (c - e) / (p'r)`, where c is the weight of the rows that hold an item, and e of those that hold two.
    """
    ones, sizes = mechanism.ones, set(mechanism.ones.sum(axis=1).tolist())
    if len(sizes) != 1:
        return None
    together = np.zeros((mechanism.k, mechanism.k), dtype=object)
    weights = np.array(mechanism.weights, dtype=object)
    for weight in set(mechanism.weights):
        some = ones[weights == weight].astype(np.int64)
        together += (some.T @ some).astype(object) * weight
    own, apart = together[0, 0], together[0, 1]
    expected = np.full_like(together, apart)
    np.fill_diagonal(expected, own)
    if not np.array_equal(together, expected):
        return None
    step = 1 / mechanism.alpha - 1
    mean = (mechanism.k + step * sizes.pop()) / mechanism.k
    return [step * step * (own - apart) / (mean * mechanism.denominator)]


def _widths(k: int) -> list[int]:
    """Return how far apart the two items of each attribute are."""
    return [1 << i for i in range(k.bit_length() - 1)]


def _flipped(row: str, width: int) -> str:
    """Swap the items of the attribute whose items are `width` apart."""
    return "".join(
        row[start + width : start + 2 * width] + row[start : start + width] for start in range(0, len(row), 2 * width)
    )
