"""Screenshots of each panel at work, at both widths and in both themes.

Run `python tests/helpers/browsing/screenshots.py FOLDER`; panels may be named after the folder. `--window` takes what a
window shows, and not the whole page. `--docs` makes the pictures of the documentation anew: FOLDER is docs/images.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from browsers import start_browser
from panels import PANELS, THEMES, WIDTHS, open_panel
from running_studio import running_studio

DESIGN = {"n": 8, "alpha": "0.9", "props": "WH,CM", "loss": "L0"}


def people(folder: Path) -> Path:
    """Microdata that nobody lives in."""
    path = folder / "people.csv"
    rows = [f"area {at // 8},{(at * 37) % 90},{'fm'[at % 2]},{(at * 7) % 50},{int(at % 5 == 0)}" for at in range(600)]
    path.write_text("\n".join(["area,age,sex,hours,poor", *rows]) + "\n")
    return path


def matrix(folder: Path) -> Path:
    """The matrix of another tool: a truncated geometric mechanism in decimals, which nearly sums to 1."""
    path = folder / "matrix.csv"
    path.write_text("0.5263,0.4737,0.4263\n0.0474,0.0526,0.0474\n0.4263,0.4737,0.5263\n")
    return path


def check(panel: Any, folder: Path) -> None:
    panel.locator("input[type=file]").first.set_input_files(matrix(folder))


def data(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Compare mechanisms").click()
    panel.get_by_role("heading", name="Mechanisms side by side").wait_for()


def noise_tables(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Try it with an example").click()
    panel.get_by_text("ptable's table: most entropy").wait_for()


def ranges(panel: Any, folder: Path) -> None:
    panel.locator("input[type=file]").set_input_files(people(folder))
    panel.locator("option[value=age]").wait_for(state="attached")
    panel.get_by_label("Column", exact=True).select_option("age")
    for label, value in (("First edge", "0"), ("Last edge", "90"), ("Width", "10"), ("Epsilon", "3")):
        panel.get_by_label(label).fill(value)
    panel.get_by_role("button", name="Simulate a collection").click()
    panel.get_by_text("Simulated in").wait_for()


def marginals(panel: Any, folder: Path) -> None:
    panel.get_by_label("A CSV file with a header").set_input_files(people(folder))
    panel.get_by_role("switch", name="poor").wait_for()
    for column in ("age", "hours", "area"):
        panel.get_by_role("switch", name=column).uncheck()
    panel.get_by_label("Epsilon").fill("4")
    panel.get_by_role("button", name="Simulate a collection").click()
    panel.get_by_text("Simulated in").wait_for()


def workloads(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Design and prove").click()
    panel.get_by_text("for each user").wait_for()


def collect(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Try it").click()
    panel.get_by_text("Estimated in").wait_for()


def release(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Try it").click()
    panel.get_by_text("The record was checked.").wait_for()


def start(panel: Any, _: Path) -> None:
    panel.get_by_role("button", name="Ask for honesty").click()
    panel.get_by_role("button", name="With more privacy").click()
    panel.get_by_text("about 69 of 100").wait_for()


def shown(selector: str) -> Callable[[Any, Path], None]:
    """Wait for what a panel shows by itself."""
    return lambda panel, _: panel.locator(selector).first.wait_for()


WORK: dict[str, Callable[[Any, Path], None]] = {
    "start": start,
    "design": shown(".curve summary:text-matches('proved')"),
    "prices": shown(".price-chart .chart-line"),
    "check": check,
    "noise": noise_tables,
    "data": data,
    "oracles": shown("tbody tr"),
    "workloads": workloads,
    "ranges": ranges,
    "marginals": marginals,
    "collect": collect,
    "release": release,
    "code": shown("pre"),
}
"""What is done in a panel before its picture."""

DOCUMENTED = {
    "start": (1280, 900, "light"),
    "design": (1280, 900, "light"),
    "prices": (1280, 900, "dark"),
    "ranges": (1280, 900, "light"),
    "oracles": (390, 900, "dark"),
    "noise": (1280, 900, "light"),
    "workloads": (1280, 1250, "light"),
}
"""Panels of the documentation: width and height of the window, and the theme."""

EVERY_ALPHA = {"n": 4, "alpha": "0.6", "props": "RH", "loss": "L1"}
"""The design whose card "At every alpha" has a picture of its own."""

SETTLING = 1500
"""Milliseconds that a panel has to draw."""

PATIENCE = 60_000
"""Milliseconds after which a panel that shows nothing is a fault."""


def take(browser: Any, address: str, panels: list[str], target: Path, scratch: Path, whole: bool) -> None:
    """Take the pictures."""
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 900}, locale="en-GB")
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        for name in panels:
            panel = open_panel(page, name, **DESIGN)
            WORK[name](panel, scratch)
            page.wait_for_timeout(SETTLING)
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.evaluate("() => scrollTo(0, 0)")
                page.wait_for_timeout(200)
                page.screenshot(path=target / f"{name}-{width}-{theme}.png", full_page=whole)
        page.close()


def document(browser: Any, address: str, panels: list[str], target: Path, scratch: Path) -> None:
    """Take the pictures of the documentation."""
    for name in panels:
        width, height, theme = DOCUMENTED[name]
        page = browser.new_page(viewport={"width": width, "height": height}, locale="en-GB", color_scheme=theme)
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        WORK[name](open_panel(page, name, **DESIGN), scratch)
        page.wait_for_timeout(SETTLING)
        page.evaluate("() => scrollTo(0, 0)")
        page.screenshot(path=target / f"studio-{name}.png")
        if name == "prices":
            panel = open_panel(page, name, **EVERY_ALPHA)
            panel.get_by_text("alone it costs what").first.wait_for()
            panel.locator(".card", has_text="At every alpha").screenshot(path=target / "studio-every-alpha.png")
        page.close()


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("panels", nargs="*", choices=[*PANELS, []], help="all where none is named")
    parser.add_argument("--window", action="store_true", help="what a window shows, not the whole page")
    parser.add_argument("--docs", action="store_true", help="the pictures of the documentation, in their names")
    asked = parser.parse_intermixed_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        scratch = Path(name)
        browser = start_browser(playwright)
        with running_studio(scratch, *release_folder(scratch)) as studio:
            if asked.docs:
                document(browser, studio.address, asked.panels or list(DOCUMENTED), asked.folder, scratch)
            else:
                take(browser, studio.address, asked.panels or list(PANELS), asked.folder, scratch, not asked.window)
        browser.close()


def release_folder(scratch: Path) -> tuple[object, ...]:
    """The option that lets the Release panel work."""
    folder = scratch / "releases"
    folder.mkdir()
    return "--release-folder", folder


if __name__ == "__main__":
    main()
