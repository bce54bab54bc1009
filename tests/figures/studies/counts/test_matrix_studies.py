"""The studies of designs alone, 6.1 to 6.8: their tables, and what is published about them."""

from fractions import Fraction

import numpy as np
import pytest
from matplotlib.collections import Collection
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.text import Text
from wording import refused

from mechdesign import DesignProblem, Mechanism, design
from mechdesign.methods.closed_forms.explicit_fair import exponent
from mechdesign.methods.flowchart import QUESTIONS, Box
from mechdesign.problem.properties import LATTICE
from mechdesign_figures.plots.parts.saving import picture_bytes
from mechdesign_figures.plots.parts.settings import house_style
from mechdesign_figures.plots.parts.style import MECHANISM_LOOKS
from mechdesign_figures.studies.counts import flow, named_heatmaps, property_table, scores, structure, unconstrained
from mechdesign_figures.studies.counts.unconstrained import PANELS, PublishedPanel
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.study import read_table, table_text

STUDIES = {
    study.number: study
    for module in (unconstrained, structure, flow, property_table, named_heatmaps, scores)
    for study in module.STUDIES
}


@pytest.fixture(scope="module")
def solved():
    """The designs of the quick forms."""
    problems = dict.fromkeys(problem for study in STUDIES.values() for problem in study.problems(True))
    return {problem: design(problem) for problem in problems}


@pytest.fixture(scope="module")
def tables(solved):
    """The quick table of each study, from the designs that it says it needs; none is missed."""
    made = {}
    for number, study in STUDIES.items():
        cache = DesignCache({problem: solved[problem] for problem in study.problems(True)})
        made[number] = study.rows(cache, True)
        assert cache.missed == [], number
    return made


def part(rows, **cells):
    return [row for row in rows if all(row[name] == value for name, value in cells.items())]


def one(rows, **cells):
    (row,) = part(rows, **cells)
    return row


def contents(figure):
    """Everything that the data decide in a picture."""
    return (
        [text.get_text() for text in figure.findobj(Text)],
        [np.asarray(image.get_array()).tolist() for image in figure.findobj(AxesImage)],
        [(np.asarray(line.get_xydata()).tolist(), line.get_color()) for line in figure.findobj(Line2D)],
        len(figure.findobj(Collection)),
    )


def test_the_studies_of_designs_alone():
    assert list(STUDIES) == [f"6.{k}" for k in range(1, 9)]
    assert not any(study.needs for study in STUDIES.values())


@pytest.mark.slow
@pytest.mark.parametrize("number", STUDIES)
def test_a_table_has_its_columns_and_a_picture_needs_nothing_else(tables, number):
    study, rows = STUDIES[number], tables[number]
    assert all(tuple(row) == study.columns for row in rows)
    text = table_text(study, rows)
    again = read_table(text)
    assert table_text(study, again) == text
    with house_style():
        figure = study.draw(rows)
        assert contents(study.draw(again)) == contents(figure)
        figure.set_layout_engine("none")  # half the time goes into the layout
        assert picture_bytes(figure, ".svg").startswith(b"<?xml")


@pytest.mark.slow
def test_what_the_text_quotes_does_not_come_out_at_the_alpha_of_the_caption(tables):
    rows = part(tables["6.1"], record="sentence")
    told = [(row["loss"], row["alpha"], row["exact"], row["holds"]) for row in rows]
    assert told == [
        ("L1", "31/50", "34892949/312500000", "no"),
        ("L1", "21/25", "441/625", "yes"),
        ("L2", "31/50", "2951479/10125000", "no"),
        ("L2", "4/5", "1", "yes"),
        ("L0:1", "31/50", "31/50", "no"),
        ("L0:1", "19/20", "19/20", "yes"),
    ]
    assert {row["every_optimum"] for row in rows} == {"agrees"}


def test_where_the_quoted_sentences_come_out(tables):
    rows = part(tables["6.1"], record="range")
    ends = {(row["loss"], k): (row["alpha"], row["alpha_to"]) for k, row in enumerate(rows)}
    (_, low), (second, high) = ends["L1", 0], ends["L1", 1]
    assert low**3 + low**2 == pytest.approx(1, abs=1e-8)  # there 0 and 7 stop being reported as 1 and 6
    assert second == pytest.approx(0.7**0.5, abs=1e-8)  # the probability is alpha^2
    assert high == pytest.approx(0.852127, abs=1e-6)
    assert ends["L2", 2][0] == pytest.approx(0.773303, abs=1e-6)
    assert ends["L0:1", 3][0] == pytest.approx(0.9, abs=1e-8)
    assert len(ends) == 4


