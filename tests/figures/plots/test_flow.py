from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Annotation

from mechdesign_figures.plots.flow import Step, draw_flow, flow_figure
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.plots.parts.settings import house_style

STEPS = [Step("wet?", "umbrella"), Step("cold?", "coat")]


def test_each_question_leads_to_its_box_and_to_the_next():
    axes = draw_flow(STEPS, "nothing", Figure().add_subplot())
    texts = [text for text in axes.texts if not isinstance(text, Annotation)]
    places = {text.get_text(): text.get_position() for text in texts if text.get_bbox_patch() is not None}
    assert places == {"wet?": (0, 0), "umbrella": (1, 0), "cold?": (0, -1), "coat": (1, -1), "nothing": (0, -2)}
    words = [text.get_text() for text in texts if text.get_bbox_patch() is None]
    assert sorted(words) == ["no", "no", "yes", "yes"]
    arrows = [(text.xyann, text.xy) for text in axes.texts if isinstance(text, Annotation)]
    assert sorted(arrows) == [((0, -1), (0, -2)), ((0, -1), (1, -1)), ((0, 0), (0, -1)), ((0, 0), (1, 0))]


def test_arrows_end_at_the_boxes():
    with house_style():
        figure = flow_figure(STEPS)
        axes = draw_flow(STEPS, "nothing", figure.add_subplot())
        picture_bytes(figure, ".svg")
    boxes = {text.get_text(): text.get_bbox_patch() for text in axes.texts if text.get_text()}
    arrow = next(text.arrow_patch for text in axes.texts if isinstance(text, Annotation) and text.xy == (1, 0))
    assert isinstance(arrow, FancyArrowPatch)
    tip = arrow.get_transform().transform_path(arrow.get_path()).get_extents().x1
    assert abs(tip - boxes["umbrella"].get_window_extent().x0) < 2
