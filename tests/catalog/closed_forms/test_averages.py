"""Averages and largest variances over workloads, and collisions: against all queries one by one, and golden values."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, parse_workload
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.closed_forms import equal_shares
from mechdesign_catalog.closed_forms.collisions import Correlations, mean_centred_energy_at_uniform_shares
from mechdesign_catalog.closed_forms.decomposed_averages import decomposed_squares
from mechdesign_catalog.closed_forms.largest import Ends, largest_by_ends, square_factors
from mechdesign_catalog.decoders.contrasts.side_energies import block_products
from mechdesign_catalog.decoders.trees.plan import contrast_energies
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.levels import hierarchical
from mechdesign_catalog.systems.levels.haar import Haar
from mechdesign_catalog.systems.levels.haar2 import Haar2
from mechdesign_catalog.systems.levels.hh2 import HierarchicalHistograms2
from mechdesign_catalog.systems.levels.hierarchical import HierarchicalHistograms
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.testing import OracleLaw

CASES = [
    (16, 2, "oue-hrr", "uniform"),
    (27, 3, "grr", "3-2-1"),
    (24, 4, "auto", "1-2-3"),
    (5, 8, "olh", "uniform"),
    (7, 2, "hrr", "3-2-1"),
    (61, 4, "grr", "1-2-3"),
    (120, 4, "auto", "optimal"),
    (33, 2, "oue", "uniform"),
    (37, 4, "ss", "2-1-3"),
    (65, 4, "hrr", "prefixes"),
    (17, 16, "olh", "histogram"),
]
every_tree = pytest.mark.parametrize(("k", "b", "choice", "levels"), CASES)
TINY = Privacy(epsilon="1e-6")


def tree(k: int, b: int, privacy: Privacy = TINY, **options: str) -> HierarchicalHistograms:
    oracle = make_oracle("hh", k, privacy, b=b, **options)
    assert isinstance(oracle, HierarchicalHistograms)
    return oracle


@every_tree
@pytest.mark.parametrize("estimate", ["ci", "raw"])
def test_averages_and_largest_are_those_of_all_queries(k, b, choice, levels, estimate):
    oracle = tree(k, b, Privacy(epsilon=1), in_=choice, levels=levels, estimate=estimate)
    for workload in (Ranges(k), Prefixes(k), Histogram(k), FixedRanges(k, k // 2), Arcs(k)):
        variances = oracle.answer_variance(workload.queries(), np.full(k, 1 / k), 50)
        assert oracle.average_variance(workload, 50) == pytest.approx(variances.mean(), rel=1e-12)
        assert oracle.largest_variance(workload, 50) == pytest.approx((variances.max(),) * 2, rel=1e-12)


def test_the_largest_does_not_depend_on_the_way_to_it(monkeypatch):
    """By pairs of blocks, of which a node with many children has too many, and range by range."""
    oracle = tree(61, 4, Privacy(epsilon=1), in_="grr", levels="1-2-3")
    fast = oracle.largest_variance(Ranges(61), 50)
    monkeypatch.setattr(hierarchical, "MOST_BLOCKS", 0)
    assert oracle.largest_variance(Ranges(61), 50) == pytest.approx(fast, rel=1e-12)
    monkeypatch.setattr(hierarchical, "MOST_EXACT", 0)
    monkeypatch.setattr("mechdesign_catalog.closed_forms.largest.MOST_BLOCKS", 0)
    value, bound = oracle.largest_variance(Ranges(61), 50)
    assert value <= fast[0] * (1 + 1e-12) < bound


@every_tree
@pytest.mark.parametrize(("estimate", "epsilon"), [("ci", 1), ("ci", 8), ("raw", 1), ("raw", 8)])
def test_the_largest_of_many_queries_is_between_value_and_bound(k, b, choice, levels, estimate, epsilon, monkeypatch):
    """With epsilon 8 the draw of the levels makes more of the variance than the reports."""
    oracle = tree(k, b, Privacy(epsilon=epsilon), in_=choice, levels=levels, estimate=estimate)
    for workload in (Ranges(k), Prefixes(k)):
        exact, _ = oracle.largest_variance(workload, 50)
        with monkeypatch.context() as patch:
            patch.setattr(hierarchical, "MOST_EXACT", 0)
            patch.setattr("mechdesign_catalog.closed_forms.largest.SAMPLED", 4)
            value, bound = oracle.largest_variance(workload, 50)
        assert 0 < value <= exact * (1 + 1e-12)
        assert exact <= bound * (1 + 1e-12)
        if (estimate, epsilon) == ("ci", 1) and workload.name == "ranges":
            assert bound <= 1.6 * value


@pytest.mark.parametrize(
    ("log2_k", "b", "golden"),
    [
        (8, 2, 12.40), (8, 4, 11.80), (8, 16, 14.73), (12, 2, 26.64), (12, 4, 26.72), (12, 8, 29.91), (12, 16, 36.15),
        (16, 2, 46.2), (16, 4, 47.6), (16, 16, 67.0), (20, 2, 71.067), (20, 4, 74.541), (20, 16, 107.135),
        (24, 2, 101.280), (24, 4, 107.449), (24, 8, 125.162), (24, 16, 156.687), (24, 64, 290.740),
    ],
)  # fmt: skip
def test_height_times_the_average_over_all_ranges(log2_k, b, golden):
    """Node variances of 1: exact in fractions, where 64-bit whole numbers would overflow from 2^20 on."""
    shape, workload = Tree(1 << log2_k, b), Ranges(1 << log2_k)
    tellings = [sum(shape.sizes[level:]) for level in range(shape.height)]
    energies = contrast_energies(shape, workload)
    noise = sum(energy / telling for energy, telling in zip(energies, tellings, strict=True))
    average = Fraction(shape.height) * noise / workload.count
    assert float(average) == pytest.approx(golden, abs=6e-4 if golden > 71 else 0.06 if golden > 46 else 6e-3)


@pytest.mark.parametrize(
    ("epsilon", "goldens"),
    [("1/5", (4.29, 4.19, 4.68)), ("1.1", (0.753, 0.734, 0.816)), ("1.4", (0.578, 0.563, 0.624))],
)
def test_root_mean_squared_errors_of_the_published_setting(epsilon, goldens):
    """All ranges of 2^8 items, 2^26 users: what table 5.2 of the thesis simulates."""
    found = [
        1000 * tree(256, b, Privacy(epsilon=epsilon)).average_variance(Ranges(256), 1 << 26) ** 0.5 for b in (2, 4, 16)
    ]
    assert found == pytest.approx(goldens, rel=3e-3)


@pytest.mark.parametrize(("k", "b", "golden"), [(256, 2, 19.31), (256, 4, 18.41), (256, 16, 22.59)])
def test_height_times_the_largest_over_all_ranges(k, b, golden):
    oracle = tree(k, b, in_="oue")
    one = float(oracle.moments[0].other)
    assert oracle.largest_variance(Ranges(k), 10**9)[0] * 10**9 / one == pytest.approx(golden, abs=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("b", "golden"), [(2, 39.65), (4, 40.59), (8, 45.63), (16, 54.94)])
def test_height_times_the_largest_at_2_to_12(b, golden):
    oracle = tree(1 << 12, b, in_="oue")
    one = float(oracle.moments[0].other)
    found = oracle.largest_variance(Ranges(1 << 12), 10**9)
    assert found[0] == found[1]
    assert found[0] * 10**9 / one == pytest.approx(golden, abs=6e-3)


def test_large_domains_take_value_and_bound_that_are_close():
    oracle = tree(1 << 20, 4, Privacy(epsilon=1))
    value, bound = oracle.largest_variance(Ranges(1 << 20), 10**6)
    assert value < bound < 1.05 * value
    ends = np.array([int("1" + "12" * 5, 4) % (1 << 20), int("2" + "21" * 5, 4) % (1 << 20)])
    middle = oracle.answer_variance(Intervals(1 << 20, ends[:1], ends[1:]), np.full(1 << 20, 2.0**-20), 10**6)
    assert middle[0] <= bound


def test_workloads_on_other_items_and_too_many_raw_queries_are_refused():
    for method in ("average_variance", "largest_variance"):
        with refused(InputError, about="workload"):
            getattr(tree(16, 2), method)(Ranges(9), 100)
    with refused(InputError, about="raw"):
        tree(1 << 24, 2, estimate="raw").average_variance(FixedRanges(1 << 24, 3), 100)
    with refused(InputError):
        tree(1 << 14, 2).largest_variance(Grid((128, 128)), 100)


ONE = Privacy(epsilon=1)
USERS = 5000


def one_by_one(oracle, workload, users=USERS):
    return oracle.answer_variance(workload.queries(), np.full(oracle.k, 1 / oracle.k), users)


@pytest.mark.parametrize("k", [2, 5, 8, 11, 16, 37])
@pytest.mark.parametrize("workload", [Ranges, Prefixes, Histogram])
@pytest.mark.parametrize("levels", ["uniform", "optimal"])
def test_haar_over_workloads(k, workload, levels):
    oracle, asked = Haar(k, Privacy(epsilon=3), levels), workload(k)
    found = one_by_one(oracle, asked)
    assert oracle.average_variance(asked, USERS) == pytest.approx(found.mean(), rel=1e-11)
    assert oracle.largest_variance(asked, USERS) == (found.max(), found.max())


PLANES = [
    Haar2(16, ONE, "4x4"),
    Haar2(15, ONE, "3x5"),
    HierarchicalHistograms2(16, ONE, "4x4", 2),
    HierarchicalHistograms2(27, ONE, "3x9", 3, "grr", "5-4-3-2-1"),
    HierarchicalHistograms2(35, ONE, "5x7", 2, "auto"),
    HierarchicalHistograms2(30, ONE, "5x6", 3, "hrr"),
]
every_plane = pytest.mark.parametrize("oracle", PLANES, ids=str)


@every_plane
def test_planes_over_workloads(oracle):
    for workload in (Grid(oracle.shape), Histogram(oracle.k)):
        found = one_by_one(oracle, workload)
        assert oracle.average_variance(workload, USERS) == pytest.approx(found.mean(), rel=1e-10)
        assert oracle.largest_variance(workload, USERS) == pytest.approx((found.max(), found.max()), rel=1e-10)


@every_plane
@pytest.mark.parametrize(("items", "factor"), [(1024, 1.9), (2, 5.5)])
def test_the_bound_of_a_plane_holds(oracle, items, factor, monkeypatch):
    """Within a factor of the truth: rows and columns are not at their worst together."""
    monkeypatch.setattr(equal_shares, "MOST_EXACT", 10)
    monkeypatch.setattr(equal_shares, "SAMPLED", 6)
    monkeypatch.setattr(equal_shares, "MOST_ITEMS", items)
    value, bound = oracle.largest_variance(Grid(oracle.shape), USERS)
    largest = one_by_one(oracle, Grid(oracle.shape)).max()
    assert value <= largest * (1 + 1e-12)
    assert largest <= bound < factor * largest


@pytest.mark.parametrize(("k", "factor"), [(8, 1.8), (64, 1.4), (512, 1.3), (50, 4.1)])
def test_the_bound_of_haar_holds(k, factor):
    oracle, shares = Haar(k, ONE, "optimal"), np.full(k, 1 / k)
    spans = oracle.side.spans[-2::-1]
    factors = square_factors((spans / k).tolist(), oracle.moments, oracle.users_by_branch(USERS)) / spans
    value, bound = largest_by_ends(
        Ends(Tree(k, 2), factors), Ranges(k), lambda queries: oracle.answer_variance(queries, shares, USERS)
    )
    largest = one_by_one(oracle, Ranges(k)).max()
    assert 0.9 * largest < value <= largest * (1 + 1e-12)
    assert largest <= bound < factor * largest


def test_haar_at_a_million_items_in_closed_form():
    """The average is near `A h^2 / (6 n)`, A = 4, its limit; the largest is told within 30 %."""
    oracle = Haar(1 << 20, Privacy(alpha="1/3"))
    average = oracle.average_variance(Ranges(1 << 20), 10**6)
    assert average == pytest.approx(4 * 20**2 / 6 / 10**6, rel=0.1)
    value, bound = oracle.largest_variance(Ranges(1 << 20), 10**6)
    assert average < value <= bound < 1.3 * value


def test_workloads_of_other_items_are_refused():
    with refused(InputError, about="workload"):
        Haar(8, ONE).average_variance(Ranges(9), 10)
    with refused(InputError, about="workload"):
        Haar2(8, ONE, "2x4").largest_variance(Grid((4, 2)), 100)


Span = tuple[int, int]


def taken_nodes(nodes: list[Span], parents: list[Span], query: Span) -> list[int]:
    """The nodes that lie in a range, and whose parents do not."""
    whole = [parent for parent in parents if lies_in(parent, query)]
    return [
        number
        for number, node in enumerate(nodes)
        if lies_in(node, query) and not any(lies_in(node, parent) for parent in whole)
    ]


def lies_in(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@given(k=st.integers(2, 26), b=st.integers(2, 30), kind=st.sampled_from([Ranges, Prefixes]))
def test_sums_over_all_queries_are_those_of_the_queries_one_by_one(k, b, kind):
    tree, parents = Tree(k, b), [(0, k)]
    queries = [(first, stop) for first in range(k if kind is Ranges else 1) for stop in range(first + 1, k + 1)]
    for size, found in zip(tree.sizes, decomposed_squares(tree, kind(k)), strict=True):
        nodes = [(start, min(start + size, k)) for start in range(0, k, size)]
        shares = np.array([stop - start for start, stop in nodes]) / k
        taken = [taken_nodes(nodes, parents, query) for query in queries]
        counts = np.array([len(some) for some in taken])
        answers = np.array([shares[some].sum() for some in taken])
        assert found.squares == counts.sum()
        assert found.squared_sums == (counts**2).sum()
        assert found.square_answers == pytest.approx(answers.sum(), rel=1e-12)
        assert found.sums_and_answers == pytest.approx((counts * answers).sum(), rel=1e-12)
        assert found.squared_answers == pytest.approx((answers**2).sum(), rel=1e-12)
        parents = nodes


@pytest.mark.parametrize("kind", [Ranges, Prefixes])
@pytest.mark.parametrize("choice", ["oue", "hrr", "grr"])
@pytest.mark.parametrize(("k", "b"), [(64, 4), (45, 3), (7, 9), (33, 2)])
def test_the_average_is_that_of_the_variances(k, b, choice, kind):
    oracle = parse_oracle(f"hh:b={b}:in={choice}:estimate=raw", k, Privacy(epsilon=1))
    variances = oracle.answer_variance(kind(k).queries(), np.full(k, 1 / k), 1000)
    assert oracle.average_variance(kind(k), 1000) == pytest.approx(variances.mean(), rel=1e-12)


def test_other_workloads_of_too_many_queries_are_refused():
    oracle = parse_oracle("hh:b=4:estimate=raw", 1 << 24, Privacy(epsilon=1))
    with refused(InputError, about="raw"):
        oracle.average_variance(FixedRanges(1 << 24, 2), 1000)


WORKLOADS = ["histogram", "prefixes", "ranges", "ranges:3"]


@pytest.mark.parametrize("k", [2, 7, 16, 21])
def test_intervals_have_the_energy_of_their_weights(k) -> None:
    """All intervals, by aligned blocks, against the sum over all pairs of items."""
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    first, last = np.triu_indices(k)
    weights = Intervals(k, first, last).weights()
    correlations = Correlations.of(shares)
    pairs = np.array([[sum(shares[x] * shares[x ^ d] for x in range(k) if x ^ d < k) for d in range(32)]])[0]
    matrix = np.array([[pairs[v ^ w] for w in range(k)] for v in range(k)])
    direct = np.einsum("qv,vw,qw->q", weights, matrix, weights)
    assert correlations.energy(Intervals(k, first, last)) == pytest.approx(direct, rel=1e-12)
    assert correlations.energy(LinearQueries(weights)) == pytest.approx(direct, rel=1e-12)
    assert correlations.energy_of_items() == pytest.approx(matrix[0, 0])


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("owners", [(0, 1), (2, 2)])
def test_estimated_correlations_are_unbiased(k, owners) -> None:
    """Exactly: in the mean over all public hashes and all pairs of reports of two users."""
    usual = make_oracle("hcms", k, Privacy(epsilon=1), hashes=2, width=2)
    found = []
    for judge in OracleLaw.of(usual).draws:
        score = [judge.oracle.estimate(judge.oracle.aggregate(report)) for report in judge.reports]
        for (one, p), (other, q) in itertools.product(*(zip(score, judge.chances[:, v], strict=True) for v in owners)):
            found.append(p * q * Correlations.estimated((one + other) / 2, usual.moments, 2, 2).values)
    truth = np.bincount(owners, minlength=k) / 2
    assert np.sum(found, axis=0) / 16 == pytest.approx(Correlations.of(truth).values, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "hashes", "width", "repetitions"), [(64, 16, 4, 200), (50, 8, 8, 200), (5, 1, 2, 200)])
def test_estimated_variances_of_answers_are_true_in_the_mean(k, hashes, width, repetitions) -> None:
    """Collisions are most of it; intervals, the whole, and weights of both signs."""
    counts = np.random.default_rng(k).multinomial(20_000, 1 / np.arange(1, k + 1) / (1 / np.arange(1, k + 1)).sum())
    values, truth = np.repeat(np.arange(k), counts), counts / 20_000
    random = np.random.default_rng(1).normal(size=(3, k))
    queries = LinearQueries(np.vstack([np.eye(k)[:2], np.tri(k)[[k // 2, k - 1]], random]))
    found = []
    for seed in range(repetitions):
        oracle = make_oracle("hcms", k, Privacy(epsilon=2), hashes=hashes, width=width, seed=seed)
        estimate = oracle.estimate(oracle.aggregate(oracle.privatize(values, seeded_words([k, seed]))))
        found.append(oracle.estimated_answer_variance(queries, estimate, 20_000))
        assert found[-1][:2] == pytest.approx(oracle.estimated_variance(estimate, 20_000)[:2], rel=1e-9)
    exact = oracle.answer_variance(queries, truth, 20_000)
    assert (exact > 3 * ExchangeableOracle.answer_variance(oracle, queries, truth, 20_000))[:4].all()
    ratio = np.mean(found, axis=0) / exact
    assert (ratio > 0.9).all()
    assert (ratio < 1.1).all() or hashes == 1  # a single hash with two places: an upper bound


def test_too_many_queries_for_collisions_are_refused(monkeypatch) -> None:
    oracle = make_oracle("hcms", 10, Privacy(epsilon=1))
    monkeypatch.setattr("mechdesign_catalog.closed_forms.collisions.MOST_STEPS", 32)
    with refused(InputError):
        oracle.answer_variance(LinearQueries(np.ones((3, 10))), np.full(10, 0.1), 5)


@pytest.mark.parametrize("workload", [*(f"{name} {k}" for name in WORKLOADS for k in (5, 8, 11, 16)), "grid:3,4 12"])
@pytest.mark.parametrize("options", [{}, {"hashes": 2, "width": 2}])
def test_workloads_at_uniform_shares_are_averages_of_all_their_answers(workload, options) -> None:
    name, k = workload.split()
    asked, oracle = parse_workload(name, int(k)), make_oracle("hcms", int(k), Privacy(epsilon=2), **options)
    for users in (1, 10**9):
        every = oracle.answer_variance(asked.queries(), np.full(int(k), 1 / int(k)), users)
        assert oracle.average_variance(asked, users) == pytest.approx(every.mean(), rel=1e-12)
        assert oracle.largest_variance(asked, users) == pytest.approx((every.max(), every.max()), rel=1e-12)


def test_weights_of_both_signs_are_gone_through(tmp_path) -> None:
    matrix = np.random.default_rng(5).normal(size=(6, 7)).round(3)
    np.savetxt(tmp_path / "w.csv", matrix, delimiter=",")
    asked, oracle = parse_workload(str(tmp_path / "w.csv"), 7), make_oracle("hcms", 7, Privacy(epsilon=2), hashes=4)
    every = oracle.answer_variance(LinearQueries(matrix), np.full(7, 1 / 7), 10**7)
    assert oracle.average_variance(asked, 10**7) == pytest.approx(every.mean(), rel=1e-12)
    assert oracle.largest_variance(asked, 10**7)[0] == pytest.approx(every.max(), rel=1e-12)


def test_averages_of_many_items_are_closed_forms() -> None:
    """Where k is a power of two, all a(d) are 1/k: a range of r items has D = r^2 (1/k - 1/k^2)."""
    k, users = 2**24, 10**8
    oracle = make_oracle("hcms", k, Privacy(epsilon=1))
    total = Fraction(k * (k + 1) ** 2 * (k + 2), 12)  # of (k + 1 - r) r^2 over all r
    spread = total / Fraction(k * (k + 1), 2) * (Fraction(1, k) - Fraction(1, k**2)) / (1024 * 1023)
    of_sums, of_squares = oracle.moments.at_uniform_shares(k)
    lengths = Fraction(k * (k + 1) * (k + 2), 6)
    noise = (of_sums * total + of_squares * lengths) / Fraction(k * (k + 1), 2) / users
    assert oracle.average_variance(parse_workload("ranges", k), users) == pytest.approx(
        float(noise + spread), rel=1e-13
    )


@given(st.integers(2, 70), st.sampled_from(["ranges", "prefixes", "histogram", "circular"]), st.data())
def test_closed_forms_are_those_of_matrices_that_are_written_down(k, name, data):
    workload, items = parse_workload(name, k), np.arange(k)
    edges = sorted({0, k, *data.draw(st.lists(st.integers(1, k - 1), max_size=6))})
    blocks = np.array([(first <= items) & (items < end) for first, end in itertools.pairwise(edges)], dtype=float)
    gram = np.array(workload.gram(), dtype=float)
    assert block_products(workload, tuple(edges)) == pytest.approx(blocks @ gram @ blocks.T, rel=1e-12)
    even = Correlations.of(np.full(k, 1 / k)).values[items[:, None] ^ items]
    centring = np.eye(k) - 1 / k
    dense = np.trace(centring @ even @ centring @ gram) / workload.count
    assert mean_centred_energy_at_uniform_shares(workload) == pytest.approx(dense, rel=1e-9, abs=1e-9)
