"""Formulas that lie, each in one way: a true one before, a change, and the words for which it must be refused."""

import copy
from functools import partial

from formula_documents import (
    beyond_reach,
    no_loss,
    one_person,
    poly,
    rational_end,
    root,
    stored,
    sure_loss,
    two_items,
    two_points,
)
from tampering import set_in


def none_as(properties):
    """The formula of n = 4 without properties, on all of (0, 1), under the name of others."""
    data = stored("count-4-WH-L0")
    own = data["pieces"][0]
    own["to"] = own["parts"][0]["to"] = rational_end(1)
    data["problem"]["properties"], data["pieces"] = properties, [own]
    return data


def none_above(properties):
    """That of WH up to its end, and from there on the matrix and the dual of none, which have the same score."""
    data = stored("count-4-WH-L0")
    own = data["pieces"][0]
    own["parts"].append(own["parts"][0] | {"from": own["to"], "to": rational_end(1)})
    own["to"] = rational_end(1)
    data["problem"]["properties"], data["pieces"] = properties, [own]
    return data


def times(p, *factor):
    """A product, as texts."""
    total = [0] * (len(p) + len(factor) - 1) if p else []
    for i, value in enumerate(p):
        for j, other in enumerate(factor):
            total[i + j] += int(value) * other
    return poly(*total)


def scale_score(*factor):
    def change(data):
        for key, p in data["pieces"][0]["score"].items():
            data["pieces"][0]["score"][key] = times(p, *factor)

    return change


def scale_matrix(*factor):
    def change(data):
        part = data["pieces"][0]["parts"][0]
        part["denominator"] = times(part["denominator"], *factor)
        part["matrix"] = [[times(p, *factor) for p in row] for row in part["matrix"]]

    return change


def scale_dual(*factor):
    def change(data):
        dual = data["pieces"][0]["parts"][0]["dual"]
        dual["denominator"] = times(dual["denominator"], *factor)
        for key in ("prices", "prior"):
            if key in dual:
                dual[key] = [times(p, *factor) for p in dual[key]]
        dual["rows"] = [[*row[:5], times(row[5], *factor)] for row in dual["rows"]]

    return change


