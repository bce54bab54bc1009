"""Laws of the most entropy: against iterative proportional fitting, and nonnegative least squares where none fits."""

from itertools import combinations

import numpy as np
import pytest
from joint_tables import JointTables
from numpy.testing import assert_allclose
from scipy.optimize import nnls
from table_doubles import incidence, random_tables
from wording import refused

from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.decoders.tables import max_entropy
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.max_entropy import max_entropy_law
from mechdesign_catalog.decoders.tables.nonnegative import nearest_nonnegative
from mechdesign_catalog.systems.tables.consistency.agreeing_tables import AgreeingTables
from mechdesign_catalog.systems.tables.consistency.max_entropy_tables import MaxEntropyTables

CASES = [((2, 2, 2), 2), ((3, 2, 4), 2), ((2, 2, 2, 2, 2), 2), ((2, 3, 2, 2), 3), ((3, 4, 2), 1)]


def fitted(domains, tables, rounds=3000):
    """Iterative proportional fitting: the tables one after the other, from equal shares."""
    law = np.full(int(np.prod(domains)), 1 / np.prod(domains))
    rows = {subset: incidence(domains, subset) for subset in tables}
    for _ in range(rounds):
        for subset, table in tables.items():
            law *= (table / (rows[subset] @ law)) @ rows[subset]
    return law


@pytest.mark.parametrize(("domains", "way"), CASES, ids=str)
def test_the_law_is_that_of_iterative_proportional_fitting(domains, way):
    family = TableFamily(domains, way)
    joint = np.random.default_rng(4).dirichlet(np.full(int(np.prod(domains)), 2.0))
    tables = {subset: incidence(domains, subset) @ joint for subset in family.places}
    found = max_entropy_law(family, family.row(tables))
    assert_allclose(found, fitted(domains, tables), atol=1e-5)
    for subset, table in tables.items():
        assert_allclose(incidence(domains, subset) @ found, table, atol=1e-6)


def test_one_way_tables_make_the_product():
    family = TableFamily((2, 3), 1)
    found = max_entropy_law(family, family.row({(0,): np.array([0.25, 0.75]), (1,): np.array([0.5, 0.125, 0.375])}))
    assert_allclose(found, np.outer([0.25, 0.75], [0.5, 0.125, 0.375]).reshape(-1), atol=1e-7)


def test_empty_cells_stay_nearly_empty():
    same = np.array([0.5, 0.0, 0.0, 0.5])
    family = TableFamily((2, 2, 2), 2)
    found = max_entropy_law(family, family.row(dict.fromkeys(family.places, same)))
    assert_allclose(found, [0.5, 0, 0, 0, 0, 0, 0, 0.5], atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_where_no_law_has_the_tables_its_tables_are_the_nearest(seed):
    domains = (2, 2, 2, 3)
    family = TableFamily(domains, 2)
    row = nearest_nonnegative(family, family.row(random_tables(domains, list(family.places), seed, noise=1.5)))
    rows = np.vstack([incidence(domains, subset) for subset in family.places])
    nearest, distance = nnls(np.vstack([rows, 1e4 * np.ones(rows.shape[1])]), np.append(row, 1e4))
    found = max_entropy_law(family, row)
    assert np.linalg.norm(rows @ (found - nearest / nearest.sum())) < 1e-4
    assert np.linalg.norm(rows @ found - row) < distance + 1e-6


@pytest.mark.parametrize("noise", [0.0, 1.5])
def test_the_law_is_stationary(noise):
    """At the maximum the slope of the entropy is that of the squared error over twice the price, in each cell."""
    domains = (2, 3, 2, 2)
    family = TableFamily(domains, 2)
    row = nearest_nonnegative(family, family.row(random_tables(domains, list(family.places), 1, noise)))
    rows = np.vstack([incidence(domains, subset) for subset in family.places])
    found = max_entropy_law(family, row)
    errors, present = rows.T @ (rows @ found - row), found > 1e-200
    slopes = 1e-7 * np.log(found[present]) + errors[present]
    assert np.ptp(slopes) < 1e-7
    assert (errors[~present] > slopes.max()).all()  # those that round to 0 would bring more error than entropy


def test_three_pairs_that_agree_but_fit_no_law():
    """Each of three attributes is the opposite of both others: impossible for three, though every pair says so."""
    opposite = np.array([0.0, 0.5, 0.5, 0.0])
    family = TableFamily((2, 2, 2), 2)
    found = max_entropy_law(family, family.row(dict.fromkeys(family.places, opposite)))
    assert_allclose(found, [0, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 0], atol=1e-6)


def test_larger_tables_have_the_smaller_ones_and_no_errors():
    generator = np.random.default_rng(6)
    base = AgreeingTables(JointTables((2, 3, 2, 2), generator.dirichlet(np.full(24, 3.0)), np.eye(24) / 1000, 1000))
    source = MaxEntropyTables(base)
    found = source.table((0, 1, 3))
    assert np.isnan(found.standard_errors).all()
    assert np.isnan(found.covariance()).all()
    for pair in combinations(range(3), 2):
        names = tuple((0, 1, 3)[i] for i in pair)
        assert_allclose(incidence((2, 3, 2), pair) @ found.shares, base.shares([names])[0], atol=1e-6)
    assert_allclose(source.table((1, 2)).shares, base.table((1, 2)).shares)
    assert_allclose(source.table((1, 2)).covariance(), base.table((1, 2)).covariance())
    assert_allclose(source.shares([(0, 1, 3)])[0], found.shares)
    assert len(source.tables([(0,), (0, 1, 2, 3)])[1].shares) == 24
    assert not source.unbiased
    assert (source.domains, source.way, source.users, source.post) == ((2, 3, 2, 2), 4, 1000, "max-entropy")


def test_a_law_that_is_too_large_is_refused():
    family = TableFamily((2,) * 22, 2)
    with refused(InputError):
        max_entropy_law(family, np.zeros(0))


def test_too_few_steps_are_said(monkeypatch):
    monkeypatch.setattr(max_entropy, "MOST_STEPS", 1)
    family = TableFamily((2, 2, 2), 2)
    row = family.row(random_tables((2, 2, 2), list(family.places), noise=0.0))
    with refused(NoAnswerError):
        max_entropy_law(family, row)
