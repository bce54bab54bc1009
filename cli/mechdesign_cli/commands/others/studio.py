"""Run `mechdesign studio`: serve the page in a browser on this machine."""

import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from mechdesign.errors import InputError
from mechdesign_cli.parsing import numbers

NEEDED = ("starlette", "uvicorn")
LARGEST_PORT = 65_535


def studio(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="A design (.json) to begin with.")] = None,
    port: Annotated[
        int, typer.Option("--port", help="Port on 127.0.0.1; 0 for any.", parser=numbers.whole_number, metavar="PORT")
    ] = 0,
    release_folder: Annotated[
        Path | None,
        typer.Option("--release-folder", help="A folder for released counts and their records; it must exist."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            "--ledger", help="With --release-folder: the ledger that pays for releases before they are drawn."
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address only.")] = False,
) -> None:
    """Print the address, and open it in a browser; nobody else on the network can reach it. Ctrl-C ends it.

    Data and documents stay on this machine, in a temporary folder that goes with the process.

    Example: mechdesign studio wm.json
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise InputError(
            f'studio must have {" and ".join(NEEDED)}, got no {missing[0]}; pip install "mechdesign[studio]"'
        )
    if not 0 <= port <= LARGEST_PORT:
        raise InputError(f"port must be in 0..{LARGEST_PORT}, got --port {port}")
    if release_folder is not None and not (release_folder := release_folder.resolve()).is_dir():
        raise InputError(f"release folder must exist, got {release_folder}; create it with mkdir -p {release_folder}")
    if ledger is not None:
        from mechdesign.ledgers.ledger import Ledger

        if release_folder is None:
            raise InputError(f"ledger goes with a release folder, got --ledger {ledger} alone")
        Ledger.open(ledger := ledger.resolve())
    from mechdesign_cli.studio.work import make_work
    from mechdesign_studio.serving import serve

    signal.raise_signal(serve(make_work(context.obj, release_folder, ledger), port, file, not no_browser))
