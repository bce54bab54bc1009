"""The strength of association of two attributes."""

import math

import numpy as np

from mechdesign_catalog.analyses.dependence.interactions import Interaction
from mechdesign_catalog.decoders.simplex import norm_sub
from mechdesign_catalog.randomizers.reports.probabilities import Floats

NOISE_DRAWS = 40
"""Tables of independent attributes from which what noise adds is estimated."""


def cramers_v(interaction: Interaction, generator: np.random.Generator, draws: int = NOISE_DRAWS) -> float:
    """Estimate Cramer's V: 0 for independent attributes, 1 where one tells the other.

    `V^2 = phi^2 / min(r - 1, s - 1)`, `phi^2 = sum_ij p_ij^2 / (p_i. p_.j) - 1`. The table is put on the simplex, and
    what noise and sampling make of phi^2 on average where attributes are independent is taken off: the mean over
    tables drawn so. Without noise that is nearly the correction of Bergsma (*A bias-correction for Cramer's V and
    Tschuprow's T*, 2013). Not below 0; it is not unbiased.
    """
    seen = phi_squared(norm_sub(interaction.table.reshape(-1)).reshape(interaction.shape))
    noise = phi_squared(noise_laws(interaction, generator, draws)).mean()
    return math.sqrt(max(0.0, float(seen - noise)) / (min(interaction.shape) - 1))


def phi_squared(laws: Floats) -> Floats:
    """Compute the mean squared contingency of joint laws, shape (.., r, s) to (..).

    >>> phi_squared(np.array([[0.5, 0.0], [0.0, 0.5]])).item()
    1.0
    """
    independent = laws.sum(axis=-1, keepdims=True) * laws.sum(axis=-2, keepdims=True)
    ratios = np.divide(laws**2, independent, out=np.zeros_like(laws), where=independent > 0)
    return np.asarray(ratios.sum(axis=(-2, -1)) - 1)


def noise_laws(interaction: Interaction, generator: np.random.Generator, draws: int = NOISE_DRAWS) -> Floats:
    """Draw estimated tables where the attributes are independent, put on the simplex; shape (draws, r, s)."""
    drawn = interaction.draw_independent(draws, generator)
    return norm_sub(drawn.reshape(draws, -1)).reshape(drawn.shape)
