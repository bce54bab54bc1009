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


TRIES = 12
"""Chances that are tried to show that no others are better than some variance."""

ROUNDED = 0.02
"""The part of the least chance of a level by which whole weights may be below it."""


class _Traces:
    """The trace `tr(W A^-1 W')` of a workload by the chances of levels, and its slopes, in running sums (`CutForm`)."""

    def __init__(self, levels: Sequence[Partitions], workload: Workload) -> None:
        gram = gram_matrix(workload)
        self.of_items = float(np.trace(gram)) / workload.k  # what answers have of it by the items alone
        self.gram = np.diff(np.diff(gram, axis=0), axis=1)
        self.forms = [level.form() for level in levels]

    def at(self, chances: Floats) -> tuple[float, Floats]:
        """Return the trace, and by how much it falls with each chance: `tr(A_l M)`, `M = A^-1 W'W A^-1`."""
        inverse = inverse_of(CutForm.pooled(self.forms, chances).matrix())
        times = inverse @ self.gram
        found, times = float(np.trace(times)), times @ inverse
        return found, np.array([form.trace_with(times) for form in self.forms])


def least_variance_chances(levels: Sequence[Partitions], workload: Workload, start: Floats) -> Floats:
    """Find the chances p with the least `tr(W A^-1 W')`, W the queries less their means.

    With `M = A^-1 W'W A^-1` the slope of this trace at p_l is `-tr(A_l M)`; it is convex in p. No level gets less than
    `1/LEAST_PART` of an equal share.

    Args:
        levels: partitions of each level.
        workload: queries on their items.
        start: chances to begin with.
    """
    from scipy.optimize import minimize

    traces, count = _Traces(levels, workload), len(levels)
    scale, _ = traces.at(start)

    def trace(chances: Floats) -> tuple[float, Floats]:
        found, falls = traces.at(chances)
        return found / scale, -falls / scale

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


def exceeds_everywhere(levels: Sequence[Partitions], workload: Workload, variance: float) -> bool:
    """Tell whether the mean variance of an answer by one report is shown to be above a number at all chances.

    The trace `f = tr(W A^-1 W')` is convex in the chances p, and goes with 1 over all of them together. So with its
    falls g at any p it is nowhere below `f^2 / max g'p`, the maximum over all chances that no level has too little of.
    Chances are tried that come nearer to the best ones: each times `g / f`.
    """
    traces, count = _Traces(levels, workload), len(levels)
    chances, least = np.full(count, 1 / count), (1 - ROUNDED) / (LEAST_PART * count)
    most = variance * workload.count + traces.of_items
    for _ in range(TRIES):
        found, falls = traces.at(chances)
        if found <= most:
            return False
        if found**2 / (least * falls.sum() + (1 - count * least) * falls.max()) > most:
            return True
        chances = np.maximum(chances * falls / found, least)
        chances /= chances.sum()
    return False


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
