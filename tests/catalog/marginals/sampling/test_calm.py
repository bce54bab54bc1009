"""CALM's collection: sets that cover, their choice against the variances themselves, and what files carry."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from branch_enumeration import enumerated
from hypothesis import given, settings
from hypothesis import strategies as st

from mechdesign import InputError, Privacy
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.marginals.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.marginals.sampling.calm import Calm
from mechdesign_catalog.marginals.sampling.covering import (
    best_sets,
    covering_sets,
    most_precise_oracle,
    planned_variance,
)
from mechdesign_catalog.multidimensional.tables import PeopleShares, UniformShares
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.unary import Oue

EPSILON = Privacy(epsilon="1.1")


def people(domains, users, seed=3):
    generator = np.random.default_rng(seed)
    return np.stack([generator.binomial(r - 1, 0.3, users) for r in domains], axis=1).astype(np.int64)


def require_cover(d, way, size):
    sets = covering_sets(d, way, size)
    of_set = [set(combinations(own, way)) for own in sets]
    assert all(len(own) == size and list(own) == sorted(set(own)) for own in sets)
    assert set().union(*of_set) == set(combinations(range(d), way))
    for left_out in range(len(sets)):
        assert len(set().union(*of_set[:left_out], *of_set[left_out + 1 :])) < comb(d, way)


@given(st.integers(1, 9), st.data())
@settings(max_examples=40)
def test_sets_cover_every_table_and_none_is_superfluous(d, data):
    size = data.draw(st.integers(1, d))
    require_cover(d, data.draw(st.integers(1, min(size, 4))), size)


def test_a_set_that_later_ones_make_superfluous_is_left_out():
    """Here the greedy search alone finds 54 sets, one of them superfluous."""
    require_cover(11, 3, 4)


@pytest.mark.parametrize(
    ("d", "way", "size", "least"),
    [(8, 2, 2, 28), (8, 3, 4, 14), (16, 3, 4, 140), (8, 2, 4, 6), (8, 2, 3, 11), (7, 7, 7, 1), (10, 2, 4, 9)],
)
def test_sets_are_about_as_few_as_is_known(d, way, size, least):
    """The least numbers are those of the La Jolla Covering Repository."""
    assert least <= len(covering_sets(d, way, size)) <= 1.15 * least


def test_sets_are_always_the_same():
    assert covering_sets(6, 2, 3) == ((0, 1, 2), (0, 3, 4), (0, 1, 5), (1, 2, 3), (1, 2, 4), (2, 3, 5), (0, 4, 5))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_planned_variance_is_that_of_the_estimates(size):
    domains, n = (2,) * 5, 10**9
    oracle = Calm(domains, EPSILON, 2, size)
    estimator, users = oracle.least_squares, oracle.planned_users(n)
    tables = list(combinations(range(5), 2))
    total = sum(estimator.variances(table, UniformShares(domains), users).sum() for table in tables)
    assert planned_variance(domains, 2, oracle.sets, EPSILON) == pytest.approx(n * total / len(tables), rel=1e-6)


@pytest.mark.parametrize(("d", "way", "epsilon"), [(8, 2, "1.1"), (8, 2, "2"), (8, 3, "1.1"), (5, 1, "0.4")])
def test_the_sets_that_are_chosen_have_the_least_planned_variance(d, way, epsilon):
    domains, privacy = (2,) * d, Privacy(epsilon=epsilon)
    sizes = range(way, min(d, way + 4) + 1)
    planned = {size: planned_variance(domains, way, covering_sets(d, way, size), privacy) for size in sizes}
    best = min(planned, key=planned.get)
    assert Calm(domains, privacy, way).size == best
    assert best_sets(domains, way, privacy) == covering_sets(d, way, best)


def test_sizes_that_are_chosen_grow_with_k_and_epsilon():
    sizes = {
        (way, epsilon): Calm((2,) * 8, Privacy(epsilon=epsilon), way).size for way in (2, 3) for epsilon in ("1.1", 2)
    }
    assert sizes == {(2, "1.1"): 2, (2, 2): 3, (3, "1.1"): 4, (3, 2): 4}


@pytest.mark.parametrize("name", ["raw", "least_squares"])
@pytest.mark.parametrize(
    ("domains", "sets", "epsilon"),
    [
        ((2, 2, 2, 2), "0.1.2+0.1.3+2.3", "1.1"),
        ((3, 2, 2), "0.1+0.2+1.2", "0.3"),
        ((3, 2, 2, 2), "0.1.2.3+1.2", 3),
    ],
    ids=["overlaps", "both oracles", "nested"],
)
def test_estimates_are_unbiased_and_their_covariance_is_that_of_all_reports(domains, sets, epsilon, name):
    oracle = Calm(domains, Privacy(epsilon=epsilon), 2, sets=sets)
    counts = np.array([4, 3, 2])[: oracle.branches]
    values = people(domains, int(counts.sum()))
    shares, estimator, users = PeopleShares(domains, values), getattr(oracle, name), counts.astype(float)
    for subset in ((1,), (0, 1), (1, 2)):
        mean, covariance = enumerated(oracle, estimator, subset, values, counts)
        assert mean == pytest.approx(shares.table(subset), abs=1e-11)
        assert estimator.covariance(subset, shares, users) == pytest.approx(covariance, abs=1e-11 * covariance.max())


def test_each_set_has_the_better_oracle_for_its_cells():
    oracle = Calm((9, 9, 2), EPSILON, 2)
    assert [(cells.k, cells.name) for cells in oracle.parts] == [(81, "oue"), (18, "oue"), (18, "oue")]
    assert {cells.name for cells in Calm((2, 2, 3), EPSILON, 2).parts} == {"grr"}


@pytest.mark.parametrize("epsilon", ["0.5", "1.1", "1.6"])
def test_oracles_are_those_with_the_least_variance_where_the_total_is_known(epsilon):
    """At equal shares, with the users' sampling; the published rule has GRR for 6, 11 and 16 cells here."""
    privacy = Privacy(epsilon=epsilon)
    for cells in range(2, 24):
        centred = np.eye(cells) - 1 / cells
        left = {
            kind.name: np.trace(
                centred @ (kind(cells, privacy).moments.covariance(np.full(cells, 1 / cells)) + centred / cells)
            )
            for kind in (Grr, Oue)
        }
        assert most_precise_oracle(cells, privacy).name == min(left, key=left.get)
    assert most_precise_oracle({"0.5": 6, "1.1": 11, "1.6": 16}[epsilon], privacy).name == "oue"


