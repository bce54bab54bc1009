"""Formulas over alpha: CPU seconds to find and to check, a survey of 594 problems, closed forms, single alphas.

    python tests/benchmarks/formulas.py                  # seconds, found / checked, of some problems up to n = 24
    python tests/benchmarks/formulas.py survey           # pieces of 54 sets and losses, n = 2..12
    python tests/benchmarks/formulas.py forms            # closed forms, n = 2..12, and the regimes of L0
    python tests/benchmarks/formulas.py alphas --count 200   # exact designs of each problem, half near an end

Each problem has its formula found, and its document proved by the checker. The survey ends with exit code 1 where a
number of pieces is another than below.
"""

import argparse
import sys
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from formula_cases import (
    PROBLEMS,
    Facts,
    alphas_of,
    facts_of_items,
    facts_of_l0,
    facts_without_properties,
    score_of,
)

import mechdesign as md
from mechdesign.documents.json_text import parse_json
from mechdesign.formulas.document import claims_of

SIZES = range(2, 13)
PIECES = """
L0 none RH RM F WH,F CH,F CM,F RM,F RM,CM,F: 1 1 1 1 1 1 1 1 1 1 1
L0 WH WH,RH WH,RM: 2 2 2 2 2 2 2 2 2 2 2
L0 CH CM RH,CH RH,CM RM,CH RM,CM: 2 2 3 3 5 5 7 7 9 9 12
L1 none: 2 2 4 4 7 7 11 11 16 16 22
L1 RH: 2 3 5 9 13 18 24 28 32 44 60
L1 RM: 2 3 5 7 10 13 17 21 26 31 37
L1 WH: 3 2 5 4 8 7 13 12 19 17 25
L1 WH,RH: 3 3 8 7 13 18 28 30 40 41 66
L1 WH,RM: 3 3 6 11 17 16 25 25 39 46 50
L1 CH CM: 3 3 7 8 10 13 13 17 21 23 29
L1 RH,CH RH,CM: 3 5 8 10 19 22 28 30 37 46 63
L1 RM,CH RM,CM: 3 5 7 10 18 21 27 32 39 44 57
L1 F WH,F: 1 1 2 2 4 5 9 9 14 14 19
L1 CH,F CM,F: 1 2 3 4 6 9 12 16 20 26 35
L1 RM,F RM,CM,F: 1 2 3 5 7 10 14 18 22 27 33
L2 none WH: 2 2 4 4 7 7 11 11 16 16 22
L2 RH: 2 3 6 6 12 19 18 26 36 52 55
L2 RM: 2 3 5 7 10 13 16 21 25 30 36
L2 WH,RH: 2 3 6 6 12 13 24 26 43 49 72
L2 WH,RM: 2 3 8 8 12 18 24 29 32 42 53
L2 CH CM: 2 3 4 6 9 10 14 16 22 27 30
L2 RH,CH: 2 4 7 9 16 19 31 38 49 47 75
L2 RH,CM: 2 4 7 9 16 19 31 37 49 47 73
L2 RM,CH RM,CM: 2 4 6 10 13 18 27 28 41 51 56
L2 F WH,F: 1 1 3 4 6 7 9 12 17 18 26
L2 CH,F CM,F: 1 2 3 6 7 11 16 24 27 36 49
L2 RM,F RM,CM,F: 1 2 4 6 9 10 15 21 23 33 36
"""
"""Loss, sets, and their numbers of pieces for each n of SIZES, as two independent searches had them."""

SURVEYED = [
    (loss, one, [int(number) for number in numbers.split()])
    for line in PIECES.strip().splitlines()
    for names, numbers in [line.split(":")]
    for loss, *sets in [names.split()]
    for one in sets
]
"""Loss, set, and its numbers of pieces."""

TIMED = [
    (
        "18 sets, L0 to L2, each",
        [{"n": 8, "properties": one, "loss": loss} for loss, one, _ in SURVEYED],
    ),
    *(
        (f"n = {n}, {properties}, {loss}", [{"n": n, "properties": properties, "loss": loss}])
        for n, properties, loss in (
            (12, "RH,CH", "L2"),
            (16, "CM", "L1"),
            (16, "RH,CH", "L2"),
            (20, "CM", "L1"),
            (20, "RH,CH", "L2"),
            (24, "none", "L2"),
            (24, "WH", "L0"),
            (24, "CM", "L1"),
            (24, "F", "L1"),
        )
    ),
]


