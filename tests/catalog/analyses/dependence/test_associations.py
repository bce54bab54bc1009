"""Associations of attributes: tests that count in noise, their level on real systems, and false discoveries."""

import contextlib
import csv
import io
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_tables import JointTables, product_of, randomized_response
from wording import refused

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.analyses.dependence.associations import find_associations
from mechdesign_catalog.analyses.dependence.chi_squared import chi_squared
from mechdesign_catalog.analyses.dependence.interactions import Interaction, interactions
from mechdesign_catalog.analyses.dependence.noise_aware import noise_aware_test
from mechdesign_catalog.analyses.dependence.strength import cramers_v, phi_squared
from mechdesign_catalog.decoders.simplex import norm_sub
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

PAIR = np.array([0.4, 0.1, 0.1, 0.4])


def source_of(law, domains, users=20_000, epsilon=2.0, seed=0, **fields):
    estimate, noise = randomized_response(law, users, epsilon, np.random.default_rng(seed))
    return JointTables(domains, estimate, noise, users, **fields)


def test_pairs_that_are_joined_are_found_and_no_other():
    found = find_associations(source_of(product_of(PAIR, PAIR), (2, 2, 2, 2)))
    assert found.significant == [(0, 1), (2, 3)]
    assert [test.pair for test in found.tests] == list(itertools.combinations(range(4), 2))


def test_q_values_are_those_of_benjamini_and_hochberg():
    """`q_(i) = min over j >= i of p_(j) m / j`, from the definition; a pair is found where that is at most the rate."""
    source = source_of(product_of(PAIR, [0.3, 0.7], [0.5, 0.5]), (2, 2, 2, 2), users=3000)
    found = find_associations(source, replicates=0)
    p_values = [test.aware.p_value for test in found.tests]
    m = len(p_values)
    ranked = sorted(p_values)
    expected = [min(1.0, *(ranked[j] * m / (j + 1) for j in range(ranked.index(p), m))) for p in p_values]
    assert [test.q_value for test in found.tests] == pytest.approx(expected, rel=1e-12)
    assert [test.is_significant for test in found.tests] == [q <= 0.05 for q in expected]
    middle = sorted(expected)[m // 2] * 1.001
    more = find_associations(source, rate=middle, replicates=0)
    assert [test.is_significant for test in more.tests] == [q <= middle for q in expected]
    assert len(more.significant) > len(found.significant)


def test_published_statistic_is_of_the_tables_as_they_are():
    """Also where their total is not 1."""
    source = JointTables((2, 3), np.array([0.25, 0.2, 0.1, 0.15, 0.1, 0.15]), np.eye(6) / 1e3, 500, post="raw")
    (test,) = find_associations(source, replicates=0).tests
    assert test.published == chi_squared(source.table((0, 1)).shares.reshape(2, 3), 500)


def test_tables_that_do_not_fit_the_memory_are_refused():
    source = replace(source_of(PAIR, (2, 2)), domains=(40_000, 40_000))
    with refused(InputError):
        find_associations(source)


def test_pairs_may_be_chosen():
    found = find_associations(source_of(product_of(PAIR, [0.3, 0.7]), (2, 2, 2)), [(0, 2)])
    assert [test.pair for test in found.tests] == [(0, 2)]
    assert found.tests[0].q_value == found.tests[0].aware.p_value
    assert math.isnan(find_associations(source_of(PAIR, (2, 2)), replicates=0).tests[0].aware.bootstrap_p_value)


def test_file_reads_back():
    """Every number as it is; what is not defined is an empty cell."""
    source = JointTables((2, 2, 2), np.array([0.5, 0.2, 0.2, -0.3, 0.1, 0.1, 0.1, 0.1]), np.eye(8) / 1e3, 500)
    found = find_associations(source, replicates=0)
    rows = list(csv.DictReader(io.StringIO(found.tabulate(["a", "b, too", "c"]).csv_bytes().decode())))
    for row, test in zip(rows, found.tests, strict=True):
        assert (row["attribute_1"], row["attribute_2"]) == tuple(["a", "b, too", "c"][i] for i in test.pair)
        assert [float(row[name]) for name in ("cramers_v", "statistic", "p_value", "q_value")] == [
            test.cramers_v,
            test.aware.statistic,
            test.aware.p_value,
            test.q_value,
        ]
        assert row["published_statistic"] == (
            "" if math.isnan(test.published.statistic) else repr(test.published.statistic)
        )
        assert (row["bootstrap_p_value"], row["associated"]) == ("", str(int(test.is_significant)))
        assert (row["degrees_of_freedom"], row["fdr"], row["post"]) == ("1", "0.05", "least-squares")


@pytest.mark.slow
def test_false_discoveries_are_held_down():
    """Four independent attributes, 150 collections: something is found in at most 5 % of them and four errors."""
    law = product_of([0.5, 0.5], [0.3, 0.7], [0.2, 0.8], [0.4, 0.6])
    runs = 150
    any_found = sum(
        bool(find_associations(source_of(law, (2,) * 4, 5000, 1.1, k), replicates=0).significant) for k in range(runs)
    )
    assert any_found / runs < 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)


