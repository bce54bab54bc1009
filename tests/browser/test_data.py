"""The panel Data: true counts, mechanisms side by side, and a simulation that never looks like a release."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import make_runner
from panels import open_panel, saved, saved_json

pytestmark = pytest.mark.slow

LOCAL = "What you choose here never leaves this machine"


def counted(page: Any, **design: object) -> Any:
    panel = open_panel(page, "data", **design)
    panel.get_by_role("heading", name="True counts").wait_for(state="visible")
    return panel


def own_file(panel: Any, path: Path) -> None:
    panel.locator("label.segment", has_text="Your own file").click()
    panel.locator("input[type=file]").set_input_files(path)


def test_from_a_data_set_to_a_comparison_to_keep(page: Any, tmp_path: Path, capsys: Any) -> None:
    panel = counted(page, n=8, alpha="0.9", props="WH,CM")
    assert LOCAL in panel.inner_text()
    assert "6,115 of n = 12" in panel.locator(".facts").first.inner_text()
    assert panel.get_by_text("so the design is made for 12 here").is_visible()
    field = panel.get_by_label("People in a group, n")
    assert (field.input_value(), field.is_disabled()) == ("12", True)
    panel.get_by_role("button", name="Compare mechanisms").click()
    panel.get_by_role("heading", name="Mechanisms side by side").wait_for(state="visible")
    document = saved_json(page, panel.get_by_role("link", name="comparison.json"), tmp_path)
    rows = {(row["mechanism"], row["metric"]): row for row in document["rows"]}
    assert {name for name, _ in rows} == {"design.json", "GM", "WM", "EM", "UM"}
    rate = rows["design.json", "error-rate"]
    panel.get_by_text("As a table").click()
    cells = [line.split("\t") for line in panel.locator("tbody tr").all_inner_texts()]
    ours = next(line for line in cells if line[1] == "this design" and line[0] == "share wrong")
    dots = panel.locator(".plot-box:has(.count-dot)")
    assert dots.count() == len({metric for _, metric in rows})
    heights = [float(dot.get_attribute("cy")) for dot in dots.first.locator("circle").all()]
    rates = sorted(row["expected"] for (_, metric), row in rows.items() if metric == "error-rate")
    steps = [(y - heights[0]) / (heights[-1] - heights[0]) for y in heights]
    assert steps == pytest.approx([(rate - rates[0]) / (rates[-1] - rates[0]) for rate in rates], abs=1e-6)
    assert (ours[2], ours[3]) == (f"{rate['expected']:.4f}", f"{rate['mean']:.4f}")
    least = min((row for (_, metric), row in rows.items() if metric == "error-rate"), key=lambda row: row["expected"])
    assert f"Least often wrong on these data: {least['mechanism']}" in panel.inner_text()
    path = saved(page, panel.get_by_role("link", name="design.json"), tmp_path)
    assert make_runner(capsys)("check", path, "--alpha", "0.9", "--props", "WH,CM").code == 0
    assert json.loads(path.read_text())["problem"]["n"] == 12


def test_a_simulation_says_that_it_is_none_and_is_estimated_from(page: Any, tmp_path: Path) -> None:
    panel = counted(page, alpha="0.7", props="WH,CM")
    panel.get_by_label("Seed of the simulations").fill("7")
    panel.get_by_role("button", name="Simulate one release").click()
    heading = panel.get_by_role("heading", name="A simulation, no release")
    heading.wait_for(state="visible")
    card = panel.locator(".simulated")
    banner = card.locator(".simulation-banner").inner_text()
    assert banner.startswith("SIMULATION, seed 7. Nothing was released and no privacy was spent.")
    assert "SIMULATION: groups by count" in card.locator("caption").inner_text()
    assert all("(simulated)" in text for text in card.locator("figcaption").all_inner_texts())
    assert "Downloads: the simulation (no release)" in card.inner_text()
    assert "Privacy statement" not in panel.inner_text()
    drawn = list(
        csv.DictReader(saved(page, card.get_by_role("link", name="simulated.csv"), tmp_path).read_text().splitlines())
    )
    assert set(drawn[0]) == {"true", "simulated"}
    cells = [line.split("\t") for line in card.locator("tbody tr").all_inner_texts()]
    for count, line in enumerate(cells):
        assert int(line[1]) == sum(int(row["true"]) == count for row in drawn)
        assert int(line[2]) == sum(int(row["simulated"]) == count for row in drawn)
    shares = list(
        csv.DictReader(saved(page, card.get_by_role("link", name="estimates.csv"), tmp_path).read_text().splitlines())
    )
    assert [float(line[4]) for line in cells] == pytest.approx(
        [6115 * float(row["likelihood"]) for row in shares], abs=0.06
    )
    panel.get_by_text("Code", exact=True).click()
    lines = panel.locator(".code-disclosure code").first.inner_text()
    assert "mechdesign simulate" in lines
    assert "mechdesign release" not in lines


def test_people_of_ones_own_file(page: Any, people_file: Path) -> None:
    panel = counted(page, n=8, alpha="0.9")
    own_file(panel, people_file)
    panel.get_by_text("75 of n = 8").wait_for(state="visible")
    assert LOCAL in panel.inner_text()
    panel.get_by_label("Groups are").select_option("area")
    panel.get_by_text("600", exact=True).wait_for(state="visible")
    panel.get_by_label("Column with 0 or 1").select_option("age")
    alert = panel.get_by_role("alert").filter(visible=True)
    alert.wait_for(state="visible")
    assert "age" in alert.inner_text()
    assert panel.get_by_role("button", name="Compare mechanisms").is_disabled()
    assert "people.csv" not in page.evaluate("() => location.href")


def test_counts_of_ones_own_file(page: Any, tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("town,sick\nA,3\nB,0\nC,5\n")
    panel = counted(page, n=5, alpha="0.5")
    own_file(panel, tmp_path / "towns.csv")
    panel.locator("label.segment", has_text="a group").click()
    panel.get_by_text("3 of n = 5").wait_for(state="visible")
    panel.get_by_role("button", name="Compare mechanisms").click()
    panel.get_by_role("heading", name="Mechanisms side by side").wait_for(state="visible")
    assert "towns.csv: 3 groups of n = 5" in panel.inner_text()


def test_made_up_people_repeat_by_their_seed(page: Any) -> None:
    panel = counted(page, n=4)
    panel.get_by_label("Data set", exact=True).select_option("binomial:P")
    panel.get_by_label("P, the chance that a person is 1").fill("0.4")
    panel.get_by_label("People to make up").fill("400")
    panel.get_by_label("People to make up").press("Enter")
    panel.get_by_text("100 of n = 4").wait_for(state="visible")
    first = panel.locator(".facts").first.locator("dd").nth(2).inner_text()
    mean = panel.locator(".facts").first.get_by_text(first, exact=True)
    panel.get_by_label("Seed of the simulations").fill("2")
    panel.get_by_label("Seed of the simulations").press("Enter")
    mean.wait_for(state="detached")
    panel.get_by_label("Seed of the simulations").fill("1")
    panel.get_by_label("Seed of the simulations").press("Enter")
    mean.wait_for(state="visible")


def test_letters_of_pictures_are_legible_on_a_telephone(narrow_page: Any) -> None:
    panel = counted(narrow_page, n=8, alpha="0.9", props="WH,CM")
    panel.get_by_role("button", name="Simulate one release").tap()
    panel.get_by_role("heading", name="A simulation, no release").wait_for(state="visible")
    letters = """() => [...document.querySelectorAll("#panel-data svg text")]
      .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height)"""
    heights = narrow_page.evaluate(letters)
    assert len(heights) > 30
    assert min(heights) >= 11
