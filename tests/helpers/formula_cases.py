"""Problems of formulas, alphas of them, and closed forms as fractions: what tests and the survey share."""

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb

import mechdesign as md

SKEWED = "weights:40,30,15,10,5"

MODELS = {
    "count": {"n": 4},
    "ldp": {"model": md.Model.ldp(4)},
    "lldp": {"model": md.Model.lldp(5, 2)},
    "metric": {"model": md.Model.metric([[0, 1, 3, 4], [1, 0, 2, 3], [3, 2, 0, 1], [4, 3, 1, 0]])},
}

PROBLEMS = {
    **{f"{name} {loss}": {**model, "loss": loss} for name, model in MODELS.items() for loss in ("L0", "L1", "L2")},
    "monotone": {"n": 5, "properties": "RM,CM", "loss": "L1"},
    "honest": {"n": 6, "properties": "WH", "loss": "L2"},
    "fair": {"n": 5, "properties": "F", "loss": "L1"},
    "fair ends, skewed": {"n": 4, "properties": "FE,WH", "loss": "L1", "prior": SKEWED},
    "symmetric, skewed": {"n": 4, "properties": "S,RH", "loss": "L1", "prior": SKEWED},
    "symmetric and fair, skewed": {"n": 4, "properties": "S,F", "loss": "PB:1/3", "prior": SKEWED},
    "half honest": {"n": 4, "properties": "WH:1/2,RM", "loss": "L1"},
    "too honest": {"n": 4, "properties": "WH:3/2"},
    "too honest and fair": {"n": 4, "properties": "WH:6/5,F,S", "loss": "L1", "prior": SKEWED},
    "smooth": {"n": 4, "properties": "OS:4/5", "loss": "L1"},
    "smooth and monotone": {"n": 5, "properties": "OS:1/3,CM"},
    "uniform": {"n": 3, "properties": "OS:1"},
    "worst": {"n": 4, "aggregate": "worst", "loss": "PB:1/3"},
    "worst, fair": {"n": 4, "aggregate": "worst", "properties": "F", "loss": "L1"},
    "worst, symmetric": {"n": 3, "aggregate": "worst", "properties": "S", "loss": "PB:1/3"},
    "two steps off": {"n": 4, "loss": "L0:1"},
    "one input": {"n": 3, "prior": md.Prior.from_weights([0, 1, 0, 0])},
    "own loss": {"n": 2, "loss": md.Loss.from_matrix([[-1, 0, 2], [0, -2, 0], ["1/2", 0, 0]])},
    "own loss, worst": {
        "n": 2,
        "aggregate": "worst",
        "loss": md.Loss.from_matrix([[-1, 0, 2], [0, -2, 0], ["1/2", 0, 0]]),
    },
    "one person": {"n": 1},
}


def alphas_of(found: md.Formula, count: int, seed: int) -> Iterator[Fraction]:
    """Draw rational alphas, every other one within 1e-4 of an end of a part."""
    chance = random.Random(seed)
    ends = [part.end for piece in found.pieces for part in piece.parts if part.end.exact != 1]
    for number in range(count):
        alpha = Fraction(chance.randrange(1, 997), 997)
        if ends and number % 2:
            off = Fraction(chance.randrange(-100, 101), 10**6)
            alpha = Fraction(chance.choice(ends).value).limit_denominator(10**7) + off
        if 0 < alpha < 1:
            yield alpha


def score_of(problem: md.DesignProblem) -> Fraction | None:
    """Return the score of an exact design; None where nothing is feasible."""
    try:
        return md.design(problem, exact=True).score
    except md.InfeasibleError:
        return None


ClosedForm = Callable[[Fraction], Fraction]


def geometric(a: Fraction) -> Fraction:
    """Return the L0 score of GM."""
    return 2 * a / (1 + a)


def honest_last(n: int) -> ClosedForm:
    """Return the L0 score of WH from n/(n+2) on."""
    pairs = n * (n + 1) // 2
    if n % 2 == 0:
        h = n // 2
        return lambda a: ((pairs + 1) * a**h + sum(a**k for k in range(1, h)) - h) / (pairs * a**h)
    m = (n + 1) // 2
    return lambda a: (
        ((pairs + 1) * a**m + (pairs + 2) * a ** (m - 1) + 2 * sum(a**k for k in range(1, m - 1)) - n)
        / (pairs * a ** (m - 1) * (1 + a))
    )


def explicit_fair(n: int) -> ClosedForm:
    """Return the L0 score of EM: its diagonal is over the sum of a column."""
    h = n // 2
    middle = 0 if n % 2 == 0 else 1
    return lambda a: Fraction(n + 1, n) * (1 - 1 / (1 + 2 * sum(a**k for k in range(1, h + 1)) + middle * a ** (h + 1)))


def monotone_second(n: int) -> ClosedForm:
    """Return the L0 score of WM between 1/2 and 2/3."""
    return lambda a: (2 * (n - 1) * a**2 + 3 * a - 1) / (n * a * (1 + a))


def monotone_last(n: int) -> ClosedForm:
    """Return the L0 score of WM from h/(h+1) on, h = floor(n/2)."""
    h = n // 2
    if n % 2 == 0:
        return lambda a: Fraction(n + 1, n) - (1 + 2 * sum(a**-t for t in range(1, h + 1))) / (n * (n + 1))
    return lambda a: Fraction(n + 1, n) - 2 * sum(a**-t for t in range(h + 1)) / (n * (h + 1) * (1 + a))


