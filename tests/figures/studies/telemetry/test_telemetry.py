"""The telemetry studies: settings as published, tables against exact variances, pictures against tables."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.systems.flat.dbitflip import DBitFlip
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import read_table, table_text
from mechdesign_figures.studies.telemetry import histogram as telemetry
from mechdesign_figures.studies.telemetry import mean as telemetry_mean
from mechdesign_figures.studies.telemetry.histogram import (
    BY_EPSILON,
    DISTANCES,
    LARGEST_ERRORS,
    LAWS,
    LOOKS,
    RAW,
    RESCALED,
    Telemetry,
    estimates_of,
    telemetry_users,
)
from mechdesign_figures.studies.telemetry.mean import MEANS

HISTOGRAMS = {study.number: study for study in telemetry.STUDIES}
(MEAN,) = telemetry_mean.STUDIES
STANDARD_ERRORS = 5
"""Of few means with fixed seeds."""


@pytest.fixture(scope="module")
def tables():
    return {number: study.rows(DesignCache(), True) for number, study in [*HISTOGRAMS.items(), (MEAN.number, MEAN)]}


def test_settings_are_the_published_ones():
    assert LARGEST_ERRORS.users == DISTANCES.users == (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
    assert (LARGEST_ERRORS.epsilons, DISTANCES.epsilons) == ((1,), (3,))
    assert [float(epsilon) for epsilon in BY_EPSILON.epsilons] == [0.1, 0.2, 0.5, 1, 2, 3, 5, 10]
    assert LAWS == ("normal", "uniform", "constant")
    assert telemetry.DRAWN == (1, 2, 4)
    assert telemetry.REPETITIONS == 10
    assert (telemetry_users("normal", 1000).k, telemetry.STEP_HOURS) == (32, 0.75)
    seeds = [own.seed for own in (LARGEST_ERRORS, DISTANCES, BY_EPSILON, MEANS)]
    assert len(set(seeds)) == len(seeds)
    assert list(LOOKS) == [f"d = {d}" for d in telemetry.DRAWN]


@pytest.mark.parametrize("d", [1, 2, 4])
def test_estimates_are_unbiased_and_as_exact_as_they_say(d):
    data, oracle = telemetry_users("normal", 1000), DBitFlip(32, Privacy(epsilon=3), d)
    raw = np.array([estimate for estimate, _ in estimates_of(data, oracle, 60, (1, d))])
    squares = np.square(raw - data.frequencies).mean(axis=1)
    expected = oracle.variance(data.frequencies, 1000).mean()
    assert abs(squares.mean() - expected) <= STANDARD_ERRORS * squares.std(ddof=1) / math.sqrt(60)


def test_rescaled_estimates_come_from_the_raw_ones():
    data, oracle = telemetry_users("uniform", 1000), DBitFlip(32, Privacy(epsilon=1), 1)
    for raw, scaled in estimates_of(data, oracle, 3, (2,)):
        kept = np.maximum(raw, 0)
        assert scaled == pytest.approx(kept / kept.sum())


@pytest.mark.slow
@pytest.mark.parametrize("number", HISTOGRAMS)
def test_tables(tables, number):
    study, rows = HISTOGRAMS[number], tables[number]
    assert all(tuple(row) == study.columns for row in rows)
    assert {row["repetitions"] for row in rows} == {10}
    cells = [(row["data"], row["users"], row["epsilon"], row["d"], row["metric"], row["estimates"]) for row in rows]
    assert len(set(cells)) == len(cells)
    assert len({row["mean"] for row in rows}) == len(rows)
    again = Telemetry((1000,), (Fraction(1),), (("max", RAW),), LARGEST_ERRORS.seed).rows(DesignCache(), False)
    if number == "telemetry-max":
        assert again == [row for row in rows if row["users"] == 1000]


def test_metrics_look_at_the_estimates_they_name(tables):
    for row in tables["telemetry-w1"]:
        data, oracle = telemetry_users(row["data"], row["users"]), DBitFlip(32, Privacy(epsilon=3), row["d"])
        seed = (DISTANCES.seed, LAWS.index(row["data"]), row["users"], 3, 1, row["d"])
        pairs = list(itertools.islice(estimates_of(data, oracle, 10, seed), 10))
        errors = [(raw if row["estimates"] == RAW else scaled) - data.frequencies for raw, scaled in pairs]
        distances = [0.75 * np.abs(np.cumsum(error)[:-1]).sum() for error in errors]
        assert row["mean"] == pytest.approx(np.mean(distances))
        assert row["standard_error"] == pytest.approx(np.std(distances, ddof=1) / math.sqrt(10))
        break


def test_more_buckets_and_more_users_make_it_better(tables):
    for row in tables["telemetry-max"]:
        fewer = [r for r in tables["telemetry-max"] if r["data"] == row["data"] and r["d"] < row["d"]]
        assert all(r["mean"] > row["mean"] for r in fewer if r["users"] == row["users"])
        assert all(
            r["mean"] > row["mean"] for r in tables["telemetry-max"] if r["users"] < row["users"] and r["d"] <= row["d"]
        )


@pytest.mark.slow
@pytest.mark.parametrize(("number", "along", "lines"), [("telemetry-w1", "users", 2), ("telemetry-eps", "epsilon", 2)])
def test_panels_show_their_rows(tables, number, along, lines):
    study, rows = HISTOGRAMS[number], tables[number]
    with house_style():
        panels = study.draw(read_table(table_text(study, rows))).axes
    pairs = list(dict.fromkeys((row["metric"], row["estimates"]) for row in rows))
    assert len(panels) == lines * len(LAWS)
    for axes, (pair, law) in zip(panels, itertools.product(pairs, LAWS), strict=True):
        for d, marks in zip(telemetry.DRAWN, axes.containers, strict=True):
            own = [r for r in rows if (r["metric"], r["estimates"], r["data"], r["d"]) == (*pair, law, d)]
            assert list(marks[0].get_xdata()) == [row[along] for row in own]
            assert list(marks[0].get_ydata()) == [row["mean"] for row in own]
            bars = [(high - low) / 2 for (_, low), (_, high) in marks[2][0].get_segments()]
            assert bars == pytest.approx([row["standard_error"] for row in own])
            assert marks.get_label() == f"d = {d}"
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [axes.get_title() for axes in panels[:4]] == [*(f"{law} data" for law in LAWS), ""]


@pytest.mark.slow
def test_published_numbers_are_marked(tables):
    for number, published in (
        ("telemetry-max", {10_000: 0.3, 300_000: 0.045}),
        ("telemetry-w1", {10_000: 2, 100_000: 1}),
    ):
        with house_style():
            panels = HISTOGRAMS[number].draw(tables[number]).axes
        stars = [line for axes in panels for line in axes.lines if line.get_marker() == "*"]
        assert len(stars) == len(panels) / len(LAWS)
        assert all(dict(line.get_xydata().tolist()) == published for line in stars)
        assert all(line.axes.get_subplotspec().is_first_col() for line in stars)


def test_hours_and_buckets_on_one_axis():
    assert telemetry._in_steps([0.75, 24]).tolist() == [1, 32]
    assert telemetry._in_hours(telemetry._in_steps(3.0)) == 3.0


def test_means(tables):
    rows = tables["telemetry-mean"]
    assert all(tuple(row) == MEAN.columns for row in rows)
    assert {(row["panel"], row["users"], row["epsilon"]) for row in rows} == {
        ("users", 1_000, 1),
        ("users", 10_000, 1),
        ("epsilon", 10_000, 0.1),
        ("epsilon", 10_000, 10),
    }
    for row in rows:
        assert abs(row["mean"] - row["expected"]) <= STANDARD_ERRORS * row["standard_error"], row


def test_the_expected_error_of_a_mean_by_hand(tables):
    """Everybody at noon: a bit is 1 with 1/2, whatever epsilon is."""
    values = open_items("constant", k=2401, people=1000, seed=telemetry.DATA_SEED).values()
    assert set(values.tolist()) == {1200}
    width = math.tanh(0.5)  # p - q at epsilon = 1
    row = next(r for r in tables["telemetry-mean"] if (r["data"], r["users"]) == ("constant", 1000))
    assert row["expected"] == pytest.approx(24 / (2 * width * math.sqrt(1000)) * math.sqrt(2 / math.pi), rel=1e-6)
    assert OneBitMean.up_to(24, Privacy(epsilon=1), 2401).numbers(np.array([1200])).tolist() == [12.0]


def test_the_picture_of_means(tables):
    rows = tables["telemetry-mean"]
    with house_style():
        panels = MEAN.draw(read_table(table_text(MEAN, rows))).axes
    for axes, along in zip(panels, ("users", "epsilon"), strict=True):
        lines = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
        for law, line in zip(LAWS, lines, strict=True):
            own = [row for row in rows if (row["panel"], row["data"]) == (along, law)]
            assert list(line.get_xdata()) == [row[along] for row in own]
            assert list(line.get_ydata()) == [row["expected"] for row in own]
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_the_reduced_form_keeps_few_users():
    form = replace(LARGEST_ERRORS, epsilons=BY_EPSILON.epsilons).form(True)
    assert (form.users, form.epsilons) == ((1_000, 10_000), (Fraction(1, 10), Fraction(10)))
    assert LARGEST_ERRORS.form(False) is LARGEST_ERRORS
    assert RESCALED in dict(DISTANCES.metrics).values()
