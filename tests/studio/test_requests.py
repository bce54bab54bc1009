"""Requests that are none: each is answered by 4xx and one line, and the studio goes on."""

import json
import random
import socket
from collections.abc import Iterator

import pytest
from studios import PATIENCE

from mechdesign_studio.answers import document
from mechdesign_studio.workers.worker import compact

VALUES = [None, True, 0, -1, 1e308, "", "x" * 70_000, "\0", "\ud800", "../x", "- x", [], [[]], {}, {"a": "x"}, [None]]
OPTIONS = ["data-dir", "memory", "key", "help", "version", "N", "--n", "-o", "", "x" * 5_000, "__class__", "quiet"]
PATHS = ["/etc/passwd", "~/x", "..", "a/../b", "GM,/etc/passwd", "L0:~root", "x=/y", "\\\\host\\x", "a b\n", "x ~y"]
NO_OBJECTS = [b"", b"{", b"null", b"[]", b'"x"', b"[" * 100_000, b'{"page": 1e999}', b"\xff\xfe", b"9" * 5_000, b"{}{}"]
GOOD = {"command": "solve", "arguments": [], "options": {"n": 4, "alpha": "0.9", "json": True}}
COUNT = 200


def broken_bodies() -> Iterator[bytes]:
    """Bodies for a new job that ask for nothing that can be done."""
    yield from NO_OBJECTS
    for value in VALUES:
        yield body(page=value)
        yield body(panel=value)
        yield body(steps=value)
        yield body(steps=[value])
        yield body(steps=[{**GOOD, "command": value}])
        if value not in ([],):
            yield body(steps=[{**GOOD, "arguments": value}])
        if value not in ({},):
            yield body(steps=[{**GOOD, "options": value}])
        if value not in (None, True, []):
            yield body(steps=[{**GOOD, "options": {"json": value}}])
    for name in OPTIONS:
        yield body(steps=[{**GOOD, "options": {name: "1"}}])
    for text in PATHS:
        yield body(steps=[{**GOOD, "options": {**GOOD["options"], "prior": text}}])
        yield body(steps=[{**GOOD, "options": {**GOOD["options"], "loss": ["L1", text]}}])
        yield body(steps=[{**GOOD, "options": {**GOOD["options"], "output": [text]}}])
        yield body(steps=[{**GOOD, "options": {**GOOD["options"], "plot": text}}])
        yield body(steps=[{"command": "check", "arguments": [text]}])
    for command in ("release", "sweep", "reproduce", "derive", "completion", "studio", "solve ", "SOLVE", "solve --n"):
        yield body(steps=[{**GOOD, "command": command}])
    yield body(steps=[GOOD] * 1_000)
    yield body(steps=[{**GOOD, "arguments": ["x"]}])
    yield body(steps=[{**GOOD, "more": 1}])
    yield body(more=1)


def body(**changes: object) -> bytes:
    """A good body with some values changed."""
    return json.dumps({"page": "p", "panel": "design", "steps": [GOOD], **changes}).encode()


BODIES = list(dict.fromkeys(broken_bodies()))


@pytest.mark.slow
def test_malformed_jobs_are_answered_by_one_clear_line(studio):
    assert len(BODIES) >= COUNT
    assert studio.client.post("/api/jobs", content=body()).status_code == 202
    for content in random.Random(15).sample(BODIES, len(BODIES)):
        answer = studio.client.post("/api/jobs", content=content)
        assert 400 <= answer.status_code < 500, content[:200]
        error = answer.json()["error"]
        assert answer.json().keys() == {"error"}
        assert " must " in error, error
        assert "\n" not in error
        assert error.isprintable()
        assert len(error) < 500
    assert studio.run([GOOD])["kind"] == "done"
    assert "Traceback" not in studio.remarks
    assert "unexpected" not in studio.remarks


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", "/api/jobs/x"),
        ("GET", "/api/jobs/x/events"),
        ("GET", "/api/jobs/x/files/../../../etc/passwd"),
        ("GET", "/api/jobs/x/files/%2e%2e%2fx"),
        ("DELETE", "/api/jobs/x"),
        ("DELETE", "/api/uploads/x"),
        ("DELETE", "/api/uploads/.."),
        ("POST", "/api/uploads"),
        ("POST", "/api/uploads?name="),
        ("POST", "/api/uploads?name=.."),
        ("POST", "/api/choices"),
        ("GET", "/api/uploads"),
        ("GET", "/api"),
        ("GET", "/api/"),
        ("GET", "/page/"),
        ("GET", "/page/../serving.py"),
        ("GET", "/page/%2e%2e/serving.py"),
        ("GET", "/page/%2Fetc%2Fpasswd"),
        ("GET", "/page/index.html%00"),
        ("GET", "//etc/passwd"),
        ("GET", "/api/pages/a.b/events"),
        ("GET", f"/api/pages/{'x' * 65}/events"),
    ],
)
def test_addresses_of_nothing_are_answered_by_one_clear_line(tasks, method, address):
    answer = tasks.client.request(method, address)
    assert 400 <= answer.status_code < 500
    assert " must " in answer.json()["error"]


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 30, "1 2"])
def test_a_wrong_event_number_is_refused(tasks, last):
    answer = tasks.client.get("/api/pages/p/events", headers={"last-event-id": last})
    assert answer.status_code == 400
    assert "Last-Event-ID must" in answer.json()["error"]


def test_a_request_that_is_too_long_is_refused(tasks):
    answer = tasks.client.post("/api/jobs", content=b" " * (2**20 + 1))
    assert answer.status_code == 413
    assert "at most 1,048,576 bytes" in answer.json()["error"]


def test_a_request_that_is_nested_deeply_is_refused(tasks):
    """Its own text may be too deep for Python to write, in the very message that refuses it."""
    deep = b"[" * 950 + b"]" * 950
    for address in ("/api/jobs", "/api/releases/quote"):
        answer = tasks.client.post(address, content=b'{"page": "p", "options": {"input": %b}}' % deep)
        assert answer.status_code == 400
        assert answer.json()["error"] == "request must be nested at most 16 levels deep, got more"


def test_half_a_letter_breaks_no_stream():
    text = compact({"message": "a\ud83d"})
    assert text.encode()  # what a stream does
    assert json.loads(text) == {"message": "a\ud83d"}
    assert json.loads(bytes(document({"message": "\ud83d"}).body)) == {"message": "\ud83d"}


def test_what_is_no_http_ends_the_connection_alone(tasks):
    port = int(tasks.base.rpartition(":")[2])
    lines = b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000
    for content in (b"\x16\x03\x01\0", b"GET\r\n\r\n", lines, b"GET / HTTP/9.9\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as raw:
            raw.sendall(content)
            assert raw.recv(1000).startswith(b"HTTP/1.1 4")
    assert tasks.client.get("/api/choices").status_code == 200
