"""The program proves true laws, refutes each false claim, and refuses what is no law."""

import copy
import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from forge_laws import forge, true_laws
from law_documents import CASES, fair_document, geometric, law_document, law_of
from tampering import set_in
from two_checkers import FALSE, PROVED, UNREADABLE, by_program

from mechdesign.laws.finding import design_law
from mechdesign.verify import layers
from mechdesign.verify.laws import read_law
from mechdesign.verify.texts import UnreadableError

SEED = 20261123


def judged(data, tmp_path):
    path = tmp_path / "law.json"
    path.write_text(json.dumps(data))
    return by_program(path)


WORST = {"aggregate": "worst", "prior": None}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("more", [None, 0, 1, 40, 200, 10**8])
def test_true_laws_are_proved(name, more, tmp_path, capsys):
    onward = law_document(*law_of(name))
    data = onward if more is None else law_document(*law_of(name), onward["problem"]["n"]["from"] + more)
    assert judged(data, tmp_path) == PROVED, capsys.readouterr().out
    data["lower_bound"]["value"] *= 1.001
    assert judged(data, tmp_path) == FALSE


def test_laws_with_a_gap_are_proved(tmp_path, capsys):
    statuses = set()
    for arguments in true_laws()[1]:
        for n in (None, 400):
            data = law_document(*arguments, n)
            assert judged(data, tmp_path) == PROVED, capsys.readouterr().out
            statuses.add(data["status"])
    assert statuses == {"feasible"}


@pytest.mark.parametrize("n", [None, 2, 9, 128, 129, 10**9])
@pytest.mark.parametrize("properties", [["F"], ["RM", "FE", "F", "WH"]])
def test_the_fair_law_is_proved(n, properties, tmp_path, capsys):
    data = fair_document("4/5", properties, n)
    assert judged(data, tmp_path) == PROVED, capsys.readouterr().out
    for key, value in (("status", "certified"), ("holds", data["holds"][1:])):
        assert judged(data | {key: value}, tmp_path) == FALSE
    for part in ("score", "lower_bound"):
        for key in data[part].keys() - {"value"}:
            if data[part][key] is not None:
                worse = str(
                    Fraction(data[part][key]) * (1 + (Fraction(-1, 10**9) if key == "high" else Fraction(1, 10**9)))
                )
                assert judged(data | {part: data[part] | {key: worse}}, tmp_path) == FALSE


@pytest.mark.parametrize("properties", [[], ["CM"], ["F"]])
def test_in_the_worst_case_the_fair_law_is_proved_for_any_properties(properties, tmp_path, capsys):
    data = fair_document("4/5", properties)
    data["problem"] |= WORST
    assert judged(data, tmp_path) == PROVED, capsys.readouterr().out
    for wrong in ({"prior": "uniform"}, {"aggregate": "best"}, {"loss": "L1"}, {"prior": ["1"]}):
        assert judged(data | {"problem": data["problem"] | wrong}, tmp_path) == UNREADABLE
    data["problem"] |= {"aggregate": "expected", "prior": "uniform"}
    assert judged(data, tmp_path) == (PROVED if "F" in properties else UNREADABLE)


def test_in_the_worst_case_a_layer_is_no_law(tmp_path):
    data = law_document(*law_of("columns"))
    assert judged(data, tmp_path) == PROVED
    data["problem"] |= WORST
    assert judged(data, tmp_path) == UNREADABLE


@pytest.mark.parametrize("n", [1, {"from": 3}, {"from": 1}])
def test_the_fair_law_begins_at_two(n, tmp_path):
    data = fair_document("4/5", ["F"], 3)
    data["problem"]["n"] = n
    assert judged(data, tmp_path) == FALSE


def test_laws_asked_by_epsilon(tmp_path, capsys):
    law = design_law(epsilon="1/2", properties="WH", loss="L1")
    data = law_document(law.layer, law.dual, ["WH"], 1)
    data["problem"] |= {"bound_alpha": str(law.dual.alpha), "asked_epsilon": "1/2"}
    assert judged(data, tmp_path) == PROVED, capsys.readouterr().out
    for key, value in (("asked_epsilon", "499/1000"), ("bound_alpha", str(law.layer.alpha)), ("alpha", "3/5")):
        assert judged(data | {"problem": data["problem"] | {key: value}}, tmp_path) == FALSE
    del data["problem"]["bound_alpha"]
    assert judged(data, tmp_path) == UNREADABLE
    tight = law_document(*geometric("1/2", 0), [], 0)
    tight["problem"] |= {"bound_alpha": "1/2", "asked_epsilon": "0.6931"}
    assert judged(tight, tmp_path) == UNREADABLE
    tight["problem"]["asked_epsilon"] = "6931/10000"
    assert judged(tight, tmp_path) == FALSE


