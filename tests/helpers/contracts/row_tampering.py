"""Workload designs, and changes that make them false or no documents."""

from fractions import Fraction

from row_documents import all_subsets, document

E1 = "27634/75117"
CASES = {
    "prefixes": ("prefixes", 4, "1/3", all_subsets(4, 1, 2)),
    "cuts": ("prefixes", 4, E1, all_subsets(4, 1, 2), "expected", "relaxation"),
    "worst": ("prefixes", 4, E1, all_subsets(4, 1, 3), "worst", "rows", [2, 1, 1, 2]),
    "worst cuts": ("grid:2,3", 6, "1/3", all_subsets(6, 2, 3), "worst", "relaxation", [2, 1, 1, 2, 3, 4]),
    "far": ("prefixes", 4, f"1/{10**22}", all_subsets(4, 1, 2), "worst", "rows", [2, 1, 1, 2]),
    "far levels": ("histogram", 5, f"1/{7**90}", all_subsets(5, 2), "expected", "levels"),
    "far flips": ("marginals:2:2,2,2", 8, f"1/{7**90}", all_subsets(8, 2, 3), "expected", "levels"),
    "half": ("ranges:3", 5, "1/2", all_subsets(5, 2)),
    "balanced": ("histogram", 5, "1/3", all_subsets(5, 2), "expected", "levels"),
    "two sizes": ("histogram", 4, "1/3", all_subsets(4, 1, 2)),
    "flips": ("marginals:2:2,2,2", 8, "1/3", all_subsets(8, 2, 3), "expected", "levels"),
    "merged": ("ranges:4", 5, "1/2", ["10000", "00001", "01110"]),
    "merged cuts": ("ranges:4", 5, "1/2", ["10000", "00001", "01110", "11111"], "worst", "relaxation", [2, 3, 2]),
    "flat": ("marginals:1:2,2", 4, "1/3", ["1100", "0011", "1010", "0101"]),
    "three items": ("marginals:1:3,2", 6, "1/3", all_subsets(6, 1, 2)),
}


def larger(text, by=1):
    """The text of an integer or rational after a change of its numerator."""
    top, slash, bottom = text.partition("/")
    return f"{int(top) + by}{slash}{bottom}"


