"""Design the levels of `blocks` for all ranges or arcs, with a proof, and make the oracle of such a design."""

import time
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath
from mechdesign.documents.stored import StoredLevelDesign, require_true
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.level_designs import LevelDesign, LevelMechanism
from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.rational import float_above
from mechdesign.verify import circles
from mechdesign.verify.certificates import FLOOR, Certificate
from mechdesign.verify.enclosures import rounded_down
from mechdesign.verify.level_design import LEAST_ITEMS, MOST_ITEMS, BlockEntry, LevelEntry
from mechdesign_catalog.randomizers.choice import require_claim
from mechdesign_catalog.systems.levels.blocks import Blocks

METHOD = "levels"


@checked
def design_levels(problem: WorkloadProblem) -> LevelDesign:
    """Design the local mechanism of levels for all ranges or all arcs, and prove how near it is to the optimum.

    Its variance is within 1 % of the least from some hundred items on, where epsilon is at most 2 and k has divisors
    near each other; the design says how near. Time grows with k: a second at 65,536 items, half a minute at a million.

    Raises:
        InputError: for another workload, the worst case, or a number of items that is not served.
        NotCertifiedError: where epsilon is too near 0 for 128 binary places, or so large that the bound is below 0.

    >>> from mechdesign.workloads.ordered import Ranges
    >>> found = design_levels(WorkloadProblem(Ranges(1024), epsilon=1))
    >>> f"{float(found.gap):.4f}"
    '0.0024'
    """
    _require_served(problem)
    started = time.perf_counter()
    problem = _as_reports_state_it(problem)
    oracle = Blocks(problem.k, problem.privacy)
    mechanism = LevelMechanism(oracle.privacy.alpha, oracle.k, oracle.circle.size, _entries(oracle))
    solved = time.perf_counter()
    circle = circles.Circle(mechanism.k, mechanism.places)
    levels = [level.level(mechanism.alpha, mechanism.places) for level in mechanism.levels]
    try:
        above = circles.variance_above(problem.workload.name, circle, levels)
    except ValueError as error:
        raise NotCertifiedError(f"{error}, at {problem.describe()}") from None
    floor = closed_form_floor(problem.workload, problem.bound_alpha)
    assert floor is not None
    if floor <= 0:
        raise NotCertifiedError(
            f"epsilon must be smaller for the bound of {problem.k} items to say anything, got {problem.describe()}"
        )
    certified = time.perf_counter()
    return LevelDesign(
        *(problem, mechanism, Certificate(FLOOR, 1, {})),
        Seconds(solved - started, certified - solved, 0.0),
        f"{len(mechanism.levels)} levels of rows at shifts of a circle of {mechanism.places} places",
        METHOD,
        score=Fraction(repr(float_above(above))),
        lower_bound=rounded_down(floor),
    )


def _require_served(problem: WorkloadProblem) -> None:
    if problem.workload.name not in circles.PAIRS:
        raise InputError(f"workload must be ranges or circular for a design of levels, got {problem.workload.name}")
    if problem.is_worst_case:
        raise InputError(f"aggregate must be expected for a design of levels, got {problem.aggregate}")
    if not LEAST_ITEMS <= problem.k <= MOST_ITEMS:
        raise InputError(f"k must be from {LEAST_ITEMS} to {MOST_ITEMS} for a design of levels, got k={problem.k}")


def _as_reports_state_it(problem: WorkloadProblem) -> WorkloadProblem:
    """Return the problem with the alpha of reports, which name epsilon alone: all make the same alpha of it."""
    asked = problem.privacy.given_epsilon
    if asked is None:
        return problem
    enclosed = Privacy.enclosed(asked, problem.bound_alpha, Privacy(epsilon=asked).alpha)
    return WorkloadProblem.stated(problem.workload, enclosed, problem.aggregate)


def _entries(oracle: Blocks) -> tuple[LevelEntry, ...]:
    return tuple(level.oracle.entry(level.weight) for level in oracle.weighed)


def oracle_of_levels(mechanism: LevelMechanism, own: Privacy, privacy: Privacy | None = None) -> Blocks:
    """Make the oracle of a design of levels.

    Args:
        mechanism: its levels.
        own: the privacy that the design was asked for.
        privacy: what is claimed; the design's own if not given.

    Raises:
        InputError: for a claim below what the design loses, or levels that `blocks` does not draw.
    """
    if privacy is not None:
        require_claim(privacy, mechanism.alpha, "design")
    stated = Privacy(alpha=mechanism.alpha)
    if own.given_epsilon is not None and (asked := Privacy(epsilon=own.given_epsilon)).alpha == mechanism.alpha:
        stated = asked
    oracle = Blocks(mechanism.k, stated, levels="-".join(map(_level_text, mechanism.levels)))
    if (oracle.circle.size, _entries(oracle)) != (mechanism.places, mechanism.levels):
        raise InputError("levels must be as blocks draws them, got other places or shares")
    return oracle


def oracle_of_stored_levels(
    document: StoredLevelDesign, source: FilePath, k: int, privacy: Privacy | None = None
) -> Blocks:
    """Make the oracle of a document, for k items, once all that it claims is proved.

    Raises:
        InputError: for another k, and as `oracle_of_levels`.
        RefusedError: naming the first claim that is false.
    """
    if document.problem.k != k:
        raise InputError(f"design must have k = {k} items, got {document.problem.k} in {source}")
    try:
        oracle = oracle_of_levels(document.mechanism, document.privacy, privacy)
    except InputError as error:
        raise InputError(f"{error} in {source}") from None
    require_true(document.claims, source)
    return oracle


def _level_text(entry: LevelEntry) -> str:
    kind = str(entry.length) if isinstance(entry, BlockEntry) else f"x{int(entry.row[::-1], 2):x}"
    return f"{kind}*{entry.weight}"
