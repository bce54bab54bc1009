"""Cuts: odd sums that moments of signs break, where `(w.(1, s))^2 >= 1` fails on average."""

import numpy as np
from flint import fmpz_mat

from mechdesign.methods.row_designs.relaxation import Cuts
from mechdesign.workloads.queries import Floats, Integers

SMALLEST_BREAK = 1e-5
"""Cuts that lack less than this of their 1 are no help."""

SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
MULTIPLES = np.linspace(0.75, 5, 18)
"""Of the null vector, whose middle entry is then so much."""

FLOORS = (1e-2, 1e-3)
"""What is added to the moments' eigenvalues, so that short vectors are not long ones of integers."""

LATTICE_BITS = 20
MOST_DESCENTS = 150
MOST_CHANGES = 6
"""Longer sums are rarely broken, and moments in floats are not quite those of anything."""


def broken_cuts(moments: Floats, most: int) -> Cuts:
    """Return vectors w of odd sums with the least `w'X w`, where that is below 1, least first.

    All triangles (three entries of 1 or -1) are looked at. From those of the least values, and from roundings of the
    moments' null vector, entries are changed by 1, two at a time, as long as that lessens the value. Where moments
    have more null vectors, as for workloads of low rank, reduced bases find sums that all rows nearly share.

    Args:
        moments: X, mean products of (1, s); (K+1) x (K+1), with a diagonal of ones.
        most: how many.
    """
    triangles = _triangles(moments, 2 * most)
    descended = _descended(moments, triangles[:MOST_DESCENTS], MOST_CHANGES)
    found = np.vstack([_short(moments), _rounded(moments), descended, triangles])
    found = np.unique(_one_sign(found), axis=0)
    values = ((found @ moments) * found).sum(axis=1)
    order = np.argsort(values, kind="stable")[:most]
    broken: Cuts = found[order[values[order] < 1 - SMALLEST_BREAK]]
    return broken


def _triangles(moments: Floats, most: int) -> Cuts:
    """Return the triangles of the least values `3 + 2 (a X_ij + b X_im + a b X_jm)`, a and b signs."""
    size = len(moments)
    second, third = np.triu_indices(size, 1)
    values: list[Floats] = []
    places: list[Integers] = []
    for i in range(size - 2):
        inside = second > i
        j, m = second[inside], third[inside]
        for a, b in SIGNS:
            value = 3 + 2 * (a * moments[i, j] + b * moments[i, m] + a * b * moments[j, m])
            least = np.argpartition(value, most)[:most] if len(value) > most else np.arange(len(value))
            values.append(value[least])
            marks = [np.full(len(least), i), j[least], m[least], np.full(len(least), a), np.full(len(least), b)]
            places.append(np.column_stack(marks))
    best = np.argsort(np.concatenate(values), kind="stable")[:most]
    chosen = np.vstack(places)[best]
    cuts = np.zeros((len(best), size), dtype=np.int64)
    rows = np.arange(len(best))
    cuts[rows, chosen[:, 0]] = 1
    cuts[rows, chosen[:, 1]] = chosen[:, 3]
    cuts[rows, chosen[:, 2]] = chosen[:, 4]
    return cuts


def _short(moments: Floats) -> Cuts:
    """Return vectors of odd sums that are short in the form X, by reduced bases (Lenstra, Lenstra, Lovasz, 1982)."""
    size = len(moments)
    found = []
    for floor in FLOORS:
        values, vectors = np.linalg.eigh(moments)
        root = vectors * np.sqrt(np.maximum(values, 0) + floor)
        scaled = np.rint(root * 2**LATTICE_BITS).astype(np.int64)
        _, transform = fmpz_mat(scaled.tolist()).lll(True)
        short = np.array([[int(value) for value in row] for row in transform.tolist()])
        odd, even = short[short.sum(axis=1) % 2 == 1], short[short.sum(axis=1) % 2 == 0]
        found += [odd, *(odd + sign * one for one in even[: size // 2] for sign in (1, -1))]
    return np.vstack(found)


def _rounded(moments: Floats) -> Cuts:
    """Return multiples of the null vector, rounded to integers of odd sum, as short as changes make them."""
    null = np.linalg.eigh(moments)[1][:, 0]
    unit = null / np.median(abs(null[1:]))
    rounded: Cuts = np.rint(np.multiply.outer(MULTIPLES, unit)).astype(np.int64)
    rounded[:, 0] += 1 - abs(rounded.sum(axis=1)) % 2
    return _descended(moments, rounded, len(moments))


def _descended(moments: Floats, cuts: Cuts, most: int) -> Cuts:
    """Change two entries by 1, or one by 2, as long as `w'X w` falls; sums stay odd."""
    i, j = np.triu_indices(len(moments))
    alone = [2 + 2 * a * b * moments[i, j] for a, b in SIGNS]
    found = cuts.copy()
    for cut in found:
        for _ in range(most):
            shares = moments @ cut
            first, second = 2 * shares[i], 2 * shares[j]
            changes = np.stack([a * first + b * second + own for (a, b), own in zip(SIGNS, alone, strict=True)])
            kind, pair = np.unravel_index(int(changes.argmin()), changes.shape)
            if changes[kind, pair] > -SMALLEST_BREAK:
                break
            cut[i[pair]] += SIGNS[kind][0]
            cut[j[pair]] += SIGNS[kind][1]
    return found


def _one_sign(cuts: Cuts) -> Cuts:
    """Return w or -w, whichever has a positive first entry other than 0."""
    first = cuts[np.arange(len(cuts)), (cuts != 0).argmax(axis=1)]
    signed: Cuts = cuts * np.sign(first)[:, None]
    return signed
