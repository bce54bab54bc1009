"""The best noise table for what an office asks, exact and certified; or a proof that there is none."""

import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechdesign.arguments import checked
from mechdesign.errors import InfeasibleError, InputError, NotCertifiedError
from mechdesign.noise_tables.design import NoiseTableDesign, kernel_problem
from mechdesign.noise_tables.limits import limits
from mechdesign.noise_tables.problem import ENTROPY, NoiseTableProblem
from mechdesign.noise_tables.program import (
    CELL,
    MEAN,
    MIRROR,
    PAIR,
    SHAPE,
    SPREAD,
    STAY,
    TEST,
    Key,
    NoiseTableProgram,
    outputs,
)
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.program.clock import Clock, Seconds
from mechdesign.program.exact.numbers import to_fraction
from mechdesign.program.general.optimum import NoPointError, Vertex, find_vertex
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import Status
from mechdesign.rational import over_common_denominator
from mechdesign.verify import noise_table
from mechdesign.verify.certificates import NOISE, Certificate

METHOD = "noise-table"


@checked
def design_noise_table(
    problem: NoiseTableProblem | None = None, *, time_limit: float | None = None, **stated: Any
) -> NoiseTableDesign:
    """Design the best noise table for counts, and certify it.

    Args:
        problem: what is asked.
        time_limit: seconds; None means none.
        stated: the arguments of `NoiseTableProblem`, in place of a problem.

    Returns:
        A table, and a bound that its certificate proves. It is exactly optimal, but for entropy and keys, whose gap is
        known.

    Raises:
        InputError: for a problem and arguments of one, or neither.
        InfeasibleError: where no table meets the demands, and that is proved; it names demands that clash.
        NotCertifiedError, LimitReachedError: no certified table came out.

    >>> found = design_noise_table(noise=5, variance=3, block=2, objective="delta", guarantees=["1@1", "1@large"])
    >>> [round(float(delta), 6) for delta in found.deltas]
    [0.012025, 0.003125]
    """
    if (problem is None) == (not stated):
        raise InputError("problem must be given, or the arguments of NoiseTableProblem, and not both")
    asked = NoiseTableProblem(**stated) if problem is None else problem
    clock, started = Clock(time_limit), time.perf_counter()
    try:
        table, certificate, how = _found(asked, clock)
    except NoPointError as error:
        raise _refusal(asked, clock) or error from None
    certify = time.perf_counter()
    kernel, rows = kernel_problem(asked), [dict(row) for row in table.rows]
    costs = noise_table.costs_of(kernel, rows, table.denominator)
    score = noise_table.objective_of(kernel, rows, table.denominator)
    own_bound = noise_table.proved_bound(kernel, certificate, costs, at_bound=False)
    return NoiseTableDesign(
        problem=asked,
        mechanism=table,
        certificate=certificate,
        seconds=Seconds(clock.solving, certify - started - clock.solving, time.perf_counter() - certify),
        how=how,
        method=METHOD,
        score=score,
        lower_bound=noise_table.proved_bound(kernel, certificate, costs, at_bound=True),
        status=noise_table.status_of(score, own_bound),
    )


def _found(problem: NoiseTableProblem, clock: Clock) -> tuple[NoiseTable, Certificate, str]:
    """Find a table, a certificate of its bound, and words for how.

    Raises:
        NoPointError: where the solver finds none.
        NotCertifiedError, LimitReachedError: as `design_noise_table`.
    """
    if problem.objective == ENTROPY:
        from mechdesign.noise_tables.entropy import entropy_table  # cvxpy takes longer than most tables

        table = entropy_table(problem, clock)
        rows = [dict(row) for row in table.rows]
        costs = noise_table.tangent_costs(kernel_problem(problem), rows, table.denominator)
        sizes = {(j, v): float(table.chance(j, v)) for j, v in costs}
        tangent = NoiseTableProgram(problem, costs=costs, sizes=sizes)
        vertex = find_vertex(tangent.general(), solve, clock)
        return table, _certificate_of(tangent, vertex), "interior point, made rational; bound from the tangent"
    program = NoiseTableProgram(problem)
    vertex = find_vertex(program.general(), solve, clock)
    certificate = _certificate_of(program, vertex)
    if problem.keys is None:
        return _table_of(program, [to_fraction(value) for value in vertex.x]), certificate, "exact vertex"
    how = f"branch and bound over {problem.keys} keys; bound from the exact vertex"
    return _table_in_keys(program, problem.keys, clock), certificate, how


