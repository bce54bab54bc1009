"""The picture of the Design panel and what stands beside it: bars, curve, thumbnails, a pinned design, a law."""

import re
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accessibility import serious_findings
from design_panel import DesignPanel
from panels import open_panel, saved, saved_json

from mechdesign import design, design_law, formula
from mechdesign.formulas.texts import end_text
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.methods.closed_forms.uniform import uniform
from mechdesign.problem.privacy import rounded_up

pytestmark = pytest.mark.slow

CURVE = [f"{k / 20:g}" for k in range(1, 20)] + ["0.99"]
SEEN = ["strip", "design-facts", "heat-canvas", "heat-column", "heat-readout", "seal", "thumbnails"]
BOXES = """names => Object.fromEntries(names.map((name) => {
    const { top, bottom, right, width } = document.querySelector(`#panel-design .${name}`).getBoundingClientRect();
    return [name, { top, bottom, right, width }];
  }))"""
CUT = """() => [...document.querySelectorAll("#panel-design .strip :is(select, input[type=text], input[type=number])")]
  .filter((one) => one.checkVisibility()).filter((one) => {
    const style = getComputedStyle(one);
    const context = document.createElement("canvas").getContext("2d");
    context.font = style.font;
    const texts = one.options ? [...one.options].map((option) => option.textContent) : [one.value];
    const taken = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + (one.options ? 20 : 0);
    return Math.max(...texts.map((text) => context.measureText(text).width)) > one.clientWidth - taken;
  }).map((one) => one.labels[0].textContent)"""
BARS = """() => [...document.querySelectorAll(".heat-column .column")].map((one) => one.getBBox())
  .map(({ y, height, width }) => ({ y, height, width }))"""
COLOURS = """() => {
  const canvas = document.querySelector("#panel-design .heat-canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
  return found.size;
}"""
STEPS = """async (moves) => {
  const { module_kit: { morphing } } = await import("/page/js/main.js");
  const drawn = [];
  const to = morphing((matrix) => drawn.push(matrix.value(0, 0)));
  to({ size: 1, value: () => 0 }, moves);
  to({ size: 1, value: () => 1 }, moves);
  while (drawn.at(-1) !== 1) await new Promise(requestAnimationFrame);
  return drawn;
}"""
NAMED = """() => [...document.querySelectorAll("#panel-design .curve svg > text")].map((one) => {
  const [name, picture] = [one, one.ownerSVGElement].map((part) => part.getBoundingClientRect());
  return [one.lastChild.textContent, name.top, name.bottom, name.left >= picture.left && name.right <= picture.right];
})"""
TICK = """() => {
  const label = document.querySelector(".chip:has(:checked) .switch-label");
  return getComputedStyle(label, "::after").content;
}"""
ROWS = "rows => rows.map((row) => [...row.children].map((one) => one.textContent))"
SETTLED_FORMULA = "() => document.querySelector('.curve summary').textContent.endsWith('proved')"
SETTLED_CURVE = "() => document.querySelectorAll('.curve tbody tr').length === 20"


