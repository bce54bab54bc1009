"""The question: what must the mechanism satisfy, and what should it minimise?"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.errors import InputError
from mechdesign.loss import Loss, Matrix
from mechdesign.prior import Prior
from mechdesign.privacy import NeighbourGraph
from mechdesign.properties import ordered, parse_properties
from mechdesign.rational import Number, alpha_from_epsilon, as_alpha, fraction_text, natural_log

MAX_GROUP = 512
"""Largest n for which an LP is built: the dense matrix alone has (n+1)^2 entries."""


@dataclass(frozen=True, init=False)
class DesignProblem:
    """Design a mechanism for a count over `n` people.

    Minimise the expected loss `O = sum_j w_j sum_i P[i,j] loss(i,j)` over column-stochastic `(n+1) x (n+1)`
    matrices P that are alpha-DP for neighbouring counts and have the asked properties.

    Args:
        n: number of people in a group, at least 1; inputs and outputs are the counts 0..n.
        alpha: `exp(-epsilon)` in (0, 1), a decimal or fraction (`"0.9"`, `"9/10"`, `0.9`, `Fraction(9, 10)`).
        epsilon: instead of alpha; rounded to a rational alpha that is at least exp(-epsilon).
        properties: any of RH, RM, CH, CM, F, WH, S, as `"WH,CM"` or an iterable; none by default.
        loss: `"Lp"`, `"Lp:d"` or a `Loss`.
        prior: `"uniform"`, `"binomial:P"` or a `Prior`.

    Raises:
        InputError: for a value out of range, naming it.

    >>> DesignProblem(n=8, alpha="0.9", properties="WH,CM").alpha
    Fraction(9, 10)
    """

    n: int
    alpha: Fraction
    properties: frozenset[str]
    loss: Loss
    prior: Prior

    def __init__(
        self,
        n: int,
        alpha: Number | None = None,
        *,
        epsilon: Number | None = None,
        properties: str | Iterable[str] = (),
        loss: str | Loss = "L0",
        prior: str | Prior = "uniform",
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise InputError(f"n must be an integer of at least 1, got n={n}")
        if n > MAX_GROUP:
            raise InputError(f"n must be at most {MAX_GROUP}, got n={n}")
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "alpha", choose_alpha(alpha, epsilon))
        object.__setattr__(self, "properties", parse_properties(properties))
        object.__setattr__(self, "loss", Loss.parse(loss) if isinstance(loss, str) else loss)
        object.__setattr__(self, "prior", Prior.parse(prior) if isinstance(prior, str) else prior)
        if not isinstance(self.loss, Loss) or not isinstance(self.prior, Prior):
            raise InputError("loss and prior must be texts, or made by Loss.from_matrix and Prior.from_weights")
        self.loss.matrix(self.size)
        self.prior.weights(self.size)

    @property
    def size(self) -> int:
        """Number of inputs, and of outputs: n + 1."""
        return self.n + 1

    @property
    def epsilon(self) -> float:
        """`-ln(alpha)`."""
        return -natural_log(self.alpha)

    @property
    def graph(self) -> NeighbourGraph:
        """Which inputs are neighbours."""
        return NeighbourGraph.path(self.size)

    @property
    def rescaling(self) -> Fraction:
        """Factor from expected loss to score."""
        return self.loss.rescaling(self.size)

    @cached_property
    def cost(self) -> Matrix:
        """`cost[i][j] = w_j loss(i,j)`, so that the expected loss is `sum_ij cost[i][j] P[i,j]`."""
        weights = self.prior.weights(self.size)
        return tuple(tuple(w * x for w, x in zip(weights, row, strict=True)) for row in self.loss.matrix(self.size))

    @property
    def symmetry_is_free(self) -> bool:
        """True when loss, prior and neighbours are unchanged under i -> n-i: averaging P with its rotation is free."""
        return all(row == mirrored[::-1] for row, mirrored in zip(self.cost, reversed(self.cost), strict=True))

    def describe(self) -> str:
        """One line for people."""
        asked = ", ".join(ordered(self.properties)) or "no properties"
        alpha = fraction_text(self.alpha)
        return f"n = {self.n}, alpha = {alpha}, {asked}, loss {self.loss.name}, prior {self.prior.name}"


def choose_alpha(alpha: Number | None, epsilon: Number | None) -> Fraction:
    """Exactly one of alpha and epsilon, as a rational alpha."""
    if (alpha is None) == (epsilon is None):
        got = "neither" if alpha is None else "both"
        raise InputError(f"exactly one of alpha and epsilon must be given, got {got}")
    if alpha is not None:
        return as_alpha(alpha)
    assert epsilon is not None
    return alpha_from_epsilon(epsilon)
