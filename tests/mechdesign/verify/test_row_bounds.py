"""What the proof of a workload design rests on, piece by piece: each against a slow statement of its own."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from row_documents import all_subsets, exact_pseudo_inverse, queries_of
from wording import refused

from mechdesign.verify import bounds, variances
from mechdesign.verify.bounds import positive_row, proved_bound
from mechdesign.verify.certificates import Certificate
from mechdesign.verify.matrices import SingularError, eliminated, is_semidefinite
from mechdesign.verify.texts import UnreadableError
from mechdesign.verify.variances import Rows, is_invariant, transformed, variances_of
from mechdesign.verify.workloads import digest_of, workload_of

NAMES = (
    *(("histogram", 5), ("prefixes", 7), ("ranges", 6), ("ranges:3", 8), ("ranges:1", 4), ("ranges:7", 8)),
    *(("grid:3,4", 12), ("marginals:2:2,2,2", 8), ("marginals:1:3,2", 6), ("marginals:2:3,2,2", 12)),
)


def rows_of(scale, prior, dual, prices) -> Certificate:
    return Certificate("rows", scale, {"prior": prior, "dual": dual, "prices": prices})


@pytest.mark.parametrize(("name", "k"), NAMES)
def test_a_workload_is_rebuilt_from_its_name(name, k):
    queries = queries_of(name, k)
    found = workload_of(name, k, None)
    columns = queries.T.tolist()
    firsts = [u for u in range(k) if columns[u] not in columns[:u]]
    assert [found.gram[a][b] for a in found.group_of for b in found.group_of] == (queries.T @ queries).ravel().tolist()
    assert [firsts[group] for group in found.group_of] == [columns.index(column) for column in columns]
    assert found.sizes == [columns.count(columns[u]) for u in firsts]


def given(k, queries):
    """The workload of given queries."""
    queries = [[Fraction(weight) for weight in row] for row in queries]
    return workload_of(f"x@{digest_of(queries)}", k, queries)


def test_given_queries_are_multiplied_out():
    found = given(3, [["1/2", "1/3", "1/3"]])
    assert (found.gram, found.denominator, found.sizes) == ([[9, 6], [6, 4]], 36, [1, 2])
    for name, weight in (("x@0123456789ab", 1), ("x@0123456789ab", 0), ("x", 1)):
        with pytest.raises(UnreadableError):
            workload_of(name, 1, [[Fraction(weight)]])


@pytest.mark.parametrize("inner", [0, 2, 10])
def test_all_rows_are_priced(inner, monkeypatch):
    monkeypatch.setattr(bounds, "INNER", inner)
    draw = random.Random(inner)
    seen = set()
    for _ in range(60):
        size, large = draw.randrange(2, 7), draw.choice([2, 10**6, 10**40])
        matrix = [[draw.randrange(-large, large) for _ in range(size)] for _ in range(size)]
        less = draw.choice([0, 1]) * large * size
        matrix = [[matrix[u][v] + matrix[v][u] - (u == v) * less for v in range(size)] for u in range(size)]
        p, q = draw.choice([(1, 2), (1, 3), (27634, 75117)])
        values = {
            "".join("10"[entry == p] for entry in row): np.array(row) @ np.array(matrix, dtype=object) @ np.array(row)
            for row in itertools.product((p, q), repeat=size)
        }
        found = positive_row(matrix, p, q)
        assert (found is None) == (max(values.values()) <= 0)
        assert found is None or values[found] > 0
        seen.add(found is None)
    assert seen == {True, False}


def test_no_number_of_ones_is_left_out_that_a_costly_row_has():
    draw, left_out = random.Random(7), 0
    for _ in range(60):
        free, lines = draw.randrange(-300, 10), [draw.randrange(-50, 150) for _ in range(6)]
        pairs = [[draw.randrange(-80, 20) for _ in range(6)] for _ in range(6)]
        pairs = [[pairs[max(u, v)][min(u, v)] for v in range(6)] for u in range(6)]
        costly = set()
        for bits in itertools.product((0, 1), repeat=6):
            ones = [u for u, bit in enumerate(bits) if bit]
            if free + sum(lines[u] + sum(pairs[u][v] for v in ones if v < u) for u in ones) > 0:
                costly.add(len(ones))
        found = bounds._costly_counts(free, lines, pairs)
        assert costly <= found <= set(range(7))
        left_out += 7 - len(found)
    assert left_out > 60


@pytest.mark.parametrize("cut", [0, 1, 7])
def test_cut_coefficients_never_lower_the_cost_of_a_row(cut):
    draw = random.Random(cut)
    for _ in range(40):
        lines = [draw.randrange(-1000, 1000) for _ in range(4)]
        pairs = [[draw.randrange(-1000, 1000) for _ in range(4)] for _ in range(4)]
        true, short = (17, lines, pairs), bounds._shortened(17, lines, pairs, cut)
        for bits in itertools.product((0, 1), repeat=4):
            ones = [u for u, bit in enumerate(bits) if bit]
            exact, cost = (
                free + sum(own[u] + sum(both[u][v] for v in ones if v < u) for u in ones)
                for free, own, both in (true, short)
            )
            assert exact <= cost << cut < exact + (12 << cut)


def test_a_row_that_costs_exactly_its_price_is_no_excess_and_one_more_is():
    """Numbers of 300 bits, of which 62 are looked at first."""
    large = 7**100
    matrix = [[0, large], [large, -2 * large]]  # 0 at (1, 1), 2 large (r_0 - r_1) r_1
    assert positive_row(matrix, 1, 2) == "10"
    matrix[0][0] = -large
    assert positive_row(matrix, 1, 2) is None  # -(r_0 - r_1)^2 - r_1^2
    matrix[1][1] = -large
    assert positive_row(matrix, 1, 2) is None  # -(r_0 - r_1)^2, exactly 0 for two rows
    matrix[0][1] = matrix[1][0] = large + 1
    assert positive_row(matrix, 1, 2) is not None


def test_rows_that_nearly_cost_their_prices_do_not_keep_a_checker_busy(monkeypatch):
    """A huge square that is 0 for six rows in sixteen, where nothing but a small square is left."""
    monkeypatch.setattr(bounds, "PASSES", ((40, 50), (64, 100)))
    huge = 10**60
    for size, is_long in ((8, False), (10, True)):
        signs = [1, 1, -1, -1] + [0] * (size - 4)
        matrix = [[-huge * sign * other - 1 for other in signs] for sign in signs]
        if is_long:
            with refused(ValueError):
                positive_row(matrix, 1, 3)
        else:
            assert positive_row(matrix, 1, 3) is None


def test_elimination_gives_the_trace_with_a_generalised_inverse():
    draw = random.Random(1)
    for _ in range(60):
        size, count = draw.randrange(1, 6), draw.randrange(1, 8)
        rows = np.array([[draw.randrange(0, 3) for _ in range(size)] for _ in range(count)], dtype=object)
        queries = np.array([[draw.randrange(-2, 3) for _ in rows] for _ in range(2)], dtype=object) @ rows
        matrix, gram = rows.T @ rows, queries.T @ queries
        kept, value, slope = eliminated(matrix.tolist(), gram.tolist())
        assert len(kept) == np.linalg.matrix_rank(matrix.astype(float))
        inverse = exact_pseudo_inverse(matrix + Fraction(0))
        assert Fraction(slope, value) == np.trace(gram @ inverse)


def test_answers_outside_the_rows_are_refused():
    with pytest.raises(SingularError):
        eliminated([[1, 1], [1, 1]], [[1, 0], [0, 1]])
    assert eliminated([[1, 1], [1, 1]], [[4, 4], [4, 4]]) == ([0], 1, 4)


def test_semidefinite_matrices_are_told_from_others():
    draw = random.Random(2)
    for _ in range(200):
        size = draw.randrange(1, 6)
        factor = np.array([[draw.randrange(-9, 10) for _ in range(size)] for _ in range(size)], dtype=object)
        matrix = factor @ factor.T + draw.choice([0, 1, -1, -30]) * np.eye(size, dtype=int)
        least = np.linalg.eigvalsh(matrix.astype(float)).min()
        if abs(least) > 1e-6:
            assert is_semidefinite(matrix.tolist()) == (least > 0)
    assert not is_semidefinite([[1, 2], [2, 4 - 1]])
    assert not is_semidefinite([[0]])
    assert not is_semidefinite([[10**40, 10**40], [10**40, 10**40 - 1]])
    assert is_semidefinite([[10**40, 10**40], [10**40, 10**40 + 10**9]])


def drawn_rows(draw, k, sizes):
    texts = all_subsets(k, *sizes)
    weights = {size: draw.randrange(1, 9) for size in sizes}
    return Rows([int(text[::-1], 2) for text in texts], [weights[text.count("1")] for text in texts], 0)


def whole(rows, alpha):
    """The same with the denominator that its weights have, times the numerator of alpha."""
    p, q = alpha.as_integer_ratio()
    total = sum(w * (q if bits & 1 else p) for bits, w in zip(rows.bits, rows.weights, strict=True))
    return Rows(rows.bits, [w * p for w in rows.weights], total)


@pytest.mark.parametrize(("name", "k", "sizes"), [("histogram", 5, [2]), ("marginals:2:2,2,2", 8, [2, 5])])
def test_symmetric_rows_have_the_variance_that_elimination_finds(name, k, sizes, monkeypatch):
    alpha, workload = Fraction(1, 3), workload_of(name, k, None)
    rows = whole(drawn_rows(random.Random(3), k, sizes), alpha)
    found = variances_of(workload, alpha, rows, [1] * k, False)
    monkeypatch.setattr(variances, "is_invariant", lambda rows, flips: False)
    monkeypatch.setattr(variances, "_by_balance", lambda workload, alpha, rows: None)
    general = variances_of(workload, alpha, rows, [1] * k, True)
    assert general.exact == found.exact
    assert set(found.low) == set(found.high) == {found.exact}
    assert all(low <= found.exact <= high for low, high in zip(general.low, general.high, strict=True))
    assert 0 < max(high - low for low, high in zip(general.low, general.high, strict=True)) < Fraction(1, 10**60)


def test_flips_and_the_walsh_transform():
    assert is_invariant(Rows([0b0011, 0b1100], [2, 2], 0), 2)
    assert not is_invariant(Rows([0b0011, 0b1100], [2, 3], 0), 2)
    assert not is_invariant(Rows([0b0011, 0b0101], [2, 2], 0), 2)
    assert transformed([1, 2, 3, 4]) == [10, -2, -4, 0]


@pytest.mark.parametrize(
    "queries", [[[1, 1, 0, 0], [0, 0, 1, 1]], np.eye(4, dtype=int).tolist()], ids=["merged", "unit"]
)
def test_only_what_is_named_so_is_a_histogram(queries):
    """Two groups of two items have the Gram matrix of a histogram, and a quarter of the variance of four items."""
    workload, size = given(4, queries), len(queries)
    levels = Certificate("levels", 25, {"prior": [1] * size, "prices": [12], "levels": [25]})
    assert proved_bound(workload_of("histogram", 4, None), Fraction(1, 2), levels) > 17
    with refused(ValueError):
        proved_bound(workload, Fraction(1, 2), levels)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), [("prefixes", 5), ("ranges:3", 5), ("marginals:2:2,2,2", 8)])
def test_no_certificate_proves_more_than_what_mechanisms_reach(name, k):
    """Random B with the least prices, under random priors, below random mechanisms."""
    draw, alpha = random.Random(name), Fraction(1, 3)
    workload = workload_of(name, k, None)
    reached = []
    for _ in range(12):
        rows = whole(drawn_rows(draw, k, draw.choice([[2], [1, 2], [1, 2, 3]])), alpha)
        reached.append(max(variances_of(workload, alpha, rows, [1] * k, False).high))
    ratio = int(1 / alpha)
    entries = np.array(list(itertools.product((1, ratio), repeat=k)), dtype=object)
    highest = 0
    for _ in range(12):
        dual = np.array([[draw.randrange(-3, 4) for _ in range(k)] for _ in range(k)]) + draw.choice([0, 40]) * np.eye(
            k, dtype=int
        )
        dual = dual + dual.T
        prior = np.array([draw.randrange(1, 5) for _ in range(k)])
        p = np.array([Fraction(int(weight), int(prior.sum())) for weight in prior])
        centring = np.eye(k, dtype=int) - np.outer(p, np.ones(k, dtype=int))
        squares = dual @ centring.T @ np.array(workload.gram) @ centring @ dual
        price = max(-(-(r @ squares @ r) // (r @ p * sum(r))) for r in entries)
        triangle = [[int(dual[u, v]) for v in range(u + 1)] for u in range(k)]
        certificate = rows_of(1, prior.tolist(), triangle, [int(price)] * k)
        highest = max(highest, proved_bound(workload, alpha, certificate))
        with refused(ValueError):
            proved_bound(workload, alpha, rows_of(1, prior.tolist(), triangle, [int(price) // 2] * k))
    assert 0 < highest <= min(reached)


def test_the_bound_of_one_question_is_that_of_randomised_response():
    """0.92067 at epsilon 1: an answer of two items, and B by hand."""
    alpha = Fraction(27634, 75117)
    workload = given(2, [[1, 0]])
    price = -(-(Fraction(1, 4) * 4 * (1 / alpha - 1) ** 2 * 10**12) // (1 / alpha + 1) ** 2)
    found = proved_bound(
        workload,
        alpha,
        rows_of(10**12, [1, 1], [[10**12], [0, 10**12]], [int(price) // 2 + 1] * 2),
    )
    rows = Rows([1, 2], [27634] * 2, 27634 + 75117)
    reached = variances_of(workload, alpha, rows, [1, 1], True).exact
    assert 0 <= reached - found < Fraction(1, 10**9)
    assert round(float(found), 5) == 0.92067
