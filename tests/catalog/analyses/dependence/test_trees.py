"""Chow-Liu trees against all trees, laws and rows of a tree, and measurements with independent noise."""

import itertools
import math
import sys
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_tables import JointTables, product_of, randomized_response
from wording import refused

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.dependence.associations import find_associations
from mechdesign_catalog.analyses.dependence.information import (
    mutual_information,
    noise_information,
    on_the_simplex,
    pair_information,
)
from mechdesign_catalog.analyses.dependence.learning import learn_tree
from mechdesign_catalog.analyses.dependence.measurements import component_measurements, mbi_measurements
from mechdesign_catalog.analyses.dependence.tree_law import TreeLaw
from mechdesign_catalog.analyses.dependence.trees import chow_liu_tree
from mechdesign_catalog.decoders.tables.subsets import JointShares, Shares
from mechdesign_catalog.systems.tables.consistency.posts import table_source
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

PAIR = np.array([0.4, 0.1, 0.1, 0.4])


def all_trees(d):
    """All `d^(d - 2)` trees of d attributes, from Pruefer's sequences."""
    for sequence in itertools.product(range(d), repeat=d - 2):
        degrees = [1 + sequence.count(i) for i in range(d)]
        edges = []
        for i in sequence:
            leaf = degrees.index(1)
            edges.append((min(i, leaf), max(i, leaf)))
            degrees[i] -= 1
            degrees[leaf] -= 1
        a, b = (i for i in range(d) if degrees[i] == 1)
        yield [*edges, (a, b)]


def random_law(domains, seed):
    return JointShares(domains, np.random.default_rng(seed).dirichlet(np.full(math.prod(domains), 0.3)))


def entropy(law):
    positive = law[law > 0]
    return -float(np.sum(positive * np.log(positive)))