def test_what_cannot_be_tested_is_refused():
    for fields, options in [
        ({}, {"rate": 1.0}),
        ({}, {"replicates": -1}),
        ({}, {"pairs": [(0, 1, 2)]}),
        ({}, {"pairs": [(1, 0)]}),
        ({"way": 1}, {}),
        ({"unbiased": False, "post": "em"}, {}),
    ]:
        source = source_of(product_of(PAIR, [0.3, 0.7]), (2, 2, 2), **fields)
        with refused(InputError):
            find_associations(source, **options)


LEVEL = 0.05


def tables_of(shape):
    """Positive tables of total 1."""
    r, s = shape
    return st.lists(st.integers(1, 50), min_size=r * s, max_size=r * s).map(
        lambda counts: np.array(counts, dtype=float).reshape(r, s) / sum(counts)
    )


def interaction_of(table, noise, users):
    return Interaction.of(table.reshape(-1), noise, tuple(norm_sub(table.sum(axis=1 - i)) for i in range(2)), users)


def test_statistic_of_two_bits_is_the_published_one():
    """`n (F00 F11 - F01 F10)^2` over the product of the four margins."""
    found = chi_squared(np.array([[0.3, 0.1], [0.2, 0.4]]), 200)
    assert found.statistic == pytest.approx(200 * 0.1**2 / (0.4 * 0.6 * 0.5 * 0.5), rel=1e-12)
    assert found.degrees == 1
    assert chi_squared(np.array([[0.3, 0.1], [0.2, 0.4]]), 200).p_value == pytest.approx(
        math.erfc(math.sqrt(found.statistic / 2)), rel=1e-9
    )


def test_statistic_of_a_table_of_another_total():
    """Expected counts are `n p_i. p_.j / p_..`, which are 45 of each cell here, at 200 users and a total of 0.9."""
    table = np.array([[0.25, 0.2], [0.2, 0.25]])
    assert chi_squared(table, 200).statistic == pytest.approx(4 * 5**2 / 45, rel=1e-12)


def test_statistic_is_not_defined_where_nobody_is_expected():
    found = chi_squared(np.array([[0.6, 0.5], [-0.2, 0.1]]), 100)
    assert math.isnan(found.statistic)
    assert math.isnan(found.p_value)


@settings(max_examples=30)
@given(tables_of((3, 4)))
def test_without_noise_walds_statistic_is_the_published_one(table):
    """But for n/(n + 1), which the product of the margins' sampling errors makes."""
    users = 500
    aware = noise_aware_test(interaction_of(table, np.zeros((12, 12)), users), np.random.default_rng(0), replicates=0)
    published = chi_squared(table, users)
    assert aware.statistic == pytest.approx(published.statistic * users / (users + 1), rel=1e-8, abs=1e-9)
    assert aware.degrees == published.degrees == 6
    assert math.isnan(aware.bootstrap_p_value)


def test_statistic_does_not_depend_on_the_order_of_attributes_or_items():
    generator = np.random.default_rng(2)
    estimate, noise = randomized_response(product_of([0.2, 0.3, 0.5], [0.4, 0.6]), 2000, 1.5, generator)
    table = estimate.reshape(3, 2)
    order = np.arange(6).reshape(3, 2)[[2, 0, 1]].T.reshape(-1)
    turned = interaction_of(estimate[order].reshape(2, 3), noise[np.ix_(order, order)], 2000)
    straight = interaction_of(table, noise, 2000)
    draws = np.random.default_rng(0)
    assert noise_aware_test(turned, draws, 0).statistic == pytest.approx(
        noise_aware_test(straight, draws, 0).statistic, rel=1e-9
    )
    assert cramers_v(turned, draws, 400) == pytest.approx(cramers_v(straight, draws, 400), abs=0.01)


