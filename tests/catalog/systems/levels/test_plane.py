"""Two dimensions against dense algebra: inference, variances of single rectangles, sums over all rectangles."""

import numpy as np
import pytest
from dense_contrasts import constrained_inverse, grid, half_signs, node_sums, padded

from mechdesign.workloads.grid import Grid
from mechdesign.workloads.queries import Rectangles
from mechdesign_catalog.closed_forms.workload_sums import workload_sums
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.contrasts.side_energies import side_energies
from mechdesign_catalog.decoders.planes.estimators import haar_scores, tree_scores
from mechdesign_catalog.decoders.planes.inference import eigenvalues, inferred
from mechdesign_catalog.decoders.planes.rectangle_sums import PlaneShares, level_sums

TREES = [
    (Side(4, (1, 2, 4)), Side(5, (1, 3, 6))),
    (Side(7, (1, 2, 4, 8)), Side(3, (1, 4))),
    (Side(9, (1, 3, 9)), Side(4, (1, 2, 4))),
    (Side(2, (1, 2)), Side(2, (1, 2))),
]
BINARY = [
    (Side(4, (1, 2, 4)), Side(4, (1, 2, 4))),
    (Side(3, (1, 2, 4)), Side(7, (1, 2, 4, 8))),
    (Side(2, (1, 2)), Side(5, (1, 2, 4, 8))),
]
GENERATOR = np.random.default_rng(20)


def pairs(sides):
    top = sides[0].rows - 1, sides[1].rows - 1
    return [(a, b) for a in range(sides[0].rows) for b in range(sides[1].rows) if (a, b) != top]


def some_weights(sides):
    return np.random.default_rng(7).uniform(0.2, 3, (sides[0].rows, sides[1].rows))


def tree_matrices(sides):
    one, two = sides
    return {
        (a, b): np.kron(node_sums(one.sizes[a], one.leaves), node_sums(two.sizes[b], two.leaves))
        for a, b in pairs(sides)
    }


def haar_matrices(sides):
    def signs(side, row):
        return half_signs(side.sizes[row + 1], side.leaves) if row < side.rows - 1 else np.ones((1, side.leaves))

    return {(a, b): np.kron(signs(sides[0], a), signs(sides[1], b)) for a, b in pairs(sides)}


def normal_inverse(sides, weights):
    matrices = tree_matrices(sides)
    repeated = np.concatenate([np.full(len(matrix), weights[pair]) for pair, matrix in matrices.items()])
    return constrained_inverse(np.vstack(list(matrices.values())), repeated)


def all_runs(side):
    """The ends of all ranges, and of all arcs over the end, with their weights."""
    items = np.arange(side.items)
    first, last = (corner.ravel() for corner in np.meshgrid(items, items))
    first, last = first[first != last + 1], last[first != last + 1]
    inside, before, after = first <= last, items <= last[:, None], items >= first[:, None]
    return (first, last), np.where(inside[:, None], before & after, before | after)


def all_rectangles(sides):
    ends, weights = zip(*map(all_runs, sides), strict=True)
    one, two = np.divmod(np.arange(len(weights[0]) * len(weights[1])), len(weights[1]))
    asked = *(end[one] for end in ends[0]), *(end[two] for end in ends[1])
    dense = grid(*(padded(of_side, side) for of_side, side in zip(weights, sides, strict=True)))
    return Rectangles((sides[0].items, sides[1].items), *asked, (True, True)), dense


def on_leaves(sides, shares):
    table = np.zeros((sides[0].leaves, sides[1].leaves))
    table[: sides[0].items, : sides[1].items] = shares.reshape(sides[0].items, -1)
    return table.ravel()


