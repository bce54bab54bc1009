"""Peers: this user's own programs, and others' on the same machine.

They are told apart where the system says whose a connection is.

Linux lists every TCP socket with the user that it belongs to. A cookie alone would not do against other users: browsers
send it to every port of its host, so whoever lures the browser to a port of his own has it.
"""

import os
import socket
import struct
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
MAPPED = "0000000000000000FFFF0000"
"""How the second table begins an IPv4 address."""

ROOT = 0
LOCAL, REMOTE, STATE, USER = 1, 2, 3, 7
"""Columns of a line."""

CLOSED_STATES = frozenset({"04", "05", "06", "07", "08", "09", "0B"})
"""A socket that its program has closed has no user any more: the tables then say root."""


class Peers:
    """The users who may connect to one listening socket."""

    def __init__(self, listener: socket.socket) -> None:
        self._address = _written(*listener.getsockname())
        self._users = {os.getuid(), ROOT}
        self.is_known = self._address in {local for local, _, _ in _sockets()}
        """Whether the system tells: it lists the listener itself."""

    def are_ours(self, peer: tuple[str, int] | None) -> bool:
        """Return whether the program at the other end may be answered; where the system does not say, it may."""
        if not self.is_known or peer is None:
            return not self.is_known
        wanted = (_written(*peer), self._address)
        return any((local, remote) == wanted and user in self._users for local, remote, user in _sockets())


def _sockets() -> list[tuple[str, str, int]]:
    """Local and remote address and user of every TCP socket."""
    found = []
    for table in TABLES:
        try:
            lines = table.read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            cells = line.split()
            if cells[STATE] in CLOSED_STATES:
                continue
            found.append((cells[LOCAL].removeprefix(MAPPED), cells[REMOTE].removeprefix(MAPPED), int(cells[USER])))
    return found


def _written(host: str, port: int) -> str:
    """An IPv4 address as the tables write it."""
    (number,) = struct.unpack("=I", socket.inet_aton(host))
    return f"{number:08X}:{port:04X}"
