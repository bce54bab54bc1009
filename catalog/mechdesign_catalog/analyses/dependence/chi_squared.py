"""The published chi-squared test of independence of two attributes, which knows no noise."""

from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class ChiSquared:
    """A chi-squared statistic, its degrees of freedom, and its p-value; both nan where it is not defined."""

    statistic: float
    degrees: int
    p_value: float


def chi_squared(table: Floats, users: int) -> ChiSquared:
    """Compute the published test of association from a table of shares, of shape (r, s).

    With counts `n p_ij` and those that the table's own margins let expect, `E_ij = n p_i. p_.j / p_..`, it is
    `sum (n p_ij - E_ij)^2 / E_ij`, told against the chi-squared law with `(r - 1)(s - 1)` degrees of freedom; the
    threshold of binary attributes at 95 % is 3.841 (Kulkarni's thesis, sections 2.5.2 and 4.5.1).

    That law is right for the users' true table. In an estimated one noise adds to the statistic, many times over where
    privacy is strong, so that the test finds associations that are not there: its p-value is no such chance then. Where
    an expected count is not above 0, as noise can make it, the statistic is not defined.

    >>> chi_squared(np.array([[0.3, 0.2], [0.2, 0.3]]), 100).statistic.__round__(6)
    4.0
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    degrees = (len(rows) - 1) * (len(columns) - 1)
    total = table.sum()
    expected = users * np.outer(rows, columns) / total if total > 0 else np.zeros_like(table)
    if expected.min() <= 0:
        return ChiSquared(float("nan"), degrees, float("nan"))
    statistic = float(((users * table - expected) ** 2 / expected).sum())
    return ChiSquared(statistic, degrees, chi_squared_tail(statistic, degrees))


def chi_squared_tail(statistic: float, degrees: int) -> float:
    """Return the chance that a chi-squared variable is at least so large; 1 without any degree of freedom."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic)) if degrees else 1.0
