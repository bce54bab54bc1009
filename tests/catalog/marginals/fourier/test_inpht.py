"""INPHT against dense linear algebra, its weights against published ratios, and what it refuses."""

import itertools
import math
import pickle

import numpy as np
import pytest
from branch_enumeration import enumerated
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares, subsets_of
from mechdesign_catalog.oracles import Reports, State, merged

THIRD = Privacy(alpha="1/3")


def collected(oracle, users=3000, seed=1):
    """A state of skewed users."""
    generator = np.random.default_rng(seed)
    values = np.stack([np.minimum(generator.geometric(0.4, users) - 1, r - 1) for r in oracle.domains], axis=1)
    return oracle.aggregate(oracle.privatize(values, seeded_words(seed)))


def observed(oracle, state):
    """Signs of each coefficient over tuples, what users told of it, and how many users of its set for each word."""
    rows, means, each = [], [], []
    tuples = list(itertools.product(*map(range, oracle.domains)))
    counts, sums = iter(state.sums[: oracle.branches].tolist()), iter(state.sums[oracle.branches :].tolist())
    places = [max(1, math.ceil(math.log2(items))) for items in oracle.domains]
    kept = 1 / 2
    for size in range(1, oracle.way + 1):
        for attributes in itertools.combinations(range(len(oracle.domains)), size):
            words = list(itertools.product(*(range(1, 2 ** places[i]) for i in attributes)))
            users = next(counts)
            for word in words:
                rows.append(
                    [(-1) ** sum((j & x[i]).bit_count() for i, j in zip(attributes, word, strict=True)) for x in tuples]
                )
                means.append(next(sums) * len(words) / users / kept)
                each.append(users / len(words))
    return np.array(rows, dtype=float), np.array(means), np.array(each)


def marginal(joint, domains, subset):
    others = tuple(i for i in range(len(domains)) if i not in subset)
    return joint.reshape(domains).sum(axis=others).reshape(-1)


def test_binary_tables_are_the_inverse_of_the_whole_matrix():
    """At k = d the coefficients are the Hadamard transform of all tuples' shares, and its inverse gives every table."""
    oracle = Inpht((2,) * 4, THIRD, way=4)
    state = collected(oracle)
    rows, means, _ = observed(oracle, state)
    joint = np.linalg.solve(np.vstack([np.ones(16), rows]), np.concatenate([[1.0], means]))
    for size in range(1, 5):
        for subset in subsets_of(4, size):
            for tables in (oracle.raw, oracle.least_squares):
                assert tables.estimate(state, [subset])[0] == pytest.approx(marginal(joint, oracle.domains, subset))


@pytest.mark.parametrize(
    ("domains", "way", "draw"),
    [((2, 2, 2), 2, "roots"), ((3, 5, 2), 2, "roots"), ((3, 3, 6), 3, "uniform"), ((5, 4, 3), 2, "uniform")],
    ids=["2x2x2", "3x5x2", "3x3x6 all three", "5x4x3 uniform"],
)
def test_least_squares_is_that_of_all_coefficients_at_once(domains, way, draw):
    """Dense: the shares of all tuples that fit all coefficients best, weighed by their users, with the sum 1."""
    oracle = Inpht(domains, THIRD, way=way, draw=draw)
    state = collected(oracle)
    rows, means, each = observed(oracle, state)
    scaled = np.sqrt(each)[:, None]
    even = np.full(math.prod(domains), 1 / math.prod(domains))
    contrasts = np.linalg.svd(np.ones((1, len(even))))[2][1:].T
    joint = (
        even
        + contrasts @ np.linalg.lstsq(scaled * (rows @ contrasts), scaled[:, 0] * (means - rows @ even), rcond=1e-12)[0]
    )
    for size in range(1, way + 1):
        for subset in subsets_of(len(domains), size):
            found = oracle.least_squares.estimate(state, [subset])[0]
            assert found == pytest.approx(marginal(joint, domains, subset), abs=1e-12)


@pytest.mark.parametrize(
    ("d", "way", "ratio"),
    [(4, 2, 0.93), (8, 2, 0.80), (8, 3, 0.72), (16, 2, 0.68), (24, 2, 0.62), (16, 3, 0.50), (32, 3, 0.37), (9, 1, 1)],
)
def test_root_weights_bring_the_stated_part_of_the_variance(d, way, ratio):
    means = []
    for draw in ("roots", "uniform"):
        oracle = Inpht((2,) * d, THIRD, way=way, draw=draw)
        users = oracle.planned_users(10**9)
        means.append(oracle.raw.variances(tuple(range(way)), UniformShares(oracle.domains), users).mean())
    assert means[0] / means[1] == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize("domains", [(2,) * 6, (3, 5, 2, 9)], ids=["binary", "mixed"])
def test_root_weights_are_best_for_all_cells(domains):
    """Moving chance between sets of attributes raises the average variance of tables by inversion."""
    oracle = Inpht(domains, THIRD)
    tables = subsets_of(len(domains), 2)

    def average(chances):
        users = 1e9 * chances / chances.sum()
        return sum(oracle.raw.variances(table, UniformShares(domains), users).sum() for table in tables)

    # the shares count little, as they are even
    best = np.array([float(chance) for chance in oracle.branch_chances])
    least = average(best)
    generator = np.random.default_rng(3)
    for _ in range(20):
        step = generator.normal(0, 0.05, len(best))
        assert average(best * np.exp(step)) > least


