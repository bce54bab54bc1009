"""Releases by OpenDP, imported here alone; its own privacy map says what each loses.

What of OpenDP 0.16 fits, and what does not:

* `make_laplace` on vectors of floats: Laplace noise on a grid of 2^-1074, so the law of the textbook.
* `make_geometric` on vectors of whole numbers: two-sided geometric noise (its `make_laplace` gives the same there).
* `make_laplace_threshold` on a map from item to count: noise on the keys that are present alone, values below the
  threshold left out, which is the stability histogram. Counts must be *floats*: for whole numbers it keeps what equals
  the threshold, but its privacy map leaves that outcome out, so the delta that it states is too small (0.051 stated and
  0.086 seen at scale 2, threshold 5; opendp issue 2922).

Its maps round up, so the scale is raised, by as little as floats can be, until the map says at most epsilon.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

from mechdesign.errors import InputError
from mechdesign_catalog.central.baseline import SENSITIVITY

WHOLE = "i64"
"""The type of whole numbers: OpenDP's own choice for `int` has 32 bits, and holds every result to them."""

STEPS = 64
"""How often a scale is raised at most."""


def opendp() -> ModuleType:
    """Import OpenDP's prelude with its measurements enabled.

    Raises:
        InputError: where it is not installed.
    """
    try:
        import opendp.prelude as prelude
    except ImportError:
        raise InputError(
            'central releases need the package opendp, which is not installed; run pip install "mechdesign[central]"'
        ) from None
    prelude.enable_features("contrib")  # process-wide: its measurements are refused without
    return prelude


def private(make: Callable[[float], Any], distance: object, epsilon: Fraction, sensitivity: int = SENSITIVITY) -> Any:
    """Make the measurement `make(scale)` whose map says at most epsilon, with the smallest scale that does.

    Scales are tried from `sensitivity / epsilon` on.

    Raises:
        ArithmeticError: if none is found, which no input can cause.
    """
    scale = float(sensitivity / epsilon)
    for _ in range(STEPS):
        measurement = make(scale)
        loss = measurement.map(distance)
        if Fraction(loss[0] if isinstance(loss, tuple) else loss) <= epsilon:
            return measurement
        scale = math.nextafter(scale, math.inf)
    raise ArithmeticError(f"no scale near {scale} has a privacy map of at most {epsilon}")
