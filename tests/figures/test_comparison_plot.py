from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure

from mechdesign import InputError, Loss
from mechdesign.comparison import ComparisonRow, Measured
from mechdesign.sampling import seeded_words
from mechdesign_catalog.comparing import Comparison, compare
from mechdesign_catalog.data import open_data
from mechdesign_catalog.designs import parse_candidates
from mechdesign_figures.comparison_plot import (
    MAX_MECHANISMS,
    comparison_bytes,
    draw_comparison,
    panels_of,
    require_plottable,
)


def comparison(metrics, *, sizes=(4,), alphas=("0.9",), names="GM,EM", repetitions=3):
    people = open_data("binomial:0.3", people=200, seed=1)
    return Comparison(
        parse_candidates(names),
        tuple(people.grouped(n) for n in sizes),
        tuple(Fraction(alpha) for alpha in alphas),
        metrics,
        Loss.parse("L0"),
        repetitions,
    )


def rows_of(*args, **options):
    return compare(comparison(*args, **options), seeded_words(7))


def row(mechanism, alpha, metric="error-rate", n=4):
    return ComparisonRow(mechanism, n, Fraction(alpha), 50, Measured(metric, 0.5, 0.51, 0.1, 9))


def kinds(rows):
    return [panel.kind for panel in panels_of(rows)]


@pytest.mark.parametrize(
    ("metrics", "options", "wanted"),
    [
        ("error-rate,rmse", {}, ["dots", "dots"]),
        ("error-rate,rmse", {"sizes": (2, 4, 6)}, ["sizes", "sizes"]),
        ("L0:d", {}, ["tail"]),
        ("L0:d,L2:d,bias", {"sizes": (2, 4)}, ["sizes", "tail", "tail", "tail", "tail"]),
        ("error-histogram", {}, ["errors", "errors"]),
        ("L0:1", {}, ["dots"]),
        ("L0:1,L0:3", {}, ["dots", "dots"]),
        ("error:1", {}, ["dots"]),
        ("L0:d", {"sizes": (1,)}, ["dots"]),
        ("error-rate", {"alphas": ("0.9", "0.5")}, ["dots", "dots"]),
    ],
)
def test_what_was_asked_for_decides_the_panels(metrics, options, wanted):
    assert kinds(rows_of(metrics, **options)) == wanted


def test_a_tail_shows_its_rows():
    rows = rows_of("L0:d")
    figure = Figure()
    axes = draw_comparison(rows, figure, title="made up")[0, 0]
    exact = [line for line in axes.lines if line.get_linestyle() not in ("None", "")]
    wanted = [r.measured.expected for r in rows if r.mechanism == "GM"]
    assert exact[0].get_xdata().tolist() == [0, 1, 2, 3]
    assert exact[0].get_ydata().tolist() == wanted
    assert axes.get_title() == "n = 4, alpha = 0.9"
    assert axes.get_ylabel() == "share of groups with |error| > d"
    assert figure.get_suptitle() == "made up"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["GM", "EM"]


def test_values_against_n_and_bars_of_standard_errors():
    rows = rows_of("rmse", sizes=(2, 4))
    axes = draw_comparison(rows, Figure())[0, 0]
    line = next(line for line in axes.lines if line.get_linestyle() == "-")
    assert line.get_xdata().tolist() == [2, 4]
    assert line.get_ydata().tolist() == [r.measured.expected for r in rows if r.mechanism == "GM"]
    ends = [np.ptp([end[1] for end in segment]) / 2 for segment in axes.containers[0][2][0].get_segments()]
    assert np.allclose(ends, [r.measured.standard_error for r in rows if r.mechanism == "GM"])


def test_histograms_share_one_scale_and_are_named():
    grid = draw_comparison(rows_of("error-histogram"), Figure())
    assert [axes.get_title() for axes in grid.flat] == ["GM, n = 4, alpha = 0.9", "EM, n = 4, alpha = 0.9"]
    assert grid[0, 0].get_ylim() == grid[0, 1].get_ylim()
    assert len(grid[0, 0].patches) == 9


def test_panels_beyond_the_last_are_blank():
    grid = draw_comparison(rows_of("error-rate,rmse,bias,L1,L2"), Figure())
    assert grid.shape == (2, 3)
    assert [axes.axison for axes in grid.flat] == [True] * 5 + [False]


def test_a_file_of_another_alpha_is_in_every_panel():
    rows = [row("GM", "9/10"), row("GM", "1/2"), row("theirs.json", "4/5")]
    panels = panels_of(rows)
    assert [panel.title for panel in panels] == ["n = 4, alpha = 0.9", "n = 4, alpha = 0.5"]
    assert [[r.mechanism for r in panel.rows] for panel in panels] == [["GM", "theirs.json"]] * 2
    labels = [label.get_text() for label in draw_comparison(rows, Figure())[0, 0].get_yticklabels()]
    assert labels == ["GM", "theirs.json (0.8)"]


def test_mechanisms_of_one_alpha_each_are_in_one_panel():
    rows = [row("a.json", "9/10"), row("b.json", "1/2")]
    assert [panel.title for panel in panels_of(rows)] == ["n = 4"]
    labels = [label.get_text() for label in draw_comparison(rows, Figure())[0, 0].get_yticklabels()]
    assert labels == ["a.json (0.9)", "b.json (0.5)"]


def test_long_names_are_cut_unless_that_confuses_them():
    def labels(*names):
        grid = draw_comparison([row(name, "9/10") for name in names], Figure())
        return [label.get_text() for label in grid[0, 0].get_yticklabels()]

    end = "/a-folder-with-a-long-name/m.json"
    assert labels(f"one{end}", "GM") == [f"...{end[-25:]}", "GM"]
    assert labels(f"one{end}", f"two{end}") == [f"one{end}", f"two{end}"]


def test_too_much_is_refused_before_and_while_drawing():
    require_plottable(comparison("error-rate,L0:d", alphas=("0.9", "0.5")))
    many = comparison("error-histogram", sizes=tuple(range(1, 14)))
    with pytest.raises(InputError, match="plot must have at most 24 panels, got 26; take fewer metrics"):
        require_plottable(many)
    rows = [row(f"m{k}", "9/10") for k in range(MAX_MECHANISMS + 1)]
    with pytest.raises(InputError, match="plot must show at most 21 mechanisms, got 22"):
        draw_comparison(rows, Figure())


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_pictures(suffix, magic):
    rows = rows_of("error-rate", repetitions=1)
    assert rows[0].measured.standard_error is None
    picture = comparison_bytes(rows, suffix)
    assert picture.startswith(magic)
    assert picture == comparison_bytes(rows, suffix)
