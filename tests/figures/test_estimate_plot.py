import numpy as np
import pytest
from estimation_cases import frequencies_of, mechanism_of
from matplotlib.figure import Figure

from mechdesign import Mechanism
from mechdesign.estimation import estimate
from mechdesign_figures.estimate_plot import ORDER, draw_estimate, estimate_bytes


def drawn(found):
    axes = Figure().add_subplot()
    assert draw_estimate(found, axes) is axes
    return axes


def labels(axes):
    return set(axes.get_legend_handles_labels()[1])


def test_what_is_drawn_is_what_was_found():
    found = estimate(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
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


def test_wild_inversions_become_arrows_and_the_rest_stays_readable():
    truth = np.random.default_rng(1).binomial(8, 0.3, 500)
    mechanism = mechanism_of("WM 8 9/10")
    found = estimate(mechanism, frequencies_of(mechanism, truth, seed=1))
    axes = drawn(found)
    low, high = axes.get_ylim()
    beyond = sum(not low <= share <= high for share in found.inversion.distribution)
    assert beyond > 0
    arrows = [line for line in axes.lines if line.get_marker() in ("^", "v")]
    assert sum(len(line.get_ydata()) for line in arrows) == beyond
    assert all(low <= y <= high for line in arrows for y in line.get_ydata())
    assert labels(axes) == {*ORDER[:3], ORDER[4]}
    assert high < 3 * max(found.likelihood.distribution)


def test_a_singular_matrix_has_no_inversion_to_draw():
    found = estimate(Mechanism(((1, 1),) * 2, 2), [3, 1])
    assert labels(drawn(found)) == set(ORDER[:2])


def test_one_release_has_no_bars_of_error():
    axes = drawn(estimate(mechanism_of("GM 4 1/2"), [0, 0, 0, 0, 1]))
    assert labels(axes) == {ORDER[0], ORDER[1], ORDER[3]}
    (bars,) = axes.containers[1:]
    assert bars.lines[2] == ()


def test_what_no_float_can_hold_is_beyond_the_axis():
    tiny = Mechanism.from_weights([[10**400 - 1, 10**400 - 2], [1, 2]], 10**400)
    axes = drawn(estimate(tiny, [5, 3]))
    assert [line.get_marker() for line in axes.lines if line.get_marker() in ("^", "v")] == ["^", "v"]
    assert all(map(np.isfinite, axes.get_ylim()))


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files(suffix, start):
    found = estimate(mechanism_of("GM 4 1/2"), [10, 20, 30, 25, 15])
    content = estimate_bytes(found, suffix)
    assert content.startswith(start)
    assert content == estimate_bytes(found, suffix)
