"""Designs of square mechanisms: method, solution, certificate, and verification."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, overload

from mechdesign.arguments import checked
from mechdesign.certificate.design import CertifiedDesign
from mechdesign.certificate.proof import proved_loss
from mechdesign.certificate.score import problem_loss
from mechdesign.certificate.stages import SingleProof, Stage, proved_stages, restated_stages
from mechdesign.errors import InfeasibleError, InputError, LimitReachedError, NotCertifiedError, RefusedError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.notebook import Bound, FramedPage, Value, score_decimal
from mechdesign.methods.answer import EPSILON_GAP, STATUSES, STEP_GAP, Answer, is_wide_gap, status_of
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.method import ClosedForms
from mechdesign.methods.lp.method import ProgramMethod
from mechdesign.methods.method import OWN_SOLVER, Effort, Method
from mechdesign.methods.plan import AUTO, Plan, plan_of
from mechdesign.methods.registry import METHODS
from mechdesign.problem.design_problem import STEP_BITS, DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import MAX_SIZE, Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy, rounded_down, rounded_up
from mechdesign.problem.properties import ordered, properties_of
from mechdesign.problem.then import Then, parse_then
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import TIME_IS_OVER, Clock, Seconds
from mechdesign.rational import BITS_OF_A_DIGIT, MAX_DIGITS, Number, can_be_read_back, number_text, short_text
from mechdesign.verify import kernel
from mechdesign.verify.certificates import Certificate
from mechdesign.workload_designs import WorkloadDesign, design_workload
from mechdesign.workloads.workload import Workload

PROBLEM_KEYWORDS = ("n", "alpha", "epsilon", "privacy", "properties", "loss", "prior", "model", "aggregate")
WORKLOAD_KEYWORDS = ("workload", "alpha", "epsilon", "privacy", "aggregate")
"""What states a problem of each kind."""

MOST_LAST_WORDS = 300
"""Measured: for at most so many inputs formulas say within a second what is known when the time is over."""

FINER_STEP_BITS = (2 * STEP_BITS, 4 * STEP_BITS, 8 * STEP_BITS)


@dataclass(frozen=True, repr=False, kw_only=True)
class Design(CertifiedDesign[DesignProblem, Mechanism]):
    """A certified square mechanism for a problem, with its proof.

    `score` and `lower_bound` are on the scale of scores; no mechanism that satisfies the problem scores below
    `lower_bound`. `holds` lists every property that the mechanism has. `stages` are the further respects in which it is
    best, of all mechanisms that are best so far; `single` proves that no other mechanism has all these scores.
    `has_others` says that another one with the same score was seen on the way; no document tells of it.
    """

    score: Fraction
    lower_bound: Fraction
    holds: tuple[str, ...]
    stages: tuple[Stage, ...] = ()
    single: SingleProof | None = None
    has_others: bool = field(default=False, compare=False)
    has_exact_score: ClassVar[bool] = True
    title: ClassVar[str] = "Design"

    @property
    def gap(self) -> Fraction:
        """Score minus lower bound; 0 means exactly optimal."""
        return self.score - self.lower_bound

    @property
    def status(self) -> str:
        """`exact` where the gap is 0 and alpha was given, `certified` where it is narrow, else `feasible`.

        Of several stages it is that of the one that is settled least.
        """
        own = status_of(self.problem, self.score, self.lower_bound)
        further = [status_of(stage.problem, stage.score, stage.lower_bound) for stage in self.stages]
        return max([own, *further], key=STATUSES.index)

    @cached_property
    def at_alpha(self) -> "Design":
        """The same design for the problem of its very alpha, with the bound that the proof shows there.

        It may be exact where a design that was asked by epsilon is certified alone: `exp(-epsilon)` is no rational.
        """
        problem = self.problem.at_alpha
        if problem is self.problem:
            return self
        return replace(
            self,
            problem=problem,
            lower_bound=problem.rescaling * proved_loss(problem, self.certificate),
            stages=restated_stages(problem, self.stages, self.mechanism),
        )

    @property
    def optimality(self) -> str:
        """Say how near to the least score this is proved to be, for alpha as given, or for alpha and epsilon.

        >>> design(DesignProblem(n=8, epsilon=1)).optimality
        'exact for alpha = 27634/75117; for epsilon = 1 at most 5.1e-10 above the least'
        """
        privacy, gap = self.problem.privacy, rounded_up(self.gap, 2)
        if privacy.given_epsilon is None:
            below = f"{gap} certified: no mechanism scores below {rounded_down(self.lower_bound, 12)}"
            return below if self.gap else "0 (exact: proved optimal in rational arithmetic)"
        most = f"for epsilon = {number_text(privacy.given_epsilon)} at most {gap} above the least"
        if self.at_alpha is self:
            return f"certified: {most}"
        own = self.at_alpha.gap
        at_alpha = f"at most {rounded_up(own, 2)} above the least" if own else "exact"
        return f"{at_alpha} for alpha = {number_text(privacy.alpha)}; {most}"

    @property
    def seal(self) -> str:
        """Say in a sentence what is proved of the score.

        >>> design(n=8, alpha="0.9", properties="WH").seal
        'Proved: no mechanism for n = 8, alpha = 0.9, WH, loss L0, prior uniform has a smaller expected loss.'
        """
        scope = ", distances as rounded," if self.problem.model.is_rounded else ""
        others = f"Proved: no mechanism for {self.problem.describe()}{scope} has a"
        if self.gap:
            return f"{others} score that is lower by more than {rounded_up(self.gap, 2)}."
        return f"{others} smaller {'loss of the worst input' if self.problem.is_worst_case else 'expected loss'}."

    def summary(self) -> tuple[str, ...]:
        """Say the score, and how good it is."""
        return (f"score {score_decimal(self.score)}, {self.status}",)

    def facts(self) -> list[tuple[str, Value]]:
        """List score, bound and properties."""
        return [
            ("score", Bound(self.score)),
            ("lower bound", Bound(self.lower_bound, is_lower=True)),
            ("status", self.status),
            ("gap", self.optimality),
            ("seal", self.seal),
            *self.stage_facts(),
            ("properties that hold", ", ".join(self.holds) or "none"),
        ]

    def stage_facts(self) -> list[tuple[str, str]]:
        """List the scores of the further respects, with how good each is, and say whether there is no other."""
        told = [("then", f"{one.problem.aim}: {score_decimal(one.score)}, {one.optimality}") for one in self.stages]
        return told if self.single is None else [*told, ("ties", f"{self.single.words} (proved)")]

    def tables(self) -> tuple[str, ...]:
        """Return the matrix."""
        return (self.mechanism.heat_table(),)

    def show(self) -> FramedPage:
        """Show the design in a notebook as the page that `export` writes to `.html`, in a frame of its own.

        The heat map is read by pointer and keys. Its script runs in a sandbox, which reaches neither the notebook nor a
        network.

        Raises:
            RefusedError: if `verify` does not prove all that the page says.
        """
        from mechdesign.documents.storage import framed_page  # a room above: this is `export` as a method

        return framed_page(self)


@overload
def design(
    problem: DesignProblem,
    *,
    method: str = AUTO,
    solver: str = OWN_SOLVER,
    time_limit: float | None = None,
    exact: bool = False,
    then: str | Iterable[str] = (),
) -> Design: ...


@overload
def design(
    problem: WorkloadProblem,
    *,
    gap: Number | None = None,
    outputs: int | None = None,
    start: WorkloadDesign | None = None,
    time_limit: float | None = None,
) -> WorkloadDesign: ...


@overload
def design(
    *,
    n: int | None = None,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    privacy: Privacy | None = None,
    properties: str | Iterable[str] = (),
    loss: str | Loss = "L0",
    prior: str | Prior | None = None,
    model: Model | None = None,
    aggregate: str = "expected",
    method: str = AUTO,
    solver: str = OWN_SOLVER,
    time_limit: float | None = None,
    exact: bool = False,
    then: str | Iterable[str] = (),
) -> Design: ...


@overload
def design(
    *,
    workload: Workload,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    privacy: Privacy | None = None,
    aggregate: str = "expected",
    gap: Number | None = None,
    outputs: int | None = None,
    start: WorkloadDesign | None = None,
    time_limit: float | None = None,
) -> WorkloadDesign: ...


@checked
def design(
    problem: DesignProblem | WorkloadProblem | None = None,
    *,
    method: str = AUTO,
    solver: str = OWN_SOLVER,
    time_limit: float | None = None,
    exact: bool = False,
    then: str | Iterable[str] = (),
    gap: Number | None = None,
    outputs: int | None = None,
    start: WorkloadDesign | None = None,
    **stated: Any,
) -> Design | WorkloadDesign:
    """Design the best mechanism for a problem, and certify it.

    Args:
        problem: what is asked: a square mechanism, or a local one for a workload of linear queries.
        stated: the same in place of `problem`: the arguments of `DesignProblem`, or with `workload` those of
            `WorkloadProblem`.
        method: `"auto"`, or the name of a method in `methods.registry`; `methods.plan.make_plan` says which can serve.
            All give the same score.
        solver: `"highs"`, or `"cvxpy:NAME"` with a solver that cvxpy finds installed (CLARABEL, SCS, HIGHS, ...).
        time_limit: seconds; None means none.
        exact: insist on the exact vertex, however long its numbers are and however long it takes.
        then: further respects, such as `("L1", "worst:L2")`: of all mechanisms with the least score, one that has least
            of the first of these, of those one that has least of the next, and so on. `problem.then.parse_then` says
            what a text may be. For counts alone; the LP answers, by an exact vertex.
        gap: of a workload, the relative gap of variance and bound to stop at, as `design_workload` takes it.
        outputs: of a workload, how many outputs the mechanism may have.
        start: of a workload, a design that the search begins with.

    Returns:
        A `Design` whose mechanism the trusted kernel has passed and whose bound it has recomputed; for a workload a
        `WorkloadDesign`, whose variance and bound are proved in integers.

    Raises:
        InputError: unknown solver, a method that cannot serve the problem, a problem too large for the memory, or what
            does not go with the problem.
        NotCertifiedError, LimitReachedError: no certified mechanism came out.

    >>> design(n=8, alpha="0.9", properties="WH,CM").score
    Fraction(114025, 118098)
    """
    problem = _stated_problem(problem, stated)
    if isinstance(problem, WorkloadProblem):
        _refuse_given(
            "a workload", {"method": method != AUTO, "solver": solver != OWN_SOLVER, "exact": exact, "then": bool(then)}
        )
        return design_workload(problem, gap=gap, outputs=outputs, start=start, time_limit=time_limit)
    given = {"gap": gap, "outputs": outputs, "start": start}
    _refuse_given("a square mechanism", {name: value is not None for name, value in given.items()})
    effort = Effort(solver, exact, Clock(time_limit))
    further = [then] if isinstance(then, str) else list(then)
    if further:
        return _staged(problem, further, method, effort)
    if problem.at_alpha is problem:
        return _designed(problem, method, effort)
    result = _asked_by_epsilon(problem, method, effort)
    _require_narrow(result, effort.clock)
    return result


def _stated_problem(
    problem: DesignProblem | WorkloadProblem | None, stated: dict[str, Any]
) -> DesignProblem | WorkloadProblem:
    """Return the problem that is given, or the one that keywords state."""
    if problem is None:
        of_workload = "workload" in stated
        known = WORKLOAD_KEYWORDS if of_workload else PROBLEM_KEYWORDS
        for name in stated:
            if name not in known:
                raise InputError(f"design must have known arguments ({', '.join(known)}), got {name}")
        if not of_workload and type(n := stated.get("n")) is int and n >= MAX_SIZE:
            raise InputError(
                f"n must be at most {MAX_SIZE - 1} for a matrix, got n={n}; design_law makes one mechanism for groups "
                "of every size"
            )
        return WorkloadProblem(**stated) if of_workload else DesignProblem(**stated)
    if stated:
        raise InputError(f"{next(iter(stated))} must be in the problem, got it beside one")
    return problem


def _designed(problem: DesignProblem, method: str, effort: Effort) -> Design:
    """Design for a problem whose proofs are sought at the ratios at which its bounds are proved."""
    plan = plan_of(problem, method, effort.solver)
    require_feasible(problem, effort.clock)
    started = time.perf_counter()
    find = _first_answer if problem.step.is_exact else _enclosed_answer
    result = find(problem, plan, effort, started)
    _require_narrow(result, effort.clock)
    return result


def _staged(problem: DesignProblem, then: Sequence[str], method: str, effort: Effort) -> Design:
    """Design for a problem and further respects by the LP.

    Asked by epsilon, the gap of a stage is that of those before it times their penalties. Where it gets wide, alpha is
    taken nearer to `exp(-epsilon)`.
    """
    result = _staged_once(problem, then, method, effort)
    if result.status == "feasible" and problem.at_alpha is not problem:
        for bits in FINER_STEP_BITS:
            result = _staged_once(problem.with_step_bits(bits), then, method, effort)
            if result.status != "feasible":
                break
    _require_narrow(result, effort.clock)
    return result


def _staged_once(problem: DesignProblem, texts: Sequence[str], method: str, effort: Effort) -> Design:
    at_alpha = problem.at_alpha
    then = parse_then(texts, at_alpha)
    way = staged_method(at_alpha, then, method)
    plan_of(at_alpha, way.name, effort.solver)  # it fits the memory
    require_feasible(at_alpha, effort.clock)
    started = time.perf_counter()
    answer = _by_formula(at_alpha, then, way.staged_answer(at_alpha, then, effort), effort)
    begun, clock = started + effort.clock.loading, effort.clock
    result = checked_design(at_alpha, answer, way.name, begun, time.perf_counter(), clock.solving)
    return result if at_alpha is problem else restated(result, problem, result.certificate)


def _by_formula(problem: DesignProblem, then: Then, answer: Answer, effort: Effort) -> Answer:
    """Take the mechanism of a closed form where it has the same scores in all respects."""
    formulas = ClosedForms()
    if then.is_canonical or formulas.obstacle(problem) is not None:
        return answer

    def losses(mechanism: Mechanism) -> list[Fraction]:
        return [problem_loss(mechanism.weights, mechanism.denominator, one) for one in (problem, *then.problems)]

    for formula in formulas.answers(problem, effort):
        if is_sound(problem, formula.mechanism) and losses(formula.mechanism) == losses(answer.mechanism):
            how = f"{formula.how}, which is best in each respect asked (proved by {answer.how})"
            return replace(answer, mechanism=formula.mechanism, how=how)
    return answer


def staged_method(problem: DesignProblem, then: Then, method: str = AUTO) -> ProgramMethod:
    """Return the LP that serves for a problem and further respects: rotations are merged if no loss tells them apart.

    Raises:
        InputError: for a model other than counts, or a method that cannot serve.
    """
    require_counts(problem, "then")
    programs = [way for way in METHODS if isinstance(way, ProgramMethod)]
    ways = [way for way in programs if not any(map(way.obstacle, (problem, *then.problems)))]
    ways = ways[:1] if then.is_canonical else ways
    chosen = next((way for way in ways if method in (AUTO, way.name)), None)
    if chosen is None:
        names = " or ".join([", ".join([AUTO, *(way.name for way in ways[:-1])]), ways[-1].name])
        raise InputError(f"method must be {names} with what then asks for, got method={method}")
    return chosen


def require_counts(problem: DesignProblem, what: str) -> None:
    """Refuse an argument that goes with counts alone."""
    if problem.model.name != "count":
        raise InputError(f"{what} goes with counts, got it with the model {problem.model.name}; leave it out")


def _asked_by_epsilon(problem: DesignProblem, method: str, effort: Effort) -> Design:
    """Design for the mechanism's alpha, and state the bound that its proof shows at `bound_alpha`.

    One proof then shows both: how good the design is for its alpha, and for the epsilon that was asked. Where the gap
    is wide to be that of rounding, a proof that is sought at `bound_alpha` takes its place if it is better.
    """
    found = _designed(problem.at_alpha, method, effort)
    result = restated(found, problem, found.certificate)
    scale = problem.rescaling
    if not is_wide_gap(problem, (result.gap - found.gap) / scale, result.score / scale, EPSILON_GAP):
        return result
    try:
        proof = _designed(problem.with_privacy(problem.privacy.at_bound), method, effort).certificate
    except (NotCertifiedError, LimitReachedError):
        return result
    return max(result, restated(found, problem, proof), key=lambda design: design.lower_bound)


def restated(design: Design, problem: DesignProblem, proof: Certificate) -> Design:
    """Return a design for another problem that its mechanism solves, with the bound that a proof shows of that one.

    Raises:
        RefusedError: where that bound is above the score.
    """
    began = time.perf_counter()
    bound = problem.rescaling * proved_loss(problem, proof)
    if bound > design.score:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    seconds = replace(design.seconds, verify=design.seconds.verify + time.perf_counter() - began)
    stages = restated_stages(problem, design.stages, design.mechanism)
    return replace(design, problem=problem, certificate=proof, lower_bound=bound, seconds=seconds, stages=stages)


def _refuse_given(what: str, given: Mapping[str, bool]) -> None:
    """Refuse arguments that mean nothing for a problem."""
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name} does not go with the design of {what}, got it; leave it out")


def _first_answer(problem: DesignProblem, plan: Plan, effort: Effort, started: float) -> Design:
    """Return the first answer that the kernel passed, made better where a later method may close its gap."""
    stopped: Design | None = None
    try:
        for place, way in enumerate(plan.order):
            for answer, result in _checked_answers(problem, way, effort, started):
                if answer.is_stopped and result.status == "feasible":
                    stopped = result
                    continue
                if answer.may_improve and not _is_settled(result):
                    return _better(result, plan.order[place + 1 :], effort, started)
                return result
            if stopped is not None:
                raise LimitReachedError(TIME_IS_OVER)
    except LimitReachedError as error:
        raise LimitReachedError(f"{error}{_last_words(problem, stopped, effort)}") from None
    plan.give_up()


def _last_words(problem: DesignProblem, stopped: Design | None, effort: Effort) -> str:
    """Say what is known of a problem whose time is over: a score that is had, and a bound; nothing without both.

    EM has most properties that can be asked. What a theorem proves without any bounds what can be had with them.
    """
    scores = [] if stopped is None else [stopped.score]
    bounds = [] if stopped is None else [stopped.lower_bound]
    free, formulas = replace(problem, properties=frozenset()), ClosedForms()
    if problem.size <= MOST_LAST_WORDS and problem.model.name == "count" and formulas.obstacle(free) is None:
        fair = explicit_fair(problem.size - 1, problem.step_alpha)
        if is_sound(problem, fair):
            scores.append(problem.rescaling * problem_loss(fair.weights, fair.denominator, problem))
        bounds += [problem.rescaling * proved_loss(free, one.certificate) for one in formulas.answers(free, effort)]
    if not scores or not bounds:
        return ""
    return (
        f"; at alpha = {number_text(problem.alpha)} one with score {rounded_up(min(scores), 6)} is known and checked, "
        f"and none scores below {rounded_down(max(bounds), 6)} (proved)"
    )


def _enclosed_answer(problem: DesignProblem, plan: Plan, effort: Effort, started: float) -> Design:
    """Enclose `alpha^unit` more and more tightly until the gap is settled, or has another cause."""
    best: Design | None = None
    failure: NotCertifiedError | LimitReachedError | None = None
    for stated in _enclosures(problem):
        try:
            found = _first_answer(stated, plan, effort, started)
        except (NotCertifiedError, LimitReachedError) as error:
            failure = error
            continue
        if best is not None and 2 * found.gap > best.gap:
            break
        best = found
        if _is_settled(best):
            break
    if best is None:
        assert failure is not None
        raise failure
    return best


def _enclosures(problem: DesignProblem) -> Iterator[DesignProblem]:
    """Yield the problem, then with finer steps, as long as ratios of privacy are short enough for a document."""
    yield problem
    for bits in FINER_STEP_BITS:
        finer = problem.with_step_bits(bits)
        if finer.ratio_bits > BITS_OF_A_DIGIT * MAX_DIGITS:
            return
        yield finer


def _is_settled(result: Design) -> bool:
    """Return whether no method could narrow the gap: it is 0, or as narrow as an enclosed `alpha^unit` allows."""
    scale = result.problem.rescaling
    if result.problem.step.is_exact or not result.gap:
        return not result.gap
    return not is_wide_gap(result.problem, result.gap / scale, result.score / scale, STEP_GAP)


def require_feasible(problem: DesignProblem, clock: Clock) -> None:
    """Refuse a floor that no mechanism can have; the uniform mechanism has everything else that can be asked.

    The largest diagonal of all is that of the design for the worst case under L0, and its lower bound proves it.

    Raises:
        InfeasibleError: saying how large a diagonal can be, and which properties clash.
        LimitReachedError: where the clock runs out before that is known.
    """
    if problem.floor * problem.size <= 1:
        return
    asked = max(problem.needed, key=lambda prop: prop.floor)
    rest = {prop.name for prop in problem.needed if prop.floor <= 1}
    largest = _largest_diagonal(problem, rest, clock)
    if problem.floor <= largest:
        return
    for name in ordered(rest):
        if problem.floor > _largest_diagonal(problem, rest - {name}, clock):
            rest.remove(name)
    why = f"it clashes with {', '.join(ordered(rest))}" if rest else "no mechanism at this alpha reaches it"
    scope = ", distances rounded down to units" if problem.model.is_rounded else ""
    raise InfeasibleError(
        f"infeasible at alpha = {number_text(problem.alpha)}{scope}: {asked.kind}:BETA asks for "
        f"{short_text(asked.floor)} times 1/{problem.size} on the whole diagonal, and at most "
        f"{_between(largest * problem.size, asked.floor)} times 1/{problem.size} is possible (proved); {why}",
        ordered({asked.name, *rest}),
    )


def _largest_diagonal(problem: DesignProblem, properties: Iterable[str], clock: Clock) -> Fraction:
    """Return a proved upper bound of the least entry of the diagonal under these properties."""
    wrong = DesignProblem(model=problem.model, alpha=problem.alpha, properties=properties, loss="L0", aggregate="worst")
    try:
        best = design(wrong, time_limit=clock.left())
    except LimitReachedError:
        raise LimitReachedError(TIME_IS_OVER) from None  # what it says beyond that is of another problem
    return 1 - best.lower_bound / wrong.rescaling


def _between(low: Fraction, high: Fraction) -> str:
    """Round a number up to as many decimals as keep it below a larger one, six at least."""
    digits = 6
    while -(-low * 10**digits // 1) >= high * 10**digits:
        digits += 3
    whole, rest = divmod(int(-(-low * 10**digits // 1)), 10**digits)
    return f"{whole}.{rest:0{digits}d}"


def _checked_answers(
    problem: DesignProblem, method: Method, effort: Effort, started: float
) -> Iterator[tuple[Answer, Design]]:
    """Yield a method's answers that the kernel passed; proposals that are unsound or not optimal are passed over."""
    for answer in method.answers(problem, effort):
        try:
            begun, clock = started + effort.clock.loading, effort.clock
            result = checked_design(problem, answer, method.name, begun, time.perf_counter(), clock.solving)
        except (RefusedError, NotCertifiedError):
            if not answer.is_proposal:
                raise
            continue
        if not answer.is_proposal or _is_settled(result):
            yield answer, result


