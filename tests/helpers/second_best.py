"""The least and the largest second loss by another formulation: dense matrices, HiGHS of SciPy, the score as a row.

`python tests/helpers/second_best.py 300` compares so many random settings with the designs, and counts them by loss.
"""

import random
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

sys.path.append(str(Path(__file__).parent / "contracts"))  # where no pytest says so

from stated_problem import stated_rows

ROOM = 1e-10
"""By which the first score may be above the optimum; floats need some."""


def second_loss(problem, second, value, sign=1):
    """The least (largest for sign -1) expected second loss of all mechanisms whose expected loss is `value`."""
    size, one = problem.size, problem.step_alpha
    equal, at_least = [], []
    for sense, side, terms in stated_rows(problem, one):
        row = np.zeros(size * size)
        row[[place for place, _ in terms]] = [float(coefficient) for _, coefficient in terms]
        (equal if sense == "E" else at_least).append((row, float(side)))
    first = np.array(problem.cost, dtype=float).ravel()
    at_least.append((-first, -float(value) * (1 + ROOM)))
    found = linprog(
        sign * np.array(second.cost, dtype=float).ravel(),
        A_ub=-np.array([row for row, _ in at_least]),
        b_ub=-np.array([side for _, side in at_least]),
        A_eq=np.array([row for row, _ in equal]),
        b_eq=np.array([side for _, side in equal]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.status == 0, found.message
    return sign * found.fun


PROPERTIES = ("", "WH", "WH,CM", "WH,RM,CM", "RH", "CH", "RM", "F", "F,S", "S", "WH:1/2", "FE,CM")
LOSSES = ("L0", "L1", "L2", "L0:1", "PB:1/3")


def random_setting(chance):
    """Arguments of a problem, and another loss."""
    n = chance.randint(1, 9)
    first, second = chance.sample(LOSSES, 2)
    prior = chance.choice(["uniform", "uniform", "binomial:1/3"])
    alpha = chance.choice(["1/2", "2/3", "3/4", "9/10", "1/5"])
    asked = {"properties": chance.choice(PROPERTIES), "loss": first, "prior": prior}
    return {"n": n, "alpha": alpha, **asked}, second


def compare(setting, second):
    """Return how far the second score is from the independent one, as a share."""
    from mechdesign import design

    found = design(**setting, then=second)
    stage = found.stages[0]
    assert found.status == "exact"
    value = found.score / found.problem.rescaling
    other = second_loss(found.problem, stage.problem, value) * float(stage.problem.rescaling)
    return abs(other - float(stage.score)) / max(1.0, abs(other))


if __name__ == "__main__":
    chance, tally, worst = random.Random(0), Counter(), 0.0
    for _ in range(int(sys.argv[1])):
        setting, second = random_setting(chance)
        worst = max(worst, compare(setting, second))
        tally[f"{setting['loss']} then {second}"] += 1
    print(dict(sorted(tally.items())))
    print(f"{tally.total()} settings; largest difference {worst:.1e} of the second score")
    assert worst < Fraction(1, 10**6)
