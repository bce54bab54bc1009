"""Workloads that a side of a table may have, by their names, and the spectra of their Gram matrices."""

from collections.abc import Callable

import numpy as np
from flint import arb

from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import OrderedWorkload

Spectrum = tuple[Floats, Floats]
"""The eigenvalues of `W'W`, and the share of each in the vector of ones: the squared part of it, of sum 1."""

KINDS: dict[str, Callable[[int], OrderedWorkload]] = {
    "histogram": Histogram,
    "prefixes": Prefixes,
    "ranges": Ranges,
    "circular": Arcs,
}
"""Workloads whose names say no more than what they are."""


def spectrum_of(side: OrderedWorkload) -> Spectrum:
    """Return the spectrum of a side before centring, each number within 12 units of 2^-53 of itself."""
    return _SPECTRA[side.name](side.k)


def _of_items(k: int) -> Spectrum:
    """All eigenvalues are 1: one is that of the ones."""
    return np.ones(k), np.append(1.0, np.zeros(k - 1))


def _of_prefixes(k: int) -> Spectrum:
    """`1 / (4 sin^2 x)` at `x = (2i - 1) pi / (4k + 2)` belongs to all `cos((2u + 1) x)`, i = 1..k.

    The ones have the share `cot^2 x / (k (2k + 1))`.
    """
    sines = _sines(range(1, 2 * k, 2), 4 * k + 2)
    cosines = _sines(range(2 * k, 0, -2), 4 * k + 2)  # cos x = sin(pi/2 - x)
    return 1 / (2 * sines) ** 2, (cosines / sines) ** 2 / (k * (2 * k + 1.0))


def _of_ranges(k: int) -> Spectrum:
    """`(k+1) / (4 sin^2 x_i)` with `x_i = pi i / (2k+2)` belongs to the vector of all `sin(2 i u x_1)`.

    The ones have the share `2 cot^2(x_i) / (k (k+1))` for odd i, and none for even ones.
    """
    sines = _sines(range(1, k + 1), 2 * k + 2)
    shares = np.where(np.arange(k) % 2, 0.0, 2 / (k * (k + 1.0)) * (sines[::-1] / sines) ** 2)
    return (k + 1) / (2 * sines) ** 2, shares


def _of_arcs(k: int) -> Spectrum:
    """The frequency 0, which is that of the ones, has `1^2 + .. + (k-1)^2`, the others `k / (2 sin^2(pi j / k))`."""
    whole = (k - 1) * k * (2 * k - 1) // 6
    return np.append(float(whole), k / 2 / _sines(range(1, k), k) ** 2), np.append(1.0, np.zeros(k - 1))


def _sines(numbers: range, half_turn: int) -> Floats:
    """Return `sin(pi i / half_turn)`, each rounded once."""
    return np.array([float((arb.pi() * i / half_turn).sin()) for i in numbers])


_SPECTRA: dict[str, Callable[[int], Spectrum]] = {
    "histogram": _of_items,
    "prefixes": _of_prefixes,
    "ranges": _of_ranges,
    "circular": _of_arcs,
}
