"""The panel of prices: a lattice of links, a table of scores, a job that can be ended, and files."""

import csv
import itertools
from fractions import Fraction
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from panels import THEMES, open_panel, saved, saved_json

from mechdesign import formula
from mechdesign.formulas.landscape import formula_landscape
from mechdesign.formulas.texts import end_text
from mechdesign.problem.privacy import rounded_up
from mechdesign_cli.app import run

pytestmark = pytest.mark.slow

SLOW = {"n": 32, "alpha": "0.99", "loss": "L1", "aggregate": "worst"}
"""Takes some seconds, so that there is time to end it."""


def lattice_of(page: Any, **design: object) -> Any:
    panel = open_panel(page, "prices", **design)
    panel.locator(".lattice-node").first.wait_for(state="visible")
    return panel


def test_the_lattice_prices_every_set_of_properties(page: Any) -> None:
    panel = lattice_of(page, n=8, alpha="0.9", props="WH,CM", loss="L0")
    nodes = panel.locator(".lattice-node")
    assert nodes.count() == 18
    words = [nodes.nth(at).get_attribute("aria-label") for at in range(18)]
    assert words[0] == "no properties: score 0.947369 (GM), at no price"
    here = [text for text in words if text.endswith("; designed now")]
    assert [text.partition(":")[0] for text in here] == ["CM"]  # WH is implied
    assert "score 0.965512 (WM), 0.0181 above the least (1.92% more)" in here[0]
    rows = panel.locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == ["1", "2", "3", "4"]
    assert [row.split("\t")[-1] for row in rows] == ["18/19", "227147/236196", "114025/118098", "278559/287608"]


def test_colours_and_order_follow_the_price(page: Any) -> None:
    panel = lattice_of(page, n=8, alpha="0.9", props="none", loss="L0")
    nodes = panel.locator(".lattice-node").evaluate_all(
        """nodes => nodes.map((node) => {
          const box = node.querySelector(".lattice-box");
          const score = Number(node.querySelector(".lattice-score").textContent);
          const price = parseFloat(box.style.getPropertyValue("--price"));
          return [box.y.baseVal.value, box.x.baseVal.value, score, price, getComputedStyle(box).fill];
        })"""
    )
    least, most = min(node[2] for node in nodes), max(node[2] for node in nodes)
    for _, _, score, share, _ in nodes:
        assert share == pytest.approx(100 * (score - least) / (most - least), abs=0.51)
    assert len({fill for *_, fill in nodes}) == 4
    for _, row in itertools.groupby(sorted(nodes), key=lambda node: node[0]):
        scores = [score for _, _, score, _, _ in row]
        assert scores == sorted(scores)


def test_a_node_that_is_looked_at_shows_its_mechanism(page: Any) -> None:
    panel = lattice_of(page, n=4, alpha="0.9", props="none", loss="L0")
    tip = panel.locator(".lattice-tip")
    assert not tip.is_visible()
    panel.locator(".lattice-node", has_text="CM,F").first.focus()
    tip.wait_for()
    panel.locator(".lattice-node", has_text="RM").first.hover()
    page.keyboard.press("Tab")
    tip.wait_for()


def test_the_lattice_is_whole_on_a_telephone(narrow_page: Any) -> None:
    panel = lattice_of(narrow_page, n=4, alpha="0.7", prior="binomial:1/5", props="S")
    box = panel.locator(".lattice").bounding_box()
    boxes = [node.bounding_box() for node in panel.locator(".lattice-box").all()]
    assert len(boxes) == 36
    assert all(box["x"] <= one["x"] and one["x"] + one["width"] <= box["x"] + box["width"] for one in boxes)
    assert all(one["height"] >= 40 and one["width"] >= 60 for one in boxes)
    corners = {(round(one["x"]), round(one["y"])) for one in boxes}
    assert len(corners) == 36


def test_a_click_loads_that_design_and_back_returns(page: Any) -> None:
    panel = lattice_of(page, n=6, alpha="0.8", props="none", loss="L1")
    link = panel.locator(".lattice-node", has_text="CM,F").first
    link.click()
    page.locator("#panel-design").wait_for(state="visible")
    hash_ = page.evaluate("() => location.hash")
    assert set(hash_.removeprefix("#").split("&")) >= {"panel=design", "n=6", "alpha=0.8", "props=CM,F", "loss=L1"}
    page.go_back()
    panel.wait_for(state="visible")


def test_the_lattice_is_walked_by_keyboard(page: Any) -> None:
    panel = lattice_of(page, n=4, alpha="0.9")
    node = panel.locator(".lattice-node", has_text="WH,RM").first
    node.focus()
    page.keyboard.press("Enter")
    page.locator("#panel-design").wait_for(state="visible")
    assert "props=WH,RM" in page.evaluate("() => location.hash")


