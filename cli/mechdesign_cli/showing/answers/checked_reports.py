"""Doubts about a state: counts that no honest population gives."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from mechdesign.errors import shorten
from mechdesign_catalog.collection.estimates.flagging import LEVEL, Flag, flag_rates
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_cli.showing.messages import Kind, say

OF_ITEMS = ("items", "outputs", "buckets")
"""Names of counts whose places are the items."""

MOST_SAID = 3
MOST_WRITTEN = 100
"""Flags in words, and in a document."""


@dataclass(frozen=True, eq=False)
class CheckedReports:
    """A state whose reports were counted."""

    state: CollectionState

    @cached_property
    def flags(self) -> list[Flag]:
        """Counts that no honest population gives."""
        return flag_rates(self.state)

    def document(self) -> dict[str, Any]:
        """Return what a document tells: reports left out, and flagged counts, the first of many."""
        return {
            "dropped": self.state.provenance.dropped,
            "flagged_level": LEVEL,
            "flagged_counts": len(self.flags),
            "flagged": [asdict(flag) for flag in self.flags[:MOST_WRITTEN]],
        }

    def say(self, items: Sequence[str]) -> None:
        """Say what is flagged; `items` are the names of the items, if they have any."""
        if not self.flags:
            return
        count = len(self.flags)
        say(
            f"{count:,} count{'s' * (count > 1)} would come from honest users with a probability below {LEVEL:g}; "
            "some users may send false reports, or a client may be broken",
            Kind.DOUBT,
        )
        for flag in self.flags[:MOST_SAID]:
            say(f"- {_described(flag, items)}", Kind.DOUBT)
        if count > MOST_SAID:
            more = f"- and {count - MOST_SAID:,} more (--json has {'them' if count <= MOST_WRITTEN else 'some'})"
            say(more, Kind.DOUBT)


def _described(flag: Flag, items: Sequence[str]) -> str:
    words = flag.describe()
    if flag.name not in OF_ITEMS or flag.place >= len(items):
        return words
    return f"item {shorten(items[flag.place])}{words.removeprefix(f'{flag.name}, place {flag.place}')}"
