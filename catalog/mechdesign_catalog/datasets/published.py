"""Published files: a copy on this machine, or one download, with the right checksum."""

import hashlib
import os
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from mechdesign.documents.files import whole_binary_file
from mechdesign.errors import InputError

FOLDER_VARIABLE = "MECHDESIGN_DATA"
OFFLINE_VARIABLE = "MECHDESIGN_OFFLINE"
"""Where it is `1` nothing is fetched: a file is here, or it is missed."""

TIMEOUT = 20
"""Seconds without an answer after which a server counts as out of reach."""

SET_ASIDE = ".wrong-checksum"


def _free_name(path: Path) -> Path:
    """Choose where a wrong file goes; never in place of one that was set aside before."""
    aside = path.with_name(path.name + SET_ASIDE)
    others = (aside.with_name(f"{aside.name}-{k}") for k in count(2))
    return next(free for free in chain([aside], others) if not free.exists())


def _cache() -> Path:
    from pooch import os_cache

    return Path(os_cache("mechdesign"))


class _OutOfReachError(Exception):
    """The reason why a file cannot be fetched."""


@dataclass(frozen=True)
class PublishedFile:
    """A published file: its name, its address, and the SHA-256 of each version that is known to be right."""

    file_name: str
    address: str
    checksums: tuple[str, ...]

    def read(self, folder: Path | None = None) -> bytes:
        """Read the file from `folder`, else from the folder that MECHDESIGN_DATA names, else from the user's cache.

        It is fetched to the cache once, where no folder has it.

        Raises:
            InputError: where it cannot be had, with the two ways to get it; or where its checksum is wrong: the file is
                then set aside under another name.
        """
        given = self._folder(folder)
        if given is not None and (given / self.file_name).exists():
            return self._checked(given / self.file_name)
        try:
            return self._checked(self._cached())
        except _OutOfReachError as reason:
            looked = "" if given is None else f"{self.file_name} is not in {given}, and "
            raise InputError(
                f"{looked}{self.file_name} could not be fetched from {self.address}, got {reason}; try again with a "
                f"network, or download it by hand and name its folder with --data-dir or {FOLDER_VARIABLE}"
            ) from None

    def is_here(self, folder: Path | None = None) -> bool:
        """Return whether `read` would find the file on this machine, right or wrong, and fetch nothing."""
        given = self._folder(folder)
        return (given is not None and (given / self.file_name).exists()) or (_cache() / self.file_name).exists()

    def _folder(self, given: Path | None) -> Path | None:
        named = os.environ.get(FOLDER_VARIABLE)
        return given if given is not None else Path(named) if named else None

    def _cached(self) -> Path:
        folder = _cache()
        path = folder / self.file_name
        if not path.exists():
            if os.environ.get(OFFLINE_VARIABLE) == "1":
                raise _OutOfReachError(f"{OFFLINE_VARIABLE}=1, which forbids it")
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise _OutOfReachError(f"no cache folder {folder} ({error.strerror})") from None
            self._fetch(path)
        return path

    def _fetch(self, path: Path) -> None:
        from pooch import HTTPDownloader
        from requests import RequestException

        with whole_binary_file(path) as stream:
            try:
                HTTPDownloader(timeout=TIMEOUT)(self.address, stream, None)
            except RequestException as error:
                raise _OutOfReachError(f"no answer from the server ({type(error).__name__})") from None

    def _checked(self, path: Path) -> bytes:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"file must be readable, got {path} ({error.strerror})") from None
        found = hashlib.sha256(content).hexdigest()
        if found in self.checksums:
            return content
        aside = _free_name(path)
        try:
            path.replace(aside)
            outcome = f"set aside as {aside.name}"
        except OSError as error:
            outcome = f"not used, and left where it is, since it could not be renamed ({error.strerror})"
        raise InputError(
            f"{path} must have the SHA-256 {self.checksums[0]}, got {found}; {outcome}; "
            f"the right file is at {self.address}"
        )
