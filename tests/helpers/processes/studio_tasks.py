"""A studio with jobs for tests: they sleep, start processes, report, fill memory, die.

`python studio_tasks.py` prints the address, as `mechdesign studio` does.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mechdesign.errors import InputError
from mechdesign_studio import routes
from mechdesign_studio.serving import serve
from mechdesign_studio.workers import worker_pool
from mechdesign_studio.workers.work import Emit, Ending, Order, ReleaseWork, Work

LEARNS_BY = "MECHDESIGN_TEST_LEARNS_BY"
"""The variable with the name of a file without which workers do not go on to learn."""


def read_release(*_request: object) -> None:
    """Draw no release."""


def warm() -> None:
    """There is nothing to warm."""


def learn_first() -> object:
    """Tell that this was learnt in a worker."""
    return {"pid": os.getpid()}


def learn_all() -> object:
    """Tell something more, once the file is there that a test names."""
    if os.environ.get(LEARNS_BY):
        await_file(os.environ[LEARNS_BY])
    return {"pid": os.getpid(), "later": True}


def await_file(path: str) -> None:
    """Wait until a file is there."""
    while not Path(path).exists():
        time.sleep(0.02)


def choices(learnt: object) -> dict[str, Any]:
    """Show what was learnt."""
    assert isinstance(learnt, dict)
    return dict(learnt)


def read(asked: object, learnt: object, uploads: Mapping[str, str]) -> Order | None:
    """Take a list of tasks as it is; the task "read" names an upload, and "later" must have been learnt."""
    assert isinstance(learnt, dict)
    if not isinstance(asked, list):
        raise InputError(f"steps must be a list, got {asked}")
    if "later" not in learnt and any(name == "later" for name, _ in asked):
        return None
    links = {uploads[value]: value for name, value in asked if name == "read"}
    return Order(asked, tuple(name for name, _ in asked), links)


def run(payload: object, folder: Path, emit: Emit) -> Ending:
    """Do the tasks one after the other."""
    assert isinstance(payload, list)
    said = [os.getpid(), *(TASKS[name](value, folder, emit) for name, value in payload)]
    return Ending("done", {"said": said})


def _start(_value: Any, _folder: Path, emit: Emit) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    emit("remark", {"text": str(sleeper.pid)})


def _fork(_value: Any, _folder: Path, emit: Emit) -> None:
    child = os.fork()
    if not child:
        time.sleep(600)  # it holds everything open that the worker has open
    emit("remark", {"text": str(child)})


def _report(value: Any, _folder: Path, emit: Emit) -> None:
    for number in range(value):
        emit("progress", {"label": "report", "done": number, "total": value})


def _fill(value: Any, folder: Path, _emit: Emit) -> None:
    with (folder / "full").open("wb") as stream:
        stream.seek(value - 1)  # a hole: the disk has none of it
        stream.write(b"x")


def _fail(value: Any, _folder: Path, _emit: Emit) -> None:
    raise ValueError(value)


TASKS: dict[str, Callable[[Any, Path, Emit], object]] = {
    "sleep": lambda value, _folder, _emit: time.sleep(value),
    "await": lambda value, _folder, _emit: await_file(value),
    "spin": lambda value, _folder, _emit: sum(range(value)),  # one call of C that keeps the interpreter's lock
    "start": _start,
    "fork": _fork,
    "report": _report,
    "write": lambda value, folder, _emit: (folder / value).write_text(value),
    "fill": _fill,
    "read": lambda _value, folder, _emit: {path.name: path.read_text() for path in sorted(folder.iterdir())},
    "say": lambda value, _folder, _emit: "x" * value,
    "hold": lambda value, _folder, _emit: len(b"x" * value),
    "die": lambda value, _folder, _emit: os.kill(os.getpid(), value),
    "later": lambda value, _folder, _emit: value,
    "leave": lambda value, _folder, _emit: sys.exit(value),
    "fail": _fail,
}


if __name__ == "__main__":
    routes.ABANDONED_AFTER = 0.2
    worker_pool.LARGEST_PEAK = 2**28
    work = Work(warm, (learn_first, learn_all), choices, read, run, ReleaseWork(None, read_release))
    number = serve(work, 0, None, open_browser=False)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
