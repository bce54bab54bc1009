"""Serve the files of the page."""

from functools import cache
from pathlib import Path

from starlette.responses import Response

from mechdesign_studio.answers import RefusedError

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""Files that are served, by suffix."""


def page_file(name: str) -> Response:
    """Answer with a file of the page.

    Raises:
        RefusedError: where there is none of that name.
    """
    found = _files().get(name)
    if found is None:
        raise RefusedError(404, "page must have a file of this name, got another one")
    content, type_of_it = found
    return Response(content, headers={"cache-control": "no-cache"}, media_type=type_of_it)


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    """Read the page once: a browser asks for every file of it, and its first picture waits for the last one."""
    paths = (path for path in FOLDER.rglob("*") if path.is_file() and path.suffix in TYPES)
    return {path.relative_to(FOLDER).as_posix(): (path.read_bytes(), TYPES[path.suffix]) for path in paths}
