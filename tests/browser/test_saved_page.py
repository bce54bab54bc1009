"""A saved page, opened from a file: its cells, its column and its seal, with no server and nothing loaded."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from accessibility import serious_findings
from design_panel import DesignPanel
from panels import THEMES, saved
from watching import Watch

from mechdesign import Design, DesignProblem, design, export
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document

pytestmark = pytest.mark.slow

SIZE = 9
FITS = "() => document.documentElement.scrollWidth === document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def best() -> Design:
    return design(DesignProblem(SIZE - 1, "9/10", properties="WH,CM"))


def opened(browser: Any, path: Path) -> tuple[Any, Watch, list[str]]:
    """Open a file in a browser without a network; return its page, the watch on it, and what was asked for."""
    context = browser.new_context(offline=True, accept_downloads=True, viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    watch = Watch(context, path.parent.as_uri())
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(path.as_uri())
    return page, watch, asked


def read(page: Any, text: str) -> None:
    page.locator(".heat-readout", has_text=text).wait_for()


def test_a_file_is_read_by_keys_and_pointer(browser: Any, best: Design, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    export(best, path)
    page, watch, asked = opened(browser, path)
    board = page.get_by_role("application", name="Heat map of the mechanism")
    board.focus()
    for key in ("Enter", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    read(page, f"Pr[output 2 | input 1] = 0.137174 = {best.mechanism.fraction(2, 1)}")
    page.get_by_role("heading", name="If the truth is 1").wait_for()
    page.get_by_text("The column as a table").click()
    cells = page.locator(".exact-cell")
    cells.nth(SIZE - 1).wait_for()
    column = [Fraction(text) for text in cells.all_inner_texts()]
    assert column == [best.mechanism.fraction(i, 1) for i in range(SIZE)]
    box = board.bounding_box()
    board.hover(position={"x": box["width"] - 20, "y": box["height"] - 20})
    read(page, f"= {best.mechanism.fraction(SIZE - 1, SIZE - 1)}")
    seal = page.locator("details.seal")
    assert seal.locator("summary").inner_text() == best.seal
    seal.locator("summary").click()
    seal.get_by_text("added up in exact fractions").wait_for()
    proof = saved(page, seal.get_by_role("button", name="Save the document"), tmp_path)
    assert read_document(parse_json(proof.read_text(), "proof"), "proof").proved().mechanism == best.mechanism
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(FITS)  # the heat map is drawn again in the next frame
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert serious_findings(page) == []
    assert [one for one in asked if not one.startswith("blob:")] == [path.as_uri()]
    assert not watch.faults()
    page.context.close()


def test_a_notebook_frame_draws_and_is_locked_in(browser: Any, best: Design, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>notebook</title><body>{best.show()._repr_html_()}</body>", encoding="utf-8")
    page, watch, asked = opened(browser, path)
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", name=f"If the truth is {SIZE // 2}").wait_for()
    inner = page.frames[1]
    assert inner.evaluate("() => { try { return parent.document.title } catch (error) { return error.name } }") == (
        "SecurityError"
    )
    assert [one for one in asked if not re.match("about:|data:", one)] == [path.as_uri()]
    assert not watch.faults()
    page.context.close()


def test_a_text_that_would_run_does_not(browser: Any, best: Design, tmp_path: Path) -> None:
    path = tmp_path / "evil.html"
    export(replace(best, how="</script><script>document.title = 'run'</script><img src=x onerror=alert(1)>"), path)
    page, watch, asked = opened(browser, path)
    page.get_by_role("cell", name="</script><script>").wait_for()
    assert page.title() == "A proved mechanism"
    refused = page.evaluate("""() => new Promise(done => {
        document.addEventListener('securitypolicyviolation', event => done(event.violatedDirective));
        document.body.append(Object.assign(document.createElement('script'), {textContent: "document.title = 'run'"}));
    })""")
    assert (refused, page.title(), len(asked)) == ("script-src-elem", "A proved mechanism", 1)
    watch.allow("policy|Content Security Policy")
    assert not watch.faults()
    page.context.close()


def test_the_panel_saves_the_page_of_what_it_shows(browser: Any, page: Any, tmp_path: Path) -> None:
    panel = DesignPanel(page, n=4, alpha="9/10", props="WH,CM", loss="L0")
    shown = design(DesignProblem(4, "9/10", properties="WH,CM"))
    path = saved(page, panel.section.get_by_role("button", name="Save this page"), tmp_path)
    assert path.name == "mechanism.html"
    alone, watch, _ = opened(browser, path)
    alone.get_by_text(shown.seal).wait_for()
    alone.get_by_role("application", name="Heat map of the mechanism").focus()
    alone.keyboard.press("Enter")
    read(alone, f"Pr[output 0 | input 0] = 0.246914 = {shown.mechanism.fraction(0, 0)}")
    assert not watch.faults()
    alone.context.close()
