"""The Design panel, driven as people do, with waits for its answers."""

import re
from typing import Any

from panels import open_panel

SETTLED = """asked => {
    const shown = document.querySelector('.design-results');
    const answers = shown !== null && !shown.hidden && shown.dataset.asked === location.hash;
    return answers && !shown.classList.contains('stale') && (asked === null || location.hash.includes(asked));
}"""
DRAG = """async values => {
    const slider = document.querySelector('#panel-design .strip-privacy input[type=range]');
    slider.focus();
    for (const value of values) {
        slider.value = value;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(done => setTimeout(done, 4));
    }
    slider.dispatchEvent(new Event('change', { bubbles: true }));
}"""


class DesignPanel:
    """The panel on a page."""

    def __init__(self, page: Any, **design: object) -> None:
        self.page = page
        self.section = open_panel(page, "design", **design)
        self.settle()

    def settle(self, asked: str | None = None) -> None:
        """Wait until the answer to what the address asks for is drawn; the address has `asked` in it."""
        self.page.wait_for_function(SETTLED, arg=asked)

    def drag(self, alphas: list[str]) -> None:
        """Drag the slider of alpha over these values, quickly."""
        self.page.evaluate(DRAG, alphas)

    def switch(self, name: str) -> Any:
        """The switch of a property."""
        return self.section.get_by_role("switch", name=re.compile(f"^{name} "))

    def field(self, label: str) -> Any:
        """A field by its label."""
        return self.section.get_by_label(label, exact=True)

    def fill(self, label: str, text: str) -> None:
        """Type a value and leave the field."""
        self.field(label).fill(text)
        self.field(label).press("Enter")

    @property
    def exact_score(self) -> str:
        """The exact score, as the tip of the score says it."""
        return str(self.section.locator(".exact-score").get_attribute("title"))

    @property
    def privacy(self) -> str:
        """The exact alpha, and epsilon, as the seal has them."""
        return str(self.section.locator(".exact-privacy").text_content())

    @property
    def fragment(self) -> str:
        """What stands behind # in the address."""
        return str(self.page.evaluate("() => location.hash"))

    @property
    def map(self) -> Any:
        """The heat map."""
        return self.section.get_by_role("application", name="Heat map of the mechanism")

    def read(self, text: str | re.Pattern[str]) -> None:
        """Wait until the line below the heat map has this in it."""
        self.section.locator(".heat-readout", has_text=text).wait_for()

    def cell(self, row: int, column: int, size: int) -> tuple[float, float]:
        """The middle of a cell, in pixels within the heat map."""
        side = self.section.locator(".design-results .heat-canvas").bounding_box()["width"]
        each = (side - 38 - 10) / size
        return 38 + (column + 0.5) * each, 38 + (row + 0.5) * each
