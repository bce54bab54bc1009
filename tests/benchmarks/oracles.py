"""Local oracles against other people's libraries in the same run: seconds of client and server, and ratios.

    python tests/benchmarks/oracles.py                                   # N = 100,000, k = 1,000, epsilon = 1
    python tests/benchmarks/oracles.py --large                           # commuting between electoral divisions
    python tests/benchmarks/oracles.py --plot figures/gallery/oracle-times.png

Needs `pip install -e ".[test,bench]"`. Ours twice: with the operating system's randomness, and seeded. A ratio is the
better peer's seconds, client and server together, over ours.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measuring import load
from oracle_peers import peers_of

from mechdesign.documents.files import write_together
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.collecting import collect
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.systems import make_oracle

TARGETS = {"grr": 10, "oue": 5, "olh": 50, "hrr": 10, "ss": 10}
"""How many times faster than the better peer."""

EPSILON = 1
RUNS = 5
WARM_UP = 50
"""Reports of a peer that are made before the clock starts: some compile first."""

SIZES = (16, 64, 256, 1024, 4096)
PLOT_USERS = 20_000
PATIENCE = 100.0
"""Seconds beyond which a peer is not asked for the next larger size."""


def timed(client: Callable[[], object], server: Callable[[object], object], runs: int) -> tuple[float, float]:
    """Median seconds of both."""
    clients, servers = [], []
    for _ in range(runs):
        started = time.perf_counter()
        reports = client()
        made = time.perf_counter()
        server(reports)
        clients.append(made - started)
        servers.append(time.perf_counter() - made)
    return statistics.median(clients), statistics.median(servers)


def ours(name: str, values: np.ndarray, k: int, words: WordSource | None, runs: int = RUNS) -> tuple[float, float]:
    """Every report made, added up and estimated."""
    oracle = make_oracle(name, k, Privacy(epsilon=EPSILON))
    return timed(
        lambda: oracle.privatize(values, words), lambda reports: oracle.estimate(oracle.aggregate(reports)), runs
    )


def theirs(name: str, values: np.ndarray, k: int) -> dict[str, tuple[float, float]]:
    """Every library's client and server; once, since they take long."""
    found = {}
    for peer in peers_of(name, k, float(EPSILON)):
        peer.server(peer.client(values[:WARM_UP]))
        found[peer.package] = timed(partial(peer.client, values), peer.server, runs=1)
    return found


def table(users: int, k: int) -> None:
    """One line for each oracle and each way."""
    values = np.random.default_rng(1).integers(0, k, users)
    print(f"N = {users:,}, k = {k:,}, epsilon = {EPSILON}; {load()}")
    print(f"{'oracle':<8}{'who':<18}{'client':>10}{'server':>10}{'total':>10}{'ratio':>9}   target")
    for name, target in TARGETS.items():
        peers = theirs(name, values, k)
        best = min(map(sum, peers.values()))
        for who, words in (("operating system", None), ("seeded", seeded_words(1))):
            client, server = ours(name, values, k, words)
            ratio = best / (client + server)
            print(f"{name:<8}{who:<18}{client:>10.4f}{server:>10.4f}{client + server:>10.4f}{ratio:>8.0f}x   {target}x")
        for library, (client, server) in peers.items():
            print(f"{'':<8}{library:<18}{client:>10.4f}{server:>10.4f}{client + server:>10.4f}", flush=True)
    print(load())


LARGE = {"hrr": "reports", "oue": "aggregate", "olh": "aggregate"}


def large() -> None:
    """Each in a process of its own, so that its peak memory is its own; the data are not on the clock."""
    print(load())
    for name in LARGE:
        subprocess.run([sys.executable, __file__, "--one", name], check=True)


def one_large(name: str) -> None:
    """Commuting between electoral divisions: 9,796,900 pairs, 2.75 million people."""
    data = open_items("commuting:ed", seed=1)
    values = data.values()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    oracle = make_oracle(name, data.k, Privacy(epsilon=EPSILON))
    started = time.perf_counter()
    if LARGE[name] == "reports":
        state = collect(oracle, values)
    else:
        state = oracle.simulate_sums(data.counts, np.random.default_rng(1))
    oracle.estimate(state)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{name:<8}{LARGE[name]:<12}{data.users:,} users, {data.k:,} items: {seconds:6.2f} s, peak {peak:.2f} GiB "
        f"({before / 2**20:.2f} before it)",
        flush=True,
    )


def plot(path: Path) -> None:
    """Seconds against k, a panel for each oracle; and the table of the same name."""
    from mechdesign_figures.plots.parts.saving import picture_bytes
    from mechdesign_figures.plots.scaling import Curve, plot_scaling

    lines = ["oracle,who,k,users,epsilon,seconds"]
    panels = {}
    for name in TARGETS:
        found: dict[str, list[tuple[int, float]]] = {}
        for k in SIZES:
            values = np.random.default_rng(1).integers(0, k, PLOT_USERS)
            found.setdefault("mechdesign", []).append((k, sum(ours(name, values, k, None, 3))))
            slow = {library for library, points in found.items() if points[-1][1] * 4 > PATIENCE}
            if len(slow) < len(found) or k == SIZES[0]:
                for library, seconds in theirs(name, values, k).items():
                    if library not in slow:
                        found.setdefault(library, []).append((k, sum(seconds)))
        lines += [
            f"{name},{label},{k},{PLOT_USERS},{EPSILON},{seconds:.4g}"
            for label, points in found.items()
            for k, seconds in points
        ]
        panels[name] = [
            Curve(label, tuple(k for k, _ in points), tuple(s for _, s in points), label == "mechdesign")
            for label, points in found.items()
        ]
    words = f"items, k ({PLOT_USERS:,} users, epsilon = {EPSILON})"
    picture = picture_bytes(plot_scaling(panels, x_label=words, size="k", across=3), path.suffix)
    table = "".join(f"{line}\n" for line in lines)
    write_together({path: picture, path.with_suffix(".csv"): table.encode()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--k", type=int, default=1_000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--one", choices=LARGE, help=argparse.SUPPRESS)
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    if chosen.one:
        one_large(chosen.one)
    elif chosen.large:
        large()
    elif chosen.plot:
        plot(chosen.plot)
    else:
        table(chosen.users, chosen.k)


if __name__ == "__main__":
    main()
