"""Decoders of INPEM's reports, table by table: the published EM, or maximum likelihood.

The likelihood has a proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mechdesign.counts.estimation.likelihood import LikelihoodEstimate, maximum_likelihood
from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.decoders.tables.subsets import Subset, checked_subset
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.estimates import LinearTables, ReplacedTables
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm

PUBLISHED_CHANGE = 1e-5
"""Where the published EM stops: no cell changed by more."""

MOST_STEPS = 1_000_000


@dataclass(frozen=True, eq=False)
class FittedTables:
    """Tables that EM ended with, shape (tables, cells), and the steps that each took, shape (tables,).

    One step means that the first already changed no cell by more than the stop: the start, equal shares, is all but the
    result.
    """

    shares: Floats
    steps: NDArray[np.int64]


def expectation_maximization(observed: Floats, channel: Floats, change: float = PUBLISHED_CHANGE) -> FittedTables:
    """Fit tables to what was observed by EM from equal shares, until no cell changes by more than `change` in a step.

    With `o` the observed shares of reports y and `M(y|g)` their chances in the cell g, a step is

        F_g  <-  sum_y o_y F_g M(y|g) / sum_g' F_g' M(y|g').

    Kulkarni's thesis, algorithm 3, which takes 1e-5. The likelihood never falls. How far its maximum still is the stop
    does not say: where M is nearly flat the first steps are small wherever the maximum is.

    Args:
        observed: shape (tables, reports); each row sums to 1.
        channel: M, shape (reports, cells).
        change: the stop, above 0.

    Raises:
        InputError: for a stop that is not above 0.
        NoAnswerError: after a million steps.
    """
    if not change > 0:
        raise InputError(f"change must be above 0, got change={change}")
    shares = np.full((len(observed), channel.shape[1]), 1 / channel.shape[1])
    steps = np.zeros(len(observed), dtype=np.int64)
    going = np.arange(len(observed))
    while len(going):
        if steps[going[0]] == MOST_STEPS:
            raise NoAnswerError(
                f"EM must converge within {MOST_STEPS} steps, got none below {change}; take a larger change"
            )
        old = shares[going]
        new = old * ((observed[going] / (old @ channel.T)) @ channel)
        shares[going] = new
        steps[going] += 1
        going = going[np.abs(new - old).max(axis=1) > change]
    return FittedTables(shares, steps)


@dataclass(frozen=True, eq=False)
class DecodedTables(ReplacedTables):
    """Tables of INPEM with the shares of a decoder; they need not agree any more.

    Shares are biased: none is below 0. Covariances and standard errors stay those of the unbiased estimates beneath.

    Raises:
        InputError: for an oracle other than INPEM.
    """

    base: LinearTables

    def __post_init__(self) -> None:
        if not isinstance(self.base.oracle, InpEm):
            raise InputError(f"reports must be by {InpEm.name} for this decoder, got {self.base.oracle.name}")

    @property
    def oracle(self) -> InpEm:
        """The oracle of the reports."""
        assert isinstance(self.base.oracle, InpEm)
        return self.base.oracle

    def _reported(self, subset: Subset) -> NDArray[np.int64]:
        """Count the reported combinations of a table."""
        return self.oracle.reported(self.base.state, checked_subset(subset, len(self.domains), self.way))


@dataclass(frozen=True, eq=False)
class EmTables(DecodedTables):
    """Tables by the published steps of EM and their stop, `expectation_maximization`."""

    change: float = PUBLISHED_CHANGE
    post: str = "em"

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the shares where EM stopped."""
        found: dict[int, Floats] = {}
        for size in {len(subset) for subset in subsets}:
            places = [place for place, subset in enumerate(subsets) if len(subset) == size]
            fitted = self.fitted([subsets[place] for place in places])
            found.update(zip(places, fitted.shares, strict=True))
        return [found[place] for place in range(len(subsets))]

    def fitted(self, subsets: Sequence[Subset]) -> FittedTables:
        """Fit tables of equally many attributes, and tell how many steps each took."""
        observed = np.array([self._reported(subset) for subset in subsets]) / self.users
        return expectation_maximization(observed, self.oracle.channel(len(subsets[0])).matrix(), self.change)


@dataclass(frozen=True, eq=False)
class LikelihoodTables(DecodedTables):
    """Tables of maximum likelihood, each proved to be within a millionth of the largest log-likelihood of all reports.

    Where the unbiased table has no cell below 0 it is that. `estimates` has the proved distance of each table.
    """

    post: str = "likelihood"

    def shares(self, subsets: Sequence[Subset]) -> list[Floats]:
        """Return the shares that make the reports of the table's attributes most likely.

        Raises:
            NoAnswerError: naming a table whose distance to the maximum was not proved.
        """
        found = self.estimates(subsets)
        for subset, estimate in zip(subsets, found, strict=True):
            if not estimate.converged:
                raise NoAnswerError(
                    f"the likelihood of attributes {subset} must be within {estimate.tolerance:.3g} of its maximum, "
                    f"got a bound of {estimate.bound:.3g}"
                )
        return [np.array(estimate.distribution) for estimate in found]

    def estimates(self, subsets: Sequence[Subset]) -> list[LikelihoodEstimate]:
        """Maximise the likelihood of each table, with the bound that is proved."""
        channels = {size: self.oracle.channel(size) for size in {len(subset) for subset in subsets}}
        return [maximum_likelihood(channels[len(subset)], self._reported(subset).tolist()) for subset in subsets]
