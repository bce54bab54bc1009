"""The files of the page."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.responses import Response

from mechdesign.pages.assets import FILES, imports, reached, scope_name, scoped, without_remarks
from mechdesign_studio.answers import RefusedError

FOLDERS = (Path(__file__).parent / "page", FILES)
"""The page's own files, and those that other pages have too."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Files that are served, by suffix."""

INDEX, ICON, STYLE = "index.html", "style/icon.svg", "style/page.css"
"""The page, its picture, and its style sheets joined: it names them one by one."""

FACTS = "js/facts.js"
"""The module of what Python states and the page needs at once."""

EARLY = "js/first.js"
"""The script that comes before the first paint, which is no module."""

FRAME, PANELS = "js/main.js", "js/panels/"
"""The module that the page begins with, and the folder of those that it loads when a panel is looked at."""

OFFERED = "build, lead, shown"
"""What the frame takes from a panel's module."""

TAG_DIGITS = 24
SHEET = re.compile(r'<link rel="stylesheet" href="/page/([^"]+)">\n')
SHEETS = re.compile(f"(?:{SHEET.pattern})+")


class PageFiles:
    """All files of the page, made once, and few: a browser's first picture waits for the last one that it asks for.

    A module that one panel alone imports is joined to that panel's file, and every other to that of the frame.
    `facts` are exported by a module of the page, each under its name.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        found = {
            path.relative_to(folder).as_posix(): path
            for folder in FOLDERS
            for path in sorted(folder.rglob("*"))
            if path.suffix in TYPES
        }
        modules = {name: _bare(path) for name, path in found.items() if path.suffix == ".js" and name != EARLY}
        modules[FACTS] = "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in facts.items())
        index = found[INDEX].read_text(encoding="utf-8")
        texts = {
            INDEX: SHEETS.sub(f'<link rel="stylesheet" href="/page/{STYLE}">\n', index),
            STYLE: "".join(_bare(found[name]) for name in SHEET.findall(index)),
            EARLY: _bare(found[EARLY]),
            ICON: found[ICON].read_text(encoding="utf-8"),
            **_joined(modules),
        }
        self._content = {name: text.encode() for name, text in texts.items()}
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


def _bare(path: Path) -> str:
    """Read a script or style sheet, for a browser: remarks are for who reads the source."""
    return without_remarks(path.read_text(encoding="utf-8"))


def _joined(modules: Mapping[str, str]) -> dict[str, str]:
    """Join the modules to a file for the frame, and one for each panel, which imports from the frame's.

    Each exports what another takes, alone.
    """
    imported = {name: imports(name, text) for name, text in modules.items()}
    panels = {name: reached(name, imported.__getitem__) for name in modules if name.startswith(PANELS)}
    times = Counter(one for names in panels.values() for one in names)
    several = (one for names in panels.values() for one in names if times[one] > 1)
    *frame, first = reached(FRAME, imported.__getitem__)
    shared = dict.fromkeys([*frame, *several, first])
    files, taken = {}, set()
    for panel, names in panels.items():
        own = [one for one in names if one not in shared]
        needed = {other for one in own for other in imported[one]}.intersection(shared)
        taken |= needed
        scopes = ", ".join(scope_name(one) for one in shared if one in needed)
        begin, end = (
            f'import {{ {scopes} }} from "../main.js";\n',
            f"export const {{ {OFFERED} }} = {scope_name(panel)};\n",
        )
        files[panel] = begin + _scopes(own, modules) + end
    scopes = ", ".join(scope_name(one) for one in shared if one in taken)
    return {FRAME: f"{_scopes(shared, modules)}export {{ {scopes} }};\n", **files}


def _scopes(names: Iterable[str], modules: Mapping[str, str]) -> str:
    return "".join(scoped(name, modules[name]) for name in names)
