"""Variances of the six published systems for marginal tables of binary attributes, each from a formula of its own.

Kulkarni's thesis, section 4.3, states bounds; these are exact for users whose tuples are fixed, and for servers that
divide by the planned number of users of each branch, n times its chance. `shares` are the true shares of the K = 2^k
cells; x is e^epsilon.
"""

from math import comb, sqrt

import numpy as np


def sue_variance(x):
    """Of a bit of symmetric unary encoding."""
    return sqrt(x) / (sqrt(x) - 1) ** 2


def oue_variance(x):
    """Of a rare item under optimised unary encoding: V0."""
    return 4 * x / (x - 1) ** 2


def coefficients_needed(d, k):
    """Of at most k bits, the constant one aside: T."""
    return sum(comb(d, weight) for weight in range(1, k + 1))


def spectrum(shares):
    """Coefficients of a table of binary attributes, the constant one first."""
    numbers = range(len(shares))
    return np.array([[(-1) ** (c & v).bit_count() for v in numbers] for c in numbers]) @ shares


def cell_variances(system, d, k, x, shares, users):
    """Variances of the cells of one table of k attributes among d."""
    shares = np.asarray(shares, dtype=float)
    cells, merged, sets = 2**k, 2 ** (d - k), comb(d, k)
    told = shares * (1 - shares) * users / (users - 1)
    rest = 1 - shares
    if system == "inprr:sue":
        return np.full(cells, merged * sue_variance(x)) / users
    if system == "inprr:oue":
        return (merged * oue_variance(x) + shares) / users
    if system == "inpps":
        p, q = np.array([x, 1]) / (x + 2**d - 1)
        own, other = p + (merged - 1) * q, merged * q
        return (shares * own * (1 - own) + rest * other * (1 - other)) / (p - q) ** 2 / users
    if system in ("inpht", "marght"):
        branches = coefficients_needed(d, k) if system == "inpht" else sets * (cells - 1)
        spread = (cells - 1 - (spectrum(shares)[1:] ** 2).sum()) * users / (users - 1)
        return (branches / cells**2 * ((cells - 1) * oue_variance(x) + spread) - told) / users
    noise = {
        "margrr:sue": sue_variance(x),
        "margrr": oue_variance(x) + shares,
        "margps": (shares * x * (cells - 1) + rest * (x + cells - 2)) / (x - 1) ** 2,
    }[system]
    return (sets * noise + (sets - 1) * told) / users


def expected_total_variation(variances):
    """Half the sum of the mean absolute values of normal errors."""
    return 0.5 * np.sqrt(2 / np.pi) * np.sqrt(variances).sum()
