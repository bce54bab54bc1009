from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from cases import SKEWED
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pictures import check_repeats

from mechdesign import DesignProblem
from mechdesign.sweeps.landscape import covers, landscape
from mechdesign_figures.plots.lattice import EDGE_GREY, class_colours, lattice_size, places, plot_landscape
from mechdesign_figures.plots.parts.settings import house_style

FREE = landscape(DesignProblem(8, "9/10"))
SYMMETRIC_COSTS = landscape(DesignProblem(4, "9/10", loss="L1", prior=SKEWED))
LINEAR = landscape(DesignProblem(8, "9/10", loss="L1"))
FOUND = [FREE, SYMMETRIC_COSTS, LINEAR]
LEGEND = ["+2.23 %:  0.968538  EM", "+1.92 %:  0.965512  WM", "+1.51 %:  0.961689  WH", "cheapest:  0.947369  GM"]
BY_PRICE = [FREE, LINEAR]


@pytest.mark.parametrize("found", FOUND, ids=["18", "36", "L1"])
def test_every_closed_subset_stands_above_what_it_contains(found):
    where = places(found)
    assert where.keys() == set(found.closed)
    assert len(set(where.values())) == len(found.closed)
    for low, high in covers(found.closed):
        assert where[low][1] < where[high][1]
    assert min(found.closed, key=lambda s: where[s][1]) == frozenset()


@pytest.mark.parametrize("found", BY_PRICE, ids=["L0", "L1"])
def test_what_costs_more_stands_higher(found):
    where = places(found)
    heights = [[where[subset][1] for subset in group.closed] for group in found.classes]
    assert all(max(cheap) < min(dear) for cheap, dear in pairwise(heights))


def test_prices_are_percent_above_the_cheapest():
    prices = LINEAR.prices
    assert (prices[0], prices[-1]) == ("cheapest", "+19.09 %")
    scores = [float(group.score) for group in LINEAR.classes]
    assert [float(text[1:-2]) for text in prices[1:]] == pytest.approx(
        [100 * (score - scores[0]) / scores[0] for score in scores[1:]], abs=0.005
    )


@pytest.mark.slow
def test_labels_numbers_colours_and_lines():
    axes = Figure().add_subplot()
    assert plot_landscape(FREE, axes, names=["GM", "WH", "WM", "EM"], title="n = 8") is axes
    shown = {text.get_text(): text for text in axes.texts}
    assert len(shown) == 18
    prices = ["cheapest", "+1.51 %", "+1.92 %", "+2.23 %"]
    named = {"none": 0, "RM": 0, "WH, RH": 1, "CM": 2, "RM, CM, F": 3}
    assert {f"{name}\n{prices[number]}" for name, number in named.items()} <= shown.keys()
    colours = class_colours(4)
    for text in shown.values():
        number = prices.index(text.get_text().split("\n")[1])
        assert mpl.colors.to_hex(text.get_bbox_patch().get_facecolor()) == colours[number]
    assert len(axes.lines) == len(covers(FREE.closed))
    thick = [line for line in axes.lines if line.get_color() != EDGE_GREY]
    # GM: 2, WH: 2, the columns' square and two ends: 7, F: 6
    assert len(thick) == 2 + 2 + 7 + 6
    assert "S is free" in axes.get_title()
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend[:4] == LEGEND


def test_names_and_title_are_found_where_they_are_not_given():
    axes = plot_landscape(FREE)
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend[:4] == LEGEND
    assert axes.get_title().startswith("n = 8, alpha = 0.9, all property subsets, loss L0")


def test_the_legend_has_the_colours_of_the_lines_that_are_drawn():
    axes = plot_landscape(FREE)
    thick = {line.get_color() for line in axes.lines} - {EDGE_GREY}
    samples = [line.get_color() for line in axes.get_legend().findobj(Line2D)]
    assert (set(samples[:-1]), samples[-1]) == (thick, EDGE_GREY)
    words = [text.get_text() for text in axes.get_legend().get_texts()][-2:]
    assert words == ["upwards: costs nothing\n(in the colour of its class)", "upwards: costs more"]


def test_where_s_costs_something_it_is_drawn():
    axes = plot_landscape(SYMMETRIC_COSTS, Figure().add_subplot(), title="skewed")
    assert len(axes.texts) == 36
    assert axes.get_title() == "skewed"


@pytest.mark.parametrize("count", [1, 2, 10, 36])
def test_the_colours_show_the_order_in_grey_too(count):
    colours = np.array([mpl.colors.to_rgb(colour) for colour in class_colours(count)])
    assert len(colours) == count
    assert (np.diff(colours @ [0.299, 0.587, 0.114]) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("found", FOUND, ids=["18", "36", "L1"])
def test_no_box_covers_another_and_no_line_runs_through_a_third(found):
    with house_style():
        figure = Figure(figsize=lattice_size(found))
        axes = plot_landscape(found, figure.add_subplot(), names=[None] * len(found.classes), title="")
        FigureCanvasAgg(figure).draw()
    boxes = {text.get_position(): text.get_bbox_patch().get_window_extent() for text in axes.texts}
    ends, where = list(boxes.values()), places(found)
    assert not any(a.overlaps(b) for k, a in enumerate(ends) for b in ends[:k])
    for low, high in covers(found.closed):
        start, end = axes.transData.transform([where[low], where[high]])
        for spot, box in boxes.items():
            if spot not in (where[low], where[high]):
                middle = axes.transData.transform(spot)
                along = np.clip(np.dot(middle - start, end - start) / np.dot(end - start, end - start), 0, 1)
                assert np.linalg.norm(start + along * (end - start) - middle) > 0.5 * box.height


def test_a_picture_is_the_same_every_time():
    for costs in (SYMMETRIC_COSTS, FREE):
        check_repeats(lambda costs=costs: plot_landscape(costs, title="n = 8"))
