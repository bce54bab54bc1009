import pytest
from command_line import make_runner


@pytest.fixture
def mechdesign(capsys, tmp_path, monkeypatch):
    """Calls the command line from an empty folder; answers with exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return make_runner(capsys)
