"""The watch on a page: its outside requests, its console, and broken rules of the policy."""

import re
from collections.abc import Iterator
from typing import Any

from running_studio import RunningStudio

LOUD = ("error", "warning")
BROKEN_RULES = "document.addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective))"


class Watch:
    """The offences of a browser context: what it did and should not have done."""

    def __init__(self, context: Any, base: str) -> None:
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self._allowed: list[str] = []
        context.route(re.compile(rf"^(?!{re.escape(base)}/)"), self._refuse)
        context.add_init_script(BROKEN_RULES)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def allow(self, pattern: str) -> None:
        """Accept complaints in the console that match: a test that provokes them names them."""
        self._allowed.append(pattern)

    def faults(self) -> list[str]:
        """Everything that a clean page has not."""
        loud = [text for text in self.complaints if not any(re.search(one, text) for one in self._allowed)]
        return [*(f"asked for {address}" for address in self.foreign), *(f"console: {text}" for text in loud)]

    def _refuse(self, route: Any) -> None:
        self.foreign.append(route.request.url)
        route.abort()

    def _console(self, message: Any) -> None:
        if message.type in LOUD:
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")


def watched_page(browser: Any, studio: RunningStudio, watch: list[Watch], **settings: Any) -> Iterator[Any]:
    """Open a context and a page in it, and say at the end what it should not have done."""
    settings = {"viewport": {"width": 1280, "height": 900}, "accept_downloads": True, "locale": "en-GB", **settings}
    context = browser.new_context(**settings)
    context.set_default_timeout(40_000)
    watch.append(Watch(context, studio.base))
    page = context.new_page()
    page.goto(studio.address)
    try:
        yield page
    finally:
        context.close()
    assert not watch[0].faults(), watch[0].faults()
