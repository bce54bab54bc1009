"""The panel of noise tables: a design with its proof and its curve and ptable's, a mistake, another file."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from command_line import make_runner
from panels import THEMES, open_panel, saved

pytestmark = pytest.mark.slow
POINTS = "30 exact points as a table"
EXAMPLE = "Try it with an example"
DRAWN = """frame => {
  const points = frame.querySelector(".chart-line.main").getAttribute("d").match(/[0-9.]+ [0-9.]+/g);
  const [circle] = frame.querySelectorAll("circle");
  const line = points.map((one) => one.split(" ").map(Number));
  return { line, mark: [circle.cx.baseVal.value, circle.cy.baseVal.value] };
}"""
STARTS = ("all counts", "counts >= 1", "large counts")


@pytest.fixture
def mechdesign(capsys: Any) -> Any:
    return make_runner(capsys)


def designed(page: Any) -> Any:
    """The panel with the example and ptable's table beside it."""
    panel = open_panel(page, "noise")
    panel.get_by_role("button", name=EXAMPLE).click()
    panel.get_by_text("ptable's table: most entropy for the same D, V and js").wait_for()
    return panel


def law(document: Any, count: int) -> dict[int, Fraction]:
    """How a count is published, from the weights of a document."""
    row = document["rows"][min(count, len(document["rows"]) - 1)]
    return {count + noise: Fraction(int(weight), int(document["denominator"])) for noise, weight in row}


def delta(document: Any, epsilon: float, first: int) -> float:
    """The largest sum of p - e^epsilon q over neighbours, by its definition."""
    ratio, last = math.exp(epsilon), len(document["rows"]) - 1
    pairs = [(law(document, count), law(document, count + 1)) for count in range(first, last + 1)]
    return max(
        sum(max(0.0, float(p) - ratio * float(b.get(result, 0))) for result, p in a.items())
        for pair in pairs
        for a, b in (pair, pair[::-1])
    )


def curve_on_screen(panel: Any) -> dict[str, dict[str, float]]:
    """The deltas of the table below the curves: by the head of the column, then by epsilon."""
    table = panel.get_by_role("region", name="Delta at each epsilon")
    if not table.is_visible():
        panel.get_by_text(POINTS).click()
    heads = table.locator("thead th").all_inner_texts()[1:]
    rows = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
    return {head: {row[0]: float(row[at + 1]) for row in rows} for at, head in enumerate(heads)}


def test_a_design_is_shown_as_its_document_has_it(page: Any, tmp_path: Path) -> None:
    panel = designed(page)
    document = json.loads(saved(page, panel.get_by_role("link", name="noise-table.json"), tmp_path).read_text())
    verdict = panel.locator(".verdict").inner_text()
    assert verdict.startswith(
        "Delta is at most 0.02 at epsilon 1 for counts >= 1; 0.006 at epsilon 1 for large counts."
    )
    entropy = -sum(
        float(share) * math.log2(share) for count in range(9) for share in law(document, count).values() if share
    )
    shown = re.search("Its entropy is ([0-9.]+) bits", verdict)
    assert shown is not None
    assert -1e-9 <= entropy - float(shown[1]) <= 1e-4
    assert panel.locator(".seal").inner_text().startswith("All 17 claims are true.")
    facts = panel.locator(".fact-line").inner_text()
    assert "1, 2 never occur" in facts
    seen = curve_on_screen(panel)
    assert set(seen) == {f"{table}: {start}" for table in ("this table", "ptable's table") for start in STARTS}
    for first, start in zip((0, 1, 8), STARTS, strict=True):
        assert len(seen[f"this table: {start}"]) == 30
        for epsilon, shown in seen[f"this table: {start}"].items():
            true = delta(document, float(epsilon), first)
            assert -1e-9 <= shown - true <= 1.001e-3 * true, (start, epsilon)
    assert seen["ptable's table: counts >= 1"]["1"] == 0.05449  # in the how-to, of ptable itself
    assert seen["ptable's table: large counts"]["1"] == 0.01727
    text = saved(page, panel.get_by_role("link", name="noise-table.csv"), tmp_path).read_text()
    assert text.startswith("i;j;p;v;p_int_ub\n")


def test_curves_and_rows_are_read_by_keyboard(page: Any, tmp_path: Path) -> None:
    panel = designed(page)
    document = json.loads(saved(page, panel.get_by_role("link", name="noise-table.json"), tmp_path).read_text())
    curve = panel.get_by_role("slider", name="Delta against epsilon, counts >= 1")
    assert curve.get_attribute("aria-valuetext") == "epsilon 1: 0.02 this table; 0.05449 ptable's table"
    curve.focus()
    page.keyboard.press("ArrowRight")
    assert str(curve.get_attribute("aria-valuetext")).startswith("epsilon 1.1: 0.02 this table; ")
    assert {"0.001", "0.01", "0.1", "1"} <= set(curve.locator(".plot-axes text").all_text_contents())
    drawn = curve.evaluate(DRAWN)
    line = drawn["line"]
    assert len(line) == 30
    assert drawn["mark"] == pytest.approx(line[9], abs=0.1)
    heights = [math.log10(delta(document, epsilon, 1)) for epsilon in (0.1, 1)]
    floor = float(curve.locator(".plot-grid").first.get_attribute("y1"))
    per_decade = (floor - float(curve.locator(".plot-grid").last.get_attribute("y1"))) / 3
    assert [(floor - line[at][1]) / per_decade - 3 for at in (0, 9)] == pytest.approx(heights, abs=0.01)
    count = panel.get_by_label("True count")
    count.focus()
    for true in (4, 5):
        page.keyboard.press("ArrowRight")
        bars = panel.get_by_role("slider", name=f"How a true {true} is published")
        chance = float(law(document, true)[true])
        assert str(bars.get_attribute("aria-valuetext")).startswith(f"published {true}: chance {chance:.3g}, ptable's")
    page.keyboard.press("End")
    assert panel.get_by_role("slider", name="How a true 8 or more is published").is_visible()
    panel.get_by_text("As a table", exact=True).click()
    exact = panel.get_by_role("region", name="Published, as a table").locator("tbody tr td:last-child")
    exact.first.wait_for()
    assert [Fraction(one) for one in exact.all_inner_texts()] == [law(document, 8).get(one, 0) for one in range(14)]


