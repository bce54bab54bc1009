"""Try one input, in this process or as one of its own, and judge what a user would see."""

import contextlib
import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from mechdesign_cli.app import run

CUT = 1.0
"""Seconds of computing after which work in this process is interrupted: it may be good work that takes long."""

WALL_CUT = 4.0
"""Seconds by the clock after which it is interrupted in any case."""

WHOLE_CUT = 30.0
LAST = 120.0
"""Seconds that an interrupted command has for its end."""

UNCUT = 600.0
"""Seconds that are enough for good work, however slow the machine."""

MEMORY = 600 << 20
"""Bytes by which one input may raise the memory of the process."""

INTERRUPTED = 130
JUDGED = {0, 1, 2}
SECRET_KEY = re.compile(rb"[0-9a-f]{64}\n")
"""What `release --key` makes where there is none, before it reads; it stays, since others may use it by then."""


@dataclass(frozen=True)
class Verdict:
    """What came of an input: `fault` is empty where all is well; `kind` is the same for the same fault."""

    code: int
    seconds: float
    was_cut: bool
    kind: str = ""
    fault: str = ""
    said: str = ""


SQLITE = b"SQLite format 3\0"


class Folder:
    """A folder that holds the files of one input, and what a command makes of them."""

    def __init__(self, path):
        self.path = Path(path)

    def fill(self, files):
        """Put these files there and nothing else."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        os.chdir(self.path)
        for name, content in files.items():
            (self.path / name).write_bytes(content)
            (self.path / name).chmod(0o600)  # what is open to others serves neither as a key nor as a ledger

    def faults(self, files, code):
        """Name what a command should not have left behind."""
        found = {str(path.relative_to(self.path)): path for path in self.path.rglob("*") if path.is_file()}
        for name, path in found.items():
            content = path.read_bytes()
            if files.get(name) == content or SECRET_KEY.fullmatch(content):
                continue
            if name in files and content.startswith(SQLITE) and files[name].startswith(SQLITE):
                continue  # a ledger notes a payment that was taken back
            if path.name.startswith(".") and name not in files:
                yield "hidden file", name
            elif code == 2 and not path.name.endswith(".journal"):
                yield "file written with exit code 2", name
            elif not is_whole(path, content):
                yield "file half-written", name
        for name in files.keys() - found.keys():
            if not name.endswith(".journal"):
                yield "file removed", name


def is_whole(path, content):
    """Whether a file of this ending is complete."""
    suffix = path.suffix.lower()
    if content.startswith(SQLITE):  # a ledger or a memory, whatever its file is called
        return is_sound(content)
    if content.startswith(b"Privacy statement"):  # a text, whatever its file is called
        return content.endswith(b"\n")
    try:
        if suffix == ".json":
            json.loads(content)
        elif suffix == ".npz":
            return zipfile.ZipFile(io.BytesIO(content)).testzip() is None
        elif suffix == ".csv":
            rows = list(csv.reader(io.StringIO(content.decode()), strict=True))
            return content.endswith(b"\n") and len({len(row) for row in rows}) == 1
        elif suffix == ".parquet":
            return content[:4] == content[-4:] == b"PAR1"
        elif suffix in (".svg", ".png", ".pdf"):
            return {".svg": b"</svg>", ".png": b"IEND", ".pdf": b"%%EOF"}[suffix] in content[-20:]
    except (ValueError, zipfile.BadZipFile, csv.Error):
        return False
    return bool(content)


def is_sound(content):
    """Whether the pages of a database are complete and belong together."""
    try:
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(content)
            return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.DatabaseError:
        return False


def peak():
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def try_here(one, folder, cut=CUT, wall_cut=WALL_CUT):
    """Try an input in this process; what takes long is interrupted as by Ctrl-C."""
    folder.fill(one.files)
    out, err = io.StringIO(), io.StringIO()
    before = peak()
    signal.signal(signal.SIGPROF, _interrupt)
    signal.signal(signal.SIGALRM, _interrupt)
    started = time.process_time()
    escaped = None
    _interrupted.clear()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        signal.setitimer(signal.ITIMER_PROF, cut)
        signal.setitimer(signal.ITIMER_REAL, wall_cut)
        try:
            code = run(list(one.words))
        except BaseException as error:
            is_late = isinstance(error, KeyboardInterrupt) and _interrupted  # the command was about to end
            code, escaped = (INTERRUPTED, None) if is_late else (-1, error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.process_time() - started
    if _interrupted:
        seconds = max(seconds, cut)  # the timers count in steps of their own
    more = peak() - before
    return judge(one, folder, code, seconds, err.getvalue(), cut, escaped, more)


_interrupted = []


def _interrupt(number, _frame):
    """Be Ctrl-C, which commands hold off where it would do harm."""
    _interrupted.append(number)
    signal.raise_signal(signal.SIGINT)


def try_whole(one, folder, cut=WHOLE_CUT):
    """Try an input as a process of its own."""
    folder.fill(one.files)
    words = [word for word in one.words if "\0" not in word]  # no process can be given one
    words = [word.encode("utf-8", "replace") for word in words]
    started = time.perf_counter()
    job = subprocess.Popen(
        [sys.executable, "-m", "mechdesign_cli", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, err = job.communicate(timeout=cut)
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGINT)
        try:
            _, err = job.communicate(timeout=LAST)
        except subprocess.TimeoutExpired:
            job.kill()
            _, err = job.communicate()
    seconds = time.perf_counter() - started
    return judge(one, folder, job.returncode, seconds, err.decode("utf-8", "replace"), cut, None, 0)


def judge(one, folder, code, seconds, err, cut, escaped, more):
    """Compare what was seen with what is promised."""
    was_cut = code == INTERRUPTED and seconds >= cut * 0.9
    kind, fault = "", ""
    lines = err.splitlines()
    last = lines[-1] if lines else ""
    if escaped is not None:
        kind, fault = f"escaped {type(escaped).__name__}", repr(escaped)
    elif "Traceback" in err and seconds < cut * 0.9:  # an interrupt inside a library's own callback is only noted
        kind, fault = f"traceback {last[:60]}", err
    elif code not in JUDGED and not was_cut:
        place = last.partition("(at ")[2].partition(",")[0]
        kind, fault = f"exit code {code} {last.split(':')[1].strip() if ':' in last else ''} {place}", last
    elif code == 2 and not (len(lines) == 1 and last.startswith("mechdesign: ")):
        kind, fault = "exit code 2 without exactly one line", err
    elif code == 2 and len(last) > 600:
        kind, fault = "a line that is too long", last
    elif seconds > cut + LAST:
        kind, fault = "does not end when interrupted", f"{seconds:.1f} s"
    elif more > MEMORY:
        kind, fault = "memory", f"{more >> 20} MiB"
    else:
        kind, fault = next(folder.faults(one.files, code), ("", ""))
    return Verdict(code, seconds, was_cut, kind, fault, last)
