"""Marginal tables under local privacy: seconds and memory of INPHT, client, server and all tables with their errors.

    python tests/benchmarks/marginals.py

A figure to quote is a ratio of the same run: to the plain Hadamard oracle that reports one item of as many users.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
from measuring import load, row

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import PeopleShares, subsets_of
from mechdesign_catalog.systems.registry import make_oracle
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

USERS = 1_000_000
EPSILON = "1.1"


class Case(NamedTuple):
    """Domains, way, and the most seconds for client and server, and for all tables after that; None for no target."""

    domains: tuple[int, ...]
    way: int
    limits: tuple[float, float] | None


CASES = {
    "d = 16, k = 2": Case((2,) * 16, 2, (2.0, 1.0)),
    "d = 32, k = 3": Case((2,) * 32, 3, (10.0, 10.0)),
    "items of Adult, k = 2": Case((7, 16, 7, 14, 6, 5, 2, 41), 2, None),
}


def people(domains: tuple[int, ...]) -> np.ndarray:
    """Items of users that depend on what they have in common: the smaller, the more of it."""
    generator = np.random.default_rng(1)
    common = generator.random(USERS)
    columns = [np.minimum((common * generator.random(USERS) * 2 * r).astype(np.int64), r - 1) for r in domains]
    return np.stack(columns, axis=1)


def gibibytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def collect_once(name: str) -> None:
    """Client, server and tables in this process, as JSON; the data are not on the clock."""
    domains, way, _ = CASES[name]
    values, oracle = people(domains), parse_marginal_oracle(f"inpht:k={way}", domains, Privacy(epsilon=EPSILON))
    before, started = gibibytes(), time.perf_counter()
    reports = oracle.privatize(values)
    client = time.perf_counter() - started
    state = oracle.aggregate(reports)
    both, busy = time.perf_counter() - started, time.process_time()
    started = time.perf_counter()
    subsets = subsets_of(len(domains), way)
    tables = LinearTables(oracle, state).tables(subsets)
    after, cpu = time.perf_counter() - started, time.process_time() - busy
    peak, truth = gibibytes(), PeopleShares(domains, values)
    errors = [(table.shares - truth.table(table.subset)) / table.standard_errors for table in tables]
    spread = float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
    found = {"client": client, "both": both, "tables": after, "cpu": cpu, "count": len(tables), "spread": spread}
    print(json.dumps({**found, "before": before, "peak": peak}))


def plain_once() -> None:
    """The plain Hadamard oracle on 256 items, as JSON."""
    oracle = make_oracle("hrr", 256, Privacy(epsilon=EPSILON))
    values = np.random.default_rng(1).integers(0, 256, USERS)
    started = time.perf_counter()
    oracle.aggregate(oracle.privatize(values))
    print(json.dumps({"both": time.perf_counter() - started}))


def measure(case: str) -> dict[str, float]:
    """A case in a process of its own, so that its peak memory is its own."""
    ran = subprocess.run([sys.executable, __file__, "--one", case], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        plain_once() if asked.one == "plain" else collect_once(asked.one)
        return
    plain = measure("plain")["both"]
    print(f"INPHT, {USERS:,} users, epsilon {EPSILON}; {load()}; the plain hrr on 256 items takes {plain:.2f} s")
    for name, case in CASES.items():
        found = measure(name)
        first, second = [f"under {limit:g} s; " for limit in case.limits or ()] or ["", ""]
        ratio = f"client {found['client']:.2f} s; {found['both'] / plain:.1f} x the plain hrr"
        row(f"{name}: client and server", f"{found['both']:.2f} s", first + ratio)
        said = f"{found['cpu']:.2f} s of CPU; errors {found['spread']:.3f} of their standard errors"
        row(f"{name}: {found['count']:.0f} tables with errors", f"{found['tables']:.2f} s", second + said)
        row(f"{name}: peak memory", f"{found['peak']:.2f} GiB", f"{found['before']:.2f} before")
    print(load())


if __name__ == "__main__":
    main()
