"""The table of weights that searches for the best weights of `warped-blocks` start with.

Run `python tests/benchmarks/starts.py`. It takes about a minute, and writes the table. With `--measure` it leaves the
table as it is, and prints for each number of items and epsilon what a search takes with it and without: evaluations
and CPU seconds.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from unittest.mock import patch

from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.decoders.best_shares import Shares, Variance
from mechdesign_catalog.decoders.lines import weighing
from mechdesign_catalog.decoders.lines.information import MOST_DENSE
from mechdesign_catalog.decoders.lines.weighing import REGULAR, least_variance_chances
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels import starts
from mechdesign_catalog.systems.levels.starts import TABLE, UNIT
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import best_chances, levels_of, usual_nested

EPSILONS = ("0.25", "0.5", "1", "1.375", "1.5", "2", "3", "4")
ITEMS = (64, 128, 256, 512, 1024)

TIGHT = 1e-5
"""Weights of the table take at most this part more than the best ones."""

MEASURED_ITEMS = (64, 1024, 1001, 4096, 43_793, 65_536, 1 << 20)
MEASURED_EPSILONS = ("0.25", "0.5", "1", "2", "3", "4")

USERS = 10_000

Table = dict[str, dict[str, dict[str, dict[str, int]]]]


def main() -> None:
    """Write the table, or measure what it saves."""
    if "--measure" in sys.argv:
        measure()
        return
    found: Table = {}
    for epsilon in EPSILONS:
        privacy = Privacy(epsilon=epsilon)
        for name in ("prefixes", "ranges"):
            found.setdefault(name, {})[epsilon] = of_warped_blocks(name, privacy)
    TABLE.write_text(as_text(found))


def as_text(table: Table) -> str:
    """Write the table, a line for each epsilon of each kind of levels."""
    kinds = []
    for kind, by_epsilon in table.items():
        lines = (
            f"{json.dumps(epsilon)}:{json.dumps(own, separators=(',', ':'))}" for epsilon, own in by_epsilon.items()
        )
        kinds.append(f"{json.dumps(kind)}:{{\n" + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(kinds) + "}\n"


def of_warped_blocks(name: str, privacy: Privacy) -> dict[str, dict[str, int]]:
    """Weigh the levels of `warped-blocks` for each number of items for which they are not carried up from fewer."""
    found = {}
    for k in ITEMS:
        nested = usual_nested(k, privacy)
        if k > REGULAR << (nested > 0) + (nested > 2):
            break
        levels = levels_of(k, privacy, nested)
        cuts = [level.partitions(k) for level in levels]
        chances = least_variance_chances(cuts, parse_named_workload(name, k), slack=TIGHT)
        found[str(k)] = {
            str(level.blocks): round(UNIT * chance) for level, chance in zip(levels, chances.tolist(), strict=True)
        }
    return found


@contextmanager
def without_table() -> Iterator[None]:
    """Search as if there were no table."""
    best_chances.cache_clear()
    with patch.object(starts, "table", dict):
        yield
    best_chances.cache_clear()


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the evaluations of what searches minimize."""
    found, search = [0], weighing.best_shares

    def counting(variance: Variance, start: Floats, least: float, is_enough: Callable[[Shares], bool]) -> Shares:
        def value(shares: Floats) -> tuple[float, Floats]:
            found[0] += 1
            return variance(shares)

        return search(value, start, least, is_enough)

    with patch.object(weighing, "best_shares", counting):
        yield found


def measure() -> None:
    """Print evaluations, seconds and the ratio to the floor, with the table and without."""
    for k, epsilon in product(MEASURED_ITEMS, MEASURED_EPSILONS):
        privacy = Privacy(epsilon=epsilon)
        best_chances.cache_clear()
        told = [told_of(k, privacy)]
        with without_table():
            told.append(told_of(k, privacy))
        print(f"k {k:>8,} epsilon {epsilon:>4}: " + "; without the table ".join(told), flush=True)


def told_of(k: int, privacy: Privacy) -> str:
    """Search for the weights for prefixes, and say what it took and what it brought."""
    workload = Prefixes(k)
    with counted() as evaluations:
        start = time.process_time()
        oracle = WarpedBlocks(k, privacy)
        seconds = time.process_time() - start
    floor = closed_form_floor(workload, privacy.alpha)
    assert floor is not None
    told = f"{evaluations[0]} {seconds:.3f} s"
    if k > MOST_DENSE:
        return told
    return f"{told} {oracle.average_variance(workload, USERS) * USERS * workload.count / float(floor):.6}"


if __name__ == "__main__":
    main()
