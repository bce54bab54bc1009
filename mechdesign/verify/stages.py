"""Stages of a design: of all mechanisms that are best so far, one that is best in the next respect too.

A stage has a loss of its own, with its prior or for the worst case. Let `v_t` be the losses of the mechanism in the
earlier stages, and let P be any mechanism that meets the demands with losses of at most `v_t`. With penalties
`u_t[j] >= 0` on the loss of each input (for an expected loss `u_t[j] = u_t prior[j]`)

    sum_t sum_j u_t[j] sum_i loss_t[i][j] P[i][j]  <=  sum_t v_t sum_j u_t[j],

so a bound B of the loss of this stage plus the left side, which the kernel proves, shows that this stage's loss is at
least `B - sum_t v_t sum_j u_t[j]`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from . import kernel
from .certificates import Certificate

Penalties = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class Aim:
    """A loss as `loss[i][j] / denominator`, and the prior under which it is expected; None is the worst case."""

    loss: list[list[int]]
    denominator: int
    prior: Sequence[Fraction] | None

    def value(self, weights: kernel.Weights, denominator: int) -> Fraction:
        """Compute the loss of a matrix, expected or worst."""
        if self.prior is None:
            return Fraction(*kernel.worst_case(weights, denominator, self.loss, self.denominator))
        cost = kernel.expected_cost(self.loss, self.denominator, *over_one(self.prior))
        return Fraction(*kernel.objective(weights, denominator, *cost))

    def penalty(self, multipliers: Sequence[Fraction]) -> Sequence[Fraction]:
        """Return the penalty on each input's loss: one multiplier of an expected loss, or one of each input.

        Raises:
            ValueError: if there is another number of them, or a negative one.
        """
        size = len(self.loss)
        if len(multipliers) != (size if self.prior is None else 1) or min(multipliers) < 0:
            raise ValueError("a penalty is negative, or there is another number of them")
        return multipliers if self.prior is None else [multipliers[0] * chance for chance in self.prior]


@dataclass(frozen=True)
class Demands:
    """The conditions that a mechanism meets, as the kernel takes them."""

    alpha: tuple[int, int]
    edges: kernel.Edges
    properties: Collection[str]


def stage_bound(
    demands: Demands,
    earlier: Sequence[tuple[Aim, Fraction]],
    penalties: Penalties,
    aim: Aim,
    certificate: Certificate,
) -> Fraction:
    """Compute the bound above of one stage's loss; `earlier` has the aims of the stages before it, and their losses.

    Raises:
        ValueError: for a certificate or penalties that are none.
    """
    size, own = len(aim.loss), certificate.get("prior")
    if (own is None) != (aim.prior is not None):
        raise ValueError("a prior belongs to the proof of a worst case, and only there")
    if len(penalties) != len(earlier):
        raise ValueError("there must be a penalty for each earlier stage")
    chances = aim.prior if own is None else own
    assert chances is not None
    if len(chances) != size:
        raise ValueError("the prior of the dual has another length")
    parts = [(aim, chances)]
    paid = Fraction(0)
    for (before, value), multipliers in zip(earlier, penalties, strict=True):
        penalty = before.penalty(multipliers)
        paid += value * sum(penalty)
        parts.append((before, penalty))
    if min(chances) < 0 or sum(chances) != 1:
        raise ValueError("the prior is not a probability vector")
    cost, denominator = combined_cost(parts)
    bound = kernel.dual_bound(
        cost,
        denominator,
        demands.alpha,
        demands.edges,
        demands.properties,
        certificate["rows"],
        certificate.scale,
        certificate.get("prices"),
    )
    return Fraction(*bound) - paid


def combined_cost(parts: Sequence[tuple[Aim, Sequence[Fraction]]]) -> tuple[list[list[int]], int]:
    """Compute `sum weight[j] loss[i][j]` over losses with a weight of each input, as (integers, denominator)."""
    scaled = [[weight / aim.denominator for weight in weights] for aim, weights in parts]
    common = lcm(*(factor.denominator for factors in scaled for factor in factors))
    size = len(parts[0][0].loss)
    cost = [[0] * size for _ in range(size)]
    for (aim, _), factors in zip(parts, scaled, strict=True):
        whole = [factor.numerator * (common // factor.denominator) for factor in factors]
        for row, losses in zip(cost, aim.loss, strict=True):
            row[:] = [c + w * x for c, w, x in zip(row, whole, losses, strict=True)]
    return cost, common


def over_one(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Write rationals as integers over one denominator."""
    common = lcm(*(value.denominator for value in values))
    return [value.numerator * (common // value.denominator) for value in values], common
