"""Designs of levels and their oracles: `blocks` for ranges or arcs, `warped-blocks` for prefixes.

A design has its proof.
"""

import time
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.documents.files import FilePath
from mechdesign.documents.stored import StoredLevelDesign, require_true
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.level_designs import LevelDesign, LevelMechanism
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign.methods.row_designs.floor import closed_form_floor, constant_variance, prefix_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.rational import float_above
from mechdesign.verify import circles
from mechdesign.verify.certificates import FLOOR, RECURSION, Certificate
from mechdesign.verify.enclosures import rounded_down
from mechdesign.verify.level_design import (
    COMPUTED,
    LARGEST_LINE,
    LEAST_ITEMS,
    LINE,
    LONGEST_ALPHA,
    MOST_ITEMS,
    MOST_PROVED,
    PROBED,
    BlockEntry,
    LevelEntry,
    Measured,
    WarpedEntry,
)
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.randomizers.choice import require_claim
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks

METHOD = "levels"

ROUNDED = 1e-9
"""More than what floats take off a sum of resistances."""

CHECKED_BYTES = 200
"""What a place of a circle takes where the variance is bounded in whole numbers; measured at k = 2^24."""

PROBED_ERRORS = 4
"""Standard errors on either side of the variance of queries that were drawn."""


