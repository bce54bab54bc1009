"""The picture of a tree: all attributes apart from each other, every edge a line, as thick as it tells much."""

import itertools

import pytest
from matplotlib.figure import Figure

from mechdesign_catalog.analyses.dependence.trees import DependenceTree, Edge
from mechdesign_figures.plots.attributes.dependence_tree import THICKEST, THINNEST, plot_dependence_tree
from mechdesign_figures.plots.parts.lettering import cut_names
from mechdesign_figures.plots.parts.saving import picture_bytes

NAMES = ["cc", "toll", "far", "tip", "night", "long $ name of an attribute that goes on"]
TREE = DependenceTree(6, (Edge((0, 3), 0.4), Edge((2, 4), 0.2), Edge((0, 1), 0.1), Edge((0, 2), 0.0002)))


def attributes(axes):
    """Where the boxes with names are; numbers on lines have none."""
    return {text.get_text(): text.get_position() for text in axes.texts if not text.get_text().startswith(("0.", "<"))}


def test_every_edge_joins_its_two_attributes():
    axes = plot_dependence_tree(TREE, NAMES, Figure().add_subplot())
    named = attributes(axes)
    assert len(set(named.values())) == 6
    found = [named[name] for name in cut_names(NAMES)]
    for edge, line in zip(TREE.edges, axes.lines, strict=True):
        assert list(zip(*line.get_data(), strict=True)) == [found[i] for i in edge.pair]
    widths = [line.get_linewidth() for line in axes.lines]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == THICKEST


def test_numbers_stand_on_their_lines():
    axes = plot_dependence_tree(TREE, NAMES, title="a forest")
    numbers = {text.get_position(): text.get_text() for text in axes.texts}
    for line, words in zip(axes.lines, ["0.400", "0.200", "0.100", "< 0.001"], strict=True):
        (x1, x2), (y1, y2) = line.get_data()
        assert numbers[(x1 + x2) / 2, (y1 + y2) / 2] == words
    assert axes.get_xlabel() == "lines: mutual information of two attributes in nats, 0.7002 in all"
    assert axes.get_title() == "a forest"


def test_what_noise_adds_is_not_drawn():
    noisy = DependenceTree(3, (Edge((0, 1), 0.5, 0.1), Edge((1, 2), 0.3, 0.375)))
    axes = plot_dependence_tree(noisy, NAMES[:3])
    assert {text.get_text() for text in axes.texts} >= {"0.400", "< 0.001"}
    assert [line.get_linewidth() for line in axes.lines] == [THICKEST, THINNEST]
    words = " ".join(axes.get_xlabel().split())
    assert words == "lines: mutual information of two attributes in nats, less that of noise, 0.325 in all"


def test_a_tree_hangs_from_its_middle():
    """A path of five: the third is the first of the picture, and no line is longer than one step across."""
    path = DependenceTree(5, tuple(Edge((i, i + 1), 0.1) for i in range(4)))
    axes = plot_dependence_tree(path, NAMES[:5])
    across = {name: x for name, (x, _) in attributes(axes).items()}
    assert across == {"far": 0, "toll": 1, "tip": 1, "cc": 2, "night": 2}


def test_leaves_have_rows_of_their_own():
    star = DependenceTree(6, tuple(Edge((0, i), 0.1 * i) for i in range(5, 0, -1)))
    axes = plot_dependence_tree(star, NAMES)
    heights = sorted(y for name, (_, y) in attributes(axes).items() if name != "cc")
    assert all(b - a == 1 for a, b in itertools.pairwise(heights))
    assert attributes(axes)["cc"] == (0, (heights[0] + heights[-1]) / 2)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_attributes_without_any_edge_can_be_drawn(suffix):
    assert picture_bytes(plot_dependence_tree(DependenceTree(3, ()), NAMES[:3]), suffix)
