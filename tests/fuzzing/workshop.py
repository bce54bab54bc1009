"""Try many inputs in processes that may die: who dies, or hangs, costs one input."""

import faulthandler
import importlib
import multiprocessing
import os
import pkgutil
import resource
import signal
import tempfile
import time
from pathlib import Path

from trials import LAST, Folder, try_here, try_whole

import mechdesign
import mechdesign_catalog
import mechdesign_cli
import mechdesign_figures
import mechdesign_studio

OTHERS = ["matplotlib.pyplot", "pandas", "polars", "pyarrow.parquet", "scipy.optimize", "scipy.stats", "uvicorn"]

ADDRESSES = 6 << 30
"""Bytes of address space that a process may take."""

SILENCE = 5 * LAST
"""Seconds without a word after which a process is given up."""

QUIET_WORK = 900.0
"""Seconds after which a process that only tells its result at the end says where it stands, and is given up."""


def settle_in(folder):
    """Make this process see nothing of its user: no network, no data, no home, a narrow terminal."""
    nowhere = "http://127.0.0.1:9"
    os.environ.update(http_proxy=nowhere, https_proxy=nowhere, HTTP_PROXY=nowhere, HTTPS_PROXY=nowhere)
    os.environ.update(HOME=str(folder), XDG_CACHE_HOME=str(folder), MECHDESIGN_DATA=str(folder), COLUMNS="80")
    os.environ.update(OMP_NUM_THREADS="1", MPLBACKEND="agg")
    os.environ.pop("MECHDESIGN_TRACEBACK", None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import_all()


def import_all():
    """Import whatever commands import when they need it: a module of which the import is interrupted stays broken."""
    for package in (mechdesign, mechdesign_catalog, mechdesign_cli, mechdesign_figures, mechdesign_studio):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in OTHERS:
        importlib.import_module(name)


def limit_memory():
    """Let no input take the machine's memory."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))


def _work(inputs, numbers, whole, channel):
    """Try these inputs one after the other and tell each verdict."""
    with tempfile.TemporaryDirectory() as place:
        settle_in(place)
        limit_memory()
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # what a library prints past Python
            os.dup2(silent, stream)
        folder = Folder(Path(place) / "here")
        for number in numbers:
            channel.send((number, None))
            channel.send((number, (try_whole if whole else try_here)(inputs.make(number), folder)))
        os.chdir("/")
    channel.send((None, None))
    channel.close()
    os._exit(0)  # threads of interrupted pools may wait for ever


def in_a_process(work):
    """Return what a function without arguments returns in a process of its own."""
    context = multiprocessing.get_context("spawn")
    channel, other = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(work, other))
    process.start()
    other.close()
    try:
        return channel.recv()
    finally:
        process.join()


def _send(work, channel):
    faulthandler.dump_traceback_later(QUIET_WORK, exit=True)  # the other side learns that nothing comes
    channel.send(work())
    channel.close()
    os._exit(0)


class Worker:
    """A process with its numbers, begun anew behind the one that it died of."""

    def __init__(self, inputs, numbers, whole):
        self.inputs, self.numbers, self.whole = inputs, list(numbers), whole
        self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.channel, other = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(self.inputs, self.numbers, self.whole, other))
        self.process.start()
        other.close()
        self.at, self.heard = None, time.monotonic()

    def verdicts(self):
        """Yield what is there to be heard: number and verdict, or a text where the process died or hangs."""
        try:
            while self.channel.poll():
                number, verdict = self.channel.recv()
                self.heard = time.monotonic()
                if number is None:
                    self.numbers = []
                elif verdict is None:
                    self.at = number
                else:
                    self.numbers.remove(number)
                    yield number, verdict
        except EOFError:
            yield from self._lost(f"process died, exit code {self._exit_code()}")
            return
        if self.numbers and time.monotonic() - self.heard > SILENCE:
            self.process.kill()
            yield from self._lost("process hangs")

    def _exit_code(self):
        self.process.join(5)
        return self.process.exitcode

    def _lost(self, reason):
        if not self.numbers:
            return
        lost = self.at if self.at in self.numbers else self.numbers[0]
        self.numbers.remove(lost)
        yield lost, reason
        if self.numbers:
            self.start()


def try_all(inputs, numbers, processes, whole=False):
    """Yield number and verdict (or a text) of each input as they come."""
    workers = [Worker(inputs, numbers[k::processes], whole) for k in range(processes)]
    while any(worker.numbers for worker in workers):
        for worker in workers:
            yield from worker.verdicts()
        time.sleep(0.02)
    for worker in workers:
        worker.process.join(5)
