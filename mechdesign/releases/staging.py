"""Staged output and record of a release, safe from kills.

No kill loses the draw, and no later run draws it again.

Nothing that was drawn is on the disk under any name until all of it is drawn. Then, in this order:

1. the record, with the SHA-256 of the output, is written and synced as `RECORD.unfinished`;
2. the output is written and synced as `OUTPUT.unfinished`;
3. the record is renamed to its name, and then the output to its own.

A run that was killed after 2 leaves bytes that are whole, as the record proves; they are the draw, and are published by
the next run. One that was killed before leaves none, or a part that was never whole: the draw is lost, nobody has seen
it, and its remains are deleted. Where no record is asked for, the same one is staged beside the output
(`OUTPUT.record.unfinished`) and deleted at the end.
"""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

from mechdesign.documents.files import read_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.unnamed import sync_folder
from mechdesign.errors import InputError
from mechdesign.releases.locking import locked
from mechdesign.releases.record import ReleaseRecord, file_digest
from mechdesign.releases.record_document import parse_record

UNFINISHED = ".unfinished"
"""What is appended to the name of a file that is whole, and waits to be published."""

PIECE = 1 << 20


class Stage(Enum):
    """The stage of an earlier release that this run meets."""

    DRAWN = "drawn, and not published"
    RECORD_PUBLISHED = "drawn, with its record published"
    PUBLISHED = "published"


@dataclass(frozen=True)
class ExistingRelease:
    """The record of a release that is there already, how far it has come, and which file has its rows."""

    record: ReleaseRecord
    stage: Stage
    output: Path


