"""Define mechanisms for tuples: users have one item of each of d attributes, with k_1..k_d items.

Shapes: values and items are `(users, d)`; an estimate is a list of d vectors, the one of attribute j of shape (k_j,).
"""

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.oracle import MAX_ITEMS, MAX_LAW, ReportLaw, Values, checked_privacy, parameter_text
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import Parameters, Reports, State, require_counts, require_length, require_same


@dataclass(frozen=True, eq=False)
class TupleReports:
    """Hold the reports of all users, by attribute: `parts[j]` has those about attribute j, in the order of the users.

    `sampled`, shape (users,), says which single attribute each user reported, where it is only one (SMP); then
    `parts[j]` has the reports of the users who reported j. Else every part has all users.
    """

    parameters: Parameters
    parts: tuple[Reports, ...]
    sampled: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.parts[0]) if self.sampled is None else len(self.sampled)

    def __getitem__(self, rows: slice) -> "TupleReports":
        """Return the reports of some users who follow each other; no step."""
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise InputError(f"reports must be cut without a step, got step {step}")
        if self.sampled is None:
            return TupleReports(self.parameters, tuple(part[start:stop] for part in self.parts))
        before = np.bincount(self.sampled[:start], minlength=len(self.parts))
        until = before + np.bincount(self.sampled[start:stop], minlength=len(self.parts))
        cut = tuple(part[a:b] for part, a, b in zip(self.parts, before.tolist(), until.tolist(), strict=True))
        return TupleReports(self.parameters, cut, self.sampled[start:stop])


class TupleOracle(Protocol):
    """A mechanism for tuples: its client, its server, its accuracy and its privacy."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def domains(self) -> tuple[int, ...]:
        """Number of items of each attribute."""

    @property
    def privacy(self) -> Privacy:
        """The privacy parameter that the mechanism claims."""

    @property
    def encodings(self) -> tuple[str, ...]:
        """Name of the oracle that each attribute is reported through."""

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same mechanism again."""

    @property
    def bits(self) -> float:
        """Bits that the report of one user costs to send; the mean where it varies."""

    def privatize(self, values: Values, words: WordSource | None = None) -> TupleReports:
        """Make one report for each row of `values`. Operating-system randomness unless `words` is given."""

    def aggregate(self, reports: TupleReports) -> State:
        """Add up these reports."""

    def estimate(self, state: State) -> list[Floats]:
        """Estimate the share of the users for each item of each attribute, unbiased; not clipped and not rescaled."""

    def variance(self, attribute: int, frequencies: Floats, users: int) -> Floats:
        """Compute the exact variance of one attribute's estimates; `frequencies` are its true shares.

        Users' items are fixed.
        """

    def approximate_variance(self, attribute: int, users: int) -> float:
        """Compute the variance of a rare item of one attribute."""

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over reports y, tuples x, z that differ in these attributes only."""

    def report_law(self) -> ReportLaw:
        """List the exact probability of each report for every tuple, in the order of `tuples`; for small domains."""


@dataclass(frozen=True)
class TupleBase:
    """Hold the fields that all mechanisms for tuples have, checked.

    The fields of a subclass are its further parameters.

    Raises:
        InputError: for no attribute, less than two items, or a privacy parameter that is none.
    """

    domains: tuple[int, ...]
    privacy: Privacy
    name: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", checked_domains(self.domains))
        checked_privacy(self.privacy).split(len(self.domains))  # refuses one that is too small to share

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

    @property
    def state_length(self) -> int:
        """Number of sums in a state: one for each item of each attribute."""
        return sum(self.domains)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each attribute's items begin in sums that have all of them in a row."""
        return np.cumsum((0, *self.domains[:-1]), dtype=np.int64)

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

    def own(self, reports: TupleReports) -> TupleReports:
        """Return reports after checking that this mechanism made them.

        Raises:
            InputError: for reports of another one, of other parameters, or of another number of attributes.
        """
        require_same(self.parameters, reports.parameters, "reports")
        if len(reports.parts) != len(self.domains):
            raise InputError(f"reports must be of {len(self.domains)} attributes, got {len(reports.parts)}")
        return reports

    def own_of_all(self, reports: TupleReports) -> TupleReports:
        """Return reports after checking that this mechanism made them and every user reports every attribute.

        Raises:
            InputError: as `own`, and for reports that lack an attribute of some users.
        """
        if len({len(part) for part in self.own(reports).parts}) > 1:
            raise InputError("reports must be as many for each attribute, got different numbers")
        return reports

    def by_attribute(self, state: State) -> list[NDArray[np.int64]]:
        """Return the sums of a state of this mechanism, one vector for each attribute.

        Raises:
            InputError: for a state of another one, of nobody, or with sums that no reports add up to.
        """
        require_same(self.parameters, state.parameters, "a state")
        if state.users < 1:
            raise InputError("a state must have at least one user, got none")
        sums = require_counts(require_length(state.sums, self.state_length), state.users)
        return np.split(sums[: sum(self.domains)], self.starts[1:])

    def tuples(self) -> list[tuple[int, ...]]:
        """List all tuples, the last attribute changing fastest."""
        return list(itertools.product(*map(range, self.domains)))


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