@settings(max_examples=20)
@given(cuts=st.lists(st.integers(0, 90), max_size=3), order=st.randoms())
def test_states_merge_in_any_order(cuts, order):
    oracle = Inpht((2, 3, 2), THIRD)
    reports = oracle.privatize(np.zeros((90, 3), dtype=np.int64), seeded_words(2))
    ends = [0, *sorted(cuts), 90]
    pieces = [oracle.aggregate(reports[a:b]) for a, b in itertools.pairwise(ends)]
    order.shuffle(pieces)
    whole = oracle.aggregate(reports)
    assert np.array_equal(merged(pieces).sums, whole.sums)
    assert merged(pieces).users == whole.users == 90


def test_least_squares_of_powers_of_two_is_raw():
    oracle = Inpht((2, 4, 8), THIRD)
    assert oracle.least_squares is oracle.raw


def test_oracles_travel_between_processes():
    oracle = Inpht((3, 5), THIRD)
    state = collected(oracle)
    tables = oracle.least_squares.estimate(state, [(0,), (0, 1)])
    again = pickle.loads(pickle.dumps(oracle))
    assert again == oracle
    for one, other in zip(again.least_squares.estimate(state, [(0,), (0, 1)]), tables, strict=True):
        assert np.array_equal(one, other)


def test_what_is_refused():
    with pytest.raises(InputError, match="draw must be roots or uniform, got draw=other"):
        Inpht((2, 2), THIRD, draw="other")
    with pytest.raises(InputError, match=r"k must be in 1\.\.2"):
        Inpht((2, 2), THIRD, way=3)
    with pytest.raises(InputError, match="at most 1024 items for inpht, got 1025"):
        Inpht((2, 1025), THIRD)
    with pytest.raises(InputError, match="k must leave at most"):
        Inpht((2,) * 100, THIRD, way=5)
    oracle = Inpht((2, 2), THIRD)
    with pytest.raises(InputError, match=r"reports must have report in 0\.\.5, got 6 in row 1"):
        oracle.aggregate(Reports(oracle.parameters, {"report": np.array([6])}))
    with pytest.raises(InputError, match="must have the columns report, got other"):
        oracle.aggregate(Reports(oracle.parameters, {"other": np.array([1])}))
    with pytest.raises(InputError, match="sums of the signs of its users, got 2 from 1 for attribute 1"):
        oracle.users_of(State(oracle.parameters, 3, np.array([1, 1, 1, 2, 1, 1])))


def few(oracle, *supports):
    """Two reports of each of some supports, both of its first coefficient: plus, and minus."""
    starts = oracle.supports.starts[[oracle.supports.numbers[support] for support in supports]]
    return oracle.aggregate(Reports(oracle.parameters, {"report": np.concatenate([2 * starts, 2 * starts + 1])}))


def test_a_table_is_refused_only_where_nobody_told_of_it():
    binary = Inpht((2, 2, 2), THIRD)
    state = few(binary, (0,), (1,), (0, 1))
    assert binary.raw.estimate(state, [(0, 1)])[0] == pytest.approx(np.full(4, 0.25))
    message = "attributes 1, 3 must have a report, got none from 6 users, each about one of 6"
    with pytest.raises(NoAnswerError, match="attribute 3 must have a report"):
        binary.raw.estimate(state, [(0, 2)])
    with pytest.raises(NoAnswerError, match="attribute 3 must have a report"):
        binary.raw.covariance((0, 2), UniformShares((2, 2, 2)), binary.users_of(state))
    with pytest.raises(NoAnswerError, match=message):
        binary.raw.estimate(few(binary, (0,), (1,), (2,)), [(0, 2)])
    mixed = Inpht((3, 2, 5), THIRD)
    state = few(mixed, (0,), (0, 2))  # attribute 3 is told by pairs with attribute 1, whose codes are not all used
    users, shares = mixed.users_of(state), UniformShares((3, 2, 5))
    assert mixed.least_squares.estimate(state, [(0, 2)])[0].sum() == pytest.approx(1)
    assert (mixed.least_squares.variances((2,), shares, users) > 0).all()
    for ask in (
        lambda: mixed.least_squares.estimate(state, [(1,)]),
        lambda: mixed.least_squares.covariance((1, 2), shares, users),
        lambda: mixed.raw.estimate(state, [(0, 2)]),
    ):
        with pytest.raises(NoAnswerError, match="must have a report, got none from 4 users, each about one of 6"):
            ask()


def test_covariance_by_enumeration_where_some_sets_have_no_user():
    oracle = Inpht((3, 2, 5), THIRD)
    counts, values = (
        np.array([2, 0, 0, 1, 3, 0]),
        np.array([[0, 1, 2], [2, 0, 4], [0, 0, 0], [1, 1, 1], [0, 1, 4], [0, 0, 2]]),
    )
    for subset in [(0,), (2,), (0, 2)]:
        mean, covariance = enumerated(oracle, oracle.least_squares, subset, values, counts)
        shares = PeopleShares(oracle.domains, values)
        assert mean == pytest.approx(shares.table(subset), abs=1e-10)
        found = oracle.least_squares.covariance(subset, shares, counts.astype(float))
        assert found == pytest.approx(covariance, abs=1e-9 * np.abs(covariance).max())
