"""Random design documents: every model, loss, prior, aggregate and property.

Changes of them come too.
"""

import copy
import json
from fractions import Fraction

from mechdesign import DesignProblem, Loss, MechdesignError, Model, Prior, design
from mechdesign.designs import checked_design
from mechdesign.documents.document import design_document, document_text
from mechdesign.methods.answer import Answer
from mechdesign.program.clock import Seconds

PROPERTIES = ("WH", "RH", "RM", "CH", "CM", "F", "S", "FE", "WH:1/2", "WH:9/8", "OS:1/3", "OS:3/4", "OS:1")
LOSSES = ("L0", "L1", "L2", "L0:0", "L0:1", "L1:1", "L3:2", "PB:1/3", "PB:9/10")
ALPHAS = ("1/2", "9/10", "2/3", "1/7", "62/100", "999/1000")
KINDS = ("count", "ldp", "lldp", "metric", "points")


def random_model(random):
    """Counts, items, a band, a metric on a line (with a fractional unit at times), or points of a plane."""
    kind = random.choice(KINDS)
    size = random.randint(2, 5)
    if kind == "count":
        return Model.count(size - 1)
    if kind == "ldp":
        return Model.ldp(size)
    if kind == "lldp":
        return Model.lldp(size, random.randint(1, size - 1))
    places = random.sample(range(12), size)
    if kind == "metric":
        scale = random.choice([Fraction(1), Fraction(1, 2), Fraction(3), Fraction(2, 3)])
        places.sort()
        rows = [[abs(a - b) * scale for b in places] for a in places]
    else:
        others = random.sample(range(12), size)
        rows = [
            [Fraction(abs(a - b) + abs(c - d)) for b, d in zip(places, others, strict=True)]
            for a, c in zip(places, others, strict=True)
        ]
    unit = random.choice([None, None, min(d for row in rows for d in row if d)])
    return Model.metric(rows, unit)


def random_problem(random):
    """Any problem of 2 to 5 inputs."""
    model = random_model(random)
    size = model.size
    properties = random.sample(PROPERTIES, random.choice([0, 1, 1, 2, 3]))
    loss = random.choice(LOSSES)
    if random.random() < 0.2:
        loss = Loss.from_matrix([[Fraction(random.randint(-3, 9), random.randint(1, 4)) for _ in range(size)]] * size)
    if random.random() < 0.25:
        return DesignProblem(
            model=model, alpha=random.choice(ALPHAS), properties=properties, loss=loss, aggregate="worst"
        )
    shares = [random.randint(0, 4) for _ in range(size)]
    prior = random.choice(["uniform", "uniform", "binomial:1/3", "binomial:0"])
    if random.random() < 0.25 and any(shares):
        prior = Prior.from_weights([Fraction(share, sum(shares)) for share in shares])
    return DesignProblem(model=model, alpha=random.choice(ALPHAS), properties=properties, loss=loss, prior=prior)


def random_design(random):
    """A design for a random problem, exact, rounded, or of a mechanism that is not the best one."""
    while True:
        try:
            best = design(random_problem(random))
        except MechdesignError:
            continue
        if random.random() < 0.15:
            mixed = _mixed(best, random.choice([Fraction(1, 3), Fraction(1, 10**8), Fraction(1, 10**40)]))
            return checked_design(best.problem, Answer(mixed, best.certificate, "mixed"), "by hand", 0.0, 0.0, 0.0)
        return best


def _mixed(best, share):
    """The mechanism with some of the uniform one, which has everything that can be asked but a floor above 1."""
    size = best.problem.size
    if best.problem.floor * size > 1:
        return best.mechanism
    rows = [[(1 - share) * best.mechanism.fraction(i, j) + share / size for j in range(size)] for i in range(size)]
    return type(best.mechanism).from_fractions(rows)


def document_of(best):
    """The JSON values of its document, times rounded to nothing."""
    return json.loads(document_text(design_document(_untimed(best))))


def _untimed(best):
    object.__setattr__(best, "seconds", Seconds(0.25, 0.0, 1.0))
    return best


VALUES = (
    *(None, True, False, 0, 1, -1, 2, 3, 0.5, 1e-9, 10**310, "", "0", "1", "2", "-1", "1/2", "2/4", "1/0", "x"),
    *("exact", "certified", "feasible", "L0", "L1", "matrix", "weights", "uniform", "count", "ldp", "worst"),
    *([], {}, ["WH"], ["0", "1"], {"exact": "1", "value": 1}, {"low": "1/2", "high": "1/2"}, "binomial:1/2", "9/10"),
    *(float("inf"), float("nan"), "1" * 5000, ["CM", "CM"], ["S", "FE"], "OS:1/2", "WH:1/3", [["1"]]),
)


def changed(data, random):
    """A copy with one change somewhere: a value replaced, nudged, taken away, or a key more."""
    data = copy.deepcopy(data)
    place = data
    while True:
        key = random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.15:
            break
        place = inner
    way = random.random()
    if way < 0.45:
        place[key] = nudged(inner, random)
    elif way < 0.8:
        place[key] = random.choice(VALUES)
    elif way < 0.9 and isinstance(place, dict):
        del place[key]
    elif isinstance(place, dict):
        place[random.choice(["k", "n", "radius", "unit", "prices", "prior", "flowchart", "x"])] = random.choice(VALUES)
    else:
        place.pop(key)
    return data


def nudged(value, random):
    """A value of the same kind beside the one given."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + random.choice([-1, 1])
    if isinstance(value, float):
        return value * random.choice([1 + 1e-12, 1 - 1e-12, 1 + 2e-9, 1 - 2e-9, 1.1, -1])
    if isinstance(value, str):
        top, slash, bottom = value.partition("/")
        if top.lstrip("-").isdigit() and len(top) < 4_000:
            return f"{int(top) + random.choice([-1, 1, 1000])}{slash}{bottom}"
        return random.choice([value.lower(), value + " ", value + ":1", value[:-1]])
    if isinstance(value, list):
        return random.choice([value[::-1], value[1:], value + value[:1]])
    return dict(list(value.items())[::-1])
