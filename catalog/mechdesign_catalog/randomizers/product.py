"""Products: reports through several parts at once.

Every attribute has a share of the privacy, or one is real and the others are fake.

Part j hears the column `x_j` of an input. In a `Product` the parts are independent of each other, so a report
`(y_1 .. y_d)` has the probability `prod_j Pr_j[y_j | x_j]`, and privacy adds up. The server keeps the sums of the parts
`SideBySide`, or what a system makes of them. In a `Hidden` one part is real, drawn in secret, and all others are fakes.
"""

import itertools
import math
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign.rational import total
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.information import kronecker, of_law
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.rates import AnyRates
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import MAX_LAW, LocalOracle, Values
from mechdesign_catalog.randomizers.parts import InParts
from mechdesign_catalog.randomizers.reports.contributions import ConcatenatedVectors, Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import ByteStrings, ReportColumn, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    Constants,
    ReportLaw,
    Reports,
    State,
    require_same,
)


class Product(LocalOracle):
    """The system of all attributes, each reported through a part of its own, independently.

    A subclass says how a report is packed, and what the server adds up.
    """

    combinator: ClassVar[str] = "product"

    @property
    @abstractmethod
    def parts(self) -> Sequence[PureOracle]:
        """The oracle that each attribute is reported through."""

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over tuples that differ in these attributes only: a product."""
        return math.prod((self.parts[j].alpha for j in set(attributes)), start=Fraction(1))

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used, over any two tuples."""
        return self.changed_alpha(range(len(self.parts)))

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports for each tuple, the last attribute changing fastest.

        Raises:
            InputError: for more than 65,536 reports.
        """
        return self._joint_law([part.report_law() for part in self.parts])

    def _joint_law(self, laws: Sequence[ReportLaw]) -> ReportLaw:
        """Multiply the probabilities of attributes that are reported independently of each other."""
        outputs = math.prod(len(law) for law in laws)
        if outputs > MAX_LAW:
            raise InputError(f"domains must have at most {MAX_LAW} reports to enumerate them, got {outputs}")
        tuples, joint = list(itertools.product(*(range(part.k) for part in self.parts))), {}
        for reports in itertools.product(*(law.items() for law in laws)):
            label = tuple(number for report, _ in reports for number in report)
            rows = [row for _, row in reports]
            joint[label] = tuple(
                math.prod((row[v] for row, v in zip(rows, x, strict=True)), start=Fraction(1)) for x in tuples
            )
        return joint

    def information_at_equal_shares(self) -> Floats:
        """Multiply the information of the attributes (Kronecker)."""
        return kronecker([part.information().matrix for part in self.parts])


class SideBySide(Product, InParts):
    """A product whose reports have the columns of all parts, and whose states have the sums of all parts in a row."""

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: those of all attributes, the column `item` of attribute 2 as `item_2`."""
        return joined_wires([part.report_schema for part in self.parts])

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: what the oracle of each attribute adds."""
        return ConcatenatedVectors(tuple(part.contribution for part in self.parts))

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return sum(16 + part.row_bytes for part in self.parts)

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: every attribute's."""
        return sum(part.adding_seconds for part in self.parts)

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates of the sums of each attribute."""
        yield from self.rates_of_parts("attribute", state)

    def worst_bias(self, liars: Fraction) -> WorstBias:
        """Return the largest bias of the attributes'."""
        return max((part.worst_bias(liars) for part in self.parts), key=lambda bias: bias.value)

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, of every attribute."""
        made = self._privatized(self.checked(values), words or system_words)
        return self.report_schema.reports(self.parameters, *(column for own in made for column in own.columns.values()))

    def _privatized(self, values: Values, words: WordSource) -> list[Reports]:
        """Return the reports of each attribute, one for each row."""
        return [part.privatize(values[:, j], words) for j, part in enumerate(self.parts)]

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports, attribute by attribute.

        Raises:
            InputError: for reports of another oracle, of other parameters, or with other columns.
        """
        require_same(self.parameters, reports.parameters, "reports")
        columns, sums = iter(self.report_schema.typed(reports).columns.values()), []
        for number, part in enumerate(self.parts, start=1):
            own = {name: next(columns) for name in part.report_schema.names}
            try:
                sums.append(part.aggregate(Reports(part.parameters, own)).sums)
            except InputError as error:
                raise InputError(f"{error}, of attribute {number}") from None
        return State(self.parameters, len(reports), np.concatenate(sums))

    def part_states(self, state: State) -> list[State]:
        """Return the state of each attribute's oracle, of a state of this one.

        Raises:
            InputError: as `checked_state`.
        """
        return self.split_sums([state.users] * len(self.parts), self.checked_state(state).sums)

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, attribute by attribute; for simulation only."""
        return State(self.parameters, len(values), np.concatenate(self._drawn_sums(self.checked(values), generator)))

    def _drawn_sums(self, values: Values, generator: np.random.Generator) -> list[Values]:
        owns = zip(self.parts, values.T, strict=True)
        return [part.simulate_sums(np.bincount(own, minlength=part.k), generator).sums for part, own in owns]


class Faked(PureOracle):
    """An oracle of one attribute that is real with a public chance, else a fake which no item changes.

    Its law, p and q, moments and liars are those over both. `real` is what a real report goes through.
    """

    @property
    @abstractmethod
    def real(self) -> PureOracle:
        """The oracle of a real report."""

    @property
    def constants_as_part(self) -> Constants:
        """The constants of a real report, and p and q over both."""
        return {**self.real.constants_as_part, "oracle": self.name, "mixed": self.support.texts}

    @property
    @abstractmethod
    def least(self) -> Fraction:
        """Smallest ratio, over reports and items, of the chance of a real report to that of the same one as a fake."""

    @abstractmethod
    def mix(self, values: Values, real: NDArray[np.bool_], words: WordSource) -> Reports:
        """Make a real report of their item for the users where `real`, a fake one for the others."""

    @abstractmethod
    def draw_fakes(self, users: int, generator: np.random.Generator) -> Values:
        """Draw the sums of so many fake reports, shape (k,); for simulation only."""

    @abstractmethod
    def fake_law(self) -> ReportLaw:
        """List the probabilities of a fake report: the same for every item."""


class Hidden(SideBySide):
    """The system of one real attribute, each as likely, and fakes of all others.

    Nobody learns which one is real.

    With `L_j` and `H_j` the least and the most that a real report of attribute j can be likelier than a fake one,

        Pr[y|x] = (1/d) sum_j real_j(y_j|x_j) prod_(i != j) fake_i(y_i) = fake(y) (1/d) sum_j h_j(x_j),

    each `h_j` between the two. So over tuples that differ in the attributes J alpha is exactly
    `sum_j L_j / (sum_j L_j + sum_(j in J) (H_j - L_j))`, whatever the parts' are.
    """

    combinator: ClassVar[str] = "hidden mixture of products"

    @property
    @abstractmethod
    def parts(self) -> Sequence[Faked]:
        """The oracle, with fakes, that each attribute is reported through."""

    def changed_alpha(self, attributes: Collection[int]) -> Fraction:
        """Compute the smallest `Pr[y|x] / Pr[y|z]` over tuples that differ in these attributes only, of the joint law.

        The most of a part is `L_j / alpha_j`, with the alpha of its real report.
        """
        least = sum((part.least for part in self.parts), Fraction(0))
        changed = (self.parts[j] for j in set(attributes))
        return least / (least + sum(part.least * (1 / part.real.alpha - 1) for part in changed))

    def _privatized(self, values: Values, words: WordSource) -> list[Reports]:
        sampled = uniform_below(len(self.parts), len(values), words)
        return [part.mix(values[:, j], sampled == j, words) for j, part in enumerate(self.parts)]

    def _drawn_sums(self, values: Values, generator: np.random.Generator) -> list[Values]:
        sampled, sums = generator.integers(len(self.parts), size=len(values)), []
        for j, part in enumerate(self.parts):
            own = np.bincount(values[sampled == j, j], minlength=part.k)
            fakes = len(values) - int(own.sum())
            sums.append(part.real.simulate_sums(own, generator).sums + part.draw_fakes(fakes, generator))
        return sums

    def report_law(self) -> ReportLaw:
        """List the sum over the attributes that may be real; errors as of a product."""
        real, fake = zip(*((part.real.report_law(), part.fake_law()) for part in self.parts), strict=True)
        laws = [self._joint_law([*fake[:j], real[j], *fake[j + 1 :]]) for j in range(len(self.parts))]
        return {
            report: tuple(total(chances) / len(laws) for chances in zip(*(law[report] for law in laws), strict=True))
            for report in laws[0]
        }

    def information_at_equal_shares(self) -> Floats:
        """Compute it from the law of the reports; errors as `report_law`."""
        return of_law(self.report_law(), np.ones(math.prod(part.k for part in self.parts), dtype=np.int64))


def joined_wires(wires: Sequence[ReportSchema]) -> ReportSchema:
    """Put the columns of several oracles together: the column `item` of the second becomes `item_2`.

    Raises:
        InputError: where one of them has byte strings.
    """
    found: list[ReportColumn] = []
    for number, report_schema in enumerate(wires, start=1):
        for column in report_schema.columns:
            if isinstance(column, ByteStrings):
                raise InputError(f"wires must have no byte strings to be joined, got {column.name}")
            found.append(replace(column, name=f"{column.name}_{number}"))
    return ReportSchema(tuple(found))
