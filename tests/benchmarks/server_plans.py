"""What a collection takes on paper, beside what it takes here: seconds of processor time for reports in a file.

    python tests/benchmarks/server_plans.py            # about two minutes

The constants of `mechdesign_catalog.randomizers.facts.costs` are good while ratios are between 1/3 and 3.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import load

from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog import Attributes, collect, make_task
from mechdesign_catalog.collection.reports.batches import PrivateReports
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.comparisons.server_plans import server_plan
from mechdesign_catalog.randomizers.facts.costs import MEASURED
from mechdesign_catalog.systems.registry import FLAT_ORACLES

BYTES = 64 << 20
MOST_USERS = 4_000_000
RUNS = 3

TREES = ("hh:b=4", "hh:b=4:in=hrr", "haar")
BINARY = ("inprr:oue", "inpps", "inpolh", "inphtcms", "inpem", "margrr", "margps", "marght", "calm", "inpht")
SEVERAL = ("spl", "smp", "rs+fd", "margps", "calm", "inpes")


def main() -> None:
    print(f"constants of {MEASURED}; {load()}")
    print(f"{'oracle':<16}{'items':>12}{'users':>12}{'paper':>10}{'here':>10}{'ratio':>8}")
    for name, items, task in tasks():
        one_line(name, items, task)
    print(load())


def tasks() -> Iterator[tuple[str, str, Task]]:
    """Tasks by name and items: a million items have no names, so their task names none."""
    for k in (1000, 1_000_000):
        for name in FLAT_ORACLES:
            yield name, f"{k:,}", make_task(name, epsilon=1, k=k)
    for name in TREES:
        yield name, "65,536", make_task(name, epsilon=1, k=1 << 16)
    for name in BINARY:
        yield name, "2^8", make_task(name, epsilon=1, domain=attributes((2,) * 8))
    for name in SEVERAL:
        yield name, "5,20,3", make_task(name, epsilon=1, domain=attributes((5, 20, 3)))


def attributes(domains: tuple[int, ...]) -> Attributes:
    return Attributes.of({f"attribute {number}": range(items) for number, items in enumerate(domains)})


def one_line(name: str, items: str, task: Task) -> None:
    oracle: Any = task_oracle(task)
    users = min(MOST_USERS, int(BYTES / max(oracle.message_bytes, 16)))
    generator, domains = np.random.default_rng(1), getattr(oracle, "domains", None)
    values = generator.integers(
        0, oracle.k if domains is None else domains, users if domains is None else (users, len(domains))
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        PrivateReports.of(Header(task), oracle.privatize(values, seeded_words(1))).save(path)
        here = min(seconds(path) for _ in range(RUNS))
    paper = server_plan(oracle, users).seconds
    print(f"{name:<16}{items:>12}{users:>12,}{paper:>10.3f}{here:>10.3f}{paper / here:>8.2f}", flush=True)


def seconds(path: Path) -> float:
    """Processor seconds to read and add up a file."""
    started = time.process_time()
    collect(str(path))
    return time.process_time() - started


if __name__ == "__main__":
    main()
