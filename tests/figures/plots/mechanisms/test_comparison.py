import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from wording import refused

from mechdesign import InputError, Loss
from mechdesign.counts.measuring import Measured
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.comparisons.of_mechanisms import MechanismComparison, MechanismRow, measure_mechanisms
from mechdesign_catalog.datasets.counts import open_data
from mechdesign_catalog.mechanisms.candidates import parse_candidates
from mechdesign_figures.plots.mechanisms.comparison import (
    MAX_MECHANISMS,
    Layout,
    comparison_words,
    draw_mechanism_comparison,
    plot_mechanism_comparison,
    require_plottable,
)
from mechdesign_figures.plots.mechanisms.panels import panels_of
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.plots.parts.settings import house_style


def comparison(metrics, *, sizes=(4,), alphas=("0.9",), names="GM;EM", repetitions=3):
    people = open_data("binomial:0.3", people=200, seed=1)
    return MechanismComparison(
        parse_candidates(names),
        tuple(people.grouped(n) for n in sizes),
        tuple(Fraction(alpha) for alpha in alphas),
        metrics,
        Loss.parse("L0"),
        repetitions,
    )


def rows_of(*args, **options):
    return measure_mechanisms(comparison(*args, **options), seeded_words(7))


def row(mechanism, alpha, metric="error-rate", n=4):
    return MechanismRow(mechanism, n, Fraction(alpha), 50, Measured(metric, 0.5, 0.51, 0.1, 9))


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
    axes = draw_mechanism_comparison(rows, figure, title="made up")[0, 0]
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
    axes = draw_mechanism_comparison(rows, Figure())[0, 0]
    line = next(line for line in axes.lines if line.get_linestyle() == "-")
    assert line.get_xdata().tolist() == [2, 4]
    assert line.get_ydata().tolist() == [r.measured.expected for r in rows if r.mechanism == "GM"]
    ends = [np.ptp([end[1] for end in segment]) / 2 for segment in axes.containers[0][2][0].get_segments()]
    assert np.allclose(ends, [r.measured.standard_error for r in rows if r.mechanism == "GM"])


def test_histograms_share_one_scale_and_are_named():
    grid = draw_mechanism_comparison(rows_of("error-histogram"), Figure())
    assert [axes.get_title() for axes in grid.flat] == ["GM\nn = 4, alpha = 0.9", "EM\nn = 4, alpha = 0.9"]
    assert grid[0, 0].get_ylim() == grid[0, 1].get_ylim()
    assert len(grid[0, 0].patches) == 9


@pytest.mark.slow
def test_panels_beyond_the_last_are_blank():
    grid = draw_mechanism_comparison(rows_of("error-rate,rmse,bias,L1,L2"), Figure())
    assert grid.shape == (2, 3)
    assert [axes.axison for axes in grid.flat] == [True] * 5 + [False]


def test_a_file_of_another_alpha_is_in_every_panel():
    rows = [row("GM", "9/10"), row("GM", "1/2"), row("theirs.json", "4/5")]
    panels = panels_of(rows)
    assert [panel.title for panel in panels] == ["n = 4, alpha = 0.9", "n = 4, alpha = 0.5"]
    assert [[r.mechanism for r in panel.rows] for panel in panels] == [["GM", "theirs.json"]] * 2
    labels = [label.get_text() for label in draw_mechanism_comparison(rows, Figure())[0, 0].get_yticklabels()]
    assert labels == ["GM", "theirs.json (alpha = 0.8)"]


def test_mechanisms_of_one_alpha_each_are_in_one_panel():
    rows = [row("a.json", "9/10"), row("b.json", "1/2")]
    assert [panel.title for panel in panels_of(rows)] == ["n = 4"]
    labels = [label.get_text() for label in draw_mechanism_comparison(rows, Figure())[0, 0].get_yticklabels()]
    assert labels == ["a.json (alpha = 0.9)", "b.json (alpha = 0.5)"]


NAMES = [
    *("GM", "WM", "EM", "UM", "EXP", "UCM", "FM", "AM"),
    *(f"design:WH+RM+CM+RH+CH+F+S+OS:{k}/10:L0:1" for k in range(1, 11)),
    *(f"/home/somebody/a-folder-with-a-long-name/{k}/a-mechanism-of-somebody-else.json" for k in "ab"),
    "dollars$and$.json",
]