def test_reports_of_sets_of_different_widths_merge():
    oracle = Calm((9, 2, 2), Privacy(epsilon="0.4"), 2)
    assert {cells.name for cells in oracle.parts} == {"grr", "oue"}
    reports = oracle.privatize(people(oracle.domains, 200), seeded_words(1))
    assert set(reports.columns["report"].widths.tolist()) == {1, 3}
    both = oracle.aggregate(reports[:90]).merge(oracle.aggregate(reports[90:]))
    assert both.sums.tolist() == oracle.aggregate(reports).sums.tolist()


def test_headers_have_the_sets_written_out():
    oracle = parse_marginal_oracle("calm:k=2:size=3", (2,) * 4, EPSILON)
    assert oracle.parameters == {
        "oracle": "calm",
        "domains": "2,2,2,2",
        "privacy": "epsilon=11/10",
        "k": 2,
        "size": 3,
        "sets": "0.1.2+0.1.3+0.2.3",
    }
    assert marginal_oracle_of(oracle.parameters) == oracle
    assert oracle.title == "calm:k=2:size=3"
    assert hash(oracle) == hash(marginal_oracle_of(oracle.parameters))
    oracle.parameters["sets"] = "0"
    assert oracle.parameters["sets"] == "0.1.2+0.1.3+0.2.3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("calm:sets=0.1+2.3", "sets must cover all tables of k=2 attributes, got none with"),
        ("calm:sets=0.1.2.4", "sets must be of attributes of 0..3 in rising order, got"),
        ("calm:sets=1.0.2.3", "sets must be of attributes of 0..3 in rising order, got"),
        ("calm:sets=a", "sets must be numbers of attributes, as 0.1.2.0.3.4, got"),
        ("calm:sets=3", "sets must cover all tables of k=2 attributes, got none with"),
        ("calm:sets=0.1.2.3+0.1.2.3", "sets must be different from each other, got"),
        ("calm:sets=0.1.2.3:size=3", "size must be that of the largest set, 4, got size=3"),
        ("calm:size=5", "size must be in 2..4, from k to the number of attributes, got size=5"),
        ("calm:size=1", "size must be in 2..4, from k to the number of attributes, got size=1"),
        ("calm:size=x", "size must be a whole number, got size=x"),
        ("calm:k=5", "k must be in 1..4, as there are 4 attributes, got k=5"),
    ],
)
def test_bad_options_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_marginal_oracle(text, (2,) * 4, EPSILON)


@pytest.mark.parametrize(
    ("domains", "way", "message"),
    [
        ((2,) * 100, 3, "at most 2.16 tables of k attributes, and 2.24 tuples, got d=100, k=3"),
        ((2000, 2000), 2, "must have at most 2.20 cells for calm, got 4000000"),
    ],
    ids=["tables", "cells"],
)
def test_collections_that_are_too_large_are_refused(domains, way, message):
    with pytest.raises(InputError, match=message):
        Calm(domains, EPSILON, way)
