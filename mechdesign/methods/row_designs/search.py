"""Search rows for a workload by the way that serves it, or say why none does."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.errors import InputError, NotCertifiedError
from mechdesign.methods.row_designs.asked import AskedRows
from mechdesign.methods.row_designs.few_outputs import with_few_outputs
from mechdesign.methods.row_designs.find import find_rows
from mechdesign.methods.row_designs.programme import Bits, FoundRows, RowProgramme
from mechdesign.methods.row_designs.relaxation.search import find_rows_of_many
from mechdesign.problem.privacy import epsilon_bounds, rounded_up
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.rational import number_text
from mechdesign.workloads.symmetries import symmetries_of

MOST_SEARCHED = 256
"""Groups of items for which a search is begun."""

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**4), 12
"""Between these floats tell rows apart."""

LEAST_SQUARE, MOST_SQUARE = Fraction(1, 10**200), 10**120
"""Between these the largest entry of the Gram matrix has to be, so that floats carry its products."""

SEARCHED = 0.9
"""What part of the gap a search is asked to leave; rounding needs the rest."""


def search_rows(
    problem: WorkloadProblem,
    gap: float,
    *,
    outputs: int | None,
    start: Bits | None,
    clock: Clock,
    tell: Callable[[str], None] | None,
    offer: Callable[[Callable[[], FoundRows]], None] | None = None,
) -> FoundRows:
    """Search rows in floats: with all of them looked at up to 32 groups of items, by the relaxation beyond.

    Args:
        problem: what is asked.
        gap: the relative gap that is to be reached once all is exact.
        outputs: how many rows there may be, None for as many as serve.
        start: rows to begin with as well, shape (n, K).
        clock: a search has something after its first round, even if the time is over.
        tell: is told a line now and then.
        offer: is given, after each round, what makes the best rows so far, of any number.

    Raises:
        InputError: for more groups than are searched, or an epsilon or weights that floats do not carry.
        NotCertifiedError: where floats fail the search.
    """
    require_searchable(problem)
    search = find_rows if problem.merged.size <= MOST_GROUPS else find_rows_of_many
    programme = RowProgramme.of(problem, symmetries_of(problem.workload, problem.merged))
    try:
        found = search(programme, AskedRows(SEARCHED * gap, problem.is_worst_case, start, clock, tell, offer))
        return found if outputs is None else with_few_outputs(programme, found, outputs, clock)
    except (ArithmeticError, np.linalg.LinAlgError):
        raise NotCertifiedError(f"not certified: floats failed the search for {problem.describe()}") from None


def require_searchable(problem: WorkloadProblem) -> None:
    """Refuse what no search can begin with.

    Raises:
        InputError: for more groups than are searched, or an epsilon or weights that floats do not carry.
    """
    if problem.merged.size > MOST_SEARCHED:
        raise InputError(
            f"workload must tell at most {MOST_SEARCHED} groups of items apart for a search, got {problem.merged.size} "
            f"of {problem.workload.name}"
        )
    largest = Fraction(int(problem.merged.integers.diagonal().max()), problem.merged.denominator)
    if not LEAST_SQUARE <= largest <= MOST_SQUARE:
        raise InputError(
            f"weights of queries must have squares between 1e-200 and 1e120 for a search in floats, got a sum of "
            f"squares of {number_text(largest)} for an item in {problem.workload.name}"
        )
    asked = problem.privacy.given_epsilon
    low, high = epsilon_bounds(problem.alpha) if asked is None else (asked, asked)
    if high < LEAST_EPSILON or low > MOST_EPSILON:
        raise InputError(
            f"epsilon must be from {number_text(LEAST_EPSILON)} to {MOST_EPSILON} for a search in floats, "
            f"got epsilon={rounded_up(high)}"
        )
