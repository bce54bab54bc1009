"""INPHT and INPES: against dense algebra, weights and noise against published ratios, and what they refuse."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from data_files import needs_files
from judged_cells import judge_cells
from wording import refused

from mechdesign import InputError, NoAnswerError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog import open_item_table
from mechdesign_catalog.decoders.tables.subsets import PeopleShares, UniformShares, subsets_of
from mechdesign_catalog.systems import Reports, State
from mechdesign_catalog.systems.tables.fourier.functions import DENOMINATOR, hadamard_functions, orthogonal_functions
from mechdesign_catalog.systems.tables.fourier.inpes import Inpes
from mechdesign_catalog.systems.tables.fourier.inpht import Inpht
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_catalog.testing import OracleLaw

THIRD = Privacy(alpha="1/3")


def collected(oracle, users=3000, seed=1):
    """A state of skewed users."""
    generator = np.random.default_rng(seed)
    values = np.stack([np.minimum(generator.geometric(0.4, users) - 1, r - 1) for r in oracle.domains], axis=1)
    return oracle.aggregate(oracle.privatize(values, seeded_words(seed)))


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
    with refused(InputError, about="draw"):
        Inpht((2, 2), THIRD, draw="other")
    with refused(InputError, about="k"):
        Inpht((2, 2), THIRD, way=3)
    with refused(InputError):
        Inpht((2, 1025), THIRD)
    with refused(InputError, about="k"):
        Inpht((2,) * 100, THIRD, way=5)
    oracle = Inpht((2, 2), THIRD)
    with refused(InputError):
        oracle.aggregate(Reports(oracle.parameters, {"report": np.array([6])}))
    with refused(InputError):
        oracle.aggregate(Reports(oracle.parameters, {"other": np.array([1])}))
    with refused(InputError):
        oracle.users_of(State(oracle.parameters, 3, np.array([1, 1, 1, 2, 1, 1])))


def few(oracle, *supports):
    """Two reports of each of some supports, both of its first coefficient: plus, and minus."""
    starts = oracle.supports.starts[[oracle.supports.numbers[support] for support in supports]]
    return oracle.aggregate(Reports(oracle.parameters, {"report": np.concatenate([2 * starts, 2 * starts + 1])}))


def test_a_table_is_refused_only_where_nobody_told_of_it():
    binary = Inpht((2, 2, 2), THIRD)
    state = few(binary, (0,), (1,), (0, 1))
    assert binary.raw.estimate(state, [(0, 1)])[0] == pytest.approx(np.full(4, 0.25))
    with refused(NoAnswerError):
        binary.raw.estimate(state, [(0, 2)])
    with refused(NoAnswerError):
        binary.raw.covariance((0, 2), UniformShares((2, 2, 2)), binary.users_of(state))
    with refused(NoAnswerError):
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
        with refused(NoAnswerError):
            ask()


def test_tables_are_right_where_some_sets_have_no_user():
    oracle = Inpht((3, 2, 5), THIRD)
    for subset in [(0,), (2,), (0, 2)]:
        judge_cells(OracleLaw.of(oracle), oracle.least_squares, subset, [2, 0, 0, 1, 3, 0])


both = pytest.mark.parametrize("basis", ["helmert", "trigonometric"])


@both
@pytest.mark.parametrize("items", [2, 3, 4, 5, 6, 7, 16, 41])
def test_functions_are_orthogonal_but_for_rounding(basis, items):
    functions = orthogonal_functions(basis, items, uniform=False)
    assert functions.numerators.shape == (items - 1, items)
    assert (np.abs(functions.numerators).max(axis=1) == DENOMINATOR).all()
    gram = functions.values @ functions.values.T
    assert gram - np.diag(np.diag(gram)) == pytest.approx(0, abs=items / DENOMINATOR)
    assert functions.values.sum(axis=1) == pytest.approx(0, abs=items / DENOMINATOR)
    whole = np.vstack([np.ones(items), functions.values])
    assert functions.decode @ whole == pytest.approx(np.eye(items), abs=1e-12)
    assert any({-DENOMINATOR, DENOMINATOR} <= set(row) for row in functions.numerators.tolist())


@pytest.mark.parametrize("items", [2, 4, 8])
def test_walsh_functions_are_those_of_hadamard(items):
    found = orthogonal_functions("walsh", items, uniform=False)
    assert np.array_equal(found.numerators, hadamard_functions(items).numerators)
    assert found.denominator == 1


@both
def test_uneven_weights_make_the_noise_of_an_attribute_least(basis):
    """Its trace is `(sum_j |d_j|)^2` at chances in proportion to the `|d_j|`, which no other chances go below."""
    for items in (3, 5, 8, 13):
        functions = orthogonal_functions(basis, items, uniform=False)
        lengths = np.linalg.norm(functions.decode[:, 1:], axis=0)
        assert float(functions.spread) == pytest.approx(lengths.sum() ** 2, rel=1e-4)
        even = orthogonal_functions(basis, items, uniform=True)
        assert float(even.spread) == pytest.approx((items - 1) * (lengths**2).sum(), rel=1e-4)
        assert even.spread >= functions.spread


@pytest.mark.parametrize(
    ("basis", "items", "ratio"),
    [("trigonometric", r, x) for r, x in [(3, 1.4), (5, 1.6), (6, 1.4), (7, 1.9), (9, 1.7), (12, 1.7), (16, 1.9)]]
    + [("helmert", r, x) for r, x in [(3, 1.4), (16, 13)]],
)
def test_noise_of_an_attribute_beside_padded_hadamard(basis, items, ratio):
    ours = Inpes((items, 2), THIRD, basis=basis).traces_of(items)[0]
    hadamard = Inpht((items, 2), THIRD).traces_of(items)[0]
    assert float(ours / hadamard) == pytest.approx(ratio, abs=0.05 if ratio < 10 else 0.5)


def test_what_is_refused_of_inpes():
    with refused(InputError):
        Inpes((4, 3), THIRD, basis="walsh")
    with refused(InputError, about="basis"):
        Inpes((4, 3), THIRD, basis="fourier")
    assert Inpes((4, 3), THIRD, basis="Helmert").title == "inpes:k=2:basis=helmert"
    assert Inpes((4, 3), THIRD, draw="uniform").title == "inpes:k=2:draw=uniform:basis=trigonometric"


def average_variance(text, table, epsilon):
    """The mean variance of least squares over all cells of all tables of two attributes."""
    domains = tuple(table.sizes)
    oracle = parse_marginal_oracle(text, domains, Privacy(epsilon=epsilon))
    shares, users = PeopleShares(domains, table.values), oracle.planned_users(table.users)
    cells = [oracle.least_squares.variances(s, shares, users) for s in subsets_of(len(domains), 2)]
    return float(np.concatenate(cells).mean())


@needs_files("adult.data", "adult.test", "nursery.data")
@pytest.mark.parametrize("epsilon", [Fraction(2, 5), Fraction(11, 10), 2])
@pytest.mark.parametrize(("name", "least"), [("nursery", 2.2), ("adult", 2.9)])
def test_hadamard_coefficients_have_less_noise_than_efron_stein(name, least, epsilon):
    """The thesis, section 7.1.1, expects the decomposition to be among the best: it has over twice the variance."""
    table = open_item_table(name)
    hadamard = average_variance("inpht:k=2", table, epsilon)
    for basis in ("trigonometric", "helmert"):
        assert average_variance(f"inpes:k=2:basis={basis}", table, epsilon) > least * hadamard


def test_every_function_is_named_once():
    oracle = Inpes((3, 4), THIRD)
    assert [oracle.branch_name(branch) for branch in range(3)] == ["attribute 1", "attribute 2", "attributes 1, 2"]
    sizes = [len(list(itertools.product(*(range(oracle.functions[i].count) for i in s)))) for s in oracle.supports.all]
    assert oracle.supports.sizes.tolist() == sizes == [2, 3, 6]
