"""Certified designs for workloads against the published optimiser in the same run: variances and seconds.

    OMP_NUM_THREADS=1 python tests/benchmarks/workload_designs.py                # k = 8, 16, 32 at epsilon = 1/2, 1, 2
    OMP_NUM_THREADS=1 python tests/benchmarks/workload_designs.py --k 64 --epsilon 1
    OMP_NUM_THREADS=1 python tests/benchmarks/workload_designs.py --authors FOLDER

The peer is `workload_optimiser.py`, written from the paper, with the best of several starts. FOLDER has the authors'
own program (github.com/ryan112358/workload-factorization-mechanism; it needs `pip install autograd`), which is run as
well.
A ratio is the variance over the certified one, seconds of a peer are those of one start. "same" is the search that
certified designs come from, stopped at once where its variance is no larger than the peer's best, without certificate,
as the peer is; beyond 32 items it is the first design, with one.
"""

import argparse
import importlib
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from measuring import load
from workload_optimiser import Floats, optimise

from mechdesign.certificate.row_designs.all_rows import MOST_GROUPS
from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.search import RowGeneration
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.program.clock import Clock
from mechdesign.workload_designs import WideGapError, WorkloadDesign, design_workload
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign.workloads.symmetries import symmetries_of

WORKLOADS = {"prefixes": Prefixes, "ranges": Ranges, "histogram": Histogram}
STARTS = 3
AUTHORS_ITERATIONS = 500
PATIENCE = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Seconds after which the search stops when a round is over, tried in turn: the first is after one round."""

LOOSE = 0.25
"""A gap for items that are too many to look at all rows: there the first design comes with its bound."""

NEVER = 1e-12
"""A gap that is not reached, so that time alone ends the search."""


def certified(problem: WorkloadProblem, gap: float | None = None) -> tuple[WorkloadDesign, float]:
    """The design at a gap, by default the usual one, or what there is of it; and wall-clock seconds."""
    started = time.perf_counter()
    try:
        found = design_workload(problem, gap=gap)
    except WideGapError as wide:
        found = wide.design
    return found, time.perf_counter() - started


def peer(gram: Floats, epsilon: float) -> tuple[float, float]:
    """The best variance of all starts, and the seconds of one."""
    runs = [optimise(gram, epsilon, seed) for seed in range(STARTS)]
    return min(run.strategy.variance for run in runs), sum(run.seconds for run in runs) / STARTS


def authors(folder: Path, gram: Floats, epsilon: float) -> tuple[float, float]:
    """The same of the authors' program, whose progress is not shown."""
    sys.path.insert(0, str(folder))
    program = importlib.import_module("factorization")
    variance = importlib.import_module("variance")
    k = len(gram)
    root = np.linalg.cholesky(gram).T
    found, started = [], time.perf_counter()
    for seed in range(STARTS):
        np.random.seed(seed)  # the program draws from numpy's global generator
        first = program.initialize(4 * k, k, epsilon)
        strategy = program.factorize_tuned(root, epsilon, first, iters=AUTHORS_ITERATIONS, verbose=False)
        found.append(float(variance.average_variance(root, strategy, "opt")))
    return min(found), (time.perf_counter() - started) / STARTS


def compare(name: str, k: int, epsilon: str, folder: Path | None) -> None:
    """Print one line for each way."""
    problem = WorkloadProblem(WORKLOADS[name](k), epsilon=epsilon)
    gram = np.array(problem.workload.gram(), dtype=np.float64)
    best, seconds = certified(problem)
    upper, lower = float(best.score), float(best.lower_bound)
    line = f"{name:<10}{k:>4}{epsilon:>5}  {'certified':<12}{upper:>14.6g}{'':>8}{seconds:>9.2f}"
    print(f"{line}   gap {upper / lower - 1:.1e}", flush=True)
    peers = {"from paper": peer(gram, float(epsilon))}
    if folder is not None:
        peers["authors'"] = authors(folder, gram, float(epsilon))
    for who, (variance, own) in peers.items():
        found, same = until(problem, variance)
        line = f"{'':<19}  {who:<12}{variance:>14.6g}{variance / upper:>8.4f}{own:>9.2f}"
        print(f"{line}   same in {same:.2f} s: {found:.6g}", flush=True)


def until(problem: WorkloadProblem, variance: float) -> tuple[float, float]:
    """The variance of the first search that is no worse than a given one, and its seconds; the first design of many."""
    if problem.merged.size > MOST_GROUPS:
        early, seconds = certified(problem, LOOSE)
        return float(early.score), seconds
    programme = RowProgramme.of(problem, symmetries_of(problem.workload, problem.merged))
    for limit in PATIENCE:
        started = time.perf_counter()
        search = RowGeneration(programme, NEVER, clock=Clock(limit))
        search.weigh()
        found = search.point.variance
        seconds = time.perf_counter() - started
        if found <= variance:
            break
    return found, seconds


def main() -> None:
    """Compare in every setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", nargs="+", default=["prefixes", "ranges"], choices=WORKLOADS)
    parser.add_argument("--k", nargs="+", type=int, default=[8, 16, 32])
    parser.add_argument("--epsilon", nargs="+", default=["0.5", "1", "2"])
    parser.add_argument("--authors", type=Path, help="folder of the authors' program")
    asked = parser.parse_args()
    print(load())
    print(f"{'workload':<10}{'k':>4}{'eps':>5}  {'who':<12}{'variance':>14}{'ratio':>8}{'seconds':>9}")
    design_workload(WorkloadProblem(Prefixes(3), epsilon=1))  # imports are on nobody's clock
    for setting in product(asked.workload, asked.k, asked.epsilon):
        compare(*setting, asked.authors)
    print(load())


if __name__ == "__main__":
    main()
