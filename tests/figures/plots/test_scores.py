from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.style import MECHANISM_LOOKS
from mechdesign_figures.plots.scores import Mark, ScoreLine, draw_scores

GM = ScoreLine("GM", [2, 4, 8], [0.8, 0.8, 0.8], MECHANISM_LOOKS["GM"])
EM = ScoreLine("EM", [2, 4, 8], [0.9, 0.85, 0.9], MECHANISM_LOOKS["EM"])


def test_lines_in_their_looks_on_the_axes_that_are_given():
    axes = Figure().add_subplot()
    assert draw_scores([GM, EM], axes, title="alpha = 2/3") is axes
    for line, wanted in zip(axes.lines, (GM, EM), strict=True):
        assert (line.get_label(), line.get_color(), line.get_marker()) == (
            *(wanted.label, wanted.look.colour, wanted.look.marker),
        )
        assert line.get_ydata().tolist() == wanted.scores
    assert (axes.get_xlabel(), axes.get_title()) == ("people in a group, n", "alpha = 2/3")


def test_marks_inside_are_lines_and_outside_are_told_at_the_edge():
    axes = draw_scores([GM], Figure().add_subplot(), marks=[Mark(4, "here"), Mark(198, "far"), Mark(1, "before")])
    assert [text.get_text() for text in axes.texts] == [
        *("here", "far \N{RIGHTWARDS ARROW}", "\N{LEFTWARDS ARROW} before")
    ]
    assert [line.get_xdata()[0] for line in axes.lines[1:]] == [4]
    assert len({text.xyann[1] for text in axes.texts}) == 3  # no word lies on another


def test_against_alpha_the_axis_says_what_alpha_is():
    line = ScoreLine("GM", [0.5, 0.9], [0.6, 0.9], MECHANISM_LOOKS["GM"])
    assert draw_scores([line], Figure().add_subplot(), along="alpha").get_xlabel() == "alpha = exp(-epsilon)"
