"""HCMS: Apple's count-mean sketch with a Hadamard step, one bit from each user."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import Words, WordSource
from mechdesign.rational import fraction_text
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.queries import Centred, Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.closed_forms.collisions import (
    Correlations,
    mean_centred_energy_at_uniform_shares,
    mean_energy_at_uniform_shares,
)
from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.liars import heaviest_parity
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.facts.rates import AnyRates, support_rates
from mechdesign_catalog.randomizers.facts.sources import APPLE, Source
from mechdesign_catalog.randomizers.kernels.draws import bernoulli, uniform_below
from mechdesign_catalog.randomizers.kernels.hashing import Coefficients, Counts, LinearHashes
from mechdesign_catalog.randomizers.kernels.walsh import parity, walsh_hadamard
from mechdesign_catalog.randomizers.oracle import MAX_LAW, SpendsClaim, Users, Values, all_users
from mechdesign_catalog.randomizers.reports.contributions import Contribution, Sign
from mechdesign_catalog.randomizers.reports.probabilities import Floats, Support, direct, flip, hashed
from mechdesign_catalog.randomizers.reports.report_schema import Numbers, ReportSchema
from mechdesign_catalog.randomizers.reports.reports import Column, Constants, ReportLaw, State

MAX_HASHES = 1 << 16
MAX_WIDTH = 1 << 16
MAX_CELLS = 1 << 28

PART = 1 << 16
"""Queries that are looked at together."""

MOST_LOOKED_AT = 1 << 20
"""Intervals that are looked at one by one at most, in search of the largest variance."""

MOST_WRITTEN = 1 << 25
"""Weights of other queries, or of a sample, that are written down and transformed, about a second."""

SAMPLE_SEED = 13


@dataclass(frozen=True)
class Hcms(SpendsClaim, PureOracle):
    """One randomised Hadamard bit of the index that a public hash gives the item.

    There are H public hashes h_j from items to m = `width` places. A user draws a hash j and a place l, both uniform,
    and reports them with the bit `<l, h_j(x)> mod 2`, turned over with probability `alpha/(1+alpha)`.

    The "HM" of studies of commuting. The hashes come from `seed`, which is no secret: everyone must have the same. They
    are linear over GF(2) (`hashing.LinearHashes`), so `<l, h_j(x)> = <c, x>` with `c = c(j, l)`, and the
    server gets all items by one Walsh-Hadamard transform of the cells, instead of H look-ups for each item.

    The report supports the items whose bit it has. The own one: with `p = 1/(1+alpha)`. Over redrawn hashes another
    one has the own one's place with 1/m, then p; else its bit is that of the user with 1/2. So `q = p/m + (1 - 1/m)/2`,
    and the estimate is unbiased **over redrawn hashes**; with fixed ones the collisions stay, however many users come.

    Variance over redrawn hashes: the mean over the hashes of the variance given them, and the variance of the mean
    given them. Let `Z_j(d)` be 1 where `h_j(d) = 0`: items x and y share a place in hash j where `Z_j(x XOR y) = 1`,
    since hashes are linear. Different nonzero d are independent in pairs, as are hashes, so with `h = H (m - 1)` the
    `c(d) = (mean_j Z_j(d) - 1/m) / (1 - 1/m)` are uncorrelated, have the mean 0 and the variance 1/h. Given the hashes
    the score of item v has the mean `c(v XOR x)` for a user with another item x, and the answer of the query w has

        mean    R + sum_(d != 0) c(d) g(d),   g(d) = sum_x f_x w_(x XOR d),   R = g(0) = sum_x w_x f_x,

    and in the mean over the hashes the variance N/n, where N is the noise by `moments`. So the variance is

        N/n + D/h,   D = sum_(d != 0) g(d)^2.

    An item by itself has `D = sum_(y != v) f_y^2`. With the defaults collisions make a standard error below 0.1% of the
    users. `approximate_variance` has the most that they add to an item's variance, 1/h: it does not fall with n.

    The claim is tight for hashes that tell items apart; a few small ones may not. A single hash with two places maps
    all items to one place for some seeds, and then every report has the same chance whatever the item is.

    Raises:
        InputError: for hashes not in 1..2^16, a width that is not a power of two in 2..2^16, more than 2^28 cells, or a
            seed that is not in 0..2^63 - 1.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = Hcms(1000, Privacy(epsilon=1))
    >>> oracle.bits, oracle.time_class
    (21, 'N + k log k')
    """

    hashes: int = 1024
    width: int = 1024
    seed: int = 0
    name: ClassVar[str] = "hcms"
    sources: ClassVar[tuple[Source, ...]] = (APPLE.at("algorithms A-HCMS"),)
    row_bytes: ClassVar[int] = 24
    time_class: ClassVar[str] = "N + k log k"
    score_is_reached: ClassVar[bool] = False
    """An upper bound: public hashes have not every word."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for field, least, most in (("hashes", 1, MAX_HASHES), ("width", 2, MAX_WIDTH), ("seed", 0, (1 << 63) - 1)):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InputError(f"{field} must be a whole number in {least}..{most}, got {field}={value}")
        if self.width & (self.width - 1):
            raise InputError(f"width must be a power of two, got width={self.width}")
        if self.hashes * self.width > MAX_CELLS:
            raise InputError(f"hashes times width must be at most 2^28, got {self.hashes * self.width}")

    @cached_property
    def support(self) -> Support:
        """Probabilities p and q over redrawn hashes."""
        return hashed(hashed(direct(2, self.alpha), Fraction(1, 2)), Fraction(1, self.width))

    @cached_property
    def family(self) -> LinearHashes:
        """Family that the public hashes are drawn from."""
        return LinearHashes(self.k, self.width.bit_length() - 1, self.width)

    @cached_property
    def coefficients(self) -> Coefficients:
        """Words c(j, l) with `<l, h_j(x)> = <c, x>`, shape (hashes, width)."""
        rows = self.family.draw(self.hashes, _public_words(self.seed))
        table = np.zeros((self.hashes, self.width), dtype=rows.dtype)
        for bit in range(rows.shape[1]):
            np.bitwise_xor(table[:, : 1 << bit], rows[:, bit, None], out=table[:, 1 << bit : 2 << bit])
        return table

    @property
    def public_draws(self) -> int:
        """How many sets of public hashes there are: a word of `item_bits` for each binary place of each hash."""
        return 1 << self.hashes * (self.width.bit_length() - 1) * self.family.item_bits

    @property
    def public_draw(self) -> bytes:
        """The words of the public hashes."""
        return self.coefficients.tobytes()

    def redrawn(self, seed: int) -> "Hcms":
        """Return the oracle with the public hashes of another seed."""
        return replace(self, seed=seed)

    @cached_property
    def report_schema(self) -> ReportSchema:
        """The columns of its reports: the hash, the place, and the bit."""
        return ReportSchema((Numbers("hash", self.hashes), Numbers("place", self.width), Numbers("bit", 2)))

    @cached_property
    def contribution(self) -> Contribution:
        """What each user adds to the sums: a sign at the cell (hash, place)."""
        return Sign(self.hashes * self.width, "cells")

    def own_constants(self) -> Constants:
        """State the public hashes, the chance of a turned bit, p and q."""
        return {
            "hashes": self.hashes,
            "width": self.width,
            "seed": self.seed,
            "item_bits": self.family.item_bits,
            "turned": fraction_text(flip(self.alpha)),
            **super().own_constants(),
        }

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield the rates with fixed hashes: an item supports another with 1/2, and more where they share places."""
        support = Support(self.support.p, Fraction(1, 2))
        yield support_rates("items", self.supports(state), state.users, support)

    @property
    def server_bytes(self) -> int:
        """Bytes of the server: cells with their words, the spectrum and the supports."""
        return 16 * self.hashes * self.width + 8 * (1 << self.family.item_bits) + 8 * self.k

    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw one report for each value."""
        hashes = uniform_below(self.hashes, len(values), words)
        places = uniform_below(self.width, len(values), words)
        bits = parity(self.coefficients[hashes, places] & values.astype(self.family.kind))
        bits ^= bernoulli(flip(self.alpha), len(values), words)
        return hashes, places, bits

    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Count for each cell (hash, place) how many more bits are 0 than 1; shape (hashes * width,)."""
        hashes, places, bits = columns
        cells = hashes.astype(np.int64) * self.width + places
        size = self.hashes * self.width
        ones = bits == 1
        all_reports = np.bincount(cells, minlength=size)
        sums: Values = all_reports - 2 * np.bincount(cells[ones], minlength=size)
        return sums.astype(np.int64)

    def supports(self, state: State) -> Counts:
        """Compute the supports `(n + sum of (-1)^bit (-1)^<c, x>) / 2`, the sum over all reports."""
        spectrum = np.zeros(1 << self.family.item_bits, dtype=np.int64)
        np.add.at(spectrum, self.coefficients.reshape(-1).astype(np.int64), self.sums_in(state))
        walsh_hadamard(spectrum)
        return (state.users + spectrum[: self.k]) >> 1

    @cached_property
    def moments(self) -> Moments:
        """Second moments of one user's scores given the hashes, in the mean over them; see above.

        Over redrawn hashes the sign of a report is that of another item with 1/m, of two others alike with 1/m.
        """
        sure, meet = 2 * direct(2, self.alpha).p - 1, Fraction(1, self.width)
        both = (1 + 2 * sure * meet + meet) / 4
        with_own = (1 + sure + sure * meet + meet) / 4
        redrawn = Moments.of(self.support, both, with_own)
        return replace(redrawn, other=redrawn.other - Fraction(1, self._places))

    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate, over redrawn hashes."""
        shares = np.asarray(frequencies, dtype=np.float64)
        spread: Floats = float(shares @ shares) - shares**2
        return super().variance(shares, users) + spread / self._places

    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, over redrawn hashes."""
        shares = np.asarray(frequencies, dtype=np.float64)
        noise = super().answer_variance(queries, shares, users)
        spread = Correlations.of(shares).energy(queries) - queries.apply(shares) ** 2
        return noise + np.maximum(spread, 0.0) / self._places

    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each item from unclipped estimates, as `estimated_answer_variance` does."""
        energy = np.full(self.k, self._correlations(estimates, users).energy_of_items())
        spread = self._spread(energy, estimates, self.moments.items(estimates) / all_users(users), np.ones(self.k))
        return super().estimated_variance(estimates, users) + spread / self._places

    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer from unclipped estimates, whose squares are freed of their own noise."""
        answers, squares = queries.apply(estimates), queries.squares
        noise = self.moments.noise(queries.sums, squares, answers, queries.apply_squares(estimates))
        energy = self._correlations(estimates, users).energy(queries)
        spread = self._spread(energy, answers, noise / all_users(users), squares)
        return super().estimated_answer_variance(queries, estimates, users) + spread / self._places

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer by the same formula, without its bounds."""
        noise = super().unbounded_variance(queries, estimates, users)
        energy = self._correlations(estimates, users).energy(queries)
        return noise + self._unbounded_spread(energy, queries.apply(estimates), noise) / self._places

    def average_variance(self, workload: Workload, users: int, *, centred: bool = False) -> float:
        """Compute the mean of the variances of a workload's answers, where each item has the share 1/k."""
        own = super().average_variance(workload, users, centred=centred)
        if not centred:
            sums = Fraction(workload.block_energy(self.k)) / workload.count
            return own + float(mean_energy_at_uniform_shares(workload) - sums / self.k**2) / self._places
        return own + max(0.0, mean_centred_energy_at_uniform_shares(workload)) / self._places

    def largest_variance(self, workload: Workload, users: int, *, centred: bool = False) -> tuple[float, float | None]:
        """Return a value that the largest variance has at least, where each item has the share 1/k, and a bound.

        A sum of items varies the more, the more items it has: their noise grows, and another item raises the energy E
        by more than the square of the answer, as at the distance of two items at least these two are partners. So where
        the sum of all items is in the workload, it has the largest variance.

        Centred, that sum is known, and all queries are gone through: of too many a sample, without a bound.
        """
        summed = all(isinstance(side, Prefixes | Ranges) for side in workload.sides or (workload,))
        shares = np.full(self.k, 1 / self.k)
        if summed and not centred:
            whole = Intervals(self.k, np.array([0]), np.array([self.k - 1]))
            largest = float(self.answer_variance(whole, shares, users)[0])
            return largest, largest
        most = MOST_LOOKED_AT if isinstance(workload.queries(0, 1), Intervals) else MOST_WRITTEN // self.k
        if few := workload.count <= most:
            starts = range(0, workload.count, PART)
            parts: Iterable[Queries] = (workload.queries(at, min(at + PART, workload.count)) for at in starts)
        else:
            parts = [workload.sample(max(1, min(PART, MOST_WRITTEN // self.k)), np.random.default_rng(SAMPLE_SEED))]
        asked = (Centred(part) if centred else part for part in parts)
        largest = max(float(self.answer_variance(part, shares, users).max()) for part in asked)
        return largest, largest if few else None

    def _correlations(self, estimates: Floats, users: Users) -> Correlations:
        return Correlations.estimated(estimates, self.moments, all_users(users), self._places)

    def _spread(self, energy: Floats, answers: Floats, noise: Floats, squares: Floats) -> Floats:
        """Estimate D from an unbiased estimate of `E = D + R^2`, the energy.

        The square of an answer has the mean `R^2 + N/n + D/h`, so `D (1 - 1/h) = E - answer^2 + N/n` in the mean. It is
        brought into its range, 0 to `sum_v w_v^2`. (For h = 1, where that says nothing, it is taken to be E.)
        """
        return np.clip(self._unbounded_spread(energy, answers, noise), 0.0, squares)

    def _unbounded_spread(self, energy: Floats, answers: Floats, noise: Floats) -> Floats:
        places = self._places
        return (energy - answers**2 + noise) * places / (places - 1) if places > 1 else energy

    def approximate_variance(self, users: int) -> float:
        """Bound the variance of a rare item by the most that collisions can add: where all others have one item."""
        return super().approximate_variance(users) + 1 / self._places

    @property
    def _places(self) -> int:
        """Number h of places that collisions are spread over: H (m - 1)."""
        return self.hashes * (self.width - 1)

    def report_law(self) -> ReportLaw:
        """List the probabilities of all reports with the public hashes as they are.

        Raises:
            InputError: where there are more than 2^16 reports.
        """
        if 2 * self.hashes * self.width > MAX_LAW:
            got = f"hashes={self.hashes}, width={self.width}"
            raise InputError(f"hashes times width must be at most {MAX_LAW // 2} to enumerate reports, got {got}")
        kept, turned = 1 - flip(self.alpha), flip(self.alpha)
        items = np.arange(self.k).astype(self.family.kind)
        law: ReportLaw = {}
        for (j, place), word in np.ndenumerate(self.coefficients):
            own = parity(word & items).tolist()
            for bit in (0, 1):
                law[j, place, bit] = tuple((kept if bit == b else turned) / (self.hashes * self.width) for b in own)
        return law

    def heaviest_sets(self, weights: Floats) -> Floats:
        """Return the largest sum of weights of the items with one bit, over all words."""
        return heaviest_parity(weights)


def _public_words(seed: int) -> WordSource:
    """Return words that anyone can make again on any machine: SHAKE-256 of the seed."""

    def words(count: int) -> Words:
        stream = hashlib.shake_256(f"mechdesign hcms {seed}".encode()).digest(8 * count)
        return np.frombuffer(stream, dtype="<u8").astype(np.uint64)

    return words
