from dataclasses import replace

import numpy as np
import pytest
from estimation_cases import frequencies_of, mechanism_of
from matplotlib.figure import Figure

from mechdesign import Mechanism
from mechdesign.counts.estimation import estimate_counts
from mechdesign_figures.plots.estimate import ORDER, plot_estimate
from mechdesign_figures.plots.parts.curves import MANY, MAX_MARKS
from mechdesign_figures.plots.parts.style import picture_bytes


def drawn(found):
    axes = Figure().add_subplot()
    assert plot_estimate(found, axes) is axes
    return axes


def labels(axes):
    return set(axes.get_legend_handles_labels()[1])


def test_what_is_drawn_is_what_was_found():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
    axes = drawn(found)
    assert [bar.get_height() for bar in axes.patches] == list(found.released_shares)
    line = next(line for line in axes.lines if line.get_label() == "maximum likelihood")
    assert line.get_ydata().tolist() == list(found.likelihood.distribution)
    (bars,) = axes.containers[1:]
    assert bars.lines[0].get_ydata().tolist() == list(found.inversion.distribution)
    (segments,) = [lines.get_segments() for lines in bars.lines[2]]
    half = [(high[1] - low[1]) / 2 for low, high in segments]
    assert half == pytest.approx(found.inversion.standard_errors)
    assert labels(axes) == set(ORDER[:3])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("count (people in a group)", "share of groups")


def test_an_inversion_that_is_noise_is_left_out_and_said_so():
    truth = np.random.default_rng(1).binomial(8, 0.3, 500)
    mechanism = mechanism_of("WM 8 9/10")
    found = estimate_counts(mechanism, frequencies_of(mechanism, truth, seed=1))
    error = max(found.inversion.standard_errors)
    assert error > max(found.likelihood.distribution)
    axes = drawn(found)
    assert labels(axes) == set(ORDER[:2])
    assert axes.get_title() == f"500 released counts, n = 8\ninversion left out: standard errors up to {error:#.2g}"
    assert axes.get_ylim()[1] < 1.2 * max(found.likelihood.distribution)


def test_whether_it_is_noise_is_decided_by_the_largest_share():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
    top = max(*found.released_shares, *found.likelihood.distribution)

    def with_error(error):
        return replace(found, inversion=replace(found.inversion, standard_errors=(0.01,) * 4 + (error,)))

    assert ORDER[2] in labels(drawn(with_error(0.99 * top)))
    assert ORDER[2] not in labels(drawn(with_error(1.01 * top)))


def test_one_release_has_no_standard_errors_and_no_inversion():
    axes = drawn(estimate_counts(mechanism_of("GM 4 1/2"), [0, 0, 0, 0, 1]))
    assert labels(axes) == set(ORDER[:2])
    assert axes.get_title() == "1 released count, n = 4\ninversion left out: standard errors unknown"


def test_what_no_float_can_hold_is_left_out():
    tiny = Mechanism.from_weights([[10**400 - 1, 10**400 - 2], [1, 2]], 10**400)
    axes = drawn(estimate_counts(tiny, [5, 3]))
    assert axes.get_title().endswith("inversion left out: standard errors beyond any float")
    assert axes.get_ylim()[1] < 1.2


def test_many_counts_are_shown_where_the_mass_is():
    counts = [0] * 201
    counts[100:105] = [10, 20, 40, 20, 10]
    axes = drawn(estimate_counts(mechanism_of("GM 200 1/2"), counts))
    left, right = axes.get_xlim()
    assert 90 < left < 100 < 104 < right < 115
    assert [bar.get_height() for bar in axes.patches if bar.get_height()] == [0.1, 0.2, 0.4, 0.2, 0.1]
    assert axes.get_xlabel() == "count (people in a group)\nat most 0.1% lies beyond the axis"


def test_what_is_still_many_is_one_shape():
    counts = np.arange(50, 50 + MANY + 1)
    axes = drawn(estimate_counts(mechanism_of(f"GM {MANY} 1/10"), counts.tolist()))
    released, likelihood = (shape.get_data() for shape in axes.patches)
    assert np.allclose(released.values, counts / counts.sum())
    assert len(likelihood.values) == MANY + 1
    (bars,) = axes.containers
    assert 10 < len(bars.lines[0].get_xdata()) <= MAX_MARKS


def test_numbers_of_the_title_have_separators():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [100_000, 200_000, 300_000, 250_000, 150_000])
    assert drawn(found).get_title() == "1,000,000 released counts, n = 4"


def test_a_singular_matrix_has_no_inversion_to_draw():
    found = estimate_counts(Mechanism(((1, 1),) * 2, 2), [3, 1])
    assert labels(drawn(found)) == set(ORDER[:2])


def test_the_legend_stands_on_given_axes_and_below_new_ones():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
    assert [text.get_text() for text in drawn(found).get_legend().get_texts()] == list(ORDER)
    figure = plot_estimate(found).get_figure()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(ORDER)


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files(suffix, start):
    found = estimate_counts(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
    content = picture_bytes(plot_estimate(found), suffix)
    assert content.startswith(start)
    assert content == picture_bytes(plot_estimate(found), suffix)
