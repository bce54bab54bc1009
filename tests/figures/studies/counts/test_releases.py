"""Studies 6.9 to 6.17: tables from the cache, pictures from tables, and what was published."""

import os
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from mechdesign import design
from mechdesign.counts.error_law import error_law
from mechdesign.counts.error_metrics import parse_metrics
from mechdesign_catalog.datasets.counts import People, open_data
from mechdesign_catalog.mechanisms.closed_forms import CLOSED_FORMS
from mechdesign_figures.studies.counts import adult_error, binomial_l0, binomial_l1_l2
from mechdesign_figures.studies.counts.releases import binomial_people
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import read_table, table_text

SYNTHETIC = [*binomial_l0.STUDIES, *binomial_l1_l2.STUDIES]
ADULT = adult_error.STUDIES[0]
BY_NUMBER = {study.number: study for study in [ADULT, *SYNTHETIC]}

HAS_ADULT = Path(os.environ.get("MECHDESIGN_DATA") or "no folder", "adult.data").is_file()
needs_adult = pytest.mark.skipif(not HAS_ADULT, reason="MECHDESIGN_DATA names no folder that has adult.data")

STANDARD_ERRORS = 6
"""Of simulated means: about 1,500 of them are looked at, from 30 repetitions each, with fixed seeds."""
ROUNDING = 1e-12
CLOSE = 1.02
"""Between two mechanisms of nearly the same error the draw of the people decides."""


@cache
def solved(number, quick):
    return {problem: design(problem) for problem in BY_NUMBER[number].problems(quick)}


@cache
def table(number):
    """Few values of what varies, but both alphas and all 30 repetitions."""
    releases = BY_NUMBER[number].rows.__self__
    return replace(releases, sizes=ends(releases.sizes), values=ends(releases.values)).rows(DesignCache(), False)


def ends(values):
    return values[:: max(1, len(values) - 1)]


def made_up_adult(monkeypatch):
    bits = open_data("binomial:0.3", people=1000, seed=1).grouped(1).counts.astype(bool)
    monkeypatch.setattr(DesignCache, "adult", lambda self, target: People(target, bits))


@pytest.mark.slow
@pytest.mark.parametrize("number", BY_NUMBER)
def test_quick_form(number, monkeypatch):
    made_up_adult(monkeypatch)
    study = BY_NUMBER[number]
    cache = DesignCache(solved(number, True))
    rows = study.rows(cache, True)
    assert cache.missed == []
    assert rows == study.rows(DesignCache(solved(number, True)), True)
    assert all(set(row) == set(study.columns) for row in rows)
    axes = [axes for axes in study.draw(read_table(table_text(study, rows))).axes if axes.axison]
    assert axes
    assert all(panel.lines for panel in axes)
    assert cache.missed == []


@pytest.mark.slow
@pytest.mark.parametrize("study", SYNTHETIC, ids=lambda study: study.number)
def test_simulation_agrees_with_expectation(study):
    for row in table(study.number):
        slack = ROUNDING
        if row["metric"] == "rmse":  # the mean of roots lies below the root of the mean, by about variance / 2 mean
            slack += row["deviation"] ** 2 / max(row["mean"], ROUNDING)
        elif row["expected"] * row["groups"] * row["repetitions"] < 30:
            continue  # too few for a standard error from the sample
        assert abs(row["mean"] - row["expected"]) <= STANDARD_ERRORS * row["standard_error"] + slack, row


@pytest.mark.slow
@pytest.mark.parametrize("study", BY_NUMBER.values(), ids=BY_NUMBER)
def test_full_form_needs_what_it_says(study, monkeypatch):
    asked = []

    def record(self, problem):
        asked.append(problem)
        return SimpleNamespace(mechanism=CLOSED_FORMS["UM"].build(problem.n, problem.alpha))

    made_up_adult(monkeypatch)
    monkeypatch.setattr(DesignCache, "design", record)
    releases = study.rows.__self__
    replace(releases, repetitions=2, values=releases.values[:1]).rows(DesignCache(), False)
    assert set(asked) == set(study.problems(False))
    assert all(problem.loss.name == releases.loss for problem in asked)


def test_data_and_noise_have_streams_of_their_own():
    rows = [row for row in table("6.11") if row["mechanism"] == "UM" and row["d"] == 0]
    assert len({row["mean"] for row in rows}) == len(rows)  # one law, another noise in each cell
    by_cell = {}
    for row in table("6.10"):
        by_cell.setdefault((row["p"], row["n"]), set()).add(row["expected"] if row["mechanism"] == "UM" else None)
    assert all(len(values - {None}) == 1 for values in by_cell.values())  # the same groups at either alpha


def test_people_of_one_chance_are_the_same_in_every_study():
    once, again = (
        binomial_people(
            DesignCache(),
            "0.70",
        )
        .grouped(8)
        .counts.tolist()
        for _ in range(2)
    )
    assert once == again == binomial_people(DesignCache(), "0.7").grouped(8).counts.tolist()
    assert once != binomial_people(DesignCache(), "0.75").grouped(8).counts.tolist()
    shares = [
        {row["mechanism"]: row["expected"] for row in BY_NUMBER[number].rows(DesignCache(), True) if picked(row)}
        for number, picked in (
            ("6.11", lambda row: (row["p"], row["d"]) == ("0.1", 0)),
            ("6.13", lambda row: (row["p"], row["error"]) == ("0.1", 0)),
        )
    ]
    assert {name: 1 - share for name, share in shares[1].items()} == pytest.approx(shares[0])