def timed(stated: dict) -> tuple[md.Formula, float, float]:
    """Return a formula, and CPU seconds to find it and to check it."""
    started = time.process_time()
    result = md.formula(**stated)
    both = time.process_time() - started
    started = time.process_time()
    assert all(claim.true for claim in claims_of(parse_json(result.text, "it"), "it"))
    checked = time.process_time() - started
    return result, both - checked, checked


def show_times() -> bool:
    """Print a line for each problem; of several the longest time."""
    print("problem, pieces, parts, MB, CPU seconds to find / to check")
    for name, problems in TIMED:
        runs = [timed(problem) for problem in problems]
        result, found, checked = max(runs, key=lambda run: run[1] + run[2])
        size = len(result.text) / 1e6
        print(f"{name}: {len(result.pieces)}, {result.n_parts}, {size:.2f}, {found:.2f} / {checked:.2f}", flush=True)
    return True


def survey() -> bool:
    """Count the pieces of all problems, and compare closed forms."""
    wrong = found = checked = count = 0
    for loss, properties, numbers in SURVEYED:
        for n, pieces in zip(SIZES, numbers, strict=True):
            result, *seconds = timed({"n": n, "properties": properties, "loss": loss})
            found, checked, count = found + seconds[0], checked + seconds[1], count + 1
            if len(result.pieces) != pieces:
                wrong += 1
                print(f"{loss} {properties} n = {n}: {len(result.pieces)} pieces, not {pieces}")
    print(f"{count} problems, {count - wrong} as counted before; {found:.0f} / {checked:.0f} CPU seconds")
    return not wrong


def compare_forms() -> bool:
    """Compare closed forms with formulas."""
    facts = list(closed_forms())
    for name, is_true in facts:
        if not is_true:
            print(f"FALSE: {name}")
    print(f"{sum(is_true for _, is_true in facts)} of {len(facts)} closed forms are those of formulas")
    return all(is_true for _, is_true in facts)


def closed_forms() -> Facts:
    """Yield closed forms, each with whether formulas have it."""
    fair = [one for loss, one, _ in SURVEYED if loss == "L0" and "F" in one]
    for n in SIZES:
        yield from facts_of_l0(n, ("none", "RH", "RM"), fair)
        regions = md.formula_landscape(n=n).regions
        ends = [region.end.exact for region in regions]
        counts = [len(region.classes) for region in regions]
        whole = ([2, 3, 4], [Fraction(1, 2), Fraction(n, n + 2), 1]) if n > 2 else ([2, 3], [Fraction(1, 2), 1])
        yield f"regimes, n = {n}", (counts, ends) == whole
        for power in (1, 2):
            yield from facts_without_properties(n, power)
    for k in range(3, 15):
        yield from facts_of_items(k)


def compare_alphas(count: int) -> bool:
    """Compare formulas with exact designs at random alphas."""
    problems = dict(PROBLEMS)
    for n in range(2, 9):
        problems |= {
            f"n = {n}, {properties}, {loss}": {"n": n, "properties": properties, "loss": loss}
            for properties, loss in (("WH,RH", "L1"), ("CM", "L0"), ("RM,CM,F", "L2"))
        }
    equal = total = 0
    for name, stated in problems.items():
        result = md.formula(**stated)
        for alpha in alphas_of(result, count, seed=len(name)):
            expected = score_of(result.problem.at(alpha))
            told = result.told(alpha)
            total += 1
            equal += told == expected or (expected is None and isinstance(told, str))
    print(f"{len(problems)} problems, {equal} of {total} alphas equal")
    return equal == total


def main() -> int:
    """Run one of the four."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="times", choices=("times", "survey", "forms", "alphas"))
    parser.add_argument("--count", type=int, default=20)
    asked = parser.parse_args()
    started = time.process_time()
    kinds = {"times": show_times, "survey": survey, "forms": compare_forms}
    works = kinds[asked.what]() if asked.what in kinds else compare_alphas(asked.count)
    print(f"{time.process_time() - started:.0f} CPU seconds in all")
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
