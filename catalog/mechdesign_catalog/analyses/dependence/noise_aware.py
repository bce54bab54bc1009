"""Independence tests of two attributes that know the noise of reports and of sampling."""

from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.analyses.dependence.chi_squared import chi_squared_tail
from mechdesign_catalog.analyses.dependence.interactions import Interaction

REPLICATES = 999
"""Tables that are drawn for a bootstrap."""

MOST_CELLS_DRAWN = 1 << 22
"""Cells that are drawn at once."""


@dataclass(frozen=True)
class NoiseAware:
    """Wald's statistic of an interaction, its degrees of freedom, and two p-values.

    `p_value` is that of the chi-squared law, `bootstrap_p_value` that among tables drawn at independence; nan where
    none were drawn.
    """

    statistic: float
    degrees: int
    p_value: float
    bootstrap_p_value: float


def noise_aware_test(
    interaction: Interaction, generator: np.random.Generator, replicates: int = REPLICATES
) -> NoiseAware:
    """Test two attributes for independence, as sound at any privacy.

    Wald's statistic is `delta' C^-1 delta`, delta the estimated interaction in contrasts and C its covariance at
    independence: of the noise, which is known exactly, and of the users, who are a sample. Where delta is normal, which
    many reports make it, it is chi-squared with `(r - 1)(s - 1)` degrees of freedom (less where C is singular). Without
    noise it is the published statistic times `n/(n + 1)`.

    The parametric bootstrap does not need delta to be normal: tables are drawn from the normal law about the
    independent table with the estimated margins, with the covariance of noise and sampling, and each goes through the
    same statistic, C held fixed. Its p-value is `(1 + how many are at least as large) / (1 + replicates)`.

    Kulkarni's thesis leaves tests under local privacy to further work (section 4.5.1, footnote 3); for central noise
    see Gaboardi, Lim, Rogers, Vadhan, *Differentially private chi-squared hypothesis testing*, ICML 2016.
    """
    weights = interaction.directions
    statistic = float(np.sum((weights @ interaction.delta) ** 2))
    degrees = len(weights)
    return NoiseAware(
        statistic,
        degrees,
        chi_squared_tail(statistic, degrees),
        _bootstrap(interaction, statistic, generator, replicates) if replicates else float("nan"),
    )


def _bootstrap(interaction: Interaction, statistic: float, generator: np.random.Generator, replicates: int) -> float:
    above, left = 0, replicates
    while left:
        count = min(left, max(1, MOST_CELLS_DRAWN // interaction.table.size))
        deltas = interaction.contrasts(interaction.draw_independent(count, generator))
        above += int(np.count_nonzero(np.sum((deltas @ interaction.directions.T) ** 2, axis=1) >= statistic))
        left -= count
    return (1 + above) / (1 + replicates)
