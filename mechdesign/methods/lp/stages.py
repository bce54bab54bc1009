"""The LP one stage after another: of all mechanisms that are best so far, those that are best in the next respect too.

A point of an LP is optimal exactly where it is complementary to one optimal vector of multipliers: rows with a positive
multiplier are tight, and variables with a positive reduced cost are at their floor. These conditions are rows of two
variables again, `x_v >= (1/r) x_u` beside `x_u >= r x_v`, and one equation. So the next stage is an LP of the same
kind, over this *face*.

Its multipliers may have the wrong sign where the face is tight. There the multipliers of the face are positive, and
with a weight times those added all signs are right: they are multipliers of the LP whose cost is the next loss and
the weight times what came before. That is the proof of a stage, and the face of the one after it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from mechdesign.certificate.stages import SingleProof, StageProof, combined, entry_aim
from mechdesign.errors import NotCertifiedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.answer import Answer
from mechdesign.methods.lp.proof_of import loss_shares, prove
from mechdesign.methods.method import Effort
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.then import Then
from mechdesign.program.exact.exact_lp import ExactPoint, ExactProgram
from mechdesign.program.exact.forest import ForestBasis, SingularBasisError
from mechdesign.program.exact.numbers import ONE, ZERO, Exact, to_exact, to_fraction
from mechdesign.program.exact.optimum import Optimum, by_pivots, find_optimum
from mechdesign.program.linear_program import LinearProgram, build, entry_cost, geometric_basis, loss_range, with_loss
from mechdesign.program.pair_program import Equation
from mechdesign.program.solvers.choice import choose_solver
from mechdesign.program.solvers.numeric import Basis
from mechdesign.rational import total
from mechdesign.verify.certificates import Certificate

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


@dataclass(frozen=True)
class _Stage:
    """A stage that is solved: `proved` has its multipliers, with as little of the old face's as will do.

    `find_face` gives more of them, so that they are positive wherever the old face was tight. `is_settled` says that
    the loss was the same all over the old face: no other multiplier was needed.
    """

    proved: _Face
    find_face: Callable[[], _Face]
    is_settled: bool

    @cached_property
    def face(self) -> _Face:
        """The face of all stages so far; it is found when it is first asked for."""
        return self.find_face()


@dataclass(frozen=True)
class _Found:
    """An optimum on a face, with multipliers of the LP without it, which may have any sign where the face is tight."""

    data: ExactProgram
    point: ExactPoint
    basis: Basis | None
    how: str


class StagedProgram:
    """The LP of a problem, cut down to the optimal face of one stage after another."""

    def __init__(self, problem: DesignProblem, folded: bool, effort: Effort) -> None:
        self.effort = effort
        self.run = choose_solver(effort.solver)
        self.base = build(problem.with_aim(problem.loss), symmetric=folded)
        self.program = self.base
        self.problems: tuple[DesignProblem, ...] = ()
        self.blocks: tuple[slice, ...] = ()
        self.stage: _Stage | None = None
        self.basis: Basis | None = None
        self.data: ExactProgram | None = None

    @property
    def face(self) -> _Face:
        """The face of the stages so far; there must be one."""
        assert self.stage is not None
        return self.stage.face

    def branch(self) -> "StagedProgram":
        """Return a copy, whose further stages leave this one as it is."""
        copy = object.__new__(StagedProgram)
        copy.__dict__.update(self.__dict__)
        return copy

    def minimise(self, problem: DesignProblem) -> str:
        """Cut down to the points of the face that are best for a problem's loss; return how the optimum was found.

        Raises:
            NotCertifiedError, LimitReachedError
        """
        program = with_loss(self.program, problem)
        if self.stage is None:
            data = ExactProgram.of(program)
            optimum = self._optimum(program, data, [geometric_basis(program)])
            point = optimum.point
            face = _Face(point, data.reduced_costs(point.row_dual, point.equation_dual), (Fraction(1),))
            self.basis, self.stage = (
                None if optimum.attempt is None else optimum.attempt.basis,
                _Stage(face, lambda: face, False),
            )
            how = optimum.how
        else:
            found = self._on_face(program)
            how, self.basis, self.stage = found.how, found.basis, _lifted(found, self.face)
            data = found.data
        block = slice(len(self.program.equations), len(program.equations))
        self.data = data
        self.program, self.problems, self.blocks = program, (*self.problems, problem), (*self.blocks, block)
        return how

    def _on_face(self, program: LinearProgram) -> _Found:
        """Solve an LP on the face: by the basis of the stage before, without a start, which is faster, then from it."""
        face, is_same = self.face, self.program.n_variables == program.n_variables
        data = _with_cost_of(program, self.data) if is_same and self.data is not None else ExactProgram.of(program)
        basis = self.basis if is_same else None
        stays = None if basis is None else _at_vertex(data, basis, face)
        if stays is not None:
            return stays
        on_face = _cut(program, face)
        starts = [None, *([] if basis is None else [_with_face(basis, program, on_face)])]
        optimum = self._optimum(on_face, ExactProgram.of(on_face), starts)
        found = None if optimum.attempt is None else _without_face(optimum.attempt.basis, program, face)
        return _Found(data, _without_signs(data, optimum.point, face), found, optimum.how)

    def _optimum(self, program: LinearProgram, data: ExactProgram, starts: Sequence[Basis | None]) -> Optimum:
        clock = self.effort.clock
        for start in starts:
            try:
                found = find_optimum(program, data, self.run, clock, start)
            except NotCertifiedError:
                continue
            found = found if found.is_exact else by_pivots(program, data, found, clock)
            if found.is_exact:
                return found
        raise NotCertifiedError(
            "not certified: no exact optimum was found among the mechanisms that are best so far; leave then out"
        )

    def is_single(self) -> bool:
        """Return whether the vertex at hand is the only point of the face.

        It is where nothing that is tight at the vertex is loose anywhere on the face: the sum of what may be loose has
        the maximum 0. The multipliers of that maximum are added to those of the face, which then are positive on all
        that is tight.

        Raises:
            NotCertifiedError, LimitReachedError
        """
        assert self.stage is not None
        face, data = self.face, ExactProgram.of(self.program)
        x = face.point.x
        rows = [row for row, dual in enumerate(face.point.row_dual) if not dual and not data.slack(row, x)]
        floors = [v for v, cost in enumerate(face.reduced) if not cost and x[v] == data.floor[v]]
        if not rows and not floors:
            return True
        sizes = [to_exact(self.program.alpha ** -int(k)) for k in self.program.exponent.tolist()]
        loose = [ZERO] * len(x)
        for row in rows:
            loose[data.upper[row]] += sizes[data.upper[row]]
            loose[data.lower[row]] -= sizes[data.upper[row]] * data.ratio[row]
        for v in floors:
            loose[v] += sizes[v]
        most = self._on_face(self.program.with_cost([to_fraction(-value) for value in loose]))
        if sum((g * (new - old) for g, new, old in zip(loose, most.point.x, x, strict=True)), ZERO) > 0:
            return False
        found = _lifted(most, face).face
        row_dual, reduced = list(found.point.row_dual), list(found.reduced)
        for row in rows:
            row_dual[row] += sizes[data.upper[row]]
        for v in floors:
            reduced[v] += sizes[v]
        sharp = _Face(ExactPoint(x, row_dual, found.point.equation_dual), reduced, found.shares[:-1])
        self.stage = replace(self.stage, find_face=lambda: sharp)
        return True

    def choose_entries(self) -> Iterator[StageProof]:
        """Cut down to the least entries, one after another and row by row, until one point is left; prove each stage.

        An entry that is the same all over the face is passed over. Where rotations are merged, so are the two entries.

        Raises:
            NotCertifiedError, LimitReachedError
        """
        size, is_single = self.base.problem.size, self.is_single()
        for i, j in product(range(size), repeat=2):
            if is_single or (self.base.symmetric and (i, j) > (size - 1 - i, size - 1 - j)):
                continue
            tried = self.branch()
            tried.minimise(entry_aim(self.base.problem, i, j, halved=self.base.symmetric))
            assert tried.stage is not None
            if not tried.stage.is_settled:
                self.__dict__.update(tried.__dict__)
                yield self.proof()
                is_single = self.is_single()

    def proof(self) -> StageProof:
        """Prove the last stage."""
        assert self.stage is not None
        proved, own = self.stage.proved, self.problems[-1]
        weights = self._weights(proved)
        certificate = self._certificate(proved, weights, priced=True)
        if own.is_worst_case:
            certificate = certificate.changed(prior=weights[-1])
        return own, certificate, _penalties(self.problems[:-1], weights, proved.shares)

    def single_proof(self) -> SingleProof:
        """Prove that no other mechanism has these losses; `is_single` must have said so."""
        weights = self._weights(self.face)
        penalties = _penalties(self.problems, weights, self.face.shares)
        proof, is_folded = self._certificate(self.face, weights, priced=False), self.base.symmetric
        return SingleProof(_without_twins(proof, self.base.problem.n) if is_folded else proof, penalties, is_folded)

    def _certificate(self, face: _Face, weights: Sequence[Sequence[Fraction]], *, priced: bool) -> Certificate:
        """Write the multipliers of a face as the proof of the losses with these weights."""
        if len(weights) == 1 and self.data is not None and not self.blocks[0].stop > self.blocks[0].start:
            return prove(self.program, self.data, face.point, rounded=False, priced=priced)
        task = combined(list(zip(self.problems, weights, strict=True)))
        program = replace(self.base, problem=task).with_cost(entry_cost(self.base, task))
        point, n_sums = face.point, len(self.base.equations)
        own = ExactPoint(point.x[: program.n_variables], point.row_dual, point.equation_dual[:n_sums])
        is_same = self.data is not None and len(self.program.equations) == n_sums
        data = _with_cost_of(program, self.data) if is_same and self.data is not None else ExactProgram.of(program)
        return prove(program, data, own, rounded=False, priced=priced)

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
        size, x = self.base.problem.size, self.face.point.x
        flat = [to_fraction(x[variable]) for variable in self.base.entry_variables]
        return [flat[i * size : (i + 1) * size] for i in range(size)]


def solve_stages(problem: DesignProblem, then: Then, folded: bool, effort: Effort) -> Answer:
    """Solve the LP of a problem, and on its optimal face that of the next one's loss, and so on.

    Raises:
        InputError: unknown solver.
        NotCertifiedError, LimitReachedError
    """
    staged = StagedProgram(problem, folded, effort)
    proofs: list[StageProof] = []
    how: list[str] = []
    for one in (problem, *then.problems):
        way = staged.minimise(one)
        proofs.append(staged.proof())
        is_settled = staged.stage is not None and staged.stage.is_settled
        decides = " (decides nothing: the same for all that are best so far)" if is_settled else ""
        how.append(f"{one.loss.name}: {way}{decides}" if how else way)
    if then.is_canonical:
        entries = list(staged.choose_entries())
        how.append(f"the least of {len(entries)} entries in a row" if entries else "no other has these scores")
        proofs += entries
    mechanism = Mechanism.from_fractions(staged.matrix())
    single = staged.single_proof() if then.is_canonical else None
    return Answer(mechanism, proofs[0][1], "; ".join(how), stages=tuple(proofs[1:]), single=single)


def _without_twins(proof: Certificate, last: int) -> Certificate:
    """Give multipliers of rows to their rotations: to mechanisms that equal their rotation they are one row."""
    kept: dict[tuple[str, int, int, int, int], int] = {}
    for kind, i, j, k, h, m in proof["rows"]:
        row, twin = (kind, i, j, k, h), (kind, last - i, last - j, last - k, last - h)
        place = twin if twin in kept else row
        kept[place] = kept.get(place, 0) + m
    return proof.changed(rows=tuple((*row, m) for row, m in kept.items()))


def _penalties(
    problems: Sequence[DesignProblem], weights: Sequence[tuple[Fraction, ...]], shares: Sequence[Fraction]
) -> tuple[tuple[Fraction, ...], ...]:
    """Return the multiplier of each loss, or of each input's in a worst case."""
    found = zip(problems, weights, shares, strict=False)
    return tuple(own if problem.is_worst_case else (share,) for problem, own, share in found)


