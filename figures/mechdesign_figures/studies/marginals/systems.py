"""The systems of the chapter on marginals: their names, and their expected errors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import Domains, Shares, Subset, UniformShares, subsets_of
from mechdesign_catalog.systems.attributes.marginal_oracle import LinearEstimator, MarginalOracle
from mechdesign_catalog.systems.tables.inputs.input_sketch import InpHtCms
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_figures.plots.parts.style import LineStyle
from mechdesign_figures.studies.marginals.distances import expected_total_variation

THREE = Privacy(alpha="1/3")
"""Where the chapter does not vary epsilon: e^epsilon = 3."""

INPRR, INPPS, INPHT, MARGRR, MARGPS, MARGHT = "INPRR", "INPPS", "INPHT", "MARGRR", "MARGPS", "MARGHT"
SIX = {
    INPRR: "inprr:oue",
    INPPS: "inpps",
    INPHT: "inpht:draw=uniform",
    MARGRR: "margrr",
    MARGPS: "margps",
    MARGHT: "marght",
}
"""The published systems; unary vectors go through OUE."""

SYMMETRIC = {"INPRR, symmetric bits": "inprr:sue", "MARGRR, symmetric bits": "margrr:sue"}
"""What the proofs take in their place."""

LOOKS = {
    INPRR: LineStyle("#E69F00", "v", (0, (3, 1, 3, 1, 1, 1))),
    INPPS: LineStyle("#7F7F7F", "P", ":"),
    INPHT: LineStyle("#0072B2", "o"),
    MARGRR: LineStyle("#CC79A7", "D", ":"),
    MARGPS: LineStyle("#D55E00", "s", "--"),
    MARGHT: LineStyle("#009E73", "^", "-."),
}


@dataclass(frozen=True)
class Collection:
    """A collection of tables of k attributes each by one system, and how it estimates them.

    `name` is the system as a command line has it; `consistent` tells least squares from the published estimates.
    """

    name: str
    domains: Domains
    k: int
    privacy: Privacy = THREE
    consistent: bool = False

    @property
    def oracle(self) -> MarginalOracle:
        """The system; it is made once."""
        return _oracle(self.name, self.domains, self.k, self.privacy)

    @property
    def estimator(self) -> LinearEstimator:
        """The way to estimate."""
        return self.oracle.least_squares if self.consistent else self.oracle.raw

    @property
    def subsets(self) -> list[Subset]:
        """All sets of k attributes."""
        return subsets_of(len(self.domains), self.k)

    def redrawn(self, seed: int) -> "Collection":
        """Return the collection with the public hash functions of this seed, where it has some."""
        return replace(self, name=f"{self.name}:seed={seed}") if isinstance(self.oracle, InpHtCms) else self

    def error(self, subset: Subset, shares: Shares, users: int) -> float:
        """Return the expected total variation distance of one table, for so many users."""
        planned = self.oracle.planned_users(users)
        return expected_total_variation(self.estimator.variances(subset, shares, planned))

    def mean_error(self, shares: Shares, users: int, subsets: Sequence[Subset] = ()) -> float:
        """Return its mean over the tables of these sets; over all sets of k attributes by default."""
        asked = subsets or self.subsets
        return sum(self.error(subset, shares, users) for subset in asked) / len(asked)

    def uniform_error(self, users: int) -> float:
        """Return its mean where all combinations of items are as frequent; for a system that treats attributes alike.

        Then attributes with as many items give alike tables: one of each kind is enough.
        """
        kinds: dict[tuple[int, ...], list[Subset]] = {}
        for subset in self.subsets:
            kinds.setdefault(tuple(sorted(self.domains[i] for i in subset)), []).append(subset)
        shares = UniformShares(self.domains)
        total = sum(len(alike) * self.error(alike[0], shares, users) for alike in kinds.values())
        return total / len(self.subsets)


@lru_cache(maxsize=256)
def _oracle(name: str, domains: Domains, k: int, privacy: Privacy) -> MarginalOracle:
    return parse_marginal_oracle(f"{name}:k={k}", domains, privacy)


def binary(name: str, d: int, k: int, privacy: Privacy = THREE, consistent: bool = False) -> Collection:
    """Return the collection of the tables of k out of d attributes of two items each."""
    return Collection(name, (2,) * d, k, privacy, consistent)


def at(epsilon: str | Fraction) -> Privacy:
    """Return the privacy of an epsilon."""
    return Privacy(epsilon=Fraction(epsilon))