def values(names, metrics, n=8):
    """Made-up rows, no two values the same."""
    return [
        MechanismRow(name, n, Fraction(9, 10), 50, Measured(metric, 3.7 + k / 7, 3.71 + k / 7, 0.2, 9))
        for k, name in enumerate(names)
        for metric in metrics
    ]


def tails(names, n, loss="L1"):
    return [
        MechanismRow(name, n, Fraction(9, 10), 50, Measured(f"{loss}:{d}", size, size, size / 9, 9))
        for k, name in enumerate(names)
        for d in range(n)
        for size in [(k + 1) * 0.9**d]
    ]


def histograms(names, n):
    return [
        MechanismRow(name, n, Fraction(9, 10), 50, Measured(f"error:{e}", share, share, 0.01, 9))
        for k, name in enumerate(names)
        for e in range(-n, n + 1)
        for share in [0.5 ** abs(e - 20 * k) / 3]
    ]


def words(figure, grid):
    """Every text that is drawn; axes keep ticks beyond their ends that are not."""
    texts = [*figure.texts, *(text for legend in figure.legends for text in legend.findobj(Text))]
    for axes in grid.flat:
        for part in (axes, *axes.child_axes) if axes.axison else ():
            texts += [part.title, part.xaxis.label, part.yaxis.label]
            for axis in (part.xaxis, part.yaxis):
                low, high = sorted(axis.get_view_interval())
                ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
                texts += [label for tick in ticks for label in (tick.label1, tick.label2)]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def pictured(rows, title=""):
    """As the file has it: the grid of axes, and every word with its box in inches."""
    with house_style():
        layout = Layout.of(rows, title)
        figure = Figure(figsize=(layout.width, layout.height))
        grid = draw_mechanism_comparison(rows, figure, title=title)
        figure.draw_without_rendering()
        inches = figure.dpi_scale_trans.inverted()
        boxes = [(text.get_text(), text.get_window_extent().transformed(inches)) for text in words(figure, grid)]
        panels = [axes.get_window_extent().transformed(inches) for axes in grid.flat if axes.axison]
    return grid, boxes, panels, layout


