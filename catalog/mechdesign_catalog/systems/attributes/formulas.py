"""Formulas of variances in two talks, beside what follows from p and q.

For n users and a rare item, `q (1-q) / (n (p-q)^2)` is

    GRR:  (e^eps + k - 2) / (n (e^eps - 1)^2),        as  p - q = (e^eps - 1) / (e^eps + k - 1),
    OUE:  4 e^eps / (n (e^eps - 1)^2),                as  p - q = (e^eps - 1) / (2 (e^eps + 1)).

The slides on multidimensional data under LDP print both numerators over `n (p-q)^2`. That is too large by the factors
`(e^eps + k - 1)^2` and `4 (e^eps + 1)^2`, so `(e^eps - 1)^2` is meant.
"""

import math

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.systems import make_oracle


def derived_variance(name: str, k: int, epsilon: float, users: int) -> float:
    """Compute the variance of a rare item under grr or oue, over `(e^eps - 1)^2`."""
    return _numerator(name, k, epsilon) / (users * math.expm1(epsilon) ** 2)


def printed_variance(name: str, k: int, epsilon: float, users: int) -> float:
    """Compute the variance as it is printed, with `(p-q)^2` under the fraction."""
    oracle = make_oracle(name, k, Privacy(epsilon=epsilon))
    if not isinstance(oracle, PureOracle):
        raise TypeError(name)
    return _numerator(name, k, epsilon) / (users * float(oracle.support.p - oracle.support.q) ** 2)


def _numerator(name: str, k: int, epsilon: float) -> float:
    return math.exp(epsilon) + k - 2 if name == "grr" else 4 * math.exp(epsilon)
