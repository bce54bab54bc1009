"""State between which rates the sums of honest users lie, whatever the users have, for every oracle.

A count of reports adds up independent coins, one for each user, and a user's coin has a chance between `low` and
`high`, whichever item the user has. So, for `trials` users, the count is at least as likely to be large as with the
chance `low` for all, and at most as likely as with the chance `high` for all: it is stochastically between
Bin(trials, low) and Bin(trials, high). Where users share out over levels, the number in each is binomial itself, and
given these numbers each level's counts are as above.

A sum of signs at one of several places adds up steps +1, -1 or 0. A user steps with a public `chance`, and then up with
a probability between `turned` and `1 - turned`: the sum is stochastically between those of users who all step up, or
all down, as often as they can.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.errors import InputError
from mechdesign_catalog.marginals.fourier.fourier_oracle import FourierOracle
from mechdesign_catalog.marginals.inputs.inpem import InpEm
from mechdesign_catalog.marginals.inputs.joint_oracle import JointOracle
from mechdesign_catalog.marginals.sampling.sampled_tables import SampledTables
from mechdesign_catalog.marginals.sampling.signs import SignOracle
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.probabilities import Floats, Support, flip
from mechdesign_catalog.oracles.reports import State

Counts = NDArray[np.int64]
HALF = Fraction(1, 2)


@dataclass(frozen=True, eq=False)
class Rates:
    """Hold counts, shape (places,), of so many `trials` each, and the chances that a trial's is between.

    `name` says what the places are numbers of.
    """

    name: str
    counts: Counts
    trials: Counts
    low: Floats
    high: Floats

    @classmethod
    def of(cls, name: str, counts: Counts, trials: ArrayLike, low: ArrayLike, high: ArrayLike) -> "Rates":
        """Make them of numbers for each place, or of one for all."""
        shape = counts.shape
        return cls(
            name,
            counts,
            np.broadcast_to(np.asarray(trials, dtype=np.int64), shape),
            np.broadcast_to(np.asarray(low, dtype=np.float64), shape),
            np.broadcast_to(np.asarray(high, dtype=np.float64), shape),
        )


@dataclass(frozen=True, eq=False)
class SignRates:
    """Hold sums of signs, shape (places,), of so many `trials` each; `chance` is that of a sign, turned over or not."""

    name: str
    counts: Counts
    trials: Counts
    chance: Floats
    turned: float


AnyRates = Rates | SignRates


@singledispatch
def honest_rates(oracle: Any, state: State) -> Iterator[AnyRates]:
    """Yield the rates of a state of this oracle.

    Raises:
        InputError: for an oracle whose rates are not stated.
    """
    raise InputError(f"oracle must have rates that are stated, got {oracle.name}")


def _supported(name: str, counts: Counts, users: int, support: Support) -> Rates:
    return Rates.of(name, counts, users, float(support.q), float(support.p))


@honest_rates.register
def _pure(oracle: PureOracle, state: State) -> Iterator[AnyRates]:
    yield _supported("items", oracle.supports(state), state.users, oracle.support)


@honest_rates.register
def _sketched(oracle: Hcms, state: State) -> Iterator[AnyRates]:
    """Yield the rates with fixed hashes: an item supports another with 1/2, and more where they share places."""
    support = Support(oracle.support.p, HALF)
    yield _supported("items", oracle.supports(state), state.users, support)


@honest_rates.register
def _designed(oracle: Designed, state: State) -> Iterator[AnyRates]:
    matrix = oracle.mechanism.matrix()
    yield Rates.of("outputs", state.sums, state.users, matrix.min(axis=1), matrix.max(axis=1))


@honest_rates.register
def _workload_design(oracle: WorkloadOracle, state: State) -> Iterator[AnyRates]:
    chances = oracle.chances
    yield Rates.of("rows", state.sums, state.users, chances.min(axis=1), chances.max(axis=1))


@honest_rates.register
def _dbitflip(oracle: DBitFlip, state: State) -> Iterator[AnyRates]:
    """Yield how often each bucket was drawn, and given that, how often its bit was 1."""
    bits, owners = np.split(state.sums, [oracle.k])
    if oracle.draws_all:
        yield _supported("buckets", bits, state.users, oracle.support)
        return
    drawn = oracle.drawn / oracle.k
    yield Rates.of("draws of buckets", owners, state.users, drawn, drawn)
    yield Rates.of("buckets", bits, owners, float(oracle.support.q), float(oracle.support.p))


@honest_rates.register
def _mean(oracle: OneBitMean, state: State) -> Iterator[AnyRates]:
    yield _supported("ones", state.sums, state.users, oracle.support)


@honest_rates.register
def _signed(oracle: SignedHrr, state: State) -> Iterator[AnyRates]:
    yield _signs("words", state.sums, state.users, 1 / oracle.places, oracle.alpha)


@honest_rates.register
def _levels(oracle: LevelOracle, state: State) -> Iterator[AnyRates]:
    kinds, lengths = oracle.level_oracles, oracle.state_lengths
    yield from _shared_out(state, "level", 1, kinds, oracle.level_chances, lengths)


@honest_rates.register
def _sampled(oracle: SampledTables, state: State) -> Iterator[AnyRates]:
    kinds = oracle.collection.oracles
    yield from _shared_out(state, "set", 0, kinds, oracle.branch_chances, [kind.k for kind in kinds])


@honest_rates.register
def _smp(oracle: Smp, state: State) -> Iterator[AnyRates]:
    d = len(oracle.domains)
    yield from _shared_out(state, "attribute", 1, oracle.oracles, (Fraction(1, d),) * d, oracle.domains)


@honest_rates.register
def _spl(oracle: Spl, state: State) -> Iterator[AnyRates]:
    for number, (kind, sums) in enumerate(zip(oracle.oracles, oracle.by_attribute(state), strict=True), start=1):
        yield from _within(f"attribute {number}", kind, State(kind.parameters, state.users, sums))


@honest_rates.register
def _rsfd(oracle: RsFd, state: State) -> Iterator[AnyRates]:
    for number, (kind, sums) in enumerate(zip(oracle.faked, oracle.by_attribute(state), strict=True), start=1):
        yield _supported(f"items of attribute {number}", sums, state.users, kind.mixed)


@honest_rates.register
def _joint(oracle: JointOracle, state: State) -> Iterator[AnyRates]:
    yield from honest_rates(oracle.flat, State(oracle.flat.parameters, state.users, state.sums))


@honest_rates.register
def _branch_signs(oracle: SignOracle, state: State) -> Iterator[AnyRates]:
    """Yield how often each coefficient was drawn, and given that, how often its sign was minus."""
    counts, sums = oracle.split_state(state)
    yield _drawn("draws of coefficients", counts, state.users, oracle.branch_chances)
    turned = float(flip(oracle.alpha))
    yield Rates.of("minus signs of coefficients", (counts - sums) // 2, counts, turned, 1 - turned)


@honest_rates.register
def _fourier(oracle: FourierOracle, state: State) -> Iterator[AnyRates]:
    """Yield how often each set was drawn, and given that, the sums of signs of its coefficients."""
    counts, sums = oracle.split_state(state)
    yield _drawn("draws of sets", counts, state.users, oracle.branch_chances)
    chances = []
    for support in oracle.supports.all:
        own = np.ones(1)
        for attribute in support:
            own = np.outer(own, oracle.functions[attribute].chances).ravel()
        chances.append(own)
    users = np.repeat(counts, oracle.supports.sizes)
    yield _signs("coefficients", sums, users, np.concatenate(chances), oracle.alpha)


@honest_rates.register
def _parities(oracle: InpEm, state: State) -> Iterator[AnyRates]:
    """Yield how often each set's parity was odd: an even number of its bits turned over leaves it as it is."""
    kept = 1 - 2 * flip(oracle.root)
    sizes = np.array([len(part) for part in oracle.sets])
    odd = np.array([float((1 - kept**size) / 2) for size in range(oracle.way + 1)])[sizes]
    yield Rates.of("odd parities of sets", (state.users - state.sums) // 2, state.users, odd, 1 - odd)


def _shared_out(
    state: State, name: str, first: int, kinds: Sequence[Any], chances: Sequence[Fraction], lengths: Sequence[int]
) -> Iterator[AnyRates]:
    """Yield the numbers of users of all levels, and given these, the rates of each level, with users or without."""
    counts, rest = state.sums[: len(kinds)], state.sums[len(kinds) :]
    yield _drawn(f"users of {name}s", counts, state.users, chances)
    parts = np.split(rest, np.cumsum(lengths)[:-1])
    for number, (kind, users, sums) in enumerate(zip(kinds, counts.tolist(), parts, strict=True), start=first):
        yield from _within(f"{name} {number}", kind, State(kind.parameters, users, sums))


def _within(place: str, kind: Any, state: State) -> Iterator[AnyRates]:
    for rates in honest_rates(kind, state):
        yield replace(rates, name=f"{rates.name} of {place}")


def _drawn(name: str, counts: Counts, users: int, chances: Sequence[Fraction]) -> Rates:
    each = np.array([float(chance) for chance in chances])
    return Rates.of(name, counts, users, each, each)


def _signs(name: str, sums: Counts, users: ArrayLike, chance: ArrayLike, alpha: Fraction) -> SignRates:
    trials = np.broadcast_to(np.asarray(users, dtype=np.int64), sums.shape)
    return SignRates(
        name, sums, trials, np.broadcast_to(np.asarray(chance, dtype=float), sums.shape), float(flip(alpha))
    )
