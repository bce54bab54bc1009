"""The secrets of one studio, and their comparison."""

import secrets
from dataclasses import dataclass


@dataclass(frozen=True)
class Session:
    """The token in the address that a studio prints, and the cookie that it becomes."""

    port: int
    token: str
    cookie: str

    @classmethod
    def new(cls, port: int) -> "Session":
        """Draw new secrets."""
        return cls(port, secrets.token_urlsafe(32), secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def cookie_name(self) -> str:
        """A name of its own for each port: browsers send a cookie to every port of its host."""
        return f"mechdesign-studio-{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the studio is itself."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"


def is_same(given: str, secret: str) -> bool:
    """Compare texts in a time that does not tell where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())