def test_a_probability_of_exactly_nine_tenths_is_not_over_nine_tenths():
    """At alpha = 0.9 the quoted probability is 0.9 itself: the range begins above it."""
    panel = PANELS[3]
    assert panel.smallest(design(panel.problem(Fraction(9, 10))).mechanism) == Fraction(9, 10)
    assert not panel.comes_out(Fraction(9, 10))
    assert panel.comes_out(Fraction(9001, 10000))
    assert panel.sentence == "Pr[1 or 4] > 0.9"
    assert PANELS[2].holds(Fraction(1))
    assert PANELS[2].sentence == "Pr[2] >= 1"


def test_ranges_of_the_quoted_sentences_are_drawn(tables):
    titles = [axes.get_title() for axes in STUDIES["6.1"].draw(tables["6.1"]).axes]
    assert "yes for alpha above 0.900" in titles[7]
    assert titles[6].endswith("yes for alpha from 0.773 on")
    assert titles[5].endswith("yes for alpha from 0.737 to 0.755\nand from 0.837 to 0.852")


@pytest.mark.parametrize(("panel", "alpha"), [(panel, alpha) for panel in PANELS[1:] for alpha in panel.alphas])
def test_another_method_finds_the_same_probability(panel, alpha):
    made = design(panel.problem(alpha), method="full")
    assert panel.smallest(made.mechanism) == panel.smallest(design(panel.problem(alpha)).mechanism)


@pytest.mark.parametrize(("alpha", "always"), [("0.7733", False), ("0.7734", True)])
def test_the_middle_is_always_reported_exactly_where_nothing_beats_it(alpha, always):
    assert (design(DesignProblem(4, alpha, loss="L2"), method="full").score == 2) is always


@pytest.mark.parametrize("output", [1, 2])
def test_a_sentence_that_depends_on_the_choice_among_optima_is_told(output):
    # reporting 1 always, or 2 always, costs nothing: a charge moves the one that is used, a reward the other
    panel = PublishedPanel("L0:2", 3, Fraction(1, 2), (output,), Fraction(1, 2))
    mechanism = Mechanism.from_weights([[0] * 4, [1] * 4, [0] * 4, [0] * 4], 1)
    row = unconstrained._quoted(DesignCache(), panel, panel.alpha, mechanism)
    assert (row["exact"], row["every_optimum"]) == ("1" if output == 1 else "0", "does not agree")


def test_the_structure_of_gm(tables):
    n = structure.QUICK_SIZE
    for row in tables["6.2"]:
        i, j = row["output"], row["input"]
        assert (row["factor"], row["exponent"]) == ("x" if i in (0, n) else "y", abs(i - j))
    assert one(tables["6.2"], output=0, input=0)["exact"] == "10/17"


def test_symbols_stand_in_their_cells(tables):
    (axes, _) = STUDIES["6.2"].draw(tables["6.2"]).axes
    words = {text.get_position(): text.get_text() for text in axes.texts}
    assert words[1, 0] == r"$x\,\alpha$"  # input 1 to the right, output 0 at the top
    assert words[0, 1] == r"$y\,\alpha$"
    (image,) = axes.get_images()
    assert image.get_array()[0, 1] == one(tables["6.2"], output=0, input=1)["value"]


def test_the_structure_of_em(tables):
    rows = structure.rows("EM", structure.fair_factors, DesignCache(), quick=False)
    assert {row["factor"] for row in rows} == {"y"}
    assert all(row["exponent"] == exponent(row["output"], row["input"], 7) for row in rows)
    assert [row["exponent"] for row in rows if row["input"] == 0] == [0, 1, 1, 2, 2, 3, 3, 4]


def test_a_mechanism_of_another_structure_is_refused():
    made = {alpha: DesignCache().mechanism("WM", 4, alpha) for alpha in structure.ALPHAS}
    with refused(ValueError):
        structure.symbols(made, structure.fair_factors)


def test_every_box_of_the_flowchart_is_confirmed(tables):
    designs = part(tables["6.4"], record="design")
    assert {row["confirmed"] for row in designs} == {"yes"}
    assert {row["step"] for row in designs} == set(range(len(QUESTIONS) + 1))
    assert len(designs) == 18 * len(flow.QUICK_SIZES) * len(flow.ALPHAS)
    wm = one(designs, n=4, alpha="9/10", properties="WH RH RM CH CM")
    assert (wm["box"], wm["program"], wm["score"], wm["gm_lacks"]) == ("LP", "WM", "391/405", "WH CH CM")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GM", "EM", "LP"])
def test_a_wrong_box_is_not_confirmed(monkeypatch, solved, name):
    monkeypatch.setattr(flow, "flowchart_box", lambda problem: Box(name, ""))
    designs = part(flow.rows(DesignCache(solved), True), record="design")
    assert {row["box"] for row in designs} == {name}
    assert {row["confirmed"] for row in designs} == {"yes", "no"}


def test_another_program_is_not_confirmed(monkeypatch, solved):
    monkeypatch.setattr(flow, "WM", flow.WH)
    designs = part(flow.rows(DesignCache(solved), True), record="design")
    assert {row["confirmed"] for row in part(designs, program="WM", n=4, alpha="9/10")} == {"no"}
    assert {row["confirmed"] for row in part(designs, program="WH")} == {"yes"}


