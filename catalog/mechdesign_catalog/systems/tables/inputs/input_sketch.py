"""INPHTCMS: Apple's Hadamard count-mean sketch on the joint domain.

Its collisions stay in every table.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign_catalog.closed_forms.collisions import Correlations
from mechdesign_catalog.decoders.tables.subsets import Shares, Subset
from mechdesign_catalog.randomizers.facts.sources import MARGINALS, THESIS, Source
from mechdesign_catalog.randomizers.kernels.draws import words_of
from mechdesign_catalog.randomizers.kernels.walsh import walsh_hadamard
from mechdesign_catalog.randomizers.oracle import Users, Values, all_users
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator
from mechdesign_catalog.systems.attributes.sum_to_one import SummedTables, SumToOneTables
from mechdesign_catalog.systems.flat.sketch import Hcms
from mechdesign_catalog.systems.tables.estimates import EstimatedShares
from mechdesign_catalog.systems.tables.inputs.joint_oracle import OTHERS, JointOracle, JointTables

MOST_STEPS = 1 << 32
"""Cells of a table times places of a transform at most, to tell its errors: some minutes."""

PLACE_BYTES = 64
"""What a place of a transform takes while errors are computed."""


@dataclass(frozen=True)
class InpHtCms(JointOracle):
    """INPHTCMS: the Hadamard count-mean sketch (`Hcms`) of combinations of items; 5 public hashes to 256 places.

    The thesis takes these numbers of hashes and places. Estimates are unbiased over redrawn hashes, that is over
    `seed`, and so are variances meant. With fixed hashes collisions stay, however many users come: they add about `1/h`
    of the other cells' energy to a variance, `h = hashes (width - 1)`.

    The hashes are linear. So a report tells one Fourier coefficient of the tuple in binary places, and there are h of
    them among as many as joint cells. Where these are far more than h, hardly any seed has one of a given table: that
    table then has equal shares, whatever the users have, and a standard error that says how little it tells.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = InpHtCms((2, 2, 2, 2), Privacy(epsilon=1))
    >>> oracle.bits, oracle.time_class
    (12, 'N + r^d d')
    """

    hashes: int = 5
    width: int = 256
    seed: int = 0
    name: ClassVar[str] = "inphtcms"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.4.6"), MARGINALS)

    def __post_init__(self) -> None:
        super().__post_init__()
        Hcms(2, self.privacy, self.hashes, self.width, self.seed)  # refuses options that are out of range

    @cached_property
    def flat(self) -> Hcms:
        """The oracle on the joint domain."""
        return Hcms(self.joint_cells, self.privacy, self.hashes, self.width, self.seed)

    def kind_of_table(self, subset: Subset) -> object:
        """Return the table itself, as collisions hang on the digits of tuples' numbers; all are alike if binary."""
        return super().kind_of_table(subset) if set(self.domains) == {2} else subset

    @property
    def places(self) -> int:
        """Places of a transform: the joint cells, filled up to a power of two."""
        return 1 << (self.joint_cells - 1).bit_length()

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are, with those for the errors of a table."""
        return super().server_bytes + PLACE_BYTES * self.places

    def require_fit(self) -> None:
        """Refuse, before any work, a joint domain that is too large for this machine, or for the errors of tables."""
        super().require_fit()
        cells = math.prod(sorted(self.domains)[-self.way :])
        if cells * self.places > MOST_STEPS:
            raise InputError(
                f"the cells of the largest table, times all combinations of the attributes' items, must be at most "
                f"2^32 for {self.name}, got {cells} times {self.joint_cells}; {OTHERS}"
            )

    @cached_property
    def raw(self) -> "SketchTables":
        """The sums of the estimated joint cells, as published; their total need not be 1."""
        return SketchTables(self)

    @cached_property
    def least_squares(self) -> LinearEstimator:
        """The same with the total set to 1."""
        return SumToOneSketch(self.domains, self.raw, JointTables(self))

    @property
    def public_draws(self) -> int:
        """How many sets of public hashes there are."""
        return self.flat.public_draws

    @property
    def public_draw(self) -> bytes:
        """The words of the public hashes."""
        return self.flat.public_draw

    def redrawn(self, seed: int) -> "InpHtCms":
        """Return the oracle with the public hashes of another seed."""
        return replace(self, seed=seed)

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Make all reports from the generator's words and add them up: the sums have no simple law."""
        return self.aggregate(self.privatize(values, words_of(generator)))


