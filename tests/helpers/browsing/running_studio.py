"""A running studio: `mechdesign studio` as a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True)
class RunningStudio:
    """A studio that runs: its process, the address that it printed, and the same without the token."""

    process: "subprocess.Popen[str]"
    address: str

    @property
    def base(self) -> str:
        """Its address without the token, and without a slash at the end."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def running_studio(folder: Path, *arguments: object) -> Iterator[RunningStudio]:
    """Run a studio in `folder` until the block ends; its remarks go to studio.log there."""
    command = [sys.executable, "-m", "mechdesign_cli", "studio", "--no-browser", *(str(one) for one in arguments)]
    with (folder / "studio.log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "MECHDESIGN_OFFLINE": "1"},
        )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), (folder / "studio.log").read_text()
        yield RunningStudio(process, address)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
