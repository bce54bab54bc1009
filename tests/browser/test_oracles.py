"""The panel of local oracles: rated for a question, best first, one chosen to collect with, the table to keep."""

import csv
import re
from typing import Any

import pytest
from panels import open_panel, saved

from mechdesign.documents.workloads import parse_workload
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.comparisons.workload_survey import survey_workload


def verdict(panel: Any, best: str) -> Any:
    """The sentence, once it names this oracle as the best, for the question that stands in the fields."""
    return panel.locator(":not(.stale) > .verdict", has_text=f"Best: {best},")


@pytest.mark.slow
def test_oracles_are_rated_best_first_and_kept_as_a_table(page: Any, tmp_path: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Items, k").fill("4")
    panel.get_by_label("Users, n").fill("60000")
    panel.get_by_label("Users, n").press("Enter")
    verdict(panel, "grr").wait_for()
    expected = survey_oracles(4, Privacy(epsilon="1"), 60_000)
    bars = panel.locator("table.bars tbody th").all_inner_texts()
    assert bars == [standing.name for standing in expected]
    errors = panel.locator("table.bars .bar-text").all_inner_texts()
    assert errors[0].startswith(f"{100 * expected[0].standard_error:.2f} %")
    table = panel.get_by_role("region", name="All oracles; choose one to collect with it")
    headers = table.locator("thead th:visible").all_inner_texts()
    assert headers == ["Oracle", "Standard error", "In users", "Bits"]  # nothing is said of answers, or of liars
    rows = list(
        csv.DictReader(saved(page, panel.get_by_role("link", name="oracles.csv"), tmp_path).read_text().splitlines())
    )
    assert [(row["oracle"], float(row["variance"])) for row in rows] == [(s.name, s.variance) for s in expected]


@pytest.mark.slow
def test_questions_about_ranges_and_tables(page: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Question").select_option(label="Ranges of items in order")
    panel.get_by_label("Items, k").fill("64")
    panel.get_by_label("Items, k").press("Enter")
    verdict(panel, "blocks").wait_for()
    expected = survey_workload(parse_workload("ranges", 64), Privacy(epsilon="1"), 10_000)
    assert panel.get_by_text("has an average variance below").is_visible()
    row = panel.get_by_role("row", name=re.compile(f"^{expected[0].name} "))
    shown = row.filter(visible=True).last.inner_text()
    assert f"{expected[0].times_bound:.3f}".rstrip("0") in shown
    panel.get_by_label("Question").select_option("grid")
    panel.get_by_label("Queries of rows").select_option("circular:")
    verdict(panel, "blocks2:sides=8x8:levels=circular-ranges").wait_for()
    panel.get_by_label("Question").select_option(label="Tables of several attributes")
    panel.get_by_label("Items of each attribute").fill("2, 2, 7")
    panel.get_by_label("Items of each attribute").press("Enter")
    verdict(panel, "calm:k=2:size=2").wait_for()
    assert not panel.get_by_label("Items, k").is_visible()


@pytest.mark.slow
def test_a_chosen_oracle_goes_to_the_panel_that_collects(page: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Question").select_option(label="Prefixes: the distribution function")
    panel.get_by_label("Epsilon").fill("0.5")
    panel.get_by_label("Epsilon").press("Enter")
    panel.get_by_role("button", name="haar", exact=True).click()
    ranges = page.locator("#panel-ranges")
    ranges.wait_for(state="visible")
    assert ranges.get_by_label("Oracle").input_value() == "haar"
    assert ranges.get_by_label("Epsilon").input_value() == "0.5"


@pytest.mark.slow
def test_a_mistake_is_one_line(page: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Epsilon").fill("-1")
    panel.get_by_label("Epsilon").press("Enter")
    complaint = panel.locator(".field-error", has_text="epsilon must be")
    complaint.wait_for()
    assert "\n" not in complaint.inner_text()


@pytest.mark.slow
def test_liars_and_what_a_server_needs(page: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Users, n").fill("1000000000")
    panel.get_by_label("Fraction of liars").fill("0.01")
    panel.get_by_label("Fraction of liars").press("Enter")
    expected = survey_oracles(24, Privacy(epsilon="1"), 10**9, liars=0.01)
    least = min(expected, key=lambda standing: standing.entry()["worst_bias"])
    said = panel.get_by_text("of their choice, they move an item's share least with")
    said.wait_for()
    assert f"{least.name}: by up to {100 * least.entry()['worst_bias']:.2f} %." in said.inner_text()
    worst = panel.get_by_role("row", name="grr").locator("td:visible").all_inner_texts()
    grr = next(standing for standing in expected if standing.name == "grr")
    assert f"{100 * grr.entry()['worst_bias']:.2f} %" in worst
    panel.get_by_text("What a server needs").click()
    assert panel.get_by_text("A plan on paper, by constants of").is_visible()
    plan = panel.get_by_role("region", name="To receive and add up all reports").locator("tbody tr")
    quickest = min(expected, key=lambda standing: standing.plan.seconds)
    assert plan.first.locator("th").inner_text() == quickest.name
    assert plan.first.locator("td").first.inner_text() == f"{quickest.plan.sent_bytes / 10**9:.3g} GB"
    panel.get_by_label("Question").select_option(label="Prefixes: the distribution function")
    verdict(panel, "hh:b=2:in=ss-hrr:levels=prefixes").or_(panel.locator(".verdict", has_text="haar")).first.wait_for()
    said.wait_for(state="hidden")
    panel.get_by_text("of their choice, they move an answer least with").wait_for()
    assert not panel.get_by_text("What a server needs").is_visible()