def put(*keys, value):
    """A change that puts a value, or what a function makes of the present one, where the keys lead."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value(data[keys[-1]]) if callable(value) else value

    return change


def swapped(data):
    data["rows"][0] = data["rows"][0][::-1].replace("01", "10", 1)


def halved(data):
    data["rows"], data["weights"] = data["rows"][:-1], data["weights"][:-1]


FALSE_CLAIMS = {
    "weight": put("weights", 0, value=larger),
    "weight 0": put("weights", 0, value="0"),
    "negative weight": put("weights", 0, value="-1"),
    "denominator": put("denominator", value=larger),
    "alpha": put("problem", "alpha", value="1/4"),
    "less private": put("problem", "alpha", value="1/2"),
    "epsilon too small": put("problem", "epsilon", value=lambda x: x - 1e-6),
    "epsilon too large": put("problem", "epsilon", value=lambda x: x + 1e-6),
    "workload": put("problem", "workload", value="ranges"),
    "row left out": halved,
    "upper": put("variance", "upper", "exact", value=lambda text: larger(text, -1)),
    "upper value": put("variance", "upper", "value", value=lambda x: x * (1 - 1e-10)),
    "upper value above": put("variance", "upper", "value", value=lambda x: x * (1 + 1e-8)),
    "lower": put("variance", "lower", "exact", value=larger),
    "lower that is lower": put("variance", "lower", "exact", value=lambda text: larger(text, -1)),
    "lower value": put("variance", "lower", "value", value=lambda x: x * (1 + 1e-10)),
    "least": put("inputs", "least", value=lambda x: x * (1 - 1e-8)),
    "mean": put("inputs", "mean", value=lambda x: x * (1 + 1e-8)),
    "largest": put("inputs", "largest", value=lambda x: x * (1 - 1e-8)),
    "floor": put("floor", value=lambda x: x + 1e-3),
    "gap": put("gap", value=lambda x: x - 1e-9),
    "gap too wide": put("gap", value=lambda x: x + 1e-6),
    "no gap": put("gap", value=None),
    "prior": put("certificate", "prior", 0, value=larger),
    "dual": put("certificate", "dual", 2, 1, value=larger),
    "price": put("certificate", "prices", 0, value=lambda text: larger(text, -1)),
    "higher price": put("certificate", "prices", 0, value=larger),
    "free": put("certificate", "prices", value=["0"] * 4),
    "negative prices": put("certificate", "prices", value=["-1"] * 4),
    "scale": put("certificate", "scale", value=larger),
}


SQUARES = ["1100", "0011", "1010", "0101"]
LIES = {
    "the negative weight": (
        "prefixes",
        4,
        "1/3",
        [*all_subsets(4, 1), "1111"],
        "expected",
        "rows",
        None,
        [3, 3, 3, 3, -1],
    ),
    "the wrong denominator": ("prefixes", 4, "1/3", all_subsets(4, 1, 2), {"whole": 17}),
    "the wrong sums": ("prefixes", 4, "1/3", ["1000", "0100", "0010", "0111", "1011"], {"whole": 8}),
    "the prior of others": ("prefixes", 4, "1/3", all_subsets(4, 1, 2), "expected", "rows", [2, 1, 1, 2]),
    "the answers that nobody knows": ("histogram", 4, "1/3", SQUARES),
    "the halved prices": ("prefixes", 4, "1/3", all_subsets(4, 1, 2), {"short": Fraction(1, 8)}),
    "the prices a trifle too low": ("prefixes", 4, "1/3", all_subsets(4, 1, 2), {"short": Fraction(1, 1 << 190)}),
    "the prices too low for a cut": (
        "prefixes",
        4,
        E1,
        all_subsets(4, 1, 2),
        "expected",
        "relaxation",
        {"short": Fraction(1, 2)},
    ),
    "the low price of levels": (
        "histogram",
        5,
        "1/3",
        all_subsets(5, 2),
        "expected",
        "levels",
        {"short": Fraction(1, 99)},
    ),
    "the price of levels a trifle too low": (
        "marginals:2:2,2",
        4,
        "1/3",
        all_subsets(4, 1, 2),
        "expected",
        "levels",
        {"short": Fraction(1, 1 << 190)},
    ),
    "the levels of unequal items": ("histogram", 5, "1/3", all_subsets(5, 2), "worst", "levels", [1, 1, 1, 1, 2]),
}
"""Arguments of `document` for designs that follow from one lie, so that one claim alone is false."""


def lie(*arguments):
    """A document of arguments of which the last may be lies."""
    return document(*arguments[:-1], **arguments[-1]) if isinstance(arguments[-1], dict) else document(*arguments)


def trusted_nothing(data):
    """Nothing is proved by nothing: B and y are 0, and the bound is the constant."""
    data["certificate"]["dual"] = [["0"] * (u + 1) for u in range(4)]
    data["certificate"]["prices"] = ["0"] * 4


def apart(data):
    data["rows"] = ["10010", "00001", "01100"]


OF_KINDS = {
    ("cuts", "diagonal too large"): put("certificate", "diagonal", 0, value=lambda text: larger(text, 1 << 210)),
    ("cuts", "diagonal below 0"): put("certificate", "diagonal", 0, value=lambda text: larger(text, -1)),
    ("cuts", "not definite"): put("certificate", "diagonal", 1, value="0"),
    ("cuts", "negative"): put("certificate", "cuts", 0, 0, value="-1"),
    ("cuts", "heavy cut"): put("certificate", "cuts", 0, 0, value=str(1 << 210)),
    ("cuts", "price"): put("certificate", "prices", 0, value=lambda text: larger(text, -int(text) // 2)),
    ("worst", "value"): put("variance", "upper", "value", value=lambda x: x * (1 - 1e-12)),
    ("worst", "exact"): put("variance", "upper", "exact", value="8"),
    ("worst", "prior"): put("certificate", "prior", value=["1", "1", "1", "1"]),
    ("worst", "another aim"): put("problem", "aggregate", value="expected"),
    ("balanced", "level"): put("certificate", "levels", 0, value=larger),
    ("balanced", "price"): put("certificate", "prices", 0, value=lambda text: larger(text, -1)),
    ("balanced", "two levels"): put("certificate", "levels", value=["1", "1"]),
    ("balanced", "prior"): put("certificate", "prior", value=["1", "1", "1", "1", "2"]),
    ("balanced", "exact"): put("variance", "upper", "exact", value=larger),
    ("flips", "exact"): put("variance", "upper", "exact", value=larger),
    ("flips", "level"): put("certificate", "levels", 1, value=larger),
    ("flips", "free"): put("certificate", "prices", 0, value="0"),
    ("prefixes", "no levels"): put(
        "certificate", value={"kind": "levels", "scale": "1", "prior": ["1"] * 4, "levels": ["1"], "prices": ["9"]}
    ),
    ("flat", "more answers"): put("problem", "workload", value="histogram"),
    ("half", "other items"): put("problem", "workload", value="ranges:2"),
    ("merged", "apart"): apart,
    ("prefixes", "nothing"): trusted_nothing,
    ("prefixes", "a trifle"): put(
        "variance", "upper", "exact", value=lambda text: str(Fraction(text) * (1 - Fraction(1, 10**14)))
    ),
    ("merged", "prior"): put("certificate", "prior", value=["1"] * 3),
}


def drop(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


MALFORMED_CUTS = {
    "no list": ["1"],
    "number": [1, [1, 0]],
    "short": ["1", [1, 0, 0, 0]],
    "even": ["1", [1, 1, 0, 0, 0]],
    "large": ["1", [1 + (1 << 20), 0, 0, 0, 0]],
    "text": ["1", [1, 0, 0, 0, "1"]],
    "true": ["1", [True] * 5],
    "no pair": "1",
}

MALFORMED = {
    "model": put("problem", "model", value="count"),
    "k": put("problem", "k", value=5),
    "k text": put("problem", "k", value="4"),
    "k true": put("problem", "k", value=True),
    "huge k": put("problem", "k", value=10**6),
    "problem": put("problem", value=[]),
    "alpha above 1": put("problem", "alpha", value="3/2"),
    "alpha 1": put("problem", "alpha", value="1"),
    "alpha decimal": put("problem", "alpha", value="0.5"),
    "alpha tiny": put("problem", "alpha", value="1/" + "9" * 99),
    "epsilon text": put("problem", "epsilon", value="1"),
    "workload": put("problem", "workload", value="squares"),
    "workload number": put("problem", "workload", value=3),
    "workload with more": put("problem", "workload", value="prefixes:2"),
    "window": put("problem", "workload", value="ranges:5"),
    "window 0": put("problem", "workload", value="ranges:0"),
    "grid": put("problem", "workload", value="grid:2,3"),
    "grid of one": put("problem", "workload", value="grid:4"),
    "marginals": put("problem", "workload", value="marginals:3:2,2"),
    "marginals of one item": put("problem", "workload", value="marginals:1:4,1"),
    "long name": put("problem", "workload", value="ranges:" + "1" * 2000),
    "nothing to tell": put("problem", "workload", value="ranges:4"),
    "no queries": put("problem", "workload", value="x.csv@0123456789ab"),
    "aggregate": put("problem", "aggregate", value="largest"),
    "aggregate list": put("problem", "aggregate", value=["worst"]),
    "queries": put("problem", "queries", value=[["1", "0", "0", "0"]]),
    "upper": put("variance", "upper", value={"exact": "1"}),
    "upper number": put("variance", "upper", "exact", value=1.5),
    "lower null": put("variance", "lower", "exact", value=None),
    "upper null": put("variance", "upper", value={"exact": None, "value": None}),
    "variance": put("variance", "mean", value=1),
    "no lower": drop("variance", "lower"),
    "inputs": put("inputs", value=[1, 2, 3]),
    "inputs text": put("inputs", "least", value="1"),
    "inputs key": drop("inputs", "mean"),
    "floor": put("floor", value=None),
    "floor list": put("floor", value=[]),
    "floor nan": put("floor", value=float("nan")),
    "gap text": put("gap", value="0"),
    "gap true": put("gap", value=True),
    "row twice": put("rows", 1, value=lambda _: "1000"),
    "short row": put("rows", 0, value="100"),
    "other letters": put("rows", 0, value="1020"),
    "row of digits": put("rows", 0, value="\u0661000"),
    "row number": put("rows", 0, value=1100),
    "row of numbers": put("rows", 0, value=[1, 0, 0, 0]),
    "no rows": put("rows", value=[]),
    "weights": put("weights", value=["1"]),
    "weight number": put("weights", 0, value=1),
    "denominator": put("denominator", value="0"),
    "seconds": put("seconds", value={"solve": 1}),
    "seconds negative": put("seconds", "solve", value=-1),
    "version": put("version", value=""),
    "how": put("how", value=""),
    "kind": put("certificate", "kind", value="trust me"),
    "certificate": put("certificate", value=None),
    "diagonal": put("certificate", "diagonal", value=[]),
    "kind list": put("certificate", "kind", value=["rows"]),
    "other kind": put("certificate", "kind", value="relaxation"),
    "scale 0": put("certificate", "scale", value="0"),
    "prior": put("certificate", "prior", value=["1"] * 5),
    "negative prior": put("certificate", "prior", 0, value="-1"),
    "no prior": put("certificate", "prior", value=["0"] * 4),
    "whole dual": put("certificate", "dual", 0, value=["1"] * 4),
    "dual rows": put("certificate", "dual", value=lambda rows: [*rows, ["1"] * 5]),
    "short dual": put("certificate", "dual", value=lambda rows: rows[:-1]),
    "prices": put("certificate", "prices", value=["1"]),
    "levels": put("certificate", "levels", value=["1"]),
    "more": put("certificate", "bound", value="7"),
    "unknown": put("proved", value=True),
    "no certificate": drop("certificate"),
    "no weights": drop("weights"),
}
