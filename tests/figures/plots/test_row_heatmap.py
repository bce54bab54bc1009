from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure
from pictures import check_repeats

from mechdesign.certificate.row_designs.measuring import ByInput
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Seconds
from mechdesign.verify.certificates import Certificate
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.ordered import Histogram, Ranges
from mechdesign_figures.plots import row_heatmap
from mechdesign_figures.plots.parts.saving import describe
from mechdesign_figures.plots.row_heatmap import draw_workload, likelihoods, plot_workload_design

ROWS = RowMechanism(Fraction(1, 3), ("100", "011", "010", "001"), (3, 2, 1, 1), 13)


def made(workload=None):
    variance = Fraction(7, 2)
    return WorkloadDesign(
        WorkloadProblem(workload or Histogram(3), alpha="1/3"),
        ROWS,
        Certificate("rows", 1, {"prior": (1, 1, 1), "dual": ((1,), (0, 1), (0, 0, 1)), "prices": (1, 1, 1)}),
        Seconds(0, 0, 0),
        how="by hand",
        method="row-designs",
        score=variance,
        lower_bound=Fraction(3),
        by_input=ByInput(variance, variance, variance),
        floor=Fraction(2),
    )


def test_rows_are_drawn_likeliest_first_beside_their_workload():
    figure = plot_workload_design(made())
    rows, beside, queries = figure.axes[:3]
    assert rows.get_images()[0].get_array().tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1]]
    assert queries.get_images()[0].get_array().tolist() == np.eye(3).tolist()
    (steps,) = beside.collections
    assert steps.get_paths()[0].vertices[:, 0].max() == pytest.approx(5 / 13)
    assert (rows.get_title(), queries.get_title()) == ("4 outputs", "3 queries (histogram)")
    assert "variance for a user 3.5, at most 0.17 of the least above it" in figure.get_suptitle().replace("\n", " ")


def test_likelihoods_are_those_of_the_matrix_and_sum_to_one():
    matrix = ROWS.mechanism().matrix()
    assert likelihoods(ROWS) == pytest.approx(matrix.mean(axis=1))
    assert likelihoods(ROWS).sum() == pytest.approx(1)


def test_a_design_without_a_bound_says_so():
    figure = plot_workload_design(replace(made(), lower_bound=Fraction(0)))
    assert figure.get_suptitle().replace("\n", " ").endswith("variance for a user 3.5, no bound")


@pytest.mark.slow
def test_a_picture_is_the_same_every_time_and_has_a_title_of_ones_own():
    check_repeats(lambda: plot_workload_design(made(), title="three items"))
    given = Figure()
    assert plot_workload_design(made(), given, title="three items") is given
    assert "three items" in describe(given)


@pytest.mark.parametrize(("weights", "low"), [([[1, 0, 0.5]], 0.0), ([[1, -2, 0]], -2.0)], ids=["shares", "signed"])
def test_weights_of_both_signs_have_colours_around_zero(weights, low):
    axes = draw_workload(MatrixWorkload.of(weights), Figure().add_subplot())
    (image,) = axes.get_images()
    assert image.get_clim() == (low, -low or 1.0)


def test_of_very_many_queries_their_products_are_drawn(monkeypatch):
    monkeypatch.setattr(row_heatmap, "MOST_WEIGHTS", 10)
    axes = draw_workload(Ranges(3), Figure().add_subplot())
    assert axes.get_images()[0].get_array().tolist() == [[3, 2, 1], [2, 4, 2], [1, 2, 3]]
    assert axes.get_title() == "W'W of 6 queries (ranges)"