def drop(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


PIECE = ("pieces", 0)
PART = (*PIECE, "parts", 0)
DUAL = (*PART, "dual")


def add_rows(*rows):
    def change(data):
        data["pieces"][0]["parts"][0]["dual"]["rows"] += copy.deepcopy([*rows])

    return change


def move_end(number, end):
    """Move the end that pieces `number` and `number + 1` share."""

    def change(data):
        first, second = data["pieces"][number : number + 2]
        first["to"] = first["parts"][-1]["to"] = end
        second["from"] = second["parts"][0]["from"] = end

    return change


def move_start(end):
    def change(data):
        data["covered"][0]["from"] = data["pieces"][0]["from"] = data["pieces"][0]["parts"][0]["from"] = end

    return change


def widened(low, high):
    """The first end that is no rational, between others, wherever it stands."""

    def change(data):
        own = data["pieces"][1]["to"]
        assert own["exact"] is None
        for piece in data["pieces"]:
            for entry in (piece, *piece["parts"]):
                for key in ("from", "to"):
                    if entry[key] == own:
                        entry[key] = own | {"between": [low, high]}

    return change


def renamed(kind, *place):
    def change(data):
        row = data["pieces"][0]["parts"][0]["dual"]["rows"][0]
        row[:5] = [kind, *(place or row[1:5])]

    return change


def split(data):
    """Two pieces of one score."""
    own = data["pieces"][0]
    for entry in (own, own["parts"][0]):
        entry["to"] = rational_end("1/3")
    other = copy.deepcopy(one_person()["pieces"][0])
    for entry in (other, other["parts"][0]):
        entry["from"] = rational_end("1/3")
    data["pieces"].append(other)


def null_from(end):
    """One person under WH:3/2: nothing is feasible from an end on."""

    def change(data):
        move_end(0, rational_end(end))(data)

    return change


def null_before(data):
    """Nothing is feasible before 1/3."""
    first, second = data["pieces"]
    for entry in (first, first["parts"][0]):
        entry["from"], entry["to"] = rational_end("1/3"), rational_end(1)
    for entry in (second, second["parts"][0]):
        entry["from"], entry["to"] = rational_end(0), rational_end("1/3")
    data["pieces"] = [second, first]


def swap_rows(data):
    """A matrix that is not its rotation: two entries of a column exchange a little."""
    matrix = data["pieces"][0]["parts"][0]["matrix"]
    low, high = matrix[0][0], matrix[1][0]
    matrix[0][0] = poly(int(low[0]) - 1, *map(int, low[1:]))
    matrix[1][0] = poly((int(high[0]) if high else 0) + 1, *map(int, high[1:]))


def early(data):
    """The second piece begins before the first ends."""
    for entry in (data["pieces"][1], data["pieces"][1]["parts"][0]):
        entry["from"] = rational_end("1/2")


def two_halves(data):
    """Pieces that leave a gap, which `covered` does not tell of."""
    split(data)
    second = data["pieces"][1]
    second["from"] = second["parts"][0]["from"] = rational_end("1/2")


CUBIC = poly(-3, 22, -48, 32)
"""(4a - 1)(2a - 1)(4a - 3)."""

WH, L1, F = (partial(stored, f"count-4-{name}") for name in ("WH-L0", "CM-L1", "F-L1"))
WORST, SYMMETRIC, LDP, LLDP = (
    partial(stored, name) for name in ("count-4-WH-worst", "count-4-S-WH-L2", "ldp-5-L1", "lldp-5-2-L1")
)
BEFORE = rational_end(0) | {"value": -1, "exact": "-1", "polynomial": poly(1, 1), "between": ["-1", "-1"]}
BEYOND = rational_end(0) | {"value": 2, "exact": "2", "polynomial": poly(-2, 1), "between": ["2", "2"]}


def column(*entries):
    """Another first column for one person."""

    def change(data):
        for row, entry in zip(data["pieces"][0]["parts"][0]["matrix"], entries, strict=True):
            row[0] = entry

    return change


def bend_prior(data, first):
    """A prior whose first weight is negative, or too large."""
    dual = data["pieces"][0]["parts"][0]["dual"]
    dual["prior"][0] = [first, *dual["denominator"]]


def largest_loss(data):
    """The mechanism that is wrong as often as it may be, and a bound from above."""
    data["pieces"][0]["score"]["numerator"] = poly(2)
    part = data["pieces"][0]["parts"][0]
    part["matrix"] = [row[::-1] for row in part["matrix"]]
    rows = [["DP", 0, 0, 0, 1, poly(1)], ["DP", 1, 1, 1, 0, poly(1)]]
    part["dual"] = {"denominator": poly(-2, -2), "prices": [poly(-1), poly(-1)], "rows": rows}


def uniform_items(data):
    """The uniform matrix of two items, and a bound that forgets what privacy allows."""
    data["pieces"][0]["score"] = {"numerator": poly(1), "denominator": poly(1)}
    part = data["pieces"][0]["parts"][0]
    part["denominator"], part["matrix"] = poly(2), [[poly(1), poly(1)]] * 2
    part["dual"] |= {"denominator": poly(4), "prices": [poly(1), poly(1)]}


def heavy_prior(data):
    """Twice the first input less the second."""
    data["pieces"][0]["score"]["numerator"] = poly(2)
    data["pieces"][0]["parts"][0]["dual"] |= {"prices": [poly(2), []], "prior": [poly(2), poly(-1)]}


def one_sided(data):
    """A dual that is one only for matrices that are their rotations."""
    rows = [["DP", 0, 1, 0, 0, poly(2)]]
    data["pieces"][0]["parts"][0]["dual"] |= {"prices": [poly(0, 2), []], "rows": rows}


def overlap(data):
    """Two pieces that overlap, as `covered` has it."""
    split(data)
    first = data["pieces"][0]
    first["to"] = first["parts"][0]["to"] = rational_end("1/2")
    data["covered"] = [{"from": piece["from"], "to": piece["to"]} for piece in data["pieces"]]


CUBIC_ROOTS = poly(-1, 24, -80, 64)
"""It has the roots 0.0495, 0.3887 and 0.8117."""

FALSE = {
    "none called WH": (lambda: none_as([]), set_in("problem", "properties", value=["WH"]), "the diagonal entry 1"),
    "none above WH": (
        lambda: none_above([]),
        set_in("problem", "properties", value=["WH"]),
        "part 1: the diagonal entry",
    ),
    "none called F": (lambda: none_as([]), set_in("problem", "properties", value=["F"]), "the row F on (0,0)"),
    "none called CH": (lambda: none_as([]), set_in("problem", "properties", value=["CH"]), "the row CH on (1,1)"),
    "none called CM": (lambda: none_as([]), set_in("problem", "properties", value=["CM"]), "the row CM on (1,1)"),
    "none called OS": (lambda: none_as([]), set_in("problem", "properties", value=["OS:9/10"]), "the row OS on (0,1)"),
    "another score": (one_person, set_in(*PIECE, "score", "numerator", value=poly(0, 3)), "is not that of the matrix"),
    "score below": (one_person, set_in(*PIECE, "score", "numerator", value=poly(0, 1)), "is not that of the matrix"),
    "factor with a root inside": (one_person, scale_score(-1, 2), "a common factor"),
    "factor without one": (one_person, scale_score(1, 1), "a common factor"),
    "factor of content": (one_person, scale_score(2), "a common factor"),
    "negative score denominator": (one_person, scale_score(-1), "denominator is not shown to be positive"),
    "negative denominator": (one_person, scale_matrix(-1), "part 0: the denominator is not positive"),
    "denominator with a root": (one_person, scale_matrix(-1, 2), "part 0: the denominator is not positive"),
    "denominator with an even root": (one_person, scale_matrix(1, -4, 4), "part 0: the denominator is not positive"),
    "negative dual denominator": (one_person, scale_dual(-1), "the denominator of the dual is not positive"),
    "dual denominator with a root": (one_person, scale_dual(-1, 2), "the denominator of the dual is not positive"),
    "column": (one_person, column(poly(1), poly(1)), "column 0 does not sum"),
    "column that costs as much": (one_person, column(poly(0, 1), poly(0, 1)), "column 0 does not sum"),
    "a worse matrix": (
        one_person,
        set_in(*PART, "matrix", value=[[["1"], ["1"]], [["0", "1"], ["0", "1"]]]),
        "is not that of",
    ),
    "the largest loss": (one_person, largest_loss, "the denominator of the dual is not positive"),
    "even root at a quarter": (one_person, scale_matrix(1, -8, 16), "part 0: the denominator is not positive"),
    "even root at a third": (one_person, scale_matrix(1, -6, 9), "part 0: the denominator is not positive"),
    "rotation alone": (
        no_loss,
        set_in(*PART, "matrix", value=[[["2"], ["2"]], [[], []]]),
        "the matrix is not its rotation",
    ),
    "one-sided dual": (one_person, one_sided, "the reduced cost (0,1)"),
    "uniform items": (two_items, uniform_items, "the reduced cost (0,0)"),
    "heavy prior": (sure_loss, heavy_prior, "the prior of input 1 is not shown"),
    "a row that is not asked, of nothing": (L1, add_rows(["RH", 0, 0, 0, 1, []]), "no row of such a kind"),
    "a row beyond, of nothing": (
        partial(stored, "count-4-RH-RM-L1"),
        add_rows(["RH", 0, 0, 0, -1, []]),
        "there is no row RH on (0, 0, 0, -1)",
    ),
    "too far apart, of nothing": (LLDP, add_rows(["LEAST", 0, 0, 0, 3, []]), "there is no row LEAST on (0, 0, 0, 3)"),
    "outside, of nothing": (LDP, add_rows(["LEAST", 0, 4, 0, 3, []]), "there is no row LEAST on (0, 4, 0, 3)"),
    "one entry, of nothing": (LDP, add_rows(["ABOVE", 0, 0, 0, 0, []]), "there is no row ABOVE on (0, 0, 0, 0)"),
    "negative entry": (one_person, column(poly(1, 2), poly(0, -1)), "entry (1,0) is not shown"),
    "privacy": (one_person, column(poly(1, 1), []), "the row DP on (0,1) and (0,0)"),
    "metric": (two_points, set_in("problem", "lengths", value=[[0, 2], [2, 0]]), "the row DP on (0,1) and (0,0)"),
    "rotation": (SYMMETRIC, swap_rows, "the matrix is not its rotation"),
    "floor": (WH, set_in("problem", "properties", value=["WH:9/8"]), "the diagonal entry 1"),
    "loss": (WH, set_in("problem", "loss", value="L1"), "the score is not that of the matrix"),
    "prior": (WH, set_in("problem", "prior", value="binomial:1/3"), "the score is not that of the matrix"),
    "kind that is not asked": (L1, renamed("RH", 0, 0, 0, 1), "there is no row of such a kind on (0, 0, 0, 1)"),
    "kind that is none": (L1, renamed("XX", 0, 0, 0, 1), "there is no row of such a kind"),
    "rotation as a row": (SYMMETRIC, renamed("S", 0, 0, 4, 4), "there is no row of such a kind"),
    "no neighbours": (L1, renamed("DP", 0, 0, 0, 2), "there is no row DP on (0, 0, 0, 2)"),
    "another output": (L1, renamed("DP", 0, 0, 1, 1), "there is no row DP on (0, 0, 1, 1)"),
    "beyond the inputs": (L1, renamed("DP", 0, 4, 0, 5), "there is no row DP on (0, 4, 0, 5)"),
    "before the inputs": (L1, renamed("DP", 0, 0, 0, -1), "there is no row DP on (0, 0, 0, -1)"),
    "least entries of counts": (L1, renamed("LEAST", 0, 0, 0, 1), "there is no row of such a kind"),
    "least entries too far apart": (LLDP, renamed("LEAST", 0, 0, 0, 3), "there is no row LEAST on (0, 0, 0, 3)"),
    "no least entry of it": (LDP, renamed("LEAST", 0, 4, 0, 3), "there is no row LEAST on (0, 4, 0, 3)"),
    "least of one entry": (LDP, renamed("ABOVE", 0, 0, 0, 0), "there is no row ABOVE on (0, 0, 0, 0)"),
    "negative multiplier": (
        one_person,
        add_rows(["DP", 0, 0, 0, 1, poly(1)], ["DP", 0, 0, 0, 1, poly(-1)]),
        "the multiplier of the row DP on (0, 0, 0, 1)",
    ),
    "multiplier that changes its sign": (
        one_person,
        add_rows(["DP", 0, 0, 0, 1, poly(1, -2)], ["DP", 0, 0, 0, 1, poly(-1, 2)]),
        "the multiplier of the row DP on (0, 0, 0, 1)",
    ),
    "negative floor": (
        WH,
        add_rows(["WH", 0, 0, 0, 0, poly(1)], ["WH", 0, 0, 0, 0, poly(-1)]),
        "the multiplier of the row WH on (0, 0, 0, 0)",
    ),
    "negative multiplier of least entries": (
        LDP,
        add_rows(["LEAST", 0, 0, 0, 4, poly(1)], ["LEAST", 0, 0, 0, 4, poly(-1)]),
        "the multiplier of the row LEAST",
    ),
    "no rows": (one_person, set_in(*DUAL, "rows", value=[]), "the reduced cost (0,0)"),
    "a row twice": (one_person, add_rows(["DP", 0, 1, 0, 0, poly(1)]), "the reduced cost (0,1)"),
    "points too far apart": (
        two_points,
        set_in("problem", "lengths", value=[[0, 4], [4, 0]]),
        "the reduced cost (0,0)",
    ),
    "prices too low": (one_person, set_in(*DUAL, "prices", 0, value=[]), "the bound is not the score"),
    "prices too high": (one_person, set_in(*DUAL, "prices", 0, value=poly(0, 2)), "the reduced cost (0,0)"),
    "least entries out of nothing": (
        LDP,
        add_rows(["ABOVE", 0, 0, 0, 4, poly(1)]),
        "what is left of the least of (0,0) to (0,4)",
    ),
    "negative prior": (WORST, partial(bend_prior, first="-1"), "the prior of input 0 is not shown"),
    "prior too heavy": (WORST, partial(bend_prior, first="1"), "the prior does not sum"),
    "a worse column": (WORST, swap_rows, "column 0 is not shown to cost at most"),
    "stretched piece": (WH, move_end(0, rational_end("7/10")), "piece 0, alpha from 0 to 7/10"),
    "shrunk piece": (WH, move_end(0, rational_end("6/10")), "piece 1, alpha from 3/5"),
    "gap": (one_person, two_halves, "pieces cover other ranges"),
    "a piece is missing": (L1, drop("pieces", 2), "the pieces cover other ranges"),
    "the last piece is missing": (L1, drop("pieces", 6), "the pieces cover other ranges"),
    "a part is missing": (WH, drop("pieces", 1, "parts", 0), "the parts of piece 1 overlap, or leave a gap"),
    "overlapping parts": (
        lambda: none_above([]),
        set_in(*PIECE, "parts", 1, "from", value=rational_end("1/2")),
        "parts of",
    ),
    "pieces in another order": (WH, lambda data: data["pieces"].reverse(), "is not shown to begin where"),
    "overlapping pieces": (WH, early, "is not shown to begin where"),
    "empty piece": (one_person, move_start(rational_end(1)), "is not shown to begin before it ends"),
    "one score twice": (one_person, split, "the score is that of the piece before"),
    "an interval with no root": (L1, widened("1/10", "1/9"), "not shown to hold one root"),
    "an interval with two roots": (
        one_person,
        move_start(root(CUBIC, "1/5", "3/5", 0.25)),
        "not shown to hold one root",
    ),
    "an interval with three roots": (one_person, move_start(root(CUBIC, "0", "1", 0.5)), "not shown to hold one root"),
    "an interval with three roots of one polynomial": (
        one_person,
        move_start(root(CUBIC_ROOTS, "0", "1", 0.811744900929)),
        "not shown to hold one root",
    ),
    "an interval that begins at a root": (
        one_person,
        move_start(root(poly(1, -4, -2, 8), "1/4", "3/4", 0.707106781187)),
        "not shown to hold one root",
    ),
    "overlapping pieces, as is said": (one_person, overlap, "is not shown to begin where"),
    "an end that is no root": (
        one_person,
        move_start(rational_end("1/2") | {"polynomial": poly(-1, 3)}),
        "not shown to hold one root",
    ),
    "a rational called irrational": (
        one_person,
        move_start(root(poly(-1, 2, -1, 2), "1/4", "3/4", 0.5)),
        "is not irreducible",
    ),
    "value": (one_person, set_in(*PIECE, "from", "value", value=1e-8), "a value is not near its end"),
    "value of a root": (L1, set_in("pieces", 1, "to", "value", value=0.51879), "a value is not near its end"),
    "nothing feasible, too early": (beyond_reach, null_from("1/4"), "the combination is not shown to be above 0"),
    "nothing feasible, too late": (beyond_reach, null_from("1/2"), "the diagonal entry 0"),
    "nothing feasible, at first": (beyond_reach, null_before, "piece 0, alpha from 0 to 1/3: no mechanism"),
    "nothing feasible, by nothing": (
        beyond_reach,
        set_in("pieces", 1, "parts", 0, "dual", value={"prices": [[], []], "rows": []}),
        "the combination is not shown to be above 0",
    ),
    "nothing feasible, for no reason": (
        beyond_reach,
        set_in("pieces", 1, "parts", 0, "dual", "prices", value=[[], []]),
        "the reduced cost (0,0)",
    ),
}
"""A true formula, a change, and why it is false then."""


def tell_of_gap(data):
    """Two ranges that are covered, and none between."""
    two_halves(data)
    ends = [{"from": piece["from"], "to": piece["to"]} for piece in data["pieces"]]
    data["covered"] = ends


def halve_row(data):
    """A row in two halves."""
    scale_dual(2)(data)
    rows = data["pieces"][0]["parts"][0]["dual"]["rows"]
    rows[0][5] = poly(*(int(value) // 2 for value in rows[0][5]))
    rows.append(copy.deepcopy(rows[0]))


def tabulate(data):
    """The table of polynomials holds a denominator."""
    part = data["pieces"][0]["parts"][0]
    data["polynomials"] = [[], part["denominator"]]
    part["denominator"] = 1


STILL_TRUE = {
    "none": (lambda: none_as([]), lambda data: None),
    "none in two parts": (lambda: none_above([]), lambda data: None),
    "F costs nothing more than EM": (F, set_in("problem", "properties", value=["WH", "F"])),
    "a tolerance of 0": (WH, set_in("problem", "loss", value="L0:0")),
    "all weights of a prior": (WH, lambda data: data["problem"].update(prior="weights", prior_weights=["1/5"] * 5)),
    "a common factor of the matrix": (one_person, scale_matrix(2, 1)),
    "a denominator that vanishes at the end": (one_person, scale_matrix(1, -1)),
    "a denominator that vanishes at the start": (one_person, scale_matrix(0, 1)),
    "a common factor of the dual": (one_person, scale_dual(3, -2)),
    "a dual's denominator that vanishes at the end": (one_person, scale_dual(1, -2, 1)),
    "a gap that is told of": (one_person, tell_of_gap),
    "a row in two halves": (WH, halve_row),
    "a dual for rotations": (
        one_person,
        lambda data: (one_sided(data), set_in("problem", "properties", value=["S"])(data)),
    ),
    "a table": (one_person, tabulate),
    "an integer of 2000 digits": (one_person, scale_matrix(10**1999)),
    "a remark": (one_person, set_in("x", value={"anything": [1.5, None]})),
}
"""A true formula, and a change after which it is true."""

NUMBER = (*PART, "matrix", 0, 0)

UNREADABLE = {
    "another version": (set_in("format", value="mechdesign-formula/2"), "mechdesign-formula/1"),
    "score 0/0": (set_in(*PIECE, "score", value={"numerator": [], "denominator": []}), "score denominator"),
    "no score at all": (set_in(*PIECE, "score", value=[]), "score must be a JSON object"),
    "denominator 0": (set_in(*PART, "denominator", value=[]), "denominator must be a polynomial that is not 0"),
    "denominator 0 of a dual": (set_in(*DUAL, "denominator", value=[]), "dual denominator must be a polynomial"),
    "a scale of its own": (set_in(*PIECE, "rescaling", value=["0", "0"]), "'rescaling'"),
    "a program of its own": (set_in(*PART, "lp", value=[]), "'lp'"),
    "a float": (set_in(*NUMBER, value=[1.0]), "integers written as strings"),
    "a float off by 2^-60": (set_in(*NUMBER, value=["1.00000000000000000086736"]), "integers written as strings"),
    "a boolean": (set_in(*NUMBER, value=[True]), "integers written as strings"),
    "a boolean in place of a polynomial": (set_in(*NUMBER, value=True), "integers written as strings"),
    "a JSON integer": (set_in(*NUMBER, value=[1]), "integers written as strings"),
    "an exponent": (set_in(*NUMBER, value=["1e2"]), "integers written as strings"),
    "two in one of several": (set_in(*NUMBER, value=["0", "1,2"]), "integers written as strings"),
    "two in one": (set_in(*NUMBER, value=["1,2"]), "integers written as strings"),
    "a blank": (set_in(*NUMBER, value=[" 1"]), "integers written as strings"),
    "an underscore": (set_in(*NUMBER, value=["1_0"]), "integers written as strings"),
    "a digit of another script": (set_in(*NUMBER, value=["\u0661"]), "integers written as strings"),
    "nothing": (set_in(*NUMBER, value=[""]), "integers written as strings"),
    "a zero at the end": (set_in(*NUMBER, value=["1", "0"]), "last coefficient is not 0"),
    "a degree too high": (set_in(*NUMBER, value=["1"] * 2050), "degrees of at most 2048"),
    "an integer too long": (set_in(*NUMBER, value=["1" * 2001]), "integers written as strings"),
    "no such place in the table": (set_in(*NUMBER, value=0), "table of polynomials"),
    "a table of places": (set_in("polynomials", value=[0]), "polynomials must have lists"),
    "a place before the table": (set_in(*NUMBER, value=-1), "table of polynomials"),
    "on (-1, 0)": (move_start(BEFORE), "in [0, 1]"),
    "on (0, 2)": (move_start(BEYOND), "in [0, 1]"),
    "an interval upside down": (move_start(root(poly(-1, 0, 2), "3/4", "1/2", 0.7)), "in [0, 1]"),
    "no pieces": (set_in("pieces", value=[]), "at least one piece"),
    "nothing covered": (set_in("covered", value=[]), "at least one piece"),
    "no parts": (set_in(*PIECE, "parts", value=[]), "at least one part"),
    "a common factor of an end": (move_start(rational_end("1/3") | {"polynomial": poly(-2, 6)}), "primitive"),
    "a negative end": (move_start(rational_end("1/3") | {"polynomial": poly(1, -3)}), "primitive"),
    "an end without a root": (move_start(rational_end("1/3") | {"polynomial": poly(1)}), "primitive"),
    "a rational that is not exact": (move_start(rational_end("1/3") | {"exact": None}), "of degree 1"),
    "a rational that is not exact, in an interval": (
        move_start(root(poly(-1, 3), "1/4", "1/2", 0.333333333333)),
        "of degree 1",
    ),
    "a root that is exact": (move_start(root(poly(-1, 0, 2), "1/2", "3/4", 0.7) | {"exact": "5/7"}), "of degree 1"),
    "a rational in an interval": (move_start(rational_end("1/3") | {"between": ["1/4", "1/2"]}), "itself twice"),
    "a root in no interval": (move_start(root(poly(-1, 0, 2), "5/7", "5/7", 0.7)), "itself twice"),
    "an end too long": (move_start(rational_end("1/3") | {"exact": "1/3" + "0" * 1000}), "1000 characters"),
    "a matrix too small": (set_in(*PART, "matrix", value=[[]]), "matrix must have 2 entries"),
    "prices too few": (set_in(*DUAL, "prices", value=[]), "dual prices must have 2 entries"),
    "a prior of the expected loss": (set_in(*DUAL, "prior", value=[[], []]), "'prior'"),
    "a row too short": (set_in(*DUAL, "rows", 0, value=["DP", 0, 1, 0, 0]), "[kind, i, j, k, h, multiplier]"),
    "a row of booleans": (set_in(*DUAL, "rows", 0, 1, value=False), "[kind, i, j, k, h, multiplier]"),
    "a row of texts": (set_in(*DUAL, "rows", 0, 1, value="0"), "[kind, i, j, k, h, multiplier]"),
    "alpha": (set_in("problem", "alpha", value="1/2"), "'alpha'"),
    "another size": (set_in("problem", "n", value=2), "matrix must have 3 entries"),
    "too many inputs": (set_in("problem", "n", value=64), "at most 64 inputs"),
    "another model": (set_in("problem", "model", value="counts"), "model must be one of"),
    "a worst case without a prior": (lambda data: data["problem"].update(aggregate="worst", prior=None), "'prior'"),
    "lengths of counts": (set_in("problem", "lengths", value=[[0, 1], [1, 0]]), "'lengths'"),
}
"""A change of the formula for one person, and why it is unreadable then."""

LENGTHS = {
    "fractions": ([["0", "1/2"], ["1/2", "0"]], "whole number"),
    "no symmetry": ([[0, 1], [2, 0]], "symmetric"),
    "two points in one": ([[0, 0], [0, 0]], "positive elsewhere"),
    "a way to itself": ([[1, 1], [1, 0]], "0 on the diagonal"),
    "too long": ([[0, 257], [257, 0]], "from 0 to 256"),
    "one point": ([[0]], "2 to 64 points"),
    "no table": (3, "2 to 64 points"),
    "no triangle inequality": ([[0, 1, 3], [1, 0, 1], [3, 1, 0]], "k must be"),
}
"""Lengths between two points, and why they are unreadable."""
