"""The Marginals panel: columns of a file collected in a trial, tables beside the truth, association, tree."""

import csv
from typing import Any

import pytest
from panels import open_panel, saved


@pytest.fixture
def panel(page: Any, people_file: Any) -> Any:
    """The panel with a file, of whose columns sex, poor and area are to be taken or not."""
    found = open_panel(page, "marginals")
    found.get_by_label("A CSV file with a header").set_input_files(people_file)
    found.get_by_role("switch", name="poor").wait_for()
    for column in ("age", "hours", "area"):
        found.get_by_role("switch", name=column).uncheck()
    found.get_by_label("Epsilon").fill("4")
    return found


def simulated(panel: Any) -> None:
    panel.get_by_role("button", name="Simulate a collection").click()
    panel.get_by_text("Simulated in").wait_for()


@pytest.mark.slow
def test_from_a_file_to_tables_association_tree_and_downloads(page: Any, panel: Any, tmp_path: Any) -> None:
    assert panel.get_by_text("must come from a public list").is_visible()
    simulated(panel)
    table = panel.locator("table", has=page.locator("caption", has_text="Each cell with its interval"))
    rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    truth = {"f, 0": 40, "f, 1": 10, "m, 0": 40, "m, 1": 10}
    assert {row[0]: row[3] for row in rows} == {name: f"{share:.2f} %" for name, share in truth.items()}
    kept = list(
        csv.reader(saved(page, panel.get_by_role("link", name="tables.csv"), tmp_path).read_text().splitlines())
    )
    assert len(kept) == 5
    for name, share, _, _ in rows:
        assert abs(float(share.removesuffix(" %")) - truth[name]) < 15
    assert panel.get_by_text("Pairs that are found: 0 of 1").is_visible()
    assert panel.locator("img").count() == 0  # the page draws by itself, in its theme
    for caption, pair in (
        ("Cramér's V of each pair", "sex, poor"),
        ("Mutual information of each pair", "sex \N{EN DASH} poor"),
    ):
        drawn = panel.locator("table.bars", has=panel.page.locator("caption", has_text=caption))
        assert drawn.locator("tbody th").all_inner_texts() == [pair]
    items = saved(page, panel.get_by_role("link", name="attributes.csv"), tmp_path).read_text()
    assert items == "column,item\nsex,f\nsex,m\npoor,0\npoor,1\n"


@pytest.mark.slow
def test_a_public_list_says_the_items(panel: Any, tmp_path: Any) -> None:
    public = tmp_path / "public.csv"
    public.write_text("column,item\nsex,m\nsex,f\nsex,x\npoor,0\npoor,1\n")
    panel.get_by_role("radio", name="A public list").check()
    start = panel.get_by_role("button", name="Simulate a collection")
    assert start.is_disabled()
    panel.get_by_label("Public list of the items").set_input_files(public)
    panel.locator(".drop-state", has_text="public.csv").wait_for()
    simulated(panel)
    nobody = panel.locator("tr", has=panel.page.get_by_role("rowheader", name="x, 1", exact=True))
    assert nobody.locator("td").last.inner_text() == "0.00 %"
    public = tmp_path / "short.csv"
    public.write_text("column,item\nsex,f\nsex,x\npoor,0\npoor,1\n")
    panel.get_by_label("Public list of the items").set_input_files(public)
    panel.locator(".drop-state", has_text="short.csv").wait_for()
    start.click()
    panel.locator(".message.failed", has_text="values must be items of the domain, got another in row 2").wait_for()


@pytest.mark.slow
def test_a_column_of_names_is_no_attribute(page: Any, panel: Any, tmp_path: Any) -> None:
    names = tmp_path / "names.csv"
    names.write_text("name,sex\n" + "".join(f"person {at},{'fm'[at % 2]}\n" for at in range(1500)))
    panel.get_by_label("A CSV file with a header").set_input_files(names)
    panel.get_by_role("switch", name="name").wait_for()
    panel.get_by_role("button", name="Simulate a collection").click()
    panel.locator(".message.failed", has_text="column name must have at most 1,000 different items").wait_for()
