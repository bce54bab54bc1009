"""Tests of all pairs of attributes for association, at a rate of false discoveries."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError
from mechdesign_catalog.analyses.dependence.chi_squared import ChiSquared, chi_squared
from mechdesign_catalog.analyses.dependence.interactions import interactions, require_pairs
from mechdesign_catalog.analyses.dependence.noise_aware import REPLICATES, NoiseAware, noise_aware_test
from mechdesign_catalog.analyses.dependence.strength import cramers_v
from mechdesign_catalog.decoders.tables.subsets import Subset, checked_subset, subsets_of
from mechdesign_catalog.systems.tables.estimates import TableSource

FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True)
class Association:
    """The association of two attributes, as the tests have it.

    `q_value` is the lowest rate of false discoveries at which this pair is found (Benjamini-Hochberg, of the p-values
    of the noise-aware tests of all pairs); `is_significant` says whether that is at most the rate that was asked for.
    """

    pair: Subset
    cramers_v: float
    published: ChiSquared
    aware: NoiseAware
    q_value: float
    is_significant: bool


@dataclass(frozen=True)
class Associations:
    """The tests of pairs of attributes; of the pairs found, a share of `rate` at most is false, on average.

    `find_associations` says under which condition.
    """

    d: int
    post: str
    rate: float
    tests: tuple[Association, ...]

    @property
    def significant(self) -> list[Subset]:
        """The pairs that are associated."""
        return [test.pair for test in self.tests if test.is_significant]

    def tabulate(self, names: Sequence[str]) -> Table:
        """Make a table of what is known of each pair; `names` are of the attributes.

        `attribute_1`, `attribute_2`, `cramers_v`, of the noise-aware test `statistic`, `degrees_of_freedom`, `p_value`
        and `bootstrap_p_value`, then `q_value` and `associated` (1 or 0), and `published_statistic` and
        `published_p_value`; what is not defined is None.
        """
        columns: dict[str, list[Any]] = {
            "attribute_1": [names[test.pair[0]] for test in self.tests],
            "attribute_2": [names[test.pair[1]] for test in self.tests],
            "cramers_v": [test.cramers_v for test in self.tests],
            "statistic": [test.aware.statistic for test in self.tests],
            "degrees_of_freedom": [test.aware.degrees for test in self.tests],
            "p_value": [test.aware.p_value for test in self.tests],
            "bootstrap_p_value": [_defined(test.aware.bootstrap_p_value) for test in self.tests],
            "q_value": [test.q_value for test in self.tests],
            "associated": [int(test.is_significant) for test in self.tests],
            "published_statistic": [_defined(test.published.statistic) for test in self.tests],
            "published_p_value": [_defined(test.published.p_value) for test in self.tests],
        }
        return Table(columns, {"fdr": self.rate, "post": self.post})


def find_associations(
    source: TableSource,
    pairs: Sequence[Subset] | None = None,
    *,
    rate: float = FALSE_DISCOVERIES,
    replicates: int = REPLICATES,
    generator: np.random.Generator | None = None,
) -> Associations:
    """Test pairs of attributes for association: the published chi-squared test, and one that knows the noise.

    The pairs found are those of the procedure of Benjamini, Hochberg (1995) on the noise-aware p-values. It holds the
    expected share of false ones among them at `rate` for tests that are independent, or depend on each other
    positively (Benjamini, Yekutieli 2001).

    Args:
        source: unbiased tables, by least squares or raw.
        pairs: of attribute numbers, the lower first; all pairs by default.
        rate: of false discoveries, in (0, 1).
        replicates: tables drawn for each bootstrap; 0 for none.
        generator: for the bootstrap, and what noise adds to Cramer's V; one with seed 0 by default, so that results
            repeat.

    Raises:
        InputError: for biased tables, tables of one attribute, other pairs, or a rate that is not in (0, 1).
    """
    from scipy.stats import false_discovery_control

    if not 0 < rate < 1:
        raise InputError(f"fdr must be in (0, 1), got fdr={rate}")
    if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < 0:
        raise InputError(f"replicates must be a whole number from 0 on, got replicates={replicates}")
    require_pairs(source)
    d = len(source.domains)
    asked = subsets_of(d, 2) if pairs is None else [_checked_pair(pair, d) for pair in pairs]
    draws = np.random.default_rng(0) if generator is None else generator
    measured = interactions(source, asked)
    told = []
    for plain, interaction in zip(source.shares(asked), measured, strict=True):
        published = chi_squared(plain.reshape(interaction.shape), source.users)
        told.append((cramers_v(interaction, draws), published, noise_aware_test(interaction, draws, replicates)))
    q_values = false_discovery_control([aware.p_value for _, _, aware in told]).tolist() if told else []
    tests = (Association(pair, *found, q, q <= rate) for pair, found, q in zip(asked, told, q_values, strict=True))
    return Associations(d, source.post, rate, tuple(tests))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _checked_pair(pair: Subset, d: int) -> Subset:
    if len(pair) != 2:
        raise InputError(f"a pair must have 2 attributes, got {len(pair)}")
    return checked_subset(pair, d, 2)