@pytest.mark.parametrize("sides", TREES, ids=str)
@pytest.mark.parametrize("equal", [True, False])
def test_inference_is_constrained_weighted_least_squares(sides, equal):
    weights = np.ones((sides[0].rows, sides[1].rows)) if equal else some_weights(sides)
    matrices = tree_matrices(sides)
    noisy = {pair: GENERATOR.normal(size=len(matrix)) for pair, matrix in matrices.items()}
    design = np.vstack(list(matrices.values()))
    inverse_variances = np.concatenate([np.full(len(matrix), weights[pair]) for pair, matrix in matrices.items()])
    leaves = design.shape[1]
    system = np.block(
        [[design.T @ (inverse_variances[:, None] * design), np.ones((leaves, 1))], [np.ones((1, leaves)), 0.0]]
    )
    right = design.T @ (inverse_variances * np.concatenate(list(noisy.values())))
    expected = np.linalg.solve(system, [*right, 1.0])[:leaves]
    one, two = sides
    tables = [
        [noisy.get((a, b), np.full(1, np.nan)).reshape(one.leaves // one.sizes[a], -1) for b in range(two.rows)]
        for a in range(one.rows)
    ]
    found = inferred(sides, tables, weights)
    assert found.ravel() == pytest.approx(expected, abs=1e-12)
    assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("sides", TREES, ids=str)
def test_variance_of_rectangles_is_that_of_the_dense_inverse(sides):
    """`sum over pairs of contrasts of |P o_1|^2 |P o_2|^2 / lambda`; not a product of one-dimensional variances."""
    weights = some_weights(sides)
    _, dense = all_rectangles(sides)
    inverse = normal_inverse(sides, weights)
    rows, columns = (side.energies(*all_runs(side)[0]) for side in sides)
    spread = 1 / eigenvalues(sides, weights)
    spread[-1, -1] = 0
    expected = np.einsum("qx,xy,qy->q", dense, inverse, dense)
    assert (rows.T @ spread @ columns).ravel() == pytest.approx(expected, abs=1e-13)


def test_equal_weights_have_the_closed_form_of_one_dimensional_parts():
    """`c1 c2 + c1 k2 + k1 c2` with `mu = (B^(h+1) - 1)/(B - 1)`; a rectangle with a full side keeps its variance."""
    side = Side(9, (1, 3, 9))
    sides = side, side
    first, last = np.array([1, 0, 2]), np.array([5, 8, 2])
    sizes = np.array([1.0, 4.0])
    energies = side.energies(first, last)
    c = (energies[:-1] / sizes[:, None]).sum(axis=0)
    k = energies[-1] / 13
    spread = 1 / eigenvalues(sides, np.ones((3, 3)))
    spread[-1, -1] = 0
    found = np.einsum("iq,ij,jr->qr", energies, spread, energies)
    assert found == pytest.approx(np.outer(c, c) + np.outer(c, k) + np.outer(k, c), rel=1e-14)
    assert found[1, 0] > 0


def dense_sums(scores, shares):
    """For each pair the squares of node weights, and mean and mean square over users of their own scores."""
    for pair, (weights, matrix) in scores.items():
        own = weights @ matrix
        yield pair, (weights**2).sum(axis=1), own @ shares, own**2 @ shares


def tree_case(sides):
    weights = some_weights(sides)
    _, dense = all_rectangles(sides)
    answers = normal_inverse(sides, weights) @ dense.T
    scores = {pair: (weights[pair] * (matrix @ answers).T, matrix) for pair, matrix in tree_matrices(sides).items()}
    return tree_scores(sides, weights), scores


def haar_case(sides):
    _, dense = all_rectangles(sides)
    matrices = haar_matrices(sides)
    return haar_scores(sides), {
        pair: (dense @ matrix.T / (matrix[0] ** 2).sum(), matrix) for pair, matrix in matrices.items()
    }


CASES = [*((tree_case, sides) for sides in TREES), *((haar_case, sides) for sides in BINARY)]
every_case = pytest.mark.parametrize(("case", "sides"), CASES, ids=lambda part: getattr(part, "__name__", str(part)))


@every_case
def test_level_sums_are_those_of_dense_weights(case, sides):
    closed, scores = case(sides)
    queries, dense = all_rectangles(sides)
    shares = np.random.default_rng(3).dirichlet(np.ones(queries.k))
    found = level_sums(closed, queries, PlaneShares.of(sides, shares))
    total = np.zeros(len(queries))
    for pair, squares, answers, square_answers in dense_sums(scores, on_leaves(sides, shares)):
        assert found.squares[pair] == pytest.approx(squares, abs=1e-13)
        assert found.answers[pair] == pytest.approx(answers, abs=1e-13)
        assert found.square_answers[pair] == pytest.approx(square_answers, abs=1e-13)
        total += answers
    area = dense.sum(axis=1) / (sides[0].leaves * sides[1].leaves)
    assert total + area == pytest.approx(queries.apply(shares), abs=1e-12)


@every_case
@pytest.mark.parametrize("kinds", [("ranges", "ranges"), ("prefixes", "prefixes"), ("circular", "prefixes")])
def test_sums_over_a_grid_are_those_of_its_rectangles(case, sides, kinds):
    closed, _ = case(sides)
    workload = Grid((sides[0].items, sides[1].items), kinds)
    queries, k = workload.queries(), workload.k
    single = level_sums(closed, queries, PlaneShares.of(sides, np.full(k, 1 / k)))
    found = workload_sums(closed, *map(side_energies, sides, workload.sides))
    assert found.squares == pytest.approx(single.squares.sum(axis=2), rel=1e-12, abs=1e-12)
    assert found.square_answers == pytest.approx(single.square_answers.sum(axis=2), rel=1e-12, abs=1e-12)
    assert found.squared_answers == pytest.approx((single.answers**2).sum(axis=2), rel=1e-12, abs=1e-12)
