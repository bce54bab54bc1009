"""Chromium on this machine, started so that it reaches nothing but this machine."""

import os
import shutil
from pathlib import Path
from typing import Any

VARIABLE = "MECHDESIGN_BROWSER"
REQUIRED = "required"
NAMES = ("chromium", "google-chrome", "chromium-browser")
ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


class NoBrowserError(Exception):
    """The error when there is no browser."""


def is_required() -> bool:
    """Tell whether a missing browser is a failure."""
    return os.environ.get(VARIABLE) == REQUIRED


def find_browser() -> str:
    """Find the program: the one that MECHDESIGN_BROWSER names, or the first of `NAMES` on the path.

    Raises:
        NoBrowserError: where there is none.
    """
    named = os.environ.get(VARIABLE, "")
    if named and named != REQUIRED:
        if found := shutil.which(named):
            return found
        raise NoBrowserError(f"{VARIABLE}={named} is no program")
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise NoBrowserError(f"no browser: {VARIABLE} is not set, and none of {', '.join(NAMES)} is on the path")


def start_browser(playwright: Any) -> Any:
    """Start it.

    Raises:
        NoBrowserError: where it does not start.
    """
    program = find_browser()
    try:
        return playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
    except Exception as error:
        first = str(error).strip().splitlines()[0]
        raise NoBrowserError(f"{Path(program).name} does not start: {first}") from None
