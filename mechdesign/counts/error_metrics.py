"""Metrics of error: functions of `e = released - true`, averaged over groups.

| name | mean over groups of |
| --- | --- |
| `error-rate` | 1 where e != 0 (the same as `L0`) |
| `Lp`, `Lp:d` | `abs(e)^p` where `abs(e) > d` (d = 0 for `Lp`; `L0:d` is the share of errors beyond d) |
| `PB:TAU` | TAU `abs(e)` where e < 0, `(1 - TAU) e` where e > 0 |
| `rmse` | `e^2`, and the root of that mean |
| `bias` | e |
| `error:e` | 1 where the error is e: one bar of the error histogram |

Two names stand for many: `Lp:d` with the letter d for all `d = 0..n-1`, and `error-histogram` for all `e = -n..n`.
Shares are plain shares of groups, not rescaled as scores are.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mechdesign.counts.error_law import ErrorLaw
from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.problem.loss import PREFIXES, Loss
from mechdesign.rational import over_common_denominator

KNOWN = ("error-rate", "L0", "L1", "L2", "L0:1", "L0:d", "L1:d", "L2:d", "PB:TAU", "rmse", "bias", "error-histogram")
_TAIL = re.compile(r"[lL]\d{1,6}:d")
_LOSS = re.compile(rf"({'|'.join(PREFIXES)}):?[\d.]", re.IGNORECASE)
_BAR = re.compile(r"error:(-?\d{1,6})")


@dataclass(frozen=True)
class Metric:
    """The average of `charge(e)` over groups, or its root if `is_root`.

    `charges[e+n]` is the charge of the error e.
    """

    name: str
    charges: tuple[Fraction, ...]
    is_root: bool = False

    def before_root(self, law: ErrorLaw) -> Fraction:
        """Compute the exact expectation of the mean under a law of the error; for `rmse` the expected mean square."""
        charges, denominator = over_common_denominator(self.charges)
        whole = sum(map(int.__mul__, charges, law.weights))
        return Fraction(whole, denominator * law.denominator)

    def expected(self, law: ErrorLaw) -> float:
        """Compute the expectation; for `rmse` the root of the expected mean square, near which simulated RMSEs lie."""
        value = self.before_root(law)
        return math.sqrt(value) if self.is_root else float(value)

    def simulated(self, errors: NDArray[np.int64]) -> NDArray[np.float64]:
        """Compute the value in each repetition, from counts of groups by error, shape (repetitions, 2n+1)."""
        means: NDArray[np.float64] = errors @ np.array([float(c) for c in self.charges]) / errors.sum(axis=1)
        return np.sqrt(means) if self.is_root else means

    @property
    def square(self) -> "Metric":
        """The metric before its root."""
        return Metric(f"{self.name} squared", self.charges)


def parse_metrics(text: str, n: int) -> tuple[Metric, ...]:
    """Parse metrics for groups of n from names between commas, families written out, each once.

    Raises:
        InputError: for an unknown name, with the nearest known one.

    >>> [metric.name for metric in parse_metrics("error-rate,L0:d", 3)]
    ['error-rate', 'L0:0', 'L0:1', 'L0:2']
    """
    names = [name for word in text.split(",") for name in _written_out(word.strip(), n)]
    made = (make_metric(name, n) for name in dict.fromkeys(names))
    return tuple({metric.name: metric for metric in made}.values())


def _written_out(name: str, n: int) -> list[str]:
    if _TAIL.fullmatch(name):
        return [f"{name[:-1].upper()}{d}" for d in range(n)]
    if name.lower() == "error-histogram":
        return [f"error:{e}" for e in range(-n, n + 1)]
    return [name]


def make_metric(name: str, n: int) -> Metric:
    """Make one metric by name, for groups of n."""
    errors = range(-n, n + 1)
    lowered = name.lower()
    if lowered == "bias":
        return Metric("bias", tuple(map(Fraction, errors)))
    if lowered == "rmse":
        return Metric("rmse", tuple(Fraction(e * e) for e in errors), is_root=True)
    if bar := _BAR.fullmatch(lowered):
        if abs(int(bar[1])) > n:
            raise InputError(f"metric error:E must have E in -{n}..{n} for n = {n}, got metric={name}")
        return Metric(lowered, tuple(Fraction(e == int(bar[1])) for e in errors))
    loss = _loss(name)
    loss.check(n + 1)
    shown = "error-rate" if lowered == "error-rate" else loss.name
    return Metric(shown, tuple(loss.charge(e) for e in errors))


def _loss(name: str) -> Loss:
    try:
        return Loss.parse("L0" if name.lower() == "error-rate" else name)
    except InputError as error:
        if not _LOSS.match(name):
            require_known(name, KNOWN, "metric")
        raise InputError(str(error).replace("loss", "metric")) from None