FALSE_CLAIMS = {
    "entry": set_in("mechanism", "rows", 0, 0, value="1"),
    "denominator": set_in("mechanism", "denominator", value="41"),
    "slope": set_in("mechanism", "slopes", 0, 0, value="1"),
    "alpha": set_in("problem", "alpha", value="5999/10000"),
    "epsilon": set_in("problem", "epsilon", value=0.5),
    "property": set_in("problem", "properties", value=["WH", "RM"]),
    "price": set_in("dual", "prices", 0, value="1000"),
    "unit": set_in("dual", "denominator", value="159"),
    "multiplier": set_in("dual", "rows", 0, 5, value="81"),
    "no multiplier": set_in("dual", "rows", value=[]),
    "a row twice": lambda data: data["dual"]["rows"].append(data["dual"]["rows"][0]),
    "a row of another property": set_in("dual", "rows", 0, 0, value="RH"),
    "far row": lambda data: data["dual"]["rows"].append(["WH", 2, 2, 2, 2, "1"]),
    "lowered": set_in("dual", "lowered", value=10),
    "too far lowered": set_in("dual", "lowered", value=10**9),
    "from": set_in("problem", "n", "from", value=6),
    "earlier": set_in("problem", "n", "from", value=4),
    "far earlier": set_in("problem", "n", "from", value=1),
    "excess": set_in("excess", "layer", value="-3"),
    "excess of the bound": set_in("excess", "bound", value="-3"),
    "slope of the excess": set_in("excess", "layer_slope", value="1/3"),
    "slope of the bound": set_in("excess", "bound_slope", value="1/3"),
    "score": set_in("score", "exact", value="3/2"),
    "value": set_in("score", "value", value=1.5),
    "lower bound": set_in("lower_bound", "exact", value="2"),
    "no lower bound": set_in("lower_bound", value={"exact": "0", "value": 0}),
    "status": set_in("status", value="certified"),
    "no status": set_in("status", value="optimal"),
    "holds": set_in("holds", value=["S"]),
    "holds more": set_in("holds", value=["S", "WH", "RH"]),
}
"""Of the law "weak"."""


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_false_claims_are_refuted(name, tmp_path, capsys):
    data = law_document(*law_of("weak"))
    assert (data["problem"]["n"]["from"], data["dual"]["denominator"], len(data["dual"]["rows"])) == (5, "160", 1)
    FALSE_CLAIMS[name](data)
    assert judged(data, tmp_path) == FALSE
    assert re.search(r"^  FALSE   .*\)$", capsys.readouterr().out, re.MULTILINE)


def drop(*keys):
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


