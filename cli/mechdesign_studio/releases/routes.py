"""Routes of the Release panel: quote, one draw, results, files, removal."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from mechdesign.errors import InputError
from mechdesign_studio.answers import NOT_STORED, RefusedError, document
from mechdesign_studio.jobs import Job, Jobs
from mechdesign_studio.releases.folder import NAME, STATEMENT, ReleaseFolder
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Order, ReleaseWork

NOBODY = "@releases"
"""The page of these jobs: no page can have this name, so none that is closed ends them."""

QUOTE, DRAW = "quote", "draw"
LOOK_AGAIN = 5.0
"""Seconds after which an interrupted release is looked at again: another studio may be at work at it."""

Body = Callable[[Request], Awaitable[dict[str, Any]]]
Read = Callable[[Callable[[object], Order | None]], Awaitable[Order]]


class Part(Protocol):
    """The parts of the studio that these routes need."""

    @property
    def jobs(self) -> Jobs:
        """The jobs."""

    @property
    def uploads(self) -> Uploads:
        """The uploads."""


class ReleaseRoutes:
    """The answers of `/api/releases`; without a folder they name prices, and else say how to choose one.

    The page names one at most, once, where the studio was started without; then no ledger pays, as without the page.
    """

    def __init__(self, studio: Part, work: ReleaseWork, body: Body, read: Read) -> None:
        self._studio = studio
        self._work = work
        self._place = Path.cwd()
        self._chosen = work.folder
        self._body = body
        self._read = read
        self._looked: dict[str, tuple[float, Job]] = {}

    def table(self) -> list[Route]:
        """List the routes."""
        listed: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/releases", self.all),
            ("POST", "/api/releases", self.draw),
            ("POST", "/api/releases/folder", self.choose),
            ("POST", "/api/releases/quote", self.quote),
            ("POST", "/api/releases/{release}/results", self.results),
            ("DELETE", "/api/releases/{release}", self.discard),
            ("GET", "/api/releases/{release}/files/{name}", self.file),
        ]
        return [Route(path, answer, methods=[method]) for method, path, answer in listed]

    async def all(self, _request: Request) -> Response:
        """Answer with every release of the folder, and the jobs that are at work on one."""
        if self._chosen is None:
            return document(
                {"folder": None, "place": str(self._place), "problem": None, "releases": [], "jobs": []},
            )
        folder = ReleaseFolder(self._chosen)
        try:
            releases, problem = await asyncio.to_thread(folder.all), None
        except InputError as error:
            releases, problem = [], str(error)
        self._finish(releases)
        described = [{**entry, "problem": self._problem(entry)} for entry in releases]
        drawing = [job.id for job in self._active() if job.panel.startswith(DRAW)]
        return document({"folder": str(folder.path), "problem": problem, "releases": described, "jobs": drawing})

    async def choose(self, request: Request) -> Response:
        """Make the folder that the page names, and answer with it."""
        name = (await self._body(request)).get("name")
        if self._chosen is not None:
            raise InputError(f"folder must be chosen once, got another name; releases go into {self._chosen}")
        if not isinstance(name, str):
            raise InputError("name of the folder must be a text, got another value")
        self._chosen = ReleaseFolder.made(self._place, name).path
        return document({"folder": str(self._chosen)}, 201)

    async def quote(self, request: Request) -> Response:
        """Answer with the job that reads the input and says what its release would spend."""
        return await self._start(QUOTE, await self._body(request))

    async def draw(self, request: Request) -> Response:
        """Answer with the job that draws; the same request while it runs is answered by the same job."""
        return await self._start(DRAW, await self._body(request))

    async def results(self, request: Request) -> Response:
        """Answer with the job that proves a release again, and says its rows and the totals of its regions."""
        return await self._start("results", {"release": self._name(request)})

    async def discard(self, request: Request) -> Response:
        """Give up a release, and answer when its files are deleted."""
        name = self._name(request)
        asked = {"release": name}
        job = self._add("discard", asked, self._order("discard", asked))
        async for _ in job.feed.messages(0, lambda: job.is_over):
            continue
        last = json.loads(job.last)
        if job.state != "done":
            raise InputError(str(last.get("message") or f"the release must be discarded, got {job.state}"))
        return Response(status_code=204, headers=NOT_STORED)

    async def file(self, request: Request) -> Response:
        """Answer with a file of a release, and note that it was sent."""
        name, file = self._name(request), request.path_params["name"]
        folder = ReleaseFolder(self._folder())
        try:
            headers = {**NOT_STORED, "content-disposition": f'attachment; filename="{file}"'}
            if file == STATEMENT:
                text = await asyncio.to_thread(folder.statement, name)
                return Response(text.encode(), 200, headers, "text/plain; charset=utf-8")
            path = folder.file(name, file)
        except FileNotFoundError:
            raise RefusedError(404, "file must be one of a release that is drawn, got another one") from None
        is_whole = request.method == "GET" and "range" not in request.headers
        sent = BackgroundTask(_note, folder, name, file) if is_whole else None
        return FileResponse(path, headers=headers, media_type="application/octet-stream", background=sent)

    async def _start(self, action: str, request: dict[str, Any]) -> Response:
        if action != QUOTE:
            self._folder()
        order = await self._read(lambda learnt: self._order(action, request, learnt))
        job = self._add(action, request, order)
        return document({"job": job.id, "lines": list(job.order.lines)}, 202)

    def _order(self, action: str, request: object, learnt: object = None) -> Order | None:
        folder = self._chosen if action == QUOTE else self._folder()
        return self._work.read(action, request, folder, learnt, self._studio.uploads.names())

    def _add(self, action: str, request: object, order: Order | None) -> Job:
        """Put a task in the queue; one that is there already for the same request is that one."""
        assert order is not None
        same = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]
        panel = f"{action}-{same}"
        found = next((job for job in self._active() if job.panel == panel), None)
        return found or self._studio.jobs.add(NOBODY, panel, order)

    def _active(self) -> list[Job]:
        return [job for job in self._studio.jobs.of_page(NOBODY) if not job.is_over]

    def _finish(self, releases: list[dict[str, Any]]) -> None:
        """Have a worker finish what was interrupted, or clear what was discarded; it waits for nobody."""
        if any(job.panel.startswith(DRAW) for job in self._active()):
            return
        now = asyncio.get_running_loop().time()
        for entry in releases:
            name = entry["release"]
            if entry["remains"] and now - self._look(name) >= LOOK_AGAIN:
                with suppress(InputError):  # too much to do: it is looked at again
                    asked = {"release": name}
                    self._looked[name] = now, self._add("finish", asked, self._order("finish", asked))

    def _look(self, name: str) -> float:
        """When an interrupted release was looked at last."""
        return self._looked[name][0] if name in self._looked else -LOOK_AGAIN

    def _problem(self, entry: dict[str, Any]) -> str | None:
        """Say why an interrupted release could not be finished; None where it can, or is being looked at."""
        name = entry["release"]
        if not entry["remains"] or name not in self._looked:
            return None
        job = self._looked[name][1]
        return str(json.loads(job.last).get("message")) if job.state == "failed" else None

    def _folder(self) -> Path:
        if self._chosen is None:
            raise InputError(
                "release folder must be chosen, got none; name one in the Release panel, or start mechdesign studio "
                "--release-folder FOLDER"
            )
        return self._chosen

    def _name(self, request: Request) -> str:
        name: str = request.path_params["release"]
        if not NAME.fullmatch(name):
            raise RefusedError(404, "release must be one that is in the folder, got another one")
        return name


def _note(folder: ReleaseFolder, name: str, file: str) -> None:
    with suppress(OSError):  # discarded meanwhile
        folder.note_sent(name, file)
