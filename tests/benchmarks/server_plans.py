"""What a collection takes on paper, beside what it takes here: seconds of processor time for reports in a file.

    python tests/benchmarks/server_plans.py            # about a minute

The constants of `mechdesign_catalog.comparisons.server_plans` are good while ratios are between 1/3 and 3.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import load

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog import collect, privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports
from mechdesign_catalog.comparisons.server_plans import MEASURED, server_plan
from mechdesign_catalog.oracles.registry import FLAT_ORACLES, make_oracle

BYTES = 64 << 20
MOST_USERS = 4_000_000
RUNS = 3


def main() -> None:
    print(f"constants of {MEASURED}; {load()}")
    print(f"{'oracle':<10}{'k':>10}{'users':>12}{'paper':>10}{'here':>10}{'ratio':>8}")
    for k in (1000, 1_000_000):
        for name in FLAT_ORACLES:
            one_line(name, k)
    print(load())


def one_line(name: str, k: int) -> None:
    """Seconds on paper and here; a million items have no names, so their reports are made without a domain file."""
    oracle = make_oracle(name, k, Privacy(epsilon=1))
    users = min(MOST_USERS, BYTES // oracle.wire.width)
    values = np.random.default_rng(1).integers(0, k, users)
    items = [str(item) for item in range(k)]
    header = privatize([items[0]], name, epsilon=1, domain=items).header
    reports = PrivateReports.of(header, oracle.privatize(values, seeded_words(1)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        reports.save(path)
        here = min(seconds(path) for _ in range(RUNS))
    paper = server_plan(oracle, users).seconds
    print(f"{name:<10}{k:>10,}{users:>12,}{paper:>10.3f}{here:>10.3f}{paper / here:>8.2f}", flush=True)


def seconds(path: Path) -> float:
    """Processor seconds to read and add up a file."""
    started = time.process_time()
    collect(str(path))
    return time.process_time() - started


if __name__ == "__main__":
    main()
