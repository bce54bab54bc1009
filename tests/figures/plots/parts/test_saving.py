"""Pictures are settled, the same every time, and say in words what they show."""

import base64
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from wording import refused

from mechdesign import DesignProblem, InputError, design
from mechdesign.sweeps import SweepGrid, run_sweep, tasks_of
from mechdesign_figures.plots.heatmap import plot_mechanism
from mechdesign_figures.plots.parts.saving import (
    DOTS_PER_INCH,
    SETTLED,
    describe,
    picture_bytes,
    picture_title,
    save_picture,
    settle,
)
from mechdesign_figures.plots.sweep import plot_sweep

SUFFIXES = (".png", ".svg", ".pdf")


def heatmap(n=8):
    axes = plot_mechanism(design(DesignProblem(n, "0.9", loss="L1")))
    return axes.get_figure()


def sweep():
    return plot_sweep(run_sweep(tasks_of(SweepGrid.parse("2:4", "0.5,0.9", properties="none;F"))))


def places(figure):
    return np.array([axes.get_position(original=True).bounds for axes in figure.axes])


@pytest.mark.slow
def test_one_figure_gives_the_same_bytes_every_time_in_any_order():
    figure = heatmap(3)
    first = {suffix: picture_bytes(figure, suffix) for suffix in SUFFIXES}
    assert {suffix: picture_bytes(figure, suffix) for suffix in reversed(SUFFIXES)} == first
    assert picture_bytes(heatmap(3), ".png") == first[".png"]


@pytest.mark.slow
def test_a_layout_is_settled_where_one_pass_is_not_enough():
    figure = heatmap(32)
    figure.set_dpi(DOTS_PER_INCH)
    figure.draw_without_rendering()
    once = places(figure)
    settle(figure)
    settled = places(figure)
    assert np.abs(settled - once).max() > SETTLED
    figure.draw_without_rendering()
    assert np.abs(places(figure) - settled).max() < SETTLED


def test_saving_leaves_the_figure_as_it_was():
    figure = heatmap(2)
    engine, dpi = figure.get_layout_engine(), figure.dpi
    picture_bytes(figure, ".png")
    assert (figure.get_layout_engine(), figure.dpi) == (engine, dpi)
    assert all(axes.get_in_layout() for axes in figure.axes)


def test_a_picture_is_described_in_words():
    figure = heatmap()
    words = describe(figure)
    assert picture_title(figure) == "n = 8, alpha = 0.9, no properties, loss L1, prior uniform; epsilon = 0.105361"
    assert words.startswith(f"{picture_title(figure)}; ")
    for part in (
        "across input: true count j from 0 to 8",
        "upwards output: released count i from 0 to 8",
        "upwards Pr[output i | input j], logarithmic",
        "Legend: 0: impossible",
    ):
        assert part in words
    assert picture_title(sweep()) == "best mechanisms for counts, prior uniform"
    assert "Legend: properties, no properties, F" in describe(sweep())


@pytest.mark.slow
def test_a_notebook_shows_a_figure_in_its_size_with_its_description():
    figure = heatmap(2)
    figure.axes[0].set_title('told <twice> & "meant"')
    page = HTMLParser()
    images = []
    page.handle_starttag = lambda tag, attributes: images.append((tag, dict(attributes)))
    page.feed(figure._repr_html_())
    ((tag, image),) = images
    assert (tag, image["alt"]) == ("img", describe(figure))
    assert '<twice> & "meant"' in image["alt"]
    kind, data = image["src"].split(",")
    assert (kind, base64.b64decode(data)) == ("data:image/png;base64", picture_bytes(figure, ".png"))
    height, width, _ = imread(io.BytesIO(base64.b64decode(data))).shape
    assert int(image["width"]) == pytest.approx(width * 96 / DOTS_PER_INCH, abs=1)
    assert height / width == pytest.approx(figure.get_figheight() / figure.get_figwidth(), abs=0.01)


def test_mathematical_text_is_described_without_its_marks():
    figure = Figure()
    figure.add_subplot().set_title("$x$ costs\n\\$5")
    assert describe(figure).startswith("x costs $5")
    assert (picture_title(Figure()), describe(Figure())) == ("", "")


@pytest.mark.slow
def test_the_words_are_in_the_file():
    figure = heatmap(2)
    title, words = picture_title(figure), describe(figure)
    png = picture_bytes(figure, ".png")
    assert imread(io.BytesIO(png)).shape[2] == 4
    assert b"Title\x00" + title.encode() in png
    assert b"Description\x00" + words.encode() in png
    svg = picture_bytes(figure, ".svg").decode()
    assert f"<dc:title>{title}</dc:title>" in svg
    assert "<dc:description>" in svg
    pdf = picture_bytes(figure, ".pdf")
    assert re.search(rb"/Title \(n = 2, alpha = 0.9", pdf)
    assert b"/Subject" in pdf
    for content in (png, svg.encode(), pdf):
        assert b"Date" not in content


def test_a_picture_goes_to_a_file_of_a_known_kind(tmp_path):
    save_picture(heatmap(2), tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    with refused(InputError, about="plot"):
        save_picture(heatmap(2), tmp_path / "a.gif")
