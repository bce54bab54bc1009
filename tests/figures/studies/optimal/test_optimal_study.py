"""The study of published mechanisms over the certified optimum: its numbers against matrices, and its picture."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign.workload_designs import ByInput
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_figures.plots.parts.saving import describe
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.optimal import shelf
from mechdesign_figures.studies.optimal.published import FAMILIES, OPTIMUM, TREES, WEIGHTED, variances
from mechdesign_figures.studies.optimal.settings import CLOSE, MANY, NEAR, PAIRS, Setting, settings
from mechdesign_figures.studies.study import read_table, table_text

STUDY = shelf.STUDIES[0]


class OpenBench(DesignCache):
    """Designs of variance 10 that are proved to be at most a quarter above the least."""

    def workload_design(self, problem, gap):
        return SimpleNamespace(
            score=Fraction(10),
            lower_bound=Fraction(8),
            floor=Fraction(7),
            by_input=ByInput(Fraction(9), Fraction(10), Fraction(12)),
            mechanism=SimpleNamespace(n_outputs=5),
        )


@pytest.fixture(scope="module")
def rows():
    return STUDY.rows(OpenBench(), True)


def least_variance(matrix, gram):
    """tr(G A^+) - tr(G)/k of a matrix of reports by items, written down."""
    k = len(gram)
    means = matrix.mean(axis=1)
    information = (matrix.T / means) @ matrix
    return np.trace(gram @ np.linalg.pinv(information)) - np.trace(gram) / k


def test_variances_are_those_of_matrices():
    setting = Setting("prefixes", 4, "1")
    found = {name: variance for name, _, variance in variances(setting)}
    gram, e = np.array(setting.problem.workload.gram(), dtype=float), math.e
    alike = np.ones((4, 4)) + (e - 1) * np.eye(4)
    halves = np.repeat(np.array([[e, 1], [1, e]]) / (e + 1), 2, axis=1)
    tree = np.vstack([halves, alike / alike.sum(axis=0)]) / 2
    assert found["grr"] == pytest.approx(least_variance(alike / alike.sum(axis=0), gram), rel=1e-6)
    assert found["hh:b=2:in=ss"] == pytest.approx(least_variance(tree, gram), rel=1e-6)


def test_coefficients_tell_as_much_with_a_table_drawn_first():
    """MargHT draws a table and one of its coefficients, InpHT a coefficient: the same reports, but for the draw."""
    setting = Setting(PAIRS, 8, "1")
    problem = setting.problem
    marght = parse_marginal_oracle("marght:k=2", problem.workload.domains, Privacy(alpha=problem.alpha))
    variance = LinearEstimates.of(problem.workload).least_variance(marght.information().matrix)
    found = {name: variance for name, _, variance in variances(setting)}
    assert variance == pytest.approx(found["inpht:k=2:draw=uniform"], rel=1e-6)
    assert found["margps:k=2"] < found["margrr:sue:k=2"]


def test_every_setting_has_its_row_of_the_optimum_and_of_all_that_serve(rows):
    for setting in settings(quick=True):
        own = [row for row in rows if (row["workload"], row["items"]) == (setting.workload, setting.k)]
        own = [row for row in own if row["epsilon"] == float(setting.epsilon)]
        assert own[0]["mechanism"] == OPTIMUM
        assert {name for name, _, _ in variances(setting)} == {row["mechanism"] for row in own[1:]}
        families = {row["family"] for row in own}
        assert (WEIGHTED in families, TREES in families) == (setting.workload == PAIRS, setting.workload != PAIRS)
    assert {row["family"] for row in rows} == {OPTIMUM, *FAMILIES}
    assert all(tuple(row) == STUDY.columns for row in rows)


def test_ratios_span_what_the_bounds_leave_open(rows):
    for row in rows[1:20]:
        assert row["over_most"] / row["over_least"] == pytest.approx(10 / 8)
        assert row["variance"] == pytest.approx(8 * row["over_most"])
    assert (rows[0]["variance"], rows[0]["lower_bound"], rows[0]["floor"], rows[0]["outputs"]) == (10, 8, 7, 5)
    assert (rows[0]["least_input"], rows[0]["largest_input"]) == (9, 12)


def test_gaps_are_close_where_every_row_can_be_priced():
    gaps = {(s.k, s.epsilon): s.gap for s in settings(quick=False) if s.workload == "ranges"}
    assert (gaps[8, "2"], gaps[32, "2"], gaps[64, "1"], gaps[128, "1"]) == (CLOSE, NEAR, MANY, MANY)
    assert len(gaps) == 4 * 3 + 3 + 2
    assert {s.gap for s in settings(quick=False) if s.workload == "histogram"} == {CLOSE}
    assert Setting(PAIRS, 1024, "1") in settings(quick=False)


@pytest.mark.slow
def test_the_picture_is_of_the_table_and_shows_the_best_of_each_family(rows):
    table = read_table(table_text(STUDY, rows))
    with house_style():
        figure = STUDY.draw(table)
    assert [axes.get_title() for axes in figure.axes[:2]] == ["prefixes, epsilon = 1", "prefixes, k = 8"]
    further = [{**row, "epsilon": 2.0} for row in table if row["items"] == 4]  # as many settings as at epsilon = 1
    titles = [axes.get_title() for axes in STUDY.draw([*table, *further]).axes[:3]]
    assert titles == ["prefixes, epsilon = 2", "prefixes, k = 4", "ranges, epsilon = 2"]
    words = describe(figure)
    assert "items, k" in words
    assert "trees with subset selection" in words
    axes = figure.axes[0]
    places = sorted({row["items"] for row in table if row["workload"] == "prefixes"})
    curve = next(c for c in axes.containers if c.get_label() == TREES)
    middle = curve.lines[0].get_ydata()
    for place, height in zip(places, middle, strict=True):
        trees = [
            row["variance"]
            for row in table
            if (row["workload"], row["items"], row["epsilon"], row["family"]) == ("prefixes", place, 1.0, TREES)
        ]
        assert height == pytest.approx(min(trees) * (1 / 10 + 1 / 8) / 2)
    low, high = (curve.lines[1][i].get_ydata() for i in (0, 1))
    assert all(bottom < top for bottom, top in zip(low, high, strict=True))
