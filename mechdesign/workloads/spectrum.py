"""Spectra of Gram matrices in closed form: sines of parts of a half turn, each rounded once."""

import numpy as np
from flint import arb

from mechdesign.workloads.queries import Floats

Spectrum = tuple[Floats, Floats]
"""The eigenvalues of `W'W`, before centring, and the share that each has of the vector of ones: shares sum to 1."""


def sines(numbers: range, half_turn: int) -> Floats:
    """Return `sin(pi i / half_turn)` for some whole numbers."""
    return np.array([float((arb.pi() * i / half_turn).sin()) for i in numbers])
