"""Locations of report files: paths, folders, patterns, and addresses.

A pattern is `day1/*.parquet`, an address is `s3://bucket/day1`.

Addresses are those of the file systems that pyarrow or fsspec know. A file whose name looks like an address or a
pattern is that file, where it exists.
"""

import glob
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

from mechdesign.documents.files import FilePath
from mechdesign.errors import InputError, reason_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/{1,3}(.*)", re.DOTALL)
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a file: a path, or an address."""

    name: str
    is_address: bool = False

    @classmethod
    def of(cls, given: FilePath) -> "Location":
        """Take a path or an address as it is, without looking for a folder or a pattern."""
        text = str(given)
        address = None if os.path.lexists(text) else _ADDRESS.fullmatch(text)
        if address is None:
            return cls(text)
        scheme, rest = address.groups()  # a pathlib.Path has only one slash of the two
        return cls(f"{scheme}://{'/' if scheme == 'file' else ''}{rest}", is_address=True)

    @property
    def suffix(self) -> str:
        """Ending of the name, in small letters."""
        return os.path.splitext(self.name)[1].lower()

    @property
    def size(self) -> int:
        """Number of bytes; 0 for what is not there.

        Raises:
            InputError: for an address that cannot be reached.
        """
        if not self.is_address:
            return os.path.getsize(self.name) if os.path.exists(self.name) else 0
        system, path = self._system()
        return int(system.get_file_info(path).size or 0)

    @property
    def key(self) -> object:
        """What is the same for two names of one file."""
        if self.is_address:
            return self.name
        try:
            found = os.stat(self.name)
        except (OSError, ValueError):
            return self.name
        return found.st_dev, found.st_ino

    def opened(self) -> "pa.NativeFile":
        """Open the file for reading.

        Raises:
            InputError: for an address of a file system that nobody knows.
            OSError: for a file that is missing or cannot be read.
        """
        import pyarrow as pa

        if not self.is_address:
            return pa.OSFile(self.name)
        system, path = self._system()
        return system.open_input_file(path)

    def _system(self) -> "tuple[FileSystem, str]":
        """Return the file system of an address, and the path in it."""
        scheme, rest = self.name.split("://", 1)
        rest, mark, query = rest.partition("?")
        host, slash, inner = rest.partition("/")
        try:
            system, top = _file_system(f"{scheme}://{host}{slash}{mark}{query}")
        except (OSError, ValueError, ImportError) as error:
            said = f"got {self.name} ({reason_of(error)})"
            raise InputError(f"address must be of a file system that pyarrow or fsspec knows, {said}") from None
        return system, f"{top.rstrip('/')}/{inner}" if inner else top

    def beside(self, path: str, root: str) -> "Location":
        """Return the location of another path in the file system of this address, whose own path is `root`."""
        return Location(self.name.rstrip("/") + path[len(root.rstrip("/")) :], is_address=True)


@lru_cache(maxsize=32)
def _file_system(root: str) -> "tuple[FileSystem, str]":
    import pyarrow as pa
    from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem

    try:
        found: tuple[FileSystem, str] = FileSystem.from_uri(root)
    except pa.ArrowInvalid:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise InputError(
                f"fsspec must be installed for {root}, got none; run pip install 'mechdesign[fsspec]'"
            ) from None
        system, path = url_to_fs(root)
        return PyFileSystem(FSSpecHandler(system)), str(path)
    return found


def find_files(given: FilePath, suffixes: tuple[str, ...] = (".parquet",)) -> list[Location]:
    """List the files that a name stands for, in the order of their names.

    A folder stands for all files in it and below that end in one of the suffixes, but for those under names that begin
    with a dot or an underscore. In a pattern `*` and `?` stand for letters of one name, but for a dot at its beginning,
    and `**` for folders (in an address `?` begins what the file system is told). Any other name stands for itself,
    whether there is a file or not.

    Raises:
        InputError: for a folder without such a file, or a pattern that nothing matches.
    """
    location = Location.of(given)
    if location.is_address:
        return _in_file_system(location, suffixes)
    if os.path.isdir(location.name):
        found = sorted(_in_folder(location.name, suffixes))
        return _some(found, f"folder must have files that end in {' or '.join(suffixes)}", location.name)
    if not os.path.lexists(location.name) and _PATTERN.search(location.name):
        names = sorted(name for name in glob.glob(location.name, recursive=True) if not os.path.isdir(name))
        return _some(names, "pattern must match a file", location.name)
    return [location]


def _some(names: list[str], wanted: str, given: str) -> list[Location]:
    if not names:
        raise InputError(f"{wanted}, got none in {given}")
    return [Location(name) for name in names]


def _in_folder(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _in_folder(entry.path, suffixes)
        elif entry.name.lower().endswith(suffixes):
            yield entry.path


def _in_file_system(location: Location, suffixes: tuple[str, ...]) -> list[Location]:
    """List the files that an address stands for."""
    from pyarrow.fs import FileSelector, FileType

    start = re.split(r"[^/]*[*\[]", location.name, maxsplit=1)[0]
    system, path = (place := Location(start, is_address=True))._system()
    try:
        (info,) = system.get_file_info([path])
        if start == location.name and info.type != FileType.Directory:
            return [location]
        files = [one for one in system.get_file_info(FileSelector(path, recursive=True)) if one.type == FileType.File]
    except OSError as error:
        raise InputError(f"address must be readable, got {location.name} ({reason_of(error)})") from None
    found = sorted((place.beside(one.path, info.path) for one in files), key=lambda one: one.name)
    if start != location.name:
        matches = _matcher(location.name[len(start) :])
        below = ((one, one.name[len(start) :]) for one in found)
        found = [one for one, path in below if matches.fullmatch(path) and "/." not in f"/{path}"]
    else:
        found = [one for one in found if one.suffix in suffixes and not _is_hidden(one.name[len(start) :])]
    if not found:
        raise InputError(f"address must have files that end in {' or '.join(suffixes)}, got none in {location.name}")
    return found


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/"))


def _matcher(pattern: str) -> re.Pattern[str]:
    """Make what matches paths below the start of a pattern; `*` does not go beyond a slash, `**` does."""
    parts = []
    for part in pattern.split("/"):
        if part == "**":
            parts.append("(?:[^/]+/)*")
        else:
            one = translate(part).replace("(?s:", "(?:").replace(".*", "[^/]*").removesuffix(r"\Z").removesuffix(r"\z")
            parts.append(one + "/")
    return re.compile("".join(parts).removesuffix("/"))
