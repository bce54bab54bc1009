"""The Code panel: what ran, to copy; the design in every format; what stays on the command line."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import make_runner
from panels import open_panel, saved

DESIGN = {"n": 6, "alpha": "2/3", "props": "WH,CM", "loss": "L1"}
LABELS = ("HTML report", "JSON", "CSV", "NPZ", "VIPR", "SVG", "PNG")


@pytest.fixture
def code(page: Any) -> Any:
    panel = open_panel(page, "code", **DESIGN)
    block(panel, "Command line").get_by_text("--n 6").wait_for()
    return panel


def block(panel: Any, title: str) -> Any:
    return panel.get_by_role("region", name=title, exact=True)


@pytest.mark.slow
class TestCode:
    def test_the_line_shown_prints_the_document_shown(self, code: Any, capsys: pytest.CaptureFixture[str]) -> None:
        document = block(code, "Document")
        document.wait_for()
        line = block(code, "Command line").inner_text()
        assert line == "mechdesign solve --n 6 --alpha 2/3 --props WH,CM --loss L1 --json"
        again = make_runner(capsys)(*shlex.split(line)[1:])
        assert comparable(again.out) == comparable(document.inner_text())

    def test_every_format_is_saved(
        self, code: Any, page: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        made = {label: save_as(page, code, label, tmp_path) for label in LABELS}
        for label in ("JSON", "NPZ"):
            checked = make_runner(capsys)("check", made[label], "--alpha", "2/3", "--props", "WH,CM", "--json")
            assert checked.code == 0, checked.err
        assert np.loadtxt(made["CSV"], delimiter=",").sum(axis=0) == pytest.approx(np.ones(7))
        assert "\nVER 1" in made["VIPR"].read_text()
        assert "<script" not in made["HTML report"].read_text()
        assert "<svg" in made["SVG"].read_text()
        assert made["PNG"].read_bytes().startswith(b"\x89PNG")
        lines = block(code, "Command line of this file").inner_text().splitlines()
        assert lines == [
            "mechdesign solve --n 6 --alpha 2/3 --props WH,CM --loss L1 --output design.json",
            "mechdesign report --output design.png design.json",
        ]

    def test_copy_puts_the_line_on_the_clipboard(self, code: Any, page: Any) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        line = block(code, "Command line")
        code.get_by_role("button", name="Copy: Command line", exact=True).click()
        code.get_by_text("Copied").wait_for()
        assert page.evaluate("() => navigator.clipboard.readText()") == line.inner_text()

    def test_back_designs_what_the_link_said_before(self, code: Any, page: Any) -> None:
        block(code, "Command line").get_by_text("--alpha 2/3").wait_for()
        open_panel(page, "code", **{**DESIGN, "alpha": "1/2"})
        block(code, "Command line").get_by_text("--alpha 1/2").wait_for()
        page.go_back()
        block(code, "Command line").get_by_text("--alpha 2/3").wait_for()

    def test_the_lines_of_what_has_no_panel_run(
        self, code: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code.locator(".elsewhere pre").nth(2).wait_for()
        lines = code.locator(".elsewhere pre").all_inner_texts()
        assert [line.split()[1] for line in lines] == ["sweep", "reproduce", "derive"]
        monkeypatch.chdir(tmp_path)
        mechdesign = make_runner(capsys)
        assert mechdesign("solve", "--n", 4, "--alpha", "1/2", "--output", "design.json").code == 0
        for line in (lines[0], lines[2]):
            ran = mechdesign(*shlex.split(line)[1:])
            assert ran.code == 0, ran.err


def save_as(page: Any, panel: Any, label: str, folder: Path) -> Path:
    return saved(page, panel.get_by_role("button", name=f"Save as {label}", exact=True), folder)


def comparable(text: str) -> Any:
    """A document without the seconds that it took."""
    document = json.loads(text)
    del document["seconds"]
    return document
