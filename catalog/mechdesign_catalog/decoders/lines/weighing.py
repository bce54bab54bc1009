"""Level frequencies that make answers vary least at equally frequent items."""

from collections.abc import Sequence

import numpy as np

from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.lines.cut_form import CutForm
from mechdesign_catalog.decoders.lines.cut_level import Partitions
from mechdesign_catalog.decoders.lines.information import inverse_of

MOST_STEPS, ENOUGH = 50, 1e-6
"""Steps towards the best chances; they end where none takes more than this part off the variance."""

LEAST_PART = 16
"""No level gets less than this part of an equal share, so that none goes without users soon."""

REGULAR = 1 << 9
"""Items up to which chances are found. There are four levels of blocks, each with twice as many.

Chances that are carried up to 1,024 items cost below 0.001 of the variance.
"""


def least_variance_chances(levels: Sequence[Partitions], workload: Workload, start: Floats) -> Floats:
    """Find the chances p with the least `tr(W A^-1 W')`, W the queries less their means.

    With `M = A^-1 W'W A^-1` the slope of this trace at p_l is `-tr(A_l M)`; it is convex in p. All of it is computed in
    running sums (`CutForm`). No level gets less than `1/LEAST_PART` of an equal share.

    Args:
        levels: partitions of each level.
        workload: queries on their items.
        start: chances to begin with.
    """
    from scipy.optimize import minimize

    gram, count = np.diff(np.diff(gram_matrix(workload), axis=0), axis=1), len(levels)
    forms = [level.form() for level in levels]

    def trace(chances: Floats) -> tuple[float, Floats]:
        inverse = inverse_of(CutForm.pooled(forms, chances).matrix())
        times = inverse @ gram
        found, times = float(np.trace(times)), times @ inverse
        slopes = np.array([form.trace_with(times) for form in forms])
        return found / scale, -slopes / scale

    scale = 1.0
    scale, _ = trace(start)
    found = minimize(
        trace,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(1 / (LEAST_PART * count), 1.0)] * count,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
        options={"maxiter": MOST_STEPS, "ftol": ENOUGH},
    )
    return np.asarray(found.x / found.x.sum(), dtype=np.float64)


def gram_matrix(workload: Workload) -> Floats:
    """Return `W'W` less the means of its rows and columns, shape (k, k)."""
    found = np.array([workload.gram_times(unit) for unit in np.eye(workload.k)])
    found -= found.mean(axis=0)
    found -= found.mean(axis=1)[:, None]
    return found


def carried(chances: Floats, place: int, more: int, between: float) -> Floats:
    """Carry the chances of levels up to more items, where there are so many more levels of blocks from this place on.

    Chances of blocks of one length, or of one number, hardly hang on the number of items, and those in between are
    alike.
    """
    found = np.insert(chances, place, np.full(more, between))
    return np.asarray(found / found.sum(), dtype=np.float64)
