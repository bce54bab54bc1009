"""The Release panel: the office's job from a file to output and record, drawn once whatever is clicked."""

import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from microdata import write_people
from panels import THEMES, open_panel, saved
from running_studio import RunningStudio, running_studio
from studios import wait_until
from watching import Watch, watched_page

from mechdesign import check_release, estimate_release
from mechdesign.ledgers.entry import EntryState
from mechdesign.ledgers.ledger import Ledger
from mechdesign_cli.app import run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio with a folder for releases."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "releases").mkdir()
    with running_studio(folder, "--release-folder", "releases") as running:
        yield running


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Microdata of six areas."""
    write_people(tmp_path / "people.csv", areas=6)
    return tmp_path / "people.csv"


def fill(section: Any, file: Path, epsilon: str) -> None:
    """Fill the form with microdata of households."""
    section.locator("input[type=file]").first.set_input_files(str(file))
    section.get_by_text(f"{file.name}, ").first.wait_for()  # until then the columns are those of a former file
    section.get_by_label("Column of yes and no").select_option("poor")
    section.get_by_label("Column that names the group").select_option("area")
    section.get_by_label("Column that names the person").select_option("id")
    section.get_by_label("What is protected").fill("household")
    section.get_by_role("textbox", name="epsilon").fill(epsilon)


def price(section: Any) -> Any:
    """Have the price named, and return its card."""
    section.get_by_role("button", name="Read the file").click()
    card = section.get_by_role("region", name="What it spends")
    card.get_by_text("For auditors").wait_for()
    return card


def card_of(section: Any, words: str) -> Any:
    """The release of the list that says so."""
    return section.get_by_role("article").filter(has_text=words)


def draw(section: Any, file: Path, epsilon: str) -> Any:
    """Do the whole job, and return the release's card."""
    fill(section, file, epsilon)
    price(section).get_by_role("button", name="Draw once").click()
    card = card_of(section, f"spent epsilon = {epsilon} of each household")
    card.wait_for()
    return card


def output_in(folder: Path) -> bytes:
    """What was drawn by now in a folder of releases, published or not; so short an output is written at once."""
    for path in [*folder.glob("release-*/released.csv.unfinished"), *folder.glob("release-*/released.csv")]:
        with suppress(FileNotFoundError):  # published meanwhile
            return path.read_bytes()
    return b""


def test_from_click_to_download_and_the_download_is_proved(page: Any, people: Path, tmp_path: Path) -> None:
    section = open_panel(page, "release")
    fill(section, people, "0.5")
    button = price(section).get_by_role("button", name="Draw once")
    assert button.inner_text() == "Draw once: spend epsilon = 0.5 of each household"
    told = section.get_by_role("region", name="What it spends").inner_text()
    assert "16, each a household, whatever the answer" in told
    assert "Distance from the true count, whatever that is. For groups of " in told
    assert section.get_by_role("article").count() == 0
    button.click()
    section.get_by_text("Drawn, once.").wait_for()
    card = card_of(section, "spent epsilon = 0.5 of each household")
    assert "waits to be downloaded" in card.inner_text()
    output = saved(page, card.get_by_role("link", name="released.csv"), tmp_path / "down")
    record = saved(page, card.get_by_role("link", name="record.json"), tmp_path / "down")
    assert all(claim.true for claim in check_release(record, output))
    assert run(["check", str(output), "--record", str(record)]) == 0
    card.get_by_text("was sent to a browser").wait_for()
    card.get_by_text("For auditors").click()
    card.get_by_text("A neighbour is the same data with one household's answer changed").wait_for()
    section.locator("summary", has_text="Code").click()
    assert "mechdesign release --input people.csv --bit poor" in section.locator(".code-disclosure").inner_text()
    assert "release_file(" in section.locator(".code-disclosure").inner_text()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_epsilon_is_in_sight_where_the_file_is_chosen(page: Any, people: Path, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    section = open_panel(page, "release")
    file, epsilon = section.locator("input[type=file]").first, section.get_by_role("textbox", name="epsilon")
    file.set_input_files(str(people))
    section.get_by_text(f"{people.name}, ").first.wait_for()
    file.evaluate("field => field.closest('.card').scrollIntoView()")
    seen, foot = epsilon.bounding_box(), section.locator(".foot").bounding_box()
    assert 0 < file.bounding_box()["y"] < seen["y"] < seen["y"] + seen["height"] < foot["y"] < height
    section.get_by_role("radio", name="a design of mine").check()
    assert not epsilon.is_visible()


def test_a_price_and_a_release_are_for_everybody(page: Any, people: Path) -> None:
    section = open_panel(page, "release")
    draw(section, people, "2")
    price(section)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) == 0
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert serious_findings(page) == []


