"""Forge laws, and report each false one that the checker proves.

    python tests/fuzzing/forge_laws.py --forgeries 2000 --seed 1

A true law is changed in one place. In half of the forgeries all other claims then follow from the change: they are
what the kernel finds of the changed layer and dual, so only the lie itself can be found. Half are upon laws with a gap
between score and bound, in which a forger has room. What the checker proves all the same is drawn out to single sizes
and tested by the kernel of designs.
"""

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "helpers" / "contracts"))  # where no pytest says so

from law_documents import (
    CASES,
    fair_document,
    geometric,
    kernel_bound,
    kernel_defects,
    kernel_score,
    law_document,
    law_of,
    whole,
)

from mechdesign.verify import layer_duals, layers
from mechdesign.verify.laws import Layered, law_claims, read_law
from mechdesign.verify.layers import Layer
from mechdesign.verify.texts import Decimals, UnreadableError

PROVED, FALSE, UNREADABLE = "proved", "false", "unreadable"
STEPS = (1, -1, 2, -3, 10**6, -(10**6))
NAMES = ("WH", "RH", "RM", "CH", "CM", "S", "FE", "F", "OS:1/2", "XY")
LARGEST_DRAWN = 60


def judge(data):
    """What the checker says of JSON values, and what they are read as."""
    try:
        law = read_law(json.loads(json.dumps(data), parse_float=Decimals))
    except UnreadableError:
        return UNREADABLE, None
    return (PROVED if all(claim.true for claim in law_claims(law)) else FALSE), law


def true_laws():
    """Laws as (layer, dual, properties, power), without and with a gap."""
    tight = [law_of(name) for name in CASES]
    return tight, [with_gap(name) for name in CASES if name != "plain"]


