"""Define mechanisms for tuples: users have one item of each of d attributes, with k_1..k_d items.

Shapes: values and items are `(users, d)`; an estimate is a list of d vectors, the one of attribute j of shape (k_j,).
"""

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Protocol

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.multidimensional.marginal_oracle import MarginalOracle
from mechdesign_catalog.multidimensional.tables import Subset
from mechdesign_catalog.oracles.information import Information, of_law
from mechdesign_catalog.oracles.moments import Moments
from mechdesign_catalog.oracles.oracle import MAX_ITEMS, MAX_LAW, ReportingBase, Values, checked_privacy, parameter_text
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import Parameters, ReportLaw, State


class TupleOracle(MarginalOracle, Protocol):
    """An oracle that reports attributes one by one: its tables are those of single attributes."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""

    @property
    def moments(self) -> tuple[Moments, ...]:
        """Second moments of the scores of one report, for each attribute."""

    def estimate(self, state: State, attributes: Sequence[int] | None = None) -> list[Floats]:
        """Estimate the share of the users for each item of these attributes, of all if not given.

        Estimates are unbiased, not clipped and not rescaled.
        """

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the exact variance of one attribute's estimates; `frequencies` are its true shares.

        Users' items are fixed; which of them report the attribute, where not all do, is drawn.
        """

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Compute the variance of a rare item of one attribute."""

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over reports y, tuples x, z that differ in these attributes only."""


@dataclass(frozen=True)
class TupleBase(ReportingBase):
    """Hold the fields that all mechanisms for tuples have, checked.

    The fields of a subclass are its further parameters.

    Raises:
        InputError: for no attribute, less than two items, or a privacy parameter that is none.
    """

    domains: tuple[int, ...]
    privacy: Privacy

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", checked_domains(self.domains))
        checked_privacy(self.privacy).split(len(self.domains))  # refuses one that is too small to share

    @property
    def is_published(self) -> bool:
        """Whether a paper has it with these options; its class names the paper. Otherwise it is of this project."""
        return True

    @classmethod
    def fields_by_option(cls) -> dict[str, str]:
        """Map what makes an oracle, as texts and files name it, to the fields of the class, in their order.

        The field `way`, the most attributes of a table, is the option k, as it is published.
        """
        return {"k" if field.name == "way" else field.name: field.name for field in fields(cls)}

    @property
    def parameters(self) -> Parameters:
        """Fields by the names of their options, after the mechanism's name."""
        found: Parameters = {"oracle": self.name}
        for option, field in self.fields_by_option().items():
            value = getattr(self, field)
            if isinstance(value, tuple):
                found[option] = ",".join(str(part) for part in value)
            else:
                found[option] = parameter_text(value) if isinstance(value, Fraction | Privacy) else value
        return found

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


def checked_domains(domains: Sequence[int]) -> tuple[int, ...]:
    """Check the domains: at least one attribute, each with at least two items."""
    if not domains:
        raise InputError("domains must have at least one attribute, got none")
    for number, k in enumerate(domains, start=1):
        if isinstance(k, bool) or not isinstance(k, int) or not 2 <= k <= MAX_ITEMS:
            raise InputError(f"domains must be whole numbers from 2 to 2^40, got {k} for attribute {number}")
    return tuple(domains)


def product_law(laws: Sequence[ReportLaw], domains: Sequence[int]) -> ReportLaw:
    """Combine the laws of attributes that are reported independently of each other: probabilities multiply.

    Raises:
        InputError: for more than 65,536 reports.
    """
    require_few(laws)
    tuples = list(itertools.product(*map(range, domains)))
    joint: ReportLaw = {}
    for reports in itertools.product(*(law.items() for law in laws)):
        label = tuple(number for report, _ in reports for number in report)
        joint[label] = tuple(
            math.prod((row[v] for (_, row), v in zip(reports, x, strict=True)), start=Fraction(1)) for x in tuples
        )
    return joint


def require_few(laws: Sequence[ReportLaw]) -> None:
    """Refuse to list more reports than small domains have."""
    outputs = math.prod(len(law) for law in laws)
    if outputs > MAX_LAW:
        raise InputError(f"domains must have at most {MAX_LAW} reports to enumerate them, got {outputs}")
