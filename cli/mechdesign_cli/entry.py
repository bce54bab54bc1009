"""The console script; Ctrl-C and SIGTERM end it cleanly from its first moment on."""

import os
import signal
import sys
from types import FrameType

from mechdesign_cli.endings import INTERRUPTED, TERMINATED, interrupt, interrupted, report_unexpected, terminate


def _leave(_number: int | None = None, _frame: FrameType | None = None) -> None:
    """Outside of `run` nothing is half done: leave at once."""
    word, code = interrupted()
    os.write(2, f"mechdesign: {word}\n".encode())
    os._exit(code)


def entry() -> None:
    """Load the command line, run it, and exit with its code."""
    signal.signal(signal.SIGINT, _leave)
    signal.signal(signal.SIGTERM, terminate)
    try:
        code = _run()
    except KeyboardInterrupt:  # in the moment before `run` or after it, since it catches its own
        _leave()
    if code in (INTERRUPTED, TERMINATED):
        # Python notes an interrupt that passes through exec or eval of a text (a dataclass or a named tuple that is
        # being made in an import), and at its end it would kill itself by the signal, though all was caught and said.
        _flush()
        os._exit(code)
    sys.exit(code)


def _run() -> int:
    """Import and run the command line; an import that fails is an unexpected error like any other."""
    try:
        from mechdesign_cli.app import run

        for stream in (sys.stdout, sys.stderr):  # names in letters that a terminal does not have
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        signal.signal(signal.SIGINT, interrupt)
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except Exception as error:
        return report_unexpected(error)
    return code


def _flush() -> None:
    """What is still to be written, where somebody reads it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
