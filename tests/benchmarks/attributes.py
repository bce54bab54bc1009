"""SPL, SMP and RS+FD against multi-freq-ldpy in the same run: seconds of client and server, and ratios.

    python tests/benchmarks/attributes.py                    # 20,000 users with the domains of Adult
    python tests/benchmarks/attributes.py --users 100000

Needs `pip install -e ".[test,bench]"`. Every way is timed as its user calls it: for the peer a call for each user, for
us one for all; then the server's estimates, ours with a total of 1 and with exact standard errors, theirs clipped and
rescaled. Ours twice: with the operating system's randomness, and seeded. The peer is warmed up, as it compiles first.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from measuring import load

from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.decoders.tables.subsets import PeopleShares
from mechdesign_catalog.systems.tables.estimates import LinearTables
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

DOMAINS = (7, 16, 7, 14, 6, 5, 2, 41, 2)
EPSILON = 1
TARGET = 10
WARM_UP, RUNS = 50, 5
METHODS = {
    "spl": ("SPL_solution", "SPL_ADP"),
    "smp": ("SMP_solution", "SMP_ADP"),
    "rs+fd:encoding=grr": ("RSpFD_solution", "RSpFD_GRR"),
    "rs+fd:encoding=oue-z": ("RSpFD_solution", "RSpFD_UE_zero"),
    "rs+fd:encoding=adp": ("RSpFD_solution", "RSpFD_ADP"),
}
"""Ours, and the peer's module and the beginning of its functions' names."""


def people(users: int) -> np.ndarray:
    """Items of users, smaller ones more often."""
    generator = np.random.default_rng(1)
    return np.stack([(generator.random(users) ** 2 * k).astype(np.int64) for k in DOMAINS], axis=1)


def ours(text: str, values: np.ndarray, words: WordSource | None) -> tuple[float, float, float]:
    """Seconds of client and server, the least of some runs, and the largest error in standard errors."""
    oracle = parse_marginal_oracle(text, DOMAINS, Privacy(epsilon=EPSILON))
    shares = PeopleShares(DOMAINS, values)
    clients, servers, worst = [], [], 0.0
    for _ in range(RUNS):
        started = time.perf_counter()
        reports = oracle.privatize(values, words)
        made = time.perf_counter()
        tables = LinearTables(oracle, oracle.aggregate(reports)).tables([(j,) for j in range(len(DOMAINS))])
        servers.append(time.perf_counter() - made)
        clients.append(made - started)
        off = max(np.abs((t.shares - shares.table(t.subset)) / t.standard_errors).max() for t in tables)
        worst = max(worst, float(off))
    return min(clients), min(servers), worst


def theirs(text: str, values: np.ndarray) -> tuple[float, float]:
    """Seconds of the peer's client and server."""
    client, server = peer(text)
    rows = values.tolist()
    warnings.simplefilter("ignore")  # it divides by sums of clipped estimates, which can be 0
    server([client(row) for row in rows[:WARM_UP]])
    started = time.perf_counter()
    reports = [client(row) for row in rows]
    made = time.perf_counter()
    server(reports)
    return made - started, time.perf_counter() - made


def peer(text: str) -> tuple[Callable[[list[int]], object], Callable[[list[object]], object]]:
    """The peer's functions for one user, and for all reports."""
    from importlib import import_module

    module, name = METHODS[text]
    library = import_module(f"multi_freq_ldpy.mdim_freq_est.{module}")
    make, add_up = getattr(library, f"{name}_Client"), getattr(library, f"{name}_Aggregator_MI")
    domains, d = list(DOMAINS), len(DOMAINS)
    return lambda row: make(row, domains, d, EPSILON), lambda reports: add_up(reports, domains, d, EPSILON)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=20_000)
    chosen = parser.parse_args()
    values = people(chosen.users)
    print(f"{chosen.users:,} users, domains {', '.join(map(str, DOMAINS))}, epsilon = {EPSILON}; {load()}")
    print(f"{'method':<22}{'who':<18}{'client':>10}{'server':>10}{'total':>10}{'ratio':>8}   target")
    for text in METHODS:
        client, server = theirs(text, values)
        best = client + server
        for who, words in (("operating system", None), ("seeded", seeded_words(1))):
            own_client, own_server, worst = ours(text, values, words)
            total = own_client + own_server
            told = f"{TARGET}x; largest error {worst:.1f} standard errors"
            print(
                f"{text:<22}{who:<18}{own_client:>10.4f}{own_server:>10.4f}{total:>10.4f}{best / total:>7.0f}x   {told}"
            )
        print(f"{'':<22}{'multi-freq-ldpy':<18}{client:>10.4f}{server:>10.4f}{best:>10.4f}", flush=True)
    print(load())


if __name__ == "__main__":
    main()
