"""The one-attribute oracle that serves an attribute, chosen."""

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue

TableOracle = Grr | Oue
"""The oracles of one attribute, or of the cells of a table, that are chosen from."""


def better_oracle(k: int, privacy: Privacy) -> TableOracle:
    """Choose GRR if `k < 3 e^eps + 2`, else OUE: the smaller variance for rare items.

    Here eps is what the attribute really gets.

    `Var[GRR] < Var[OUE]` reads `e^eps + k - 2 < 4 e^eps` (Wang, Blocki, Li, Jha, USENIX Security 2017, section 5).
    Decided in rationals, with the same alpha as the oracles.
    """
    few = (k - 2) * privacy.alpha < 3
    return Grr(k, privacy) if few else Oue(k, privacy)