def _at_vertex(data: ExactProgram, basis: Basis, face: _Face) -> _Found | None:
    """Return the vertex of a basis on a face where its multipliers show that it is optimal there; else None."""
    try:
        row_dual, equation_dual = ForestBasis(data, basis).dual(data.cost)
    except SingularBasisError:
        return None
    if any(own < 0 and not held for own, held in zip(row_dual, face.point.row_dual, strict=True)):
        return None
    reduced = data.reduced_costs(row_dual, equation_dual)
    on_face = [*face.reduced, *[ZERO] * (len(reduced) - len(face.reduced))]
    if any(own < 0 and not held for own, held in zip(reduced, on_face, strict=True)):
        return None
    return _Found(data, ExactPoint(face.point.x, row_dual, equation_dual), basis, "the same vertex")


def _with_cost_of(program: LinearProgram, data: ExactProgram) -> ExactProgram:
    """Return the numbers of an LP that differs from another in its cost alone."""
    return replace(data, cost=[Exact(value, program.cost_denominator) for value in program.cost])


def _without_signs(data: ExactProgram, found: ExactPoint, face: _Face) -> ExactPoint:
    """Give an optimum on a face multipliers of the LP without it; what is tight all over the face may have any sign."""
    n_rows = len(data.upper)
    own = ExactPoint(found.x, found.row_dual[:n_rows], found.equation_dual[: len(data.equations)])
    for row, dual in zip(face.tight, found.row_dual[n_rows:], strict=True):
        own.row_dual[row] -= dual / data.ratio[row]
    return own


