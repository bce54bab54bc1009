"""Warped blocks on many items: seconds, and simulated users beside what is stated of bias, variance and intervals.

    python tests/benchmarks/warped_blocks.py seconds --items 65536      # a collection of a million users
    python tests/benchmarks/warped_blocks.py errors --items 65536       # z of the bias, squared errors
    python tests/benchmarks/warped_blocks.py deciles --items 1024       # how often intervals hold all deciles

Users report as clients do, from seeded words. Items are even, or skewed as a beta distribution (2, 8).
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from measuring import load
from ranges import gibibytes

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals
from mechdesign_catalog.analyses.ordered.quantiles import quantiles
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks

Result = TypeVar("Result")

PIECE = 1 << 16
ASKED = 200
DECILES, LEVEL = "0.1:0.9:0.1", 0.9


def row(name: str, *values: str) -> str:
    """A line of the table."""
    return f"{name:<48} {'   '.join(values)}"


def people(users: int, k: int, kind: str) -> np.ndarray:
    """Items of users, the same in each run: as even as can be, or skewed."""
    if kind == "even":
        return np.arange(users) * k // users
    return np.minimum((np.random.default_rng(1).beta(2, 8, size=users) * k).astype(np.int64), k - 1)


def collected(oracle: WarpedBlocks, items: np.ndarray, seed: int) -> State:
    """The server's state of one report of each user."""
    words = seeded_words(seed)
    pieces = [items[start : start + PIECE] for start in range(0, len(items), PIECE)]
    state = oracle.aggregate(oracle.privatize(pieces[0], words))
    for piece in pieces[1:]:
        state = state.merge(oracle.aggregate(oracle.privatize(piece, words)))
    return state


def estimated(oracle: WarpedBlocks, state: State) -> FrequencyEstimate:
    """The estimate of items in order."""
    return FrequencyEstimate.of(oracle, parse_bins(f"0:{oracle.k}:1"), state, ordered=True)


def timed(name: str, work: Callable[[], Result]) -> Result:
    """Do some work, and print its CPU seconds and the most memory so far."""
    started = time.process_time()
    found = work()
    print(row(name, f"{time.process_time() - started:.2f} s CPU, {gibibytes():.2f} GiB"), flush=True)
    return found


def show_seconds(oracle: WarpedBlocks, users: int, kind: str, _: int) -> None:
    """Print what each step of one collection takes, and the deciles."""
    items = people(users, oracle.k, kind)
    state = timed("clients and server", lambda: collected(oracle, items, 1))
    found = timed("estimate", lambda: estimated(oracle, state))
    prefixes = timed("prefixes", found.cumulative)
    marked = timed("deciles", lambda: quantiles(found, DECILES))
    last = np.arange(oracle.k - 1)
    parts = (
        oracle.solution_errors(state, Intervals(oracle.k, np.zeros_like(last), last)) / prefixes.standard_errors[:-1]
    )
    print(row("prefixes with standard errors", f"{np.isfinite(prefixes.standard_errors).sum()}"))
    print(row("largest solution error over the standard error", f"{np.nanmax(parts):.1e}"))
    print(marked.tabulate().csv_bytes().decode())


def show_errors(oracle: WarpedBlocks, users: int, kind: str, runs: int) -> None:
    """Print the bias of prefixes in its standard errors, and squared errors over the stated variance."""
    items = people(users, oracle.k, kind)
    last = np.linspace(0, oracle.k - 1, ASKED + 1).astype(np.int64)[:-1]
    asked = Intervals(oracle.k, np.zeros_like(last), last)
    shares = np.bincount(items, minlength=oracle.k) / users
    stated, truth = oracle.answer_variance(asked, shares, users), asked.apply(shares)
    states = [collected(oracle, items, seed) for seed in range(runs)]
    errors = np.array([oracle.answers(state, asked) for state in states]) - truth
    told = np.array([oracle.estimated_answer_variance(asked, oracle.estimate(state), users) for state in states])
    bias = errors.mean(axis=0) / np.sqrt(stated / runs)
    parts = (errors**2).mean(axis=1) / stated.mean()
    print(
        row("mean square of the bias in standard errors", f"{(bias**2).mean():.3f}", f"largest {abs(bias).max():.2f}")
    )
    print(
        row("squared errors over the variance", f"{parts.mean():.3f}", f"+- {parts.std(ddof=1) / math.sqrt(runs):.3f}")
    )
    print(row("told variances over the exact ones", f"{(told.mean(axis=1) / stated.mean()).mean():.5f}"))


def show_deciles(oracle: WarpedBlocks, users: int, kind: str, runs: int) -> None:
    """Print how often the intervals hold one decile, and all nine at once."""
    items = people(users, oracle.k, kind)
    truth = np.sort(items)[-(-np.arange(1, 10) * users // 10) - 1]
    each, together = [], []
    for seed in range(runs):
        marked = quantiles(estimated(oracle, collected(oracle, items, seed)), DECILES, LEVEL)
        for simultaneous, held in ((False, each), (True, together)):
            low, high = marked.interval(simultaneous=simultaneous)
            held.append((low <= truth) & (truth <= high))
    print(row(f"one decile in its interval ({LEVEL:g})", f"{np.mean(each):.3f}"))
    print(row(f"all deciles in their intervals ({LEVEL:g})", f"{np.all(together, axis=1).mean():.3f}"))


SHOWN = {"seconds": show_seconds, "errors": show_errors, "deciles": show_deciles}


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=SHOWN)
    parser.add_argument("--items", type=int, default=1 << 16)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--shares", choices=("even", "skewed"), default="skewed")
    asked = parser.parse_args()
    print(f"load {load()}; {asked.items} items, {asked.users} users, epsilon {asked.epsilon}, {asked.shares} shares")
    oracle = timed("weights", lambda: WarpedBlocks(asked.items, Privacy(epsilon=asked.epsilon)))
    SHOWN[asked.what](oracle, asked.users, asked.shares, asked.runs)


if __name__ == "__main__":
    main()
