"""The report of `mechdesign report`, opened from a file: complete without a network, for everybody, on paper too."""

from pathlib import Path
from typing import Any

import pytest
from accessibility import overflow, serious_findings
from panels import THEMES
from watching import Watch

from mechdesign import DesignProblem, design
from mechdesign_figures import report_design, save_report

pytestmark = pytest.mark.slow

BROKEN = """() => [...document.querySelectorAll('.wide td')].filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].map(one => one.top));
    return /^[-+.0-9e]+$/.test(cell.innerText.trim()) && lines.size > 1;
}).map(cell => cell.innerText)"""
"""Numbers that stand in two lines."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with everything that one can have."""
    path = tmp_path_factory.mktemp("report") / "wm.html"
    found = design(DesignProblem(8, "0.9", properties="WH,CM"))
    save_report(report_design(found, name="wm.json", prices=True, data="binomial:1/3", seed=1), path)
    return path


def test_a_report_is_complete_from_a_file_alone(browser: Any, report: Path) -> None:
    context = browser.new_context(offline=True, java_script_enabled=True)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    watch = Watch(context, report.parent.as_uri())
    page = context.new_page()
    page.goto(report.as_uri())
    assert asked == [report.as_uri()]
    assert page.locator("script").count() == 0
    assert page.locator("figure svg").bounding_box()["width"] > 300
    assert [one for one in page.locator("h2").all_inner_texts() if "Errors" in one or "costs" in one] == [
        "What each property costs",
        "Errors on data",
    ]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) == 0
        assert page.evaluate(BROKEN) == []
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert serious_findings(page) == []
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")
    assert not watch.faults()
    context.close()
