"""Knowledge of the workers for the server; requests wait for as much as they need."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Knowledge:
    """Knowledge in stages, each of which tells everything that those before tell."""

    def __init__(self, stages: int) -> None:
        self._stages = stages
        self._known = 0
        self._latest: object = None
        self._has_failed = False
        self._news = asyncio.Event()

    @property
    def next_stage(self) -> int | None:
        """The stage that is to be learnt next; None where there is none, or it cannot be learnt."""
        return None if self._is_all or self._has_failed else self._known

    @property
    def _is_all(self) -> bool:
        return self._known == self._stages

    def add(self, stage: int, learnt: object) -> None:
        """Take what a stage tells."""
        self._known, self._latest = stage + 1, learnt
        self._wake()

    def fail(self) -> None:
        """Announce that nothing more will be learnt."""
        self._has_failed = True
        self._wake()

    async def first(self, make: Callable[[object, bool], T | None]) -> T:
        """Return what `make(learnt, is_all)` makes, as soon as enough is known for it to make something.

        Raises:
            RuntimeError: where nothing more will be learnt.
        """
        while True:
            news = self._news
            if self._known and (made := make(self._latest, self._is_all)) is not None:
                return made
            if self._has_failed or self._is_all:
                raise RuntimeError("workers end before they are ready")
            await news.wait()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