def test_clicks_tabs_and_reloads_draw_once(page: Any, people: Path, studio: RunningStudio) -> None:
    section = open_panel(page, "release")
    fill(section, people, "0.25")
    other = page.context.new_page()
    other.goto(studio.base)
    second = open_panel(other, "release")
    fill(second, people, "0.25")
    price(second)
    button = price(section).get_by_role("button", name="Draw once")
    button.dispatch_event("click")
    button.dispatch_event("click")
    second.get_by_role("button", name="Draw once").click()
    second.get_by_text("Drawn, once.").or_(second.get_by_text("It was drawn already")).wait_for()
    card_of(section, "epsilon = 0.25 of each household").wait_for()
    for one in (page, other):
        one.reload()
        found = card_of(open_panel(one, "release"), "spent epsilon = 0.25 of each household")
        found.wait_for()
        assert found.count() == 1
    fill(section, people, "0.25")
    card = price(section)
    card.get_by_text("This very release was drawn already").wait_for()
    assert card.get_by_role("button", name="Draw once").count() == 0
    card.get_by_role("button", name="Show it").click()
    other.close()


def test_what_was_given_up_counts_and_a_new_draw_says_so(page: Any, people: Path) -> None:
    section = open_panel(page, "release")
    card = draw(section, people, "0.125")
    card.get_by_role("button", name="Discard").click()
    card.get_by_role("button", name="Keep it").click()
    card.get_by_role("button", name="Discard").click()
    card.get_by_role("button", name="Delete it").click()
    card.get_by_text("given up", exact=True).wait_for()
    assert card.get_by_role("link").count() == 0
    told = price(section)
    told.get_by_role("button", name="Draw once: spend another epsilon = 0.125").wait_for()
    assert "given up later" in told.inner_text()


def test_a_change_takes_the_button_away(page: Any, people: Path) -> None:
    section = open_panel(page, "release")
    fill(section, people, "0.0625")
    card = price(section)
    card.get_by_role("button", name="Draw once").wait_for()
    section.get_by_role("textbox", name="epsilon").fill("0.03125")
    card.get_by_text("Nothing is drawn before").wait_for()
    assert card.get_by_role("button").count() == 0


