"""Ranges under local privacy: seconds and memory of the systems of levels, and another library in the same run.

    python tests/benchmarks/ranges.py                                   # ours alone
    python tests/benchmarks/ranges.py --peer PEER/bin/python            # beside ldp-hierarchical-mechanism
    python tests/benchmarks/ranges.py --peer PEER/bin/python --large    # the peer at the full size too: half a minute

A figure to quote is a ratio of the same run: of a system to the plain Hadamard oracle on the same users, of what
follows the reports to a plain pass over as many numbers, of the peer to ours.

The peer is pinned to statsmodels 0.14.4, which fails at import beside scipy 1.16 or pandas 3. So that nothing else here
is held back, it runs in an environment of its own, made by

    python -m venv PEER && PEER/bin/pip install ldp-hierarchical-mechanism "scipy<1.16" "pandas<3" "xxhash<4" tqdm

(the last four are not among its requirements, but it needs them).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import cpu_seconds, load, row, seconds

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.grid import Grid
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog.systems.registry import parse_oracle

USERS, K = 1_000_000, 1 << 20
QUERIES = 1_000_000
SIDE, RECTANGLES = 1 << 10, 10_000
SYSTEMS = ("hh:b=4:in=hrr", "hh:b=4", "haar")
LIMITS = (15.0, 1.0)
"""Seconds and GiB of client and server together."""

PEER_SCRIPT = Path(__file__).with_name("range_peer.py")
SHARED_SIZES = ((100_000, 1 << 10), (100_000, 1 << 16), (100_000, 1 << 20))
EPSILON = 1.1
REPETITIONS = 5


def people(users: int, k: int) -> np.ndarray:
    """Items of users: a bell around 0.4 k, a fifth of them anywhere."""
    generator = np.random.default_rng(1)
    bell = np.clip(generator.normal(0.4 * k, 0.1 * k, users), 0, k - 1).astype(np.int64)
    return np.where(generator.random(users) < 0.2, generator.integers(0, k, users), bell)


def gibibytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def collect_once(name: str) -> None:
    """Client and server of a system in this process, as JSON; the data are not on the clock."""
    oracle, values = parse_oracle(name, K, Privacy(epsilon=EPSILON)), people(USERS, K)
    before, busy_before, started = gibibytes(), time.process_time(), time.perf_counter()
    reports = oracle.privatize(values)
    client = time.perf_counter() - started
    estimates = oracle.estimate(oracle.aggregate(reports))
    total, busy = time.perf_counter() - started, time.process_time() - busy_before
    spread = float(np.abs(np.cumsum(estimates) - np.cumsum(np.bincount(values, minlength=K)) / USERS).max())
    found = {"client": client, "total": total, "cpu": busy, "before": before, "peak": gibibytes(), "spread": spread}
    print(json.dumps(found))


def collections() -> None:
    """Each system in a process of its own, so that its peak memory is its own."""
    print(f"client and server, {USERS:,} users, {K:,} items; {load()}")
    found = {}
    for name in ("hrr", *SYSTEMS):
        ran = subprocess.run([sys.executable, __file__, "--one", name], check=True, capture_output=True, text=True)
        found[name] = json.loads(ran.stdout)
        of = found[name]
        ratio = f"{of['cpu']:.2f} s of CPU, {of['cpu'] / found['hrr']['cpu']:.1f} x the plain hrr"
        row(f"  {name}: client {of['client']:.2f} s, both", f"{of['total']:.2f} s", f"under {LIMITS[0]:g} s; {ratio}")
        row(f"  {name}: peak memory", f"{of['peak']:.2f} GiB", f"under {LIMITS[1]:g} GiB ({of['before']:.2f} before)")
        row(f"  {name}: largest error of a prefix", f"{of['spread']:.3f}", "")


def inference() -> None:
    """Estimates of all levels to those of the items, against a running sum over as many numbers."""
    oracle = parse_oracle("hh:b=4:in=hrr", 1 << 22, Privacy(epsilon=EPSILON))
    generator = np.random.default_rng(2)
    estimates = [generator.normal(1 / level.k, 0.01, level.k) for level in oracle.parts]
    plain = seconds(lambda: np.cumsum(estimates[-1]))
    ours = seconds(lambda: oracle.items_of(estimates))
    row("constrained inference, k = 2^22", f"{ours:.3f} s", f"under 1 s; {ours / plain:.1f} x a running sum")


def answering() -> None:
    """A million ranges with standard errors, from a state."""
    generator, values = np.random.default_rng(3), people(USERS, K)
    queries = Ranges(K).sample(QUERIES, generator)
    plain = seconds(lambda: queries.apply(np.ones(K)), 3)
    for name in SYSTEMS:
        oracle = parse_oracle(name, K, Privacy(epsilon=EPSILON))
        state = oracle.aggregate(oracle.privatize(values))

        def answer(oracle=oracle, state=state) -> None:
            oracle.answers(state, queries)
            oracle.estimated_answer_variance(queries, oracle.estimate(state), oracle.users_of(state))

        ours, busy = seconds(answer, 3), cpu_seconds(answer)
        ratio = f"{busy:.2f} s of CPU, {ours / plain:.0f} x the sums alone"
        row(f"{QUERIES:,} ranges with standard errors, {name}", f"{ours:.2f} s", f"under 3 s; {ratio}")


def rectangles() -> None:
    """Rectangles of a table of as many items, with standard errors; no target, and far slower than ranges."""
    queries = Grid((SIDE, SIDE)).sample(RECTANGLES, np.random.default_rng(4))
    shares = np.full(SIDE * SIDE, 1 / (SIDE * SIDE))
    for name in ("hh2:b=4", "haar2"):
        oracle = parse_oracle(f"{name}:sides={SIDE}x{SIDE}", SIDE * SIDE, Privacy(epsilon=EPSILON))
        busy = cpu_seconds(lambda oracle=oracle: oracle.estimated_answer_variance(queries, shares, USERS))
        row(f"standard errors of {RECTANGLES:,} rectangles, {name}", f"{busy:.2f} s", "of CPU")


def averages() -> None:
    """The average variance over all ranges: half a trillion of them."""
    for name in (*SYSTEMS, "hh:b=2:estimate=raw", "hh:b=16"):
        oracle = parse_oracle(name, K, Privacy(epsilon=EPSILON))
        ours = seconds(lambda oracle=oracle: oracle.average_variance(Ranges(K), USERS))
        row(f"average variance over all ranges, k = 2^20, {name}", f"{ours:.4f} s", "under 0.1 s")


def ours_shared(values: np.ndarray, k: int) -> dict[str, float]:
    """CPU seconds of our system, and its squared error over all prefixes in a few repetitions."""
    oracle = parse_oracle("hh:b=4", k, Privacy(epsilon=EPSILON))
    truth = np.cumsum(np.bincount(values, minlength=k)) / len(values)
    took, errors = [], []
    for _ in range(REPETITIONS):
        started = time.process_time()
        estimates = oracle.estimate(oracle.aggregate(oracle.privatize(values)))
        took.append(time.process_time() - started)
        errors.append(float(np.mean((np.cumsum(estimates) - truth) ** 2)))
    exact = float(oracle.average_variance(Prefixes(k), len(values)))
    return {"seconds": float(np.median(took)), "error": float(np.mean(errors)), "exact": exact}


def peer(python: Path, large: bool) -> None:
    """The same users, items, epsilon and fan-out; each user reports one random level. CPU seconds."""
    for users, k in (*SHARED_SIZES, *([(USERS, K)] if large else [])):
        values, times = people(users, k), REPETITIONS if k < 1 << 16 else 1
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "values.npy"
            np.save(path, values)
            command = [str(python), str(PEER_SCRIPT), str(path), str(k), str(EPSILON), str(times)]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            row(f"the peer, {users:,} users, {k:,} items", "failed", ran.stderr.strip().splitlines()[-1][:100])
            continue
        theirs, ours = json.loads(ran.stdout), ours_shared(values, k)
        ratio = theirs["seconds"] / ours["seconds"]
        row(
            f"{users:,} users, {k:,} items: peer {theirs['seconds']:.2f} s",
            f"{ours['seconds']:.2f} s",
            f"{ratio:.0f} x",
        )
        row(
            f"  mean squared error over prefixes: peer {theirs['error']:.2e} ({times} x)",
            f"{ours['error']:.2e}",
            f"{theirs['error'] / ours['error']:.2f} x; ours exact {ours['exact']:.2e} at uniform shares; "
            f"the peer's whole {theirs['whole']:.4f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, help="the Python of an environment with the peer")
    parser.add_argument("--large", action="store_true", help="the peer at the full size too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        collect_once(chosen.one)
        return
    collections()
    inference()
    answering()
    rectangles()
    averages()
    if chosen.peer:
        peer(chosen.peer, chosen.large)
    print(load())


if __name__ == "__main__":
    main()
