"""The LP one stage after another: of all mechanisms that are best so far, those that are best in the next respect too.

A point of an LP is optimal exactly where it is complementary to one optimal vector of multipliers: rows with a positive
multiplier are tight, and variables with a positive reduced cost are at their floor. These conditions are rows of two
variables again, `x_v >= (1/r) x_u` beside `x_u >= r x_v`, and one equation. So the next stage is an LP of the same
kind, over this *face*.

Its multipliers may have the wrong sign where the face is tight. There the multipliers of the face are positive, and
with `weight` times those added all signs are right: they are multipliers of the LP whose cost is the next loss and
`weight` times what came before. That is the proof of a stage, and the face of the one after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from mechdesign.certificate.stages import StageProof, combined
from mechdesign.errors import NotCertifiedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import Answer
from mechdesign.methods.lp.proof_of import loss_shares, prove
from mechdesign.methods.method import OWN_SOLVER, Effort
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.numbers import ONE, ZERO, Exact, to_fraction
from mechdesign.program.exact.optimum import Optimum, by_pivots, find_optimum
from mechdesign.program.linear_program import LinearProgram, build, entry_cost, geometric_basis, loss_range, with_loss
from mechdesign.program.pair_program import Equation
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.program.solvers.numeric import Basis
from mechdesign.rational import total

Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class _Face:
    """The optimal face: a point on it, multipliers that define it, and which multiple of each stage's cost they have.

    `reduced` are the reduced costs of all variables.
    """

    point: ExactPoint
    reduced: list[Exact]
    shares: tuple[Fraction, ...]

    @property
    def tight(self) -> list[int]:
        """The rows that are tight all over the face."""
        return [row for row, dual in enumerate(self.point.row_dual) if dual > 0]

    @property
    def at_floor(self) -> list[int]:
        """The variables that are at their floor all over the face."""
        return [variable for variable, cost in enumerate(self.reduced) if cost > 0]


class StagedProgram:
    """The LP of a problem, cut down to the optimal face of one stage after another."""

    def __init__(self, problem: DesignProblem, folded: bool, effort: Effort) -> None:
        self.effort = effort
        self.run = choose_solver(effort.solver)
        self.base = build(problem.with_aim(problem.loss), symmetric=folded)
        self.program = self.base
        self.problems: tuple[DesignProblem, ...] = ()
        self.blocks: tuple[slice, ...] = ()
        self.face: _Face | None = None
        self.proved: _Face | None = None
        self.basis: Basis | None = None

    def branch(self) -> "StagedProgram":
        """Return a copy, whose further stages leave this one as it is."""
        copy = object.__new__(StagedProgram)
        copy.__dict__.update(self.__dict__)
        return copy

    def minimise(self, problem: DesignProblem) -> tuple[bool, str]:
        """Cut down to the points of the face that are best for a problem's loss.

        Returns whether that loss is known to be the same all over the face, and how the optimum was found.

        Raises:
            NotCertifiedError, LimitReachedError
        """
        program = with_loss(self.program, problem)
        on_face = program if self.face is None else _on_face(program, self.face)
        optimum = self._optimum(on_face)
        self.basis = None if optimum.basis is None else _without_face(optimum.basis, program, self.face)
        is_settled = self._cut(program, optimum)
        block = slice(len(self.program.equations), len(program.equations))
        self.program, self.problems, self.blocks = program, (*self.problems, problem), (*self.blocks, block)
        return is_settled, optimum.how

    def _optimum(self, on_face: LinearProgram) -> Optimum:
        """Solve the LP on the face: without a start, which is faster, then from the basis of the stage before."""
        clock, data, own_solver = self.effort.clock, ExactProgram.of(on_face), self.effort.solver.lower() == OWN_SOLVER
        starts: list[Basis | None] = [None]
        if self.face is None:
            starts = [geometric_basis(on_face)]
        elif self.basis is not None and self.program.n_variables == on_face.n_variables:
            starts.append(_with_face(self.basis, self.program, on_face))
        for start in starts:
            try:
                found = find_optimum(on_face, data, self.run, clock, start, try_start=own_solver)
            except NotCertifiedError:
                continue
            found = found if found.is_exact else by_pivots(on_face, data, found, clock)
            if found.is_exact:
                return found
        raise NotCertifiedError(
            "not certified: no exact optimum was found among the mechanisms that are best so far; leave then out"
        )

    def _cut(self, program: LinearProgram, optimum: Optimum) -> bool:
        """Take over the optimum of an LP on the face, with multipliers of the LP without it."""
        data, before, found = ExactProgram.of(program), self.face, optimum.point
        n_rows, n_equations = program.n_rows, len(program.equations)
        own = ExactPoint(found.x, found.row_dual[:n_rows], found.equation_dual[:n_equations])
        if before is None:
            self.face = self.proved = _Face(own, data.reduced_costs(own.row_dual, own.equation_dual), (Fraction(1),))
            return False
        tight, at_floor = before.tight, before.at_floor
        for row, dual in zip(tight, found.row_dual[n_rows:], strict=True):
            own.row_dual[row] -= dual / data.ratio[row]
        reduced = data.reduced_costs(own.row_dual, own.equation_dual)
        asked = [-own.row_dual[row] / before.point.row_dual[row] for row in tight]
        asked += [-reduced[v] / before.reduced[v] for v in at_floor]
        least = _power_from(max(asked, default=ZERO))
        self.proved = _added(own, reduced, before, least)
        self.face = _added(own, reduced, before, 2 * least or ONE)
        return not (
            any(dual for row, dual in enumerate(own.row_dual) if not before.point.row_dual[row])
            or any(cost for v, cost in enumerate(reduced) if not (v < len(before.reduced) and before.reduced[v]))
        )

    def proof(self, *, priced: bool = True) -> StageProof:
        """Prove the last stage; `priced` as `prove` takes it."""
        assert self.proved is not None
        *earlier, last = self._weights(self.proved)
        task = combined(list(zip(self.problems, (*earlier, last), strict=True)))
        program = replace(self.base, problem=task, cost=entry_cost(self.base, task))
        point, n_sums = self.proved.point, len(self.base.equations)
        own = ExactPoint(point.x[: program.n_variables], point.row_dual, point.equation_dual[:n_sums])
        certificate = prove(program, ExactProgram.of(program), own, rounded=False, priced=priced)
        if self.problems[-1].is_worst_case:
            certificate = certificate.changed(prior=last)
        penalties = tuple(
            weights if problem.is_worst_case else (share,)
            for problem, weights, share in zip(self.problems, earlier, self.proved.shares, strict=False)
        )
        return self.problems[-1], certificate, penalties

    def _weights(self, face: _Face) -> list[tuple[Fraction, ...]]:
        """List for each stage the weight of each input's loss in the combined cost."""
        size = self.base.problem.size
        weights = []
        for problem, share, block in zip(self.problems, face.shares, self.blocks, strict=True):
            if not problem.is_worst_case:
                weights.append(tuple(share * chance for chance in problem.prior.weights(size)))
                continue
            duals = zip(self.program.equations[block], face.point.equation_dual[block], strict=True)
            found = [one / loss_range(problem)[1] for one in loss_shares(self.base, problem, duals)]
            missing = (share - total(found)) / size  # where the largest loss is the least that can be
            weights.append(tuple(one + missing for one in found))
        return weights

    def matrix(self) -> Matrix:
        """Return the matrix of the point at hand."""
        assert self.face is not None
        size, x = self.base.problem.size, self.face.point.x
        flat = [to_fraction(x[variable]) for variable in self.base.entry_variables]
        return [flat[i * size : (i + 1) * size] for i in range(size)]


