"""Distances: what is refused, what they are rounded to, and that rounding never costs privacy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import DesignProblem, InputError, Model, design
from mechdesign.problem.distances import (
    choose_unit,
    distances_hold,
    in_steps,
    read_distances,
)
from mechdesign.problem.neighbours import NeighbourGraph, shortest_paths


@pytest.mark.parametrize(
    "table",
    [
        [[0, 1], [1, 0, 2]],
        [[0]],
        [[0, 1], [1, 1]],
        [[0, -1], [-1, 0]],
        [[0, 1], [2, 0]],
        [[0, 0], [0, 0]],
        [[0, 1, 4], [1, 0, 2], [4, 2, 0]],
        [[0, "x"], ["x", 0]],
    ],
)
def test_bad_distances(table):
    with refused(InputError):
        read_distances(table)


def test_bad_units():
    table = [[0, 1], [1, 0]]
    with refused(InputError, about="unit"):
        Model.metric(table, 0)
    with refused(InputError, about="unit"):
        Model.metric(table, 2)
    with refused(InputError, about="distances"):
        Model.metric(table, "1/30000")


def test_units():
    assert choose_unit(read_distances([[0, 6], [6, 0]])) == 6
    assert choose_unit(read_distances([["0", "0.5", "1.25"], ["0.5", "0", "0.75"], ["1.25", "0.75", "0"]])) == Fraction(
        1, 4
    )
    assert choose_unit(read_distances([[0, 1, 5001], [1, 0, 5000], [5001, 5000, 0]])) == 1
    root = "1.414213562373"
    assert choose_unit(read_distances([["0", "1", root], ["1", "0", "1"], [root, "1", "0"]])) == Fraction(1, 16)


def test_whole_distances_are_exact():
    model = Model.metric([[0, 2, 5], [2, 0, 3], [5, 3, 0]])
    problem = DesignProblem(model=model, alpha="9/10")
    assert (model.unit, problem.step_alpha) == (1, Fraction(9, 10))
    assert model.graph.edges == ((0, 1, 2), (1, 2, 3))
    sixths = Model.metric([[0, 6, 12], [6, 0, 6], [12, 6, 0]])
    assert (sixths.unit, DesignProblem(model=sixths, alpha="9/10").step_alpha) == (6, Fraction(9, 10) ** 6)


points = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=3, max_size=6, unique=True)


@pytest.mark.slow
@settings(max_examples=25)
@given(points, st.sampled_from(["1/2", "9/10"]), st.sampled_from(["L0", "L1"]))
def test_rounded_distances_are_never_less_private(places, alpha, loss):
    """Points of a plane with distances to six digits: the design holds alpha^d for the distances as given."""
    raw = [[((a - c) ** 2 + (b - d) ** 2) ** 0.5 for c, d in places] for a, b in places]
    closed = np.ceil(np.array(raw) * 10**6).astype(np.int64)  # rounding up keeps the triangle inequality after closing
    distances = [[Fraction(int(value), 10**6) for value in row] for row in shortest_paths(closed)]
    model = Model.metric(distances)
    result = design(DesignProblem(model=model, alpha=alpha, loss=loss))
    assert distances_hold(result.mechanism.weights, model.distances, Fraction(alpha))
    steps = in_steps(model.distances, model.unit)
    assert (shortest_paths(steps) == steps).all()
    assert all(steps[j][k] * model.unit <= model.distances[j][k] for j in range(model.size) for k in range(model.size))
    assert (model.graph.distances == steps).all()


def test_distances_hold_is_the_definition():
    alpha = Fraction(1, 4)
    half = ((Fraction(0), Fraction(1, 2)), (Fraction(1, 2), Fraction(0)))
    assert distances_hold([[201, 399], [399, 201]], half, alpha)
    assert not distances_hold([[199, 401], [401, 199]], half, alpha)
    assert not distances_hold([[1, 0], [0, 1]], half, alpha)
    assert distances_hold([[1, 2], [2, 1], [0, 0]], half, alpha)
    for far in (10**30, 10**300):
        assert not distances_hold([[far - 1, 2 * far + 1], [2 * far + 1, far - 1]], half, alpha)
        assert distances_hold([[far + 1, 2 * far - 1], [2 * far - 1, far + 1]], half, alpha)


def test_a_band_is_a_metric_only_at_its_ends():
    assert NeighbourGraph.metric(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])).is_complete
