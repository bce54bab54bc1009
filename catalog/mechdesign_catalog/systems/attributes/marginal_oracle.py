"""An oracle for users with several attributes: what each states, and how its server estimates marginal tables.

Users have one item of each of d attributes, with k_1..k_d items. Each sends one report; the server estimates the
marginal tables of up to `way` attributes at a time, without bias. Values and items have shape `(users, d)`.
"""

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import Domains, Shares, Subset, subsets_of
from mechdesign_catalog.randomizers.facts.information import Information, of_law
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.oracle import MAX_ITEMS, LocalOracle, Users, Values, checked_privacy
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State


class LinearEstimator(Protocol):
    """A way to estimate tables that is linear in the server's sums, and unbiased."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each; they may be below 0, or above 1.

        Raises:
            NoAnswerError: for a table that needs a branch without users.
        """

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), at these true shares.

        The users' tuples are fixed. `users` is what `users_of` says of a state, or `planned_users`.
        """

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance, shape (cells,)."""
        return np.diag(self.covariance(subset, shares, users)).copy()

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute values above 0 that the variances do not go below, whatever the shares are, shape (cells,)."""

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias that a fraction of liars gives a cell of a table (`liars`).

        None where it takes too long.
        """


@dataclass(frozen=True)
class MarginalOracle(LocalOracle):
    """An oracle for users with several attributes, whose server estimates marginal tables.

    The fields of a subclass are its further parameters.

    Raises:
        InputError: for no attribute, less than two items, or a privacy parameter that is none.
    """

    domains: Domains
    privacy: Privacy

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", checked_domains(self.domains))
        checked_privacy(self.privacy).split(len(self.domains))  # refuses one that is too small to share

    @classmethod
    def parsed(cls, option: str, value: str | int) -> Any:
        """Parse a parameter as headers have it: domains are whole numbers with commas between them."""
        return parse_domains(value) if option == "domains" else super().parsed(option, value)

    @property
    @abstractmethod
    def way(self) -> int:
        """The most attributes of a table that can be estimated; the option k."""

    @property
    @abstractmethod
    def raw(self) -> LinearEstimator:
        """The estimates as the system was published, each table by itself."""

    @property
    @abstractmethod
    def least_squares(self) -> LinearEstimator:
        """Estimates by which all tables agree: totals are 1, and tables that overlap say the same of their overlap."""

    @property
    def decoder(self) -> str:
        """The estimates by which all tables agree."""
        return self.least_squares.title

    def planned_users(self, users: int) -> Users:
        """Return what `users_of` says on average where there are so many users, as real numbers."""
        return users

    @abstractmethod
    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, from the law of its sums; for simulation only."""

    def checked(self, values: Values) -> Values:
        """Check items of users, shape (users, d), column j in 0..k_j - 1.

        Raises:
            InputError: naming the first row and attribute where that is not so, not the value, which is private.
        """
        values = np.asarray(values)
        wanted = len(self.domains)
        if values.ndim != 2 or values.shape[1] != wanted or values.dtype.kind not in "iu":
            raise InputError(
                f"values must be whole numbers in {wanted} columns, got {values.dtype} of shape {values.shape}"
            )
        outside = (values < 0) | (values >= np.array(self.domains))
        if outside.any():
            row, column = divmod(int(np.argmax(outside)), wanted)
            raise InputError(
                f"values of attribute {column + 1} must be in 0..{self.domains[column] - 1}, "
                f"got another in row {row + 1}"
            )
        return values.astype(np.int64, copy=False)

    def tuples(self) -> list[tuple[int, ...]]:
        """List all tuples, the last attribute changing fastest."""
        return list(itertools.product(*map(range, self.domains)))

    def kind_of_table(self, subset: Subset) -> object:
        """Return what tables have in common whose variances are the same at equal shares: the sizes of their domains.

        Attributes with equally many items are alike, unless the system says otherwise.
        """
        return tuple(sorted(self.domains[i] for i in subset))

    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias of a cell of a raw table of `way` attributes; None where it takes too long."""
        found = worst_table(self, self.raw, liars)
        return None if found is None else found.bias

    def information(self) -> Information:
        """Compute the information of a report on equally frequent tuples, the last attribute changing fastest."""
        return Information(self.information_at_equal_shares(), is_exact=True)

    def information_at_equal_shares(self) -> Floats:
        """Compute its matrix from the law of the reports; errors as `report_law`."""
        return of_law(self.report_law(), np.ones(math.prod(self.domains), dtype=np.int64))

    def cells_of_tuples(self, subset: Sequence[int]) -> Values:
        """Return the cell of each tuple in the table of some attributes, shape (tuples,)."""
        chosen = np.indices(self.domains).reshape(len(self.domains), -1)[list(subset)]
        cells: Values = np.ravel_multi_index(tuple(chosen), tuple(self.domains[i] for i in subset))
        return cells


def representative_tables(oracle: MarginalOracle, way: int) -> list[tuple[Subset, int]]:
    """Return one of each kind of tables of so many attributes, and how many there are of it."""
    kinds: dict[object, list[Subset]] = {}
    for table in subsets_of(len(oracle.domains), way):
        kinds.setdefault(oracle.kind_of_table(table), []).append(table)
    return [(tables[0], len(tables)) for tables in kinds.values()]


@dataclass(frozen=True)
class WorstTable:
    """The table that liars can move furthest, by how much they move one of its cells."""

    subset: Subset
    bias: WorstBias


def worst_table(oracle: MarginalOracle, estimator: LinearEstimator, liars: Fraction) -> WorstTable | None:
    """Find the table of `way` attributes that a fraction of liars moves furthest; None where it takes too long."""
    found = []
    for subset, _ in representative_tables(oracle, oracle.way):
        bias = estimator.worst_bias(subset, liars)
        if bias is None:
            return None
        found.append(WorstTable(subset, bias))
    return max(found, key=lambda table: table.bias.value)


def parse_domains(text: object) -> Domains:
    """Parse domains as headers have them, `2,3`.

    Raises:
        InputError: for anything but whole numbers.
    """
    parts = str(text).split(",")
    if not all(part.isdecimal() and len(part) < 14 for part in parts):
        raise InputError(f"domains must be whole numbers separated by commas, got {shorten(text)}")
    return tuple(int(part) for part in parts)


def checked_domains(domains: Sequence[int]) -> tuple[int, ...]:
    """Check the domains: at least one attribute, each with at least two items."""
    if not domains:
        raise InputError("domains must have at least one attribute, got none")
    for number, k in enumerate(domains, start=1):
        if isinstance(k, bool) or not isinstance(k, int) or not 2 <= k <= MAX_ITEMS:
            raise InputError(f"domains must be whole numbers from 2 to 2^40, got {k} for attribute {number}")
    return tuple(domains)