def solve_stages(problem: DesignProblem, further: Sequence[DesignProblem], folded: bool, effort: Effort) -> Answer:
    """Solve the LP of a problem, and on its optimal face that of the next one's loss, and so on.

    Raises:
        InputError: unknown solver.
        NotCertifiedError, LimitReachedError
    """
    staged = StagedProgram(problem, folded, effort)
    proofs: list[StageProof] = []
    how: list[str] = []
    for one in (problem, *further):
        is_settled, way = staged.minimise(one)
        proofs.append(staged.proof())
        decides = " (decides nothing: the same for all that are best so far)" if is_settled else ""
        how.append(f"{one.loss.name}: {way}{decides}" if how else way)
    mechanism = Mechanism.from_fractions(staged.matrix())
    return Answer(mechanism, proofs[0][1], "; ".join(how), stages=tuple(proofs[1:]))


def _power_from(value: Exact) -> Exact:
    """Return the least power of two from a number on, and 0 where that is not positive."""
    if value <= 0:
        return ZERO
    power = ONE
    while power < value:
        power *= 2
    while power / 2 >= value:
        power /= 2
    return power


def _added(point: ExactPoint, reduced: list[Exact], face: _Face, weight: Exact) -> _Face:
    """Add multipliers of a face, with a weight, to those of an optimum on it."""

    def plus(values: list[Exact], older: list[Exact]) -> list[Exact]:
        more = [ZERO] * (len(values) - len(older))
        return [value + weight * old for value, old in zip(values, [*older, *more], strict=True)]

    before = face.point
    rows, equations = plus(point.row_dual, before.row_dual), plus(point.equation_dual, before.equation_dual)
    shares = (*(to_fraction(weight) * share for share in face.shares), Fraction(1))
    return _Face(ExactPoint(point.x, rows, equations), plus(reduced, face.reduced), shares)


