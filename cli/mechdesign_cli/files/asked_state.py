"""Take the options that keep what was counted: the file of a state, and its seal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.files import require_other_files, require_writable
from mechdesign.errors import InputError, shorten
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.state_files import is_state_file, require_state_name
from mechdesign_cli.files.targets import write_and_say
from mechdesign_cli.showing.messages import say


@dataclass(frozen=True)
class AskedState:
    """Hold the file that a state goes to, if any, and whether its sources are folded."""

    path: Path | None
    seal: bool

    @classmethod
    def parse(cls, path: Path | None, seal: bool) -> "AskedState":
        """Check what was asked.

        Raises:
            InputError: for a seal without a file, or a name that is not that of a state.
        """
        if path is None and seal:
            raise InputError("--seal goes with --state, got no file")
        if path is not None:
            require_state_name(path)
        return cls(path, seal)

    def require_target(self, sources: Sequence[Path], outputs: Sequence[Path]) -> None:
        """Refuse a file that cannot be written, or would replace what is read, but for a state that goes on.

        Raises:
            InputError: naming it.
        """
        if self.path is not None:
            require_writable(self.path)
            require_other_files([self.path], [source for source in sources if not is_state_file(source)])
            if self.path.resolve() in {path.resolve() for path in outputs}:
                raise InputError(f"state and output must be two files, got {self.path} for both")

    def is_all(self, others: Sequence[object]) -> bool:
        """Tell whether a state is wanted, and nothing that needs an estimate."""
        return self.path is not None and not any(others)

    def write(self, state: CollectionState) -> None:
        """Write the state, if that is wanted."""
        if self.path is not None:
            write_and_say({self.path: (state.sealed() if self.seal else state).to_bytes()})


def say_of(state: CollectionState) -> None:
    """Say what must be known of the reports that were counted."""
    if seeds := sorted(state.provenance.seeds):
        say(f"the reports were seeded with {shorten(', '.join(map(str, seeds)))}: a simulation")
    if dropped := state.provenance.dropped:
        say(f"{dropped:,} report{'s were' if dropped > 1 else ' was'} left out, which no client can have made")
    if state.provenance.unguarded:
        say("some reports had no source: nobody can tell whether they were counted twice")
    seals = state.provenance.seals
    if seals and (state.provenance.sources or len(seals) > 1):
        say("what is within a seal is not recognised: nobody can tell whether other files or seals had it too")
