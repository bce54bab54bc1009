"""All pairs of attributes at once, with the rate of false discoveries held down."""

import csv
import io
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from joint_tables import JointTables, product_of, randomized_response

from mechdesign.errors import InputError
from mechdesign_catalog.dependence.associations import find_associations
from mechdesign_catalog.dependence.chi_squared import chi_squared

PAIR = np.array([0.4, 0.1, 0.1, 0.4])


def source_of(law, domains, users=20_000, epsilon=2.0, seed=0, **fields):
    estimate, noise = randomized_response(law, users, epsilon, np.random.default_rng(seed))
    return JointTables(domains, estimate, noise, users, **fields)


def test_pairs_that_are_joined_are_found_and_no_other():
    found = find_associations(source_of(product_of(PAIR, PAIR), (2, 2, 2, 2)))
    assert found.found == [(0, 1), (2, 3)]
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
    assert [test.found for test in found.tests] == [q <= 0.05 for q in expected]
    middle = sorted(expected)[m // 2] * 1.001
    more = find_associations(source, rate=middle, replicates=0)
    assert [test.found for test in more.tests] == [q <= middle for q in expected]
    assert len(more.found) > len(found.found)


def test_published_statistic_is_of_the_tables_as_they_are():
    """Also where their total is not 1."""
    source = JointTables((2, 3), np.array([0.25, 0.2, 0.1, 0.15, 0.1, 0.15]), np.eye(6) / 1e3, 500, post="raw")
    (test,) = find_associations(source, replicates=0).tests
    assert test.published == chi_squared(source.table((0, 1)).shares.reshape(2, 3), 500)


def test_tables_that_do_not_fit_the_memory_are_refused():
    source = replace(source_of(PAIR, (2, 2)), domains=(40_000, 40_000))
    with pytest.raises(InputError, match=r"a test must fit the memory .* got a table of 1600000000 cells"):
        find_associations(source)


def test_results_repeat():
    source = source_of(product_of(PAIR, [0.3, 0.7]), (2, 2, 2))
    assert find_associations(source) == find_associations(source)


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
        assert (row["bootstrap_p_value"], row["associated"]) == ("", str(int(test.found)))
        assert (row["degrees_of_freedom"], row["fdr"], row["post"]) == ("1", "0.05", "least-squares")


@pytest.mark.slow
def test_false_discoveries_are_held_down():
    """Four independent attributes, 300 collections: something is found in at most 5 % of them and four errors."""
    law = product_of([0.5, 0.5], [0.3, 0.7], [0.2, 0.8], [0.4, 0.6])
    runs = 300
    any_found = sum(
        bool(find_associations(source_of(law, (2,) * 4, 5000, 1.1, k), replicates=0).found) for k in range(runs)
    )
    assert any_found / runs < 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        pytest.param({}, {"rate": 1.0}, r"fdr must be in \(0, 1\), got fdr=1.0", id="rate"),
        pytest.param({}, {"replicates": -1}, "replicates must be a whole number from 0 on", id="replicates"),
        pytest.param({}, {"pairs": [(0, 1, 2)]}, "a pair must be of 2 attributes, got 3", id="triple"),
        pytest.param({}, {"pairs": [(1, 0)]}, "in rising order", id="order"),
        pytest.param({"way": 1}, {}, "takes k=2 or more, got k=1", id="way"),
        pytest.param({"unbiased": False, "post": "em"}, {}, "post must be least-squares or raw .* got em", id="biased"),
    ],
)
def test_what_cannot_be_tested_is_refused(fields, options, message):
    source = source_of(product_of(PAIR, [0.3, 0.7]), (2, 2, 2), **fields)
    with pytest.raises(InputError, match=message):
        find_associations(source, **options)