def test_where_symmetry_costs_it_is_among_the_properties(page: Any) -> None:
    panel = lattice_of(page, n=4, alpha="0.7", prior="binomial:1/5", props="S")
    assert panel.locator(".lattice-node").count() == 36
    assert panel.locator(".lattice-node.here .lattice-name").text_content() == "S"
    lines = panel.locator(".lattice-lines line").count()
    subsets = closed_subsets_with_symmetry()
    covers = [(a, b) for a in subsets for b in subsets if a < b and not any(a < c < b for c in subsets)]
    assert lines == len(covers)


def closed_subsets_with_symmetry() -> list[frozenset[str]]:
    """Sets that hold all that they imply, by the rules of the field, spelled out for this test."""
    every = [
        frozenset(s) for r in range(8) for s in itertools.combinations(("WH", "RH", "RM", "CH", "CM", "F", "S"), r)
    ]
    rules = [({"RM"}, "RH"), ({"CM"}, "CH"), ({"CH"}, "WH"), ({"F", "RH"}, "CH"), ({"F", "CH"}, "RH")]
    return [s for s in every if all(not given <= s or implied in s for given, implied in rules)]


def test_files_to_keep(page: Any, tmp_path: Any) -> None:
    panel = lattice_of(page, n=4, alpha="0.9", loss="L1")
    document = saved_json(page, panel.get_by_role("link", name="prices.json"), tmp_path)
    assert document["problem"]["n"] == 4
    rows = list(
        csv.DictReader(saved(page, panel.get_by_role("link", name="prices.csv"), tmp_path).read_text().splitlines())
    )
    assert len(rows) == 128
    assert Fraction(rows[0]["exact"]) == Fraction(document["classes"][0]["score"]["exact"])
    panel.get_by_role("button", name="Draw a picture to keep").click()
    assert saved(page, panel.get_by_role("link", name="prices.svg"), tmp_path).read_text().startswith("<?xml")
    assert saved(page, panel.get_by_role("link", name="prices.png"), tmp_path).read_bytes().startswith(b"\x89PNG")
    panel.get_by_text("Code", exact=True).click()
    assert (
        "mechdesign landscape --n 4 --alpha 0.9 --loss L1" in panel.locator(".code-disclosure code").first.inner_text()
    )


def test_progress_and_cancel(page: Any) -> None:
    panel = open_panel(page, "prices", **SLOW)
    panel.get_by_text("property subsets: ").wait_for(state="visible")
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled.").wait_for(state="visible")
    assert panel.locator(".lattice-node").count() == 0
    panel.get_by_label("People in a group, n").fill("4")
    panel.get_by_label("People in a group, n").press("Enter")
    panel.locator(".lattice-node").first.wait_for(state="visible")