def _better(narrow: Design, methods: Sequence[Method], effort: Effort, started: float) -> Design:
    """Return the first exact design by methods whose work is moderate, else the one at hand."""
    for method in methods:
        if not method.estimate(narrow.problem).is_moderate:
            continue
        try:
            for _, result in _checked_answers(narrow.problem, method, effort, started):
                if _is_settled(result):
                    return result
        except (NotCertifiedError, LimitReachedError):
            continue
    return narrow


def _require_narrow(result: Design, clock: Clock) -> None:
    """Refuse a gap that is too wide to be called certified, by the clock's error if it has run out."""
    scale = result.problem.rescaling
    if is_wide_gap(result.problem, result.gap / scale, result.score / scale):
        clock.left()
        raise NotCertifiedError(
            f"not certified: the score {float(result.score):.9g} and its lower bound {float(result.lower_bound):.9g} "
            f"are too far apart; try another --solver"
        )


def checked_design(
    problem: DesignProblem, answer: Answer, method: str, started: float, certified: float, solving: float
) -> Design:
    """Check an answer by the kernel and make it a design; no design is made in another way.

    Raises:
        RefusedError: naming the first defect.
        NotCertifiedError: for numbers so long that nobody could read the design's document.
    """
    mechanism = answer.mechanism
    require_sound(problem, mechanism)
    bound = proved_loss(problem, answer.certificate)
    value = problem_loss(mechanism.weights, mechanism.denominator, problem)
    if bound > value:
        raise RefusedError("the lower bound exceeds the score: the proof contradicts the mechanism")
    stages = proved_stages(problem, answer.stages, mechanism)
    if any(stage.gap < 0 for stage in stages):
        raise RefusedError("the lower bound of a stage exceeds its score: the proof contradicts the mechanism")
    scale = problem.rescaling
    _require_readable(mechanism, answer.certificate, scale * value, scale * bound)
    for stage in stages:
        paid = [one for penalty in stage.penalties for one in penalty]
        _require_readable(mechanism, stage.certificate, stage.score, stage.lower_bound, *paid)
    holds = properties_of(mechanism.weights, mechanism.denominator, problem.properties)
    verified = time.perf_counter()
    seconds = Seconds(solving, certified - started - solving, verified - certified)
    return Design(
        problem,
        mechanism,
        answer.certificate,
        seconds,
        answer.how,
        method,
        score=scale * value,
        lower_bound=scale * bound,
        holds=holds,
        stages=stages,
        single=answer.single,
        has_others=answer.has_others and bound == value,
    )


