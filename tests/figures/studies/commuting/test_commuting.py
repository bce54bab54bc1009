"""The studies of commuting: tables that repeat, agree with theory, and are enough for their pictures."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems import parse_oracle
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.commuting import errors as commuting_error
from mechdesign_figures.studies.commuting import post_processing as commuting_post
from mechdesign_figures.studies.commuting import ranks as commuting_ranks
from mechdesign_figures.studies.commuting.errors import COUNTIES, STUDIES, SUBSETS
from mechdesign_figures.studies.commuting.runs import SMALL, Source, commuters
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import read_table, table_text

ALL = {study.number: study for study in (*STUDIES, *commuting_ranks.STUDIES, *commuting_post.STUDIES)}

CLOSE = 0.04
"""Simulated RMSE of a subset against its expectation, as a share: over 26,244 pairs its deviation is about 0.5 %; GRR's
errors share one sum, which adds little."""


@cache
def table(number):
    return ALL[number].rows(DesignCache(), True)


@pytest.mark.slow
@pytest.mark.parametrize("number", ALL)
def test_the_table_repeats_and_is_enough_for_the_picture(number):
    study = ALL[number]
    rows = table(number)
    assert all(set(row) == set(study.columns) for row in rows)
    back = read_table(table_text(study, rows))
    assert back == [{column: row[column] for column in study.columns} for row in rows]
    with house_style():
        assert study.draw(back).axes
    assert "made up" in study.setting
    assert not study.needs


@pytest.mark.slow
def test_the_same_seeds_give_the_same_table():
    study = ALL["commuting-subsets"]
    assert table_text(study, SUBSETS.rows(True)) == table_text(study, table("commuting-subsets"))


def test_simulated_roots_are_near_their_expectation():
    for row in table("commuting-subsets"):
        assert row["mean"] == pytest.approx(row["expected"], rel=CLOSE), row


def test_people_are_shares_times_people():
    rows = table("commuting-error")
    for share, people in zip(rows[::2], rows[1::2], strict=True):
        assert people["metric"] == f"{share['metric']}-people"
        assert people["mean"] == pytest.approx(share["mean"] * share["people"])


def test_expectations_are_the_formulas_of_the_literature():
    """OUE: `4 e^eps / (e^eps - 1)^2` for rare pairs, and `n (1 + 8/eps^2 ...)` for nobody: Laplace has `8/eps^2`."""
    data = commuters(SMALL)
    growth = float(np.exp(2.0))
    oue = data.users**2 * Source("oue", Fraction(2)).mean_square(data)
    assert oue == pytest.approx(data.users * 4 * growth / (growth - 1) ** 2, rel=1e-3)
    assert data.users**2 * Source("laplace", Fraction(2)).mean_square(data) == pytest.approx(2.0)
    assert data.users**2 * Source("zero", Fraction(2)).mean_square(data) == pytest.approx((data.counts**2).mean())


def test_ways_of_simulation_and_bits():
    ways = {row["oracle"]: (row["simulated"], row["bits"]) for row in table("commuting-error") if row["epsilon"] == 0.5}
    assert list(ways) == list(COUNTIES.sources)
    assert ways["grr"] == ("law", 11)
    assert ways["olh"][0] == ways["oue"][0] == ways["sue"][0] == "law"
    assert ways["hcms"] == ("reports", 21)
    assert ways["laplace"] == ways["geometric"] == ways["stability"] == ("central", None)


def test_hashes_are_redrawn_for_each_repetition(monkeypatch):
    seeds = []
    real = Source.oracle

    def noted(self, pairs, hashes=0):
        seeds.append(hashes)
        return real(self, pairs, hashes)

    monkeypatch.setattr(Source, "oracle", noted)
    first, second = Source("hcms", Fraction(1)).estimates(commuters(SMALL), 2, (7,))
    assert len({seed for seed in seeds if seed}) == 2
    assert parse_oracle("hcms:seed=3", 4, Privacy(epsilon=1)).parameters["seed"] == 3
    assert not np.array_equal(first, second)


def test_raw_estimates_set_nothing_to_zero_and_norm_sub_sums_to_one():
    rows = [row for row in table("commuting-post") if row["metric"] == "zeroed"]
    assert {row["mean"] for row in rows if row["post"] == "base"} == {0.0}
    assert all(row["mean"] > 0 for row in rows if row["post"] != "base")


@pytest.mark.slow
def test_ranks_of_the_trusted_server_are_right():
    rows = [row for row in table("commuting-ranks") if row["oracle"] == "laplace"]
    assert len(rows) == 20
    assert all(row["median_rank"] == row["true_rank"] and row["mean_distance"] == 0 for row in rows)


def test_the_picture_of_divisions_names_the_answer_zero():
    with house_style():
        figure = commuting_error.draw_divisions(table("commuting-ed"))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "0 for every pair"
