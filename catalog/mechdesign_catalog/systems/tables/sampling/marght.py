"""MARGHT: a table drawn at random, and one of its Fourier coefficients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates, draw_rates
from mechdesign_catalog.randomizers.facts.sources import MARGINALS, THESIS, Source
from mechdesign_catalog.randomizers.kernels.draws import Bits, bernoulli, bits_for
from mechdesign_catalog.randomizers.kernels.walsh import parity
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, State
from mechdesign_catalog.systems.tables.coefficients import Coefficients, Drawn
from mechdesign_catalog.systems.tables.sampling.branches import require_few_branches
from mechdesign_catalog.systems.tables.sampling.sign_tables import SignTables


@dataclass(frozen=True)
class Marght(Coefficients):
    """The sign of one of a drawn k-way table's `2^k - 1` coefficients that are not known.

    Attributes have two items each. Each coefficient is a set of its own, so all are counted. The branch of the set s
    (in lexicographic order) and coefficient a is the number `s (2^k - 1) + a - 1`; a is as in `SignTables`. The raw
    table of k attributes uses its own users alone, that of fewer the users of all sets that contain it. Least squares
    averages each coefficient over all sets that have it.

    Neither of its papers says whether the constant coefficient is drawn: here it is not, as it tells nothing.

    Raises:
        InputError: for an attribute of more than two items, too many tables, and as `MarginalBase`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Marght((2, 2, 2, 2), Privacy(epsilon=1), way=2)
    >>> oracle.branches, oracle.bits
    (18, 6)
    """

    name: ClassVar[str] = "marght"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.3"), MARGINALS)
    time_class: ClassVar[str] = "N k + C K"
    """C tables of K cells are collected."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_binary()
        tables = comb(len(self.domains), self.way)
        require_few_branches(tables * self.unknown, f"coefficients of the tables of k={self.way} attributes")

    @cached_property
    def branch_weights(self) -> Sequence[int]:
        """One for each coefficient of each table: all are as likely."""
        return (1,) * (len(self.subsets) * self.unknown)

    @property
    def unknown(self) -> int:
        """Number of coefficients of a table that are not known."""
        return (1 << self.way) - 1

    @cached_property
    def set_sizes(self) -> Values:
        """One coefficient in each set."""
        return np.ones(self.branches, dtype=np.int64)

    def drawn_of(self, branch: int) -> Drawn:
        """State the sign of the coefficient at all tuples."""
        tuples = np.array(self.tuples(), dtype=np.int64)
        negative = self.negative(np.full(len(tuples), branch), tuples)
        return Drawn((Fraction(1),), 1 - 2 * negative[None].astype(np.int64), 1)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the coefficient's number, and the bit of its sign, 1 for minus."""
        return ReportSchema((Numbers("coefficient", self.branches), Numbers("bit", 2)))

    def numbers_of(self, columns: Sequence[Column]) -> Column:
        """Put both columns together."""
        coefficients, bits = columns
        return 2 * coefficients.astype(np.int64) + bits

    def key_of(self, coefficient: int, minus: int) -> tuple[int, ...]:
        """Return both columns."""
        return coefficient, minus

    def own_constants(self) -> Constants:
        """State the sets of attributes, and the chance of a turned sign."""
        sets = [list(attributes) for attributes in self.subsets]
        return {"sets": sets, "turned": fraction_text(self.turned)}

    def branch_name(self, branch: int) -> str:
        """Name the attributes of the table, and those of the coefficient."""
        subset = self.subsets[branch // self.unknown]
        of = [i for place, i in enumerate(subset) if branch % self.unknown + 1 >> self.way - 1 - place & 1]
        table, part = (", ".join(str(i + 1) for i in attributes) for attributes in (subset, of))
        return f"the coefficient of attributes {part} in the table of attributes {table}"

    @property
    def bits(self) -> float:
        """Bits that one report costs to send: the numbers of the table and of the coefficient, and the sign."""
        return bits_for(len(self.subsets)) + bits_for(self.unknown) + 1

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield how often each coefficient was drawn, and given that, how often its sign was minus."""
        counts, sums = self.split_state(state)
        yield draw_rates("draws of coefficients", counts, state.users, self.branch_chances)
        turned = float(self.turned)
        yield Rates.of("minus signs of coefficients", (counts - sums) // 2, counts, turned, 1 - turned)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 8 * len(self.domains) + 40

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""
        return 64 * self.branches

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: a count and a sign."""
        return 2 * cell_seconds(2 * self.branches)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each row of `values`, shape (users, d)."""
        branches = self.draw_branches(len(values), words)
        turned = bernoulli(self.turned, len(values), words)
        return branches, self.negative(branches, values) ^ turned

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users; for simulation only."""
        values = self.checked(values)
        branches = self.simulated_branches(len(values), generator)
        turned = generator.random(len(values)) < float(self.turned)
        return State(self.parameters, len(values), self.sums_of([branches, self.negative(branches, values) ^ turned]))

    def negative(self, branches: Values, values: Values) -> Bits:
        """Tell for each user whether an odd number of the coefficient's attributes has the item 1."""
        attributes = np.array(self.subsets)[branches // self.unknown]
        cells = np.take_along_axis(values, attributes, axis=1) @ (1 << np.arange(self.way)[::-1])
        return parity(cells & branches % self.unknown + 1).astype(np.bool_)

    @property
    def raw(self) -> SignTables:
        """Tables from the users of the sets that contain all of their attributes."""
        return SignTables(self, self._from_supersets)

    @property
    def least_squares(self) -> SignTables:
        """Tables from coefficients that are averaged over all users who told them."""
        return SignTables(self, self._from_all)

    def _from_all(self, subset: Subset) -> list[Values]:
        return [self._telling[part] for part in _parts(subset)]

    def _from_supersets(self, subset: Subset) -> list[Values]:
        sets = self._telling[subset] // self.unknown
        found = []
        for part in _parts(subset):
            told = self._telling[part]
            found.append(told[np.isin(told // self.unknown, sets)])
        return found

    @cached_property
    def _telling(self) -> dict[Subset, Values]:
        """The branches that tell the coefficient of some attributes, of up to k."""
        found: dict[Subset, list[int]] = {}
        for number, subset in enumerate(self.subsets):
            for offset, part in enumerate(_parts(subset)):
                found.setdefault(part, []).append(number * self.unknown + offset)
        return {part: np.array(branches) for part, branches in found.items()}


def _parts(subset: Subset) -> list[Subset]:
    """List the attributes of the coefficients 1, 2, .. of a table."""
    places = range(len(subset))
    numbered = {
        sum(1 << len(subset) - 1 - place for place in chosen): tuple(subset[place] for place in chosen)
        for size in range(1, len(subset) + 1)
        for chosen in combinations(places, size)
    }
    return [numbered[number] for number in sorted(numbered)]
