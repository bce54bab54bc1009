"""The store of releases: a folder that the office chose, a subfolder for each.

So each is drawn once.

A release is what is made of one input by one design. The name of its subfolder follows from both (by a code of the
input under a secret key of the folder), so whoever asks for the same release, in another tab, in another studio, after
a crash, comes to the same subfolder. There the draw is that of `mechdesign release`, which locks the subfolder, and
publishes what it finds there instead of drawing again.

In the subfolder stand `release.json` (what was asked; it is written before the draw, and never changed), the output,
the record, and, after it was given up, `discarded`. Whoever draws, finishes or discards locks `release.json`.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechdesign.documents.unnamed import appear
from mechdesign.errors import InputError
from mechdesign.ledgers.names import USUAL_UNIT
from mechdesign.ledgers.payment import Payment, open_account
from mechdesign.releases.locking import locked
from mechdesign.releases.paying import payment_for_release
from mechdesign.releases.publishing import finish
from mechdesign.releases.quoting import ReleaseQuote
from mechdesign.releases.secret_key import open_key
from mechdesign.releases.staging import UNFINISHED, OutputPaths
from mechdesign_cli.showing.ledgers import spent_text
from mechdesign_studio.releases.folder import DISCARDED, ENTRY, FORMAT, KEY, NAME, OUTPUT, RECORD, ReleaseFolder

MOST_TIMES = 1000
OWNER = 0o700
AT_WORK = "at which another studio is at work"


@dataclass(frozen=True)
class ReleaseRequest:
    """The request of a release, written down before the draw.

    Attributes:
        quote: what it spends.
        input: the name of the input's file.
        options: of `mechdesign release`, as the page gave them.
    """

    quote: ReleaseQuote
    input: str
    options: Mapping[str, Any]

    def entries(self) -> dict[str, Any]:
        """Return it as an object of JSON."""
        return {
            "format": FORMAT,
            "identity": self.quote.identity,
            "input": self.input,
            "options": dict(self.options),
            "quote": self.quote.entries(),
            "asked": _now(),
        }


@dataclass(frozen=True)
class DrawnRelease:
    """A drawn release: its name, the command's exit code, and whether it was there already."""

    name: str
    code: int
    was_there: bool