def _table_in_keys(program: NoiseTableProgram, keys: int, clock: Clock) -> NoiseTable:
    """Find the best table of whole keys by branch and bound.

    Raises:
        InfeasibleError: where a theorem says that so few keys do not do.
        NotCertifiedError: where none is found, or numbers of keys break a demand.
        LimitReachedError: when the clock runs out.
    """
    for one in limits(program.problem):
        if one.is_passed and "keys" in one.demands:
            raise InfeasibleError(f"no noise table has so few keys: {one.words}", tuple(sorted(one.demands)))
    outcome = solve(program.in_keys(keys), clock.left())
    clock.left()
    if outcome.status is not Status.OPTIMAL:
        raise NotCertifiedError(f"not certified: the solver found no table of {keys} keys ({outcome.status_text})")
    table = _table_of(program, [Fraction(round(value), keys) for value in outcome.solution.tolist()])
    broken = next(
        (
            claim
            for claim in noise_table.office_claims(
                kernel_problem(program.problem), [dict(row) for row in table.rows], table.denominator
            )
            if not claim.true
        ),
        None,
    )
    if broken is not None:
        raise NotCertifiedError(f"not certified: the solver's table of {keys} keys breaks a demand: {broken.claim}")
    for asked in program.problem.guarantees:
        if asked.delta is not None and table.delta(asked.ratio, program.problem.start_of(asked)) > asked.delta:
            raise NotCertifiedError(f"not certified: the solver's table of {keys} keys has a larger delta than {asked}")
    return table


def _table_of(program: NoiseTableProgram, x: Sequence[Fraction]) -> NoiseTable:
    """Read the table off a point."""
    chances = {key: value for key, value in zip(program.variables, x, strict=True) if key[0] == CELL}
    weights, denominator = over_common_denominator(chances.values())
    weight_of = dict(zip(chances, weights, strict=True))
    problem = program.problem
    rows = (((v, weight_of[CELL, j, v]) for v in problem.supports[j]) for j in problem.counts)
    return NoiseTable(tuple(tuple(pair for pair in row if pair[1]) for row in rows), denominator)


def _certificate_of(program: NoiseTableProgram, vertex: Vertex) -> Certificate:
    """Write the multipliers of a vertex as integers over one denominator."""
    problem = program.problem
    values, unit = over_common_denominator(map(to_fraction, vertex.y))
    multiplier: dict[Key, int] = dict(zip(program.rows, values, strict=True))
    of_counts = {
        name: tuple(multiplier.get((kind, j), 0) for j in problem.counts)
        for name, kind in (("means", MEAN), ("variances", SPREAD), ("stay", STAY))
    }
    tests = []
    for key, z in multiplier.items():
        if key[0] == PAIR and z:
            t, a, b = (int(str(index)) for index in key[1:])
            given = (
                (i, z if other is None else multiplier[TEST, t, a, b, i]) for i, _, other in outputs(problem, a, b)
            )
            tests.append((t, a, b, z, tuple((i, y) for i, y in given if y)))
    arrays = {
        **of_counts,
        "mirror": tuple(multiplier.get((MIRROR, v), 0) for v in range(1, problem.noise + 1)),
        "shape": tuple((*key[1:], m) for key, m in multiplier.items() if key[0] == SHAPE and m),
        "tests": tuple(tests),
    }
    return Certificate(NOISE, unit, arrays)


def _refusal(problem: NoiseTableProblem, clock: Clock) -> InfeasibleError | None:
    """Return the error that names demands that clash, none of which can be left out, where that is proved."""
    if not _is_infeasible(problem, clock):
        return None
    dropped = set[str]()
    bound_to = {name for one in limits(problem) if one.is_passed for name in one.demands}
    for name in sorted(problem.demands, key=bound_to.__contains__):
        without = problem.without({*dropped, name})
        if _is_infeasible(without, clock):
            dropped.add(name)
    clash = tuple(name for name in problem.demands if name not in dropped)
    named = {*clash, "noise"}
    binding = (one for one in limits(problem) if one.is_passed and named & one.demands >= set(clash))
    theorem = min(binding, key=lambda one: len(one.demands - named), default=None)
    reason = f": {theorem.words}" if theorem else ", as a dual bound in rationals proves"
    return InfeasibleError(f"no noise table meets these demands together: {_listed(problem, clash)}{reason}", clash)


def _listed(problem: NoiseTableProblem, clash: Sequence[str]) -> str:
    return "; ".join(problem.words_of(name) for name in clash)


def _is_infeasible(problem: NoiseTableProblem, clock: Clock) -> bool:
    """Prove that no table meets the demands; False where one does."""
    program = NoiseTableProgram(problem, elastic=True)
    vertex = find_vertex(program.general(), solve, clock)
    certificate = _certificate_of(program, vertex)
    return noise_table.proved_bound(kernel_problem(problem), certificate, None, at_bound=True) > 0