def _require_readable(mechanism: Mechanism, proof: Certificate, *scores: Fraction) -> None:
    """Refuse numbers that are written and could not be read back; no weight is longer than the denominator."""
    rationals = [*scores, *(proof.get("prior") or ())]
    integers = [mechanism.denominator, proof.scale, *(proof.get("prices") or ())]
    integers += [row[-1] for row in proof["rows"]]
    integers += [part for value in rationals for part in value.as_integer_ratio()]
    if not all(map(can_be_read_back, integers)):
        raise NotCertifiedError(
            f"not certified: the design or its proof needs a number of more than {MAX_DIGITS} digits, which no file "
            f"may have; ask for less, or for an alpha or distances with shorter numbers"
        )


def is_sound(problem: DesignProblem, mechanism: Mechanism) -> bool:
    """Return whether the kernel finds no defect."""
    return next(_defects(problem, mechanism), None) is None


def require_sound(problem: DesignProblem, mechanism: Mechanism) -> None:
    """Refuse a mechanism in which the kernel finds any defect."""
    for defect in _defects(problem, mechanism):
        raise RefusedError(f"refused: {defect}")


def _defects(problem: DesignProblem, mechanism: Mechanism) -> Iterator[str]:
    alpha = (problem.step_alpha.numerator, problem.step_alpha.denominator)
    return kernel.defects(mechanism.weights, mechanism.denominator, alpha, problem.graph.edges, problem.properties)