class ReleaseStore:
    """The folder of releases; errors of the disk come as `InputError`."""

    def __init__(self, folder: Path, ledger: Path | None = None) -> None:
        self.folder = folder
        self.ledger = ledger

    def key(self) -> bytes:
        """Return the folder's secret key, new in a new folder.

        Raises:
            InputError: for a folder that is gone, or a key that is missing beside releases that were bound by it.
        """
        if not self.folder.is_dir():
            raise InputError(f"release folder must exist, got {self.folder}")
        path = self.folder / KEY
        if not path.exists() and (names := ReleaseFolder(self.folder).names()):
            raise InputError(f"{KEY} must be in the release folder, got {self.folder} without it; it binds {names[0]}")
        return open_key(path)[0]

    def of_input(self, input_hmac: str) -> list[dict[str, Any]]:
        """List earlier releases of the same input that were drawn: all of them count as spent."""
        found = []
        for name in ReleaseFolder(self.folder).names():
            entry = self._read(name)
            if entry is not None and entry["quote"]["input_hmac"] == input_hmac and self._was_drawn(name):
                found.append({"release": name, **entry, "discarded": self._is_discarded(name)})
        return found

    def place(self, quote: ReleaseQuote) -> tuple[str, bool]:
        """Return under which name a release is drawn next, or is there already; and whether it is there."""
        name = self._place(quote.identity)
        return name, self._was_drawn(name)

    def require_dataset(self, options: Mapping[str, Any]) -> None:
        """Refuse a release that no data set pays for.

        Raises:
            InputError: where there is a ledger, and no data set is named.
        """
        if self.ledger is not None and not options.get("dataset"):
            raise InputError(f"dataset must be named, since {self.ledger.name} pays for releases, got none")

    def budget(self, name: str, quote: ReleaseQuote, options: Mapping[str, Any], is_there: bool) -> str | None:
        """Say what the data set has spent, and what is left; None without a ledger.

        Raises:
            BudgetError: where the release would spend more than is left.
            InputError: for a data set or a unit that the ledger refuses.
        """
        payment = self._payment(name, options, quote.alpha)
        if payment is None or payment.account is None:
            return None
        if not is_there:
            payment.require_room()
        return spent_text(payment.account.balance())

    def draw(self, name: str, request: ReleaseRequest, release: Callable[[Sequence[str]], int]) -> DrawnRelease:
        """Draw a release once; the same one again comes back as it is.

        Args:
            name: as `place` gave it to whoever asks. A name that was discarded meanwhile is never drawn again.
            request: what is written down of it.
            release: runs `mechdesign release` with these further words, and returns its exit code.

        Raises:
            InputError: for a name that is not the next, a folder that cannot be written, or another studio that is at
                work for too long.
        """
        folder = self.folder / name
        while True:
            if name != self._place(request.quote.identity):
                raise InputError(
                    f"release must be the next one, got {name}, which was discarded or never shown; reload the page"
                )
            with _said():
                folder.mkdir(OWNER, exist_ok=True)
                appear(folder / ENTRY, f"{json.dumps(request.entries())}\n".encode())
            with self._alone(name) as is_there:
                if not is_there or self._is_discarded(name):
                    continue
                was_there = finish(self._places(name)) is not None
                words = ["--output", folder / OUTPUT, "--record", folder / RECORD, "--key", self.folder / KEY]
                words += [] if self.ledger is None else ["--ledger", self.ledger]
                code = release([str(word) for word in words])
                if code and not self._was_drawn(name):
                    self._remove(name)
                return DrawnRelease(name, code, was_there)

    def drawn(self, name: str) -> tuple[Path, Path]:
        """Return the output and the record of a release.

        Raises:
            InputError: where it is not drawn, or was given up.
        """
        places = self._places(name)
        if self._is_discarded(name) or not places.output.is_file() or places.record is None:
            raise InputError(f"release must be drawn already, got {name}")
        return places.output, places.record

    def finish(self, name: str) -> bool:
        """Publish what an interrupted draw has left, or clear what a discarded one has; tell whether it is drawn.

        A release of which nothing was drawn is removed: it has spent nothing.
        """
        with self._alone(name, seconds=0.0) as is_there:
            if not is_there:
                self._remove(name)
                return False
            if self._is_discarded(name):
                self._clear(name)
                return False
            found = finish(self._places(name))
            self._settle(name)
            if found is None:
                self._remove(name)
            return found is not None

    def discard(self, name: str) -> None:
        """Give a release up, and delete its output and record; that it was drawn stays written down.

        Raises:
            InputError: where there is no such release.
        """
        if not NAME.fullmatch(name):
            raise InputError(f"release must be in the folder, got {name[:60]!r}")
        with self._alone(name) as is_there:
            if not is_there:
                raise InputError(f"release must be in the folder, got {name}")
            if not self._was_drawn(name):
                self._remove(name)
                return
            with _said():
                appear(self.folder / name / DISCARDED, f"{_now()}\n".encode())
            self._clear(name)

    def _payment(self, name: str, options: Mapping[str, Any], alpha: Fraction = Fraction(1)) -> Payment | None:
        """Return the payment for a release; None without a ledger."""
        if self.ledger is None:
            return None
        dataset, part = options["dataset"], options.get("part")
        account = open_account(self.ledger, dataset, part, str(options.get("unit", USUAL_UNIT)))
        return payment_for_release(account, self._places(name), alpha)

    def _settle(self, name: str) -> None:
        """Note in the ledger what has become of what was paid: it is there under its name, or is lost."""
        entry = self._read(name)
        if entry is not None and entry["options"].get("dataset"):
            payment = self._payment(name, entry["options"])
            if payment is not None:
                payment.settle_earlier()

    def _place(self, identity: str) -> str:
        """Return the first name for this identity that was not discarded."""
        for number in range(1, MOST_TIMES):
            name = f"release-{identity[:16]}" + ("" if number == 1 else f"-{number}")
            entry = self._read(name)
            if entry is not None and entry["identity"] != identity:
                raise InputError(f"{name} must be of this release, got another one in {self.folder}")
            if not self._is_discarded(name):
                return name
        raise InputError(f"a release must be discarded fewer than {MOST_TIMES} times, got one more")

    def _places(self, name: str) -> OutputPaths:
        folder = self.folder / name
        return OutputPaths.of(folder / OUTPUT, folder / RECORD)

    def _is_discarded(self, name: str) -> bool:
        return (self.folder / name / DISCARDED).exists()

    def _was_drawn(self, name: str) -> bool:
        """Return whether anything may be on the disk that was drawn, published or not."""
        folder = self.folder / name
        return any((folder / file).exists() for file in (OUTPUT, RECORD, OUTPUT + UNFINISHED, DISCARDED))

    def _read(self, name: str) -> dict[str, Any] | None:
        """Read what was written down; None where nothing was."""
        path = self.folder / name / ENTRY
        if not path.exists():
            return None
        if not path.is_file():  # a pipe would let nobody who opens it go on
            raise InputError(f"{ENTRY} must be a file, got another thing in {self.folder / name}")
        try:
            entry = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise InputError(f"{ENTRY} must be readable, got {self.folder / name} ({error})") from None
        if not isinstance(entry, dict) or entry.get("format") != FORMAT:
            raise InputError(f"{ENTRY} must have the format {FORMAT}, got another in {self.folder / name}")
        return entry

    @contextmanager
    def _alone(self, name: str, seconds: float | None = None) -> Iterator[bool]:
        """Lock a release; tells whether it is still there once it is locked."""
        entry = self.folder / name / ENTRY
        with ExitStack() as stack:
            handle: int | None = None
            try:
                handle = stack.enter_context(locked(entry, "release", AT_WORK, seconds))
            except FileNotFoundError:
                pass
            except OSError as error:
                raise InputError(f"release must be readable, got {entry} ({error.strerror})") from None
            yield handle is not None and _is_same(entry, handle)

    def _clear(self, name: str) -> None:
        """Delete what was drawn: the output first, since a record tells nothing of the counts."""
        places = self._places(name)
        with places.alone(), _said():
            self._settle(name)
            for path in (places.staged_output, places.output, places.staged_record, places.record):
                if path is not None:
                    path.unlink(missing_ok=True)

    def _remove(self, name: str) -> None:
        """Remove a release of which nothing was drawn."""
        with suppress(OSError):
            (self.folder / name / ENTRY).unlink(missing_ok=True)
            (self.folder / name).rmdir()


def _is_same(path: Path, handle: int) -> bool:
    """Return whether a path is still the file of a descriptor."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


@contextmanager
def _said() -> Iterator[None]:
    """Say in one line what the disk refuses."""
    try:
        yield
    except OSError as error:
        place = error.filename or "release folder"
        raise InputError(f"release folder must be writable, got {place} ({error.strerror})") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
