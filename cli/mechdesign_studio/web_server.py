"""Uvicorn on a socket that is bound already, for this user's own programs alone."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mechdesign_studio.access.gate import Gate
from mechdesign_studio.access.peers import Peers
from mechdesign_studio.access.session import Session
from mechdesign_studio.feeds import Feeds
from mechdesign_studio.jobs import Jobs
from mechdesign_studio.routes import Studio, make_app
from mechdesign_studio.uploads import Uploads
from mechdesign_studio.workers.work import Work


class OwnProtocol(H11Protocol):
    """HTTP that hangs up, before it reads a letter, where another user of this machine calls."""

    peers: Peers

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, or hang up."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        if not self.peers.are_ours(transport.get_extra_info("peername")):
            transport.abort()


class Server(uvicorn.Server):
    """A uvicorn that leaves the signals to the studio."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class WebServer:
    """The server while it runs."""

    def __init__(
        self,
        work: Work,
        feeds: Feeds,
        uploads: Uploads,
        jobs: Jobs,
        opened: str | None,
        session: Session,
        listener: socket.socket,
    ) -> None:
        self._feeds = feeds
        self._is_over = asyncio.Event()
        app = make_app(Studio(work, feeds, uploads, jobs, opened, self._is_over))
        config = uvicorn.Config(
            Gate(app, session),
            loop="asyncio",
            http=type("ProtocolOfThisListener", (OwnProtocol,), {"peers": Peers(listener)}),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = Server(config)
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[listener]))

    async def close(self) -> None:
        """End every stream, then the server."""
        self._is_over.set()
        self._feeds.close()
        self._server.should_exit = True
        await self._serving
