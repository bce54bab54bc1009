"""Studies of marginals in their reduced form: errors against closed forms, simulations against errors."""

import math

import numpy as np
import pytest
from marginal_forms import cell_variances, expected_total_variation

from mechdesign_catalog.decoders.tables.subsets import UniformShares, subsets_of
from mechdesign_catalog.systems.tables.inputs.inpem import InpEm
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals import best_method, bounds, errors, first_steps
from mechdesign_figures.studies.marginals.people import FILMS, TAXI, genres, people
from mechdesign_figures.studies.marginals.systems import INPHT, SIX, Collection, at, binary
from mechdesign_figures.studies.registry import STUDIES

NUMBERS = ("4.3", "4.4", "4.6", "table-4.1", "table-4.2", "best-marginals", "marginals-errors")
FORMS = {system: name.partition(":draw")[0] for system, name in SIX.items()}


@pytest.fixture(scope="module")
def made():
    """The rows of every study, reduced."""
    return {number: STUDIES[number].rows(DesignCache(), True) for number in NUMBERS}


@pytest.mark.slow
def test_tables_and_pictures(made):
    for number, rows in made.items():
        study = STUDIES[number]
        assert rows
        assert all(tuple(row) == study.columns for row in rows), number
        with house_style():
            assert study.draw(rows).axes


@pytest.mark.slow
@pytest.mark.parametrize("number", ["4.3", "4.4", "4.6"])
def test_expected_errors_are_those_of_closed_forms(made, number):
    for row in made[number]:
        if row["system"] in FORMS:
            d, k, users, x = row["attributes"], row["way"], row["users"], math.exp(row["epsilon"])
            shares = people(row["data"], d, users).shares
            found = [
                expected_total_variation(cell_variances(FORMS[row["system"]], d, k, x, shares.table(subset), users))
                for subset in subsets_of(d, k)
            ]
            assert row["expected"] == pytest.approx(np.mean(found), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["4.3", "4.4", "4.6"])
def test_simulated_errors_are_near_expected_ones(made, number):
    ratios = np.array([row["mean"] / row["expected"] for row in made[number] if row["mean"] is not None])
    assert len(ratios) >= 24
    assert 0.92 < ratios.mean() < 1.08
    assert 0.2 < ratios.min() < ratios.max() < 2.5


def test_people_are_the_same_everywhere():
    few, many = (people(TAXI, 12, users).values for users in (100, 1000))
    assert (many[:100] == few).all()
    assert (few[:, :4] == few[:, 8:]).all()
    asked = people(FILMS, 4, 1000)
    assert asked.shares.table((1, 3)) == pytest.approx(np.bincount(2 * asked.values[:, 1] + asked.values[:, 3]) / 1000)
    assert set(genres(4)) < set(genres(8)) < set(genres(16)) < set(range(17))
    assert (people(FILMS, 16, 1000).values[:, [genres(16).index(genre) for genre in genres(4)]] == asked.values).all()


def test_uniform_errors_go_by_kinds_of_tables():
    collection = Collection("margps", (2, 3, 2, 3), 2)
    everything = collection.mean_error(UniformShares(collection.domains), 5000)
    assert collection.uniform_error(5000) == pytest.approx(everything, rel=1e-9)
    few = collection.mean_error(UniformShares(collection.domains), 5000, [(0, 2)])
    assert few < collection.mean_error(UniformShares(collection.domains), 5000, [(1, 3)])


@pytest.mark.slow
def test_the_best_system(made):
    for row in made["best-marginals"]:
        found = {system: row[system] for system in SIX}
        assert found[row["best"]] <= min(found.values()) * (1 + 1e-9)
    published = {
        (r["attributes"], r["way"], r["epsilon"]): r for r in made["best-marginals"] if r["estimates"] == "published"
    }
    for place, row in published.items():
        d, k, epsilon = place
        assert row[INPHT] == pytest.approx(
            expected_total_variation(cell_variances("inpht", d, k, math.exp(epsilon), np.full(2**k, 0.5**k), 1 << 18)),
            rel=1e-6,
        )
    assert best_method.best_of({"a": 2.0, "b": 1.0, "c": 1.0}) == "b"


@pytest.mark.slow
def test_least_squares_never_lose(made):
    for row in made["marginals-errors"]:
        assert row["improved"] <= row["published"] * (1 + 1e-9)
    assert {row["best"] for row in made["marginals-errors"]} >= {"", "published", "improved"}


@pytest.mark.slow
def test_bounds(made):
    for row in made["table-4.1"]:
        assert row["bits"] <= row["printed_bits"]
        assert row["over_printed"] * row["printed_growth"] == pytest.approx(row["over_derived"] * row["derived_growth"])
        error = binary(row["oracle"], row["attributes"], row["way"], at(bounds.EPSILON)).uniform_error(bounds.USERS)
        assert row["expected"] == pytest.approx(error)
    assert (bounds.coefficients(4, 2), bounds.tables(4, 2)) == (10, 6)


def test_first_steps_are_those_of_expectation_maximisation():
    oracle = InpEm((2, 2, 2), at("0.9"), 2)
    state = oracle.simulate_sums(people(TAXI, 3, 500).values, np.random.default_rng(1))
    root = float(oracle.parts[0].alpha)
    kept = root / (1 + root)
    found = first_steps.first_moves(oracle, state)
    one = np.array([[1 - kept, kept], [kept, 1 - kept]])
    channel = np.kron(one, one)
    for subset, moved in zip(oracle.subsets, found, strict=True):
        observed = oracle.reported(state, subset) / state.users
        posterior = channel / channel.sum(axis=1, keepdims=True)
        assert moved == pytest.approx(np.abs(observed @ posterior - 0.25).max(), rel=1e-9)


@pytest.mark.slow
def test_failures_are_as_printed(made):
    """But for chance, and for trips that are made up: within a third of all tables."""
    for row in made["table-4.2"]:
        assert abs(row["mean"] - row["printed_failed"]) <= 0.35 * row["tables"] + 1
        assert row["unbiased_distance"] > 0.1
    assert [row.total for row in first_steps.TABLE_4_2] == [math.comb(row.d, row.k) for row in first_steps.TABLE_4_2]


def test_simulated_errors_have_their_own_noise():
    asked = people(FILMS, 4, 1 << 10)
    one, other = errors.simulated_errors(binary("margps", 4, 2), asked, 2)
    assert one != other
    assert errors.simulated_errors(binary("margps", 4, 2), asked, 1) == [one]
