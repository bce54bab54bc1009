"""Files that have no name until they are whole, and what takes their place where a system has none such."""

import os
import stat

import pytest

from mechdesign.documents import unnamed
from mechdesign.documents.files import whole_binary_file


def no_links(*args, **kwargs):
    raise PermissionError(1, "no links here")


@pytest.fixture(params=["unnamed", "named", "without links"])
def system(request, monkeypatch):
    """A system with files that have no name, one without, and one whose file system has no links either."""
    if request.param != "unnamed":
        monkeypatch.setattr(unnamed, "_without_name", lambda folder: None)
    if request.param == "without links":
        monkeypatch.setattr(unnamed.os, "link", no_links)
    return request.param


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_is_there_when_it_is_whole(system, before, tmp_path):
    path = tmp_path / "a.bin"
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)
    with whole_binary_file(path) as stream:
        stream.write(b"new")
        stream.flush()
        hidden = {file.name for file in tmp_path.iterdir()} - {"a.bin"}
        assert bool(hidden) == (system != "unnamed")
        assert path.exists() == (before is not None)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == (0o666 & ~mask() if before is None else 0o640)
    assert os.listdir(tmp_path) == ["a.bin"]


def test_an_error_leaves_what_was_there(system, tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_half(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def write_half(path):
    with whole_binary_file(path) as stream:
        stream.write(b"new")
        raise ZeroDivisionError


def mask():
    found = os.umask(0)
    os.umask(found)
    return found
