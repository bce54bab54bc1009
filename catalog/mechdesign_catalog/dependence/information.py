"""Measure how much two attributes tell of each other, from tables that are laws."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.dependence.interactions import require_pairs
from mechdesign_catalog.marginals.estimates import TableSource
from mechdesign_catalog.multidimensional.tables import Domains, Shares, Subset, subsets_of
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.simplex import norm_sub


@dataclass(frozen=True, eq=False)
class SimplexShares:
    """Shares of one and of two attributes, each table nonnegative and of total 1; tables need not agree otherwise."""

    domains: Domains
    known: Mapping[Subset, Floats]

    def table(self, subset: Subset) -> Floats:
        """Return a table of one or two attributes.

        Raises:
            InputError: for a table of more attributes.
        """
        if subset not in self.known:
            raise InputError(f"a table must be of 1 or 2 attributes here, got {len(subset)}")
        return self.known[subset]


def on_the_simplex(source: TableSource) -> SimplexShares:
    """Make laws of all estimated tables of one and two attributes: each goes to the nearest point of the simplex.

    Mutual information is that of a law, and estimates may be below 0. This is `norm_sub` of each table by itself:
    tables that are laws stay as they are. It is no longer unbiased.

    Raises:
        InputError: for less than two attributes, or tables of one attribute.
    """
    require_pairs(source)
    d = len(source.domains)
    subsets = [*subsets_of(d, 1), *subsets_of(d, 2)]
    return SimplexShares(
        source.domains,
        {subset: norm_sub(table.shares) for subset, table in zip(subsets, source.tables(subsets), strict=True)},
    )


def mutual_information(table: Floats) -> float:
    """Compute the mutual information of two attributes from their joint law, shape (r, s), in nats.

    `sum_ij p_ij ln(p_ij / (p_i. p_.j))`; cells of 0 add nothing. Kulkarni's thesis, section 2.5.1.

    >>> mutual_information(np.array([[0.5, 0.0], [0.0, 0.5]])).__round__(6)
    0.693147
    """
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    filled = table > 0
    return max(0.0, float(np.sum(table[filled] * np.log(table[filled] / independent[filled]))))


def pair_information(shares: Shares) -> dict[Subset, float]:
    """Compute the mutual information of each pair of attributes, in nats, from shares that are laws."""
    domains = shares.domains
    return {
        (a, b): mutual_information(shares.table((a, b)).reshape(domains[a], domains[b]))
        for a, b in subsets_of(len(domains), 2)
    }
