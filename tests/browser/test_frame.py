"""The page's frame: menu, links, history, themes, keyboard."""

from typing import Any

import pytest
from panels import PANELS, open_panel


@pytest.mark.slow
class TestMenu:
    def test_every_panel_opens_by_its_link(self, page: Any) -> None:
        links = page.locator("nav a")
        assert links.count() == len(PANELS)
        for at, name in enumerate(PANELS):
            links.nth(at).click()
            heading = page.locator(f"#panel-{name} h1")
            heading.wait_for(state="visible")
            assert page.title() == f"{heading.inner_text()} · mechdesign studio"
            assert page.locator("nav a[aria-current=page]").inner_text() == heading.inner_text()
            assert page.locator("main > section:visible").count() == 1

    def test_back_returns_to_the_panel_before(self, page: Any) -> None:
        open_panel(page, "check")
        open_panel(page, "ranges")
        page.go_back()
        page.locator("#panel-check").wait_for(state="visible")
        page.go_forward()
        page.locator("#panel-ranges").wait_for(state="visible")
