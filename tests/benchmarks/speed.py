"""Speed, measured: whole processes, the share that certification adds, and sampling.

Run `python tests/benchmarks/speed.py`. Times are medians on this machine as it is now; where a peer exists the figure
to quote is the ratio, taken in the same run.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from measuring import cpu_seconds, load, row, seconds

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
    """WM under L0, n = 64, the full LP, next to HiGHS alone on the same scaled LP, from nothing."""
    problem = DesignProblem(64, "9/10", properties="WH,RM,CM")
    full = [design(problem, method="full") for _ in range(3)]
    solve = statistics.median(d.seconds.solve for d in full)
    proving = statistics.median(d.seconds.certify + d.seconds.verify for d in full)
    program = build(problem, symmetric=False)
    numeric = numeric_program(program, Scaling(program))
    alone = seconds(lambda: highs_.solve(numeric), 3)
    whole = seconds(lambda: design(problem), 3)
    row("WM/L0 n = 64, full LP: HiGHS, started from GM's basis", f"{solve:.2f} s", "")
    row("  HiGHS alone, from nothing", f"{alone:.2f} s", "")
    row("  certify + verify, as a share of HiGHS alone", f"{proving / alone:.3f}", "under 0.25")
    row("  HiGHS alone / whole design with rotations merged", f"{alone / whole:.1f} x", "")


STARTED = (
    ("WM/L0", "WH,RM,CM", "L0", 64),
    ("WM/L0", "WH,RM,CM", "L0", 128),
    ("WH,CM/L1", "WH,CM", "L1", 64),
    ("WH,CM/L1", "WH,CM", "L1", 128),
    ("CH/L2", "CH", "L2", 64),
    ("CH/L2", "CH", "L2", 128),
)


def starts() -> None:
    """One scaled LP, rotations merged: HiGHS from nothing and from GM's basis, Clarabel through cvxpy; CPU seconds."""
    from mechdesign.program.linear_program import geometric_basis
    from mechdesign.program.solvers import cvxpy_

    for label, properties, loss, n in STARTED:
        program = build(DesignProblem(n, "9/10", properties=properties, loss=loss))
        numeric = numeric_program(program, Scaling(program))
        warm = replace(numeric, basis=geometric_basis(program))
        cold = cpu_seconds(lambda numeric=numeric: highs_.solve(numeric))
        ours = cpu_seconds(lambda warm=warm: highs_.solve(warm))
        peer = cpu_seconds(lambda numeric=numeric: cvxpy_.solve(numeric, None, "CLARABEL"))
        row(
            f"{label}, n = {n}: the LP from GM's basis",
            f"{ours:.2f} s",
            f"{cold:.2f} s from nothing, {cold / ours:.1f} x",
        )
        row("  Clarabel on the same LP", f"{peer:.2f} s", f"{peer / ours:.1f} x")


def theorem() -> None:
    """WM where it is a closed form, beside the LP of the same problem: CPU seconds of whole designs, exact."""
    for n, alpha in ((64, "99/100"), (128, "99/100"), (256, "199/200"), (512, "999/1000")):
        problem = DesignProblem(n, alpha, properties="WH,RM,CM")
        took = cpu_seconds(lambda problem=problem: design(problem))
        other = ""
        if n <= 64:
            program = cpu_seconds(lambda problem=problem: design(problem, method="symmetric"))
            other = f"{program:.2f} s by the LP, {program / took:.0f} x"
        row(f"WM/L0 n = {n}, alpha = {alpha}, closed form", f"{took:.2f} s", other)


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
    print(load(), flush=True)
    whole_processes()
    certification_share()
    sampling()
    starts()
    theorem()
    growth()
    print(load())
