"""Designs for workloads: local mechanisms, searched, made exact, and proved."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import ClassVar

import numpy as np

from mechdesign.arguments import checked
from mechdesign.certificate.by_levels import level_proof
from mechdesign.certificate.design import CertifiedDesign
from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.certificate.row_designs.bounds import proof_by_relaxation, proof_by_rows, proved_bound
from mechdesign.certificate.row_designs.measuring import ByInput, measure
from mechdesign.certificate.row_designs.weights import exact_mechanism
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.mechanism.notebook import Bound, Value
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.methods.row_designs.floor import floor_dual, variance_floor
from mechdesign.methods.row_designs.programme import RowSolution
from mechdesign.problem.privacy import EPSILON_SLACK, rounded_down, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock, Seconds
from mechdesign.program.threads import one_thread
from mechdesign.rational import Number, as_rational, nearest_float, number_text
from mechdesign.verify.certificates import Certificate
from mechdesign.workloads.eigenspaces import levels_of

DEFAULT_GAPS = ((16, Fraction(1, 10**8)), (24, Fraction(1, 10**6)), (MOST_GROUPS, Fraction(1, 10**4)))
WIDEST_DEFAULT = Fraction(1, 10**3)
SYMMETRIC_DEFAULT = Fraction(1, 10**2)
"""Gaps that are asked for up to so many groups of items, beyond, and beyond where a bound by levels has to do."""

KEEP_SECONDS = 60.0
KEEP_SHARE = 10
"""The best design so far is kept so often, and so many times as long after as it took to prove the last one."""

PRIOR_BITS = 44
"""The least favourable prior is rounded to so many bits."""


class WideGapError(NotCertifiedError):
    """The error when the best mechanism found misses the wished gap to its bound.

    `design` is that mechanism.

    Both numbers of it are proved, and a search can go on from it. `was_interrupted` tells whether Ctrl-C ended it.
    """

    def __init__(self, message: str, design: "WorkloadDesign", was_interrupted: bool = False) -> None:
        super().__init__(message)
        self.design = design
        self.was_interrupted = was_interrupted


@dataclass(frozen=True, repr=False, kw_only=True)
class WorkloadDesign(CertifiedDesign[WorkloadProblem, RowMechanism]):
    """A certified local mechanism for a workload, with its proof.

    Variances are for each user, summed over the queries: answers to n users have variances of that sum over n, and
    the estimates are the linear ones that are best under the prior of `certificate`.

    Attributes:
        score: the variance: its mean over the items, or that of the worst item, as the problem asks.
        lower_bound: no alpha-LDP mechanism with linear unbiased estimates has less, at equally frequent items or, in a
            worst case, for the worst item. Of items drawn at random it bounds every unbiased estimate (docs:
            workloads).
        by_input: the variance by item.
        floor: the bound in closed form, which needs no search; at most `lower_bound`.
        has_exact_score: whether `score` is the variance itself; else it is above it by rounding alone.
        outputs: how many outputs the search was allowed; None where as many as serve. `lower_bound` knows no such
            limit.
    """

    score: Fraction
    lower_bound: Fraction
    by_input: ByInput
    floor: Fraction
    has_exact_score: bool = True
    outputs: int | None = None
    title: ClassVar[str] = "Workload design"
    elsewhere: ClassVar[str] = "; plot_workload_design draws it, audit judges its file"

    @property
    def gap(self) -> Fraction | None:
        """The part of the bound by which the variance may exceed the optimum; None where there is no bound above 0."""
        return self.score / self.lower_bound - 1 if self.lower_bound > 0 else None

    def summary(self) -> tuple[str, ...]:
        """Say the variance, the gap and the number of outputs."""
        gap = "no bound" if self.gap is None else f"gap {rounded_up(self.gap, 2)}"
        return (f"variance {rounded_up(self.score, 8)}, {gap}, {self.mechanism.n_outputs} outputs",)

    def facts(self) -> list[tuple[str, Value]]:
        """List variances, bound and outputs."""
        return [
            ("variance for each user", Bound(self.score)),
            ("lower bound", Bound(self.lower_bound, is_lower=True)),
            ("least for an item", Bound(self.by_input.least, is_lower=True)),
            ("largest for an item", Bound(self.by_input.largest)),
            ("outputs", self.mechanism.n_outputs),
        ]


@checked
def design_workload(
    problem: WorkloadProblem,
    *,
    gap: Number | None = None,
    outputs: int | None = None,
    start: WorkloadDesign | None = None,
    time_limit: float | None = None,
    tell: Callable[[str], None] | None = None,
    keep: Callable[[WorkloadDesign], None] | None = None,
    clock: Clock | None = None,
) -> WorkloadDesign:
    """Design the local mechanism of least variance for a workload, and prove how near it is to the optimum.

    Args:
        problem: the workload, alpha, and whether the mean over the items or the worst of them counts.
        gap: stop at this relative gap of variance and bound; by default 1e-8 for up to 16 groups of items that the
            workload tells apart, 1e-6 up to 24, 1e-4 up to 32, and 1e-3 beyond; 1e-2 for marginals beyond 32.
        outputs: how many outputs the mechanism may have; the bound is still that of all mechanisms, so that the gap
            is only looked at where it is given.
        start: a design for the same workload, whose rows the search begins with.
        time_limit: seconds after which the search stops with what it has.
        tell: is told a line now and then.
        keep: is given the best design so far, exact and proved, each minute of a search. With it Ctrl-C ends a search
            that has found a design by `WideGapError`. It has no part in a search that `outputs` limits.
        clock: keeps the time in place of `time_limit`.

    Returns:
        An exact mechanism, its variance, and a bound that is proved in integers.

    Raises:
        InputError: for a gap that is not in (0, 1), fewer outputs than unbiased answers need, or more groups of items
            or an epsilon than are searched.
        NotCertifiedError: where floats fail the search.
        WideGapError: where the gap is wider than asked, or `keep` is given and Ctrl-C came; it holds the design.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> found = design_workload(WorkloadProblem(Prefixes(3), alpha="1/3"))
    >>> found.mechanism.k, found.gap < 1e-8
    (3, True)
    """
    asked = require_askable(problem, gap=gap, outputs=outputs, start=start)
    clock = Clock(time_limit) if clock is None else clock
    keeper = _Keeper(problem, start, keep if outputs is None else None, clock)
    try:
        best = keeper.better(_searched(problem, asked, outputs, start, clock, tell, keeper))
    except KeyboardInterrupt:
        if tell is not None and keeper.found is not None:
            tell("interrupted: proving the best design so far")
        interrupted = keeper.latest()
        if interrupted is None:
            raise
        best = interrupted
    is_limited = outputs is not None and gap is None
    if not (is_limited or _is_within(best, asked)):
        raise _too_wide(best, asked, clock, keeper)
    return best


class _Keeper:
    """The best design so far, kept each minute and when a search is interrupted."""

    def __init__(
        self,
        problem: WorkloadProblem,
        start: WorkloadDesign | None,
        keep: Callable[[WorkloadDesign], None] | None,
        clock: Clock,
    ) -> None:
        self.problem, self.start, self.keep, self.clock = problem, start, keep, clock
        self.best: WorkloadDesign | None = None
        self.found: Callable[[], WorkloadDesign] | None = None
        self.due = clock.now() + KEEP_SECONDS
        self.was_interrupted = False

    def better(self, design: WorkloadDesign) -> WorkloadDesign:
        """Return the better of a design and what is known already."""
        known = self.start if self.best is None else self.best
        return design if known is None else _better(known, design)

    def offer(self, make: Callable[[], WorkloadDesign]) -> None:
        """Take what makes the best design so far, and keep that design if a minute is over."""
        if self.keep is None:
            return
        self.found = make
        began = self.clock.now()
        if began < self.due:
            return
        self._prove()
        if self.best is not None:
            self.keep(self.best)
        now = self.clock.now()
        self.due = now + max(KEEP_SECONDS, KEEP_SHARE * (now - began))

    def latest(self) -> WorkloadDesign | None:
        """Return the best design there is when a search is interrupted; None where none is, or nobody keeps it."""
        self.was_interrupted = True
        self._prove()
        return self.best

    def know(self, design: WorkloadDesign) -> None:
        """Take a design that is proved already."""
        if self.keep is not None:
            self.best = self.better(design)

    def _prove(self) -> None:
        if self.found is None:
            return
        with suppress(NotCertifiedError):  # floats that came to nothing; the search goes on
            self.best = self.better(self.found())
        self.found = None


def default_gap(problem: WorkloadProblem) -> Fraction:
    """Return the relative gap at which a design stops unless another is asked for, by the number of groups."""
    size = problem.merged.size
    beyond = WIDEST_DEFAULT if size <= MOST_GROUPS or levels_of(problem.workload) is None else SYMMETRIC_DEFAULT
    return next((share for most, share in DEFAULT_GAPS if size <= most), beyond)


def require_askable(
    problem: WorkloadProblem,
    *,
    gap: Number | None = None,
    outputs: int | None = None,
    start: WorkloadDesign | None = None,
) -> Fraction:
    """Check what `design_workload` is asked for, before any work, and return the gap to reach; errors as there."""
    asked = _asked_gap(problem, gap)
    _require_outputs(problem, outputs)
    _require_start(problem, start)
    if levels_of(problem.workload) is None:
        from mechdesign.methods.row_designs.search import require_searchable  # loads scipy

        require_searchable(problem)
    return asked


def _asked_gap(problem: WorkloadProblem, gap: Number | None) -> Fraction:
    if gap is None:
        return default_gap(problem)
    share = as_rational(gap, "gap")
    if not 0 < share < 1:
        raise InputError(f"gap must be in (0, 1), got gap={number_text(share)}")
    return share


def _require_outputs(problem: WorkloadProblem, outputs: int | None) -> None:
    if outputs is None:
        return
    least = problem.merged.rank
    if isinstance(outputs, bool) or not isinstance(outputs, int) or outputs < least:
        raise InputError(
            f"outputs must be at least {least}, the rank of the queries with the number of users, for unbiased "
            f"answers to {problem.workload.name}, got outputs={outputs}"
        )


def _require_start(problem: WorkloadProblem, start: WorkloadDesign | None) -> None:
    if start is not None and not isinstance(start, WorkloadDesign):
        raise InputError(f"start must be a workload design, as read_design returns it, got {type(start).__name__}")
    if start is None or (start.problem.workload == problem.workload and _is_near(start.problem, problem)):
        return
    raise InputError(f"start must be a design for {problem.describe()}, got one for {start.problem.describe()}")


def _is_near(one: WorkloadProblem, other: WorkloadProblem) -> bool:
    """Return whether two alphas are the same but for rounding; the rows of a design for one serve the other."""
    return abs(one.alpha - other.alpha) <= 2 * EPSILON_SLACK * other.alpha


def _searched(
    problem: WorkloadProblem,
    gap: Fraction,
    outputs: int | None,
    start: WorkloadDesign | None,
    clock: Clock,
    tell: Callable[[str], None] | None,
    keeper: _Keeper,
) -> WorkloadDesign:
    """Search by symmetry where the workload has enough of it, else over rows, and make exact what was found."""
    from mechdesign.methods.row_designs.search import search_rows  # loads scipy
    from mechdesign.methods.row_designs.symmetric import find_symmetric

    began = time.perf_counter()
    alike = find_symmetric(problem)
    if alike is not None and outputs is not None and alike[0].n_outputs > outputs:
        alike = None
    rows = None if start is None else start.mechanism.ones[:, [group[0] for group in problem.merged.groups]]
    if alike is not None:
        symmetric = _symmetric_design(problem, *alike, gap, time.perf_counter() - began)
        if _is_within(symmetric, gap) or problem.merged.size > MOST_GROUPS:
            return symmetric
        keeper.know(symmetric)
        ones = symmetric.mechanism.ones
        rows = ones if rows is None else np.vstack([rows, ones])
    method = "all rows" if problem.merged.size <= MOST_GROUPS else "relaxation"

    def offer(make: Callable[[], RowSolution]) -> None:
        keeper.offer(lambda: certified_design(problem, make(), method, time.perf_counter() - began))

    with one_thread():
        found = search_rows(problem, float(gap), outputs=outputs, start=rows, clock=clock, tell=tell, offer=offer)
    general = certified_design(problem, found, method, time.perf_counter() - began, outputs)
    return general if alike is None else _better(symmetric, general)


def _symmetric_design(
    problem: WorkloadProblem, mechanism: RowMechanism, how: str, gap: Fraction, solving: float
) -> WorkloadDesign:
    """Measure a mechanism that was found by symmetry; where its proof leaves a gap, price all rows if they are few."""
    from mechdesign.methods.row_designs.symmetric import level_dual  # loads scipy

    began = time.perf_counter()
    levels = levels_of(problem.workload)
    assert levels is not None
    proof = level_proof(levels, problem.bound_alpha)
    design = _proved(problem, mechanism, proof, how, "symmetry")
    if not _is_within(design, gap) and problem.merged.size <= MOST_GROUPS:
        design = _with_bound(design, proof_by_rows(problem, proof["prior"], *level_dual(levels, mechanism)))
    return _timed(design, solving, began, began)


def certified_design(
    problem: WorkloadProblem, solution: RowSolution, method: str, solving: float = 0.0, outputs: int | None = None
) -> WorkloadDesign:
    """Make exact what a search found: weights, variance and bound; nothing of it is believed.

    Raises:
        NotCertifiedError: where the variance of the mechanism, or the bound, cannot be told.
    """
    began = time.perf_counter()
    prior = _whole_prior(problem, solution)
    mechanism = exact_mechanism(problem, solution.rows, solution.weights)
    if outputs is not None and mechanism.n_outputs > outputs:
        raise NotCertifiedError(f"not certified: no mechanism of {outputs} outputs came out of the search")
    proof = _proof(problem, prior, solution)
    certified = time.perf_counter()
    design = _proved(problem, mechanism, proof, solution.how, method, outputs)
    if design.lower_bound == design.floor and problem.merged.size <= MOST_GROUPS:  # a search that ended early
        design = _with_bound(design, proof_by_rows(problem, prior, *floor_dual(solution.dual.programme)))
    return _timed(design, solving, began, certified)


def _with_bound(design: WorkloadDesign, proof: Certificate) -> WorkloadDesign:
    """Return a design with the bound that a proof under the same prior shows, where it is higher."""
    lower = proved_bound(design.problem, proof)
    if lower <= design.lower_bound:
        return design
    return replace(design, certificate=proof, lower_bound=lower, floor=min(variance_floor(design.problem), lower))


def _proved(
    problem: WorkloadProblem,
    mechanism: RowMechanism,
    proof: Certificate,
    how: str,
    method: str,
    outputs: int | None = None,
) -> WorkloadDesign:
    """Put together a design of an exact mechanism and a proof, with what both are worth."""
    try:
        lower = proved_bound(problem, proof)
        measured = measure(problem, mechanism, proof["prior"])
    except ValueError as error:
        raise NotCertifiedError(f"not certified: {error}") from None
    return WorkloadDesign(
        problem,
        mechanism,
        proof,
        Seconds(0.0, 0.0, 0.0),
        how,
        method,
        score=measured.upper,
        lower_bound=lower,
        by_input=measured.by_input,
        floor=min(variance_floor(problem), lower),
        has_exact_score=measured.is_exact,
        outputs=outputs,
    )


def _timed(design: WorkloadDesign, solving: float, began: float, certified: float) -> WorkloadDesign:
    """Note the times: of the search, of rounding to whole numbers, and of proving what those are worth."""
    return replace(design, seconds=Seconds(solving, certified - began, time.perf_counter() - certified))


def _is_within(design: WorkloadDesign, gap: Fraction) -> bool:
    return design.gap is not None and design.gap <= gap


def _whole_prior(problem: WorkloadProblem, solution: RowSolution) -> tuple[int, ...]:
    """Return the prior in integers: the sizes of the groups for the mean, what the search found for the worst case."""
    if not problem.is_worst_case:
        common = gcd(*problem.merged.sizes)
        return tuple(size // common for size in problem.merged.sizes)
    return tuple(max(1, round(Fraction(float(share)) * (1 << PRIOR_BITS))) for share in solution.dual.programme.prior)


def _proof(problem: WorkloadProblem, prior: tuple[int, ...], solution: RowSolution) -> Certificate:
    dual = solution.dual
    if problem.merged.size <= MOST_GROUPS:
        return proof_by_rows(problem, prior, dual.matrix, dual.prices)
    if dual.diagonal is None:
        raise NotCertifiedError("not certified: the search found no bound that can be proved")
    return proof_by_relaxation(problem, prior, dual.matrix, dual.prices, dual.diagonal, dual.cuts, dual.multipliers)


def _better(start: WorkloadDesign, designed: WorkloadDesign) -> WorkloadDesign:
    """Return the better mechanism of two for one problem with the better bound of both.

    In a worst case mechanism and bound belong together by their prior.
    """
    if start.problem != designed.problem or (
        designed.outputs is not None and start.mechanism.n_outputs > designed.outputs
    ):
        return designed
    best = start if start.score < designed.score else designed
    if designed.problem.is_worst_case:
        return min(start, designed, key=lambda design: design.score - design.lower_bound)
    proved = max(start, designed, key=lambda design: design.lower_bound)
    return replace(
        best,
        certificate=proved.certificate,
        lower_bound=proved.lower_bound,
        floor=designed.floor,
        seconds=designed.seconds,
    )


def _too_wide(design: WorkloadDesign, limit: Fraction, clock: Clock, keeper: _Keeper) -> WideGapError:
    """Make the error for a gap that is wider than asked, with both bounds and why it was left."""
    gap = "no gap to be told" if design.gap is None else f"gap {rounded_up(design.gap, 2)}"
    why = "; the time limit was reached" if clock.remaining() < 0 else ""
    if keeper.was_interrupted:
        why = "; interrupted"
    if design.outputs is not None:
        why = f"; the bound is that of any number of outputs, and {design.outputs} were allowed"
    return WideGapError(
        f"not certified as asked: {gap}, asked {nearest_float(limit):.2g}; the variance is "
        f"{rounded_up(design.score, 8)}, no mechanism has less than {rounded_down(design.lower_bound, 8)}{why}",
        design,
        keeper.was_interrupted,
    )
