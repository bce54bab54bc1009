"""Which systems `best` chooses: counted over workloads, numbers of items, epsilons and numbers of users.

Run `python tests/benchmarks/chosen.py`. It takes some minutes and prints each system with the number of settings in
which it is chosen. A system counts by its name, whatever its parameters. With `--check` it compares the choice with
that among all oracles, in 200 settings. With `--check-many` it does so for 1,025 to a million items, in some minutes.
For each number of items and workload both print the least lead, the next variance over the least.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import product

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import MechdesignError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.marginals import parse_marginals
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.comparisons.choosing import best_oracle, choose_oracle, chosen_of
from mechdesign_catalog.comparisons.workload_survey import survey_workload

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


CHECKED = (4, 5, 7, 9, 12, 16, 24, 32, 64, 128), ("ranges", "prefixes", "histogram", "circular")
CHECKED_WITH = (("0.2", 100), ("1", 10_000), ("2", 300), ("3", 2000), ("5", 10_000))


MANY = (1025, 1500, 2048, 3000, 4096, 5000, 16_384, 43_793, 65_536, 65_537, 200_000, 1_000_000)
MANY_WITH = (("0.5", 10_000), ("1", 100_000), ("3", 10_000), ("4", 10_000))


def check(numbers: Sequence[int], names: Sequence[str], how: Sequence[tuple[str, int]]) -> None:
    """Compare choices with those among all oracles."""
    for k, name in product(numbers, names):
        leads = []
        for epsilon, users in how:
            workload, privacy = parse_workload(name, k), Privacy(epsilon=epsilon)
            every = survey_workload(workload, privacy, users)
            best, found = chosen_of(every, users), choose_oracle(workload, privacy, users)
            if best is None or best.name != found:
                print(f"differs at k={k}, {name}, epsilon {epsilon}, {users} users: {found}")
            honest = [one.variance for one in every if not one.loses_more]
            leads.append(honest[1] / honest[0])
        print(f"{k:,} items, {name}: {len(leads)} settings compared, least lead {min(leads):.3f}", flush=True)


def main() -> None:
    """Print the choices by workload, and all together; or check them."""
    if "--check" in sys.argv:
        check(*CHECKED, CHECKED_WITH)
        return
    if "--check-many" in sys.argv:
        check(MANY, ("prefixes", "ranges"), MANY_WITH)
        return
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
