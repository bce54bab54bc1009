"""Routes of the page: its files, choices of forms, uploads, jobs, and their events."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from mechdesign.errors import InputError
from mechdesign_studio import uploads as limits
from mechdesign_studio.answers import NOT_STORED, RefusedError, document, refusal
from mechdesign_studio.feeds import Feed, Feeds
from mechdesign_studio.jobs import Job, Jobs
from mechdesign_studio.page_files import PageFiles
from mechdesign_studio.releases.routes import ReleaseRoutes
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Order, Work

LARGEST_BODY = 2**20
DEEPEST = 16
"""Bytes of a request that is JSON, and how deep it may be nested; the page's own have 6 levels."""

PAGE = re.compile(r"[A-Za-z0-9_-]{1,64}")
PANEL = re.compile(r"[a-z][a-z0-9-]{0,31}")
FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
ABANDONED_AFTER = 20.0
ABANDONED_ASKING = 90.0
"""Seconds after which the jobs of a page end that does not listen, or does not ask, any more.

A browser lets a hidden page ask once a minute at least."""

CLOCK = 0.01
"""Seconds by which a timer may come early."""


@dataclass(frozen=True)
class Studio:
    """Everything that routes need."""

    work: Work
    feeds: Feeds
    uploads: Uploads
    jobs: Jobs
    opened: str | None
    is_over: asyncio.Event


def make_app(studio: Studio) -> Starlette:
    """Make the application, without its gate."""
    routes = Routes(studio)
    table: list[tuple[str, str, Callable[[Request], Any]]] = [
        ("GET", "/", routes.index),
        ("GET", "/page/{name:path}", routes.page),
        ("GET", "/api/choices", routes.choices),
        ("POST", "/api/uploads", routes.upload),
        ("DELETE", "/api/uploads/{upload}", routes.remove_upload),
        ("POST", "/api/jobs", routes.add_job),
        ("GET", "/api/jobs/{job}", routes.job),
        ("DELETE", "/api/jobs/{job}", routes.cancel_job),
        ("GET", "/api/jobs/{job}/events", routes.job_events),
        ("GET", "/api/jobs/{job}/files/{name}", routes.job_file),
        ("GET", "/api/pages/{page}/events", routes.page_events),
    ]
    return Starlette(
        routes=[
            *(Route(path, answer, methods=[method]) for method, path, answer in table),
            *ReleaseRoutes(studio, studio.work.releases, _json_object, routes.read).table(),
        ],
        exception_handlers={
            RefusedError: _refused,
            InputError: _bad_input,
            HTTPException: _no_route,
            ClientDisconnect: _gone,
            Exception: _unexpected,
        },
    )


