"""Compare laws with the best matrices: score and bound at random sizes beside the exact optimum of the whole LP.

    python tests/fuzzing/laws_beside_matrices.py 200

prints a line for each setting and counts at the end; it ends with 1 where a law's score is below the optimum, its bound
above, or, under L0, the three differ.
"""

import random
import sys
from collections import Counter
from fractions import Fraction

from mechdesign.designs import design
from mechdesign.laws.finding import design_law
from mechdesign.problem.design_problem import DesignProblem

SETS = ("none", "WH", "RH", "RM", "CH", "CM", "WH,CM", "WH,RM,CM", "WH,RH", "RH,CM")
LOSSES = ("L0", "L1", "L2")
ALPHAS = ("27634/75117", "1/2", "3/5", "2/3", "7/10", "4/5")
SIZES = (12, 60)
SEED = 27


def settings(how_many: int) -> list[tuple[str, str, str]]:
    """Choose different settings (properties, loss, alpha) at random; more than there are begin again."""
    every = [(properties, loss, alpha) for properties in SETS for loss in LOSSES for alpha in ALPHAS]
    random.Random(SEED).shuffle(every)
    return (every * (how_many // len(every) + 1))[:how_many]


def differences(properties: str, loss: str, alpha: str, size: int) -> tuple[int, Fraction, Fraction, str]:
    """Return the size in 12..60 from that one on, (score - best)/best, (best - bound)/best, and how best is known.

    The best is between a design's score and its bound; the score counts for the law's bound, and the other way round.
    """
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    n = max(size, law.least)
    found = design(DesignProblem(n, alpha, properties=properties, loss=loss))
    score, bound = law.score(n)[1], law.lower_bound(n)
    return n, (score - found.lower_bound) / found.score, (found.score - bound) / found.score, found.status


def main() -> int:
    """Run as many comparisons as asked."""
    generator, failures = random.Random(SEED), 0
    tally: Counter[tuple[str, str]] = Counter()
    worst: dict[str, tuple[float, ...]] = {}
    for properties, loss, alpha in settings(int(sys.argv[1])):
        n, above, below, status = differences(properties, loss, alpha, generator.randint(*SIZES))
        differ = loss == "L0" and status == "exact" and (above > 0 or below > 0)
        wrong = above < 0 or below < 0 or differ
        failures += wrong
        tally[loss, status] += 1
        worst[loss] = tuple(map(max, zip(worst.get(loss, (0.0, 0.0)), (float(above), float(below)), strict=True)))
        print(f"{properties:9} {loss} {alpha:11} n={n:3} {status} {float(above):.2e} {float(below):.2e} {'NO' * wrong}")
        sys.stdout.flush()
    print(dict(tally), worst, f"failures: {failures}")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
