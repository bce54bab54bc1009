"""The panel of local designs: a certified design for queries, its facts, its reports, and files to keep."""

import json
import re
from typing import Any

import pytest
from panels import open_panel, saved

from mechdesign import read_design
from mechdesign_catalog.decoders.estimate import COLUMNS

COLOURS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 4).join())).size;
}"""

NAMES = ({"item": "a"}, {"attributes": "0, 1", "cell": "no, yes"}, {"first": "a", "last": "c"})
NUMBERS = [column for column in COLUMNS if column not in ("confidence", "post")]


@pytest.mark.slow
def test_a_design_is_shown_with_its_proof_and_its_reports(page: Any, tmp_path: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Items, k").fill("5")
    panel.get_by_role("button", name="Design and prove").click()
    panel.locator(".verdict", has_text="proved least").wait_for()
    document = json.loads(
        saved(page, panel.get_by_role("link", name="design.json"), tmp_path).read_text(encoding="utf-8")
    )
    assert document["format"] == "mechdesign-workload/2"
    upper = document["variance"]["upper"]["value"]
    assert 0 <= float(panel.locator(".verdict strong").inner_text()) - upper <= 1e-5 * upper
    assert panel.locator("table.bars tbody tr").count() > 3
    shown = panel.get_by_role("region", name="The likeliest reports").locator("tbody tr")
    shown.first.wait_for()
    assert {row.inner_text() for row in panel.locator("code.bits").all()} <= set(document["rows"])
    picture = panel.locator(".rows-canvas")
    assert picture.is_visible()
    assert picture.evaluate(COLOURS) == 2
    assert panel.locator(".stale").count() == 0
    page_of_it = saved(page, panel.get_by_role("button", name="Save this page"), tmp_path).read_text(encoding="utf-8")
    assert len(page_of_it) < 300_000
    assert "default-src 'none'; style-src" in page_of_it
    assert "prefixes" in page_of_it
    panel.get_by_label("Items, k").fill("6")
    panel.get_by_label("Items, k").press("Enter")
    assert panel.locator(".stale").count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("workload", ["prefixes", "ranges"])
def test_levels_are_drawn_as_their_document_has_them(page: Any, tmp_path: Any, workload: str) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Queries", exact=True).select_option(workload)
    panel.get_by_label("Items, k").fill("96")
    panel.get_by_role("button", name="Design and prove").click()
    shown = panel.get_by_role("region", name="The levels").locator("tbody tr")
    shown.first.wait_for()
    path = saved(page, panel.get_by_role("link", name="design.json"), tmp_path)
    levels = read_design(path).mechanism.levels
    total = sum(level.weight for level in levels)
    whole = panel.get_by_role("button", name=f"All {min(40, len(levels))} rows")
    if len(levels) > 12:
        whole.click()
    assert not whole.is_visible()
    shares = [float(row.split()[-2]) for row in shown.all_inner_texts()]
    assert shares == pytest.approx([100 * level.weight / total for level in levels[:40]], abs=0.006)
    assert panel.locator(".rows-canvas").evaluate(COLOURS) == 2


@pytest.mark.slow
def test_what_was_measured_is_not_said_to_be_proved(page: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Items, k").fill("1100")
    panel.get_by_role("button", name="Design and prove").click()
    verdict = panel.locator(".verdict", has_text="was measured and is not proved")
    verdict.wait_for()
    assert "proved least" not in verdict.inner_text()


@pytest.mark.slow
def test_queries_of_a_file_and_the_worst_item(page: Any, tmp_path: Any) -> None:
    queries = tmp_path / "queries.csv"
    queries.write_text("1,1,0,0\n0,1,1,0\n", encoding="utf-8")
    panel = open_panel(page, "workloads")
    panel.get_by_label("Queries", exact=True).select_option(label="Queries of my own, a CSV file of weights")
    panel.get_by_label("Items, k").fill("4")
    assert panel.get_by_role("button", name="Design and prove").is_disabled()
    panel.get_by_label("Queries: a CSV file without header").set_input_files(queries)
    panel.get_by_label("Least variance for").select_option("worst")
    panel.get_by_role("button", name="Design and prove").click()
    panel.locator(".verdict", has_text="proved least").wait_for()


@pytest.mark.slow
def test_a_mistake_is_one_line(page: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_text("How far to go").click()
    panel.get_by_label("Stop at a gap of").fill("2")
    panel.get_by_role("button", name="Design and prove").click()
    complaint = panel.locator(".field-error", has_text="gap")
    complaint.wait_for()
    assert "\n" not in complaint.inner_text()


@pytest.mark.slow
def test_a_gap_that_stays_wide_shows_both_bounds_and_the_files(page: Any, tmp_path: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Items, k").fill("4")
    panel.get_by_text("How far to go").click()
    panel.get_by_label("Stop at a gap of").fill("1e-16")
    panel.get_by_role("button", name="Design and prove").click()
    verdict = panel.locator(".verdict", has_text="is wider than asked")
    verdict.wait_for()
    path = saved(page, panel.get_by_role("link", name="design.json"), tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    bounds = [float(text.rstrip(".")) for text in re.findall(r"[0-9]+\.[0-9]+", verdict.inner_text())[:2]]
    upper, lower = (document["variance"][side]["value"] for side in ("upper", "lower"))
    assert upper <= bounds[0] <= upper + 1e-4
    assert lower - 1e-4 <= bounds[1] <= lower
    panel.get_by_text("Code", exact=True).click()
    assert "gap=1e-16" in panel.get_by_role("region", name="Python").inner_text()
    panel.get_by_role("button", name="Go on from this design").click()
    panel.get_by_role("region", name="Command line").get_by_text("--start begun.json").wait_for()
    check = open_panel(page, "check")
    check.get_by_label("alpha", exact=True).fill("0.9")  # claimed of matrices: it does not go with this file
    check.locator("input[type=file]").first.set_input_files(path)
    check.get_by_text("claims are true.").wait_for()
    assert not check.get_by_role("button", name="Repair").is_visible()
    document["weights"][0] = str(int(document["weights"][0]) + 1)
    tampered = tmp_path / "tampered.json"
    tampered.write_text(json.dumps(document))
    check.locator("input[type=file]").first.set_input_files(tampered)
    check.locator(".message.failed", has_text="FALSE: ").wait_for()


@pytest.mark.slow
def test_from_the_list_of_oracles_to_a_design_and_to_answers(page: Any, tmp_path: Any) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("city\n" + "a\nb\nc\n" * 200, encoding="utf-8")
    oracles = open_panel(page, "oracles")
    oracles.get_by_label("Question").select_option(label="Prefixes: the distribution function")
    oracles.get_by_label("Items, k").fill("3")
    oracles.get_by_label("Epsilon").fill("2")
    oracles.get_by_label("Epsilon").press("Enter")
    oracles.get_by_text("A design for these queries may cut").wait_for()
    oracles.get_by_role("button", name="Design for these queries").click()
    panel = page.locator("#panel-workloads")
    assert panel.get_by_label("Items, k").input_value() == "3"
    assert panel.get_by_label("Epsilon").input_value() == "2"
    panel.get_by_role("button", name="Design and prove").click()
    panel.get_by_role("button", name="Collect with this design").click()
    collect = page.locator("#panel-collect")
    collect.get_by_text("For prefixes, on 3 items: epsilon = 2.").wait_for()
    collect.get_by_label("Answers: a CSV file").set_input_files(answers)
    collect.get_by_label("Public list of all items").fill("a\nb\nc")
    collect.get_by_role("button", name="Make reports: spends epsilon = 2 of each person").click()
    collect.get_by_role("button", name="Estimate from these reports").click()
    told = collect.get_by_role("region", name="Answer to each query").locator("tbody tr")
    told.first.wait_for()
    assert told.locator("th").all_inner_texts() == ["a to a", "a to b", "a to c"]
    assert "600 reports, designed for prefixes: 3 answers" in collect.inner_text()


def test_queries_are_named_by_their_texts_and_not_by_their_numbers(page: Any) -> None:
    export = "\nexport { module_workloads_queries_view };"  # which no other file takes

    def with_export(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text() + export)

    page.route("**/page/js/panels/collect.js", with_export)
    shown = page.evaluate(
        """async queries => {
          const { module_workloads_queries_view: module } = await import("/page/js/panels/collect.js");
          const view = module.queriesView();
          view.show({ document: { users: 9, workload: "own", items: [], queries } });
          return Array.from(view.element.querySelectorAll("tbody th"), (cell) => cell.textContent);
        }""",
        [{**names, **dict.fromkeys(NUMBERS, 0.5)} for names in NAMES],
    )
    assert shown == ["a", "0, 1, no, yes", "a to c"]