def joint_of_edges(shares, edges):
    """The product of the tables of the edges over those of the attributes, once less than each stands in edges."""
    found = []
    for x in itertools.product(*map(range, shares.domains)):
        chance = 1.0
        for a, b in edges:
            chance *= shares.table((a, b)).reshape(shares.domains[a], shares.domains[b])[x[a], x[b]]
        for i, items in enumerate(x):
            chance /= shares.table((i,))[items] ** (sum(i in edge for edge in edges) - 1)
        found.append(chance)
    return np.array(found)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_information_is_that_of_entropies(seed):
    shares = random_law((3, 4), seed)
    separate = entropy(shares.table((0,))) + entropy(shares.table((1,)))
    found = mutual_information(shares.joint.reshape(3, 4))
    assert found == pytest.approx(separate - entropy(shares.joint), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_tree_is_the_best_of_all_trees(seed):
    """Of the 125 trees of 5 attributes the one with the largest sum, which is nearest in relative entropy too."""
    shares = random_law((2, 3, 2, 2, 3), seed)

    def divergence(edges):
        return float(np.sum(shares.joint * np.log(shares.joint / joint_of_edges(shares, edges))))

    assert len({frozenset(edges) for edges in all_trees(5)}) == 125
    found = chow_liu_tree(shares)
    informations = {
        (a, b): mutual_information(shares.table((a, b)).reshape(shares.domains[a], shares.domains[b]))
        for a, b in itertools.combinations(range(5), 2)
    }
    best = max(all_trees(5), key=lambda edges: sum(informations[edge] for edge in edges))
    assert {edge.pair for edge in found.edges} == set(best)
    assert found.information == pytest.approx(sum(informations[edge] for edge in best), rel=1e-12)
    assert [edge.information for edge in found.edges] == sorted((informations[e] for e in best), reverse=True)
    assert divergence(best) == pytest.approx(min(divergence(edges) for edges in all_trees(5)), rel=1e-12)


def test_of_equal_pairs_the_first_are_joined():
    """Independent attributes still make a tree; no pair is left out for telling nothing."""
    shares = JointShares((2, 2, 2), np.full(8, 1 / 8))
    assert [edge.pair for edge in chow_liu_tree(shares).edges] == [(0, 1), (0, 2)]


def test_forest_joins_what_the_test_finds():
    estimate, noise = randomized_response(product_of(PAIR, PAIR), 20_000, 2.0, np.random.default_rng(0))
    source = JointTables((2,) * 4, estimate, noise, 20_000)
    shares = on_the_simplex(source)
    forest = chow_liu_tree(shares, find_associations(source, replicates=0).significant)
    assert {edge.pair for edge in forest.edges} == {(0, 1), (2, 3)}
    assert list(forest.parents.items()) == [(0, None), (1, 0), (2, None), (3, 2)]
    assert len(chow_liu_tree(shares).edges) == 3
    law = TreeLaw.of(forest, shares)
    separate = np.outer(law.table((0,)), law.table((3,))).reshape(-1)
    np.testing.assert_allclose(law.table((0, 3)), separate, atol=1e-15)
    assert chow_liu_tree(shares, []).edges == ()


def test_noise_information_is_what_independent_attributes_show():
    """In the mean of 60 collections of attributes with 3 and 4 items; somewhat more, as margins are noisy too."""
    law = product_of([0.2, 0.3, 0.5], [0.1, 0.1, 0.3, 0.5])
    generator = np.random.default_rng(0)
    collections = [JointTables((3, 4), *randomized_response(law, 20_000, 1.5, generator), 20_000) for _ in range(60)]
    seen = [pair_information(on_the_simplex(source))[0, 1] for source in collections]
    told = [noise_information(source)[0, 1] for source in collections]
    assert 0.95 < np.mean(told) / np.mean(seen) < 1.3
    assert noise_information(collections[0]) == noise_information(collections[0])


def test_what_noise_adds_is_taken_off_before_pairs_are_compared():
    shares = random_law((2, 2, 2), 4)
    plain = chow_liu_tree(shares)
    best = plain.edges[0]
    without = chow_liu_tree(shares, noise={pair: 10.0 * (pair == best.pair) for pair in [(0, 1), (0, 2), (1, 2)]})
    assert best.pair not in {edge.pair for edge in without.edges}
    assert {edge.information for edge in without.edges} <= set(pair_information(shares).values())
    assert without.information == sum(edge.information for edge in without.edges)
    less = chow_liu_tree(shares, noise=dict.fromkeys([(0, 1), (0, 2), (1, 2)], 0.125))
    assert [edge.pair for edge in less.edges] == [edge.pair for edge in plain.edges]
    assert [edge.beyond_noise for edge in less.edges] == [edge.information - 0.125 for edge in plain.edges]
    assert less.information == pytest.approx(plain.information - 0.25)


def test_law_of_a_tree_is_the_product_along_its_edges():
    for seed in range(3):
        shares = random_law((2, 3, 2, 2, 3), seed)
        tree = chow_liu_tree(shares)
        law = TreeLaw.of(tree, shares)
        expected = JointShares(shares.domains, joint_of_edges(shares, [edge.pair for edge in tree.edges]))
        for way in range(1, 6):
            for subset in itertools.combinations(range(5), way):
                np.testing.assert_allclose(law.table(subset), expected.table(subset), atol=1e-14)
        np.testing.assert_allclose(law.table(()), [1.0], atol=1e-14)


def test_rows_follow_the_law_of_the_tree():
    shares = random_law((2, 3, 2), 1)
    law = TreeLaw.of(chow_liu_tree(shares), shares)
    rows = law.sample(50_000, np.random.default_rng(0))
    assert rows.shape == (50_000, 3)
    counts = np.bincount(np.ravel_multi_index(rows.T, (2, 3, 2)), minlength=12)
    expected = 50_000 * law.table((0, 1, 2))
    assert np.sum((counts - expected) ** 2 / expected) < 40


def test_item_that_nobody_has_with_the_parent_has_its_own_shares():
    """The pair's table says nothing of attribute 1 given item 1 of attribute 0, which its own table says some have."""
    tables = {(0,): [0.9, 0.1], (1,): [0.3, 0.7], (0, 1): [0.4, 0.6, 0.0, 0.0]}
    source = JointTables((2, 2), np.array(tables[(0, 1)]), np.zeros((4, 4)), 100)
    shares = on_the_simplex(source)
    shares.known[(0,)][:] = tables[(0,)]
    shares.known[(1,)][:] = tables[(1,)]
    law = TreeLaw.of(chow_liu_tree(shares), shares)
    np.testing.assert_allclose(law.table((0, 1)), [0.36, 0.54, 0.03, 0.07], atol=1e-12)


def test_tables_that_are_no_laws_go_to_the_simplex():
    source = JointTables((2, 2), np.array([0.7, -0.1, 0.2, 0.2]), np.zeros((4, 4)), 100)
    shares = on_the_simplex(source)
    np.testing.assert_allclose(shares.table((0, 1)), [2 / 3, 0, 1 / 6, 1 / 6], atol=1e-12)
    np.testing.assert_allclose(shares.table((0,)), [0.6, 0.4], atol=1e-12)
    with refused(InputError):
        shares.table((0, 1, 2))


def test_number_of_rows_is_checked():
    for rows in [0, -1, 2.5, True]:
        shares = random_law((2, 2), 0)
        with refused(InputError, about="sample"):
            TreeLaw.of(chow_liu_tree(shares), shares).sample(rows, np.random.default_rng(0))


def test_one_attribute_alone_makes_no_tree():
    with refused(InputError, about="attributes"):
        on_the_simplex(JointTables((2,), np.array([0.5, 0.5]), np.zeros((2, 2)), 10))


def test_noise_is_taken_off_where_tables_are_unbiased():
    estimate, noise = randomized_response(product_of(PAIR, PAIR), 3000, 2.0, np.random.default_rng(0))
    source = JointTables((2,) * 4, estimate, noise, 3000)
    learnt = learn_tree(source)
    expected = noise_information(source)
    assert [edge.noise for edge in learnt.tree.edges] == [expected[edge.pair] for edge in learnt.tree.edges]
    assert learnt.post == "least-squares"
    shares = on_the_simplex(source)
    for edge in learnt.tree.edges:
        told = learnt.law.table(edge.pair).reshape(2, 2)
        conditional = shares.table(edge.pair).reshape(2, 2)
        start = edge.pair.index(next(i for i in learnt.tree.parents if i in edge.pair))
        along = (told, conditional) if start == 0 else (told.T, conditional.T)
        rows = [table / table.sum(axis=1, keepdims=True) for table in along]
        np.testing.assert_allclose(*rows, atol=1e-12)
    biased = learn_tree(replace(source, post="priview", unbiased=False), [(0, 1)])
    assert [(edge.pair, edge.noise) for edge in biased.tree.edges] == [((0, 1), 0.0)]
    assert biased.post == "priview"


@dataclass(frozen=True, eq=False)
class Turned:
    """Shares with the attributes in the other order, so that a tree hangs from another one."""

    shares: Shares

    @property
    def domains(self):
        return self.shares.domains[::-1]

    def table(self, subset):
        own = tuple(len(self.domains) - 1 - i for i in reversed(subset))
        return self.shares.table(own).reshape([self.shares.domains[i] for i in own]).T.reshape(-1)


def test_the_law_of_a_tree_is_the_same_from_wherever_it_hangs_where_tables_agree():
    for post, agree in [("least-squares", False), ("priview", True)]:
        domains, generator = (3, 2, 4, 2), np.random.default_rng(6)
        oracle = parse_marginal_oracle("inpht:k=2", domains, Privacy(epsilon=1))
        state = oracle.simulate_sums(generator.integers(0, domains, (2000, 4)), generator)
        shares = on_the_simplex(table_source(oracle, state, post))
        everything = tuple(range(4))
        law = TreeLaw.of(chow_liu_tree(shares), shares).table(everything)
        turned = TreeLaw.of(chow_liu_tree(Turned(shares)), Turned(shares)).table(everything)
        apart = np.abs(law.reshape(domains) - turned.reshape(domains[::-1]).T).max()
        assert apart < 1e-12 if agree else apart > 1e-4


LAW = product_of([0.2, 0.3, 0.5], [0.4, 0.1, 0.1, 0.4])
DOMAINS = (3, 2, 2)


@pytest.fixture
def source():
    return JointTables(DOMAINS, *randomized_response(LAW, 3000, 1.5, np.random.default_rng(0)), 3000)


def marginal_matrix(subset):
    """Which tuples are in which cell of a table."""
    tuples = list(itertools.product(*map(range, DOMAINS)))
    cells = list(itertools.product(*(range(DOMAINS[i]) for i in subset)))
    return np.array([[tuple(x[i] for i in subset) == cell for x in tuples] for cell in cells], dtype=float)


def test_noise_of_each_measurement_is_white(source):
    found = component_measurements(source)
    assert [one.subset for one in found] == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    assert [len(one.values) for one in found] == [2, 1, 1, 2, 2, 1]
    for one in found:
        told = one.weights @ marginal_matrix(one.subset)
        np.testing.assert_allclose(told @ source.noise @ told.T, np.eye(len(told)), atol=1e-9)
        np.testing.assert_allclose(one.values, told @ source.joint, atol=1e-9)


def test_nothing_is_measured_twice(source):
    """What a pair's measurement tells does not change with the tables of its attributes: their cells add nothing."""
    for one in component_measurements(source):
        for i in one.subset:
            others = tuple(j for j in one.subset if j != i)
            flat = marginal_matrix(others).T if others else np.ones((12, 1))
            np.testing.assert_allclose(one.weights @ marginal_matrix(one.subset) @ flat, 0, atol=1e-9)


def test_measurements_of_counts_go_to_mbi(source, monkeypatch):
    """With a stand-in for mbi, which takes what the real classes take."""
    stand_in = SimpleNamespace(
        LinearMeasurement=lambda **given: SimpleNamespace(**given),
        Domain=lambda attributes, shape: dict(zip(attributes, shape, strict=True)),
    )
    monkeypatch.setitem(sys.modules, "mbi", stand_in)
    domain, measured, users = mbi_measurements(source, ["size", "toll", "far"])
    assert domain == {"size": 3, "toll": 2, "far": 2}
    assert users == 3000
    counts = 3000 * source.joint
    for one in measured:
        subset = tuple(["size", "toll", "far"].index(name) for name in one.clique)
        factor = SimpleNamespace(datavector=lambda subset=subset: marginal_matrix(subset) @ counts)
        np.testing.assert_allclose(one.query(factor), one.noisy_measurement, atol=1e-9)
        assert one.stddev == 1.0
        top = np.linalg.eigvalsh(one.query.weights @ one.query.weights.T).max()
        assert one.query.op_norm_sq() == pytest.approx(top)


def test_hand_over_says_what_it_needs(source, monkeypatch):
    monkeypatch.setitem(sys.modules, "mbi", None)
    with refused(InputError):
        mbi_measurements(source, ["a", "b", "c"])
    with refused(InputError, about="names"):
        mbi_measurements(source, ["a", "b"])


def test_biased_tables_are_refused():
    source = JointTables(DOMAINS, LAW, np.zeros((12, 12)), 10, post="em", unbiased=False)
    with refused(InputError, about="post"):
        component_measurements(source)