@checked
def design_levels(problem: WorkloadProblem) -> LevelDesign:
    """Design the local mechanism of levels for all prefixes, ranges or arcs, and prove how near it is to the optimum.

    The variance of ranges and arcs is within 1 % of the least from a thousand items on, where epsilon is at most 2.
    That of prefixes is within 4 % from a hundred items on, at epsilon up to 1. The design says how near. Time grows
    with k: seconds at 65,536 items, some ten at a million; for ranges and arcs a minute at 2^24, the most, with 3 GB.

    Of more than 1,024 items the variance of prefixes is measured, and only the bound is proved.

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
    is_line = problem.workload.name == LINE
    oracle = WarpedBlocks(problem.k, problem.privacy, nested=0) if is_line else Blocks(problem.k, problem.privacy)
    mechanism = LevelMechanism(oracle.privacy.alpha, oracle.k, _places_of(oracle), _entries(oracle))
    solved = time.perf_counter()
    score, measured = (
        _line_variance(oracle) if isinstance(oracle, WarpedBlocks) else (_variance(problem, mechanism), None)
    )
    floor, certificate = _floor(problem)
    if floor <= 0:
        raise NotCertifiedError(
            f"epsilon must be smaller for the bound of {problem.k} items to say anything, got {problem.describe()}"
        )
    certified = time.perf_counter()
    where = "of blocks, longer at the ends of the items" if is_line else f"at shifts of a circle of {mechanism.places}"
    return LevelDesign(
        *(problem, mechanism, certificate, Seconds(solved - started, certified - solved, 0.0)),
        f"{len(mechanism.levels)} levels of rows {where}{'' if is_line else ' places'}",
        METHOD,
        score=score,
        lower_bound=rounded_down(floor),
        measured=measured,
    )


def _variance(problem: WorkloadProblem, mechanism: LevelMechanism) -> Fraction:
    """Bound the variance of ranges or arcs.

    Raises:
        InputError: where the proof would not fit the memory.
        NotCertifiedError: where epsilon is too near 0.
    """
    circle = circles.Circle(mechanism.k, mechanism.places)
    limit, needed = memory_limit(), CHECKED_BYTES * mechanism.places
    if needed > limit:
        raise InputError(
            f"k must be smaller for the proof to fit the memory ({readable_bytes(limit)} of it may be used), got "
            f"k={mechanism.k}, about {readable_bytes(needed)}"
        )
    levels = [
        entry.level(mechanism.alpha, mechanism.places)
        for entry in mechanism.levels
        if not isinstance(entry, WarpedEntry)
    ]
    try:
        return Fraction(repr(float_above(circles.variance_above(problem.workload.name, circle, levels))))
    except ValueError as error:
        raise NotCertifiedError(f"{error}, at {problem.describe()}") from None


def _line_variance(oracle: WarpedBlocks) -> tuple[Fraction, Measured | None]:
    """Return a bound of the variance of prefixes, which `verify` proves; or of many items what is measured of it."""
    prefixes = Prefixes(oracle.k)
    if oracle.k <= MOST_PROVED:
        above = Fraction(oracle.pool.resistances() * (1 + ROUNDED)) + constant_variance(prefixes)
        return Fraction(repr(float_above(above))), None
    if oracle.is_sampled:
        mean, error, _ = oracle.sampled_variances(prefixes, 1)
        value, width, how = mean * prefixes.count, PROBED_ERRORS * error * prefixes.count, PROBED
    else:
        value, how = oracle.average_variance(prefixes, 1) * prefixes.count, COMPUTED
        width = ROUNDED * value
    low, middle, high = (Fraction(repr(number)) for number in (value - width, value, value + width))
    return middle, Measured(low, high, how)


def _floor(problem: WorkloadProblem) -> tuple[Fraction, Certificate]:
    """Return the bound in closed form, and its certificate."""
    floor = closed_form_floor(problem.workload, problem.bound_alpha)
    assert floor is not None
    if problem.workload.name == LINE:
        bound, multipliers = prefix_floor(problem.k, problem.bound_alpha)
        if bound == floor:
            return floor, Certificate(RECURSION, 1, {"multipliers": multipliers.knots})
    return floor, Certificate(FLOOR, 1, {})


def _require_served(problem: WorkloadProblem) -> None:
    if problem.workload.name not in circles.PAIRS:
        words = "prefixes, ranges or circular for a design of levels"
        raise InputError(f"workload must be {words}, got {problem.workload.name}")
    if problem.is_worst_case:
        raise InputError(f"aggregate must be expected for a design of levels, got {problem.aggregate}")
    most = LARGEST_LINE if problem.workload.name == LINE else MOST_ITEMS
    if not LEAST_ITEMS <= problem.k <= most:
        raise InputError(f"k must be from {LEAST_ITEMS} to {most} for a design of levels, got k={problem.k}")
    bits = max(alpha.denominator.bit_length() for alpha in (problem.privacy.alpha, problem.bound_alpha))
    if bits > LONGEST_ALPHA:
        raise InputError(f"alpha must have at most {LONGEST_ALPHA} bits for a design of levels, got {bits}")


def _as_reports_state_it(problem: WorkloadProblem) -> WorkloadProblem:
    """Return the problem with the alpha of reports, which name epsilon alone: all make the same alpha of it."""
    asked = problem.privacy.given_epsilon
    if asked is None:
        return problem
    enclosed = Privacy.enclosed(asked, problem.bound_alpha, Privacy(epsilon=asked).alpha)
    return WorkloadProblem.stated(problem.workload, enclosed, problem.aggregate)


def _entries(oracle: Blocks | WarpedBlocks) -> tuple[LevelEntry, ...]:
    if isinstance(oracle, Blocks):
        return tuple(level.oracle.entry(level.weight) for level in oracle.weighed)
    return tuple(level.entry(weight) for weight, level in zip(oracle.level_weights, oracle.kinds, strict=True))


def _places_of(oracle: Blocks | WarpedBlocks) -> int:
    return oracle.circle.size if isinstance(oracle, Blocks) else oracle.k


def oracle_of_levels(mechanism: LevelMechanism, own: Privacy, privacy: Privacy | None = None) -> Blocks | WarpedBlocks:
    """Make the oracle of a design of levels.

    Args:
        mechanism: its levels.
        own: the privacy that the design was asked for.
        privacy: what is claimed; the design's own if not given.

    Raises:
        InputError: for a claim below what the design loses, or levels that the systems do not draw.
    """
    if privacy is not None:
        require_claim(privacy, mechanism.alpha, "design")
    stated = Privacy(alpha=mechanism.alpha)
    if own.given_epsilon is not None and (asked := Privacy(epsilon=own.given_epsilon)).alpha == mechanism.alpha:
        stated = asked
    oracle = _oracle(mechanism, stated)
    if (_places_of(oracle), _entries(oracle)) != (mechanism.places, mechanism.levels):
        raise InputError(f"levels must be as {oracle.name} draws them, got other places or shares")
    return oracle


def _oracle(mechanism: LevelMechanism, privacy: Privacy) -> Blocks | WarpedBlocks:
    if mechanism.is_line:
        return WarpedBlocks(mechanism.k, privacy, "-".join(str(level.weight) for level in mechanism.levels), 0)
    return Blocks(mechanism.k, privacy, levels="-".join(map(_level_text, mechanism.levels)))


def oracle_of_stored_levels(
    document: StoredLevelDesign, source: FilePath, k: int, privacy: Privacy | None = None
) -> Blocks | WarpedBlocks:
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
    assert not isinstance(entry, WarpedEntry)
    kind = str(entry.blocks) if isinstance(entry, BlockEntry) else f"x{int(entry.row[::-1], 2):x}"
    return f"{kind}*{entry.weight}"
