"""The panel of local designs: a certified design for queries, its facts, its reports, and files to keep."""

import json
from typing import Any

import pytest
from panels import open_panel, saved


@pytest.mark.slow
def test_a_design_is_shown_with_its_proof_and_its_reports(page: Any, tmp_path: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Items, k").fill("5")
    panel.get_by_role("button", name="Design and prove").click()
    panel.locator(".verdict", has_text="proved least").wait_for()
    document = json.loads(
        saved(page, panel.get_by_role("link", name="design.json"), tmp_path).read_text(encoding="utf-8")
    )
    assert document["format"] == "mechdesign-workload/1"
    assert f"{document['variance']['upper']['value']:.4g}" in panel.locator(".verdict").inner_text()
    assert panel.locator("table.bars tbody tr").count() > 3
    shown = panel.get_by_role("region", name="The likeliest reports").locator("tbody tr")
    shown.first.wait_for()
    assert {row.inner_text() for row in panel.locator("code.bits").all()} <= set(document["rows"])


@pytest.mark.slow
def test_queries_of_a_file_and_the_worst_item(page: Any, tmp_path: Any) -> None:
    queries = tmp_path / "queries.csv"
    queries.write_text("1,1,0,0\n0,1,1,0\n", encoding="utf-8")
    panel = open_panel(page, "workloads")
    panel.get_by_label("Queries", exact=True).select_option(label="Queries of my own, a CSV file of weights")
    panel.get_by_label("Items, k").fill("4")
    assert panel.get_by_role("button", name="Design and prove").is_disabled()
    panel.get_by_label("Queries: a CSV file without header").set_input_files(queries)
    panel.get_by_label("Least variance for").select_option(label="the worst item")
    panel.get_by_role("button", name="Design and prove").click()
    panel.locator(".verdict", has_text="proved least").wait_for()


@pytest.mark.slow
def test_a_mistake_is_one_line(page: Any) -> None:
    panel = open_panel(page, "workloads")
    panel.get_by_label("Stop at a gap of").fill("2")
    panel.get_by_role("button", name="Design and prove").click()
    complaint = panel.locator(".message.failed", has_text="gap")
    complaint.wait_for()
    assert "\n" not in complaint.inner_text()
