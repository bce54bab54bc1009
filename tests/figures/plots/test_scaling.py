import pytest
from matplotlib.figure import Figure
from pictures import check_repeats

from mechdesign_figures.plots.scaling import METHOD_LOOKS, PEER_LOOKS, Curve, draw_scaling, looks, plot_scaling

SIZES = (32, 48, 64, 128)
CUBIC = Curve("column-generation", SIZES, tuple(1e-6 * n**3 for n in SIZES))
PEER = Curve("a peer", SIZES[:2], (0.1, 0.4), ours=False)
NOISY = Curve("full", (1, 2, 4), (1.0, 4.0, 4.0))


def size_ticks(axes):
    """Labels of the sizes that are marked inside the picture."""
    low, high = axes.get_xlim()
    marked = [tick for tick in axes.get_xticks() if low <= tick <= high]
    return [axes.xaxis.get_major_formatter()(tick) for tick in marked]


def test_the_exponent_is_the_slope_between_logarithms():
    assert CUBIC.exponent == pytest.approx(3, abs=1e-12)
    assert NOISY.exponent == pytest.approx(1, abs=1e-12)  # logs to base 2: (0, 0), (1, 2), (2, 2), slope 1 by hand


def test_curves_on_given_axes():
    axes = Figure().add_subplot()
    assert draw_scaling([CUBIC, PEER], axes, title="L1") is axes
    ours, theirs = axes.get_lines()
    assert tuple(ours.get_xdata()) == SIZES
    assert tuple(ours.get_ydata()) == CUBIC.seconds
    assert (ours.get_linestyle(), theirs.get_linestyle()) == ("-", "--")
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_title()) == ("log", "log", "L1")
    assert size_ticks(axes) == ["32", "64", "128"]
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["column-generation, $n^{3.0}$", "a peer, $n^{3.4}$"]


def test_a_curve_of_one_size_has_no_exponent_in_the_legend():
    axes = draw_scaling([Curve("full", (100,), (2.0,))], Figure().add_subplot())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["full"]


def test_a_method_looks_the_same_in_every_panel_and_no_two_alike():
    styles = looks([PEER, CUBIC, Curve("another peer", (1,), (1.0,), ours=False), PEER])
    assert styles["full"] == METHOD_LOOKS["full"]
    assert (styles["a peer"], styles["another peer"]) == PEER_LOOKS[:2]
    assert len(set(styles.values())) == len(styles)


def test_the_same_panels_make_the_same_bytes():
    check_repeats(lambda: plot_scaling({"L1": [CUBIC, PEER], "WM": [NOISY]}))
