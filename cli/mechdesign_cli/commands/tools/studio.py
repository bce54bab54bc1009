"""The command `mechdesign studio`: the page, served on this machine."""

import signal
from importlib.util import find_spec
from pathlib import Path

import typer

from mechdesign.errors import InputError
from mechdesign_cli.record import Command, argument, option

NEEDED = ("starlette", "uvicorn")
LARGEST_PORT = 65_535


class Studio(Command):
    """The address is printed and opened in a browser; nobody else on the network can reach it. Ctrl-C ends it.

    Data and documents stay on this machine, in a temporary folder that is removed at the end.

    Example: mechdesign studio wm.json
    """

    context: typer.Context
    file: Path | None = argument("A design (.json) to begin with.")
    port: int = option("Port on 127.0.0.1; 0 for any.", default=0)
    release_folder: Path | None = option("A folder for released counts and their records; it must exist.")
    ledger: Path | None = option("With --release-folder: the ledger that pays for releases before they are drawn.")
    no_browser: bool = option("Print the address only.", default=False)

    def run(self) -> None:
        """Check the options, and serve until Ctrl-C."""
        if missing := [name for name in NEEDED if find_spec(name) is None]:
            raise InputError(
                f"the studio needs {' and '.join(NEEDED)}, and {missing[0]} is not installed; "
                'run pip install "mechdesign[studio]"'
            )
        if not 0 <= self.port <= LARGEST_PORT:
            raise InputError(f"port must be in 0..{LARGEST_PORT}, got --port {self.port}")
        folder = None if self.release_folder is None else self.release_folder.resolve()
        if folder is not None and not folder.is_dir():
            raise InputError(f"release folder must exist, got {folder}; create it with mkdir -p {folder}")
        ledger = None if self.ledger is None else self.ledger.resolve()
        if ledger is not None:
            from mechdesign.ledgers.ledger import Ledger

            if folder is None:
                raise InputError(f"ledger goes with a release folder, got --ledger {self.ledger} alone")
            Ledger.open(ledger)
        from mechdesign_cli.studio.work import make_work
        from mechdesign_studio.serving import serve

        work = make_work(self.context.obj, folder, ledger)
        signal.raise_signal(serve(work, self.port, self.file, not self.no_browser))
