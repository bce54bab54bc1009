"""Which one-attribute oracle serves an attribute."""

from fractions import Fraction

from mechdesign_catalog.oracles import FrequencyOracle, make_oracle
from mechdesign_catalog.oracles.probabilities import split_alpha


def better_oracle(k: int, epsilon: Fraction) -> FrequencyOracle:
    """GRR if `k < 3 e^eps + 2`, else OUE: the smaller variance for rare items; eps is what the attribute really gets.

    `Var[GRR] < Var[OUE]` reads `e^eps + k - 2 < 4 e^eps` (Wang, Blocki, Li, Jha, USENIX Security 2017, section 5).
    Decided in rationals, with `e^-eps` as the oracles themselves take it.
    """
    few = (k - 2) * split_alpha(epsilon) < 3
    return make_oracle("grr" if few else "oue", k, epsilon)
