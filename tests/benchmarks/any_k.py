"""Ranges, arcs and prefixes at any number of items: variances over the bound, and what is proved of each figure.

    python tests/benchmarks/any_k.py                          # two minutes of CPU on a busy machine
    python tests/benchmarks/any_k.py --items 256,1001 --epsilon 1

The bound is proved. A variance is `exact` (its formula, in floats), or `probed`: estimated from some of the queries,
with its standard error. What a design of these levels has as a proof, `mechdesign check` says.
"""

import argparse
import time

from measuring import load

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks

ITEMS = "256,1001,1024,4096,43793,43830,65536,1048576"
EPSILONS = "0.5,1,2,3"
USERS = 10**9


def over_bound(workload: Workload, privacy: Privacy) -> str:
    """The average variance over the bound, and how it is known."""
    bound = float(variance_bound(workload, privacy, USERS) or 0)
    if not isinstance(workload, Prefixes):
        return f"{Blocks(workload.k, privacy).average_variance(workload, USERS) / bound:.4f} exact"
    oracle = WarpedBlocks(workload.k, privacy)
    if not oracle.is_sampled:
        return f"{oracle.average_variance(workload, USERS) / bound:.4f} exact"
    average, error, _ = oracle.sampled_variances(workload, USERS)
    return f"{average / bound:.3f} +- {error / bound:.3f} probed"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default=ITEMS)
    parser.add_argument("--epsilon", default=EPSILONS)
    asked = parser.parse_args()
    epsilons = asked.epsilon.split(",")
    print(f"load {load()}; average variance over the bound, which is proved")
    print(f"{'':<10}{'items':>9}" + "".join(f"{'epsilon ' + epsilon:>24}" for epsilon in epsilons) + f"{'CPU s':>8}")
    for kind in (Ranges, Arcs, Prefixes):
        for k in map(int, asked.items.split(",")):
            started = time.process_time()
            found = [over_bound(kind(k), Privacy(epsilon=epsilon)) for epsilon in epsilons]
            cells = "".join(f"{cell:>24}" for cell in found)
            print(f"{kind.name:<10}{k:>9}{cells}{time.process_time() - started:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