def with_gap(name):
    """A law mixed with the geometric mechanism where the mixture has what is asked, else one with a weaker dual."""
    layer, dual, properties, power = law_of(name)
    other, weak = geometric(layer.alpha, 0, layer.depth)
    if power == 0:
        return layer, replace(weak, depth=1, prices=weak.prices[:1]), properties, power
    depth, tables = layer.depth, [layer.rows, *([] if layer.slopes is None else [layer.slopes])]
    halves = [[Fraction(x, 2 * layer.denominator) for x in row] for table in tables for row in table]
    for row, more in zip(halves, other.rows, strict=False):
        row[:] = [x + Fraction(y, 2 * other.denominator) for x, y in zip(row, more, strict=True)]
    weights, denominator = whole(halves)
    mixed = Layer(layer.alpha, depth, denominator, weights[:depth], weights[depth:] or None)
    if not list(layers.layer_defects(mixed, properties, 10**6)):
        return mixed, dual, properties, power
    lower = tuple(price - dual.denominator // 50 for price in dual.prices)
    return layer, replace(dual, prices=lower), properties, power


def nudged(text, random):
    """The text of an integer or a rational, changed a little."""
    value = Fraction(text)
    return str(Fraction(value.numerator + random.choice(STEPS), value.denominator))


def change_table(data, random):
    table = data["mechanism"][random.choice([key for key in ("rows", "slopes") if key in data["mechanism"]])]
    i, j = random.randrange(len(table)), random.randrange(len(table))
    table[i][j] = nudged(table[i][j], random)


def move_weight(data, random):
    """Columns keep their sums."""
    table = data["mechanism"][random.choice([key for key in ("rows", "slopes") if key in data["mechanism"]])]
    i, k = (random.sample(range(len(table)), 2) * 2)[:2] if len(table) > 1 else (0, 0)
    j, by = random.randrange(len(table)), random.choice((1, int(data["mechanism"]["denominator"]) // 1000))
    table[i][j], table[k][j] = str(int(table[i][j]) - by), str(int(table[k][j]) + by)


def change_price(data, random):
    prices = data["dual"]["prices"]
    j = random.randrange(len(prices))
    prices[j] = nudged(prices[j], random)


def change_multiplier(data, random):
    rows = data["dual"]["rows"]
    if not rows:
        rows.append(["CM", 0, 0, 1, 0, "1"])
    row = random.choice(rows)
    match random.randrange(6):
        case 0:
            row[5] = nudged(row[5], random)
        case 1:
            rows.append(list(row))
        case 2:
            half = int(row[5]) // 2
            row[5] = str(int(row[5]) - half)
            rows.append([*row[:5], str(half)])
        case 3:
            rows.remove(row)
        case 4:
            row[random.randrange(1, 5)] += random.choice((1, -1))
        case _:
            row[0] = random.choice(NAMES)


def change_number(data, random):
    part = data[random.choice(["excess", "score", "lower_bound"])]
    key = random.choice([key for key, value in part.items() if type(value) is str])
    part[key] = nudged(part[key], random)


def change_size(data, random):
    n, by = data["problem"]["n"], random.choice((1, -1, 2, -2, 40))
    if isinstance(n, dict) and random.random() < 0.8:
        n["from"] += by
    else:
        data["problem"]["n"] = n["from"] + by if isinstance(n, dict) else {"from": n}


def change_kind(data, random):
    data[random.choice(("mechanism", "dual"))]["kind"] = random.choice(("fair law", "layer", "matrix"))


def change_length(data, random):
    lists = [data["mechanism"]["rows"], data["mechanism"]["rows"][0], data["dual"]["prices"], data["dual"]["rows"]]
    one = random.choice([found for found in lists if found])
    match random.randrange(3):
        case 0:
            one.pop(random.randrange(len(one)))
        case 1:
            one.append(copy.deepcopy(one[-1]))
        case _:
            part = data[random.choice(("mechanism", "dual"))]
            part["depth"] += random.choice((1, -1))


def change_properties(data, random):
    names = data["problem"]["properties"]
    if names and random.random() < 0.4:
        names.remove(random.choice(names))
    else:
        names.append(random.choice(NAMES))


def change_denominator(data, random):
    part = data[random.choice(("mechanism", "dual"))]
    part["denominator"] = nudged(part["denominator"], random)


def change_question(data, random):
    problem = data["problem"]
    match random.randrange(3):
        case 0:
            problem["alpha"] = nudged(problem["alpha"], random)
        case 1:
            problem["loss"] = random.choice(("L0", "L1", "L2", "L3"))
        case _:
            problem[random.choice(("model", "prior", "aggregate"))] = random.choice(("count", "uniform", "worst"))


def change_words(data, random):
    if random.random() < 0.5:
        data["status"] = random.choice(("exact", "certified", "feasible", "optimal"))
    elif data["holds"] and random.random() < 0.5:
        data["holds"].remove(random.choice(data["holds"]))
    else:
        data["holds"].append(random.choice(NAMES))


def change_lowered(data, random):
    data["dual"]["lowered"] = data["dual"].get("lowered", 0) + random.choice((1, -1, 2, 10))


CHANGES = (
    *(change_table, move_weight, change_price, change_multiplier, change_number, change_size, change_kind),
    *(change_length, change_properties, change_denominator, change_question, change_words, change_lowered),
)


def rewritten(data):
    """The document in which all else follows from the layer and the dual; as it was where nothing follows."""
    try:
        law = read_law(json.loads(json.dumps(data), parse_float=Decimals))
        if law.layered is None:
            return data
        n = None if law.onward else law.n
        return law_document(law.layered.layer, law.layered.dual, law.properties, law.power, n)
    except (UnreadableError, ValueError):
        return data


def faults(law):
    """What is false of a law that is proved, drawn out to single sizes."""
    if law.layered is None:
        return
    layer, dual = law.layered.layer, law.layered.dual
    for n in {law.n, law.n + 1, law.n + 6} if law.onward else {law.n}:
        if n > LARGEST_DRAWN:
            continue
        names = [*law.properties, *law.holds]
        yield from kernel_defects(layer, names, n)
        score, scale = kernel_score(layer, law.power, n), n + 1 if law.power else n
        if n == law.n and law.score.exact != score / scale:
            yield f"the score at {n} is another"
        bound = layer_duals.bound_sum(dual, law.power, law.properties, n)
        if n == law.n and bound / scale < law.lower_bound.low:
            yield f"the bound at {n} is lower"
        shown, lowering = kernel_bound(dual, law.power, law.properties, n, bound)
        if lowering < 0 or shown < bound or bound > score:
            yield f"the bound at {n} is not shown"
    if law.status == "exact" and kernel_score(layer, law.power, law.n) != shown_by_kernel(law.layered, law):
        yield "score and bound are not equal"


def shown_by_kernel(layered: Layered, law):
    """The bound of the kernel of designs, of prices that are not lowered."""
    bound = layer_duals.bound_sum(layered.dual, law.power, law.properties, law.n)
    return kernel_bound(layered.dual, law.power, law.properties, law.n, bound)[0]


def forge(seed, number, tell=lambda text: None):
    """Forge so many laws; return how they were judged, and the false ones that were proved."""
    chance = random.Random(seed)
    found, bad = Counter(), []
    families = []
    for group in true_laws():
        for arguments in group:
            least = law_document(*arguments)
            assert judge(least)[0] == PROVED, arguments
            families.append((arguments, least))
    tight = len(families) - len(true_laws()[1])
    fair = fair_document("4/5", ["F", "CM"])
    assert judge(fair)[0] == PROVED
    for count in range(number):
        arguments, true = chance.choice(families[:tight] if count % 2 else families[tight:])
        data = copy.deepcopy(fair if count % 50 == 0 else true)
        if count % 50 and chance.random() < 0.3:
            data = law_document(*arguments, data["problem"]["n"]["from"] + chance.choice((0, 1, 5, 200)))
        name, verdict, law = forged(data, chance)
        found[name, verdict] += 1
        if verdict == PROVED:
            for fault in faults(law):
                bad.append((count, name, fault))
                tell(f"FAULT in forgery {count}: {name}: {fault}")
    return found, bad


def forged(data, chance):
    """Change a true law in place; return the name of the change, how it was judged and what it was read as."""
    start = copy.deepcopy(data)
    change = chance.choice(CHANGES)
    try:
        change(data, chance)
    except (KeyError, IndexError):  # the fair law has no such part
        return change.__name__, "not changed", None
    if data == start:
        return change.__name__, "not changed", None
    follows = chance.random() < 0.5 and change not in (change_number, change_words, change_size)
    verdict, law = judge(rewritten(data) if follows else data)
    return f"{change.__name__}{', the rest follows' if follows else ''}", verdict, law


def main():
    """Forge as many as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forgeries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.process_time()
    found, bad = forge(options.seed, options.forgeries, print)
    for (name, verdict), count in sorted(found.items()):
        print(f"{count:6} {verdict:12} {name}")
    print(
        f"{sum(found.values())} forgeries, {len(bad)} false ones proved, {time.process_time() - started:.0f} s of CPU"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
