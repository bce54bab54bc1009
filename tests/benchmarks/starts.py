"""The table of weights that searches for the best weights of `blocks` and `warped-blocks` start with.

Run `python tests/benchmarks/starts.py`. It takes about a minute, and writes the table. With `--measure` it leaves the
table as it is, and prints for each number of items and epsilon what a search takes with it and without: evaluations
and CPU seconds.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from unittest.mock import patch

from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign.workloads.registry import parse_named_workload
from mechdesign_catalog.decoders.best_shares import Shares, Variance
from mechdesign_catalog.decoders.circles import levels as circle_levels
from mechdesign_catalog.decoders.lines import weighing
from mechdesign_catalog.decoders.lines.information import MOST_DENSE
from mechdesign_catalog.decoders.lines.weighing import REGULAR, least_variance_chances
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.levels import blocks_plan, starts
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.blocks_plan import optimal_levels
from mechdesign_catalog.systems.levels.starts import TABLE, UNIT
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.levels.warped_levels import best_chances, levels_of, usual_nested

EPSILONS = ("0.25", "0.5", "1", "1.375", "1.5", "2", "3", "4")
ITEMS, CIRCLES, ROWS_AT = (64, 128, 256, 512, 1024), (64, 1024, 1 << 20), 1024

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
        lengths, rows = of_blocks(privacy)
        found.setdefault("blocks", {})[epsilon] = lengths
        found.setdefault("rows", {})[epsilon] = {"0": rows}
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


def of_blocks(privacy: Privacy) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Weigh the levels of `blocks`: those of lengths for each number of items, and rows for one."""
    lengths, rows = {}, {}
    with without_table():
        for k in CIRCLES:
            levels = optimal_levels(k, privacy)
            known = {
                level.oracle.word: round(UNIT * level.weight / sum(one.weight for one in levels)) for level in levels
            }
            sizes = {int(word): weight for word, weight in known.items() if not word.startswith("x")}
            coarsest = min(sizes)
            lengths[str(k)] = {
                str(coarsest // 2): 0,
                **{str(number): weight for number, weight in sorted(sizes.items())},
            }
            if k == ROWS_AT:
                rows = {word[1:]: weight for word, weight in known.items() if word.startswith("x")}
    return lengths, rows


@contextmanager
def without_table() -> Iterator[None]:
    """Search as if there were no table."""
    clear()
    with patch.object(starts, "table", dict):
        yield
    clear()


def clear() -> None:
    """Forget weights that were found."""
    best_chances.cache_clear()
    optimal_levels.cache_clear()
    blocks_plan.row_squares.cache_clear()


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the evaluations of what searches minimize."""
    found, search = [0], weighing.best_shares

    def counting(variance: Variance, *others: object) -> Shares:
        def value(shares: Floats) -> tuple[float, Floats]:
            found[0] += 1
            return variance(shares)

        return search(value, *others)  # type: ignore[arg-type]

    with patch.object(weighing, "best_shares", counting), patch.object(circle_levels, "best_shares", counting):
        yield found


def measure() -> None:
    """Print evaluations, seconds and the ratio to the floor, with the table and without."""
    optimal_levels(64, Privacy(epsilon=1))
    for k, epsilon in product(MEASURED_ITEMS, MEASURED_EPSILONS):
        privacy = Privacy(epsilon=epsilon)
        told = [told_of(k, privacy)]
        with without_table():
            told.append(told_of(k, privacy))
        print(f"k {k:>8,} epsilon {epsilon:>4}: " + "; without the table ".join(told), flush=True)


def told_of(k: int, privacy: Privacy) -> str:
    """Search for the weights of both systems, and say what it took and what it brought."""
    clear()
    words = []
    for kind, workload in ((Blocks, Ranges(k)), (WarpedBlocks, Prefixes(k))):
        with counted() as evaluations:
            start = time.process_time()
            oracle = kind(k, privacy)
            seconds = time.process_time() - start
        floor = closed_form_floor(workload, privacy.alpha)
        assert floor is not None
        is_sampled = k > MOST_DENSE and kind is WarpedBlocks
        variance = (
            "" if is_sampled else oracle.average_variance(workload, USERS) * USERS * workload.count / float(floor)
        )
        words.append(f"{kind.name} {evaluations[0]} {seconds:.3f} s {variance:.6}")
    return ", ".join(words)


if __name__ == "__main__":
    main()