class TestPicture:
    def test_it_is_whole_at_1280_by_800(self, page: Any) -> None:
        page.set_viewport_size({"width": 1280, "height": 800})
        panel = DesignPanel(page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        panel.section.locator(".thumbnails").wait_for()
        page.wait_for_function("() => document.querySelectorAll('.chip input:disabled').length === 2")
        boxes = page.evaluate(BOXES, SEEN)
        assert boxes["heat-canvas"]["width"] - 38 - 10 >= 480
        below = {name: box for name, box in boxes.items() if box["bottom"] > 800 or box["right"] > 1280}
        assert below == {}
        assert boxes["design-facts"]["bottom"] - boxes["design-facts"]["top"] < 36  # one line
        assert panel.exact_score == f"score = {design(n=8, alpha='0.75', properties='WH,CM').score}"
        open_panel(page, "design", n=8, epsilon="1", props="WH,CM", loss="L0")
        for width in (1280, 1440, 390):
            page.set_viewport_size({"width": width, "height": 844})
            panel.settle("epsilon=1")
            assert page.evaluate(CUT) == []

    @pytest.mark.parametrize(("n", "alpha"), [(8, "0.75"), (24, "0.9")])
    def test_each_bar_stands_at_its_row(self, page: Any, n: int, alpha: str) -> None:
        panel = DesignPanel(page, n=n, alpha=alpha, props="WH,CM", loss="L0")
        x, y = panel.cell(2, 3, n + 1)
        panel.map.hover(position={"x": x, "y": y})
        panel.section.get_by_role("heading", name="If the truth is 3").wait_for()
        column = design(n=n, alpha=alpha, properties="WH,CM").mechanism.matrix()[:, 3]
        rest, marked = page.evaluate(BARS)
        side = panel.section.locator(".design-results .heat-canvas").bounding_box()["width"]
        each = (side - 38 - 10) / (n + 1)
        assert 38 + 3 * each <= marked["y"] <= 38 + 3.2 * each
        assert 38 + 3.8 * each <= marked["y"] + marked["height"] <= 38 + 4 * each
        others = np.delete(column, 3)
        assert marked["width"] / rest["width"] == pytest.approx(column[3] / others.max(), rel=1e-3)

    def test_forced_colours_leave_the_picture_its_own(self, page: Any) -> None:
        page.emulate_media(forced_colors="active")
        panel = DesignPanel(page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        assert page.evaluate(COLOURS) > 12
        assert panel.switch("CM").evaluate("one => one.labels[0].querySelector('.switch-label').checkVisibility()")
        assert page.evaluate(TICK).startswith('" ✓"')

    def test_a_telephone_keeps_it_on_top(self, narrow_page: Any) -> None:
        panel = DesignPanel(narrow_page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        narrow_page.evaluate("() => scrollTo(0, 260)")
        narrow_page.wait_for_function("() => scrollY > 200")
        top = panel.map.bounding_box()["y"]
        assert 40 <= top < 80
        chip = panel.section.locator(".chip", has_text="fairness")
        box = chip.bounding_box()
        assert top + panel.map.bounding_box()["height"] < box["y"] < 844

    def test_steps_lead_to_another_matrix_and_none_where_motion_is_not_wanted(self, page: Any) -> None:
        steps = page.evaluate(STEPS, True)
        assert steps == sorted(steps)
        assert len(steps) > 3
        assert page.evaluate(STEPS, False) == [0, 1]
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(STEPS, True) == [0, 1]


class TestCurve:
    def test_it_is_the_formula_and_a_click_chooses_alpha(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.75", props="WH,CM", loss="L1", prior="binomial:1/3")
        page.wait_for_function(SETTLED_FORMULA)
        asked = {"n": 4, "loss": "L1", "prior": "binomial:1/3"}
        found = formula(properties="WH,CM", **asked)
        rows = panel.section.locator(".curve tbody tr").evaluate_all(ROWS)
        assert [row[1] for row in rows] == [text for _, text in found.lines]
        assert [row[0].split(" .. ")[0] for row in rows] == [end_text(piece.start, False) for piece in found.pieces]
        said = panel.section.locator(".curve [role=slider]").get_attribute("aria-valuetext")
        half = Fraction(1, 2)
        landmarks = {"GM": geometric(4, half), "EM": explicit_fair(4, half), "UM": uniform(4, half)}
        texts = [f"best {rounded_up(design(alpha=half, properties='WH,CM', **asked).score)}"]
        for name, form in landmarks.items():
            off = sum(chance(j) * abs(i - j) * form.fraction(i, j) for i in range(5) for j in range(5))
            texts.append(f"{name} {rounded_up(off)}")
        place = next(k for k, piece in enumerate(found.pieces) if piece.end.value >= 0.5)
        assert said == f"alpha 0.5: {'; '.join(texts)}; best = {found.lines[place][1]}"
        chart = panel.section.locator(".curve svg")
        box = chart.bounding_box()
        chart.click(position={"x": box["width"] / 2, "y": 60})
        page.wait_for_function("() => !location.hash.includes('alpha=0.75')")
        panel.settle()
        alpha = panel.field("alpha").input_value()
        assert 0.3 < float(alpha) < 0.8
        line = panel.section.locator(".curve .chart-mark line")
        assert abs(float(line.get_attribute("x1")) - box["width"] / 2) < 2

    def test_larger_groups_have_it_too_and_what_is_not_drawn_is_said(self, page: Any) -> None:
        panel = DesignPanel(page, n=40, epsilon="1", props="WH,CM", loss="L0")
        page.wait_for_function(SETTLED_CURVE)
        for width in (1280, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            names, tops, bottoms, are_within = zip(*page.evaluate(NAMED), strict=True)
            assert names == ("UM", "EM", "best", "GM")  # as their lines come to the end, from above
            assert all(top >= above for top, above in zip(tops[1:], bottoms, strict=False)), width
            assert all(are_within), width
        page.set_viewport_size({"width": 1280, "height": 900})
        rows = panel.section.locator(".curve tbody tr").evaluate_all(ROWS)
        assert rows[9][1] == rounded_up(design(n=40, alpha=CURVE[9], properties="WH,CM").score)
        panel.section.locator(".thumbnail:enabled", has_text="Worst case").wait_for()
        facts = panel.section.locator(".fact-line").inner_text()
        wrong = 1 - np.trace(design(n=40, epsilon=1, properties="WH,CM").mechanism.matrix()) / 41
        assert f"score 0.537883: wrong in {100 * wrong:.1f} %" in facts
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.post_data or ""))
        panel.fill("alpha", "0.5")
        panel.settle("alpha=0.5")
        assert [one for one in asked if '"panel":"design"' in one]
        assert not [one for one in asked if "design-plan" in one]  # it was quick before: no estimate comes first
        panel.fill("People in the group, n", "70")
        panel.settle("n=70")
        panel.section.get_by_text("Other mechanisms are drawn small for up to 64 people.").wait_for()
        assert panel.section.locator(".thumbnail:visible").count() == 0

    def test_where_nothing_has_the_properties_there_is_a_gap(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.3", props="WH:2", loss="L0")
        page.wait_for_function(SETTLED_FORMULA)
        assert panel.section.locator(".curve tbody td").all_text_contents()[-1] == "no mechanism"
        slider = panel.section.locator(".curve [role=slider]")
        slider.press("End")
        assert slider.get_attribute("aria-valuetext") == (
            "alpha 0.98: best none; GM 0.989899; EM 0.993895; UM 1; best = no mechanism"
        )


def chance(j: int) -> Fraction:
    """The chance of j among 4 people who say yes with 1/3."""
    return comb(4, j) * Fraction(1, 3) ** j * Fraction(2, 3) ** (4 - j)


class TestThumbnails:
    def test_six_lead_to_designs_and_formulas(self, page: Any) -> None:
        panel = DesignPanel(page, n=4, alpha="0.75", props="WH,CM", loss="L1")
        thumbs = panel.section.locator(".thumbnail")
        thumbs.filter(has_text="Worst case").and_(page.locator(":enabled")).wait_for()
        assert thumbs.all_inner_texts() == ["Geometric", "Uniform", "Without rules", "Honest", "Fair", "Worst case"]
        assert panel.section.locator(".thumbnail[aria-current]").all_inner_texts() == ["Honest"]
        pictures = thumbs.locator("canvas").evaluate_all("all => all.map((one) => one.toDataURL())")
        assert len(set(pictures)) == 6
        thumbs.filter(has_text="Fair").click()
        panel.settle("props=F&loss=L1")
        thumbs.filter(has_text="Worst case").click()
        panel.settle("aggregate=worst")
        worst = design(n=4, alpha="0.75", properties="WH,CM", loss="L1", aggregate="worst")
        assert panel.exact_score == f"score = {worst.score}"
        thumbs.filter(has_text="Uniform").click()
        panel.section.get_by_role(
            "heading", name="Uniform mechanism, n = 4, alpha = 3/4: its formula, not your design"
        ).wait_for()
        assert not panel.section.locator(".seal").is_visible()
        panel.map.focus()
        page.keyboard.press("Enter")
        panel.read("Pr[output 0 | input 0] = 0.2 = 1/5")
        panel.section.get_by_role("button", name="Back to the design").click()
        panel.section.locator(".seal").wait_for()
        panel.read(re.compile(f"= {worst.mechanism.fraction(0, 0)}$"))


class TestPin:
    def test_it_takes_what_stands_in_the_fields_and_the_next_design_is_a_difference(
        self, page: Any, tmp_path: Path
    ) -> None:
        panel = DesignPanel(page, n=4, alpha="0.6", props="WH,CM", loss="L0")
        before = design(n=4, alpha="1/2", properties="WH,CM").mechanism.matrix()
        panel.field("alpha").fill("1/2")  # and no Enter
        panel.section.get_by_role("button", name="Pin").click()
        panel.section.get_by_text("Pinned: what you ask for next is drawn").wait_for()
        panel.fill("alpha", "0.9")
        panel.settle("alpha=0.9")
        after = design(n=4, alpha="0.9", properties="WH,CM").mechanism.matrix()
        panel.map.focus()
        page.keyboard.press("Enter")
        panel.read(f"; pinned {before[0, 0]:.6f}".rstrip("0"))
        far = np.abs(before - after).max()
        ends = panel.section.locator(".design-results .heat-key span").all_inner_texts()
        assert [float(end) for end in ends] == pytest.approx([-far, far], rel=5e-3)
        words = panel.section.get_by_text("Blue is more likely here, orange in the pinned design (n = 4, alpha = 0.5, ")
        assert rounded_up(design(n=4, alpha="1/2", properties="WH,CM").score) in words.inner_text()
        assert panel.section.locator(".heat-column .expected").count() == 1
        assert panel.section.get_by_role("heading", name="How far off").is_visible()
        assert serious_findings(page) == []
        panel.field("alpha").fill("0.7")
        document = saved_json(page, panel.section.locator("a[download='design.json']"), tmp_path)
        assert document["problem"]["alpha"] == "7/10"
        panel.fill("People in the group, n", "5")
        panel.settle("n=5")
        panel.section.get_by_text("has another size, so no difference is drawn.").wait_for()
        panel.section.get_by_role("button", name="Unpin").click()
        assert not panel.section.get_by_role("heading", name="How far off").is_visible()


class TestLaw:
    def test_the_page_draws_it_at_the_least_size(self, page: Any, tmp_path: Path) -> None:
        page.evaluate("() => { location.hash = 'panel=design&n=1000&alpha=0.75&props=WH,CM&loss=L0'; }")
        drawn = page.get_by_role("application", name="Heat map of the law")
        page.get_by_text("The picture is the law at n = 12.").wait_for()
        law = design_law(alpha="0.75", properties="WH,CM").at(12).matrix()
        button = page.locator(".law-results").get_by_role("button", name="Save this page")
        report = saved(page, button, tmp_path).read_text(encoding="utf-8")
        assert len(report) < 300_000
        assert "proved for</th><td>every n from 9 on" in report
        drawn.focus()
        page.locator(".law-results .heat-readout", has_text="Point at").wait_for()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        page.locator(".law-results .heat-readout", has_text=f"= {law[1, 0]:.6f}").wait_for()
        page.keyboard.press("End")
        page.locator(".law-results .heat-readout", has_text="| input 12] = ").wait_for()

    def test_the_slider_goes_to_a_million(self, page: Any) -> None:
        panel = DesignPanel(page, n=8, alpha="0.75", props="WH,CM", loss="L0")
        slider = panel.section.get_by_label("People, by a slider")
        slider.focus()
        for key, n in (("ArrowRight", "9"), ("End", "1000000"), ("Home", "1")):
            page.keyboard.press(key)
            page.wait_for_function("n => location.hash.includes(`n=${n}&`)", arg=n)
            assert panel.field("People in the group, n").input_value() == n
        panel.settle("n=1&")
        assert page.locator(".law-results").is_hidden()
