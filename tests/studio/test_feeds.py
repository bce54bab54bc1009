"""Feeds: bounded, in order, and complete for who comes back in time."""

import asyncio

from mechdesign_studio import feeds as module
from mechdesign_studio.feeds import Event, Feed, Feeds


def read(feed, after, until):
    async def first():
        found = []
        async for message in feed.messages(after, lambda: True):
            found.append(message)
            if len(found) > until:
                break
        return [text for text in found if text.startswith("id")]

    return asyncio.run(first())


def test_a_feed_keeps_the_last_events(monkeypatch):
    monkeypatch.setattr(module, "MOST_EVENTS", 3)
    feed = Feed()
    for number in range(1, 6):
        feed.add(Event(number, "{}"))
    assert read(feed, 0, 9) == [f"id: {number}\ndata: {{}}\n\n" for number in (3, 4, 5)]
    assert read(feed, 4, 9) == ["id: 5\ndata: {}\n\n"]


def test_a_feed_keeps_so_many_bytes_and_the_last_event_always(monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    feed = Feed()
    for number, size in enumerate((4, 4, 4, 50), start=1):
        feed.add(Event(number, "x" * size))
        assert [text.split()[1] for text in read(feed, 0, 9)] == {1: ["1"], 2: ["1", "2"], 3: ["2", "3"], 4: ["4"]}[
            number
        ]


def test_of_too_many_feeds_the_oldest_that_nobody_hears_goes(monkeypatch):
    monkeypatch.setattr(module, "MOST_FEEDS", 2)
    feeds = Feeds()
    one, two = feeds.of_page("1"), feeds.of_page("2")
    one.listeners = 1
    feeds.of_page("3")
    assert feeds.of_page("1") is one
    assert feeds.of_page("2") is not two
