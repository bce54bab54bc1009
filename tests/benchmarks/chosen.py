"""Which systems `best` chooses: counted over workloads, numbers of items, epsilons and numbers of users.

Run `python tests/benchmarks/chosen.py`. It takes some minutes and prints each system with the number of settings in
which it is chosen. A system counts by its name, whatever its parameters.
"""

from collections import Counter
from itertools import product

from mechdesign.errors import MechdesignError
from mechdesign.workloads.marginals import parse_marginals
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.comparisons.choosing import best_oracle

EPSILONS = ("0.5", "1", "2", "3", "4")
USERS = (1_000, 10_000, 100_000, 1_000_000)
ITEMS = (2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096)
ATTRIBUTES = (2, 3, 4, 6, 8)
"""Of two items each."""

WORKLOADS = {
    "histogram": [Histogram(k) for k in ITEMS],
    "ranges": [Ranges(k) for k in ITEMS],
    "prefixes": [Prefixes(k) for k in ITEMS],
    "marginals": [parse_marginals(str(k), 2**d) for k, d in product((1, 2, 3), ATTRIBUTES) if k <= d],
}


def main() -> None:
    """Print the choices by workload, and all together."""
    every: Counter[str] = Counter()
    for kind, workloads in WORKLOADS.items():
        chosen: Counter[str] = Counter()
        for workload, epsilon, users in product(workloads, EPSILONS, USERS):
            try:
                name = best_oracle(workload, epsilon=epsilon, users=users)
            except MechdesignError:
                name = "none"
            chosen[name.removeprefix("flat:").split(":")[0]] += 1
        print(kind, chosen.most_common(), flush=True)
        every += chosen
    print("all", every.most_common())


if __name__ == "__main__":
    main()