class Routes:
    """The answers to all requests."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._page = PageFiles(studio.work.facts)

    async def index(self, request: Request) -> Response:
        """Answer with the page itself."""
        return self._page.answer("index.html", request.headers.get("if-none-match"))

    async def page(self, request: Request) -> Response:
        """Answer with a file of the page."""
        return self._page.answer(request.path_params["name"], request.headers.get("if-none-match"))

    async def choices(self, request: Request) -> Response:
        """Answer with what forms are made of; with `?of=models,losses` as soon as these entries are known."""
        text = request.query_params.get("of")
        names = None if text is None else text.split(",")

        def make(learnt: object, is_all: bool) -> dict[str, Any] | None:
            found = self._all_choices(learnt)
            if names is None or is_all:
                return found if is_all else None
            return found if found.keys() >= set(names) else None

        found = await self._studio.jobs.pool.knowledge.first(make)
        if unknown := sorted(set(names or ()) - found.keys()):
            raise InputError(f"of must be among {', '.join(found)}, got {unknown[0][:60]!r}")
        return document({name: found[name] for name in (names or found)})

    def _all_choices(self, learnt: object) -> dict[str, Any]:
        """What is known of what forms are made of, with what the server knows itself."""
        found = self._studio.work.choices(learnt)
        own = {
            "upload_bytes": limits.LARGEST,
            "all_uploads_bytes": limits.ALL_TOGETHER,
            "uploads": limits.MOST,
        }
        return {**found, "limits": {**own, **found.get("limits", {})}, "opened": self._studio.opened}

    async def upload(self, request: Request) -> Response:
        """Keep the body as a file."""
        name = request.query_params.get("name", "")
        kept = await self._studio.uploads.add(name, request.stream())
        return document(kept.document(), 201)

    async def remove_upload(self, request: Request) -> Response:
        """Forget an upload."""
        if not self._studio.uploads.remove(request.path_params["upload"]):
            raise RefusedError(404, "upload must still be held by the studio, got another one; send the file again")
        return Response(status_code=204, headers=NOT_STORED)

    async def add_job(self, request: Request) -> Response:
        """Put a job in the queue."""
        asked = await _json_object(request)
        if unknown := sorted(set(asked) - {"page", "panel", "steps"}):
            raise InputError(f"job must have page, panel and steps, got {unknown[0][:60]!r} beside them")
        page, panel = _text(asked, "page", PAGE), _text(asked, "panel", PANEL)
        order = await self.read(
            lambda learnt: self._studio.work.read(asked.get("steps"), learnt, self._studio.uploads.names())
        )
        job = self._studio.jobs.add(page, panel, order)
        return document({"job": job.id, "lines": list(order.lines)}, 202)

    async def job(self, request: Request) -> Response:
        """Answer with the state of a job."""
        return document(self._find(request).document())

    async def cancel_job(self, request: Request) -> Response:
        """End a job."""
        self._studio.jobs.cancel(self._find(request))
        return Response(status_code=204, headers=NOT_STORED)

    async def job_events(self, request: Request) -> Response:
        """Stream the events of one job, until it is over."""
        job = self._find(request)
        return self._stream(request, job.feed, lambda: job.is_over)

    async def page_events(self, request: Request) -> Response:
        """Stream the events of all jobs of a page."""
        page = request.path_params["page"]
        if not PAGE.fullmatch(page):
            raise RefusedError(400, "page must be at most 64 letters, digits, - and _, got another name")
        feed = self._studio.feeds.of_page(page)
        is_once = "once" in request.query_params  # what there is now, for a page that has no room for a stream

        def silent() -> None:
            loop, patience = asyncio.get_running_loop(), ABANDONED_ASKING if is_once else ABANDONED_AFTER
            feed.missed_from = max(feed.missed_from, loop.time() + patience)
            loop.call_at(feed.missed_from, self._abandon, page, feed)

        return self._stream(request, feed, lambda: is_once, on_end=silent)

    async def job_file(self, request: Request) -> Response:
        """Answer with a file that a job made: to keep, or with `?show` a picture to look at."""
        job, name = self._find(request), request.path_params["name"]
        path = job.folder / name
        if not FILE.fullmatch(name) or not path.is_file() or path.is_symlink():
            raise RefusedError(404, "file must be one that this job made and that is still kept, got another one")
        shown = "show" in request.query_params and path.suffix in PICTURES
        headers = {**NOT_STORED, "content-disposition": f'{"inline" if shown else "attachment"}; filename="{name}"'}
        if shown:  # whoever opens a picture by its address gets no more than a picture
            headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return FileResponse(path, headers=headers, media_type=PICTURES.get(path.suffix, "application/octet-stream"))

    async def read(self, make: Callable[[object], Order | None]) -> Order:
        """Make an order as soon as what it needs was learnt."""
        return await self._studio.jobs.pool.knowledge.first(lambda learnt, _is_all: make(learnt))

    def _find(self, request: Request) -> Job:
        job = self._studio.jobs.find(request.path_params["job"])
        if job is None:
            raise RefusedError(404, "job must be one that is still known, got another one")
        return job

    def _stream(
        self, request: Request, feed: Feed, is_done: Callable[[], bool], on_end: Callable[[], None] = lambda: None
    ) -> Response:
        after = request.headers.get("last-event-id", "0")
        if not re.fullmatch(r"[0-9]{1,15}", after):
            raise RefusedError(400, "Last-Event-ID must be the number of an event, got another text")

        async def messages() -> AsyncIterator[str]:
            try:
                async for message in feed.messages(int(after), lambda: is_done() or self._studio.is_over.is_set()):
                    yield message
            finally:
                on_end()

        return StreamingResponse(messages(), media_type="text/event-stream", headers=NOT_STORED)

    def _abandon(self, page: str, feed: Feed) -> None:
        """End the jobs of a page that was closed: nobody waits for them."""
        if not feed.listeners and asyncio.get_running_loop().time() >= feed.missed_from - CLOCK:
            self._studio.jobs.cancel_page(page)


async def _json_object(request: Request) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY:
            raise RefusedError(413, f"request must have at most {LARGEST_BODY:,} bytes, got more")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "request must be a JSON object, got what is no JSON") from None
    if not isinstance(found, dict):
        raise RefusedError(400, "request must be a JSON object, got another value")
    if _is_deep(found):
        raise RefusedError(400, f"request must be nested at most {DEEPEST} levels deep, got more")
    return found


def _is_deep(value: object) -> bool:
    """Whether a value of JSON is nested deeper than any request, so that its own text might be too deep to write."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [one for outer in level if isinstance(outer, dict | list) for one in _inner(outer)]
    return bool(level)


def _inner(outer: dict[str, Any] | list[Any]) -> list[Any]:
    return list(outer.values()) if isinstance(outer, dict) else outer


def _text(body: dict[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise RefusedError(400, f"{name} must match {pattern.pattern}, got another value")
    return value


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return refusal(error.status, str(error))


async def _bad_input(_request: Request, error: Exception) -> Response:
    return refusal(400, str(error))


async def _no_route(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return refusal(405, "method must be one that this address has, got another one")
    return refusal(error.status_code, "address must be one of this studio's, got another one")


async def _gone(_request: Request, _error: Exception) -> Response:
    return refusal(400, "request must come whole, got its beginning")


async def _unexpected(_request: Request, error: Exception) -> Response:
    return refusal(500, f"unexpected {type(error).__name__}; the terminal has more")
