"""The gate of the studio: the right host, its own page, and a session.

It also tells the browser the rules.
"""

import sys
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mechdesign_studio.access.session import Session, is_same
from mechdesign_studio.answers import NOT_STORED, refusal

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
"""Stand on every answer that does not say otherwise."""

METHODS = ("GET", "POST", "DELETE")
OWN_SITES = ("same-origin", "none")
"""What browsers say of requests by this page, and by the user (Sec-Fetch-Site)."""

CLOSED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>mechdesign studio</title></head><body>
<h1>This studio is not open in this browser</h1>
<p>Open the address that <code>mechdesign studio</code> printed in its terminal; it begins with http://127.0.0.1 and
ends with a token.</p>
<p>You have done so, and came here by a link? Browsers hide a session from links of other pages:
<a href="/">go to the studio</a>, or press Enter in the address bar to open what the link says.</p>
</body></html>
"""


class Gate:
    """The gate before the application, which refuses strangers and adds headers to answers."""

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
                    headers.setdefault(name, value)
            await send(message)

        try:
            await (self._answer(scope) or self._app)(scope, receive, send_with_headers)
        except Exception as error:  # the application has answered that it was unexpected
            text = " ".join(str(error).split())
            print(f"mechdesign: unexpected {type(error).__name__}: {text}"[:400], file=sys.stderr, flush=True)

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further; None where it does."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._session.hosts:
            return refusal(403, f"host must be {self._session.hosts[0]}, got another one")
        method, path = scope["method"], scope["path"]
        if method not in METHODS:
            return refusal(405, f"method must be {', '.join(METHODS)}, got another one")
        if method != "GET" and headers.getlist("origin") != [f"http://{hosts[0]}"]:
            return refusal(403, "origin must be this studio's page, got another one or none")
        is_visit = method == "GET" and path == "/" and headers.get("sec-fetch-mode", "navigate") == "navigate"
        if not is_visit and headers.get("sec-fetch-site", "none") not in OWN_SITES:
            return refusal(403, "request must come from this studio's page, got one from another page")
        if is_visit and scope["query_string"]:
            return self._begin(scope["query_string"].decode("latin-1"))
        if not self._is_open(headers):
            if is_visit:
                return HTMLResponse(CLOSED, 403, NOT_STORED)
            return refusal(403, "session must be open, got no cookie of it; open the address that was printed")
        return None

    def _begin(self, query: str) -> Response:
        """Turn the address's token into a cookie, and leave the address without it."""
        name, _, token = query.partition("=")
        if name != "token" or not is_same(token, self._session.token):
            return refusal(403, "token must be the one in the address that was printed, got another one")
        answer = RedirectResponse("/", 303, NOT_STORED)
        answer.set_cookie(self._session.cookie_name, self._session.cookie, path="/", httponly=True, samesite="strict")
        return answer

    def _is_open(self, headers: Headers) -> bool:
        """Whether a request has the session's cookie."""
        try:
            cookies: SimpleCookie = SimpleCookie("; ".join(headers.getlist("cookie")))
        except CookieError:
            return False
        found = cookies.get(self._session.cookie_name)
        return found is not None and is_same(found.value, self._session.cookie)
