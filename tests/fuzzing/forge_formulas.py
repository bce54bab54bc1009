"""Forge formulas, and report each false one that the checker proves.

    python tests/fuzzing/forge_formulas.py --forgeries 1000 --seed 1

A true formula is changed in one place, or takes a part of another one of as many inputs: ends, score, matrix, dual, or
the demands. What the checker proves all the same is compared with exact designs at alphas in each piece.
"""

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "helpers" / "contracts"))  # where no pytest says so

from formula_alterations import alterations, claimed
from formula_documents import STORED, stored

import mechdesign as md
from mechdesign.verify.formulas import formula_claims, read_formula
from mechdesign.verify.texts import UnreadableError, parse_json

PROVED, FALSE, UNREADABLE = "proved", "false", "unreadable"
DEMANDS = ("properties", "loss", "aggregate", "prior")


def judge(data):
    """Say what the checker makes of JSON values."""
    try:
        claims = list(formula_claims(read_formula(parse_json(json.dumps(data)))))
    except UnreadableError:
        return UNREADABLE
    return PROVED if all(claim.true for claim in claims) else FALSE


def size_of(data):
    return len(data["pieces"][0]["parts"][0]["matrix"])


def exchanged(true, others, rng):
    """Give a formula something of another one, or of another of its own pieces."""
    data, other = copy.deepcopy(true), copy.deepcopy(rng.choice(others))
    piece, giver = rng.choice(data["pieces"]), rng.choice(other["pieces"])
    part, given = rng.choice(piece["parts"]), rng.choice(giver["parts"])
    match rng.randrange(6):
        case 0:
            data["problem"] = other["problem"]
        case 1:
            key = rng.choice(DEMANDS)
            data["problem"][key] = other["problem"][key]
        case 2:
            piece["score"] = giver["score"]
        case 3:
            part["denominator"], part["matrix"] = given["denominator"], given["matrix"]
        case 4:
            part["dual"] = given["dual"]
        case 5:
            at = rng.randrange(len(data["pieces"]))
            _move_end(data, at, giver[rng.choice(("from", "to"))])
    return data


def _move_end(data, at, end):
    """Let a piece end elsewhere, and the next one begin there."""
    first = data["pieces"][at]
    first["to"] = first["parts"][-1]["to"] = end
    if at + 1 < len(data["pieces"]):
        second = data["pieces"][at + 1]
        second["from"] = second["parts"][0]["from"] = end
    else:
        data["covered"][0]["to"] = end


def is_true(data, rng):
    """Compare each piece with exact designs at three alphas in it."""
    problem = data["problem"]
    if problem["model"] == "count":
        size = {"n": problem["n"]}
    elif problem["model"] == "ldp":
        size = {"model": md.Model.ldp(problem["k"])}
    else:
        size = {"model": md.Model.lldp(problem["k"], problem["radius"])}
    for piece in data["pieces"]:
        low, high = (Fraction(piece[key]["value"]) for key in ("from", "to"))
        for _ in range(3):
            x = (low + (high - low) * Fraction(rng.randint(1, 999), 1000)).limit_denominator(10**7)
            demands = {key: problem[key] for key in DEMANDS}
            found = md.design(md.DesignProblem(**size, **demands, alpha=x), exact=True)
            top, bottom = (
                sum(int(c) * x**k for k, c in enumerate(piece["score"][key])) for key in ("numerator", "denominator")
            )
            if not low < x < high or found.score != top / bottom:
                return False
    return True


def main():
    """Forge, and count the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forgeries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, started = random.Random(asked.seed), time.process_time()
    documents = [stored(name) for name in STORED]
    verdicts, lies = Counter(), 0
    for number in range(asked.forgeries):
        true = rng.choice(documents)
        alike = [other for other in documents if size_of(other) == size_of(true)]
        data = exchanged(true, alike, rng) if number % 2 else next(alterations(true, 1, rng))
        verdict = judge(data)
        if data == true:
            verdict = "not changed"
        elif verdict == PROVED:
            verdict = "proved: the same claims" if claimed(data) == claimed(true) else "proved: other claims"
            if not is_true(data, rng):
                lies += 1
                print(f"a lie is proved, number {number}: {json.dumps(data)[:2000]}")
        verdicts[verdict] += 1
    for verdict, count in sorted(verdicts.items()):
        print(f"{verdict:30} {count}")
    print(f"{lies} lies are proved; {time.process_time() - started:.1f} s of CPU")
    return 1 if lies else 0


if __name__ == "__main__":
    sys.exit(main())
