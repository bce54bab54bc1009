"""Every panel works at one press: people who were never born, results in view and said aloud, nothing spent."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from panels import open_panel, saved
from running_studio import running_studio
from watching import watched_page

from mechdesign_catalog import privatize

pytestmark = pytest.mark.slow
PEOPLE = "Try it with 3,000 invented people"
PRESSES = {
    "check": (
        "Try it with an example",
        "To its digits the file fits alpha-DP with alpha = 0.9.",
        "Done. The results are shown.",
    ),
    "noise": ("Try it with an example", "Delta is at most", "Done. The results are shown."),
    "workloads": ("Design and prove", "proved least", "Done. The results are shown."),
    "marginals": (PEOPLE, "3,000 reports about 3 attributes", "Simulated in"),
    "ranges": (PEOPLE, "3,000 reports.", "Simulated in"),
    "collect": (PEOPLE, "3,000 reports.", "Estimated in"),
    "data": ("Compare mechanisms", "Least often wrong on these data", "Done. The results are shown."),
}
IN_VIEW = """text => [...document.querySelectorAll("section.panel:not([hidden]) p")]
  .filter((one) => one.textContent.includes(text) && one.checkVisibility())
  .some((one) => { const { top, bottom } = one.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })"""


@pytest.mark.parametrize("name", PRESSES)
def test_one_press_brings_results_into_view_on_a_telephone(narrow_page: Any, name: str) -> None:
    narrow_page.emulate_media(reduced_motion="reduce")
    button, text, said = PRESSES[name]
    panel = open_panel(narrow_page, name)
    panel.get_by_role("button", name=button).click()
    panel.get_by_text(text).first.wait_for()
    panel.locator(".message-text[role=status]", has_text=said).first.wait_for()
    narrow_page.wait_for_function(IN_VIEW, arg=text, timeout=5_000)
    assert overflow(narrow_page) == 0
    assert serious_findings(narrow_page) == []


def test_estimates_from_invented_people_say_so_until_others_are_given(page: Any, tmp_path: Path) -> None:
    panel = open_panel(page, "collect")
    panel.get_by_role("button", name=PEOPLE).click()
    mark = panel.get_by_text("SIMULATION: a seed made these reports")
    mark.wait_for()
    links = panel.locator(".simulated").get_by_role("link").all_inner_texts()
    assert len(links) == 4
    assert all(text.startswith("SIMULATION-") for text in links)
    privatize([10, 20, 60] * 300, "hh:b=4", epsilon=3, bins="0:100:10").save(tmp_path / "real.parquet")
    open_panel(page, "start")
    page.reload()
    panel = open_panel(page, "collect")
    panel.get_by_label("Reports: a Parquet file").set_input_files(tmp_path / "real.parquet")
    panel.get_by_role("button", name="Estimate", exact=True).and_(page.locator(":enabled")).click()
    panel.get_by_text("900 reports.").wait_for()
    assert not mark.is_visible()
    assert panel.get_by_role("link", name="sums.state").inner_text().startswith("sums.state")


def test_a_release_is_tried_in_a_folder_of_its_own(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "releases").mkdir()
    with running_studio(tmp_path, "--release-folder", tmp_path / "releases") as studio:
        pages = watched_page(browser, studio, [])
        page = next(pages)
        panel = open_panel(page, "release")
        panel.get_by_role("button", name=PEOPLE).click()
        trial = panel.locator(".simulated")
        trial.get_by_role("table", name="Released counts").wait_for()
        assert trial.locator(".counts-chart").is_visible()
        assert "95 % interval, this area" in trial.get_by_role("table", name="Released counts").inner_text()
        assert "one would say: In all 75 areas about" in trial.locator("code").first.inner_text()
        assert trial.get_by_role("table", name="Estimated totals").is_visible()
        assert panel.get_by_role("heading", name="SIMULATION, no release").is_visible()
        output = saved(page, panel.get_by_role("link", name="SIMULATION-released.csv"), tmp_path)
        rows = list(csv.DictReader(output.read_text().splitlines()))
        assert len(rows) == 75
        assert {row["size"] for row in rows} == {"40"}
        assert [row["area"] for row in rows] == [f"area {at:02} SIMULATION" for at in range(1, 76)]
        record = json.loads(saved(page, panel.get_by_role("link", name="SIMULATION-record.json"), tmp_path).read_text())
        assert record["simulation"] is True
        assert "SIMULATION" in record["statement"]
        assert list((tmp_path / "releases").iterdir()) == []
        assert panel.get_by_text("Choose a file.").is_visible()
        assert panel.get_by_role("button", name="Read the file and name the price").is_disabled()
        assert not panel.get_by_text("invented-people.csv").is_visible()
        assert serious_findings(page) == []
        assert next(pages, None) is None
