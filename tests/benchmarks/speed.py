"""Speed, measured: whole processes, the share that certification adds, and sampling.

Run `python tests/benchmarks/speed.py`. Times are medians on this machine as it is now; where a peer exists the figure
to quote is the ratio, taken in the same run.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable

import numpy as np
from measuring import row, seconds

from mechdesign import DesignProblem, design
from mechdesign.mechanism.sampling import Sampler
from mechdesign.program.exact.scaling import Scaling, numeric_program
from mechdesign.program.linear_program import build
from mechdesign.program.solvers import highs_


def process(*arguments: str) -> Callable[[], object]:
    command = [sys.executable, "-m", "mechdesign_cli", *arguments]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def whole_processes() -> None:
    row("mechdesign --help", f"{seconds(process('--help')):.2f} s", "under 0.5 s")
    main_job = process("solve", "--n", "8", "--alpha", "0.9", "--props", "WH,CM")
    row("mechdesign solve --n 8 --alpha 0.9 --props WH,CM", f"{seconds(main_job):.2f} s", "under 1.2 s")
    if "MECHDESIGN_DATA" in os.environ:
        compare = process("compare", "--data", "adult", "--n", "8", "--alpha", "0.9", "--repetitions", "50")
        row("mechdesign compare --data adult --n 8 --alpha 0.9", f"{seconds(compare):.2f} s", "under 5 s")


def certification_share() -> None:
    """WM under L0, n = 64, the full LP, next to HiGHS alone on the same scaled LP."""
    problem = DesignProblem(64, "9/10", properties="WH,RM,CM")
    full = [design(problem, method="full") for _ in range(3)]
    shares = [(d.seconds.certify + d.seconds.verify) / d.seconds.solve for d in full]
    solve = statistics.median(d.seconds.solve for d in full)
    row("WM/L0 n = 64, full LP: solve", f"{solve:.2f} s", "")
    row("  certify + verify, as a share of solve", f"{statistics.median(shares):.3f}", "under 0.25")
    program = build(problem, symmetric=False)
    numeric = numeric_program(program, Scaling(program))
    alone = seconds(lambda: highs_.solve(numeric), 3)
    whole = seconds(lambda: design(problem), 3)
    row("  HiGHS on the full LP / whole design with rotations merged", f"{alone / whole:.1f} x", "")


def sampling() -> None:
    mechanism = design(DesignProblem(8, "9/10", properties="WH,CM")).mechanism
    counts = np.random.default_rng(0).integers(0, 9, 2_000_000)
    sampler = Sampler(mechanism.weights, mechanism.denominator)
    took = seconds(lambda: sampler.sample(counts), 3)
    row("exact sampling, n = 8, operating-system randomness", f"{len(counts) / took / 1e6:.1f} M/s", "at least 5 M/s")


def growth() -> None:
    for n in (32, 64, 96, 128):
        result = design(DesignProblem(n, "9/10", properties="WH,RM,CM"))
        times = result.seconds
        total = times.solve + times.certify + times.verify
        row(f"WM/L0 n = {n}, as solved by default ({result.status})", f"{total:.2f} s", "")


if __name__ == "__main__":
    whole_processes()
    certification_share()
    sampling()
    growth()