SHAPES = {
    "one panel of one": lambda: values(NAMES[:1], ["rmse"]),
    "two panels of many": lambda: values(NAMES[-14:], ["error-rate", "rmse"]),
    "two lines of the most": lambda: values(NAMES, ["error-rate", "rmse", "L2", "bias", "L1"]),
    "tails of the most": lambda: tails(NAMES, 8),
    "one tail": lambda: tails(["GM"], 8, "L2"),
    "long tails and dots": lambda: tails(NAMES[-4:], 200, "L2") + values(NAMES[-4:], ["rmse"], 200),
    "histograms": lambda: histograms(NAMES[-2:], 8),
    "one long histogram": lambda: histograms(NAMES[-1:], 200),
    "sizes": lambda: values(NAMES[-14:], ["rmse", "L0:1"]) + values(NAMES[-14:], ["rmse", "L0:1"], 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_no_word_is_cut_and_none_lies_on_another(shape):
    rows = SHAPES[shape]()
    _, boxes, panels, layout = pictured(rows, "A comparison with a title that is longer than usual " * 3)
    for text, box in boxes:
        assert min(box.x0, box.y0, layout.width - box.x1, layout.height - box.y1) > -0.01, text
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        overlap = Bbox.intersection(first, second)
        assert overlap is None or min(overlap.width, overlap.height) < 0.05, (one, other)
    mechanisms = len({row.mechanism for row in rows})
    assert min(panel.width for panel in panels) > 2.2
    assert min(panel.height for panel in panels) > min(1.5, 0.3 * mechanisms)


@pytest.mark.slow
def test_the_height_grows_with_the_mechanisms():
    heights = [pictured(values(NAMES[:count], ["rmse"]))[2][0].height for count in (4, 14)]
    assert heights[1] - heights[0] == pytest.approx(3.5, abs=0.2)


@pytest.mark.slow
def test_names_stand_on_the_first_panel_of_a_line_alone():
    grid, *_ = pictured(values(NAMES[:3], ["error-rate", "rmse", "L2", "bias", "L1"]))
    named = [[label.get_text() for label in axes.get_yticklabels()] for axes in grid.flat if axes.axison]
    assert named == [["GM", "WM", "EM"], [""] * 3, [""] * 3, ["GM", "WM", "EM"], [""] * 3]


def test_numbers_of_a_panel_have_the_same_decimals():
    rows = [row("GM", "9/10"), replace(row("EM", "9/10"), measured=Measured("error-rate", 0.52345, 0.5, 0.1, 9))]
    (right,) = draw_mechanism_comparison(rows, Figure())[0, 0].child_axes
    assert [label.get_text() for label in right.get_yticklabels()] == ["exact", "0.5000", "0.5234"]


def test_alphas_have_lines_of_their_own_where_panels_are_many():
    rows = [row("GM", alpha, metric) for alpha in ("9/10", "1/2") for metric in ("rmse", "L1", "L2", "bias", "L0:1")]
    lines = [[panel.title for panel in line] for line in Layout.of(rows).lines]
    assert lines == [[f"n = 4, alpha = {alpha}"] * size for alpha in ("0.9", "0.5") for size in (3, 2)]
    few = [row("GM", alpha, metric) for alpha in ("9/10", "1/2") for metric in ("rmse", "L1")]
    assert [len(line) for line in Layout.of(few).lines] == [4]


def test_files_are_named_by_their_ends_in_every_kind_of_panel():
    grid = draw_mechanism_comparison(histograms(["/home/us/m.json", *NAMES[-3:-1]], 4), Figure())
    assert [axes.get_title() for axes in grid.flat] == [
        "us/m.json\nn = 4, alpha = 0.9",
        "a/a-mechanis...ody-else.json\nn = 4, alpha = 0.9",
        "b/a-mechanis...ody-else.json\nn = 4, alpha = 0.9",
    ]


def test_tails_of_many_d_end_where_nothing_is_seen():
    axes = draw_mechanism_comparison(tails(["GM", "EM"], 200), Figure())[0, 0]
    ends = {line.get_xdata()[-1] for line in axes.lines if line.get_linestyle() not in ("None", "")}
    assert ends == {int(np.log(1e-3) / np.log(0.9)) + 1}
    axes = draw_mechanism_comparison(tails(["GM", "EM"], 60), Figure())[0, 0]
    assert {line.get_xdata()[-1] for line in axes.lines if line.get_linestyle() == "-"} == {59}


@pytest.mark.slow
def test_histograms_of_one_n_share_the_axis_of_errors():
    grid = draw_mechanism_comparison(histograms(["GM", "EM"], 200) + histograms(["GM"], 4), Figure())
    ends = [axes.get_xlim() for axes in grid.flat if axes.axison]
    assert ends[0] == ends[1]
    assert -20 < ends[0][0] < 0 < 20 < ends[0][1] < 40
    assert ends[2] != ends[0]


def test_too_much_is_refused_before_and_while_drawing():
    require_plottable(comparison("error-rate,L0:d", alphas=("0.9", "0.5")))
    many = comparison("error-histogram", sizes=tuple(range(1, 14)))
    with refused(InputError, about="plot"):
        require_plottable(many)
    rows = [row(f"m{k}", "9/10") for k in range(MAX_MECHANISMS + 1)]
    with refused(InputError, about="plot"):
        draw_mechanism_comparison(rows, Figure())


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_pictures(suffix, magic):
    rows = rows_of("error-rate", repetitions=1)
    assert rows[0].measured.standard_error is None
    picture = picture_bytes(plot_mechanism_comparison(rows), suffix)
    assert picture.startswith(magic)
    assert picture == picture_bytes(plot_mechanism_comparison(rows), suffix)


def test_one_metric_has_one_vertical_axis_whatever_the_alpha():
    grid = draw_mechanism_comparison(rows_of("rmse,L0", sizes=(2, 4, 8), alphas=("0.5", "0.9")), Figure())
    panels = [axes for axes in grid.flat if axes.axison]
    for words in {axes.get_ylabel() for axes in panels}:
        assert len({axes.get_ylim() for axes in panels if axes.get_ylabel() == words}) == 1


def test_the_title_names_data_groups_and_loss():
    two = comparison("rmse", sizes=(4, 8))
    words = "binomial:3/10: 50 groups of n = 4, 25 groups of n = 8; loss of designs L0, prior uniform"
    assert comparison_words(two) == words
    assert comparison_words(comparison("rmse", sizes=(1, 2, 4, 5, 8))).startswith(
        "binomial:3/10: groups of n = 1 (200 of them) to 8 (25); "
    )
    rows = measure_mechanisms(two, seeded_words(7))
    title = plot_mechanism_comparison(rows, title=comparison_words(two)).get_suptitle()
    assert " ".join(title.split()) == words
