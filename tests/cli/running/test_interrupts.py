"""Ctrl-C at awkward moments: always exit code 130 and one line, never death by the signal."""

import subprocess
import sys

import pytest
from studios import PATIENCE

INTERRUPTED = (130, "mechdesign: interrupted\n")

MOMENTS = {
    # where a library makes a dataclass or a named tuple: Python remembers this one for its own end
    "inside exec of a text": "app._call = lambda arguments: exec('raise KeyboardInterrupt')",
    "inside a library that makes another error of it": "app._call = lambda arguments: exec(BLURRED)",
    "inside a function": "app._call = lambda arguments: signal.raise_signal(signal.SIGINT)",
    "before run has begun": "app.run = lambda: signal.raise_signal(signal.SIGINT)",
    "while the error is said": "app._call = app._say = lambda *arguments: signal.raise_signal(signal.SIGINT)",
}


BLURRED = """
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    raise ImportError("cannot be imported")
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_ends_with_130(moment, tmp_path):
    lines = ["import signal", f"BLURRED = {BLURRED!r}", "import mechdesign_cli.app as app", MOMENTS[moment]]
    (tmp_path / "awkward.py").write_text("\n".join([*lines, "import mechdesign_cli.__main__"]))
    command = [sys.executable, "-m", "awkward", "--help"]  # what Python remembered counts only where a module is run
    job = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (job.returncode, job.stderr) == INTERRUPTED
