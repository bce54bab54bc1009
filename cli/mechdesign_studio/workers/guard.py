"""The guard, which outlives the studio by a moment.

When the studio ends, however it ends, it ends its workers and clears its folder.

This runs as a script of its own, by the standard library alone. Standard input has a line `+GROUP` for each process
group that begins and `-GROUP` for each that ended; it closes when the studio is gone, also by SIGKILL.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress

TRIES = 20
PAUSE = 0.1


def watch(folder: str) -> None:
    """Wait for the end of the studio, then end what is left of it."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(TRIES):  # a process that is being killed may still write
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(PAUSE)


if __name__ == "__main__":
    watch(sys.argv[1])
