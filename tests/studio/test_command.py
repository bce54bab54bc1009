"""The command itself: what it takes, what it prints, what the page is told at first."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import make_runner
from studios import Studio
from wording import check_wording

from mechdesign_cli.commands import SUMMARIES


@pytest.fixture
def mechdesign(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return make_runner(capsys)


@pytest.mark.slow
def test_a_document_and_a_release_folder_are_opened(tmp_path, mechdesign):
    assert mechdesign("solve", "--n", 4, "--alpha", 0.9, "--output", "wm.json").code == 0
    Path("out").mkdir()
    studio = Studio(tmp_path, "wm.json", "--release-folder", "out").open()
    try:
        choices = studio.client.get("/api/choices").json()
        assert studio.client.get("/api/releases").json()["folder"] == str(tmp_path / "out")
        end = studio.run(
            [{"command": "check", "arguments": [{"upload": choices["opened"]}], "options": {"json": True}}]
        )
        assert end["steps"][0]["code"] == 0
        assert all(claim["true"] for claim in end["steps"][0]["document"]["claims"])
        assert studio.remarks == "the studio serves this machine alone; Ctrl-C ends it\n"
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", studio.address)
    finally:
        studio.close()
    assert studio.process.returncode == 143
    assert studio.homes() == []


@pytest.mark.parametrize(
    "words",
    [
        ["nothing.json"],
        ["."],
        ["--port", "70000"],
        ["--port", "x"],
        ["--release-folder", "nowhere"],
    ],
    ids=["no file", "a folder", "large port", "no port", "no release folder"],
)
def test_bad_input_is_one_line_and_leaves_nothing(mechdesign, tmp_path, words):
    seen = mechdesign("studio", "--no-browser", *words)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert seen.err.count("\n") == 1
    assert list(tmp_path.glob("mechdesign-studio-*")) == []


def test_a_port_that_is_taken_is_said(mechdesign):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        seen = mechdesign("studio", "--no-browser", "--port", port)
    assert seen.code == 2
    told = f"--port must be free, got --port {port} (Address already in use); --port 0 takes any"
    assert seen.err == f"mechdesign: {told}\n"


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(mechdesign, monkeypatch, name):
    from mechdesign_cli.commands.tools import studio as module

    monkeypatch.setattr(module, "find_spec", lambda asked: None if asked == name else object())
    seen = mechdesign("studio")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.mark.slow
def test_no_other_command_imports_the_studio():
    code = (
        "import sys\nfrom mechdesign_cli.app import run\n"
        "run(['--help'])\nrun(['solve', '--n', '2', '--alpha', '0.9'])\n"
        "assert not {'starlette', 'uvicorn', 'mechdesign_studio', 'asyncio'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.slow
def test_the_page_is_told_what_there_is(studio):
    choices = studio.client.get("/api/choices").json()
    assert {entry["name"] for entry in choices["properties"]} >= {"WH", "RH", "RM", "CH", "CM", "F", "S"}
    assert all(entry["title"] and entry["definition"] for entry in choices["properties"])
    assert {"GM", "EM", "UM", "WM"} <= {name for name, title in choices["mechanisms"] if title}
    assert choices["opened"] is None
    assert all(choices["notes"].values())
    commands = {name: entry for name, entry in choices.items() if name.startswith("mechdesign ")}
    assert {name.removeprefix("mechdesign ") for name in commands} < SUMMARIES.keys()
    for command in commands.values():
        assert command["summary"].endswith(".")
        assert all(option["help"] for option in command["options"])
