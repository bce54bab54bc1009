from collections.abc import Iterator

import pytest
from command_line import make_runner
from killing import Launcher


@pytest.fixture
def mechdesign(capsys, tmp_path, monkeypatch):
    """Calls the command line from an empty folder; answers with exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return make_runner(capsys)


@pytest.fixture(scope="session")
def warm_launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


@pytest.fixture
def launcher(warm_launcher, tmp_path, monkeypatch):
    """Runs commands in an empty folder, and kills or holds them where they change a file."""
    monkeypatch.chdir(tmp_path)
    return warm_launcher
