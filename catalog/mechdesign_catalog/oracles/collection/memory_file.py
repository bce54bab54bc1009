"""Keep a memory in a file: it is read before a round, grows, and is saved before the reports are."""

import stat
from collections.abc import Sequence
from pathlib import Path

from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign_catalog.oracles.collection.memory import SECRET, Memoised, Memory
from mechdesign_catalog.oracles.oracle import Values
from mechdesign_catalog.oracles.reports import Reports


class MemoryFile:
    """Hold the memory of a file, or an empty one where there is none yet, for one round of reports."""

    def __init__(self, path: Path, oracle: Memoised, domain_digest: str, seed: int | None) -> None:
        self.path = path
        self.is_new = not path.exists()
        if self.is_new:
            self.memory = Memory.empty(oracle, domain_digest, seed)
        else:
            self.memory = Memory.read(path, oracle, domain_digest, seed)
        self.newcomers = 0
        self.regulars = 0

    def answer(self, users: Sequence[str], values: Values, words: WordSource | None) -> Reports:
        """Return a report for each of these users."""
        before = len(self.memory)
        reports, self.memory = self.memory.answer(users, values, words)
        self.newcomers = len(self.memory) - before
        self.regulars = len(users) - self.newcomers
        return reports

    def words(self, seed: int) -> WordSource:
        """Return randomness for this round.

        Newcomers of a later round of a simulation must not get the answers of the first round's users.
        """
        return seeded_words((seed, len(self.memory)) if len(self.memory) else seed)

    def save(self) -> None:
        """Replace the file."""
        self.memory.save(self.path)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for whoever collects, after the round."""
        users = f"{self.regulars:,} known users, {self.newcomers:,} new"
        return (
            f"new memory {self.path}" if self.is_new else f"memory {self.path}: {users}",
            f"{self.path}: {SECRET}",
            *self._warnings,
            "A user's report stays while the value does, so rounds reveal nothing more; a new one spends anew.",
        )

    @property
    def _warnings(self) -> tuple[str, ...]:
        """Warn of a file that others can read: that may be the owner's wish, so its mode is kept."""
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if not mode & (stat.S_IRWXG | stat.S_IRWXO):
            return ()
        return (f"warning: others may open {self.path} (mode {mode:o}); chmod 600 {self.path} keeps it to its owner",)
