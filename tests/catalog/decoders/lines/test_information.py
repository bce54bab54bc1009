"""What levels tell, against sums over all reports of small oracles; solutions against dense ones."""

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Centred, Intervals, LinearQueries
from mechdesign_catalog.decoders.lines import information
from mechdesign_catalog.decoders.lines.cut_level import CutLevel
from mechdesign_catalog.decoders.lines.information import Information, centred, gram_matrix, is_of_single_items
from mechdesign_catalog.decoders.lines.warp import Warp
from mechdesign_catalog.decoders.lines.weighing import LEAST_PART, carried, least_variance_chances
from mechdesign_catalog.randomizers.kernels.bits import row_width
from mechdesign_catalog.systems.flat.subset import SubsetSelection
from mechdesign_catalog.systems.registry import make_oracle

ONE = Privacy(epsilon=1)


def singles(k, privacy, size=None):
    return CutLevel(np.arange(k + 1)[None, :], SubsetSelection(k, privacy, size).moments)


def warped(k, cells, shifts, privacy, size=None):
    edges = Warp.tied(k, cells - 1).edges(cells - 1, shifts)
    return CutLevel(edges, SubsetSelection(cells, privacy, size).moments)


def scores_of_reports(oracle):
    """All reports of subset selection: their chances for each item, and their scores of all items."""
    law = oracle.report_law()
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    bits = np.array([np.unpackbits(np.array(key, dtype=np.uint8), bitorder="little")[: oracle.k] for key in law])
    assert row_width(oracle.k) == len(next(iter(law)))
    p, q = float(oracle.support.p), float(oracle.support.q)
    return chances, (bits - q) / (p - q)


CUTS = {
    "even": [[0, 2, 4, 6, 8, 10]],
    "uneven, some empty": [[0, 1, 1, 4, 9, 10], [0, 0, 3, 5, 10, 10]],
}


def test_solutions_without_the_inverse_have_its_variances():
    found = Information([singles(300, ONE, 80), warped(300, 5, 8, ONE)], np.array([0.5, 0.5]))
    ends = np.array([0, 30, 149, 280])
    queries = Intervals(300, np.zeros_like(ends), ends)
    exact, _ = found.variances(queries, np.full(300, 1 / 300))
    assert found.probed(queries) == pytest.approx(exact, rel=2e-4)


