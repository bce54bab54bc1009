"""Serve the files of the page."""

from pathlib import Path

from starlette.responses import FileResponse, Response

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
    files = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*") if path.is_file()}
    path = files.get(name)
    if path is None or path.suffix not in TYPES:
        raise RefusedError(404, "page must have a file of this name, got another one")
    return FileResponse(path, headers={"cache-control": "no-cache"}, media_type=TYPES[path.suffix])