@dataclass(frozen=True)
class OutputPaths:
    """The paths of an output and of its record, which is None without a record."""

    output: Path
    record: Path | None

    @classmethod
    def of(cls, output: Path, record: Path | None) -> "OutputPaths":
        """Follow links, so that what they point to is replaced."""
        return cls(output.resolve(), None if record is None else record.resolve())

    @property
    def staged_output(self) -> Path:
        """Where the whole output waits."""
        return self.output.with_name(self.output.name + UNFINISHED)

    @property
    def staged_record(self) -> Path:
        """Where the record waits, or the one that is not published."""
        return self.note if self.record is None else self.record.with_name(self.record.name + UNFINISHED)

    @property
    def note(self) -> Path:
        """Where the record of a release waits that publishes none."""
        return self.output.with_name(f"{self.output.name}.record{UNFINISHED}")

    @property
    def folders(self) -> list[Path]:
        """The folders of both."""
        return sorted({path.parent for path in (self.output, self.record) if path is not None})

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold off every other release into these folders.

        Raises:
            InputError: where another one is still at work after `LOCK_SECONDS`.
        """
        with ExitStack() as stack:
            for folder in self.folders:
                stack.enter_context(locked(folder, "output folder", "into which another release is being written"))
            yield

    def look(self) -> ExistingRelease | None:
        """Find what an earlier run has left, and delete the remains of a draw that was never whole.

        Raises:
            InputError: for staged files that do not belong together, or a record without its output.
        """
        drawn = file_digest(self.staged_output) if self.staged_output.exists() else None
        if self.staged_record.exists():
            return self._look_at_staged(_read_record(self.staged_record), drawn)
        published = _read_record(self.record) if self.record is not None and self.record.exists() else None
        if drawn is not None:
            if published is None or published.output_digest != drawn:
                raise self._unknown(f"{self.staged_output.name} without the record of its draw")
            return ExistingRelease(published, Stage.RECORD_PUBLISHED, self.staged_output)
        if published is None:
            return None
        if not self.output.exists() or file_digest(self.output) != published.output_digest:
            raise self._unknown(f"{self.record} without its output; move it away if that is elsewhere")
        return ExistingRelease(published, Stage.PUBLISHED, self.output)

    def _look_at_staged(self, record: ReleaseRecord | None, drawn: str | None) -> ExistingRelease | None:
        if record is not None and record.output_digest == drawn:
            return ExistingRelease(record, Stage.DRAWN, self.staged_output)
        if record is None and drawn is not None:
            raise self._unknown(f"{self.staged_output.name} beside a broken {self.staged_record.name}")
        whole = drawn is None and self.record is None and self.output.exists()
        if whole and record is not None and file_digest(self.output) == record.output_digest:
            return ExistingRelease(record, Stage.PUBLISHED, self.output)
        if record is not None:
            self._require_not_of_another(record)
        self.delete_staged()
        return None

    def _require_not_of_another(self, record: ReleaseRecord) -> None:
        """Refuse to delete the staged record of another output, which waits beside it."""
        others = (path for folder in self.folders for path in folder.glob(f"*{UNFINISHED}") if path.is_file())
        for path in others:
            if file_digest(path) == record.output_digest:
                raise self._unknown(f"{self.staged_record.name}, which belongs to {path.name}")

    def _unknown(self, got: str) -> InputError:
        return InputError(f"a release must be finished before the next, got {got}; --discard deletes it (it was drawn)")

    def delete_staged(self) -> list[Path]:
        """Delete what is staged, the output first; returns what was there."""
        return _deleted([self.staged_output, self.staged_record])

    def discard(self) -> list[Path]:
        """Delete what is staged, and a record without its output; returns what was there."""
        gone = _deleted([self.staged_output, self.staged_record, self.note])
        if self.record is not None and self.record.exists():
            published = _read_record(self.record)
            if published and not (self.output.exists() and file_digest(self.output) == published.output_digest):
                gone += _deleted([self.record])
        return gone

    def stage(self, record: str, drawn: IO[bytes]) -> None:
        """Write and sync the record, and then the output, under the names where the next run looks for them.

        Raises:
            InputError: where they cannot be written; nothing is left then.
        """
        try:
            with _new_file(self.staged_record) as stream:
                stream.write(record.encode())
            drawn.seek(0)
            with _new_file(self.staged_output) as stream:
                while piece := drawn.read(PIECE):
                    stream.write(piece)
            self._sync_folders()
        except OSError as error:
            self.delete_staged()
            raise InputError(f"output could not be written: {self.output} ({error.strerror})") from None
        except BaseException:
            self.delete_staged()
            raise

    def publish(self, stage: Stage = Stage.DRAWN, published: Callable[[], object] = tuple) -> None:
        """Rename the record, and then the output; what is not published is deleted.

        `published` is called when both are there, and a run that is killed before it would come here again.

        Raises:
            InputError: where they cannot be renamed; what is staged stays for the next run.
        """
        try:
            if stage is Stage.DRAWN and self.record is not None:
                _rename(self.staged_record, self.record)
            if stage is not Stage.PUBLISHED:
                _rename(self.staged_output, self.output)
            self._sync_folders()
            published()
            if self.record is None:
                self.staged_record.unlink()
                self._sync_folders()
        except OSError as error:
            raise InputError(
                f"output could not be written: {self.output} ({error.strerror}); what was drawn is in "
                f"{self.staged_output}, and the same command publishes it"
            ) from None

    def _sync_folders(self) -> None:
        for folder in self.folders:
            sync_folder(folder)


def _read_record(path: Path) -> ReleaseRecord | None:
    """Read a record; None for a file that is something else, or broken."""
    try:
        return parse_record(parse_json(read_text(path), str(path)), str(path), plain=True).record
    except InputError:
        return None


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a new file that its owner alone can read, and sync it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _rename(staged: Path, path: Path) -> None:
    """Sync a staged file, give it the rights of the one that it replaces, or usual ones, and put it in its place."""
    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~mask
    with staged.open("rb") as stream:
        os.fsync(stream.fileno())
    staged.chmod(mode)
    staged.replace(path)
    sync_folder(path.parent)


def _deleted(paths: Sequence[Path]) -> list[Path]:
    gone = []
    for path in paths:
        with suppress(FileNotFoundError):
            path.unlink()
            gone.append(path)
    return gone
