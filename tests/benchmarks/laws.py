"""One law beside the matrix of 100 people: CPU seconds to design, check and draw, and the bytes of both documents.

Run `python tests/benchmarks/laws.py`. Law and matrix take turns in one run; the figure to quote is the ratio.
"""

import statistics
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
from measuring import cpu_seconds, load, row

from mechdesign import Design, DesignProblem, Law, design, design_law, export
from mechdesign.mechanism.sampling import Sampler
from mechdesign.verify.__main__ import judge

N, ALPHA, RUNS, DRAWS = 100, "9/10", 5, 1_000_000
ASKED = (("CM/L0", "CM", "L0"), ("WM/L0", "WH,RM,CM", "L0"), ("WH,CM/L1", "WH,CM", "L1"))


def in_turn(law: Callable[[], object], matrix: Callable[[], object]) -> tuple[float, float]:
    """Median CPU seconds of both, each after one run that does not count."""
    law(), matrix()
    times = [(cpu_seconds(law), cpu_seconds(matrix)) for _ in range(RUNS)]
    return statistics.median(one for one, _ in times), statistics.median(other for _, other in times)


def proved(path: Path) -> None:
    """Prove a document by the standalone checker."""
    with redirect_stdout(StringIO()):
        assert judge(str(path)) == 0


def compare(label: str, properties: str, loss: str, folder: Path) -> None:
    problem = DesignProblem(N, ALPHA, properties=properties, loss=loss)
    found: dict[str, Law | Design] = {}

    def by_law() -> None:
        found["law"] = design_law(alpha=ALPHA, properties=properties, loss=loss)

    def by_matrix() -> None:
        found["matrix"] = design(problem)

    designed = in_turn(by_law, by_matrix)
    law, matrix = found["law"], found["matrix"]
    assert isinstance(law, Law)
    paths = folder / "law.json", folder / "matrix.json"
    export(law, paths[0])
    export(matrix, paths[1])
    checked = in_turn(lambda: proved(paths[0]), lambda: proved(paths[1]))
    counts = np.random.default_rng(0).integers(0, N + 1, DRAWS)
    sizes = np.full(DRAWS, N)
    sampler = Sampler(matrix.mechanism.weights, matrix.mechanism.denominator)
    drawn = in_turn(lambda: law.mechanism.sample(sizes, counts), lambda: sampler.sample(counts))
    row(f"{label}, alpha = {ALPHA}: the law, every n from {law.least}", "law", f"matrix of n = {N} / law")
    for what, (ours, other) in (("  design", designed), ("  check", checked), (f"  {DRAWS:,} draws", drawn)):
        row(what, f"{ours:.3f} s", f"{other:.3f} s, {other / ours:.1f} x")
    ours, other = (path.stat().st_size for path in paths)
    row("  document", f"{ours:,} bytes", f"{other:,} bytes, {other / ours:.0f} x")


if __name__ == "__main__":
    print(load(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for asked in ASKED:
            compare(*asked, Path(folder))
    print(load())