def _lifted(found: _Found, face: _Face) -> _Stage:
    """Give an optimum on a face multipliers with the right signs."""
    data, own, before = found.data, found.point, face.point
    reduced = data.reduced_costs(own.row_dual, own.equation_dual)
    on_face = [*face.reduced, *[ZERO] * (len(reduced) - len(face.reduced))]
    is_settled = not (
        any(dual for dual, held in zip(own.row_dual, before.row_dual, strict=True) if not held)
        or any(cost for cost, held in zip(reduced, on_face, strict=True) if not held)
    )
    wanted = [-own.row_dual[row] / before.row_dual[row] for row in face.tight]
    wanted += [-reduced[v] / face.reduced[v] for v in face.at_floor]
    least = _power_from(max(wanted, default=ZERO))
    proved = _added(own, reduced, face, least)
    return _Stage(proved, lambda: _added(own, reduced, face, 2 * least or ONE), is_settled)


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


def _cut(program: LinearProgram, face: _Face) -> LinearProgram:
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


def _without_face(basis: Basis, program: LinearProgram, face: _Face) -> Basis | None:
    """Return the basis on a face as one of the LP: a row is tight where it is so in either direction.

    None where the equation of the floors is tight.
    """
    tight, n_rows, n_equations = face.tight, program.n_rows, len(program.equations)
    rows, equations = basis.rows[:n_rows].copy(), basis.rows[n_rows + len(tight) :]
    rows[tight] &= basis.rows[n_rows : n_rows + len(tight)]
    if not equations[n_equations:].all():
        return None
    return Basis(basis.columns, np.concatenate([rows, equations[:n_equations]]))
