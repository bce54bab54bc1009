"""Oracles on the joint domain: INPRR by SUE or OUE, INPPS by GRR, INPOLH by hashing."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mechdesign_catalog.randomizers.exchangeable import PureOracle
from mechdesign_catalog.randomizers.facts.sources import MARGINALS, THESIS, Source
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.local_hashing import Olh
from mechdesign_catalog.systems.flat.unary import Oue, Sue
from mechdesign_catalog.systems.tables.inputs.joint_oracle import JointOracle


@dataclass(frozen=True)
class InpRrSue(JointOracle):
    """INPRR by symmetric unary encoding: a bit for each combination of items, each turned over by `eps/2`.

    By theorem 3 of the thesis a cell of a table of binary attributes has the variance `2^(d-k) S / n`,
    `S = e^(eps/2) / (e^(eps/2) - 1)^2`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = InpRrSue((2, 2, 2, 2), Privacy(epsilon=1))
    >>> oracle.title, oracle.bits, oracle.time_class
    ('inprr:sue:k=2', 16, 'N r^d')
    """

    name: ClassVar[str] = "inprr:sue"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.2"), MARGINALS)
    kind: ClassVar[type[PureOracle]] = Sue


@dataclass(frozen=True)
class InpRrOue(JointOracle):
    """INPRR by optimised unary encoding: a bit for each combination of items, the own 1 with 1/2.

    A cell of a table of binary attributes with the share F has the variance `(2^(d-k) V + F) / n`,
    `V = 4 e^eps / (e^eps - 1)^2`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> InpRrOue((2, 3), Privacy(epsilon=1), way=1).parameters
    {'oracle': 'inprr:oue', 'domains': '2,3', 'privacy': 'epsilon=1', 'k': 1}
    """

    name: ClassVar[str] = "inprr:oue"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("chapters 4 and 5"),)
    kind: ClassVar[type[PureOracle]] = Oue


@dataclass(frozen=True)
class InpPs(JointOracle):
    """INPPS, preferential sampling: report one combination of items by generalised randomised response.

    Over all 2^d combinations the own one is kept with `p`, each other one drawn with `q = e^-eps p`. The total of
    the estimates is always 1.

    >>> from mechdesign.problem.privacy import Privacy
    >>> oracle = InpPs((2, 2, 2, 2), Privacy(epsilon=1))
    >>> oracle.bits, oracle.time_class
    (4, 'N + r^d')
    """

    name: ClassVar[str] = "inpps"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.3.2"), MARGINALS)
    kind: ClassVar[type[PureOracle]] = Grr


@dataclass(frozen=True)
class InpOlh(JointOracle):
    """INPOLH: hash the combination of items to `g = e^eps + 1` buckets, rounded, and report the bucket (`Olh`).

    Over the hashes the variance is that of INPRR by OUE where g is a power of two. Else buckets differ in size, and two
    items' scores have a small correlation, which a table's cell adds up `m^2` times: the covariance of `raw` has it,
    and the known total takes nearly all of it away again (`least_squares`). Each further parity, `hash_bits`, makes it
    four times less.

    >>> from mechdesign.problem.privacy import Privacy
    >>> InpOlh((2, 2, 2, 2), Privacy(epsilon=1)).parameters
    {'oracle': 'inpolh', 'domains': '2,2,2,2', 'privacy': 'epsilon=1', 'k': 2, 'hash_bits': 2}
    """

    hash_bits: int = 0
    name: ClassVar[str] = "inpolh"
    sources: ClassVar[tuple[Source, ...]] = (THESIS.at("section 4.4.6"), MARGINALS)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "hash_bits", self.flat.hash_bits)

    @cached_property
    def flat(self) -> Olh:
        """The oracle on the joint domain."""
        return Olh(self.joint_cells, self.privacy, self.hash_bits)
