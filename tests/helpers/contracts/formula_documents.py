"""Formulas to check: by hand, and of an earlier program that shares no code with the engine (`formulas`)."""

import copy
import json
from fractions import Fraction
from pathlib import Path

from mechdesign.verify.formulas import formula_claims, read_formula
from mechdesign.verify.texts import parse_json

FOLDER = Path(__file__).parent / "formulas"
STORED = sorted(path.stem for path in FOLDER.glob("*.json"))
REMARKS = {
    "seconds": {"solve": 0, "certify": 0, "verify": 0},
    "version": "by hand",
    "method": "by hand",
    "how": "one piece after another",
}


def stored(name):
    """A true formula of the folder, with polynomials written out where they stand."""
    data = json.loads((FOLDER / f"{name}.json").read_text())
    table, data["polynomials"] = data["polynomials"], []

    def written_out(value, key=""):
        if isinstance(value, dict):
            return {name: inner if name == "problem" else written_out(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            if len(value) == 6 and isinstance(value[0], str) and type(value[1]) is int:
                return [*value[:5], written_out(value[5], "multiplier")]
            return [written_out(inner, key) for inner in value]
        return (
            copy.copy(table[value])
            if type(value) is int and key not in ("value", "solve", "certify", "verify")
            else value
        )

    return written_out(data)


def poly(*coefficients):
    """A polynomial, that of 1 first."""
    return [str(value) for value in coefficients]


def rational_end(value):
    """A rational end."""
    x = Fraction(value)
    return {
        "value": round(float(x), 12),
        "exact": str(x),
        "polynomial": poly(-x.numerator, x.denominator),
        "between": [str(x), str(x)],
    }


def root(polynomial, low, high, value):
    """An end that is no rational."""
    return {"value": value, "exact": None, "polynomial": polynomial, "between": [low, high]}


def formula_of(problem, *pieces):
    """A formula of pieces (first end, last end, score, one part without ends)."""
    written = [
        {"from": first, "to": last, "score": score, "parts": [{"from": first, "to": last, **part}]}
        for first, last, score, part in pieces
    ]
    return {
        "format": "mechdesign-formula/1",
        "problem": {"loss": "L0", "aggregate": "expected", "prior": "uniform", **problem},
        "polynomials": [],
        "covered": [{"from": written[0]["from"], "to": written[-1]["to"]}],
        "pieces": written,
        **REMARKS,
    }


def randomized_response(d=1):
    """The score and the part of two inputs at length d: 1 on and a^d off the diagonal, over 1 + a^d."""
    power = poly(*[0] * d, 1)
    total = poly(1, *[0] * (d - 1), 1)
    double = [str(2 * int(value)) for value in total]
    return {"numerator": poly(*[0] * d, 2), "denominator": total}, {
        "denominator": total,
        "matrix": [[poly(1), power], [power, poly(1)]],
        "dual": {
            "denominator": double,
            "prices": [power, power],
            "rows": [["DP", 0, 1, 0, 0, poly(1)], ["DP", 1, 0, 1, 1, poly(1)]],
        },
    }


def one_person():
    """One person, without properties."""
    return formula_of(
        {"model": "count", "n": 1, "properties": []}, (rational_end(0), rational_end(1), *randomized_response())
    )


def two_points(d=3):
    """Two points of a metric, d apart."""
    problem = {"model": "metric", "k": 2, "lengths": [[0, d], [d, 0]], "properties": []}
    return formula_of(problem, (rational_end(0), rational_end(1), *randomized_response(d)))


def smooth():
    """One person under OS:1/2: what is told at least half as often as the other answer, up to alpha 1/2."""
    score = {"numerator": poly(2), "denominator": poly(3)}
    part = {
        "denominator": poly(3),
        "matrix": [[poly(2), poly(1)], [poly(1), poly(2)]],
        "dual": {
            "denominator": poly(6),
            "prices": [poly(1), poly(1)],
            "rows": [["OS", 1, 0, 0, 0, poly(2)], ["OS", 0, 1, 1, 1, poly(2)]],
        },
    }
    return formula_of(
        {"model": "count", "n": 1, "properties": ["OS:1/2"]},
        (rational_end(0), rational_end("1/2"), score, part),
        (rational_end("1/2"), rational_end(1), *randomized_response()),
    )


def beyond_reach():
    """One person under WH:3/2, which nothing meets beyond alpha 1/3."""
    rows = [["DP", 0, 1, 0, 0, poly(1)], ["DP", 1, 0, 1, 1, poly(1)]]
    rows += [["WH", i, i, i, i, poly(1, 1)] for i in range(2)]
    return formula_of(
        {"model": "count", "n": 1, "properties": ["WH:3/2"]},
        (rational_end(0), rational_end("1/3"), *randomized_response()),
        (rational_end("1/3"), rational_end(1), None, {"dual": {"prices": [poly(-1), poly(-1)], "rows": rows}}),
    )


def with_loss(loss, numerator, matrix, dual, **problem):
    """Two inputs with a table of losses, a matrix of numbers over 2, and a dual without rows."""
    part = {"denominator": poly(2), "matrix": [[poly(x) for x in row] for row in matrix], "dual": {**dual, "rows": []}}
    asked = {"model": "count", "n": 1, "properties": [], "loss": "matrix", "loss_matrix": loss, **problem}
    score = {"numerator": numerator, "denominator": poly(1)}
    return formula_of(asked, (rational_end(0), rational_end(1), score, part))


def no_loss():
    """Two inputs under S for which all mechanisms cost nothing."""
    dual = {"denominator": poly(1), "prices": [[], []]}
    return with_loss([["0", "0"], ["0", "0"]], [], [[1, 1], [1, 1]], dual, properties=["S"])


def sure_loss():
    """Two inputs of which one costs 1 and the other nothing, whatever is told: the worst case is 1."""
    dual = {"denominator": poly(1), "prices": [poly(1), []], "prior": [poly(1), []]}
    return with_loss([["1", "0"], ["1", "0"]], poly(1), [[1, 1], [1, 1]], dual, aggregate="worst", prior=None)


def two_items():
    """Two items, neighbours of one another, by rows of least entries."""
    data = one_person()
    data["problem"] = {key: value for key, value in data["problem"].items() if key != "n"} | {"model": "ldp", "k": 2}
    rows = [["LEAST", i, 1 - i, 0, 1, poly(1)] for i in range(2)] + [["ABOVE", i, i, 0, 1, poly(1)] for i in range(2)]
    data["pieces"][0]["parts"][0]["dual"]["rows"] = rows
    return data


BY_HAND = {
    "one person": one_person,
    "two points": two_points,
    "two items": two_items,
    "smooth": smooth,
    "beyond reach": beyond_reach,
    "no loss": no_loss,
    "sure loss": sure_loss,
}


def false_claims(data):
    """What is false of a formula, with how it fails."""
    claims = formula_claims(read_formula(parse_json(json.dumps(data))))
    return [f"{claim.claim} ({claim.detail})" for claim in claims if not claim.true]
