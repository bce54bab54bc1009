"""Panels of the studio's page, opened, and their files saved."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PANELS = (
    *(
        "start",
        "design",
        "prices",
        "check",
        "data",
        "noise",
        "oracles",
        "workloads",
        "ranges",
        "marginals",
        "collect",
        "release",
        "code",
    ),
)
WIDTHS = (1280, 390)
THEMES = ("light", "dark")


def open_panel(page: Any, name: str, **design: object) -> Any:
    """Go to a panel with a design, and return the locator of its section once it is on screen, and built."""
    fragment = urlencode({"panel": name, **design}, safe=",:/")
    page.evaluate("fragment => { location.hash = fragment; }", fragment)
    section = page.locator(f"#panel-{name}")
    page.locator(f"#panel-{name}:not([aria-busy])").wait_for(state="visible")
    return section


@contextmanager
def held(page: Any, asked: str) -> Iterator[None]:
    """Keep what the page asks, "jobs" or "uploads*", until the block ends, so that what it says meanwhile is seen."""
    kept: list[Any] = []
    is_over = False
    page.route(f"**/api/{asked}", lambda route: route.continue_() if is_over else kept.append(route))
    yield
    is_over = True
    for route in kept:
        route.continue_()


def saved(page: Any, locator: Any, folder: Path) -> Path:
    """Click what saves a file, and return where it was saved in `folder`."""
    with page.expect_download() as expected:
        locator.click()
    download = expected.value
    path = folder / download.suggested_filename
    download.save_as(path)
    return path


def saved_json(page: Any, locator: Any, folder: Path) -> Any:
    """Click what saves a JSON document, and read it."""
    return json.loads(saved(page, locator, folder).read_text())
