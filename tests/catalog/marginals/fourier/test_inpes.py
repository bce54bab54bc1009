"""INPES: functions that are orthogonal and bounded, tables by their inverse, the conjecture on Adult and Nursery."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from data_files import needs_files

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog import open_item_table
from mechdesign_catalog.marginals.fourier.functions import DENOMINATOR, hadamard_functions, orthogonal_functions
from mechdesign_catalog.marginals.fourier.inpes import Inpes
from mechdesign_catalog.marginals.fourier.inpht import Inpht
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.multidimensional.tables import PeopleShares, subsets_of

THIRD = Privacy(alpha="1/3")
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


def test_tables_agree_and_sum_to_one():
    oracle = Inpes((3, 5, 4), THIRD, way=3)
    values = np.random.default_rng(2).integers(0, (3, 5, 4), (500, 3))
    state = oracle.aggregate(oracle.privatize(values, seeded_words(1)))
    (whole,) = oracle.raw.estimate(state, [(0, 1, 2)])
    for size in (1, 2):
        for subset in subsets_of(3, size):
            (table,) = oracle.raw.estimate(state, [subset])
            others = tuple(i for i in range(3) if i not in subset)
            assert whole.reshape(3, 5, 4).sum(axis=others).reshape(-1) == pytest.approx(table, abs=1e-12)
    assert whole.sum() == pytest.approx(1, abs=1e-12)


def test_what_is_refused():
    with pytest.raises(InputError, match="items of attributes must be powers of two for basis=walsh, got 3"):
        Inpes((4, 3), THIRD, basis="walsh")
    with pytest.raises(InputError, match="basis must be one of helmert, trigonometric, walsh, got fourier"):
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
