"""The Collect panel: real reports from answers, what they and a second run spend, and estimates from reports."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from panels import held, open_panel, saved

from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.reports.report_files import read_header
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.collection.states.collection_state import CollectionState

CITIES = ["Athy", "Birr", "Cobh"]


@pytest.fixture
def panel(page: Any, tmp_path: Path) -> Any:
    """The panel with a file of 900 answers, a third of them each city, and their public list."""
    answers = tmp_path / "answers.csv"
    answers.write_text("city\n" + "".join(f"{CITIES[at % 3]}\n" for at in range(900)))
    found = open_panel(page, "collect")
    found.get_by_label("Answers: a CSV file").set_input_files(answers)
    found.get_by_text("answers.csv").wait_for()
    found.get_by_label("Public list of all items").fill("\n".join(CITIES))
    found.get_by_label("Epsilon").fill("2")
    return found


def made(page: Any, panel: Any, folder: Path, button: str = "Make reports") -> Path:
    panel.get_by_role("button", name=button).click()
    panel.get_by_role("button", name="Make reports again").and_(page.locator(":enabled")).wait_for()
    return saved(page, panel.get_by_role("link", name="reports.parquet"), folder)


@pytest.mark.slow
def test_reports_are_real_and_a_second_run_spends_as_much_again(page: Any, panel: Any, tmp_path: Path) -> None:
    first = pq.read_table(made(page, panel, tmp_path))
    assert panel.get_by_text("whoever has both files then knows up to epsilon = 4 about each person").is_visible()
    assert panel.get_by_text("These answers were reported once in this window, at a loss of epsilon = 2").is_visible()
    second = pq.read_table(made(page, panel, tmp_path, "Make reports again: spends epsilon = 2 more"))
    assert panel.get_by_text("whoever has all 2 files knows up to epsilon = 4 about each person").is_visible()
    panel.get_by_label("Answers: a CSV file").set_input_files(tmp_path / "answers.csv")
    panel.get_by_text("These answers were reported 2 times in this window").wait_for()
    assert first != second
    code = panel.locator(".code-disclosure").locator("pre").first.text_content()
    assert "privatize" in code
    assert "--seed" not in code


@pytest.mark.slow
def test_from_answers_by_reports_to_estimates(page: Any, panel: Any, tmp_path: Path) -> None:
    reports = made(page, panel, tmp_path)
    panel.get_by_role("button", name="Estimate from these reports").click()
    panel.get_by_text("Estimated in").wait_for()
    expected = aggregate(reports)
    assert isinstance(expected, FrequencyEstimate)
    table = panel.locator("table", has=page.locator("caption", has_text="Share of the users with each item"))
    rows = {
        row.locator("th").inner_text(): row.locator("td").first.inner_text() for row in table.locator("tbody tr").all()
    }
    shares = dict(zip(expected.items, expected.shares, strict=True))
    assert rows == {city: f"{100 * share:.2f} %" for city, share in shares.items()}
    assert (
        saved(page, panel.get_by_role("link", name="estimate.csv"), tmp_path).read_bytes()
        == expected.tabulate().csv_bytes()
    )
    assert panel.locator("img").count() == 0  # the page draws by itself, in its theme
    drawn = panel.locator("table.bars", has=page.locator("caption", has_text="The largest shares"))
    order = sorted(shares, key=lambda city: -shares[city])
    assert drawn.locator("tbody th").all_inner_texts() == order
    room, whisker = (drawn.locator(one).first.bounding_box() for one in (".bar-room", ".whisker"))
    bar = drawn.locator(".bar").first.bounding_box()
    assert room["x"] < whisker["x"] < bar["x"] + bar["width"] < whisker["x"] + whisker["width"]


@pytest.mark.slow
def test_files_of_reports_add_up_and_changed_ones_are_refused(page: Any, tmp_path: Path) -> None:
    for at in range(2):
        privatize([10, 20, 60] * 300, "hh:b=4", epsilon=3, bins="0:100:10").save(tmp_path / f"batch{at}.parquet")
    panel = open_panel(page, "collect")
    panel.get_by_label("Reports: a Parquet file").set_input_files(tmp_path / "batch0.parquet")
    with held(page, "uploads*"):
        panel.get_by_label("One more file of reports").last.set_input_files(tmp_path / "batch1.parquet")
        panel.get_by_text("Reading batch1.parquet").wait_for()
        assert panel.get_by_role("button", name="Estimate", exact=True).is_disabled()  # the answer would lack a file
    panel.get_by_role("button", name="Estimate", exact=True).click()
    panel.get_by_text("1,800 reports.").wait_for()
    assert panel.locator(".chart-line.true").count() == 0
    assert panel.get_by_role("link", name="quantiles.csv").is_visible()
    content = (tmp_path / "batch1.parquet").read_bytes()
    (tmp_path / "changed.parquet").write_bytes(content[: len(content) // 2])  # one flipped bit may change no report
    panel.get_by_label("One more file of reports").first.set_input_files(tmp_path / "changed.parquet")
    panel.locator(".drop-state", has_text="changed.parquet").wait_for()
    panel.get_by_role("button", name="Estimate", exact=True).click()
    complaint = panel.locator(".message.failed:visible")
    complaint.wait_for()
    assert "changed.parquet" in complaint.inner_text()


@pytest.mark.slow
def test_tables_of_attributes_and_means_come_from_their_reports(page: Any, tmp_path: Path) -> None:
    people = [("f", "yes"), ("m", "no"), ("m", "yes")] * 200
    attributes = {"sex": ["f", "m"], "paid": ["no", "yes"]}
    columns = {name: [row[at] for row in people] for at, name in enumerate(attributes)}
    privatize(columns, "inpht:k=2", epsilon=3, domain=attributes).save(tmp_path / "tables.parquet")
    panel = open_panel(page, "collect")
    panel.get_by_label("Reports: a Parquet file").set_input_files(tmp_path / "tables.parquet")
    panel.get_by_role("button", name="Estimate", exact=True).and_(page.locator(":enabled")).click()
    panel.get_by_text("600 reports about 2 attributes.").wait_for()
    assert len(saved(page, panel.get_by_role("link", name="tables.csv"), tmp_path).read_text().splitlines()) == 5


@pytest.mark.slow
def test_values_outside_of_the_list_are_refused_and_nothing_is_spent(panel: Any) -> None:
    panel.get_by_label("Public list of all items").fill("Athy\nBirr")
    panel.get_by_role("button", name="Make reports: spends epsilon = 2 of each person").click()
    panel.locator(".message.failed", has_text="values must be items of the domain, got another in row 3").wait_for()
    assert panel.get_by_role("button", name="Make reports: spends epsilon = 2 of each person").is_enabled()
    assert not panel.get_by_text("were reported").is_visible()


@pytest.mark.slow
def test_a_task_is_saved_and_reports_are_made_by_it(page: Any, panel: Any, tmp_path: Path) -> None:
    panel.get_by_role("button", name="Save as a task").click()
    task = saved(page, panel.get_by_role("link", name="task.json"), tmp_path)
    digest = json.loads(task.read_text())["sha256"]
    assert panel.get_by_text(digest).is_visible()
    panel.get_by_label("What an answer is").select_option(label="What a task document says")
    panel.get_by_label("Task: a JSON document").set_input_files(task)
    panel.get_by_role("button", name="Make reports: spends epsilon = 2 of each person").and_(
        page.locator(":enabled")
    ).click()
    panel.get_by_role("button", name="Make reports again").wait_for()
    reports = saved(page, panel.get_by_role("link", name="reports.parquet"), tmp_path)
    assert read_header(reports).task.digest == digest


@pytest.mark.slow
def test_states_of_two_days_merge_and_one_of_them_twice_is_refused(page: Any, tmp_path: Path) -> None:
    task_of = {"epsilon": 3, "domain": CITIES}
    for day in ("monday", "tuesday"):
        reports = privatize(CITIES * 100, "grr", **task_of)
        (tmp_path / f"{day}.state").write_bytes(CollectionState.empty(reports.header.task).add(reports).to_bytes())
    panel = open_panel(page, "collect")
    panel.get_by_label("Reports: a Parquet file, or a .state file").set_input_files(tmp_path / "monday.state")
    panel.get_by_label("One more file of reports").last.set_input_files(tmp_path / "tuesday.state")
    panel.get_by_text("tuesday.state").wait_for()
    panel.get_by_role("button", name="Estimate", exact=True).click()
    panel.get_by_text("Estimated in").wait_for()
    whole = saved(page, panel.get_by_role("link", name="sums.state"), tmp_path)
    assert CollectionState.from_bytes(whole.read_bytes()).users == 600
    whole.rename(tmp_path / "both.state")
    panel.get_by_label("One more file of reports").first.set_input_files(tmp_path / "both.state")
    panel.locator(".drop-state", has_text="both.state").wait_for()
    panel.get_by_role("button", name="Estimate", exact=True).click()
    panel.locator(".message.failed:visible", has_text="both.state").wait_for()


@pytest.mark.slow
def test_sums_of_secure_aggregation_are_estimated_by_their_task(page: Any, panel: Any, tmp_path: Path) -> None:
    panel.get_by_role("button", name="Save as a task").click()
    task = saved(page, panel.get_by_role("link", name="task.json"), tmp_path)
    (tmp_path / "sums.csv").write_text("part,place,sum\n" + "".join(f"items,{at},{300 + at}\n" for at in range(3)))
    panel.get_by_label("What you have").select_option(label="The sums of all users, as secure aggregation gives them")
    panel.get_by_label("Sums: a CSV file").set_input_files(tmp_path / "sums.csv")
    panel.get_by_label("The task of these sums").set_input_files(task)
    panel.get_by_text("sums.csv,").wait_for()
    panel.get_by_label("Number of users").fill("1000")
    panel.get_by_role("button", name="Estimate", exact=True).and_(page.locator(":enabled")).click()
    panel.get_by_text("Estimated in").wait_for()
    assert panel.locator("tbody tr").count() >= 3
