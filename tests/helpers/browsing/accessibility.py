"""Accessibility of what is on screen, by axe: contrast, names, roles, order."""

from typing import Any

SERIOUS = ("serious", "critical")


def serious_findings(page: Any) -> list[str]:
    """Run axe on the page as it stands, and list each serious or critical finding with its first element."""
    from axe_playwright_python.sync_playwright import Axe  # the extra test-browser may be absent where tests skip

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in SERIOUS]


def overflow(page: Any) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))
