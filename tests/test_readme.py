"""The README's Python, run as it stands."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_print_what_they_say(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, README.name, "exec"), {})
    lines = printed.getvalue().splitlines()
    promised = re.findall(r"# -> (.*)", block)
    assert promised
    assert [line for line in lines if line in promised] == promised


def test_the_face_is_imported_once():
    assert sum(block.count("import mechdesign as md") for block in BLOCKS) == 1