@pytest.mark.parametrize("size", [0.03, 0.3])
def test_interaction_is_unbiased_and_its_covariance_exact_for_normal_estimates(size):
    """Drawn 300,000 times at independence, where margins covary; the larger noise is beyond the shares."""
    generator = np.random.default_rng(3)
    law = product_of([0.3, 0.7], [0.2, 0.3, 0.5])
    together = np.outer([2, 0, 1, 0, -2, -1], [0, 1])
    factor = size * np.hstack([generator.standard_normal((6, 4)) / 2, together])
    factor -= factor.mean(axis=0)
    found = interaction_of(law.reshape(2, 3), factor @ factor.T, 400)
    drawn = generator.multivariate_normal(law, found.covariance, size=300_000, method="eigh")
    deltas = found.contrasts(drawn.reshape(-1, 2, 3))
    errors = deltas.std(axis=0) / math.sqrt(len(deltas))
    assert (np.abs(deltas.mean(axis=0)) < 4.5 * errors).all()
    np.testing.assert_allclose(np.cov(deltas.T), found.delta_covariance, atol=0.02 * found.delta_covariance.max())


def test_pairs_have_their_own_tables_and_shares_of_items():
    """Attributes of 3, 2 and 2 items: each interaction is the table less the product of its margins."""
    law = product_of([0.2, 0.3, 0.5], [0.4, 0.1, 0.2, 0.3])
    source = JointTables((3, 2, 2), law + 0.01 * np.cos(np.arange(12)), np.eye(12) / 1e4, 500)
    for pair, found in zip([(0, 1), (1, 2)], interactions(source, [(0, 1), (1, 2)]), strict=True):
        table = source.table(pair).shares.reshape([source.domains[i] for i in pair])
        np.testing.assert_allclose(found.table, table / 1 + (1 - table.sum()) / table.size, atol=1e-12)
        for i, shares in zip(pair, found.margins, strict=True):
            np.testing.assert_allclose(shares, norm_sub(source.table((i,)).shares), atol=1e-12)


def test_cramers_v_of_independent_attributes_is_mostly_zero():
    """What noise adds is taken off: of 60 collections 30 to 90 % have nothing left, and few have much."""
    generator = np.random.default_rng(9)
    law = product_of([0.2, 0.3, 0.5], [0.4, 0.6])
    found = np.array(
        [
            cramers_v(interaction_of(estimate.reshape(3, 2), noise, 5000), generator)
            for estimate, noise in (randomized_response(law, 5000, 2.0, generator) for _ in range(60))
        ]
    )
    assert 0.3 < np.mean(found == 0) < 0.9
    assert np.mean(found**2) < 0.02


