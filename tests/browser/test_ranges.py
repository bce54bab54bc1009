"""The Ranges panel: a file's numbers collected in a trial, its distribution function with a band beside the truth."""

import csv
from typing import Any

import numpy as np
import pytest
from panels import held, open_panel, saved

AGES = [(at * 37) % 90 for at in range(600)]
"""As in `people_file`."""


@pytest.fixture
def panel(page: Any, people_file: Any) -> Any:
    """The panel with a file, a column and bins."""
    found = open_panel(page, "ranges")
    found.locator("input[type=file]").set_input_files(people_file)
    found.locator("option[value=age]").wait_for(state="attached")
    found.get_by_label("Column", exact=True).select_option("age")
    for label, value in (("First edge", "0"), ("Last edge", "90"), ("Width", "10"), ("Epsilon", "3")):
        found.get_by_label(label).fill(value)
    return found


def simulated(panel: Any, button: str = "Simulate a collection") -> None:
    panel.get_by_role("button", name=button).click()
    panel.get_by_text("Simulated in").wait_for()


def cells(panel: Any, caption: str) -> list[list[str]]:
    table = panel.locator("table", has=panel.page.locator("caption", has_text=caption))
    return [row.locator("th, td").all_text_contents() for row in table.locator("tbody tr").all()]