MALFORMED = {
    "n": set_in("problem", "n", value=10**9 + 1),
    "n twice": set_in("problem", "n", value={"from": 7, "to": 9}),
    "no n": set_in("problem", "n", value={}),
    "model": set_in("problem", "model", value="ldp"),
    "prior": set_in("problem", "prior", value="binomial:1/2"),
    "aggregate": set_in("problem", "aggregate", value="worst"),
    "loss": set_in("problem", "loss", value="L3"),
    "floor": set_in("problem", "properties", value=["WH:1/2"]),
    "smooth": set_in("problem", "properties", value=["WH", "OS:1/2"]),
    "fair": set_in("problem", "properties", value=["WH", "F"]),
    "unknown property": set_in("problem", "properties", value=["WH", "QQ"]),
    "property twice": set_in("problem", "properties", value=["WH", "WH"]),
    "long alpha": set_in("problem", "alpha", value=f"{10**400}/{2 * 10**400 + 1}"),
    "bound alpha alone": set_in("problem", "bound_alpha", value="1/2"),
    "slopes without a floor": set_in("problem", "properties", value=["RM"]),
    "slopes with columns": set_in("problem", "properties", value=["WH", "CM"]),
    "slopes under L0": set_in("problem", "loss", value="L0"),
    "no slopes": drop("mechanism", "slopes"),
    "kind": set_in("mechanism", "kind", value="matrix"),
    "kinds": set_in("dual", "kind", value="fair law"),
    "fair law": set_in("mechanism", value={"kind": "fair law"}),
    "depth": set_in("mechanism", "depth", value=3),
    "no depth": set_in("mechanism", "depth", value=0),
    "deep": set_in("mechanism", "depth", value=513),
    "deep dual": set_in("dual", "depth", value=3),
    "short row": set_in("mechanism", "rows", 0, value=["1"]),
    "short slopes": set_in("mechanism", "slopes", value=[["1", "1"]]),
    "number": set_in("mechanism", "rows", 0, 0, value=25),
    "zero": set_in("mechanism", "denominator", value="0"),
    "negative": set_in("dual", "denominator", value="-160"),
    "prices": lambda data: data["dual"]["prices"].append("1"),
    "multiplier": set_in("dual", "rows", 0, value=["WH", 0, 0, 0, 0]),
    "no lowered": drop("dual", "lowered"),
    "negative lowered": set_in("dual", "lowered", value=-1),
    "no slope": drop("excess", "layer_slope"),
    "no excess": drop("excess"),
    "null": set_in("score", "exact", value=None),
    "low": set_in("score", "low", value="1"),
    "other key": set_in("dual", "prior", value=["1"]),
    "weights": set_in("weights", value=[]),
    "seconds": set_in("seconds", "solve", value=-1),
    "format": set_in("format", value="mechdesign-design/5"),
    "long": set_in("dual", "prices", 0, value="9" * 200_001),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_law_is_unreadable(name, tmp_path, capsys):
    data = law_document(*law_of("weak"))
    MALFORMED[name](data)
    assert judged(data, tmp_path) == UNREADABLE
    seen = capsys.readouterr()
    assert re.fullmatch(r"verify: \S+ is unreadable: [^\n]{1,200}\n", seen.err)


def test_long_numbers_are_stated_by_their_ends(tmp_path):
    data = law_document(*law_of("plain"), 500)
    for part, key, share in (
        *(("score", key, share) for key in ("low", "high") for share in (-1, 1)),
        ("lower_bound", "low", 1),
        ("lower_bound", "high", -1),
    ):
        changed = copy.deepcopy(data)
        changed[part][key] = str(Fraction(data[part][key]) + Fraction(share, 2**150))
        inward = (key == "low") == (share == 1) and (part, key) != ("lower_bound", "high")
        assert judged(changed, tmp_path) == (FALSE if inward else PROVED), (part, key, share)
        changed[part][key] = str(Fraction(data[part][key]) + Fraction(share, 2**90))
        assert judged(changed, tmp_path) == FALSE
        changed[part][key] = str(Fraction(data[part][key]) + Fraction(share, 2**520))
        assert judged(changed, tmp_path) == UNREADABLE
    assert judged(data | {"score": data["score"] | {"exact": "4"}}, tmp_path) == UNREADABLE


def test_a_weaker_bound_may_be_stated_where_it_is_rounded(tmp_path):
    data = law_document(*law_of("plain"))
    exact = Fraction(data["lower_bound"]["exact"])
    for factor, verdict in ((Fraction(9, 10), PROVED), (Fraction(10**60 + 1, 10**60), FALSE), (-1, FALSE)):
        bound = {"exact": str(exact * factor), "value": float(exact * factor)}
        assert judged(data | {"lower_bound": bound}, tmp_path) == verdict
    tight = law_document(*law_of("wm"))
    tight["lower_bound"] = {"exact": "9/10", "value": 0.9}
    assert judged(tight | {"status": "feasible"}, tmp_path) == FALSE


def test_a_law_begins_where_its_floor_is_met(tmp_path, capsys):
    """From 2: at n = 1 the floor is 1/2, above c = 1/3."""
    layer, dual = geometric("1/2", 0)
    data = law_document(layer, dual, ["WH"], 0)
    assert data["problem"]["n"] == {"from": 2}
    assert judged(data, tmp_path) == PROVED
    for n in (1, 3):
        changed = law_document(layer, dual, ["WH"], 0, n)
        changed["problem"]["n"] = {"from": n}
        assert judged(changed, tmp_path) == FALSE
    assert "it is proved from 2 on" in capsys.readouterr().out


def test_deeper_proofs_begin_later(tmp_path):
    layer, dual = geometric("1/3", 1, 4)
    data = law_document(layer, dual, [], 1)
    assert data["problem"]["n"] == {"from": 8}
    assert judged(data, tmp_path) == PROVED
    assert judged(law_document(layer, dual, [], 1, 7), tmp_path) == PROVED
    short = law_document(layer, dual, [], 1, 8)
    short["problem"]["n"] = 6
    assert judged(short, tmp_path) == FALSE


@pytest.mark.slow
def test_long_proofs_are_unreadable(tmp_path):
    """Integers of 13,000 bits at depth 200 are read; a denominator of 42,000 bits is not."""
    layer, dual = geometric("1/3", 1, 200)
    unit = 7**4000
    long = replace(dual, denominator=dual.denominator * unit, prices=tuple(x * unit for x in dual.prices))
    data = law_document(layer, long, [], 1, 500)
    assert judged(data, tmp_path) == PROVED
    data["dual"]["denominator"] = "9" * (layers.MOST_WORK // 200 // 3)
    assert judged(data, tmp_path) == UNREADABLE


@pytest.mark.slow
def test_forged_laws():
    found, bad = forge(SEED, 250)
    assert not bad
    verdicts = {verdict for _, verdict in found}
    assert verdicts == {"proved", "false", "unreadable", "not changed"}


@pytest.mark.parametrize("data", [None, [], {}, {"format": "mechdesign-design/3"}, {"format": "mechdesign-design/1"}])
def test_nothing_else_is_a_law(data):
    with pytest.raises(UnreadableError):
        read_law(data)
