import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from pictures import check_repeats
from wording import refused

from mechdesign import DesignProblem, InputError, Mechanism, Model, WorkloadProblem, derive, design
from mechdesign.workloads.ordered import Prefixes
from mechdesign_figures.plots.heatmap import (
    MAX_ANNOTATED,
    Labels,
    draw_heatmaps,
    draw_matrix,
    plot_mechanism,
    plot_remap,
)
from mechdesign_figures.plots.parts.heat_scale import HeatScale
from mechdesign_figures.plots.parts.saving import require_picture
from mechdesign_figures.plots.parts.style import HEAT

COIN = Mechanism(((2, 1), (1, 2)), 3)


def test_a_heatmap_shows_the_matrix_on_the_axes_that_it_is_given():
    axes = Figure().add_subplot()
    assert plot_mechanism(COIN, axes, title="coin", scale=HeatScale(0.1, 1.0)) is axes
    (image,) = axes.get_images()
    assert np.array_equal(image.get_array(), COIN.matrix())
    assert image.get_clim() == (0.1, 1.0)
    assert [text.get_text() for text in axes.texts] == [".667", ".333", ".333", ".667"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("input: true count j", "output: released count i")
    assert axes.get_title() == "coin"


def test_a_heatmap_of_something_else_says_so():
    figure = Figure()
    axes = plot_mechanism(COIN, figure.add_subplot(), labels=Labels("GM output k", "final output i", "share"))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("GM output k", "final output i")
    assert figure.axes[1].get_ylabel() == "share,\nlogarithmic"


def test_a_design_says_what_was_asked_for():
    best = design(DesignProblem(n=2, alpha="0.5"))
    axes = plot_mechanism(best)
    assert axes.get_title().replace("\n", " ") == f"{best.problem.describe()}; epsilon = 0.693148"
    assert axes.get_xlabel() == "input: true count j"
    items = design(DesignProblem(model=Model.ldp(3), alpha="0.5"))
    assert plot_mechanism(items, title="").get_xlabel() == "input: true item j"


def test_a_remap_is_drawn_where_there_is_one():
    found = derive(design(DesignProblem(n=4, alpha="0.5", loss="L1")).mechanism, "0.5")
    axes = plot_remap(found)
    assert np.array_equal(axes.get_images()[0].get_array(), found.remap.matrix())
    assert (axes.get_xlabel(), axes.get_title()) == ("GM output k", "remap of GM, n = 4, alpha = 0.5")
    fair = derive(design(DesignProblem(n=4, alpha="0.9", properties="F")).mechanism, "0.9")
    with refused(InputError, about="remap"):
        plot_remap(fair)


def test_large_heatmaps_carry_no_numbers():
    size = MAX_ANNOTATED + 1
    axes = plot_mechanism(Mechanism(((1,) * size,) * size, size), Figure().add_subplot())
    assert not axes.texts


def test_several_heatmaps_share_one_scale_and_one_bar():
    figure = Figure()
    flat = np.full((2, 2), 0.5)
    grid = draw_heatmaps([("coin", COIN.matrix()), ("flat", flat), ("again", flat)], figure, columns=2)
    assert grid.shape == (2, 2)
    assert [axes.get_title() for axes in grid.flat] == ["coin", "flat", "again", ""]
    assert {axes.get_images()[0].get_clim() for axes in grid.flat[:3]} == {(1 / 3, 2 / 3)}
    assert len(figure.axes) == 5
    assert figure.axes[4].get_ylabel() == "Pr[output i | input j],\nlogarithmic"
    assert not grid[1, 1].axison
    assert [axes.get_ylabel() != "" for axes in grid.flat[:3]] == [True, False, True]
    assert [axes.get_xlabel() != "" for axes in grid.flat[:3]] == [False, True, True]


def test_cells_may_carry_words_of_their_own():
    axes = Figure().add_subplot()
    image = draw_matrix(COIN.matrix(), axes, HeatScale(0.1, 1.0), texts=[["a", "b"], ["c", "d"]])
    assert axes.get_images() == [image]
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c", "d"]


def test_nothing_rounds_to_certainty():
    axes = Figure().add_subplot()
    draw_matrix(np.array([[1.0, 0.9999], [0.0, 1e-4]]), axes, HeatScale(1e-3, 1.0))
    assert [text.get_text() for text in axes.texts] == ["1", "1.000", "0", "1e-4"]


def test_a_picture_is_the_same_every_time():
    check_repeats(lambda: plot_mechanism(COIN))


def test_the_colours_read_in_grey():
    colours = mpl.colormaps[HEAT](np.linspace(0, 1, 50))[:, :3]
    assert (np.diff(colours @ [0.299, 0.587, 0.114]) > 0).all()


def test_bad_pictures(tmp_path):
    with refused(InputError, about="plot"):
        require_picture(tmp_path / "a.gif")


def test_a_workload_design_has_a_picture_of_its_own():
    with refused(InputError):
        plot_mechanism(design(WorkloadProblem(Prefixes(3), alpha="1/3")))
