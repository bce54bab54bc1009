"""The stages of a design: further respects in which it is best, of all mechanisms that are best so far."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.losses.matrix import MatrixLoss
from mechdesign.problem.privacy import rounded_up
from mechdesign.rational import over_common_denominator, total
from mechdesign.verify.certificates import Certificate

Penalties = Sequence[Sequence[Fraction]]
"""For each respect before a stage the multiplier of its loss; for a worst case one of each input."""


@dataclass(frozen=True)
class Stage:
    """A further respect in which a mechanism is best, of all that are best in the respects before it.

    Attributes:
        problem: the design's own, with the loss, prior and aggregate of this stage.
        score: of the mechanism, on the scale of scores of this loss.
        lower_bound: no mechanism whose scores before it are at most those of this one scores below it.
        certificate: the proof of the bound, as that of a design.
        penalties: see `Penalties`.
    """

    problem: DesignProblem
    score: Fraction
    lower_bound: Fraction
    certificate: Certificate
    penalties: tuple[tuple[Fraction, ...], ...]

    @property
    def gap(self) -> Fraction:
        """Score minus lower bound; 0 means exactly optimal."""
        return self.score - self.lower_bound

    @property
    def optimality(self) -> str:
        """Say how near to the least score of this respect it is proved to be."""
        return f"at most {rounded_up(self.gap, 2)} above the least" if self.gap else "exact"


StageProof = tuple[DesignProblem, Certificate, Penalties]
"""The problem with the loss of a stage, and what proves it."""


@dataclass(frozen=True)
class SingleProof:
    """A proof that no other mechanism has the scores of all respects.

    Attributes:
        certificate: of the losses with penalties alone; where they are least, what has a multiplier is tight.
        penalties: see `Penalties`; here the last respect has some too.
        rotations: whether it speaks of mechanisms alone that equal their rotation.
    """

    certificate: Certificate
    penalties: Penalties
    rotations: bool

    @property
    def words(self) -> str:
        """Say what is proved."""
        of_those = " that equals its rotation" if self.rotations else ""
        return f"no other mechanism at this alpha{of_those} has these scores"


def entry_aim(problem: DesignProblem, i: int, j: int, *, halved: bool) -> DesignProblem:
    """Return the problem whose loss is P[i,j], the mean with its rotation where `halved`."""
    size = problem.size
    loss = [[Fraction(0)] * size for _ in range(size)]
    for a, b in ((i, j), (size - 1 - i, size - 1 - j) if halved else (i, j)):
        loss[a][b] += Fraction(size, 2)
    return problem.with_aim(Loss.from_matrix(loss))


def negative(problem: DesignProblem) -> DesignProblem:
    """Return the problem of the negative expected loss, whose minimum is the largest expected loss."""
    return problem.with_aim(
        Loss.from_matrix([[-x for x in row] for row in problem.loss.matrix(problem.size)]), problem.prior
    )


def combined(parts: Sequence[tuple[DesignProblem, Sequence[Fraction]]]) -> DesignProblem:
    """Make the problem whose loss is `sum weight[j] loss[i][j]` over problems with a weight of each input."""
    problem = parts[0][0]
    size = problem.size
    tables = [one.loss.integers(size) for one, _ in parts]
    weights = [weight / unit for (_, own), (_, unit) in zip(parts, tables, strict=True) for weight in own]
    whole, denominator = over_common_denominator(weights)
    cost = [[0] * size for _ in range(size)]
    for k, (table, _) in enumerate(tables):
        factors = whole[k * size : (k + 1) * size]
        for row, losses in zip(cost, table, strict=True):
            row[:] = [c + w * x for c, w, x in zip(row, factors, losses, strict=True)]
    values = {value: Fraction(size * value, denominator) for row in cost for value in row}
    return problem.with_aim(Loss(MatrixLoss(tuple(tuple(values[value] for value in row) for row in cost))))


def proved_stages(problem: DesignProblem, proofs: Sequence[StageProof], mechanism: Mechanism) -> tuple[Stage, ...]:
    """Compute scores and bounds of stages by the kernel.

    Args:
        problem: of the design, whose alpha is that of the bounds; its loss is the first respect.
        proofs: of each stage the problem with its loss, and what proves it.
        mechanism: the one that is best.

    Raises:
        ValueError: for a proof that is none.
    """
    if not proofs:
        return ()
    before, stages = [(problem, _loss(problem, mechanism))], []
    for one, certificate, penalties in proofs:
        own, scale = one.with_privacy(problem.privacy), one.rescaling
        value, bound = _loss(own, mechanism), _bound(own, before, certificate, penalties)
        stages.append(Stage(own, scale * value, scale * bound, certificate, tuple(map(tuple, penalties))))
        before.append((own, value))
    return tuple(stages)


def restated_stages(problem: DesignProblem, stages: Sequence[Stage], mechanism: Mechanism) -> tuple[Stage, ...]:
    """Compute the same stages with the bounds for the alpha of another problem."""
    return proved_stages(problem, [(one.problem, one.certificate, one.penalties) for one in stages], mechanism)


def _loss(problem: DesignProblem, mechanism: Mechanism) -> Fraction:
    return problem_loss(mechanism.weights, mechanism.denominator, problem)


def _bound(
    problem: DesignProblem,
    before: Sequence[tuple[DesignProblem, Fraction]],
    certificate: Certificate,
    penalties: Penalties,
) -> Fraction:
    """Compute the bound of a stage's loss: that of the loss with penalties, less what these come to at most."""
    size = problem.size
    own = certificate.get("prior") if problem.is_worst_case else problem.prior.weights(size)
    if own is None or len(own) != size or min(own) < 0 or total(own) != 1:
        raise ValueError("the proof of a worst case needs a prior")
    parts, paid = [(problem, own)], Fraction(0)
    for (one, value), penalty in zip(before, penalties, strict=True):
        if min(penalty) < 0:
            raise ValueError("a penalty is negative")
        if one.is_worst_case:
            weights = tuple(penalty)
        else:
            (weight,) = penalty
            weights = tuple(weight * chance for chance in one.prior.weights(size))
        parts.append((one, weights))
        paid += value * total(weights)
    arrays = {key: array for key, array in certificate.arrays.items() if key != "prior" or not problem.is_worst_case}
    return proved_loss(combined(parts), replace(certificate, arrays=arrays)) - paid
