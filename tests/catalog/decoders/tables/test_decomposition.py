"""Decomposing tables into components, and pooling them, against dense algebra that shares no code with it."""

import itertools
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from table_doubles import incidence

from mechdesign_catalog.decoders.tables.decomposition import (
    component,
    component_map,
    component_weights,
    components,
    pooled_components,
    subsets_within,
    summed_table,
    table_from_components,
)
from mechdesign_catalog.decoders.tables.subsets import IndependentShares, JointShares

DOMAINS = (3, 2, 4)
SUBSETS = [subset for size in range(4) for subset in combinations(range(3), size)]


def random_table(domains, subset, seed=5):
    return np.random.default_rng(seed).random(int(np.prod([domains[i] for i in subset])))


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.integers(0, 10**6))
@settings(max_examples=30)
def test_components_compose_the_table_again(domains, seed):
    domains = tuple(domains)
    whole = tuple(range(len(domains)))
    table = random_table(domains, whole, seed)
    assert_allclose(table_from_components(components(table, domains, whole), domains, whole), table, atol=1e-13)


def test_components_of_tables_in_a_stack_are_those_of_each():
    stack = np.random.default_rng(1).random((2, 5, 12))
    parts = components(stack, DOMAINS, (0, 2))
    for place in product(range(2), range(5)):
        for part, values in components(stack[place], DOMAINS, (0, 2)).items():
            assert_allclose(parts[part][place], values, atol=1e-15)
    assert_allclose(table_from_components(parts, DOMAINS, (0, 2)), stack, atol=1e-14)


@pytest.mark.parametrize("part", SUBSETS, ids=lambda part: "-".join(map(str, part)) or "none")
def test_a_component_sums_to_0_over_each_of_its_attributes(part):
    table = random_table(DOMAINS, (0, 1, 2))
    found = component(table, DOMAINS, (0, 1, 2), part).reshape([DOMAINS[i] for i in part])
    for axis in range(len(part)):
        assert_allclose(found.sum(axis=axis), 0.0, atol=1e-14)


def test_summed_tables_are_sums_over_tuples():
    table = random_table(DOMAINS, (0, 1, 2))
    for part in SUBSETS:
        assert_allclose(summed_table(table, DOMAINS, (0, 1, 2), part), incidence(DOMAINS, part) @ table, atol=1e-14)


def test_binary_components_are_fourier_coefficients():
    table = random_table((2, 2, 2), (0, 1, 2))
    for part, values in components(table, (2, 2, 2), (0, 1, 2)).items():
        signs = [(-1) ** sum(x[i] for i in part) for x in product(range(2), repeat=3)]
        theta = float(np.dot(signs, table))
        cells = [(-1) ** sum(x) for x in product(range(2), repeat=len(part))]
        assert_allclose(values, np.array(cells) * theta / 2 ** len(part), atol=1e-14)


@pytest.mark.parametrize("target", SUBSETS[1:], ids=str)
@pytest.mark.parametrize("source", SUBSETS[1:], ids=str)
def test_component_maps_do_what_components_do(target, source):
    table = random_table(DOMAINS, source)
    for part in SUBSETS:
        if set(part) <= set(target) & set(source):
            zeros = {other: np.zeros(int(np.prod([DOMAINS[i] for i in other]))) for other in subsets_within(target)}
            alone = {**zeros, part: component(table, DOMAINS, source, part)}
            expected = table_from_components(alone, DOMAINS, target)
            assert_allclose(component_map(DOMAINS, target, source, part) @ table, expected, atol=1e-14)


def dense_least_squares(domains, tables, precisions):
    """Fit all tuples' shares to the tables by weighted least squares, the total being 1; some shares are not unique."""
    rows = np.vstack([np.sqrt(precisions[subset]) * incidence(domains, subset) for subset in tables])
    wanted = np.concatenate([np.sqrt(precisions[subset]) * tables[subset] for subset in tables])
    count = rows.shape[1]
    start = np.full(count, 1 / count)
    free = np.eye(count) - 1 / count  # directions that keep the total
    step = np.linalg.lstsq(rows @ free, wanted - rows @ start, rcond=1e-12)[0]
    return start + free @ step


@pytest.mark.parametrize(
    ("domains", "family"),
    [
        ((2, 2, 2, 2), list(combinations(range(4), 2))),
        ((3, 2, 2), list(combinations(range(3), 2))),
        ((3, 2, 4), [(0, 1), (1, 2), (0,)]),
        ((2, 3, 2, 2), list(combinations(range(4), 3))),
        ((2, 3, 2, 2), [(0, 1, 2), (2, 3), (1, 3), (3,)]),
    ],
    ids=["binary-pairs", "pairs", "uneven", "triples", "mixed"],
)
def test_pooled_tables_are_dense_weighted_least_squares(domains, family):
    generator = np.random.default_rng(8)
    tables = {subset: random_table(domains, subset, seed) for seed, subset in enumerate(family)}
    precisions = {subset: float(generator.uniform(0.2, 5)) for subset in family}
    joint = dense_least_squares(domains, tables, precisions)
    weights = component_weights(domains, precisions)
    pooled = pooled_components(tables, domains, weights)
    for target in family:
        expected = incidence(domains, target) @ joint
        assert_allclose(table_from_components(pooled, domains, target), expected, atol=1e-12)


def test_components_are_weighed_by_precisions_over_cells():
    weights = component_weights(DOMAINS, {(0, 1): 1.0, (1, 2): 2.0})
    assert_allclose(weights[(1,)][(0, 1)], (1 / 6) / (1 / 6 + 2 / 8))


MARGINS = (np.array([0.25, 0.75]), np.array([0.5, 0.125, 0.375]), np.array([0.0, 1.0]))


@pytest.mark.parametrize("way", range(4))
def test_shares_of_independent_attributes_are_those_of_their_joint_law(way):
    joint = [a * b * c for a, b, c in itertools.product(*MARGINS)]
    expected = JointShares((2, 3, 2), np.array(joint))
    for subset in itertools.combinations(range(3), way):
        found = IndependentShares((2, 3, 2), MARGINS).table(subset)
        np.testing.assert_allclose(found, expected.table(subset), atol=1e-16)
