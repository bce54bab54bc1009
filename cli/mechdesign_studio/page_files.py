"""The files of the page."""

import hashlib
from functools import cache
from pathlib import Path

from starlette.responses import Response

from mechdesign.pages.assets import FILES
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

MODULES = b"MODULES"
"""Where the page names its modules."""

FIRST = "js/first.js"
"""A script that is no module, and runs before anything is drawn; it asks for all modules."""

TAG_DIGITS = 24


def page_file(name: str, known: str | None = None) -> Response:
    """Answer with a file of the page; `known` is the tag of what the browser has, which may be the same.

    Raises:
        RefusedError: where there is none of that name.
    """
    found = _files().get(name)
    if found is None:
        raise RefusedError(404, "page must have a file of this name, got another one")
    content, type_of_it, tag = found
    headers = {"cache-control": "no-cache", "etag": tag}
    if known == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=type_of_it)


@cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """Read the page once: a browser asks for every file of it, and its first picture waits for the last one.

    The page itself names all modules, so that a browser need not find them in those that it has read.
    """
    names = {
        path.relative_to(folder).as_posix(): path
        for folder in FOLDERS
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES
    }
    content = {name: path.read_bytes() for name, path in names.items()}
    modules = [name[len("js/") : -len(".js")] for name in names if name.startswith("js/") and name != FIRST]
    content["index.html"] = content["index.html"].replace(MODULES, " ".join(modules).encode())
    return {
        name: (content[name], TYPES[path.suffix], f'"{hashlib.sha256(content[name]).hexdigest()[:TAG_DIGITS]}"')
        for name, path in names.items()
    }
