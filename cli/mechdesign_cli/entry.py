"""The console script: Ctrl-C ends it cleanly from its first moment on."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def _leave(_number: int, _frame: FrameType | None) -> None:
    """While modules are being loaded nothing is half done: leave at once."""
    os.write(2, b"mechdesign: interrupted\n")
    os._exit(INTERRUPTED)


def entry() -> None:
    """Load the command line, run it, and exit with its code."""
    signal.signal(signal.SIGINT, _leave)
    from mechdesign_cli.app import run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done and said
    sys.exit(code)
