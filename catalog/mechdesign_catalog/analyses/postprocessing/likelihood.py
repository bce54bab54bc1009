"""The most likely shares behind the reports of a square mechanism.

They are computed by expectation maximisation (EM).
"""

import numpy as np

from mechdesign.counts.estimation import maximum_likelihood
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers

MOST_ITEMS = 1024
"""A matrix of rationals beyond it takes minutes."""

MOST_ROUNDING = 1e-3
"""Reports that a count found from estimates may be off a whole number."""


def square_mechanism(oracle: FrequencyOracle) -> Mechanism:
    """Return the matrix of an oracle whose report is one of its k items.

    Raises:
        InputError: for any other oracle, or more than 1024 items.
    """
    if oracle.k > MOST_ITEMS:
        raise InputError(f"k must be at most {MOST_ITEMS} for maximum likelihood, got k={oracle.k}")
    columns = oracle.report_schema.columns
    law = oracle.report_law() if len(columns) == 1 and isinstance(columns[0], Numbers) else {}
    if set(law) != {(item,) for item in range(oracle.k)}:
        raise InputError(f"maximum likelihood goes with oracles that report one of k items, got {oracle.name}")
    return Mechanism.from_fractions(law[(item,)] for item in range(oracle.k))


def em(estimates: Floats, users: int, mechanism: Mechanism) -> Floats:
    """Estimate the shares that make the reports most likely, for each vector of estimates; shape (..., k), sums to 1.

    The reports are found again from the estimates: those are `P^-1 c / n` for c reports of each item and n users, so
    `c = n P x`. The engine's EM with Newton steps does the rest (`mechdesign.counts.estimation.likelihood`),
    to within its default tolerance of the maximum.

    Raises:
        InputError: for estimates that do not come from n reports of this mechanism, such as changed ones.
    """
    matrix = mechanism.matrix()
    flat = np.asarray(estimates, dtype=np.float64).reshape(-1, np.shape(estimates)[-1])
    if matrix.shape != (flat.shape[1], flat.shape[1]):
        got = f"{mechanism.n_outputs} outputs and {mechanism.n_inputs} inputs"
        raise InputError(f"the mechanism must be square with k = {flat.shape[1]}, got {got}")
    reports = users * flat @ matrix.T
    counts = np.rint(reports)
    if np.abs(reports - counts).max() > MOST_ROUNDING or counts.min() < 0 or (counts.sum(axis=1) != users).any():
        raise InputError(f"estimates must come from {users} reports of this mechanism, unchanged, got others")
    found = [maximum_likelihood(mechanism, row).distribution for row in counts.astype(np.int64).tolist()]
    return np.array(found).reshape(np.shape(estimates))
