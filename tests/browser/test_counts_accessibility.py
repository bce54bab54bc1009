"""The panels Check and Data with everything on screen: axe finds nothing serious, and a telephone is wide enough."""

from pathlib import Path
from typing import Any

import pytest
from panels import THEMES, open_panel

pytestmark = pytest.mark.slow


def judged(page: Any) -> list[str]:
    """Serious findings in both themes, and how much too wide the page is."""
    from accessibility import overflow, serious_findings  # axe is there where a browser is

    found = []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        found += [f"{theme}: {text}" for text in serious_findings(page)]
    return [*found, *(["too wide"] if overflow(page) > 0 else [])]


def test_a_checked_and_repaired_matrix(narrow_page: Any, tmp_path: Path) -> None:
    (tmp_path / "leaky.csv").write_text("1,0.5,0\n0,0.5,0\n0,0,1\n")
    panel = open_panel(narrow_page, "check")
    panel.locator("input[type=file]").first.set_input_files(tmp_path / "leaky.csv")
    panel.get_by_label("alpha", exact=True).fill("0.9")
    panel.get_by_role("button", name="Repair").click()
    panel.get_by_role("heading", name="After the repair").wait_for(state="visible")
    panel.get_by_role("link", name="repaired.html").wait_for(state="visible")
    assert judged(narrow_page) == []


def test_a_comparison_and_a_simulation(narrow_page: Any) -> None:
    panel = open_panel(narrow_page, "data", props="WH,CM", alpha="0.9")
    panel.get_by_role("heading", name="True counts").wait_for(state="visible")
    panel.get_by_role("button", name="Compare mechanisms").click()
    panel.get_by_role("heading", name="Mechanisms side by side").wait_for(state="visible")
    panel.get_by_role("button", name="Simulate one release").click()
    panel.get_by_role("heading", name="A simulation, no release").wait_for(state="visible")
    panel.get_by_text("Code", exact=True).click()
    assert judged(narrow_page) == []
