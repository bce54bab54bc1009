"""The server's life: socket, workers, address, and an end that leaves nothing behind."""

import asyncio
import signal
import socket
import sys
from pathlib import Path

from mechdesign.errors import InputError
from mechdesign_studio.access.session import Session
from mechdesign_studio.feeds import Feeds
from mechdesign_studio.jobs import Jobs
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Work
from mechdesign_studio.workers.work_folder import WorkFolder

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    home = WorkFolder()
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        return asyncio.run(_serve(work, listener, home, document, open_browser))
    finally:
        listener.close()
        home.close()
        for number, handler in handlers.items():  # asyncio leaves the system's own
            signal.signal(number, handler)


def _listen(port: int) -> socket.socket:
    # asyncio sends answers at once (TCP_NODELAY) where the protocol is named; else each waits for 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise InputError(f"port must be free, got --port {port} ({error.strerror}); --port 0 takes any") from None
    listener.listen(128)
    return listener


async def _serve(
    work: Work, listener: socket.socket, home: WorkFolder, document: Path | None, open_browser: bool
) -> int:
    """The workers begin first, then the browser, whose request waits in the listener; the web server is ready last."""
    came = _catch_signals()
    feeds, uploads = Feeds(), Uploads(home.uploads)
    opened = None if document is None else uploads.copy(document).id
    jobs = Jobs(work, home, uploads, feeds)
    session = Session.new(listener.getsockname()[1])
    try:
        _announce(session.address, open_browser)
        from mechdesign_studio.web_server import WebServer

        server = WebServer(work, feeds, uploads, jobs, opened, session, listener)
        try:
            return await came
        finally:
            jobs.close()
            await server.close()
    finally:
        jobs.close()


def _catch_signals() -> asyncio.Future[int]:
    """A future of the first signal that is to end the studio."""
    came: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def note(number: int) -> None:
        if not came.done():
            came.set_result(number)

    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, note, number)
    return came


def _announce(address: str, open_browser: bool) -> None:
    print(address, flush=True)
    print("the studio serves this machine alone; Ctrl-C ends it", file=sys.stderr, flush=True)
    if open_browser:
        import threading

        threading.Thread(target=_open, args=(address,), daemon=True).start()


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        print("no browser was found: open the address above in one", file=sys.stderr, flush=True)
