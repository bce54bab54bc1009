"""INPEM: every binary attribute through randomised response with a part of the budget.

Such reports are decoded in RAPPOR.

The server keeps the sums of `(-1)^<a,y>` over all reports y, for each set a of 1 to k attributes. By a Walsh-Hadamard
transform they say how often each combination of reported items occurs, in any table of up to k attributes; so every
decoder works from them, and they do not grow with the users.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource
from mechdesign.rational import fraction_text
from mechdesign_catalog.decoders.tables.decomposition import subsets_within
from mechdesign_catalog.decoders.tables.subsets import Shares, Subset, subsets_of
from mechdesign_catalog.randomizers.facts.costs import PARITY
from mechdesign_catalog.randomizers.facts.liars import WorstBias
from mechdesign_catalog.randomizers.facts.rates import AnyRates, Rates
from mechdesign_catalog.randomizers.facts.sources import FANTI, THESIS, Source
from mechdesign_catalog.randomizers.kernels.bits import Rows, bernoulli_rows, key_of, packed_bits
from mechdesign_catalog.randomizers.kernels.draws import words_of
from mechdesign_catalog.randomizers.kernels.walsh import walsh_hadamard
from mechdesign_catalog.randomizers.oracle import MAX_LAW, Leaf, Users, Values, all_users
from mechdesign_catalog.randomizers.product import Product
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Parities
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.report_schema import PackedBits, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.tables.marginal_base import MarginalBase, require_few_subsets

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class InpEm(Leaf, Product, MarginalBase):
    """INPEM: turn each of d bits over with chance `1/(1 + e^(eps/d))` and report all of them.

    The unbiased estimate of the coefficient of a is its mean sign over `(2p-1)^|a|`, so the variance of a table of k
    attributes grows as `(d/eps)^(2k)`. These tables agree, and their totals are 1: `least_squares` is `raw`. The
    published decoder is the way `em` of `table_source`, and `likelihood` is what it aims at.

    Raises:
        InputError: for attributes of more than two items, too many sets of up to k, and as `MarginalBase`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = InpEm((2, 2, 2, 2), Privacy(epsilon=1))
    >>> oracle.title, oracle.bits, len(oracle.sets)
    ('inpem:k=2', 4, 10)
    """

    name: ClassVar[str] = "inpem"
    sources: ClassVar[tuple[Source, ...]] = (FANTI, THESIS.at("section 4.3.4"))
    time_class: ClassVar[str] = "N d + N T"
    """T is the number of sets of 1 to k attributes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_binary()
        require_few_subsets(len(self.domains), self.way)

    @cached_property
    def parts(self) -> tuple[Grr, ...]:
        """Randomised response of each bit, with its part of the budget."""
        return (Grr(2, self.privacy.split(len(self.domains))),) * len(self.domains)

    @cached_property
    def turned(self) -> Fraction:
        """Chance that a bit is turned over."""
        return self.parts[0].support.q

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: a bit for each attribute."""
        return ReportSchema((PackedBits("bits", len(self.domains)),))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: the sign of each set of 1 to k attributes, 1 where its bits are even."""
        return Parities(sum(math.comb(len(self.domains), size) for size in range(1, self.way + 1)))

    def own_constants(self) -> Constants:
        """State the chance of a turned bit."""
        return {"turned": fraction_text(self.turned)}

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield how often each set's parity was odd: an even number of turned bits leaves it as it is."""
        kept = 1 - 2 * self.turned
        sizes = np.array([len(part) for part in self.sets])
        odd = np.array([float((1 - kept**size) / 2) for size in range(self.way + 1)])[sizes]
        yield Rates.of("odd parities of sets", (state.users - state.sums) // 2, state.users, odd, 1 - odd)

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""
        return 12 * len(self.domains)

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are: each sum, and the set that it is of."""
        return 300 * self.contribution.length

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper: to each parity."""
        return PARITY * self.contribution.length

    @cached_property
    def sets(self) -> dict[Subset, int]:
        """Where in a state the sum of each set of attributes is."""
        sizes = range(1, self.way + 1)
        return {
            part: place for place, part in enumerate(s for size in sizes for s in subsets_of(len(self.domains), size))
        }

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each row of `values`, shape (users, d): packed bits, that of attribute i is bit i."""
        turned = bernoulli_rows(self.turned, len(values), len(self.domains), words)
        return (turned ^ packed_bits(values.astype(np.bool_)),)

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count for each set of attributes how many more of its parities are even than odd."""
        (rows,) = columns
        sums = np.zeros(len(self.sets), dtype=np.int64)
        for part, parities in _parities(_words_by_attribute(rows, len(self.domains)), self.way):
            sums[self.sets[part]] = len(rows) - 2 * int(np.bitwise_count(parities).sum(dtype=np.int64))
        return sums

    def simulate_sums(self, values: Values, generator: np.random.Generator) -> State:
        """Make all reports from the generator's words and add them up; for simulation only."""
        return self.aggregate(self.privatize(values, words_of(generator)))

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every tuple, the last attribute changing fastest; if few."""
        d = len(self.domains)
        if 4**d > MAX_LAW:
            raise InputError(f"attributes must be at most 8 to list the law of {self.name}, got {d}")
        joint = super().report_law()
        return {key_of(sum(bit << i for i, bit in enumerate(bits)), d): row for bits, row in joint.items()}

    @cached_property
    def raw(self) -> "InvertedTables":
        """Unbiased tables, by inversion of the randomised response."""
        return InvertedTables(self)

    @property
    def least_squares(self) -> "InvertedTables":
        """The same: they agree and total 1, and at equal shares the noise of coefficients is uncorrelated."""
        return self.raw

    def reported(self, state: State, subset: Subset) -> Counts:
        """Count how often each combination of items of the subset was reported, shape (cells,).

        Raises:
            InputError: for a state with sums that no reports add up to.
        """
        sums, size = self.checked_state(state).sums, len(subset)
        found = np.empty(1 << size, dtype=np.int64)
        for part in subsets_within(subset):
            place = sum(1 << (size - 1 - i) for i, attribute in enumerate(subset) if attribute in part)
            found[place] = sums[self.sets[part]] if part else state.users
        walsh_hadamard(found)
        counts, rest = np.divmod(found, len(found))
        if rest.any() or (counts < 0).any():
            raise InputError(f"a state must have sums that reports add up to, got others for attributes {subset}")
        return counts

    def channel(self, attributes: int) -> Mechanism:
        """Return the chance of each reported combination of so many bits for each true one, exactly."""
        kept, turned, size = self.parts[0].alpha.denominator, self.parts[0].alpha.numerator, 1 << attributes
        weights = [kept ** (attributes - wrong) * turned**wrong for wrong in range(attributes + 1)]
        rows = (tuple(weights[(y ^ x).bit_count()] for x in range(size)) for y in range(size))
        return Mechanism(tuple(rows), (kept + turned) ** attributes)


@dataclass(frozen=True, eq=False)
class InvertedTables(LinearEstimator):
    """Unbiased tables from sums of signs, each over its mean, `(2p-1)^|a|` for |a| bits.

    A report's score of a cell c is a product over the table's attributes of `z_i(c_i)`, which is 1 in the mean where
    the user has the item c_i, else 0. With `u = p (1-p) / (2p-1)^2` the products of two scores of a bit have the means

        z(x)^2:  1 + u where the user has x, else u,          z(0) z(1):  -u.

    Means of products over attributes are products of means. So the covariance of two cells, for n users at the shares
    F, is `(1/n) [sum_g F_g prod_i E(z_i(c_i) z_i(e_i) | g_i) - F_c 1(c = e)]`. The last term is the product without u,
    so the difference is formed from attribute to attribute, where nothing cancels, however small u is.
    """

    title: ClassVar[str] = "inverse of each bit's randomised response"

    oracle: InpEm

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each."""
        return [self._table(state, subset) for subset in subsets]

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), at these true shares."""
        table, size, u = shares.table(subset), len(subset), self._excess
        own = np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]])  # by the user's item, and the two items
        noise = np.array([[[u, -u], [-u, u]]] * 2)
        told = table.reshape((2,) * size)
        made = np.zeros_like(told)
        for _ in subset:
            made = np.tensordot(made, own + noise, axes=(0, 0)) + np.tensordot(told, noise, axes=(0, 0))
            told = np.tensordot(told, own, axes=(0, 0))
        order = [*range(0, 2 * size, 2), *range(1, 2 * size, 2)]
        return made.transpose(order).reshape(len(table), len(table)) / all_users(users)

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute the least variance over all shares: that of the cell which differs from all users' in every item."""
        return np.full(1 << len(subset), self._excess ** len(subset) / all_users(users))

    def worst_bias(self, subset: Subset, liars: Fraction) -> WorstBias:
        """Compute the largest bias of a cell of a table, exactly.

        Its score is `prod (1[bit = item] - t)/(1 - 2t)` over the attributes: largest where all bits are the cell's, and
        least where all but one are.
        """
        turned = self.oracle.parts[0].support.q
        own, other = ((chance - turned) / (1 - 2 * turned) for chance in (1, 0))
        pull = max(own ** len(subset), 1 - other * own ** (len(subset) - 1))
        return WorstBias(liars * pull, is_exact=True)

    def _table(self, state: State, subset: Subset) -> Floats:
        sums = self.oracle.reported(state, subset)
        walsh_hadamard(sums)
        sizes = np.bitwise_count(np.arange(len(sums)))
        shares = sums / (state.users * len(sums)) / self._sureness**sizes
        walsh_hadamard(shares)
        return shares

    @property
    def _sureness(self) -> float:
        """How much more often a bit is kept than turned over, `2p - 1`."""
        return float(1 - 2 * self.oracle.turned)

    @property
    def _excess(self) -> float:
        """The number u."""
        turned = self.oracle.turned
        return float(turned * (1 - turned) / (1 - 2 * turned) ** 2)


def _words_by_attribute(rows: Rows, d: int) -> NDArray[np.uint64]:
    """Pack the users' bits of each attribute into words, shape (d, words); bits beyond the users are 0."""
    bits = np.unpackbits(rows, axis=1, count=d, bitorder="little")
    packed = np.packbits(bits.T, axis=1)
    filled = np.zeros((d, -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view(np.uint64)


def _parities(columns: NDArray[np.uint64], most: int) -> Iterator[tuple[Subset, NDArray[np.uint64]]]:
    """Go through the sets of 1 to so many columns, each with the exclusive or of its columns."""
    waiting: list[tuple[Subset, NDArray[np.uint64]]] = [((), np.zeros_like(columns[0]))]
    while waiting:
        part, parities = waiting.pop()
        if part:
            yield part, parities
        if len(part) < most:
            first = part[-1] + 1 if part else 0
            waiting.extend(((*part, i), parities ^ columns[i]) for i in range(first, len(columns)))
