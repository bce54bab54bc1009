"""CALM's collection: sets that cover, their choice against the variances themselves, and what files carry."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError, Privacy
from mechdesign_catalog.decoders.tables.subsets import UniformShares
from mechdesign_catalog.systems.flat.grr import Grr
from mechdesign_catalog.systems.flat.unary import Oue
from mechdesign_catalog.systems.tables.registry import marginal_oracle_of, parse_marginal_oracle
from mechdesign_catalog.systems.tables.sampling.calm import Calm
from mechdesign_catalog.systems.tables.sampling.covering import (
    best_sets,
    covering_sets,
    most_precise_oracle,
    planned_variance,
)

EPSILON = Privacy(epsilon="1.1")


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


@pytest.mark.parametrize(
    ("d", "way", "size", "least"),
    [(8, 2, 2, 28), (8, 3, 4, 14), (16, 3, 4, 140), (8, 2, 4, 6), (8, 2, 3, 11), (7, 7, 7, 1), (10, 2, 4, 9)],
)
def test_sets_are_about_as_few_as_is_known(d, way, size, least):
    """The least numbers are those of the La Jolla Covering Repository."""
    assert least <= len(covering_sets(d, way, size)) <= 1.15 * least


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
    "text",
    [
        "calm:sets=0.1+2.3",
        "calm:sets=0.1.2.4",
        "calm:sets=a",
        "calm:sets=0.1.2.3+0.1.2.3",
        "calm:sets=0.1.2.3:size=3",
        "calm:size=5",
        "calm:size=x",
        "calm:k=5",
    ],
)
def test_bad_options_are_refused(text):
    with refused(InputError):
        parse_marginal_oracle(text, (2,) * 4, EPSILON)


@pytest.mark.parametrize(
    ("domains", "way"),
    [
        ((2,) * 100, 3),
        ((2000, 2000), 2),
    ],
    ids=["tables", "cells"],
)
def test_collections_that_are_too_large_are_refused(domains, way):
    with refused(InputError):
        Calm(domains, EPSILON, way)
