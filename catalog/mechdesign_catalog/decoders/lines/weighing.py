"""Level frequencies that make answers vary least at equally frequent items."""

from collections.abc import Sequence

import numpy as np

from mechdesign.workloads.queries import Floats
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.lines.cut_form import CutForm
from mechdesign_catalog.decoders.lines.cut_level import CutLevel
from mechdesign_catalog.decoders.lines.information import inverse_of

MOST_STEPS, ENOUGH = 50, 1e-6
"""Steps towards the best chances; they end where none takes more than this part off the variance."""

LEAST_PART = 16
"""No level gets less than this part of an equal share, so that none goes without users soon."""

REGULAR = 1 << 8
"""Items whose levels of blocks double from one to the next, of which there are three."""

MOST_WEIGHED = 1 << 9
"""Items up to which chances are found; carried up to 1,024 items they cost below 0.001 of the variance."""


def least_variance_chances(levels: Sequence[CutLevel], workload: Workload, start: Floats) -> Floats:
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


def carried(chances: Floats, coarse: int, fine: int, rise: float) -> Floats:
    """Carry the chances of levels up to more items, where there are more levels of blocks between the others.

    Chances of blocks of one length, or of one number, hardly hang on the number of items, and those in between are
    alike. The first fine level has so few labels that at a large epsilon it is drawn less often than these.

    Args:
        chances: of the coarse levels, the fine ones by their number of blocks, and the single items.
        coarse: number of coarse levels, the same for both.
        fine: number of fine levels that there are with more items.
        rise: how many times as often a level in between is drawn as the first fine one.
    """
    few = chances[coarse:-1]
    new = np.full(fine - len(few), rise * few[0])
    found = np.concatenate([chances[: coarse + 1], new, few[1:], chances[-1:]])
    return np.asarray(found / found.sum(), dtype=np.float64)
