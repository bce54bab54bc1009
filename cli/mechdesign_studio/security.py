"""Let in who belongs here: the right host, this studio's page, who has the session; and tell the browser the rules."""

import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mechdesign_studio.answers import refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
READING = ("GET", "HEAD")
WRITING = ("POST", "DELETE")


@dataclass(frozen=True)
class Session:
    """The secrets of one studio: the token in the address that it prints, and the cookie that it becomes."""

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
        """A name of its own for each port: browsers send cookies to every port of a host."""
        return f"mechdesign-studio-{self.port}"

    def hosts(self) -> tuple[str, ...]:
        """The names under which the studio is itself."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    def is_open(self, headers: Headers) -> bool:
        """Tell whether a request has the session's cookie."""
        try:
            cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie_name)
        return found is not None and same(found.value, self.cookie)


def same(given: str, secret: str) -> bool:
    """Compare texts in a time that does not tell where they differ."""
    return secrets.compare_digest(given.encode(), secret.encode())


class Gate:
    """Stand before the application: refuse what has no business here, and put the headers on every answer."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        self._app = app
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further; None where it does."""
        headers = Headers(scope=scope)
        session = self._session
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in session.hosts():
            return refusal(403, f"host must be 127.0.0.1:{session.port}, got another one")
        method = scope["method"]
        if method not in READING + WRITING:
            return refusal(405, f"method must be {', '.join(READING + WRITING)}, got another one")
        if method in WRITING and headers.get("origin") != f"http://{hosts[0]}":
            return refusal(403, "origin must be this studio's page, got another one or none")
        if method in READING and scope["path"] == "/" and scope["query_string"]:
            return self._begin(scope)
        if not session.is_open(headers):
            return refusal(403, "session must be open, got no cookie of it; open the address that was printed")
        return None

    def _begin(self, scope: Scope) -> Response:
        """Turn the address's token into a cookie, and leave the address without it."""
        name, _, value = scope["query_string"].decode("latin-1").partition("=")
        if name != "token" or not same(value, self._session.token):
            return refusal(403, "token must be the one in the address that was printed, got another one")
        answer = RedirectResponse("/", 303, {"cache-control": "no-store"})
        answer.set_cookie(self._session.cookie_name, self._session.cookie, path="/", httponly=True, samesite="strict")
        return answer
