"""Who is let in: the token once, then the cookie; the right host; this page alone; this user's programs alone."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from studios import PATIENCE, Studio

from mechdesign_studio.access.peers import Peers

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
ADDRESSES = ["/", "/page/index.html", "/api/choices", "/api/pages/p/events", "/api/jobs/x", "/api/jobs/x/files/y"]


def stranger(studio: Studio) -> httpx.Client:
    return httpx.Client(base_url=studio.base, headers={"origin": studio.base}, timeout=PATIENCE)


def test_the_address_is_one_line_and_becomes_a_cookie_that_scripts_and_other_sites_do_not_see(tasks):
    assert tasks.base.startswith("http://127.0.0.1:")
    with stranger(tasks) as client:
        answer = client.get(tasks.address)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
        assert "domain" not in cookie
        assert tasks.token.lower() not in cookie
        assert client.get("/").status_code == 200


@pytest.mark.parametrize("address", ADDRESSES)
def test_without_the_cookie_there_is_nothing(tasks, address):
    with stranger(tasks) as client:
        assert client.get(address).status_code == 403
        assert client.get(address, headers={"cookie": f"{next(iter(tasks.client.cookies))}=wrong"}).status_code == 403
        assert client.get(address, headers={"cookie": b'\x80=;;="; a b'}).status_code == 403


@pytest.mark.parametrize(
    "query", ["?token=", "?token=x", "?token=%FF", "?x={token}", "?token={token}x", "?a=1&token={token}"]
)
def test_a_wrong_token_is_refused(tasks, query):
    with stranger(tasks) as client:
        answer = client.get(f"/{query.format(token=tasks.token)}")
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "[::1]:{port}"]
)
def test_another_host_is_refused(tasks, host):
    port = tasks.base.rpartition(":")[2]
    for address in ("/", f"/?token={tasks.token}", "/api/choices"):
        assert tasks.client.get(address, headers={"host": host.format(port=port)}).status_code == 403


def test_the_studio_is_also_localhost(tasks):
    port = tasks.base.rpartition(":")[2]
    local = f"http://localhost:{port}"
    headers = {"host": f"localhost:{port}", "cookie": "; ".join(f"{k}={v}" for k, v in tasks.client.cookies.items())}
    assert tasks.client.get("/api/choices", headers=headers).status_code == 200
    body = {"page": "p", "panel": "design", "steps": []}
    assert tasks.client.post("/api/jobs", json=body, headers={**headers, "origin": local}).status_code == 202
    assert tasks.client.post("/api/jobs", json=body, headers={**headers, "origin": tasks.base}).status_code == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1", "{base}0", "{base}/", ""])
@pytest.mark.parametrize(
    ("method", "address"), [("POST", "/api/jobs"), ("POST", "/api/uploads?name=a"), ("DELETE", "/api/jobs/x")]
)
def test_writing_needs_this_page_as_origin(tasks, origin, method, address):
    headers = {"cookie": "; ".join(f"{k}={v}" for k, v in tasks.client.cookies.items())}
    if origin is not None:
        headers["origin"] = origin.format(base=tasks.base)
    with httpx.Client(base_url=tasks.base) as client:
        answer = client.request(method, address, headers=headers, content=b"{}")
    assert answer.status_code == 403
    assert "origin" in answer.json()["error"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_reach_nothing_even_those_of_another_port_whose_requests_have_the_cookie(tasks, site):
    for mode in ("no-cors", "cors", "websocket"):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
        for address in ("/api/choices", "/", "/page/index.html", "/api/pages/p/events"):
            assert tasks.client.get(address, headers=headers).status_code == 403
    visit = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    assert tasks.client.get("/", headers=visit).status_code == 200
    assert tasks.client.get("/api/choices", headers=visit).status_code == 403


def test_who_comes_by_a_link_without_the_cookie_is_told_what_to_do(tasks):
    with stranger(tasks) as client:
        answer = client.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    assert '<a href="/">' in answer.text


@pytest.mark.parametrize("address", ["/", "/api/choices", "/api/nothing", "/page/nothing", "/?token=wrong"])
def test_every_answer_has_the_rules_for_the_browser(tasks, address):
    headers = tasks.client.get(address).headers
    assert dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";")) == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers
    if address.startswith("/api"):
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["HEAD", "PUT", "PATCH", "OPTIONS", "TRACE"])
def test_no_other_method_is_there(tasks, method):
    assert tasks.client.request(method, "/api/choices").status_code == 405


def test_only_this_machine_can_connect(tasks):
    port = int(tasks.base.rpartition(":")[2])
    table = Path("/proc/net/tcp").read_text().splitlines()[1:]
    bound = {address for _, address, far, *_ in map(str.split, table) if far.endswith(":0000")}
    assert {address for address in bound if address.endswith(f":{port:04X}")} == {f"0100007F:{port:04X}"}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_another_user_of_the_machine_is_hung_up_on(tasks, family):
    port = int(tasks.base.rpartition(":")[2])
    cookie = "; ".join(f"{k}={v}" for k, v in tasks.client.cookies.items())
    host = "127.0.0.1" if family == "AF_INET" else "::ffff:127.0.0.1"
    request = f"GET /api/choices HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
    code = (
        f"import os, socket\nos.setuid(int(os.environ['BE']))\ns = socket.socket(socket.{family})\n"
        f"s.connect(('{host}', {port}))\n"
        f"try:\n    s.sendall({request!r}.encode()); print(s.recv(12))\nexcept OSError: print(b'')"
    )
    seen = {
        user: subprocess.run(
            [sys.executable, "-S", "-c", code],
            env={"BE": user},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout.strip()
        for user in ("0", "65534")
    }
    assert seen == {"0": "b'HTTP/1.1 200'", "65534": "b''"}


def test_peers_are_those_that_the_system_lists():
    with socket.socket() as listener, socket.socket() as client:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        peers = Peers(listener)
        client.connect(listener.getsockname())
        assert peers.is_known
        assert peers.are_ours(client.getsockname())
        assert not peers.are_ours(("127.0.0.1", 1))
        assert not peers.are_ours(None)
