"""Tables that agree, and have no negative share: against dense least squares and an active-set solver."""

from itertools import combinations

import numpy as np
import pytest
from dense_tables import agreement, nearest_nonnegative_tables, nearest_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_tables import JointTables
from numpy.testing import assert_allclose
from table_doubles import random_tables
from wording import refused

from mechdesign.errors import InputError, NoAnswerError
from mechdesign_catalog.decoders.tables import nonnegative
from mechdesign_catalog.decoders.tables.decomposition import component_weights, pooled_components, table_from_components
from mechdesign_catalog.decoders.tables.family import TableFamily
from mechdesign_catalog.decoders.tables.nonnegative import nearest_nonnegative
from mechdesign_catalog.systems.tables.consistency.agreeing_tables import AgreeingTables

CASES = {
    "binary-pairs": ((2, 2, 2, 2), 2),
    "binary-triples": ((2, 2, 2, 2), 3),
    "pairs": ((3, 2, 4), 2),
    "triples": ((3, 2, 2, 3), 3),
    "single": ((3, 2, 5), 1),
    "whole": ((3, 2, 2), 3),
}


@pytest.fixture(params=CASES, ids=str)
def case(request):
    domains, way = CASES[request.param]
    family = TableFamily(domains, way)
    return family, random_tables(domains, list(family.places), noise=1.5)


def test_the_projection_is_dense_least_squares(case):
    family, tables = case
    found = family.projected(family.row(tables), 1.0)
    assert_allclose(found, nearest_tables(family.domains, list(family.places), tables), atol=1e-13)


def test_the_projection_is_pooling_at_equal_precision(case):
    family, tables = case
    weights = component_weights(family.domains, dict.fromkeys(family.places, 2.5))
    pooled = pooled_components(tables, family.domains, weights)
    for subset, found in family.tables(family.projected(family.row(tables), 1.0)).items():
        assert_allclose(found, table_from_components(pooled, family.domains, subset), atol=1e-14)


def test_nearest_tables_without_negative_cells_are_those_of_an_active_set_solver(case):
    family, tables = case
    row = family.row(tables)
    assert family.projected(row, 1.0).min() < -0.01
    found = nearest_nonnegative(family, row)
    expected = nearest_nonnegative_tables(family.domains, list(family.places), tables)
    assert np.linalg.norm(found - expected) <= 1e-6
    assert found.min() >= 0


def test_nearest_tables_agree_to_the_last_digits(case):
    family, tables = case
    found = nearest_nonnegative(family, family.row(tables))
    equal, totals = agreement(family.domains, list(family.places))
    assert_allclose(equal @ found, 0.0, atol=1e-13)
    assert_allclose(totals @ found, 1.0, atol=1e-13)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 5.0]))
@settings(max_examples=25)
def test_squared_error_over_all_cells_never_grows(seed, noise):
    family = TableFamily((2, 3, 2, 2), 2)
    truth = family.row(random_tables(family.domains, list(family.places), seed, noise=0.0))
    row = family.row(random_tables(family.domains, list(family.places), seed, noise))
    least_squares = family.projected(row, 1.0)
    nearest = nearest_nonnegative(family, row)
    assert np.sum((nearest - truth) ** 2) <= np.sum((least_squares - truth) ** 2) + 1e-6
    assert nearest.min() >= 0


def test_tables_that_have_no_negative_cell_stay():
    family = TableFamily((2, 3, 2), 2)
    row = family.row(random_tables(family.domains, list(family.places), noise=0.0))
    assert_allclose(nearest_nonnegative(family, row), row, atol=1e-12)


def test_a_tolerance_that_is_not_reached_is_said(monkeypatch):
    monkeypatch.setattr(nonnegative, "MOST_STEPS", 1)
    family = TableFamily((2, 2, 2, 2), 2)
    with refused(NoAnswerError, about="tables"):
        nearest_nonnegative(family, family.row(random_tables(family.domains, list(family.places), noise=1.0)))


def test_too_many_cells_are_refused():
    with refused(InputError):
        TableFamily((3000, 3000), 2)


def test_agreeing_tables_of_fewer_attributes_are_sums():
    joint = np.random.default_rng(1).normal(1 / 24, 0.3, 24)
    joint += (1 - joint.sum()) / 24
    base = JointTables((2, 3, 2, 2), joint, np.eye(24) / 1000, 1000)
    source = AgreeingTables(base)
    for i in range(4):
        (one,) = source.shares([(i,)])
        for pair in combinations(range(4), 2):
            if i in pair:
                shaped = source.table(pair).shares.reshape([base.domains[j] for j in pair])
                assert_allclose(shaped.sum(axis=1 - pair.index(i)), one, atol=1e-12)
    pairs = list(combinations(range(4), 2))
    assert min(table.min() for table in base.shares(pairs)) < 0
    assert min(table.min() for table in source.shares(pairs)) >= 0
    assert_allclose(source.table((0, 1)).covariance(), base.table((0, 1)).covariance())
    assert not source.unbiased
    assert (source.domains, source.way, source.users, source.post) == ((2, 3, 2, 2), 2, 1000, "priview")
    with refused(InputError):
        source.table((0, 1, 2))
