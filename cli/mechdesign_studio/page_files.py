"""The files of the page."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.responses import Response

from mechdesign.pages.assets import FILES, without_remarks
from mechdesign_studio.answers import RefusedError

FOLDERS = (Path(__file__).parent / "page", FILES)
"""The page's own files, and those that other pages have too."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""Files that are served, by suffix."""

BARE = (".css", ".js")
"""Files that are served without their remarks, by suffix."""

MODULES = b"MODULES"
"""Where the page names its modules: those of its frame, and by panel those that a panel needs beside them."""

FACTS = "js/facts.js"
"""The module of what Python states and the page needs at once."""

FRAME, PANELS = "js/main.js", "js/panels/"
"""The module that the page begins with, and the folder of those that it loads when a panel is looked at."""

IMPORT = re.compile(r'^(?:import|export) .*?from "(\.[^"]+)";$', re.MULTILINE)
TAG_DIGITS = 24


class PageFiles:
    """All files of the page, read once: a browser asks for many of them, and its first picture waits for the last one.

    `facts` are exported by a module of the page, each under its name.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        paths = {
            path.relative_to(folder).as_posix(): path
            for folder in FOLDERS
            for path in sorted(folder.rglob("*"))
            if path.suffix in TYPES
        }
        lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in facts.items()]
        self._content = {**{name: _content(path) for name, path in paths.items()}, FACTS: "".join(lines).encode()}
        modules = json.dumps(self._modules(), separators=(",", ":")).encode()
        self._content["index.html"] = self._content["index.html"].replace(MODULES, modules)
        self._tags = {name: f'"{hashlib.sha256(content).hexdigest()[:TAG_DIGITS]}"' for name, content in self}

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and content of each file."""
        return iter(self._content.items())

    def answer(self, name: str, known: str | None = None) -> Response:
        """Answer with a file; `known` is the tag of what the browser has, which may be the same.

        Raises:
            RefusedError: where there is none of that name.
        """
        if name not in self._content:
            raise RefusedError(404, "page must have a file of this name, got another one")
        headers = {"cache-control": "no-cache", "etag": self._tags[name]}
        if known == self._tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(self._content[name], headers=headers, media_type=TYPES[PurePosixPath(name).suffix])

    def _modules(self) -> dict[str, list[str]]:
        """Name what the frame imports, and what each panel does beside it, so that a browser need not find out."""
        frame = self._reached(FRAME, {})
        panels = [name for name in self._content if name.startswith(PANELS)]
        beside = {PurePosixPath(name).stem: self._reached(name, frame) for name in panels}
        return {"": list(map(_short, frame)), **{panel: list(map(_short, names)) for panel, names in beside.items()}}

    def _reached(self, name: str, known: Iterable[str]) -> list[str]:
        """List a module and all that it imports, but for those that are known."""
        found = dict.fromkeys(known, False)
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = True
                waiting += _imports(name, self._content[name].decode())
        return [name for name, is_new in found.items() if is_new]


def _content(path: Path) -> bytes:
    """Read a file, for a browser: remarks are for who reads the source."""
    if path.suffix in BARE:
        return without_remarks(path.read_text(encoding="utf-8")).encode()
    return path.read_bytes()


def _short(name: str) -> str:
    return name[len("js/") : -len(".js")]


def _imports(name: str, text: str) -> list[str]:
    """List what a module imports, as names of files."""
    here = PurePosixPath(name).parent
    found = []
    for target in IMPORT.findall(text):
        parts = list(here.parts)
        for part in PurePosixPath(target).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        found.append("/".join(parts))
    return found
