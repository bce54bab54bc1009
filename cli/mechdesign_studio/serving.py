"""Serve until somebody ends it: bind, print the address, start the workers, and leave nothing behind."""

import asyncio
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from mechdesign.errors import InputError
from mechdesign_studio.feeds import Feeds
from mechdesign_studio.home import Home
from mechdesign_studio.jobs import Jobs
from mechdesign_studio.routes import Studio, make_app
from mechdesign_studio.security import Gate, Session
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.work import Work

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(uvicorn.Server):
    """A uvicorn that leaves the signals to the studio."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def serve(work: Work, port: int, document: Path | None, open_browser: bool) -> int:
    """Serve on 127.0.0.1 until a signal comes, and return that signal's number.

    Args:
        work: what workers do.
        port: 0 for any that is free.
        document: a file that the page opens at first.
        open_browser: whether to open the address, beside printing it on stdout.

    Raises:
        InputError: where the port is taken, or the document cannot be read.
    """
    listener = _listen(port)
    home = Home()
    try:
        return asyncio.run(_serve(work, listener, home, document, open_browser))
    finally:
        listener.close()
        home.close()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise InputError(f"port must be free, got --port {port} ({error.strerror}); --port 0 takes any") from None
    listener.listen(128)
    return listener


async def _serve(work: Work, listener: socket.socket, home: Home, document: Path | None, open_browser: bool) -> int:
    feeds, uploads = Feeds(), Uploads(home.uploads)
    opened = None if document is None else uploads.copy(document)
    jobs = Jobs(work, home, uploads, feeds)
    came: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    is_over = asyncio.Event()
    _catch(came)
    session = Session.new(listener.getsockname()[1])
    app = make_app(Studio(work, feeds, uploads, jobs, None if opened is None else opened.id, is_over))
    server = Server(
        uvicorn.Config(
            Gate(app, session),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        _announce(session.address, open_browser)
        return await came
    finally:
        is_over.set()
        jobs.close()
        feeds.close()
        server.should_exit = True
        await serving


def _catch(came: asyncio.Future[int]) -> None:
    def note(number: int) -> None:
        if not came.done():
            came.set_result(number)

    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, note, number)


def _announce(address: str, open_browser: bool) -> None:
    print(address, flush=True)
    print("the studio runs on this machine alone; Ctrl-C ends it", file=sys.stderr, flush=True)
    if open_browser:
        import webbrowser

        if not webbrowser.open(address):
            print("no browser was found: open the address above in one", file=sys.stderr, flush=True)