class TestCurves:
    """The formulas of a set of properties and of none, below the lattice."""

    def test_the_set_that_is_looked_at_is_shown_at_every_alpha(self, page: Any) -> None:
        panel = lattice_of(page, n=4, alpha="0.6", loss="L1", props="RH")
        panel.get_by_text("The formula of RH: 5 pieces, proved").wait_for()
        told = panel.locator("section.card [role=status]")
        found = {name: formula(n=4, loss="L1", properties=name) for name in ("none", "RH", "WH,RM")}
        score, least = (found[name].score("3/5") for name in ("RH", "none"))
        price = f"{float(score - least):.3g} above the least ({float(100 * (score - least) / least):.2f}% more)"
        assert told.inner_text() == f"At alpha = 3/5, RH: score {rounded_up(score)}, {price}."
        assert table_of(panel) == list(found["RH"].lines)
        assert panel.locator("tr[aria-current] td").inner_text() == found["RH"].lines[1][1]
        panel.get_by_label("Properties to compare with none").select_option("WH,RM")
        panel.get_by_text("The formula of WH,RM: ").wait_for()
        assert table_of(panel) == list(found["WH,RM"].lines)
        slider = panel.get_by_role("slider", name="The least score of WH,RM and of no properties")
        for key, alpha in (("Home", "0.02"), ("End", "0.98")):
            slider.press(key)
            own, least = found["WH,RM"].score(alpha), found["none"].score(alpha)
            text = found["WH,RM"].lines[0 if key == "Home" else -1][1]
            said = slider.get_attribute("aria-valuetext")
            assert said.startswith(
                f"alpha {alpha}: WH,RM {rounded_up(own)}; none {rounded_up(least)}; WH,RM = {text}; "
            )
            assert said.endswith("at no price") == (own == least)
        panel.locator(".lattice-node").first.focus()
        panel.get_by_text("The formula of none: 4 pieces, proved").wait_for()
        assert panel.locator(".price-chart:visible").count() == 1

    def test_the_formula_for_groups_of_every_size_is_what_the_command_prints(self, page: Any, capsys: Any) -> None:
        panel = lattice_of(page, n=4, alpha="0.6", loss="L0", props="WH,CM")
        panel.get_by_text("The formula for groups of every size").click()
        printed = panel.locator(".law-facts")
        printed.get_by_text("least score: 2a / (a + 1) + g/n").wait_for()
        assert run(["formula", "--n", "any", "--props", "CM"]) == 0
        command = [" ".join(line.split()) for line in capsys.readouterr().out.strip().splitlines()]
        assert [" ".join(line.split()) for line in printed.inner_text().splitlines()] == command
        panel.get_by_label("Properties to compare with none").select_option("F")
        printed.get_by_text("EM is the best").wait_for()  # why there is none

    def test_breaks_and_crossings_are_those_of_the_formulas(self, page: Any) -> None:
        panel = lattice_of(page, n=4, alpha="0.6", loss="L1", props="RH")
        panel.get_by_text("alone it costs what").first.wait_for()
        chart = panel.locator(".price-chart").first
        ends = [piece.end.value for piece in formula(n=4, loss="L1", properties="RH").pieces[:-1]]
        left, right = (float(chart.locator(".plot-grid").first.get_attribute(end) or 0) for end in ("x1", "x2"))
        drawn = [float(one.get_attribute("x1") or 0) for one in chart.locator(".plot-break").all()]
        assert [(x - left) / (right - left) for x in drawn] == pytest.approx(ends)
        found = formula(n=4, loss="L1", properties="RH")
        high, low = (float(chart.locator(".plot-grid").nth(at).get_attribute("y1") or 0) for at in (1, 0))
        path = chart.locator(".chart-line.main").get_attribute("d")
        points = [tuple(map(float, point.split())) for point in path.replace("M", "L").split("L")[1:]]
        assert len(points) == 22 * len(found.pieces)
        for x, y in points[1:-1]:
            alpha = Fraction((x - left) / (right - left)).limit_denominator(10**6)
            assert (low - y) / (low - high) / 2 == pytest.approx(float(found.score(alpha)), abs=2e-3)  # a line each 1/2
        second = panel.locator(".price-chart").nth(1).locator(".plot-grid").first
        assert [float(second.get_attribute(end) or 0) for end in ("x1", "x2")] == [left, right]
        mine = frozenset({"RH"})
        meeting = [
            one for one in formula_landscape(n=4, loss="L1").crossings if any(mine in pair for pair in one.pairs)
        ]
        texts = panel.locator("ul.plain li").all_inner_texts()
        assert [text.partition(" alone ")[0] for text in texts] == [f"At {end_text(one.at)}" for one in meeting]
        assert "At 0.618034 (a^2 + a - 1) alone it costs what CH costs." in texts

    def test_a_click_chooses_alpha_and_the_formulas_stay(self, page: Any) -> None:
        panel = lattice_of(page, n=4, alpha="0.9", props="CM")
        panel.get_by_text("The formula of CM: ").wait_for()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.post_data or ""))
        chart = panel.locator(".price-chart").first
        chart.click(position={"x": chart.bounding_box()["width"] / 2, "y": 60})
        page.wait_for_function("() => !location.hash.includes('alpha=0.9')")
        panel.get_by_text("At alpha = ").filter(has_not_text="9/10").wait_for()
        assert panel.locator(".price-chart").first.is_visible()
        assert [one for one in asked if '"landscape"' in one]
        assert not [one for one in asked if '"formula"' in one]

    def test_as_wide_as_a_small_telephone_in_both_themes(self, narrow_page: Any) -> None:
        narrow_page.set_viewport_size({"width": 320, "height": 640})
        panel = lattice_of(narrow_page, n=4, alpha="0.9", loss="L2", props="RH,CH")
        panel.get_by_text("The formula of RH,CH: ").wait_for()
        for theme in THEMES:
            narrow_page.emulate_media(color_scheme=theme)
            assert serious_findings(narrow_page) == []
        assert overflow(narrow_page) == 0

    def test_where_a_formula_takes_too_long_one_line_says_so(self, page: Any) -> None:
        panel = lattice_of(page, n=17, alpha="0.9", props="CM")
        panel.get_by_text("beyond, mechdesign formula finds it.").wait_for()
        assert panel.locator(".price-chart:visible").count() == 0


def table_of(panel: Any) -> list[tuple[str, str]]:
    rows = panel.locator("section.card tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.children].map((one) => one.textContent))"
    )
    return [tuple(row) for row in rows]


def test_beyond_the_limit_the_command_line_is_named(page: Any) -> None:
    panel = open_panel(page, "prices", n=33)
    alert = panel.get_by_role("alert").filter(visible=True)
    alert.wait_for(state="visible")
    assert alert.inner_text() == "n must be at most 32 here, got 33; on the command line: mechdesign landscape"
