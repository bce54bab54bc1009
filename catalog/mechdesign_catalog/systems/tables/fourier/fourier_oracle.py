"""Coefficients that are products of functions with values in [-1, 1].

There is one function of each attribute of a support S.

Supports are the sets of `Coefficients`: the server divides by the number of users who drew the support, and inverts.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.rational import fraction_text
from mechdesign_catalog.decoders.tables.subsets import Subset
from mechdesign_catalog.decoders.trees.plan import reduced
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.rates import AnyRates, draw_rates, sign_rates
from mechdesign_catalog.randomizers.kernels.draws import bernoulli
from mechdesign_catalog.randomizers.oracle import Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, State
from mechdesign_catalog.systems.tables.coefficients import Coefficients, Drawn
from mechdesign_catalog.systems.tables.fourier.functions import Functions
from mechdesign_catalog.systems.tables.fourier.supports import Supports, root_weights

ROOTS, UNIFORM = "roots", "uniform"
USERS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class FourierOracle(Coefficients):
    """The sign of a product of functions, one of each attribute of a drawn set S.

    S has at most k attributes.

    A report is the number `2 c +` a bit, c the number of the coefficient, the bit 1 for minus.
    """

    draw: str = ROOTS
    time_class: ClassVar[str] = "N d + T"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draw not in (ROOTS, UNIFORM):
            raise InputError(f"draw must be {ROOTS} or {UNIFORM}, got draw={self.draw}")
        _ = self.supports

    @abstractmethod
    def functions_of(self, items: int) -> Functions:
        """Make the functions of an attribute with so many items."""

    @abstractmethod
    def traces_of(self, items: int) -> tuple[Fraction, Fraction]:
        """Return what `root_weights` takes of an attribute with so many items: its spread, and the constant's."""

    @property
    def title(self) -> str:
        """The name with the way of the tables, and with draws that are not the usual ones."""
        return super().title + (f":draw={self.draw}" if self.draw != ROOTS else "")

    @cached_property
    def functions(self) -> tuple[Functions, ...]:
        """The functions of each attribute."""
        known = {items: self.functions_of(items) for items in sorted(set(self.domains))}
        return tuple(known[items] for items in self.domains)

    @cached_property
    def supports(self) -> Supports:
        """The supports and the numbers of their coefficients."""
        return Supports(tuple(functions.count for functions in self.functions), self.way)

    @cached_property
    def branch_weights(self) -> tuple[int, ...]:
        """How often each support is drawn: in proportion to these whole numbers, which are public."""
        if self.draw == UNIFORM:
            return reduced(self.supports.sizes.tolist())
        traces = [self.traces_of(items) for items in self.domains]
        return root_weights(self.supports, [spread for spread, _ in traces], [constant for _, constant in traces])

    def branch_name(self, branch: int) -> str:
        """Return what a message calls a branch."""
        support = self.supports.all[branch]
        return f"attribute{'s' * (len(support) > 1)} {', '.join(str(i + 1) for i in support)}"

    @property
    def set_sizes(self) -> Values:
        """Coefficients of each support."""
        return self.supports.sizes

    def drawn_of(self, branch: int) -> Drawn:
        """Multiply the functions of the attributes of a support, the last one changing fastest."""
        chances, numerators, denominator = [Fraction(1)], np.ones((1, math.prod(self.domains)), dtype=object), 1
        for i in self.supports.all[branch]:
            own = self.functions[i]
            at_tuples = own.numerators[:, self.cells_of_tuples((i,))].astype(object)
            numerators = (numerators[:, None] * at_tuples).reshape(-1, numerators.shape[1])
            denominator *= own.denominator
            chances = [chance * Fraction(weight, sum(own.weights)) for chance in chances for weight in own.weights]
        return Drawn(tuple(chances), numerators, denominator)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: twice the coefficient's number, and 1 more where the sign is -."""
        return ReportSchema((Numbers("report", 2 * self.supports.coefficients),))

    def own_constants(self) -> Constants:
        """State the sets with their weights, and the functions of an attribute with so many items."""
        functions = {
            items: {
                "items": items,
                "denominator": made.denominator,
                "numerators": made.numerators.tolist(),
                "weights": list(made.weights),
            }
            for items, made in zip(self.domains, self.functions, strict=True)
        }
        return {
            "turned": fraction_text(self.turned),
            "sets": [list(attributes) for attributes in self.supports.all],
            "weights": list(self.branch_weights),
            "functions": [functions[items] for items in sorted(functions)],
        }

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield how often each set was drawn, and given that, the sums of signs of its coefficients."""
        counts, sums = self.split_state(state)
        yield draw_rates("draws of sets", counts, state.users, self.branch_chances)
        chances = np.concatenate([self.function_chances(support) for support in self.supports.all])
        users = np.repeat(counts, self.supports.sizes)
        yield sign_rates("coefficients", sums, users, chances, self.alpha)

    def function_chances(self, support: Subset) -> Floats:
        """Return the chances of the products of functions of a support, the last attribute changing fastest."""
        found = np.ones(1)
        for attribute in support:
            found = np.outer(found, self.functions[attribute].chances).ravel()
        return found

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 24 + 8 * len(self.domains)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are: two counts for each coefficient, and sums."""
        return 32 * self.supports.coefficients + 64 * len(self.supports.all)

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""
        return cell_seconds(2 * self.supports.coefficients)

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each row of `values`, shape (users, d)."""
        report = np.empty(len(values), dtype=np.int64)
        for start in range(0, len(values), USERS_AT_ONCE):
            block = values[start : start + USERS_AT_ONCE]
            report[start : start + len(block)] = self._encoded(block, words)
        return (report,)

    def _encoded(self, values: Values, words: WordSource) -> Values:
        drawn = self.draw_branches(len(values), words)
        places = np.zeros(len(values), dtype=np.int64)
        minus = ~bernoulli(1 - self.turned, len(values), words)
        for attribute, functions in enumerate(self.functions):
            users = np.flatnonzero(self.supports.members[attribute][drawn])
            chosen = functions.draw(len(users), words)
            minus[users] ^= functions.signs(chosen, values[users, attribute], words)
            if functions.count > 1:
                places[users] = places[users] * functions.count + chosen
        return 2 * (self.supports.starts[drawn] + places) + minus

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users: that of reports of a simulation."""
        return self.aggregate(self.privatize(values, seeded_words(int(generator.integers(2**63)))))