def test_total_becomes_one_by_least_squares():
    """As the dense solution has it: of all tables of total 1 the nearest in the metric of the covariance."""
    generator = np.random.default_rng(4)
    factor = generator.standard_normal((6, 6))
    covariance = factor @ factor.T / 1e4
    cells = np.array([0.2, 0.1, 0.1, 0.3, 0.2, 0.3])
    found = interaction_of(cells.reshape(2, 3), covariance, 100)
    inverse = np.linalg.inv(covariance)
    system = np.block([[inverse, np.ones((6, 1))], [np.ones((1, 6)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(inverse @ cells, 1.0))[:6]
    np.testing.assert_allclose(found.table.reshape(-1), expected, atol=1e-12)
    np.testing.assert_allclose(found.noise, np.linalg.inv(system)[:6, :6], atol=1e-12)
    np.testing.assert_allclose(found.noise.sum(axis=0), 0, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "right", "users", "epsilon"),
    [
        pytest.param([0.1, 0.9], [0.05, 0.95], 300, 0.2, id="noise-beyond-the-shares"),
        pytest.param([0.2, 0.3, 0.5], [0.1, 0.1, 0.3, 0.5], 5000, 1.1, id="three-by-four"),
        pytest.param([0.01, 0.99], [0.02, 0.98], 10_000, 5.0, id="rare-items-little-noise"),
    ],
)
def test_level_is_held_where_attributes_are_independent(left, right, users, epsilon):
    """Of 700 collections from independent attributes at most 5 % and four standard errors are found associated.

    And not far below, where noise is not beyond the shares themselves.
    """
    generator, draws = np.random.default_rng(5), np.random.default_rng(6)
    runs = 700
    found = np.zeros(2)
    for _ in range(runs):
        estimate, noise = randomized_response(product_of(left, right), users, epsilon, generator)
        aware = noise_aware_test(interaction_of(estimate.reshape(len(left), len(right)), noise, users), draws, 99)
        found += np.array([aware.p_value <= LEVEL, aware.bootstrap_p_value <= LEVEL])
    error = math.sqrt(LEVEL * (1 - LEVEL) / runs)
    assert (found / runs < LEVEL + 4 * error).all()
    assert (found / runs > LEVEL - 4 * error).all() or epsilon < 1


def test_association_is_found():
    law = np.array([0.4, 0.1, 0.1, 0.4])
    estimate, noise = randomized_response(law, 5000, 1.1, np.random.default_rng(8))
    source = JointTables((2, 2), estimate, noise, 5000)
    (found,) = interactions(source, [(0, 1)])
    aware = noise_aware_test(found, np.random.default_rng(0), 99)
    assert aware.p_value < 1e-6
    assert aware.bootstrap_p_value == pytest.approx(0.01)
    assert cramers_v(found, np.random.default_rng(0)) == pytest.approx(0.6, abs=0.15)


def test_cramers_v_of_attributes_that_tell_each_other_is_one():
    for items in [2, 4]:
        table = np.eye(items) / items
        found = interaction_of(table, np.zeros((items**2, items**2)), 100_000)
        assert cramers_v(found, np.random.default_rng(0)) == pytest.approx(1.0, abs=1e-3)


@given(tables_of((3, 4)))
@settings(max_examples=30)
def test_phi_squared_is_the_published_statistic_over_users(table):
    assert phi_squared(table) == pytest.approx(chi_squared(table, 700).statistic / 700, abs=1e-12)


def test_rare_items_do_not_hide_an_association():
    """Nobody has one of the items: V is near that without it, 0.5, though noise is far above its share."""
    law = np.array([[0.375, 0.125], [0.125, 0.375], [0.0, 0.0]]).reshape(-1)
    generator = np.random.default_rng(10)
    found = [
        cramers_v(interaction_of(estimate.reshape(3, 2), noise, 5000), generator)
        for estimate, noise in (randomized_response(law, 5000, 2.0, generator) for _ in range(20))
    ]
    assert np.mean(found) == pytest.approx(0.5, abs=0.05)
    assert min(found) > 0.3


BITS = ([0.3, 0.7], [0.1, 0.9], [0.5, 0.5], [0.05, 0.95])
ITEMS = ([0.2, 0.3, 0.5], [0.1, 0.1, 0.3, 0.5], [0.4, 0.6])
COLLECTIONS = 75


def results_of_independent_attributes(name, post, laws, users=4000):
    """All pairs' tests in collections from so many users each, epsilon 1.1."""
    generator = np.random.default_rng(0)
    oracle = parse_marginal_oracle(name, tuple(map(len, laws)), Privacy(epsilon=1.1))
    for _ in range(COLLECTIONS):
        values = np.column_stack([generator.choice(len(law), size=users, p=law) for law in laws])
        state = oracle.simulate_sums(values, generator)
        with contextlib.suppress(NoAnswerError):  # a coefficient of which nobody told anything
            yield from find_associations(LinearTables(oracle, state, post), replicates=0).tests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "post", "laws"),
    [
        pytest.param("inpht:k=2", "raw", ITEMS, id="inpht-items-raw"),
        pytest.param("margps:k=2", "least-squares", BITS, id="margps-bits"),
    ],
)
def test_level_is_held_and_the_published_test_does_not_hold_it(name, post, laws):
    """At 5 %, give or take five standard errors of as many tests as if they were a third as many."""
    tests = list(results_of_independent_attributes(name, post, laws))
    found = np.mean([test.aware.p_value <= LEVEL for test in tests])
    assert abs(found - LEVEL) < 5 * math.sqrt(3 * LEVEL * (1 - LEVEL) / len(tests))
    defined = [test.published.p_value for test in tests if not math.isnan(test.published.p_value)]
    assert np.mean(np.array(defined) <= LEVEL) > 0.5


@pytest.mark.slow
def test_level_is_held_where_a_handful_of_users_told_each_coefficient():
    """Of 40 users all who told one coefficient may say the same; the estimated variance of it would be 0."""
    laws = ([0.3, 0.7], [0.25, 0.75], [0.86, 0.09, 0.05])
    tests = list(results_of_independent_attributes("inpht:k=2", "least-squares", laws, 40))
    assert len(tests) > 150
    found = np.mean([test.aware.p_value <= LEVEL for test in tests])
    assert found < LEVEL + 4 * math.sqrt(LEVEL * (1 - LEVEL) / len(tests))