def test_an_unfit_file_is_refused_on_the_page(page: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("id,area,poor\nh1,a,1\nh2,a,2\n")
    section = open_panel(page, "release")
    fill(section, bad, "1")
    section.get_by_role("button", name="Read the file").click()
    section.get_by_text("poor must be 0 or 1, got another in row 2 of bad.csv").wait_for()
    said = section.locator(".field-error:visible").inner_text()
    assert said.endswith("the counted one first, under “Its two texts”")
    field = section.get_by_label("Its two texts")
    assert field.evaluate("(one) => one === document.activeElement && one.getBoundingClientRect().top >= 0")
    assert section.get_by_role("button", name="Draw once").count() == 0


def test_two_texts_of_a_column_are_filled_in_or_asked_for(page: Any, tmp_path: Path) -> None:
    section = open_panel(page, "release")
    for name, two in (("plain", ("No", "Yes")), ("other", ("far", "near"))):
        file = tmp_path / f"{name}.csv"
        file.write_text("id,area,poor\n" + "".join(f"h{k},a,{two[k % 2]}\n" for k in range(4)))
        fill(section, file, "1")
        section.get_by_role("button", name="Read the file").click()
        if name == "plain":
            section.get_by_text("“poor” holds Yes and No: the first is counted.").wait_for()
            section.get_by_role("button", name="Draw once").wait_for()
            assert section.get_by_label("Its two texts").input_value() == "Yes/No"
    section.get_by_text("“poor” holds two texts. Which one is counted?").wait_for()
    section.get_by_role("button", name="near", exact=True).click()
    assert section.get_by_label("Its two texts").input_value() == "near/far"
    price(section).get_by_role("button", name="Draw once").wait_for()


def test_columns_that_can_only_be_so_are_chosen(page: Any, tmp_path: Path) -> None:
    (tmp_path / "ill.csv").write_text("area,ill\n" + "East,yes\nWest,no\n" * 5)
    section = open_panel(page, "release")
    page.set_viewport_size({"width": 1280, "height": 800})
    section.locator("input[type=file]").first.set_input_files(str(tmp_path / "ill.csv"))
    ask = section.get_by_role("button", name="Read the file")
    assert ask.bounding_box()["y"] < 800
    section.get_by_text("Give epsilon, or alpha.").wait_for()
    assert section.get_by_label("Column of yes and no").input_value() == "ill"
    assert section.get_by_label("Column that names the group").input_value() == "area"


def test_an_error_of_no_field_comes_into_sight(page: Any, people: Path) -> None:
    section = open_panel(page, "release")
    people.write_text(f"{people.read_text()}h999,area 0001\n")
    fill(section, people, "1")
    section.get_by_role("button", name="Read the file").click()
    told = section.locator(".messages", has=page.locator(".message.failed:visible"))
    told.wait_for()
    place = told.evaluate(
        "(box) => [box === document.activeElement, box.getBoundingClientRect().toJSON(), innerHeight]"
    )
    assert place[0]
    assert 0 <= place[1]["top"] < place[1]["bottom"] <= place[2]


def test_a_table_of_counts_by_a_design_of_ones_own(page: Any, tmp_path: Path) -> None:
    counts = tmp_path / "counts.csv"
    counts.write_text("town,sick\n" + "".join(f"t{k},{k % 4}\n" for k in range(20)))
    assert run(["solve", "--n", "3", "--alpha", "1/2", "-o", str(tmp_path / "mine.json")]) == 0
    section = open_panel(page, "release")
    section.locator("input[type=file]").first.set_input_files(str(counts))
    section.get_by_role("radio", name="one group, counted already").check()
    section.get_by_label("Column of the true counts").select_option("sick")
    section.get_by_role("radio", name="a design of mine").check()
    section.locator("input[type=file]").nth(1).set_input_files(str(tmp_path / "mine.json"))
    card = price(section)
    assert "20, of sizes 3" in card.inner_text()
    card.get_by_role("button", name="Draw once: spend epsilon = 0.693148 of each person").click()
    found = card_of(section, "counts.csv")
    found.get_by_role("link", name="released.csv").wait_for()


@pytest.fixture
def workers(tmp_path: Path) -> Path:
    """Microdata of six areas in two regions, with the work of each person."""
    path = tmp_path / "workers.csv"
    values = ("job", "none", "school")
    rows = [f"{'ns'[at % 2]},area {at % 6},{values[at % 7 % 3]},{at % 5 // 4}" for at in range(300)]
    path.write_text("\n".join(["region,area,work,poor", *rows]) + "\n")
    return path


def fill_regions(section: Any, file: Path, epsilon: str) -> None:
    """Fill the form with groups in regions."""
    section.locator("input[type=file]").first.set_input_files(str(file))
    section.get_by_label("Column that names the group").select_option("area")
    section.get_by_label("Column that names the region").select_option("region")
    section.get_by_role("textbox", name="epsilon").fill(epsilon)


def shown(found: Any, caption: str) -> list[list[str]]:
    """The rows of a table of results."""
    rows = found.get_by_role("region", name=caption).locator("tbody tr")
    rows.first.wait_for()
    return [row.locator("th,td").all_inner_texts() for row in rows.all()]


def test_regions_have_totals_with_their_standard_error(page: Any, workers: Path, tmp_path: Path) -> None:
    section = open_panel(page, "release")
    fill_regions(section, workers, "0.5")
    section.get_by_label("Column of yes and no").select_option("poor")
    card = price(section)
    assert "region, area, size" in card.inner_text()
    card.get_by_role("button", name="Draw once").click()
    found = card_of(section, "spent epsilon = 0.5 of each person, 6 groups")
    output = saved(page, found.get_by_role("link", name="released.csv"), tmp_path / "down")
    record = saved(page, found.get_by_role("link", name="record.json"), tmp_path / "down")
    told = estimate_release(output, record)
    rows = shown(found, "Estimated totals")
    wanted = [("all", told.total), *((one.name, one.total) for one in told.regions)]
    assert [row[0] for row in rows] == [name for name, _ in wanted] == ["all", "n", "s"]
    for row, (_, total) in zip(rows, wanted, strict=True):
        assert total is not None
        said = [float(text.replace(",", "")) for text in row[3:]]
        assert said == pytest.approx([total.value, total.standard_error, total.low, total.high], abs=0.006)
    counts = found.get_by_role("region", name="Released counts")
    titles = ["95 % interval, this area", "95 % interval, all areas at once"]
    assert counts.locator("thead th").all_inner_texts() == [
        "region",
        "area",
        "size",
        "released",
        *titles,
        "Share of the size",
    ]
    written = [line.split(",") for line in output.read_text().split("\n")[1:-1]]
    said = [row.locator("th,td").all_inner_texts() for row in counts.locator("tbody tr").all()]
    assert [row[:-1] for row in said] == [
        [*row[:4], f"{row[4]} to {row[5]}", f"{row[6]} to {row[7]}"] for row in written
    ]
    for row, (_, _, size, *ends) in zip(said, written, strict=True):
        share, low, high = (Fraction(one) for one in re.findall(r"[0-9]+\.[0-9]", row[-1]))
        released, least, most = (100 * Fraction(int(one), int(size)) for one in ends[:3])
        assert abs(share - released) <= Fraction(1, 20)
        assert Fraction(-1, 10) < low - least <= 0 <= high - most < Fraction(1, 10)
    assert found.locator(".counts-chart circle").count() == len(written) == 6
    chart = found.get_by_role("slider")
    region, area, _, count, low, high, *_ = written[0]
    said = chart.get_attribute("aria-valuetext")
    assert said.startswith(f"{region}, {area}: {count}; {titles[0]}: {low} to {high}; {titles[1]}: ")
    assert found.get_by_text(f"Here they add up to {sum(int(row[3]) for row in written)}.").is_visible()
    assert found.get_by_text("is a normal approximation, rough for fewer than 30 groups.").is_visible()
    reason = found.get_by_text("A total need not be the sum of the released counts.").bounding_box()
    paragraph = found.locator(".code", has_text="To copy").bounding_box()
    assert 0 < reason["y"] - paragraph["y"] - paragraph["height"] < 40  # beside the total that differs from the sum
    statement = found.locator(".statement")
    found.get_by_text("For auditors").click()
    found.get_by_text("SHA-256 of the output").wait_for()
    assert statement.evaluate("(box) => box.scrollHeight <= box.clientHeight")
    assert serious_findings(page) == []


def test_a_category_has_a_count_of_each_value_and_half_of_the_epsilon(page: Any, workers: Path, tmp_path: Path) -> None:
    section = open_panel(page, "release")
    fill_regions(section, workers, "1")
    section.get_by_role("radio", name="each value of a category").check()
    section.get_by_label("Column of the category").select_option("work")
    assert section.get_by_text("List the values of the category.").is_visible()
    section.get_by_label("Its values").fill("job/none")
    section.get_by_role("button", name="Read the file").click()
    section.get_by_text("work must be one of the 2 values of category, got another in row 3 of workers.csv").wait_for()
    section.get_by_label("Its values").fill("job/none/school")
    card = price(section)
    assert "job, none, school; each is drawn with half of this epsilon" in card.inner_text()
    assert "epsilon = 1 of each person" in card.get_by_role("button", name="Draw once").inner_text()
    card.get_by_role("button", name="Draw once").click()
    found = card_of(section, "spent epsilon = 1 of each person, 6 groups")
    output = saved(page, found.get_by_role("link", name="released.csv"), tmp_path / "down")
    record = saved(page, found.get_by_role("link", name="record.json"), tmp_path / "down")
    assert all(claim.true for claim in check_release(record, output))
    rows = shown(found, "Estimated totals")
    assert [row[:2] for row in rows] == [
        [name, value] for value in ("job", "none", "school") for name in ("all", "n", "s")
    ]
    counts = found.get_by_role("region", name="Released counts").locator("tbody tr")
    assert counts.count() == 12
    found.get_by_role("button", name="All 18 rows", expanded=False).click()
    assert counts.count() == 18
    found.get_by_role("button", name="The first 12 rows", expanded=True).wait_for()
    section.locator("summary", has_text="Code").click()
    code = section.locator(".code-disclosure").inner_text()
    assert "--category work=job/none/school --group region,area" in code
    assert "category='work=job/none/school'" in code.replace('"', "'")


def test_a_studio_that_is_killed_in_the_middle_is_followed_by_one_that_shows_the_release(
    browser: Any, people: Path, tmp_path: Path
) -> None:
    (tmp_path / "releases").mkdir()
    context = browser.new_context()
    with running_studio(tmp_path, "--release-folder", "releases") as first:
        one = context.new_page()
        one.goto(first.address)
        section = open_panel(one, "release")
        fill(section, people, "0.5")
        price(section).get_by_role("button", name="Draw once").click()
        wait_until(lambda: output_in(tmp_path / "releases"))
        first.process.kill()
        before = output_in(tmp_path / "releases")
        section.get_by_text("The studio does not answer").first.wait_for()
        one.close()
    with running_studio(tmp_path, "--release-folder", "releases") as second:
        one = context.new_page()
        one.goto(second.address)
        card = card_of(open_panel(one, "release"), "spent epsilon = 0.5 of each household")
        assert saved(one, card.get_by_role("link", name="released.csv"), tmp_path / "down").read_bytes() == before
    context.close()


def test_without_a_folder_the_page_makes_one(browser: Any, people: Path, tmp_path: Path) -> None:
    with running_studio(tmp_path) as plain:
        context = browser.new_context()
        one = context.new_page()
        one.goto(plain.address)
        section = open_panel(one, "release")
        name = section.get_by_label("Name of the folder")
        name.fill("../releases")
        fill(section, people, "1")
        told = price(section)
        told.get_by_text("To draw this, make the folder of releases").wait_for()
        assert "of one household change by at most a factor 2.72" in told.inner_text()
        told.get_by_role("button", name="Name the folder").click()
        one.wait_for_function(
            "id => document.activeElement.id === id", arg=name.get_attribute("id")
        )  # in sight, with the focus
        assert 0 < name.bounding_box()["y"] < one.viewport_size["height"]
        assert told.get_by_role("button").count() == 1
        assert not (tmp_path / "releases").exists()
        section.get_by_role("button", name="Make the folder").click()
        section.get_by_text("name of the folder must be plain, such as releases").wait_for()
        assert serious_findings(one) == []
        name.fill("releases")
        section.get_by_role("button", name="Make the folder").click()
        section.get_by_text(str(tmp_path / "releases"), exact=True).wait_for()
        assert list((tmp_path / "releases").glob("release-*")) == []
        assert section.get_by_role("button", name="Make the folder").count() == 0
        told.get_by_role("button", name="Draw once").wait_for()
        context.close()


@pytest.fixture
def paying(tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio whose releases a ledger pays: epsilon = 1 for each household."""
    (tmp_path / "releases").mkdir()
    Ledger.new(tmp_path / "office.db", budget=1, unit="household")
    with running_studio(tmp_path, "--release-folder", "releases", "--ledger", "office.db") as running:
        yield running


@pytest.fixture
def paid_page(browser: Any, paying: RunningStudio, watch: list[Watch]) -> Iterator[Any]:
    """A page of it."""
    yield from watched_page(browser, paying, watch)


def test_the_ledger_pays_once_and_refuses_what_is_beyond_the_budget(
    paid_page: Any, people: Path, tmp_path: Path
) -> None:
    section = open_panel(paid_page, "release")
    fill(section, people, "0.75")
    assert section.get_by_text("Name the data set that pays.").is_visible()
    section.get_by_label("Data set that pays").fill("homes")
    card = price(section)
    assert "By the ledger, homes is new: full budget, epsilon = 1." in card.inner_text()
    card.get_by_role("button", name="Draw once").click()
    card_of(section, "spent epsilon = 0.75 of each household").wait_for()
    section.get_by_role("textbox", name="epsilon").fill("0.5")
    section.get_by_role("button", name="Read the file").click()
    section.locator(".field-error", has_text="epsilon must be at most 0.25, which is left of the budget").wait_for()
    assert [entry.state for entry in Ledger.open(tmp_path / "office.db").entries()] == [EntryState.DELIVERED]
