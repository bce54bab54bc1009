"""A real browser, a studio of its own for each worker of the session, and a page that is watched.

The page's strict policy stands: scripts come in by `page.evaluate` alone, and `wait_for_function` takes a function
("() => ..."), never an expression.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import NoBrowserError, is_required, start_browser
from running_studio import RunningStudio, running_studio
from watching import Watch, watched_page


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium that resolves no name; where none starts, tests skip, or fail under MECHDESIGN_BROWSER=required."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser('playwright is not installed: pip install "mechdesign[test-browser]"')
    with sync_playwright() as playwright:
        try:
            started = start_browser(playwright)
        except NoBrowserError as error:
            no_browser(str(error))
        yield started
        started.close()


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio that runs as long as the session."""
    with running_studio(tmp_path_factory.mktemp("studio")) as running:
        yield running


@pytest.fixture
def watch() -> list[Watch]:
    """The watch of the page of this test, for tests that allow a complaint: `watch[0].allow("...")`."""
    return []


@pytest.fixture
def page(browser: Any, studio: RunningStudio, watch: list[Watch]) -> Iterator[Any]:
    """A page of a fresh context at the studio, 1280 px wide; foreign requests and complaints fail the test."""
    yield from watched_page(browser, studio, watch)


@pytest.fixture
def narrow_page(browser: Any, studio: RunningStudio, watch: list[Watch]) -> Iterator[Any]:
    """As `page`, as wide as a telephone, with touch."""
    yield from watched_page(browser, studio, watch, viewport={"width": 390, "height": 844}, has_touch=True)


def no_browser(reason: str) -> None:
    """Skip, or fail where a browser is required."""
    if is_required():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def people_file(tmp_path: Path) -> Path:
    """Microdata: 600 people in areas of 8, with an age, a sex, hours of work and whether poor."""
    path = tmp_path / "people.csv"
    rows = [f"area {at // 8},{(at * 37) % 90},{'fm'[at % 2]},{(at * 7) % 50},{int(at % 5 == 0)}" for at in range(600)]
    path.write_text("\n".join(["area,age,sex,hours,poor", *rows]) + "\n")
    return path
