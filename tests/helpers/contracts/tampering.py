"""Design documents that lie: a change for each of their claims."""

import json

from mechdesign.documents.storage import export


def tampered(design, tmp_path, change):
    """The file of a design after a change of its JSON."""
    path = tmp_path / "tampered.json"
    export(design, path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def set_in(*keys, value):
    """A change that puts a value where the keys lead."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


TAMPERINGS = [
    set_in("weights", 0, 0, value="1"),
    set_in("denominator", value="1180980001"),
    set_in("problem", "alpha", value="91/100"),
    set_in("problem", "properties", value=["WH", "CM", "F"]),
    set_in("problem", "loss", value="L1"),
    set_in("problem", "prior", value="binomial:1/3"),
    set_in("problem", "epsilon", value=0.01),
    set_in("problem", "epsilon", value=0.1),
    set_in("problem", "epsilon", value=-0.10536),
    set_in("problem", "epsilon", value=0.10536),
    set_in("problem", "epsilon", value=0.1053605158),
    set_in("score", "exact", value="1" + "0" * 400),
    set_in("score", "value", value=10**299),
    set_in("score", "value", value=0.96552),
    set_in("lower_bound", "value", value=0.9655115),
    set_in("dual", "rows", 0, 5, value="9" * 2000),
    set_in("score", "exact", value="114024/118098"),
    set_in("score", "value", value=0.5),
    set_in("lower_bound", "exact", value="114026/118098"),
    set_in("status", value="certified"),
    set_in("status", value="optimal"),
    set_in("lower_bound", value={"exact": "0", "value": 0}),
    set_in("holds", value=[]),
    set_in("holds", value=["WH", "CM"]),
    set_in("dual", "rows", value=[]),
    set_in("dual", "rows", 0, 0, value="RH"),
    set_in("dual", "rows", 0, 5, value="-1"),
    set_in("dual", "denominator", value="3"),
]
"""Of WH,CM at n = 8 and alpha = 9/10: claims that are false."""


def drop(*keys):
    """A change that takes a key away."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


TIMES = {"solve": 1, "certify": 0.5, "verify": 0}
MALFORMED = [
    (set_in("format", value="other/1"), "format"),
    (set_in("problem", value=3), "problem must be a JSON object"),
    (set_in("problem", "model", value="xyz"), "model must be one of count, ldp, lldp, metric"),
    (set_in("problem", "model", value=["count"]), "model must be one of count, ldp, lldp, metric"),
    (set_in("problem", "model", value="ldp"), "problem must have the key 'k'"),
    (set_in("problem", "n", value="8"), "n must be (an integer|a whole number)"),
    (set_in("problem", "n", value=True), "n must be (an integer|a whole number)"),
    (set_in("problem", "n", value=8.0), "n must be (an integer|a whole number)"),
    (set_in("problem", "n", value=7), "weights must be 8 x 8 for counts 0..7"),
    (set_in("problem", "k", value=9), "problem must have no other keys"),
    (set_in("problem", "radius", value=2), "problem must have no other keys"),
    (set_in("problem", "step_alpha", value="9/10"), "problem must have no other keys"),
    (set_in("problem", "loss_matrix", value=[["0"]]), "problem must have no other keys"),
    (set_in("problem", "prior_weights", value=["1"]), "problem must have no other keys"),
    (set_in("problem", "alpha", value=None), "alpha must be a rational written as a string, got None"),
    (set_in("problem", "alpha", value=0.9), "alpha must be a rational written as a string, got '0.9'"),
    (set_in("problem", "alpha", value="0.9"), "alpha must be an integer written as a string, got '0.9'"),
    (set_in("problem", "alpha", value="1"), r"alpha must be in \(0, 1\)"),
    (set_in("problem", "epsilon", value="0.2"), "epsilon must be a JSON number"),
    (set_in("problem", "epsilon", value=None), "epsilon must be a JSON number"),
    (set_in("problem", "epsilon", value=float("inf")), "JSON must have numbers alone, got Infinity"),
    (set_in("problem", "epsilon", value=float("nan")), "JSON must have numbers alone, got NaN"),
    (set_in("problem", "properties", value="WH,CM"), "properties must be a list"),
    (set_in("problem", "properties", value=["WH", "CM", "WH"]), "no text twice"),
    (set_in("problem", "properties", value=["wh", "CM"]), "properties must be among .*, as they are written"),
    (set_in("problem", "properties", value=["all"]), "properties must be among .*, as they are written"),
    (set_in("problem", "properties", value=["WH:1", "CM"]), "properties must be among .*, as they are written"),
    (set_in("problem", "properties", value=["OS:2/4"]), "properties must have a rational in lowest terms, got '2/4'"),
    (set_in("problem", "properties", value=["WM"]), "properties"),
    (set_in("problem", "loss", value="l0"), "loss must be Lp, Lp:d, PB:a/b or matrix, got 'l0'"),
    (set_in("problem", "loss", value="PB:0.5"), "loss must have a rational in lowest terms, got '0.5'"),
    (set_in("problem", "loss", value="matrix"), "problem must have the key 'loss_matrix'"),
    (set_in("problem", "loss", value="L300"), "loss must have a power of at most 256"),
    (set_in("problem", "prior", value="Uniform"), "prior must be uniform, binomial:p/q or weights, got 'Uniform'"),
    (set_in("problem", "prior", value="binomial:0.5"), "prior must have a rational in lowest terms, got '0.5'"),
    (set_in("problem", "prior", value="weights"), "problem must have the key 'prior_weights'"),
    (set_in("problem", "prior", value=None), "aggregate must be expected with a prior or worst with null"),
    (set_in("problem", "aggregate", value="worst"), "aggregate must be expected with a prior or worst with null"),
    (set_in("problem", "aggregate", value="mean"), "aggregate must be expected with a prior or worst with null"),
    (set_in("problem", "aggregate", value=["worst"]), "aggregate must be expected with a prior or worst with null"),
    (set_in("weights", value="x"), "weights must be 9 x 9"),
    (set_in("weights", 0, 0, value="1.5"), "weights must be an integer"),
    (set_in("weights", 0, 0, value="+1"), "weights must be an integer"),
    (set_in("weights", 0, 0, value=7), "weights must be an integer written as a string"),
    (set_in("weights", 0, 0, value="1" * 200_001), "weights must be an integer written as a string"),
    (set_in("denominator", value="0"), "denominator must be positive"),
    (set_in("score", "exact", value="1/0"), "positive denominator"),
    (set_in("score", "exact", value="1/-3"), "positive denominator"),
    (set_in("score", "sign", value="+"), "score must have no other keys"),
    (set_in("score", "value", value=10**400), "score value must be a JSON number of at most 1e300"),
    (set_in("score", "value", value=True), "score value must be a JSON number"),
    (set_in("score", value=None), "score must be a JSON object"),
    (set_in("status", value=1), "status must be a text"),
    (set_in("holds", value=["CH", "CM", "S", "WH", "WH"]), "holds must have no text twice"),
    (set_in("holds", value="CH,CM"), "holds must be a list"),
    (set_in("seconds", value=dict(TIMES, solve=-1)), "seconds must be at least 0"),
    (set_in("seconds", value=dict(TIMES, solve=10**399)), "seconds solve must be a JSON number of at most 1e300"),
    (set_in("seconds", value=dict(TIMES, solve="1")), "seconds solve must be a JSON number"),
    (set_in("seconds", value=dict(TIMES, total=2)), "seconds must have no other keys"),
    (set_in("seconds", value={"solve": 1}), "seconds must have the key 'certify'"),
    (set_in("version", value=[]), "version must be a text"),
    (set_in("version", value=""), "version must be a text that is not empty"),
    (set_in("method", value=None), "method must be a text"),
    (set_in("how", value=3), "how must be a text"),
    (set_in("dual", value=[]), "dual must be a JSON object"),
    (set_in("dual", "rows", 0, value=["DP", 1]), "dual rows must be"),
    (set_in("dual", "rows", 0, 1, value=True), "dual rows must be"),
    (set_in("dual", "rows", 0, 5, value=1), "dual rows must be an integer written as a string"),
    (set_in("dual", "prior", value=["1"]), "dual must have no other keys"),
    (set_in("dual", "prices", value=None), "dual prices must be a list"),
    (set_in("flowchart", value="LP"), "design document must have no other keys"),
    (set_in("epsilon", value=0.1), "design document must have no other keys"),
    (drop("weights"), "must have the key 'weights'"),
    (drop("dual"), "must have the key 'dual'"),
    (drop("version"), "must have the key 'version'"),
    (drop("problem", "epsilon"), "must have the key 'epsilon'"),
]
"""Of the same design: what is no design document, and how the error tells."""

FORGED = [
    ('{"format"', '{"version": "1", "format"', "version"),
    ('"problem": {', '"problem": {"alpha": "1/2", ', "alpha"),
    ('"value"', '"exact": "0", "value"', "exact"),
    ('"dual": {', '"x": {"a": 1, "a": 1}, "dual": {', "a"),
]
"""(text, instead of it, the key that then stands twice)."""