def _on_face(program: LinearProgram, face: _Face) -> LinearProgram:
    """Return the LP with the rows and the equation that hold on the face alone."""
    tight, at_floor = np.array(face.tight, dtype=np.int64), face.at_floor
    inverse = [1 / ratio for ratio in program.ratios]
    ratios = tuple(dict.fromkeys([*program.ratios, *inverse]))
    place = np.array([ratios.index(ratio) for ratio in inverse], dtype=np.int64)
    sizes = tuple(program.alpha ** -int(k) for k in program.exponent[at_floor])  # one size for the solver
    floors = total([size * program.floor[v] for size, v in zip(sizes, at_floor, strict=True)])
    pinned = (Equation("floor", 0, np.array(at_floor, dtype=np.int64), sizes, floors),) if at_floor else ()
    return replace(
        program,
        ratios=ratios,
        ratio_of=np.concatenate([program.ratio_of, place[program.ratio_of[tight]]]),
        upper=np.concatenate([program.upper, program.lower[tight]]),
        lower=np.concatenate([program.lower, program.upper[tight]]),
        equations=(*program.equations, *pinned),
    )


def _with_face(basis: Basis, program: LinearProgram, on_face: LinearProgram) -> Basis:
    """Return a basis of an LP with what the face adds to it as basic rows."""
    rows, equations = basis.rows[: program.n_rows], basis.rows[program.n_rows :]
    more, pinned = on_face.n_rows - program.n_rows, len(on_face.equations) - len(program.equations)
    return Basis(basis.columns, np.concatenate([rows, np.ones(more, bool), equations, np.ones(pinned, bool)]))


def _without_face(basis: Basis, program: LinearProgram, face: _Face | None) -> Basis | None:
    """Return the basis on the face as one of the LP: a row is tight where it is so in either direction.

    None where the equation of the floors is tight.
    """
    if face is None:
        return basis
    tight, n_rows, n_equations = face.tight, program.n_rows, len(program.equations)
    rows, equations = basis.rows[:n_rows].copy(), basis.rows[n_rows + len(tight) :]
    rows[tight] &= basis.rows[n_rows : n_rows + len(tight)]
    if not equations[n_equations:].all():
        return None
    return Basis(basis.columns, np.concatenate([rows, equations[:n_equations]]))
