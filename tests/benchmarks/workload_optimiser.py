"""Optimise a local mechanism for a workload by projected gradients: the published peer of designs here.

McKenna, Maity, Mazumdar, Miklau, "A workload-adaptive mechanism for linear queries under local differential privacy"
(PVLDB 13, 2020), written anew from the paper's algorithms 1 and 2. A strategy Q (m outputs by k items, m = 4k) has
`z_o <= Q_ou <= e^epsilon z_o` in every row and columns of sum 1; Q and z go down the gradient of the mean variance of
the best linear reconstruction, Q by projection. Nothing is certified: where it ends depends on where it began.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OUTPUTS_AN_ITEM = 4
TRIAL, STEPS_TRIED = 50, 3
"""Iterations by which a step size is judged, and how many that do not diverge are compared."""

PERIOD, SHRINKING = 100, 0.7
"""Iterations after which the step is shorter, and by what factor."""

LEAST_ROW = 1e-9
"""Bounds of rows below this make outputs that nobody sends: they leave."""

HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy with the bounds of its rows and the variance for a user (the mean over items that are as likely)."""

    matrix: Floats
    bounds: Floats
    variance: float


@dataclass(frozen=True, eq=False)
class Optimised:
    """The best strategy of a run, and the seconds that it took."""

    strategy: Strategy
    seconds: float


def optimise(gram: Floats, epsilon: float, seed: int, iterations: int = 1000) -> Optimised:
    """Run the optimiser from one random strategy: choose the step by short runs, then descend.

    Args:
        gram: W'W, k x k.
        epsilon: of the reports.
        seed: of the first strategy.
        iterations: of the last descent.
    """
    started = time.perf_counter()
    first = random_strategy(gram, epsilon, seed)
    step = _first_step(first, gram)
    tried: list[tuple[Strategy, float]] = []
    for _ in range(HALVINGS):
        found = descend(first, gram, epsilon, step, TRIAL)
        if found.variance < first.variance:
            tried.append((found, step))
        if len(tried) == STEPS_TRIED:
            break
        step /= 2
    best, step = min(tried, key=lambda pair: pair[0].variance, default=(first, step))
    for _ in range(iterations // PERIOD):
        best = descend(best, gram, epsilon, step, PERIOD)
        step *= SHRINKING
    return Optimised(best, time.perf_counter() - started)


def random_strategy(gram: Floats, epsilon: float, seed: int) -> Strategy:
    """Project uniform numbers onto the strategies whose rows have equal bounds, half-way between the extremes."""
    k = len(gram)
    m = OUTPUTS_AN_ITEM * k
    bounds = np.full(m, (1 + np.exp(-epsilon)) / (2 * m))
    matrix = project(np.random.default_rng(seed).random((m, k)), bounds, np.exp(epsilon))
    return Strategy(matrix, bounds, variance_and_gradient(matrix, gram)[0])


def descend(start: Strategy, gram: Floats, epsilon: float, step: float, iterations: int) -> Strategy:
    """Take steps down the gradient of strategy and bounds, and return the best strategy on the way."""
    ratio, best = float(np.exp(epsilon)), start
    matrix, bounds = start.matrix, start.bounds
    slower = 1 / (len(gram) * ratio)
    for _ in range(iterations):
        variance, gradient = variance_and_gradient(matrix, gram)
        if not np.isfinite(variance) or variance > 4 * best.variance:
            break
        if variance < best.variance:
            best = Strategy(matrix, bounds, variance)
        moved = np.clip(bounds - slower * step * gradient_of_bounds(matrix, bounds, gradient, ratio), 0, 1)
        moved = _feasible(moved, ratio)
        used = moved > LEAST_ROW
        matrix, bounds = matrix[used] - step * gradient[used], moved[used]
        matrix = project(matrix, bounds, ratio)
    return best


def variance_and_gradient(matrix: Floats, gram: Floats) -> tuple[float, Floats]:
    """Return the variance for a user of the best reconstruction, and its gradient in the strategy.

    With `D` the row sums over k, it is `tr(G A^-1) - tr(G)/k`, `A = Q' D^-1 Q`.
    """
    k = len(gram)
    means = matrix.mean(axis=1)
    scaled = matrix / means[:, None]
    try:
        inverse = np.linalg.inv(matrix.T @ scaled)
    except np.linalg.LinAlgError:
        return np.inf, np.zeros_like(matrix)
    spread = scaled @ (inverse @ gram @ inverse)
    own = (spread * scaled).sum(axis=1) / k
    variance = float((inverse * gram).sum() - gram.trace() / k)
    return (variance if variance > 0 else np.inf), own[:, None] - 2 * spread


def project(points: Floats, bounds: Floats, ratio: float) -> Floats:
    """Project every column onto the vectors of sum 1 between `bounds` and `ratio` times them.

    That is the point moved by one number for the whole column and cut off at the bounds; the sum is a piecewise linear
    function of that number, and its kinks are sorted.
    """
    low, high = bounds[:, None], ratio * bounds[:, None]
    kinks = np.vstack([low - points, high - points])
    order = np.argsort(kinks, axis=0)
    kinks = np.take_along_axis(kinks, order, axis=0)
    free = np.cumsum(np.where(order < len(points), 1, -1), axis=0)[:-1]
    sums = bounds.sum() + np.cumsum(free * np.diff(kinks, axis=0), axis=0)
    place = np.minimum((sums < 1).sum(axis=0), len(sums) - 1)
    columns = np.arange(points.shape[1])
    beyond = (sums[place, columns] - 1) / np.maximum(free[place, columns], 1)
    return np.clip(points + kinks[place + 1, columns] - beyond, low, high)


def gradient_of_bounds(matrix: Floats, bounds: Floats, gradient: Floats, ratio: float) -> Floats:
    """Differentiate through the projection: entries at a bound move with it, the free ones of a column make room."""
    at_low = matrix <= bounds[:, None] * (1 + 1e-12)
    at_high = matrix >= ratio * bounds[:, None] * (1 - 1e-12)
    free = ~(at_low | at_high)
    room = (gradient * free).sum(axis=0) / np.maximum(free.sum(axis=0), 1)
    return ((gradient - room) * (at_low + ratio * at_high)).sum(axis=1)


def _feasible(bounds: Floats, ratio: float) -> Floats:
    """Scale bounds so that columns of sum 1 fit between them."""
    total = bounds.sum()
    if total > 1:
        return bounds * (0.999 / total)
    return bounds * (1.001 / (ratio * total)) if ratio * total < 1 else bounds


def _first_step(start: Strategy, gram: Floats) -> float:
    """A step that moves the largest entry by about the size of entries."""
    gradient = variance_and_gradient(start.matrix, gram)[1]
    return float(8 * start.matrix.mean() / np.abs(gradient).max())
