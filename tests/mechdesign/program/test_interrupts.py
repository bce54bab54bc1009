"""Ctrl-C in the middle of a solve leaves a solver that works."""

import subprocess
import sys

import pytest

INTERRUPTS = """
import random, signal, sys, time
import numpy as np
from mechdesign.program.solvers import highs_
from mechdesign.program.solvers.highs_ import solve
from mechdesign.program.solvers.numeric import NumericProgram

highs_.SMALL_ROWS = int(sys.argv[1])
size = 30
rng = np.random.default_rng(3)
rows = rng.random((size, size)) + 0.01
program = NumericProgram(
    rng.random(size) + 0.1, np.zeros(size), np.arange(0, size * size + 1, size), np.tile(np.arange(size), size),
    rows.ravel(), np.ones(size), np.full(size, np.inf),
)
expected = solve(program)
started = time.perf_counter()
solve(program)
longest = 1.5 * (time.perf_counter() - started)
signal.signal(signal.SIGALRM, signal.default_int_handler)
random.seed(5)
stopped = 0
for _ in range(400):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, longest))
        try:
            solve(program)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        stopped += 1
again = solve(program)
assert again.status is expected.status
assert np.array_equal(again.solution, expected.solution)
print("stopped" if stopped else "never stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer of signals")
@pytest.mark.parametrize("small_rows", [0, 2000])
def test_a_solve_that_is_interrupted_anywhere_lets_the_next_one_through(small_rows: int) -> None:
    """highspy's own `startSolve` hangs here within a few interrupts; a small program needs no thread."""
    command = [sys.executable, "-c", INTERRUPTS, str(small_rows)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