def first_of_none(n: int) -> ClosedForm:
    """Return the L1 score of GM."""
    return lambda a: 2 * a * sum((n + 1 - k) * a ** (k - 1) for k in range(1, n + 1)) / ((n + 1) * (1 + a))


def end_of_first(n: int, power: int) -> ClosedForm:
    """Return what is 0 at the end of the first piece under L1, L2 without properties."""
    return lambda a: sum((k**power - (k - 1) ** power) * a**k for k in range(1, n + 1)) - 1


def start_of_constant(n: int, power: int) -> ClosedForm:
    """Return what is 0 where, for even n, the best mechanism begins to ignore the data."""
    if power == 1:
        return lambda a: 1 - 2 * a ** (n // 2) + a ** (n + 1)
    return lambda a: sum((2 * j - n + 1) * a**j for j in range(n + 1))


def randomised_response_end(k: int, power: int) -> ClosedForm:
    """Return what is 0 at the end of the range where GRR is best under L1, L2."""
    triples = comb(k - 1, 3)
    if power == 1:
        return lambda a: triples * a**2 + (1 + comb(k - 1, 2)) * a - 1
    return lambda a: (k + 1) * triples * a**2 + (1 + sum(m * m - 1 for m in range(1, k))) * a - 1


def is_same_function(piece: md.Formula, number: int, form: ClosedForm) -> bool:
    """Return whether a piece is a closed form: two rational functions that agree at enough points are one."""
    score = piece.pieces[number].score
    points = 4 * (len(score.numerator) + len(score.denominator)) + 80
    return all(form(Fraction(k, 7)) == score(Fraction(k, 7)) for k in range(8, 8 + points))


def is_root(end: object, form: ClosedForm) -> bool:
    """Return whether a form changes its sign within the interval of an end, or is 0 at a rational one."""
    low, high = end.between
    return form(low) == 0 if low == high else form(low) * form(high) < 0


Facts = Iterator[tuple[str, bool]]
"""Closed forms by name, each with whether a formula has it."""


def facts_of_l0(n: int, free: Sequence[str] = ("none",), fair: Sequence[str] = ("F",)) -> Facts:
    """Yield the closed forms of L0; `free` and `fair` are sets that cost what GM and EM cost."""
    for sets, name, form in ((free, "GM", geometric), (fair, "EM", explicit_fair(n))):
        for one in sets:
            found = md.formula(n=n, properties=one)
            yield f"{name}, {one}, n = {n}", len(found.pieces) == 1 and is_same_function(found, 0, form)
    honest, monotone = (md.formula(n=n, properties=one) for one in ("WH", "WH,RM,CM"))
    middle = n // 2
    yield f"WH's pieces, n = {n}", len(honest.pieces) == 2
    yield f"WH's first piece, n = {n}", is_same_function(honest, 0, geometric)
    yield f"WH's first end, n = {n}", honest.pieces[0].end.exact == Fraction(n, n + 2)
    yield f"WH's last piece, n = {n}", is_same_function(honest, 1, honest_last(n))
    yield f"WM's first piece, n = {n}", is_same_function(monotone, 0, geometric)
    yield f"WM's first end, n = {n}", monotone.pieces[0].end.exact == Fraction(1, 2)
    yield f"WM's last piece, n = {n}", is_same_function(monotone, -1, monotone_last(n))
    if n > 3:
        yield f"WM's second piece, n = {n}", is_same_function(monotone, 1, monotone_second(n))
        yield f"WM's second end, n = {n}", monotone.pieces[1].end.exact == Fraction(2, 3)
        yield f"WM's last end, n = {n}", monotone.pieces[-1].start.exact == Fraction(middle, middle + 1)


def facts_without_properties(n: int, power: int) -> Facts:
    """Yield the closed forms of L1 or L2 without properties."""
    found, middle = md.formula(n=n, loss=f"L{power}"), n // 2
    about = f"L{power}, n = {n}"
    yield f"number of pieces, {about}", len(found.pieces) == 1 + middle * (middle + 1) // 2
    yield f"GM's end, {about}", is_root(found.pieces[0].end, end_of_first(n, power))
    if power == 1:
        yield f"GM's score, {about}", is_same_function(found, 0, first_of_none(n))
    if n % 2 == 0:
        constant = Fraction(n * (n + 2), 4 * (n + 1) if power == 1 else 12)
        yield f"a constant, {about}", is_same_function(found, -1, lambda _: constant)
        yield f"its start, {about}", is_root(found.pieces[-1].start, start_of_constant(n, power))
    elif n > 1:
        last = found.pieces[-1].score
        yield f"no constant, {about}", len(last.numerator) > 1 or len(last.denominator) > 1


def facts_of_items(k: int) -> Facts:
    """Yield where GRR is best."""
    found = md.formula(model=md.Model.ldp(k))
    response = is_same_function(found, 0, lambda a: k * a / (1 + (k - 1) * a))
    yield f"GRR, k = {k}, L0", len(found.pieces) == 1 and response
    for power in (1, 2) if k > 2 else ():
        end = md.formula(model=md.Model.ldp(k), loss=f"L{power}").pieces[0].end
        yield f"GRR's end, k = {k}, L{power}", is_root(end, randomised_response_end(k, power))