@pytest.mark.slow
def test_from_a_file_to_ranges_quantiles_and_downloads(page: Any, panel: Any, tmp_path: Any) -> None:
    panel.get_by_role("textbox", name="Ranges").fill("20,49\n0..9,0..9")
    panel.get_by_role("textbox", name="Quantiles").fill("0.25,0.5")
    panel.get_by_label("Mean and variance of numbers").select_option("start")
    simulated(panel)
    (remark,) = panel.get_by_role("list", name="Remarks").locator("li").all_inner_texts()
    assert remark.startswith("quantiles are read off a rising curve")  # nothing was spent, and no option was typed
    said = panel.locator(".distribution-words").inner_text()
    assert "600 reports. The true distribution function lies in the band everywhere" in said
    estimate, interval = cells(panel, "Quantiles")[1][1:3]
    known = "40 to 49"
    assert said.startswith(f"The reports put the median at {estimate} (95 %: {interval}). In the file it is {known}.")
    ranges = cells(panel, "Shares of the ranges")
    truth = [np.isin(AGES, range(20, 50)).mean(), np.isin(AGES, range(10)).mean()]
    assert [(row[0], row[3]) for row in ranges] == [
        ("20 to 49", f"{100 * truth[0]:.2f} %"),
        ("0 to 9", f"{100 * truth[1]:.2f} %"),
    ]
    answers = list(
        csv.DictReader(saved(page, panel.get_by_role("link", name="answers.csv"), tmp_path).read_text().splitlines())
    )
    assert [row[1] for row in ranges] == [f"{100 * float(answer['share']):.2f} %" for answer in answers]
    assert all(abs(float(a["share"]) - t) < 5 * float(a["standard_error"]) for a, t in zip(answers, truth, strict=True))
    moments = list(
        csv.DictReader(saved(page, panel.get_by_role("link", name="mean.csv"), tmp_path).read_text().splitlines())
    )
    shown = cells(panel, "Mean and variance")
    assert [row[0] for row in shown] == ["mean", "variance"]
    assert [float(row[1]) for row in shown] == pytest.approx([float(row["estimate"]) for row in moments], rel=1e-3)
    assert abs(float(moments[0]["estimate"]) - np.mean(np.array(AGES) // 10 * 10)) < 5 * float(
        moments[0]["standard_error"]
    )
    assert panel.get_by_text("values count as the start of their bin").is_visible()
    panel.get_by_text("Code", exact=True).click()
    assert "count_bins(" in panel.get_by_role("region", name="Python").inner_text()
    assert panel.get_by_role("region", name="ranges.csv, as typed").inner_text() == "first,last\n20,49\n0..9,0..9"
    median = sorted(AGES)[299] // 10 * 10
    assert known == f"{median} to {median + 9}"
    bins = "Answers come in bins of 10, such as 20 to 29. For finer answers set Width to 1, beside Last edge."
    assert said.splitlines()[1] == bins
    assert cells(panel, "Quantiles")[1][0] == "median (50 %)"
    assert cells(panel, "Quantiles")[1][3] == known
    function = saved(page, panel.get_by_role("link", name="distribution.csv"), tmp_path).read_text().splitlines()
    assert len(function) == 10
    assert saved(page, panel.get_by_role("link", name="distribution.svg"), tmp_path).read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_the_chart_is_read_by_keyboard(page: Any, panel: Any) -> None:
    simulated(panel)
    slider = panel.get_by_role("slider", name="Estimated distribution function")
    slider.focus()
    slider.press("Home")
    for _ in range(3):
        slider.press("ArrowRight")
    share = f"{100 * np.mean(np.array(AGES) < 30):.2f} %"
    assert panel.locator(".plot-reading").inner_text().startswith("below 30: ")
    assert slider.get_attribute("aria-valuetext").endswith(f"truly {share}")
    frame = panel.locator(".line-chart").bounding_box()
    across, upwards = (panel.locator(f".plot-title.{one}") for one in ("across", "upwards"))
    assert across.text_content() == "value"
    assert upwards.text_content() == "\u2191 share of the users below it"
    assert upwards.bounding_box()["y"] < frame["y"] + 20 < frame["y"] + 280 < across.bounding_box()["y"]
    drawn = panel.locator(".line-chart .chart-line.true").get_attribute("d")
    assert drawn.count("L") == 9


@pytest.mark.slow
def test_the_bins_are_wide_enough_for_a_first_picture(page: Any) -> None:
    found = open_panel(page, "ranges")
    assert found.get_by_label("Width").input_value() == "5"  # bins of one year each are mostly noise


@pytest.mark.slow
def test_reports_that_do_not_tell_the_median_say_so_first(page: Any, panel: Any, tmp_path: Any) -> None:
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        asked = panel.get_by_label("Epsilon").bounding_box()
        button = panel.get_by_role("button", name="Simulate").bounding_box()
        assert asked["y"] + asked["height"] < button["y"] < height - 40, width
    assert panel.get_by_text("The node of one level of a tree").is_visible()
    (tmp_path / "ages.csv").write_text("\n".join(map(str, AGES)))
    panel.locator("input[type=file]").set_input_files(tmp_path / "ages.csv")
    panel.get_by_text("The first line, 0, looks like data").wait_for()
    panel.get_by_label("Epsilon").fill(".1")
    simulated(panel)
    assert panel.get_by_role("heading", name="The reports of 599 people, epsilon = 0.1").is_visible()
    said = panel.locator(".distribution-words").inner_text()
    assert said.startswith("These reports do not tell the median: at 95 % it may be anywhere from ")
    assert "Telling takes more people or a larger epsilon." in said
    marked = [row[1].endswith(" (says little)") for row in cells(panel, "Quantiles")]
    assert any(marked)
    reading = panel.locator(".plot-reading")
    assert not reading.is_visible()  # nobody asked for a place yet
    panel.get_by_role("slider", name="Estimated distribution function").focus()
    assert reading.is_visible()
    assert panel.get_by_role("list", name="Remarks").locator("li").count() == 1


@pytest.mark.slow
def test_another_seed_draws_other_reports(panel: Any) -> None:
    simulated(panel)
    first = cells(panel, "The distribution function")
    panel.get_by_role("button", name="Once more").click()
    panel.locator(".code-disclosure pre", has_text=f"--seed {panel.get_by_label('Seed').input_value()}").wait_for(
        state="attached"
    )
    assert panel.get_by_label("Seed").input_value() != "1"
    assert cells(panel, "The distribution function") != first


@pytest.mark.slow
def test_enter_simulates_and_an_answer_of_the_former_file_says_so(page: Any, panel: Any, tmp_path: Any) -> None:
    assert panel.get_by_role("heading", name="Ranges and medians").is_visible()
    panel.get_by_label("Epsilon").press("Enter")
    panel.get_by_text("Simulated in").wait_for()
    assert "isotonic regression" in panel.get_by_label("Remarks").inner_text()
    assert panel.locator(".foot").bounding_box()["height"] < 160  # it is in sight always: no remark may fill it
    former = panel.get_by_text("This is of the former file. Press Simulate.")
    assert not former.is_visible()
    (tmp_path / "ages.csv").write_text("\n".join(map(str, ["age", *AGES])))
    panel.locator("input[type=file]").set_input_files(tmp_path / "ages.csv")
    former.wait_for()
    assert panel.get_by_role("button", name="Once more").is_disabled()
    simulated(panel)
    assert not former.is_visible()
    with held(page, "jobs"):
        panel.get_by_role("button", name="Try it with").click()
        panel.get_by_text("Working on the invented people.").wait_for()
    panel.locator(".message.failed", has_text="values must be from 0 to below 90").wait_for()
    assert not panel.get_by_text("Working on the invented people.").is_visible()


@pytest.mark.slow
def test_values_beyond_the_bins_are_refused_without_being_shown(panel: Any) -> None:
    panel.get_by_label("Last edge").fill("50")
    panel.get_by_role("button", name="Simulate a collection").click()
    complaint = panel.locator(".message.failed", has_text="values must be from 0 to below 50")
    complaint.wait_for()
    assert "in row 3 of column age of people.csv; take another column or wider bins" in complaint.inner_text()
    assert "choose it under “Values beyond the bins”" in complaint.inner_text()
    panel.get_by_label("Values beyond the bins").select_option("clip")
    simulated(panel)
    assert not complaint.is_visible()


@pytest.mark.slow
def test_an_unreadable_header_says_why_and_clears_what_was_said_before(page: Any, tmp_path: Any) -> None:
    panel = open_panel(page, "ranges")
    chooser = panel.locator("input[type=file]")
    files = {
        "dup.csv": b"age,age\n1,2\n",
        "latin.csv": "gr\u00f6\u00dfe\n1\n".encode("latin-1"),
        "good.csv": b"age\n10\n20\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    chooser.set_input_files(tmp_path / "dup.csv")
    panel.locator("option[value=age]").first.wait_for(state="attached")
    panel.get_by_role("button", name="Simulate a collection").click()
    said = panel.get_by_text("must have one column")
    said.wait_for()
    chooser.set_input_files(tmp_path / "latin.csv")
    panel.get_by_text(
        "latin.csv has no columns to choose from. Its text is not UTF-8. Read it as Latin-1, or save it"
    ).wait_for()
    assert not said.is_visible()
    assert panel.get_by_role("button", name="Simulate a collection").is_disabled()
    panel.get_by_role("button", name="Read it as Latin-1").click()
    panel.locator("option[value=gr\u00f6\u00dfe]").wait_for(state="attached")
    assert not panel.get_by_role("button", name="Read it as Latin-1").is_visible()
    assert panel.get_by_role("button", name="Simulate a collection").is_enabled()
    chooser.set_input_files(tmp_path / "good.csv")
    panel.get_by_text("good.csv, ").wait_for()
    assert not panel.get_by_text("has no columns to choose from").is_visible()
    assert panel.get_by_role("button", name="Simulate a collection").is_enabled()
