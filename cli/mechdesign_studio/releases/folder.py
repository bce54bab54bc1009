"""The folder of releases as it is: releases, their stages, their files.

Nothing is drawn here.
"""

import json
import os
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError, quote

KEY, ENTRY, DISCARDED = "secret.key", "release.json", "discarded"
OUTPUT, RECORD, STATEMENT = "released.csv", "record.json", "statement.txt"
FORMAT = "mechdesign-studio-release/1"

NAME = re.compile(r"release-[0-9a-f]{16}(-[0-9]{1,4})?")
"""Subfolders: the beginning of the release's identity, and a number where earlier ones were discarded."""

SENT = ".sent"
"""What is appended to the name of a file to note that a browser was sent it."""

LARGEST_ENTRY = 1 << 20

FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""A name that the page may give to a new folder: no path, nothing hidden, and no ending."""

OWNER_ONLY = 0o700

UNTRACKED = ".gitignore"
"""A file that keeps version control from the folder, which has the secret key."""


@dataclass(frozen=True)
class ReleaseFolder:
    """The folder that the office chose; each release has a subfolder."""

    path: Path

    @classmethod
    def made(cls, place: Path, name: str) -> "ReleaseFolder":
        """Make the folder of this name in a place, for its owner only; one of an earlier studio is taken as it is.

        A page names it, so a name can lead nowhere else, and what is there already is the user's own, and empty or a
        folder of releases.

        Raises:
            InputError: for any other.
        """
        if not FOLDER_NAME.fullmatch(name):
            raise InputError(f"name of the folder must be plain, such as releases, got {quote(name)}")
        path = place / name
        try:
            path.mkdir(OWNER_ONLY, exist_ok=True)
            there = {one.name for one in path.iterdir()} if _is_own_folder(path) else {""}
            if KEY not in there and there - {UNTRACKED}:
                raise FileExistsError
            (path / UNTRACKED).write_text("*\n", encoding="ascii")
        except FileExistsError:
            raise InputError(f"folder must be new, or empty, or one of releases, got {path}") from None
        except OSError as error:
            raise InputError(f"folder must be where you can write, got {path} ({error.strerror})") from None
        return cls(path)

    def names(self) -> list[str]:
        """List the releases.

        Raises:
            InputError: where the folder is gone or cannot be read.
        """
        try:
            return sorted(found.name for found in self.path.iterdir() if NAME.fullmatch(found.name))
        except OSError as error:
            raise InputError(f"release folder must exist, got {self.path} ({error.strerror})") from None

    def all(self) -> list[dict[str, Any]]:
        """Describe every release that was asked for here, the newest first."""
        found = [entry for name in self.names() if (entry := self.describe(name)) is not None]
        return sorted(found, key=lambda entry: str(entry["asked"]), reverse=True)

    def describe(self, name: str) -> dict[str, Any] | None:
        """Describe a release; None where nothing is written down of it.

        Its state is `drawn`, `discarded`, or `unfinished`: being drawn, or interrupted. `remains` tells that a worker
        has something to finish or to clear.
        """
        entry = self._entry(name)
        if entry is None:
            return None
        discarded = self._read(name, DISCARDED)
        there = [file for file in (OUTPUT, RECORD) if (self.path / name / file).is_file()]
        is_whole = len(there) == 2
        state = "discarded" if discarded is not None else "drawn" if is_whole else "unfinished"
        return {
            "release": name,
            "state": state,
            "remains": bool(there) if state == "discarded" else not is_whole,
            "folder": str(self.path / name),
            "files": [self._file(name, file) for file in (OUTPUT, RECORD, STATEMENT)] if state == "drawn" else [],
            "discarded": discarded,
            **{key: entry.get(key) for key in ("asked", "input", "options", "quote")},
        }

    def file(self, name: str, file: str) -> Path:
        """Return a file of a release that is drawn.

        Raises:
            FileNotFoundError: for another release, or another file.
        """
        found = self.describe(name) if NAME.fullmatch(name) else None
        if found is None or found["state"] != "drawn" or file not in (OUTPUT, RECORD):
            raise FileNotFoundError(file)
        return self.path / name / file

    def statement(self, name: str) -> str:
        """Return the statement that stands in the record of a release."""
        try:
            return str(json.loads(self.file(name, RECORD).read_bytes())["statement"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{RECORD} must be a record, got another file in {self.path / name}") from None

    def note_sent(self, name: str, file: str) -> None:
        """Note that a browser was sent a file; whether it was kept is not known, so nothing is deleted."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        (self.path / name / f"{file}{SENT}").write_text(f"{now}\n")

    def _file(self, name: str, file: str) -> dict[str, Any]:
        path = self.path / name / file
        return {
            "name": file,
            "bytes": path.stat().st_size if path.is_file() else None,
            "sent": self._read(name, f"{file}{SENT}"),
        }

    def _entry(self, name: str) -> dict[str, Any] | None:
        text = self._read(name, ENTRY)
        try:
            entry = None if text is None else json.loads(text)
        except (ValueError, RecursionError):
            return None
        return entry if isinstance(entry, dict) and entry.get("format") == FORMAT else None

    def _read(self, name: str, file: str) -> str | None:
        path = self.path / name / file
        try:
            if not path.is_file():  # a pipe would let nobody who opens it go on
                return None
            with path.open(encoding="utf-8") as stream:
                return stream.read(LARGEST_ENTRY).strip()
        except (OSError, UnicodeDecodeError):
            return None


def _is_own_folder(path: Path) -> bool:
    """Whether a path is a folder of this user, and no link to one."""
    found = path.lstat()
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
