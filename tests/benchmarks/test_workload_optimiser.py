"""The optimiser by projected gradients does what its paper says: run with `pytest tests/benchmarks`."""

import numpy as np
import pytest
from workload_optimiser import gradient_of_bounds, optimise, project, random_strategy, variance_and_gradient

from mechdesign.workloads.ordered import Histogram, Prefixes

EPSILON = 1.0
RATIO = float(np.exp(EPSILON))
GRAM = np.array(Prefixes(6).gram(), dtype=float)


def test_a_projection_is_the_nearest_strategy_within_the_bounds():
    generator = np.random.default_rng(1)
    bounds = generator.uniform(0.02, 0.05, 24)
    points = generator.normal(0.05, 0.1, (24, 6))
    nearest = project(points, bounds, RATIO)
    assert np.allclose(nearest.sum(axis=0), 1)
    assert (nearest >= bounds[:, None] - 1e-15).all()
    assert (nearest <= RATIO * bounds[:, None] + 1e-15).all()
    for _ in range(50):  # every other strategy lies behind the plane through the nearest one
        other = project(generator.normal(0.05, 0.2, (24, 6)), bounds, RATIO)
        assert ((points - nearest) * (other - nearest)).sum() <= 1e-12


def test_the_gradient_is_that_of_the_variance():
    start = random_strategy(GRAM, EPSILON, seed=2)
    _, gradient = variance_and_gradient(start.matrix, GRAM)
    change = np.random.default_rng(3).normal(size=start.matrix.shape) * start.matrix.mean()
    up, down = (variance_and_gradient(start.matrix + h * change, GRAM)[0] for h in (1e-6, -1e-6))
    assert (gradient * change).sum() == pytest.approx((up - down) / 2e-6, rel=1e-5)


def test_the_gradient_in_the_bounds_goes_through_the_projection():
    start = random_strategy(GRAM, EPSILON, seed=4)
    points = start.matrix + np.random.default_rng(5).normal(scale=start.matrix.mean(), size=start.matrix.shape)
    matrix = project(points, start.bounds, RATIO)
    _, gradient = variance_and_gradient(matrix, GRAM)
    found = gradient_of_bounds(matrix, start.bounds, gradient, RATIO)
    change = np.random.default_rng(6).normal(size=start.bounds.shape) * start.bounds.mean()
    up, down = (
        variance_and_gradient(project(points, start.bounds + h * change, RATIO), GRAM)[0] for h in (1e-7, -1e-7)
    )
    assert found @ change == pytest.approx((up - down) / 2e-7, rel=1e-4)


def test_it_ends_at_a_private_strategy_far_better_than_its_start():
    found = optimise(GRAM, EPSILON, seed=7, iterations=200).strategy
    assert np.allclose(found.matrix.sum(axis=0), 1)
    assert (found.matrix.max(axis=1) <= RATIO * found.matrix.min(axis=1) * (1 + 1e-12)).all()
    assert found.variance < 0.6 * random_strategy(GRAM, EPSILON, seed=7).variance


def test_the_variance_of_randomised_response_on_two_items():
    matrix = np.array([[RATIO, 1.0], [1.0, RATIO]]) / (RATIO + 1)
    gram = np.array(Histogram(2).gram(), dtype=float)
    assert variance_and_gradient(matrix, gram)[0] == pytest.approx(2 * RATIO / (RATIO - 1) ** 2)