@pytest.mark.parametrize(("number", "along", "bar"), [("6.12", "n", "deviation"), ("6.16", "d", "standard_error")])
def test_panels_show_their_rows(number, along, bar):
    rows = table(number)
    panels = BY_NUMBER[number].draw(rows).axes
    pairs = list(dict.fromkeys((row["alpha"], row["p"]) for row in rows))
    pairs.sort(key=lambda pair: (-Fraction(pair[0]), pair[1]))
    names = list(dict.fromkeys(row["mechanism"] for row in rows))
    for axes, (alpha, p) in zip(panels, pairs, strict=True):
        assert axes.get_title() == f"p = {p}, alpha = {float(Fraction(alpha))}"
        lines = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
        for name, line, marks in zip(names, lines, axes.containers, strict=True):
            own = [row for row in rows if (row["alpha"], row["p"], row["mechanism"]) == (alpha, p, name)]
            assert list(line.get_xdata()) == [row[along] for row in own]
            assert list(line.get_ydata()) == [row["expected"] for row in own]
            assert list(marks[0].get_ydata()) == [row["mean"] for row in own]
            bars = [(high - low) / 2 for (_, low), (_, high) in marks[2][0].get_segments()]
            assert bars == pytest.approx([row[bar] for row in own], abs=ROUNDING)


@pytest.mark.slow
def test_histogram_panels_show_their_rows():
    rows = table("6.13")
    panels = BY_NUMBER["6.13"].draw(rows).axes
    assert len(panels) == 16
    heights = [patch.get_height() for patch in panels[5].patches]  # WM, the second column
    titles = [axes.get_title() for axes in panels[:4]]
    assert titles[1] == "p = 0.1, alpha = 0.67"
    assert heights == [shares("WM", "0.1", "67/100")[error] for error in range(-8, 9)]
    assert panels[0].get_ylim() == panels[15].get_ylim()


@pytest.mark.slow
def test_settings_are_the_published_ones():
    releases = {study.number: study.rows.__self__ for study in [ADULT, *SYNTHETIC]}
    for study in SYNTHETIC:
        own = releases[study.number]
        assert (own.repetitions, own.alphas) == (30, (Fraction(91, 100), Fraction(67, 100)))
        assert all(9_900 < row["groups"] * row["n"] <= 10_000 for row in table(study.number))
    assert (releases["6.9"].alphas, releases["6.9"].repetitions) == ((Fraction(9, 10),), 50)
    assert releases["6.9"].values == ("income", "sex", "age")
    assert releases["6.10"].sizes == (4, 8, 12)
    assert [float(p) for p in releases["6.10"].values] == [k / 20 for k in range(1, 20)]
    assert releases["6.13"].values == ("0.1", "0.7")
    assert releases["6.16"].values == releases["6.17"].values == ("0.1", "0.6")
    assert {number: own.loss for number, own in releases.items() if own.loss != "L0"} == {
        "6.14": "L1",
        "6.15": "L2",
        "6.16": "L1",
        "6.17": "L2",
    }
    assert (releases["6.16"].metrics, releases["6.17"].metrics) == ("L1:d", "L2:d")
    assert releases["6.11"].sizes == releases["6.13"].sizes == (8,)
    assert len({own.seed for own in releases.values()}) == len(releases)
    assert [row["d"] for row in table("6.16")[:8]] == list(range(8))
    assert sorted({row["error"] for row in table("6.13")}) == list(range(-8, 9))


def shares(mechanism, p, alpha):
    return {
        row["error"]: row["expected"]
        for row in table("6.13")
        if (row["mechanism"], row["p"], row["alpha"]) == (mechanism, p, alpha)
    }


def peaks(found):
    values = [0.0, *(found[error] for error in sorted(found)), 0.0]
    return sum(low < value >= high for low, value, high in zip(values, values[1:], values[2:], strict=False))


@pytest.mark.parametrize("p", ["0.1", "0.7"])
def test_gm_is_bimodal_at_the_larger_alpha_alone(p):
    assert peaks(shares("GM", p, "91/100")) == 2
    assert peaks(shares("GM", p, "67/100")) == 1
    assert [peaks(shares(name, p, "91/100")) for name in ("WM", "EM")] == [1, 1]


def test_tails_and_histograms_are_consistent():
    for mechanism in ("GM", "UM"):
        assert sum(shares(mechanism, "0.7", "91/100").values()) == pytest.approx(1, abs=ROUNDING)
    tail = [row["expected"] for row in table("6.11")[:8]]
    assert tail == sorted(tail, reverse=True)


@pytest.mark.parametrize("number", ["6.14", "6.15"])
def test_without_properties_the_root_mean_squared_error_is_among_the_least(number):
    cells = {}
    for row in table(number):
        if row["alpha"] == "91/100":
            cells.setdefault((row["p"], row["n"]), {})[row["mechanism"]] = row["expected"]
    assert len(cells) == 4
    for found in cells.values():
        assert found["UCM"] <= CLOSE * min(found.values())
    assert min(cells["0.6", 20], key=cells["0.6", 20].get) == "UCM"


@needs_adult
def test_published_error_rates_on_adult():
    cache = DesignCache()
    histogram = cache.adult("income").grouped(8).histogram
    (metric,) = parse_metrics("error-rate", 8)
    found = {
        name: metric.expected(error_law(cache.mechanism(name, 8, Fraction(9, 10)), histogram))
        for name in ("WM", "EM", "UM")
    }
    assert {name: f"{value:.4f}" for name, value in found.items()} == {"WM": "0.8600", "EM": "0.8609", "UM": "0.8889"}


@needs_adult
def test_adult_study():
    rows = [row for row in ADULT.rows(DesignCache(solved("6.9", True)), True) if row["target"] == "income"]
    assert {row["n"] for row in rows} == {2, 20}
    for row in rows:
        if row["mechanism"] == "UM":
            assert row["expected"] == pytest.approx(1 - 1 / (row["n"] + 1), abs=ROUNDING)
