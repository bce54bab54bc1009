from dataclasses import replace

import numpy as np
import pytest
from estimation_cases import frequencies_of, mechanism_of
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from pictures import check_repeats

from mechdesign import Mechanism
from mechdesign.counts.estimation import estimate_counts
from mechdesign_cli.showing.estimates import UNTOLD, _inversion_text
from mechdesign_figures.plots.estimate import ORDER, plot_estimate
from mechdesign_figures.plots.parts.curves import MANY, MAX_MARKS


def drawn(found):
    axes = Figure().add_subplot()
    assert plot_estimate(found, axes) is axes
    return axes


KNOWN = [100, 200, 300, 250, 150]
"""Releases through GM at n = 4 and alpha 1/2 that tell the distribution."""

MEAN_WORDS = "true, mean with its 95 % interval"


def heights(axes):
    return [bar.get_height() for container in axes.containers[:1] for bar in container]


def labels(axes):
    return set(axes.get_legend_handles_labels()[1])


def test_what_is_drawn_is_what_was_found():
    found = estimate_counts(mechanism_of("GM 4 1/2"), KNOWN)
    axes = drawn(found)
    assert heights(axes) == list(found.released_shares)
    line = next(line for line in axes.lines if line.get_label() == ORDER[1])
    assert line.get_ydata().tolist() == list(found.likelihood.distribution)
    assert 0 < line.get_alpha() < 1
    (bars,) = axes.containers[1:]
    assert bars.lines[0].get_ydata().tolist() == list(found.inversion.distribution)
    (segments,) = [lines.get_segments() for lines in bars.lines[2]]
    half = [(high[1] - low[1]) / 2 for low, high in segments]
    assert half == pytest.approx(found.inversion.standard_errors)
    assert labels(axes) == {*ORDER, MEAN_WORDS}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("count (people in a group)", "share of groups")


def check_doubt(found, why):
    """Neither spikes nor inversion: what is drawn is what was released, and the mean where it is known."""
    axes = drawn(found)
    is_possible = found.mean is not None and 0 <= found.mean.value <= len(found.counts) - 1
    assert labels(axes) == {ORDER[0]} | ({MEAN_WORDS} if is_possible else set())
    assert not axes.collections
    title = " ".join(axes.get_title().split())
    assert title.endswith(f"distribution of the true counts left out: {found.doubt}")
    assert found.doubt.startswith(why)
    assert axes.get_ylim()[1] < 1.2 * max(found.released_shares)
    return axes


def test_spikes_that_cannot_be_known_are_not_drawn():
    truth = np.random.default_rng(1).binomial(8, 0.3, 500)
    mechanism = mechanism_of("WM 8 9/10")
    found = estimate_counts(mechanism, frequencies_of(mechanism, truth, seed=1))
    error = max(found.inversion.standard_errors)
    assert max(found.likelihood.distribution) > 3 * max(found.released_shares)
    check_doubt(found, f"standard errors are up to {error:#.2g}, more than any released share")


def test_picture_and_report_agree_on_what_can_be_told():
    """One rule for both: the report says that counts are too few exactly where the picture leaves them out."""
    for name, counts in {
        "GM 4 1/2": [10, 20, 30, 25, 15],
        "GM 4 9/10": [10, 20, 30, 25, 15],
        "EM 4 1/2": [100, 200, 300, 250, 150],
    }.items():
        found = estimate_counts(mechanism_of(name), counts)
        text = _inversion_text(found)
        assert (UNTOLD in text) == bool(found.doubt), name
        assert ("left out" in drawn(found).get_title()) == bool(found.doubt)


def test_the_mean_is_drawn_with_its_interval():
    found = estimate_counts(mechanism_of("GM 4 1/2"), KNOWN)
    axes = drawn(found)
    line = next(line for line in axes.lines if line.get_label() == MEAN_WORDS)
    assert list(line.get_xdata()) == [found.mean.value] * 2
    band = next(patch for patch in axes.patches if patch not in axes.containers[0].patches)
    box = band.get_path().get_extents() if not hasattr(band, "get_x") else None
    low, high = (box.x0, box.x1) if box is not None else (band.get_x(), band.get_x() + band.get_width())
    assert (low, high) == pytest.approx((found.mean.noise.low, found.mean.noise.high))


def test_whether_it_is_noise_is_decided_by_the_largest_released_share():
    found = estimate_counts(mechanism_of("GM 4 1/2"), KNOWN)
    top = max(found.released_shares)

    def with_error(error):
        return replace(found, inversion=replace(found.inversion, standard_errors=(0.01,) * 4 + (error,)))

    assert ORDER[2] in labels(drawn(with_error(0.99 * top)))
    assert ORDER[2] not in labels(drawn(with_error(1.01 * top)))


def test_one_release_has_no_standard_errors_and_no_inversion():
    axes = drawn(estimate_counts(mechanism_of("GM 4 1/2"), [0, 0, 0, 0, 1]))
    assert labels(axes) == {ORDER[0]}  # the unbiased mean of one release is beyond 0..n
    title = " ".join(axes.get_title().split())
    assert title.endswith("true counts left out: standard errors are unknown, from one release")
    assert title.startswith("1 released count, n = 4 ")


def test_what_no_float_can_hold_is_left_out():
    tiny = Mechanism.from_weights([[10**400 - 1, 10**400 - 2], [1, 2]], 10**400)
    check_doubt(estimate_counts(tiny, [5, 3]), "standard errors are beyond any float")


def test_many_counts_are_shown_where_the_mass_is():
    counts = [0] * 201
    counts[100:105] = [10, 20, 40, 20, 10]
    axes = drawn(estimate_counts(mechanism_of("GM 200 1/2"), counts))
    left, right = axes.get_xlim()
    assert 90 < left < 100 < 104 < right < 115
    assert [height for height in heights(axes) if height] == [0.1, 0.2, 0.4, 0.2, 0.1]
    assert axes.get_xlabel() == "count (people in a group)\nat most 0.1% lies beyond the axis"


def test_what_is_still_many_is_one_shape():
    counts = np.arange(50, 50 + MANY + 1)
    axes = drawn(estimate_counts(mechanism_of(f"GM {MANY} 1/10"), counts.tolist()))
    released, likelihood = (shape.get_data() for shape in axes.patches if isinstance(shape, StepPatch))
    assert np.allclose(released.values, counts / counts.sum())
    assert len(likelihood.values) == MANY + 1
    (bars,) = axes.containers
    assert 10 < len(bars.lines[0].get_xdata()) <= MAX_MARKS


@pytest.mark.slow
def test_numbers_of_the_title_have_separators():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [100_000, 200_000, 300_000, 250_000, 150_000])
    assert drawn(found).get_title() == "1,000,000 released counts, n = 4"


def test_a_singular_matrix_has_no_inversion_to_draw():
    found = estimate_counts(Mechanism(((1, 1),) * 2, 2), [3, 1])
    check_doubt(found, "different true counts give the same releases")


def test_the_legend_stands_on_given_axes_and_below_new_ones():
    found = estimate_counts(mechanism_of("GM 4 1/2"), KNOWN)
    assert [text.get_text() for text in drawn(found).get_legend().get_texts()] == [*ORDER, MEAN_WORDS]
    figure = plot_estimate(found).get_figure()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [*ORDER, MEAN_WORDS]


def test_a_picture_is_the_same_every_time():
    found = estimate_counts(mechanism_of("GM 4 1/2"), KNOWN)
    check_repeats(lambda: plot_estimate(found))