@pytest.mark.parametrize("edges", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_level_weighs_scores_by_the_inverse_of_their_covariance(edges, size):
    oracle = SubsetSelection(5, ONE, size)
    level = CutLevel(np.array(edges), oracle.moments)
    chances, scores = scores_of_reports(oracle)
    dense = np.zeros((10, 10))
    for row, cuts in enumerate(level.edges):
        cells = np.searchsorted(cuts, np.arange(10), side="right") - 1
        shares = np.bincount(cells, minlength=5) / 10
        centre = scores - shares
        covariance = (centre.T * (chances @ shares)) @ centre
        weighed = np.array([level.weighed(np.tile(unit, (len(edges), 1)))[row] for unit in np.eye(5)])
        assert covariance @ weighed @ covariance == pytest.approx(covariance, abs=1e-12)
        dense += weighed[np.ix_(cells, cells)] / len(edges)
    values = np.random.default_rng(1).normal(size=(10, 10))
    assert level.times(values[0]) == pytest.approx(dense @ values[0], abs=1e-12)
    of_sums = np.diff(np.diff(dense, axis=0), axis=1)
    assert level.matrix() == pytest.approx(of_sums, abs=1e-12)
    assert level.form().times(np.eye(9)) == pytest.approx(of_sums, abs=1e-12)


def matrix_of(pool):
    """The information that is applied level by level, written down."""
    return np.array([pool.times(unit) for unit in np.eye(pool.k)])


def test_answers_are_unbiased_and_their_variance_is_that_of_all_reports():
    k, oracles = 10, [SubsetSelection(3, ONE, 1), SubsetSelection(5, ONE, 2), SubsetSelection(10, ONE, 3)]
    levels = [
        warped(k, 3, 2, ONE, 1),
        CutLevel(np.array(CUTS["uneven, some empty"]), oracles[1].moments),
        singles(k, ONE, 3),
    ]
    pool = Information(levels, np.array([0.5, 0.2, 0.3]))
    means, squares = np.zeros((k, k)), np.zeros((k, k, k))
    for level, chance, oracle in zip(levels, pool.chances, oracles, strict=True):
        chances, scores = scores_of_reports(oracle)
        for row, cuts in enumerate(level.edges):
            cells = np.searchsorted(cuts, np.arange(k), side="right") - 1
            padded = np.zeros((len(scores), level.shifts, level.cells))
            padded[:, row] = scores - level.shares[row]
            told = np.array([centred(level.at_items(level.weighed(one))) for one in padded])
            part = chance / level.shifts * chances[:, cells]  # report, item
            means += told.T @ part
            squares += np.einsum("ra,rb,ri->iab", told, told, part)
    assert means == pytest.approx(matrix_of(pool), abs=1e-12)  # unbiased: column u is A (e_u - 1/k)
    assert squares.mean(axis=0) == pytest.approx(matrix_of(pool), abs=1e-12)
    query = np.random.default_rng(2).normal(size=k)
    solved = pool.solved(query)
    expected = np.einsum("a,iab,b->i", solved, squares, solved) - centred(query) ** 2
    asked = LinearQueries(query[None, :])
    each = np.concatenate([pool.variances(asked, unit)[1] for unit in np.eye(k)])
    assert each == pytest.approx(expected)
    assert pool.variances(asked, np.full(k, 1 / k)) == pytest.approx((expected.mean(),) * 2)
    assert np.abs(expected - expected.mean()).max() < pool.widths(asked, expected.mean(keepdims=True))[0]
    shares = np.random.default_rng(3).dirichlet(np.ones(k))
    two = np.array([query, np.arange(k) ** 2.0])
    solved_two = np.array([pool.solved(one) for one in two])
    products = np.einsum("qa,iab,rb->iqr", solved_two, squares, solved_two)
    inner = two - two.mean(axis=1, keepdims=True)
    joint = np.einsum("i,iqr->qr", shares, products) - (inner * shares) @ inner.T
    assert pool.covariance(two, solved_two, shares) == pytest.approx(joint)
    assert pool.variances(LinearQueries(two), shares)[1] == pytest.approx(np.diag(joint))
    assert pool.total_variance(Prefixes(k)) == pytest.approx(pool.variances(Prefixes(k).queries(), shares)[0].sum())


@pytest.fixture(scope="module")
def many():
    k, privacy = 333, Privacy(epsilon=2)
    return Information(
        [warped(k, 5, 8, privacy), warped(k, 32, 16, privacy), singles(k, privacy)], np.array([0.5, 0.3, 0.2])
    )


def test_iterated_solutions_are_the_dense_ones(many):
    right = centred(np.random.default_rng(3).normal(size=many.k))
    assert many.iterated(right) == pytest.approx(many.inverse @ right, rel=1e-9)
    assert many.times(many.solved(right)) == pytest.approx(right, abs=1e-10)
    assert (many.iterated(np.zeros(many.k)) == 0).all()


@pytest.mark.parametrize("k", [4, 43, 64])
@pytest.mark.parametrize("epsilon", ["1/2", 3])
def test_asked_variances_are_those_of_the_dense_covariance(k, epsilon, monkeypatch):
    """Solutions for the asked queries alone, with what hardly counts left out, against covariances by levels."""
    pool, generator = (
        make_oracle("warped-blocks", k, Privacy(epsilon=epsilon), levels="uniform").pool,
        np.random.default_rng(k),
    )
    shares = generator.dirichlet(np.ones(k)) + 0.1 * centred(generator.normal(size=k))
    intervals = Intervals(k, np.array([0, 1, k // 2, 0]), np.array([k // 3, k - 1, k // 2, k - 1]))
    for queries in (intervals, LinearQueries(generator.normal(size=(3, k))), Centred(intervals)):
        weights = queries.weights()
        inverse = np.linalg.pinv(matrix_of(pool))
        expected = np.diag(pool.covariance(weights, centred_rows(weights) @ inverse, shares))
        fair = information.FAIR
        for most, part, near in ((information.MOST_DENSE, fair, 1e-8), (3, 1e-6, 1e-4), (3, fair, 1e-3)):
            monkeypatch.setattr(information, "MOST_DENSE", most)
            monkeypatch.setattr(information, "FAIR", part)
            fresh = Information(pool.levels, pool.chances)
            assert fresh.variances(queries, shares)[1] == pytest.approx(expected, rel=near, abs=1e-9)
            monkeypatch.undo()


def centred_rows(weights):
    return weights - weights.mean(axis=1, keepdims=True)


def test_many_solutions_at_once_are_the_dense_ones(many):
    rights = np.random.default_rng(6).normal(size=(many.k - 1, 5))
    rights[:, 2] = 0
    solved, values = many.form.solved(rights, 1e-24)
    assert solved == pytest.approx(np.linalg.solve(many.matrix(with_leans=True), rights), abs=1e-9)
    assert values == pytest.approx((rights * solved).sum(axis=0))
    rough, values = many.form.solved(rights, 0.1)
    missing = values - (rights * solved).sum(axis=0)
    assert (np.abs(missing) < np.abs((rights * (rough - solved)).sum(axis=0)))[rights.any(axis=0)].all()


def test_single_precision_keeps_the_sum_of_each_row(many):
    """Sums of rows are what smooth vectors see; entries are exact to some 2^-20 of the largest."""
    forms = (many.form, many.form.single)
    double, single = (
        (form.half + form.half.T + form.rows.T @ form.products @ form.rows).toarray().astype(np.float64)
        for form in forms
    )
    largest = double.diagonal().max()
    graphs = [form.half + form.half.T for form in forms]
    sums = [np.asarray(graph.astype(np.float64).sum(axis=1)).ravel() for graph in graphs]
    np.testing.assert_allclose(sums[1], sums[0], rtol=0, atol=2**-24 * largest)
    np.testing.assert_allclose(single, double, rtol=0, atol=2**-20 * largest)
    assert many.form.single.half.dtype == np.float32
    rights = np.eye(len(double), 5)
    solved, values = many.form.single.solved(rights, 1e-9)
    assert solved.dtype == np.float32
    assert values == pytest.approx((rights * np.linalg.solve(double, rights)).sum(axis=0), rel=2e-6)


def test_the_least_eigenvalue_is_bounded_by_single_items(many):
    eigenvalues = np.linalg.eigvalsh(matrix_of(many))
    assert abs(eigenvalues[0]) < 1e-12
    assert 0 < many.least * (1 - 1e-12) <= eigenvalues[1] <= 2 * many.least
    assert [is_of_single_items(level) for level in many.levels] == [False, False, True]
    assert Information(many.levels[:2], many.chances[:2]).least == 0


def test_errors_of_rough_solutions_are_bounded(many):
    generator = np.random.default_rng(4)
    for error in (0.1, 1e-3, 1e-6):
        query, data = (centred(generator.normal(size=many.k)) for _ in range(2))
        exact = many.solved(data)
        rough = exact * (1 + error * generator.normal(size=many.k))
        difference, bound = (
            abs(query @ (rough - exact)),
            many.error_bounds(LinearQueries(query[None, :]), data, rough)[0],
        )
        assert 0 < difference <= bound


def test_levels_that_leave_shares_open_are_refused(many):
    with refused(NoAnswerError, about="levels"):
        _ = Information(many.levels[:1], np.ones(1)).inverse


def test_scores_that_do_not_add_up_are_refused():
    with refused(InputError, about="scores"):
        CutLevel(np.arange(5)[None, :], make_oracle("oue", 4, ONE).moments)


@pytest.mark.parametrize("workload", [Histogram(20), Prefixes(20), Ranges(20)], ids=lambda w: w.name)
def test_no_other_chances_make_a_workload_vary_less(workload):
    levels = [warped(20, 3, 4, ONE), warped(20, 6, 4, ONE), singles(20, ONE)]
    chances = least_variance_chances(levels, workload)
    weights = workload.queries().weights()
    weights = weights - weights.mean(axis=1, keepdims=True)
    assert gram_matrix(workload) == pytest.approx(weights.T @ weights)

    def variance(chances):
        return np.trace(weights @ np.linalg.pinv(matrix_of(Information(levels, chances))) @ weights.T)

    assert chances.sum() == pytest.approx(1)
    assert chances.min() >= 1 / (3 * LEAST_PART) - 1e-9
    least = variance(chances)
    for move in np.random.default_rng(5).dirichlet(np.ones(3), size=30):
        assert variance(0.9 * chances + 0.1 * move) >= least * (1 - 1e-5)
    if workload.name != "histogram":
        assert variance(np.array([0.1, 0.1, 0.8])) > 1.05 * least


def test_chances_are_carried_up_by_place():
    small = np.array([0.3, 0.2, 0.05, 0.1, 0.15, 0.2])
    assert carried(small, 3, 2, 0.1) == pytest.approx(np.array([0.3, 0.2, 0.05, 0.1, 0.1, 0.1, 0.15, 0.2]) / 1.2)
    assert carried(small, 3, 0, 0.1) == pytest.approx(small)
