"""Adult, on a generated file of its format; the real one only where MECHDESIGN_DATA names a folder that has it."""

import http.server
import os
import socket
import threading
from pathlib import Path

import adult_file
import pooch
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets import published
from mechdesign_catalog.datasets.counts import open_data
from mechdesign_catalog.datasets.counts.adult import ADULT, TARGETS, parse_adult

"""Seconds; without a limit of ours the wait would be 30."""

REAL = Path(os.environ.get("MECHDESIGN_DATA") or "no folder")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No folder is named, the cache is an empty one, and no proxy stands between; returns the cache."""
    monkeypatch.delenv("MECHDESIGN_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "mechdesign"


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder with the generated file, which is right by its checksum."""
    (tmp_path / "adult.data").write_bytes(adult_file.content())
    monkeypatch.setitem(ADULT, "adult", adult_file.published(adult_file.content()))
    return tmp_path


class Server:
    """Answers every request with `content`, claiming `missing` bytes more than it sends."""

    def __init__(self, content, missing=0):
        self.requests = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # the name that the library calls
                outer.requests += 1
                self.send_response(200)
                self.send_header("Content-Length", str(len(content) + missing))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/adult.data"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()


def test_both_formats():
    for target in TARGETS:
        for stop, head in [("", ""), (".", ""), (".", "|1x3 Cross validator\n")]:
            bits = parse_adult(adult_file.content(stop, head), TARGETS[target], "adult.data")
            assert bits.tolist() == adult_file.BITS[target]


def test_rows_that_do_not_fit():
    for old, new, target in [
        (">50K", "?", "income"),
        ("30,", "?,", "age"),
        ("Female", "female", "sex"),
        ("17, Private,", "17,", "income"),
    ]:
        content = adult_file.content().decode().replace(old, new, 1).encode()
        with refused(InputError):
            parse_adult(content, TARGETS[target], "adult.data")


def test_people_in_file_order(folder, monkeypatch):
    data = open_data("Adult", target="SEX", data_dir=folder)
    grouped = data.grouped(2)
    assert (grouped.source, grouped.counts.tolist(), grouped.dropped) == ("adult, sex", [1, 2], 1)
    monkeypatch.setenv("MECHDESIGN_DATA", str(folder))
    assert open_data("adult").grouped(5).histogram == (0, 0, 1, 0, 0, 0)
    with refused(InputError, about="n"):
        open_data("adult").grouped(6)


def test_a_folder_without_the_file_leaves_it_to_be_fetched(nowhere, monkeypatch, tmp_path):
    content, empty = adult_file.content(), tmp_path / "empty"
    empty.mkdir()
    with Server(content) as server:
        monkeypatch.setitem(ADULT, "adult", adult_file.published(content, server.address))
        assert open_data("adult", data_dir=empty).bits.tolist() == adult_file.BITS["income"]
    (nowhere / "adult.data").unlink()
    with refused(InputError):
        open_data("adult", data_dir=empty)
    assert list(empty.iterdir()) == []


def test_a_wrong_file_is_set_aside(folder):
    (folder / "adult.data").write_bytes(adult_file.content() + b" ")
    with refused(InputError):
        open_data("adult", data_dir=folder)
    (folder / "adult.data").write_bytes(b"another")
    with refused(InputError):
        open_data("adult", data_dir=folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "adult.data.wrong-checksum": adult_file.content() + b" ",
        "adult.data.wrong-checksum-2": b"another",
    }


def test_a_wrong_file_that_cannot_be_renamed_is_left_and_not_used(folder, monkeypatch):
    def refuse(self, target):
        raise PermissionError(13, "Permission denied")

    (folder / "adult.data").write_bytes(b"wrong")
    monkeypatch.setattr(Path, "replace", refuse)
    with refused(InputError):
        open_data("adult", data_dir=folder)
    assert (folder / "adult.data").read_bytes() == b"wrong"


def test_fetched_once(nowhere, monkeypatch, capfd):
    content = adult_file.content()
    with Server(content) as server:
        monkeypatch.setitem(ADULT, "adult", adult_file.published(content, server.address))
        assert open_data("adult").bits.tolist() == adult_file.BITS["income"]
        assert open_data("adult", target="age").bits.tolist() == adult_file.BITS["age"]
        assert server.requests == 1
    assert [path.name for path in nowhere.iterdir()] == ["adult.data"]
    assert tuple(capfd.readouterr()) == ("", "")


def test_a_download_that_breaks_off_leaves_nothing(nowhere, monkeypatch):
    content = adult_file.content()
    with Server(content, missing=10) as server:
        monkeypatch.setitem(ADULT, "adult", adult_file.published(content, server.address))
        with refused(InputError):
            open_data("adult")
    assert list(nowhere.iterdir()) == []


def test_no_network_names_both_ways(nowhere, monkeypatch):
    with Server(b"") as server:
        address = server.address
    monkeypatch.setitem(ADULT, "adult", adult_file.published(adult_file.content(), address))
    with refused(InputError):
        open_data("adult")
    assert list(nowhere.iterdir()) == []


def test_a_silent_server_is_not_waited_for(nowhere, monkeypatch):
    monkeypatch.setattr(published, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/adult.data"
        monkeypatch.setitem(ADULT, "adult", adult_file.published(adult_file.content(), address))
        with refused(InputError):
            open_data("adult")


@pytest.mark.skipif(not (REAL / "adult.data").is_file(), reason="MECHDESIGN_DATA names no folder with adult.data")
@pytest.mark.parametrize(("target", "ones"), [("income", 7_841), ("sex", 21_790), ("age", 21_989)])
def test_the_real_file(target, ones):
    data = open_data("adult", target=target)
    assert (len(data.bits), data.bits.sum()) == (32_561, ones)
    grouped = data.grouped(8)
    assert (grouped.groups, grouped.dropped) == (4_070, 1)
    if target == "income":
        assert grouped.histogram == (447, 1166, 1230, 803, 328, 85, 9, 2, 0)


@pytest.mark.skipif(not (REAL / "adult.test").is_file(), reason="MECHDESIGN_DATA names no folder with adult.test")
@pytest.mark.parametrize(("target", "ones"), [("income", 3_846), ("sex", 10_860), ("age", 11_060)])
def test_the_real_test_file(target, ones):
    bits = open_data("adult-test", target=target).bits
    assert (len(bits), bits.sum()) == (16_281, ones)
