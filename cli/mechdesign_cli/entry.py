"""Start the console script; Ctrl-C ends it cleanly from its first moment on."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def _leave(_number: int | None = None, _frame: FrameType | None = None) -> None:
    """Outside of `run` nothing is half done: leave at once."""
    os.write(2, b"mechdesign: interrupted\n")
    os._exit(INTERRUPTED)


def entry() -> None:
    """Load the command line, run it, and exit with its code."""
    signal.signal(signal.SIGINT, _leave)
    from mechdesign_cli.app import run

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said
    except KeyboardInterrupt:  # in the moment before `run` or after it, since it catches its own
        _leave()
    if code == INTERRUPTED:
        # Python notes an interrupt that passes through exec or eval of a text (a dataclass or a named tuple that is
        # being made in an import), and at its end it would kill itself by the signal, though all was caught and said.
        _flush()
        os._exit(code)
    sys.exit(code)


def _flush() -> None:
    """What is still to be written, where somebody reads it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
