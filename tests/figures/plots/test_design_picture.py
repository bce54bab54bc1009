import numpy as np
import pytest
from matplotlib.figure import Figure
from wording import refused

from mechdesign import DesignProblem, InputError, WorkloadProblem, design
from mechdesign.workloads.ordered import Prefixes
from mechdesign_figures.plots.design_picture import plot_design

BEST = design(DesignProblem(n=8, alpha="0.75", properties="WH,CM"))


def heights(axes):
    return [bar.get_height() for bar in axes.patches if bar.get_height()]


def test_a_design_is_a_heatmap_from_0_and_a_column_beside_the_uniform_mechanisms():
    heat, bars, _ = plot_design(BEST).axes
    (image,) = heat.get_images()
    matrix = BEST.mechanism.matrix()
    assert np.array_equal(image.get_array(), matrix)
    assert image.get_clim() == (0, matrix.max())
    assert heights(bars) == pytest.approx([*matrix[:, 2], *[1 / 9] * 9])
    assert bars.get_ylim()[0] == 0
    assert bars.get_ylabel() == "Pr[output | input 2]"
    words = [text.get_text() for text in bars.get_legend().get_texts()]
    assert f"the truth comes out: {matrix[2, 2]:.3f} against 0.111" in words


def test_another_column_on_a_figure_of_the_callers():
    figure = Figure()
    assert plot_design(BEST, figure, title="best", column=8) is figure
    assert heights(figure.axes[1])[:9] == pytest.approx(list(BEST.mechanism.matrix()[:, 8]))
    assert figure.get_suptitle() == "best"


def test_an_entry_of_0_is_hatched_and_told():
    heat, bars, scale = plot_design(design(DesignProblem(n=8, alpha="0.75", loss="L1"))).axes
    assert heat.patch.get_hatch()
    assert scale.get_legend().get_texts()[0].get_text() == "0: impossible"
    assert len(heights(bars)) == 5 + 9


@pytest.mark.parametrize("column", [-1, 9])
def test_a_column_that_is_none_is_refused(column):
    with refused(InputError):
        plot_design(BEST, column=column)


def test_a_workload_design_has_another_picture():
    with refused(InputError):
        plot_design(design(WorkloadProblem(Prefixes(3), alpha="1/3")))
