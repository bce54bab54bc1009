import dataclasses
import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from pictures import check_repeats
from wording import refused

from mechdesign import InputError
from mechdesign.sweeps import SweepGrid, run_sweep, tasks_of
from mechdesign_figures.plots.parts.style import COLOURS
from mechdesign_figures.plots.sweep import MAX_LINES, MAX_PANELS, draw_panel, draw_sweep, plot_sweep, require_plottable


def rows_of(**options):
    return run_sweep(tasks_of(SweepGrid.parse(options.pop("n"), **options)))


@pytest.fixture(scope="module")
def rows():
    return rows_of(n="2:5", alpha="0.9,1/3", properties="none;WH,CM", losses="L0,L1")


def lines(axes):
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def test_small_multiples(rows):
    panels = draw_sweep(rows, Figure())
    assert panels.shape == (2, 2)
    titles = ["alpha = 1/3, L0", "alpha = 0.9, L0", "alpha = 1/3, L1", "alpha = 0.9, L1"]
    assert [axes.get_title() for axes in panels.flat] == titles
    assert (panels[1, 0].get_xlabel(), panels[1, 0].get_ylabel()) == (
        "people in a group, n",
        "score (people)\n(axis not from 0, own in each panel)",
    )
    line = lines(panels[0, 1])["WH, CM"]
    wanted = [r for r in rows if (r.alpha, r.properties, r.loss) == ("9/10", "WH CM", "L0")]
    assert line.get_xdata().tolist() == [2, 3, 4, 5]
    assert line.get_ydata().tolist() == [row.score for row in wanted]


def test_the_axis_is_what_varies_more():
    panels = draw_sweep(rows_of(n="4", alpha="0.9,0.5,2/3"), Figure())
    assert panels.shape == (1, 1)
    assert panels[0, 0].get_title() == "n = 4, L0"
    assert panels[0, 0].get_xlabel() == "alpha = exp(-epsilon)"
    assert lines(panels[0, 0])["no properties"].get_xdata().tolist() == [0.5, 2 / 3, 0.9]


def shown(axes):
    return [(line.get_xdata().tolist(), line.get_marker(), line.get_markevery()) for line in lines(axes).values()]


def test_every_design_has_a_marker_however_many():
    axes = draw_sweep(rows_of(n="1:40", alpha="0.9"), Figure())[0, 0]
    assert shown(axes) == [(list(range(1, 41)), "o", None)]


def test_panels_of_one_loss_share_an_axis_from_zero_where_all_lines_are_seen_on_it():
    panels = draw_sweep(rows_of(n="2:9", alpha="0.9,10/11", losses="L1"), Figure())[0]
    assert [axes.get_ylabel() for axes in panels] == ["score (people)", ""]
    assert len({axes.get_ylim() for axes in panels}) == 1
    assert panels[0].get_ylim()[0] == 0
    for axes in panels:
        drawn = np.concatenate([line.get_ydata() for line in lines(axes).values()])
        assert drawn.max() < axes.get_ylim()[1]


def test_an_axis_says_where_it_does_not_begin_at_zero_and_is_a_panel_s_own():
    found = rows_of(n="2:9", alpha="0.5,0.9", properties="none;F")
    panels = draw_sweep(found, Figure())[0]
    words = "score (uniform guessing: 1)\n(axis not from 0, own in each panel)"
    assert [axes.get_ylabel() for axes in panels] == [words, ""]
    assert panels[0].get_ylim()[0] < 0.67 < 0.94 < panels[1].get_ylim()[0]
    near = draw_sweep([row for row in found if row.alpha == "9/10"], Figure())[0, 0]
    assert near.get_ylabel() == "score (uniform guessing: 1)\n(axis not from 0)"


def test_an_alpha_that_was_made_from_epsilon_is_shown_as_epsilon():
    axes = draw_sweep(rows_of(n="4,5", epsilon="1"), Figure())[0, 0]
    assert axes.get_title() == "epsilon = 1, L0"


def test_failed_designs_leave_a_gap_and_a_cross(rows):
    part = [row for row in rows if (row.alpha, row.loss, row.properties) == ("9/10", "L0", "none")]
    part[1] = dataclasses.replace(part[1], score=None, score_exact=None, status="failed: time limit")
    axes = draw_panel(part, Figure().add_subplot(), along="n", sets=["none"])
    assert np.isnan(lines(axes)["no properties"].get_ydata()).tolist() == [False, True, False, False]
    (cross,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert list(cross.get_xdata()) == [3]


def test_every_line_has_a_look_of_its_own():
    sets = [f"set{k}" for k in range(MAX_LINES)]
    axes = draw_panel([], Figure().add_subplot(), along="n", sets=sets)
    looks = {(to_hex(line.get_color()), line.get_linestyle()) for line in lines(axes).values()}
    assert len(looks) == MAX_LINES
    require_plottable(MAX_LINES)
    with refused(InputError, about="plot"):
        require_plottable(MAX_LINES + 1)


def test_the_colours_differ_in_grey_or_in_marker():
    greys = [float(np.dot([int(c[k : k + 2], 16) for k in (1, 3, 5)], [0.299, 0.587, 0.114])) for c in COLOURS[:4]]
    assert min(abs(a - b) for a, b in itertools.combinations(greys, 2)) > 3


def test_of_many_values_some_are_shown_first_and_last_among_them():
    found = rows_of(n="1:8", alpha="0.1:0.8:0.1")
    figure = Figure()
    panels = draw_sweep(found, figure)
    assert panels.shape == (1, MAX_PANELS)
    assert [axes.get_title().split()[2] for axes in panels.flat] == ["0.1,", "0.2,", "0.4,", "0.5,", "0.7,", "0.8,"]
    assert figure.get_suptitle() == "best mechanisms for counts, prior uniform, 6 of 8 values of alpha"


def test_a_picture_is_the_same_every_time(rows):
    check_repeats(lambda: plot_sweep(rows))


def test_a_sweep_without_rows_has_no_picture():
    with refused(InputError):
        plot_sweep([])


def test_what_all_designs_share_stands_above():
    grid = SweepGrid.parse("4,5", "0.5", model="lldp", radius=2, aggregate="worst")
    figure = Figure()
    draw_sweep(run_sweep(tasks_of(grid)), figure)
    assert figure.get_suptitle() == "best mechanisms, LLDP of radius 2, worst case"