def test_the_table_of_properties(tables):
    when = {
        name: [one(tables["6.5"], record="property", mechanism=name, property=p)["when"] for p in LATTICE]
        for name in property_table.NAMES
    }
    honest, steep = "n >= 2 alpha/(1 - alpha)", "alpha <= 1/2"
    assert when == {
        "GM": [honest, "always", "always", steep, steep, "never", "always"],
        "WM": ["always"] * 5 + ["never", "always"],
        "EM": ["always"] * 7,
        "UM": ["always"] * 7,
    }


def test_the_scores_of_the_table(tables):
    exact = {(r["mechanism"], r["n"], r["alpha"]): r["exact"] for r in part(tables["6.5"], record="score")}
    assert exact["WM", 8, "9/10"] == "114025/118098"
    assert exact["EM", 8, "9/10"] == "278559/287608"
    assert exact["WM", 12, "10/11"] == "25170943/26000000"
    at_99 = [float(Fraction(exact[name, 8, "99/100"])) for name in ("WM", "EM")]
    assert at_99 == pytest.approx([0.997166, 0.997188], abs=5e-7)
    assert {r["mechanism"] for r in part(tables["6.5"], record="score", formula="linear program")} == {"WM"}


def test_what_fits_no_single_condition_is_said():
    assert property_table.condition({(2, Fraction(1, 3)): False, (3, Fraction(1, 2)): True}) == "no single condition"
    assert property_table.condition({(2, Fraction(1, 2)): True, (3, Fraction(2, 3)): False}) == "alpha <= 1/2"


def test_four_heatmaps_at_n_4():
    cache = DesignCache({problem: design(problem) for problem in named_heatmaps.problems(False)})
    rows = named_heatmaps.rows(cache, False)
    assert cache.missed == []
    scores_of = {row["mechanism"]: row["score"] for row in rows}
    assert scores_of == {"GM": "18/19", "WM": "391/405", "EM": "855/884", "UM": "1"}
    assert [one(rows, mechanism="GM", output=i, input=i)["exact"] for i in (0, 2)] == ["10/19", "1/19"]
    assert len({one(rows, mechanism="EM", output=i, input=i)["exact"] for i in range(5)}) == 1
    images = named_heatmaps.draw(rows).findobj(AxesImage)
    (limits,) = {image.get_clim() for image in images}
    assert limits == pytest.approx((0.9**3 / 19, 10 / 19))


@pytest.mark.slow
def test_weak_honesty_with_others_scores_as_wh_or_as_wm(tables):
    rows = tables["6.7"]
    assert scores.same_scores(rows) == [
        ["none", "RH", "RM"],
        ["CH", "CM", "RH+CH", "RH+CM", "RM+CH", "RM+CM"],
    ]
    assert {row["exact"] for row in part(rows, alpha="2/5")} == {"4/7"}  # alpha <= 1/2: all are GM
    assert {row["exact"] for row in part(rows, along="n", n=8, combined="RM")} == {"19/22"}  # n = 8 > 6.33: GM
    assert float(part(rows, along="n", n=8, combined="RM+CM")[0]["score"]) == pytest.approx(0.882838, abs=1e-6)
    labels = [text.get_text() for text in scores.draw_combined(rows).legends[0].get_texts()]
    assert labels[0] == "WH with none, RH, RM (3 sets, the same score everywhere)"


def test_sets_that_differ_anywhere_are_not_one_line(tables):
    rows = [dict(row) for row in tables["6.7"]]
    part(rows, combined="CH")[-1]["exact"] = "1/2"
    assert len(scores.same_scores(rows)) == 3


def test_scores_against_n(tables):
    rows = tables["6.8"]
    assert one(rows, mechanism="WM", n=8, alpha="10/11")["exact"] == "348949/360000"
    assert [one(rows, mechanism="GM", n=8, alpha=a)["threshold"] for a in ("2/3", "10/11", "99/100")] == [
        *("4", "20", "198")
    ]
    assert {row["exact"] for row in part(rows, mechanism="UM")} == {"1"}
    figure = scores.draw_against_n(rows)
    colours = {line.get_label(): line.get_color() for line in figure.axes[0].lines if line.get_marker() != "None"}
    assert colours == {name: MECHANISM_LOOKS[name].colour for name in scores.NAMES}
    marks = [axes.texts[0].get_text() for axes in figure.axes]
    assert marks == [
        f"2 alpha/(1 - alpha) = {text}" for text in ("4", "20 \N{RIGHTWARDS ARROW}", "198 \N{RIGHTWARDS ARROW}")
    ]


def test_wm_does_not_meet_gm_at_the_threshold():
    scored = [round(float(DesignCache().score(name, 20, Fraction(10, 11))), 4) for name in ("WM", "GM", "WH")]
    assert scored == [0.9641, 0.9524, 0.9524]
