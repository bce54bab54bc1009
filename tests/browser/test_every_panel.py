"""Every panel, both widths, both themes: axe finds nothing serious, nothing is cut off, headings are in order."""

from itertools import pairwise
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from panels import PANELS, THEMES, open_panel

REPEATED_IDS = """() => {
  const all = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return all.filter((id, at) => all.indexOf(id) !== at);
}"""
HEADINGS = """() => [...document.querySelectorAll("main h1, main h2, main h3, main h4")]
  .filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))"""
UNNAMED = """() => [...document.querySelectorAll("main input, main select, main textarea, main button")]
  .filter((one) => one.checkVisibility() && !one.labels?.length && !one.textContent.trim() && !one.ariaLabel)
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.slow
class TestEveryPanel:
    def test_wide(self, page: Any) -> None:
        assert faults(page) == []

    def test_as_wide_as_a_telephone(self, narrow_page: Any) -> None:
        assert faults(narrow_page) == []


def faults(page: Any) -> list[str]:
    found: list[str] = []
    for name in PANELS:
        open_panel(page, name)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            found += [f"{name}, {theme}: {one}" for one in serious_findings(page)]
        if extra := overflow(page):
            found.append(f"{name}: {extra} px too wide")
        levels = page.evaluate(HEADINGS)
        if levels[:1] != [1] or levels.count(1) != 1 or any(b > a + 1 for a, b in pairwise(levels)):
            found.append(f"{name}: headings {levels}")
        found += [f"{name}: repeated id {one}" for one in page.evaluate(REPEATED_IDS)]
        found += [f"{name}: no name for {one}" for one in page.evaluate(UNNAMED)]
    return found
