"""The endings of the command line: exit codes, and the line about an unforeseen error.

Only the standard library is imported, so that an error in any other import is reported as well.
"""

import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import FrameType

DONE, NO, BAD_INPUT, UNEXPECTED, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143
"""What a script can tell apart: 1 is a verdict, and nothing that goes wrong is one."""

TRACEBACK = "MECHDESIGN_TRACEBACK"
"""The environment variable that shows the whole traceback of an unexpected error where it is `1`."""

LONGEST_LINE = 600
LONGEST_CAUSE = 160
OURS = ("mechdesign", "mechdesign_catalog", "mechdesign_cli", "mechdesign_figures")


_came = {"code": DONE}


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Handle Ctrl-C: raise it, and remember that it came, since a library may make another error of it."""
    _came["code"] = _came["code"] or INTERRUPTED
    raise KeyboardInterrupt


def terminate(_number: int, _frame: FrameType | None) -> None:
    """Handle SIGTERM as Ctrl-C, so that files and processes under way are cleared; only the exit code is another."""
    _came["code"] = TERMINATED
    signal.raise_signal(signal.SIGINT)


def was_interrupted() -> bool:
    """Return whether Ctrl-C or SIGTERM came."""
    return _came["code"] != DONE


def interrupted() -> tuple[str, int]:
    """Return what is said, and the exit code, after Ctrl-C or SIGTERM."""
    return ("terminated", TERMINATED) if _came["code"] == TERMINATED else ("interrupted", INTERRUPTED)


def complain(message: str, code: int) -> int:
    """Print one line on stderr, where anybody reads it, and return the exit code."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(message.split()))
    if len(line) > LONGEST_LINE:
        line = f"{line[: LONGEST_LINE - 100]} ... {line[-90:]}"
    with suppress(OSError, ValueError):  # closed, or full
        print(f"mechdesign: {line}", file=sys.stderr, flush=True)
    return code


def report_unexpected(error: BaseException) -> int:
    """Print the line about an error that nobody foresaw, and return the exit code 70; after Ctrl-C it is that."""
    if was_interrupted():
        return complain(*interrupted())
    if os.environ.get(TRACEBACK) == "1":
        with suppress(OSError, ValueError):
            traceback.print_exception(error)
    return complain(unexpected_text(error), UNEXPECTED)


def unexpected_text(error: BaseException) -> str:
    """Describe an unexpected error: type and cause, where in our code it came up, the version, and how to see more."""
    cause = _cause(error)
    told = f"unexpected {type(error).__name__}{f': {cause}' if cause else ''}"
    return f"{told} (at {_place(error)}, version {_version()}); {TRACEBACK}=1 shows the rest"


def _cause(error: BaseException) -> str:
    """What the error says of itself, on one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # whatever an error's own text raises must not hide the error
        return ""
    return text if len(text) <= LONGEST_CAUSE else f"{text[:LONGEST_CAUSE]}..."


def _place(error: BaseException) -> str:
    """File and line of the innermost of our own frames, or of any where none is ours."""
    found = "unknown"
    is_ours = False
    for frame, line in traceback.walk_tb(error.__traceback__):
        ours = frame.f_globals.get("__name__", "").partition(".")[0] in OURS
        if ours or not is_ours:
            parts = Path(frame.f_code.co_filename).parts
            start = max((at for at, part in enumerate(parts) if part in OURS), default=len(parts) - 1)
            found, is_ours = f"{'/'.join(parts[start:])}:{line}", ours
    return found


def _version() -> str:
    try:
        from mechdesign.version import __version__
    except Exception:  # the engine itself may be what cannot be imported
        return "unknown"
    return __version__
