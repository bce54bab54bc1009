"""Aggregation of many reports: seconds and memory, beside pyarrow and numpy that count the same columns by themselves.

    python tests/benchmarks/aggregation.py FOLDER [grr hrr olh oue small]

Reports are written to FOLDER where they are not there yet (GRR, HRR and OLH 10^8 each, 0.8 GB together; OUE 12.5 GB;
10^5 small files 2 GB). 10^9 reports are one set of files ten times, each time with identities of its own. The peer,
which comes first, reads the same columns of the same files by pyarrow and counts them by numpy's bincount. A figure to
quote is a ratio of the same run. Memory is the sum over all processes, pages that they share counted once.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from measuring import load, row

from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workers.choosing import WorkerChoice
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.reports.locations import find_files
from mechdesign_catalog.collection.reports.report_files import OpenFile, open_reports, write_reports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.servers.collecting import collect_inputs
from mechdesign_catalog.collection.servers.inputs import Inputs
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.datasets.items.domain import Domain
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.randomizers.reports.reports import Reports
from mechdesign_catalog.systems import make_oracle

K, EPSILON = 1000, 1
ITEMS = Domain(tuple(f"item {number}" for number in range(K)))
PIECE = 1 << 18


@dataclass(frozen=True)
class Figure:
    """An oracle, the reports of one file and the files, how often the set is counted, and the seconds aimed at."""

    oracle: str
    rows: int
    files: int
    times: int
    target: float


LOOK_SECONDS = 2.0
"""How often memory is looked at. It stops a process: at five times a second two jobs took up to three times as long."""

WORKERS = (("one job", 1, None), ("two jobs", 2, None), ("Dask, two processes", 2, "local"))

FIGURES = {
    "grr": Figure("grr", 10_000_000, 10, 10, 20),
    "hrr": Figure("hrr", 10_000_000, 10, 10, 40),
    "olh": Figure("olh", 10_000_000, 10, 10, 60),
    "oue": Figure("oue", 10_000_000, 10, 1, 30),
    "small": Figure("grr", 1_000, 100_000, 1, 60),
}


@dataclass(frozen=True)
class Again(ReportFile):
    """Count a file as that of other users: its number goes into its identity."""

    number: int

    @property
    def header(self) -> Header:
        """The file's header with another identity."""
        with open_reports(self.location) as found:
            return self._other(found.header)

    @contextmanager
    def opened(self) -> Iterator[OpenFile]:
        """Open the file with another identity."""
        with open_reports(self.location) as found:
            yield replace(found, header=self._other(found.header))

    def _other(self, header: Header) -> Header:
        return replace(header, identity=f"{self.number:04x}{header.identity[4:]}")


def made(name: str, folder: Path) -> list[ReportFile]:
    """The files of a figure, written where they are not there."""
    figure, target = FIGURES[name], folder / name
    oracle = make_oracle(figure.oracle, K, Privacy(epsilon=EPSILON))
    header = Header(Task.about(oracle.parameters, ITEMS))
    target.mkdir(parents=True, exist_ok=True)
    words = seeded_words(1)
    for number in range(figure.files):
        path = target / f"{number:06}.parquet"
        if not path.exists():
            pieces = (piece(oracle, min(PIECE, figure.rows - start), words) for start in range(0, figure.rows, PIECE))
            write_reports(path, header, pieces)
    return [ReportFile(location) for location in find_files(target)]


def piece(oracle: FrequencyOracle, rows: int, words: WordSource) -> Reports:
    """Reports of users whose items are all as frequent."""
    return oracle.privatize(np.arange(rows) % K, words)


def counted(batches: list[ReportFile], jobs: int, cluster: str | None = None) -> CollectionState:
    """The state of all batches."""
    state, again = collect_inputs(Inputs([], batches), workers=WorkerChoice(jobs, cluster))
    assert not again
    return state


def peer(batches: list[ReportFile]) -> int:
    """Read the same columns by pyarrow, and add up numbers by bincount; returns the rows."""
    rows = 0
    for batch in batches:
        with pq.ParquetFile(batch.name) as file:
            for group in range(file.metadata.num_row_groups):
                table = file.read_row_group(group, use_threads=False)
                for column in table.columns:
                    if str(column.type).startswith("uint"):
                        numbers = column.combine_chunks().to_numpy(zero_copy_only=False)
                        np.bincount(numbers.astype(np.intp), minlength=K)
                rows += len(table)
    return rows


def proportional_bytes() -> int:
    """Memory of this process and those below it; pages that several share count once in all."""
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        try:
            total += next(
                int(line.split()[1]) * 1024
                for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
                if line.startswith("Pss:")
            )
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, StopIteration):
            continue
    return total


def timed(work: Callable[[], object]) -> tuple[float, float, float, object]:
    """Seconds, those of all processors together, the largest memory in MiB, and what came out."""
    done, most = threading.Event(), [0]

    def watch() -> None:
        while not done.wait(LOOK_SECONDS):
            most[0] = max(most[0], proportional_bytes())

    watching = threading.Thread(target=watch)
    watching.start()
    started, busy = time.perf_counter(), sum(os.times()[:4])
    try:
        found = work()
    finally:
        passed = time.perf_counter() - started
        done.set()
        watching.join()
    return passed, sum(os.times()[:4]) - busy, most[0] / 2**20, found


def measure(name: str, folder: Path) -> None:
    """Time one process, two, and the peer."""
    figure, files = FIGURES[name], made(name, folder)
    batches = [Again(file.location, number) for number in range(figure.times) for file in files]
    users = figure.rows * figure.files * figure.times
    plain, _, _, rows = timed(lambda: peer(files))
    assert rows * figure.times == users
    plain *= figure.times
    label = f"{users:.0e} reports of {figure.oracle} in {len(files):,} files".replace("e+0", "e")
    one, seconds = None, {}
    for who, jobs, cluster in WORKERS:
        passed, busy, memory, state = timed(
            lambda jobs=jobs, cluster=cluster: counted(batches if figure.times > 1 else files, jobs, cluster)
        )
        assert state.users == users
        assert one is None or state == one
        one, seconds[who] = state, passed
        versus = {"two jobs": "one job", "Dask, two processes": "two jobs"}.get(who)
        beside = "" if versus is None else f", {seconds[versus] / passed:.2f} times as fast as {versus}"
        note = (
            f"{passed / plain:.2f} x the peer, {busy:.1f} s of CPU, {memory:.0f} MiB{beside}; aim {figure.target:g} s"
        )
        row(f"{label}, {who}", f"{passed:.1f} s", note)


def main() -> None:
    """Time the figures that are asked for."""
    folder, *names = sys.argv[1:]
    print(load())
    for name in names or FIGURES:
        measure(name, Path(folder))
    print(load())


if __name__ == "__main__":
    main()
