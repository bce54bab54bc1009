"""The dominating pair has the largest curve of all ordered pairs of neighbours, at every place, exactly."""

import random
from fractions import Fraction

import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign.interop import dominating_pair as module
from mechdesign.interop.dominating_pair import dominating_pair, pair_of_law, upper_hull
from mechdesign.laws.finding import design_law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.model import Model
from mechdesign.problem.neighbours import NeighbourGraph

GRAPHS = {
    "path": NeighbourGraph.path(5),
    "complete": NeighbourGraph.complete(5),
    "band": NeighbourGraph.band(5, 2),
}


def random_mechanism(seed, outputs=4, inputs=5, zeros=False):
    """Random columns of whole numbers over one denominator; with zeros some outputs are impossible for some inputs."""
    generator = random.Random(seed)
    columns = []
    for _ in range(inputs):
        cuts = sorted(generator.randint(0, 60) for _ in range(outputs - 1))
        column = [high - low for low, high in zip([0, *cuts], [*cuts, 60], strict=True)]
        columns.append([weight if zeros else weight + 1 for weight in column])
    return Mechanism(tuple(zip(*columns, strict=True)), 60 if zeros else 60 + outputs)


def curve(mechanism, a, b, place):
    """sum_i max(P[i,a] - place P[i,b], 0)."""
    return sum(max(mechanism.fraction(i, a) - place * mechanism.fraction(i, b), 0) for i in range(mechanism.n_outputs))


def ordered_neighbours(graph):
    edges = graph.edges or [(a, b, 1) for a in range(graph.size) for b in range(a)]
    return [pair for a, b, _ in edges for pair in ((a, b), (b, a))]


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("zeros", [False, True], ids=["positive", "with zeros"])
def test_its_curve_is_the_largest_of_all_ordered_pairs(graph, zeros):
    for seed in range(6):
        mechanism = random_mechanism(seed, zeros=zeros)
        pair = dominating_pair(mechanism, graph)
        ratios = {Fraction(x, y) for one in (mechanism, pair) for row in one.weights for x in row for y in row if y}
        assert len(ratios) > 10
        for place in sorted(ratios | {Fraction(0), Fraction(1, 1000), Fraction(1000)}):
            largest = max(curve(mechanism, a, b, place) for a, b in ordered_neighbours(graph))
            assert curve(pair, 0, 1, place) == largest, (seed, place)


def test_no_pair_of_inputs_need_be_the_worst_everywhere():
    mechanism = Mechanism(((10, 5, 4), (2, 3, 8), (4, 8, 4)), 16)
    graph = NeighbourGraph.path(3)
    pair = dominating_pair(mechanism, graph)
    places = [Fraction(n, 20) for n in range(1, 60)]
    for a, b in ordered_neighbours(graph):
        assert any(curve(mechanism, a, b, place) < curve(pair, 0, 1, place) for place in places)


def test_points_below_the_hull_may_be_thrown_away_at_any_time(monkeypatch):
    whole = dominating_pair(random_mechanism(1, 6, 5), NeighbourGraph.complete(5))
    monkeypatch.setattr(module, "MOST_KEPT", 3)
    assert dominating_pair(random_mechanism(1, 6, 5), NeighbourGraph.complete(5)) == whole


def test_corners_of_a_hull_turn_right():
    assert upper_hull([(0, 0), (2, 1), (2, 5), (3, 6), (1, 4), (4, 6), (2, 5)]) == [(0, 0), (1, 4), (3, 6), (4, 6)]
    assert upper_hull([(0, 0), (1, 1), (2, 2)]) == [(0, 0), (2, 2)]


def test_a_mechanism_with_too_many_pairs_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 39)
    with refused(InputError):
        dominating_pair(random_mechanism(1), NeighbourGraph.complete(5))


@pytest.mark.parametrize(("properties", "loss"), [("WH,CM", "L0"), ("none", "L1"), ("RM", "L1"), ("WH", "L2")])
def test_a_layered_law_loses_what_randomised_response_loses_at_every_size(properties, loss):
    law = design_law(alpha="7/10", properties=properties, loss=loss)
    for n in (law.mechanism.least, law.mechanism.least + 1, law.least, law.least + 7):
        assert dominating_pair(law.mechanism.at(n), Model.count(n).graph) == pair_of_law(law)
    assert pair_of_law(law) == Mechanism(((10, 7), (7, 10)), 17)


@pytest.mark.parametrize("n", [2, 3, 12])
def test_the_fair_law_loses_no_more(n):
    law = design_law(alpha="7/10", properties="F")
    own, above = dominating_pair(law.at(n), Model.count(n).graph), pair_of_law(law)
    for g in (Fraction(k, 20) for k in range(40)):
        deltas = [
            sum(max(pair.fraction(i, 0) - g * pair.fraction(i, 1), 0) for i in range(pair.n_outputs))
            for pair in (own, above)
        ]
        assert deltas[0] <= deltas[1]
