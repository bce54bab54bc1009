import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from mechdesign_figures.plots.parts.lettering import LONGEST_NAME, TEXT_SIZE, inches, numbers, short_names, wrapped
from mechdesign_figures.plots.parts.settings import house_style

LONG = "/home/somebody/a-folder-with-a-long-name/the-mechanism-of-somebody-else.json"


@pytest.mark.parametrize("text", ["GM", "design:WH+RM+CM+RH+CH:L0:1", "share of groups with |error| > d\nand more"])
def test_text_is_as_wide_as_it_is_drawn(text):
    with house_style():
        box = Figure(dpi=720).text(0.1, 0.5, text, fontsize=TEXT_SIZE).get_window_extent()
        assert inches(text) == pytest.approx(box.width / 720, abs=0.02)
        assert inches(text, 2 * TEXT_SIZE) == pytest.approx(2 * inches(text), rel=0.01)
    assert inches("") == inches(" ") == 0


@pytest.mark.parametrize("room", [0.5, 1.0, 2.0, 9.0])
def test_wrapped_lines_fit_and_keep_their_words(room):
    text = "stroke: exact expectation; marker: simulated mean of 50 repetitions\nbar: a-word-that-is-long-itself"
    made = wrapped(text, room)
    assert inches(made) <= room
    assert "".join(made.split()) == "".join(text.split())
    assert room < 9 or made == text


def test_names_are_short():
    named = short_names(["GM", "design:WH+OS:9/10:L0", LONG, "m.json"])
    assert list(named.values()) == ["GM", "design:WH+OS:9/10:L0", "the-mechanis...ody-else.json", "m.json"]
    assert max(map(len, named.values())) == LONGEST_NAME


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a/x/m.json", "b/x/m.json"], ["a/x/m.json", "b/x/m.json"]),
        (["up/a/m.json", "up/b/m.json"], ["a/m.json", "b/m.json"]),
        (["./m.json", "m.json", "/m.json"], ["./m.json", "m.json", "/m.json"]),
    ],
)
def test_files_of_one_name_go_by_as_many_folders_as_tell_them_apart(names, shown):
    assert list(short_names(names).values()) == shown


def test_what_differs_in_the_middle_alone_is_cut_less():
    one, other = short_names([f"{'a' * 20}{k}{'b' * 40}" for k in "12"]).values()
    assert one != other
    assert len(one) == len(other) == 2 * 21 + 3
    assert one.startswith("a" * 20 + "1...")


@given(st.lists(st.text("ab/.+", min_size=1, max_size=60), unique=True, min_size=1, max_size=6))
def test_no_two_names_are_alike(names):
    assert len(set(short_names(names).values())) == len(names)


def test_a_dollar_is_no_mathematics():
    (name,) = short_names(["a$b_$.json"]).values()
    with house_style():
        plain, dollars = (Figure().text(0, 0, text).get_window_extent().width for text in ("a b_ .json", name))
    assert dollars > plain


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.86, 0.8609], ["0.8600", "0.8609"]),
        ([2, 2.298], ["2.000", "2.298"]),
        ([12345.6, 2.0], ["12,345.6", "2.0"]),
        ([0.5, 0.00012], ["0.50000", "0.00012"]),
        ([-3.7, 0.0], ["-3.700", "0.000"]),
        ([0.0, 0.0], ["0.000", "0.000"]),
        ([2e-5, 1e-7], ["2.000e-05", "1.000e-07"]),
        ([3e12, 1], ["3.000e+12", "1.000e+00"]),
        ([0.9, 1e-9], ["0.900000", "0.000000"]),
    ],
)
def test_numbers_of_a_panel_have_the_same_decimals(values, texts):
    assert numbers(values) == texts


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 9)), min_size=1, max_size=8))
def test_numbers_are_rounded_not_changed(values):
    texts = numbers(values)
    assert len({len(text.partition(".")[2]) for text in texts}) == 1
    read = [float(text.replace(",", "")) for text in texts]
    assert np.allclose(read, values, rtol=0, atol=5.1e-4 * max(map(abs, values)))
