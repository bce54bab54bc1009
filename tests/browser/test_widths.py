"""Tables are whole at 1280 pixels: nothing of them has to be scrolled into view."""

from typing import Any

import pytest
from panels import open_panel

CUT = """section => [...section.querySelectorAll(".table-scroll")].filter((one) => one.checkVisibility())
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => `${one.getAttribute("aria-label")}: ${one.scrollWidth - one.clientWidth}`)"""


@pytest.mark.slow
def test_tables_are_whole(page: Any) -> None:
    panel = open_panel(page, "oracles")
    panel.get_by_label("Fraction of liars").fill("0.01")
    panel.get_by_label("Fraction of liars").press("Enter")
    panel.get_by_role("columnheader", name="Worst bias").first.wait_for()
    assert panel.evaluate(CUT) == []
    panel.get_by_label("Question").select_option("prefixes")
    panel.get_by_role("columnheader", name="Average variance").filter(visible=True).wait_for()
    assert panel.evaluate(CUT) == []
    panel = open_panel(page, "prices", n=8, alpha="0.9", loss="L0")
    panel.locator("tbody tr").first.wait_for()
    assert panel.evaluate(CUT) == []
    panel = open_panel(page, "data")
    panel.get_by_role("button", name="Compare mechanisms").click()
    panel.get_by_role("heading", name="Mechanisms side by side").wait_for()
    assert panel.evaluate(CUT) == []