@dataclass(frozen=True, eq=False)
class SketchTables(JointTables):
    """Sketched tables: the noise of joint cells, and the spread of collisions.

    The spread is over redrawn hashes.

    Let `g_c(d)` be the share of users whose joint cell, with the distance d added (exclusive or), is in the table's
    cell c. As `Hcms` has it, over redrawn hashes the covariance of two cells is

        N(c,e)/n + D(c,e)/h,   D(c,e) = sum_(d != 0) g_c(d) g_e(d),   h = hashes (width - 1),

    with N by `moments` and n users.
    """

    oracle: InpHtCms

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells over redrawn hashes, shape (cells, cells).

        At estimated shares their own noise is taken out of D, which adds up as many products as there are joint cells.
        """
        self.oracle.require_fit()
        noise, places = super().covariance(subset, shares, users), self._places
        energy = self._energy(subset, _spectrum(self, shares, all_users(users)))
        if isinstance(shares, EstimatedShares):
            (table,) = self.estimate(shares.state, [subset])
            return noise + _nonnegative((energy - np.outer(table, table) + noise) / max(places - 1, 1))
        return noise + (energy - np.outer(shares.table(subset), shares.table(subset))) / places

    def correlations(self, shares: Shares, users: int) -> Correlations:
        """Compute how the shares of joint cells at a given distance go together, or estimate it without bias."""
        everything = tuple(range(len(self.oracle.domains)))
        if isinstance(shares, EstimatedShares):
            (joint,) = self.estimate(shares.state, [everything])
            return Correlations.estimated(joint, self.oracle.flat.moments, users, self._places)
        return Correlations.of(shares.table(everything))

    @property
    def _places(self) -> int:
        return self.oracle.hashes * (self.oracle.width - 1)

    def _energy(self, subset: Subset, spectrum: Floats) -> Floats:
        """Compute `sum_d g_c(d) g_e(d)` over all d, shape (cells, cells).

        It adds up how shares go together over all x in c and y in e. Cell by cell, as a table's cells together may not
        fit the memory: two Walsh-Hadamard transforms add it up over all y in e, for each x.
        """
        count, domains = self.oracle.cells(subset), self.oracle.domains
        sides = [items if i in subset else 1 for i, items in enumerate(domains)]
        own = np.broadcast_to(np.arange(count).reshape(sides), domains).reshape(-1)
        found = np.empty((count, count))
        for cell, sums in enumerate(found):
            row = np.zeros(len(spectrum))
            row[: len(own)] = own == cell
            walsh_hadamard(row)
            row *= spectrum
            walsh_hadamard(row)
            sums[:] = np.bincount(own, row[: len(own)], count)
        return found / len(spectrum)


@dataclass(frozen=True)
class SumToOneSketch(SumToOneTables):
    """A sketch's tables with total 1; `noise` has them without collisions, which can be none."""

    noise: SummedTables

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the least variance of a cell over all shares: that of the noise alone."""
        return SumToOneTables(self.domains, self.noise).least_variances(subset, users)


@lru_cache(maxsize=1)
def _spectrum(tables: SketchTables, shares: Shares, users: int) -> Floats:
    """Transform the correlations, which are the same for all tables at the same shares."""
    found = tables.correlations(shares, users).values.copy()
    walsh_hadamard(found)
    return found


def _nonnegative(matrix: Floats) -> Floats:
    """Return the nearest matrix that is a covariance: eigenvalues below 0 become 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    found: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found
