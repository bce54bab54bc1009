"""Feeds of what happened to jobs, in order and numbered.

They serve who listens now and who comes back.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

MOST_EVENTS = 400
MOST_BYTES = 16 * 2**20
MOST_FEEDS = 32
"""What one feed keeps, and how many feeds there are; the oldest go first, and of feeds those without a listener.

The last event stays, however long it is."""

KEEP_ALIVE = 15.0
"""Seconds after which a silent stream says that it lives."""


@dataclass(frozen=True)
class Event:
    """One event: its number, which only grows, and its data as JSON on one line."""

    number: int
    data: str

    def message(self) -> str:
        """Write it as a message of an event stream."""
        return f"id: {self.number}\ndata: {self.data}\n\n"


class Feed:
    """The events of one page, or of one job."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self.listeners = 0
        self.missed_from = 0.0
        """The time of the loop from which on the page is given up, unless somebody listens."""

    def add(self, event: Event) -> None:
        """Add an event, and forget the oldest where there is too much."""
        self._events.append(event)
        self._bytes += len(event.data)
        while len(self._events) > MOST_EVENTS or (self._bytes > MOST_BYTES and len(self._events) > 1):
            self._bytes -= len(self._events.popleft().data)
        self.wake()

    def wake(self) -> None:
        """Let every listener look again."""
        self._news.set()
        self._news = asyncio.Event()

    async def messages(self, after: int, is_over: Callable[[], bool]) -> AsyncIterator[str]:
        """Yield the messages numbered above `after`, those kept and those to come, until `is_over`."""
        self.listeners += 1
        try:
            yield "retry: 500\n\n"
            while True:
                news = self._news
                for event in [event for event in self._events if event.number > after]:
                    after = event.number
                    yield event.message()
                if is_over() and not any(event.number > after for event in self._events):
                    return
                try:
                    await asyncio.wait_for(news.wait(), KEEP_ALIVE)
                except TimeoutError:
                    yield ": alive\n\n"
        finally:
            self.listeners -= 1


class Feeds:
    """The feeds of all pages, and the one count of events."""

    def __init__(self) -> None:
        self._feeds: OrderedDict[str, Feed] = OrderedDict()
        self._last = 0

    def of_page(self, page: str) -> Feed:
        """Return the feed of a page, a new one where the page is new."""
        feed = self._feeds.setdefault(page, Feed())
        self._feeds.move_to_end(page)
        if len(self._feeds) > MOST_FEEDS:
            silent = (name for name, other in self._feeds.items() if not other.listeners and other is not feed)
            self._feeds.pop(next(silent, ""), None)
        return feed

    def next_number(self) -> int:
        """Count one more event."""
        self._last += 1
        return self._last

    def close(self) -> None:
        """Wake every listener a last time."""
        for feed in self._feeds.values():
            feed.wake()
