"""Studies of decoders, of oracles on the input and of uses of tables, in their reduced form."""

import itertools
import math

import numpy as np
import pytest
from marginal_forms import cell_variances, expected_total_variation

from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.marginals import association, drawings, maximisation, trees
from mechdesign_figures.studies.marginals.people import FILMS, SKEWED, TAXI, people
from mechdesign_figures.studies.marginals.systems import INPHT, MARGPS
from mechdesign_figures.studies.registry import STUDIES

NUMBERS = ("4.2", "4.5", "4.7", "4.8", "4.9")


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
def test_correlations_of_the_law_are_those_of_many_trips(made):
    for row in made["4.2"]:
        assert abs(row["correlation"] - row["drawn"]) < 4.5 / math.sqrt(row["trips"])
    found = {(row["attribute"], row["other"]): row["correlation"] for row in made["4.2"]}
    assert found["cc", "tip"] == pytest.approx(0.6)
    assert abs(found["toll", "night_pick"]) < 0.002
    assert drawings.phi(np.array([[0.4, 0.1], [0.1, 0.4]])) == pytest.approx(0.6)


@pytest.mark.slow
def test_expected_errors_are_those_of_closed_forms(made):
    for row in made["4.7"]:
        if row["system"] == "INPHTCMS":
            continue
        d, k, users = row["attributes"], row["way"], row["users"]
        name = {"INPHT": "inpht", "INPOLH": "inprr"}[row["system"]]  # 4 buckets at e^epsilon = 3: the variance of OUE
        shares = people(SKEWED, d, users).shares
        found = [
            expected_total_variation(
                cell_variances(name if name == "inpht" else "inprr:oue", d, k, 3.0, shares.table(subset), users)
            )
            for subset in itertools.combinations(range(d), k)
        ]
        assert row["expected"] == pytest.approx(np.mean(found), rel=1e-6)


@pytest.mark.slow
def test_simulated_errors_are_near_expected_ones(made):
    ratios = np.array([row["mean"] / row["expected"] for row in made["4.7"] if row["mean"] is not None])
    assert len(ratios) == 9
    assert 0.8 < ratios.mean() < 1.2


@pytest.mark.slow
def test_inversion_by_the_formula(made):
    """Over the cells of a pair the mean variance is the mean of `(2p-1)^-2|a| - 1` over its 4 coefficients, over 4n."""
    for row in made["4.5"]:
        if row["system"] == maximisation.INVERSION:
            kept = math.tanh(row["epsilon"] / row["attributes"] / 2)
            mean = (2 * kept**-2 + kept**-4 - 3) / 16 / row["users"]
            assert row["expected"] == pytest.approx(2 * math.sqrt(2 * mean / math.pi), rel=0.01)
    errors, steps = maximisation.decoded(4, "0.6", 1 << 12, 2)
    assert len(errors) == 2
    assert len(steps) == 12
    assert max(steps) > 50


def test_statistics_by_hand():
    """chi-squared of two bits is the number of users times the square of their correlation."""
    pair = ("cc", "tip")
    asked = people(TAXI, 8, 1 << 12)
    columns = asked.values[:, list(association.places(pair))]
    correlation = np.corrcoef(columns.T)[0, 1]
    assert association.true_statistic(pair, 1 << 12) == pytest.approx((1 << 12) * correlation**2)
    assert association.places(("toll", "night_pick")) == (1, 3)


@pytest.mark.slow
def test_noise_makes_associations(made):
    """Where a pair is unrelated the published test finds it all the same, the one that counts the noise does not."""
    for row in made["4.8"]:
        if row["expected_dependent"] == "yes":
            assert row["found"] == row["repetitions"]
            assert row["true_statistic"] > 1000
        else:
            assert row["mean"] > 10 * row["true_statistic"]
            assert row["found_with_noise"] < row["found"] or row["found"] == 0


@pytest.mark.slow
def test_trees_tell_at_most_the_best(made):
    for row in made["4.9"]:
        assert 0 < row["mean"] <= row["best"] * (1 + 1e-12)
    tree = trees.learnt(MARGPS, 5, 20_000, "1.4", trees.PUBLISHED, 0)
    assert len(tree.edges) == 4
    strong = trees.told(INPHT, 5, 200_000, "5", trees.IMPROVED, 2)
    assert min(strong) >= 0.9 * trees.best(5, 200_000)
    assert people(FILMS, 5, 100).domains == (2,) * 5


def test_noise_is_taken_off_before_trees_are_learnt(monkeypatch):
    """Where all pairs but those of the first attribute are said to be noise, the tree is a star about it."""
    pairs = itertools.combinations(range(5), 2)
    told = {pair: 0.0 if 0 in pair else 100.0 for pair in pairs}
    monkeypatch.setattr(trees, "noise_information", lambda source: told)
    found = trees.learnt(MARGPS, 5, 10_000, "1.4", trees.IMPROVED, 0)
    assert {edge.pair for edge in found.edges} == {(0, other) for other in range(1, 5)}
    published = trees.learnt(MARGPS, 5, 10_000, "0.2", trees.PUBLISHED, 0)
    assert {edge.pair for edge in published.edges} != {(0, other) for other in range(1, 5)}