def test_code_says_what_was_run(page: Any) -> None:
    panel = designed(page)
    panel.get_by_text("Code", exact=True).click()
    lines = panel.get_by_role("region", name="Command line").inner_text().splitlines()
    assert [line.split(" --")[0] for line in lines] == [
        "mechdesign table design", "mechdesign check", "mechdesign table export",
    ]  # fmt: skip
    assert "--guarantee 1:0.02@1 --guarantee 1:0.006@large" in lines[0]
    python = panel.get_by_role("region", name="Python").inner_text()
    assert "guarantees=['1:0.02@1', '1:0.006@large']" in python
    assert "audit_curve('noise-table.json')" in python
    assert python.endswith(
        "# noise-table.csv is written by `mechdesign table export noise-table.json --for tau-argus` alone\n"
    )


def test_a_mistake_is_the_line_of_the_command(page: Any) -> None:
    panel = open_panel(page, "noise")
    complaint = panel.locator(".message.failed, .field-error").filter(visible=True)
    panel.get_by_role("button", name="Design and prove").click()
    complaint.filter(has_text="noise").wait_for()
    panel.get_by_label("Noise, D").fill("x")
    panel.get_by_label("Variance, V").fill("1")
    panel.get_by_label("Blocked, js").fill("2")
    panel.get_by_role("button", name="Design and prove").click()
    complaint.filter(has_text="noise must be a whole number, got x").wait_for()
    panel.get_by_label("Noise, D").fill("5")
    panel.get_by_label("Guarantees").fill("1:0.05")
    panel.get_by_role("button", name="Design and prove").click()
    complaint.filter(has_text="no noise table meets these demands together: --variance 1; --block 2").wait_for()
    assert not panel.locator(".verdict").is_visible()


def test_the_file_of_another_tool_is_drawn_beside(page: Any, tmp_path: Path, mechdesign: Any) -> None:
    plain, file = tmp_path / "plain.json", tmp_path / "p4.csv"
    demands = ("--noise", 4, "--variance", 2, "--shape", "left")
    assert mechdesign("table", "design", *demands, "--quiet", "--output", plain).code == 0
    assert mechdesign("table", "export", plain, "--for", "tau-argus", "--quiet", "--output", file).code == 0
    stated = json.loads(mechdesign("check", file, "--curve", "0.5,2", "--json").out)["curve"]
    panel = open_panel(page, "noise")
    place = panel.get_by_label("Another table instead of ptable's")
    place.set_input_files(file)
    panel.get_by_role("heading", name="Privacy curve: delta at epsilon").wait_for()
    seen = curve_on_screen(panel)
    words = dict(zip((0, 1, "large"), STARTS, strict=True))
    for point in stated:
        shown = seen[f"p4.csv: {words[point['start']]}"][point["epsilon"]]
        assert 0 <= shown - point["delta"]["value"] <= 1.001e-3 * shown
    panel.get_by_role("button", name=EXAMPLE).click()
    panel.get_by_text("no table that meets these demands has more by more than").wait_for()
    assert panel.locator(".plot-legend").first.locator("li").all_inner_texts() == ["this table", "p4.csv"]
    assert panel.locator(".stale").count() == 0
    panel.get_by_label("Variance, V").fill("4")
    panel.get_by_label("Variance, V").press("Enter")
    assert panel.locator(".stale").count() == 1
    (tmp_path / "matrix.csv").write_text("0.5,0.25\n0.5,0.75\n")
    place.set_input_files(tmp_path / "matrix.csv")
    panel.get_by_text("matrix.csv: it must be a noise table, got a matrix").wait_for()
    panel.get_by_role("button", name="Remove").click()
    panel.get_by_text("ptable's table: most entropy").wait_for()


def test_everything_on_screen_of_a_telephone(narrow_page: Any) -> None:
    panel = designed(narrow_page)
    panel.locator(".seal").click()
    panel.get_by_text(POINTS).click()
    panel.get_by_text("As a table", exact=True).click()
    for theme in THEMES:
        narrow_page.emulate_media(color_scheme=theme)
        assert serious_findings(narrow_page) == []
    narrow_page.set_viewport_size({"width": 320, "height": 640})
    assert overflow(narrow_page) == 0
