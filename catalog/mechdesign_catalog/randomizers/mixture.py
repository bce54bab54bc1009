"""Mixtures: reports through one of several parts, by a public draw.

Parts are levels of a tree, attributes, or tables of some attributes.

With part b drawn with the chance `p_b`, and `e_b` what it hears of an input x, a report `(b, y)` has the probability
`p_b Pr_b[y | e_b(x)]`. The draw is no secret, so alpha is the smallest of the parts.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign_catalog.randomizers.branches import Branched
from mechdesign_catalog.randomizers.facts.costs import shared_out_seconds
from mechdesign_catalog.randomizers.facts.information import of_nodes
from mechdesign_catalog.randomizers.facts.rates import AnyRates, draw_rates
from mechdesign_catalog.randomizers.kernels.draws import bits_for
from mechdesign_catalog.randomizers.oracle import Leaf, OracleBase, Values, require_few
from mechdesign_catalog.randomizers.parts import InParts
from mechdesign_catalog.randomizers.reports.contributions import Contribution, OneOf
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, Numbers, ReportSchema, smallest_type
from mechdesign_catalog.randomizers.reports.reports import Column, ReportLaw, Reports, State, counted

FEW_BRANCHES = 8
"""Branches whose users are found faster one after the other than by sorting."""


class Mixture(Branched, InParts):
    """The system whose branches each report through a part; subclasses say which.

    They also say what each part hears.

    A report has the branch's number, in the column `branch_column` and from `first_number` on, and in the column
    `report` the message of the part's report. A state has the sums of all parts in a row after the numbers of users.
    """

    @property
    def combinator(self) -> str:
        """How a report is made of `parts`, and whether the users of each are counted."""
        return "counted mixture" if self.is_counted else "mixture"

    branch_column: ClassVar[str]
    """What a branch is, and the column of its number."""

    first_number: ClassVar[int] = 0
    """The number of the first branch in reports."""

    first_named: ClassVar[int] = 1
    """Its number in the names of sums and of rates."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[OracleBase]:
        """The oracle of each branch."""

    @property
    @abstractmethod
    def inputs(self) -> Values:
        """All inputs, in the order of laws."""

    @abstractmethod
    def encode(self, branch: int, values: Values) -> Values:
        """Return what the branch's oracle reports about, for users with these values; shape (users,)."""

    @cached_property
    def calls(self) -> Sequence[Sequence[int]]:
        """The branches whose reports are drawn together, as they have one oracle: here each by itself, in order."""
        return [[branch] for branch in range(self.branches)]

    def branch_name(self, branch: int) -> str:
        """Return what a message calls a branch: its kind and its number, from 1."""
        return f"{self.branch_column} {branch + 1}"

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: the smallest of the parts, as the branch is no secret."""
        return min(part.alpha for part in set(self.parts))

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send, on average over the branches."""
        costs = zip(self.branch_chances, self.parts, strict=True)
        return bits_for(self.branches) + sum(float(chance) * part.bits for chance, part in costs)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read, on average over the branches, rounded up."""
        costs = zip(self.branch_weights, self.parts, strict=True)
        total = sum(weight * (part.row_bytes + 3 * part.report_schema.width) for weight, part in costs)
        return 48 + math.ceil(Fraction(total, sum(self.branch_weights)))

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: at the own branch, on average."""
        return shared_out_seconds(self.branch_chances, self.parts)

    @property
    def message_bytes(self) -> float:
        """Bytes of one message, on average over the branches."""
        return self.report_schema.mean_width(self.branch_chances)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the branch's number, and the message of its oracle."""
        first, wires = self.first_number, tuple(part.report_schema for part in self.parts)
        numbers = Numbers(self.branch_column, first + self.branches, first=first)
        return ReportSchema((numbers, ByteStrings("report", self.branch_column, wires)))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a 1 for the branch, and what its oracle adds."""
        return OneOf(tuple(part.contribution for part in self.parts), self.branch_column, self.first_named)

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the users of each branch, and given these, of the sums of each, with users or without."""
        counts, _ = self.split_state(state)
        yield draw_rates(f"users of {self.branch_column}s", counts, state.users, self.branch_chances)
        yield from self.rates_of_parts(self.branch_column, state, self.first_named)

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`: draw the branch, and let its oracle report what it hears.

        Raises:
            InputError: for values that are no inputs.
        """
        source, values = words or system_words, self.checked(values)
        drawn = self.draw_branches(len(values), source)
        users, rows, packed = self.users_of_branches(drawn), [], []
        for branches in self.calls:
            own, heard = self._heard(branches, users, values)
            part = self.parts[branches[0]]
            rows.append(own)
            packed.append(part.report_schema.pack(part.privatize(heard, source)))
        return self.reports_of(drawn + self.first_number, Ragged.gathered(len(values), rows, packed))

    def _heard(self, branches: Sequence[int], users: list[Values], values: Values) -> tuple[Values, Values]:
        """Return the rows of all users of some branches, rising, and what their oracle hears of each."""
        if len(branches) == 1:
            own = users[branches[0]]
            return own, self.encode(branches[0], values[own])
        heard = np.full(len(values), -1, dtype=np.int64)
        for branch in branches:
            heard[users[branch]] = self.encode(branch, values[users[branch]])
        rows = np.flatnonzero(heard >= 0)
        return rows, heard[rows]

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, branch by branch.

        Raises:
            InputError: for reports that are not this oracle's, or that the oracle of their branch does not make.
        """
        numbers, packed = self.report_schema.numbers_and_strings(reports, self.parameters)
        drawn = numbers - numbers.dtype.type(self.first_number)
        sums = np.zeros(self.contribution.length, dtype=np.int64)
        sums[: self.branches] = counted(drawn, self.branches)
        of_parts, users = sums[self.branches :], self.users_of_branches(drawn)
        for branches in self.calls:
            for branch, own in self._added_up([one for one in branches if len(users[one])], users, packed):
                of_parts[self.part_starts[branch] : self.part_starts[branch + 1]] = own
        return State(self.parameters, len(drawn), sums)

    def _added_up(self, branches: Sequence[int], users: list[Values], packed: Ragged) -> Iterator[tuple[int, Values]]:
        """Yield the sums of branches with one oracle: their reports are checked together, or else to name the wrong."""
        part = self.parts[branches[0]] if branches else None
        if len(branches) > 1 and isinstance(part, Leaf):
            ends = np.cumsum([len(users[branch]) for branch in branches])
            with suppress(InputError):
                columns = part.columns_of(_reports_of(part, np.concatenate([users[one] for one in branches]), packed))
                parts = zip(*(np.split(column, ends[:-1]) for column in columns), strict=True)
                yield from ((branch, part.sums_of(own)) for branch, own in zip(branches, parts, strict=True))
                return
        for branch in branches:
            try:
                yield branch, self.parts[branch].aggregate(_reports_of(self.parts[branch], users[branch], packed)).sums
            except InputError as error:
                raise InputError(f"{error} among those of {self.branch_name(branch)}") from None

    def part_states(self, state: State) -> list[State]:
        """Return the state of each branch's oracle, of a state of this one.

        Raises:
            InputError: as `split_state`.
        """
        counts, sums = self.split_state(state)
        return self.split_sums(counts.tolist(), sums)

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every input: its branch, and the bytes of the part's report.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        law: ReportLaw = {}
        inputs = self.inputs
        for branch, (part, chance) in enumerate(zip(self.parts, self.branch_chances, strict=True)):
            heard = self.encode(branch, inputs).tolist()
            for report, chances in part.report_law().items():
                key = (branch + self.first_number, *part.report_schema.key(report))
                law[key] = tuple(chance * chances[one] for one in heard)
            require_few(len(law), self.name)
        return law

    def information_at(self, counts: Values) -> Floats:
        """Add up the information of the parts, each weighed by its chance: an input tells what its part hears."""
        inputs, found = self.inputs, np.zeros((len(counts),) * 2)
        for branch, (part, chance) in enumerate(zip(self.parts, self.branch_chances, strict=True)):
            found += float(chance) * of_nodes(part, self.encode(branch, inputs), counts)
        return found

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent, of all parts."""
        return all(part.information_is_exact for part in self.parts)

    def users_of_branches(self, drawn: Column) -> list[Values]:
        """Return the rows of the users of each branch, rising.

        Sorting wins where there are many; whole numbers of two bytes are sorted without comparing.
        """
        small = drawn.astype(smallest_type(self.branches), copy=False)
        if self.branches <= FEW_BRANCHES:
            return [np.flatnonzero(small == branch) for branch in range(self.branches)]
        ends = np.cumsum(counted(drawn, self.branches))
        return np.split(np.argsort(small, kind="stable"), ends[:-1])


def _reports_of(part: OracleBase, users: Values, packed: Ragged) -> Reports:
    """Return the reports of some users that their messages stand for."""
    return part.report_schema.unpack(packed.rows(users, part.report_schema.width), part.parameters)
