"""The kernel of noise tables: each demand by itself, and each multiplier that would prove too much."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import ceil, floor

import pytest

import mechdesign as md
from mechdesign.documents.document import design_document, document_text
from mechdesign.noise_tables.guarantee import ratio_above, ratio_below
from mechdesign.verify import noise_table as kernel
from mechdesign.verify.texts import parse_json


@cache
def document(objective="delta", guarantee="1@1"):
    """A table without shape, symmetry or a least chance to stay."""
    asked = {"noise": 3, "variance": 2, "zeros": "perturbed", "shape": "none"}
    design = md.design_noise_table(**asked, objective=objective, guarantees=[guarantee])
    return kernel.read_noise_table(parse_json(document_text(design_document(design))))


def false_claims(found):
    return [claim.claim for claim in kernel.noise_claims(found) if not claim.true]


def test_the_document_is_true():
    assert false_claims(document()) == []


DEMANDS = {
    "variance": ({"variance": Fraction(1, 2)}, "the mean square"),
    "variance_equal": ({"variance": Fraction(3), "variance_equal": True}, "it is exactly that"),
    "shape": ({"shape": "unimodal"}, "chances fall away"),
    "symmetric": ({"symmetric": True}, "the last row is symmetric"),
    "stay": ({"stay": Fraction(99, 100)}, "the noise 0 has at least"),
    "keys": ({"keys": 3}, "every chance is a whole number"),
    "zeros": ({"zeros": "fixed"}, "every row has noise of at most"),
}


@pytest.mark.parametrize("demand", DEMANDS)
def test_a_demand_that_is_not_met_is_false(demand):
    """The table may be symmetric, or unimodal, by chance: then it is bent for this."""
    found = document()
    changed, words = DEMANDS[demand]
    rows = [dict(row) for row in found.rows]
    if demand in ("shape", "symmetric"):
        last = rows[-1]
        last[3], last[0] = last.get(3, 0) + last[0], 0
    if demand == "zeros":
        rows[0] = {0: rows[0][0] - 1, 1: rows[0].get(1, 0) + 1}
    claims = list(kernel.office_claims(replace(found.problem, **changed), rows, found.denominator))
    assert [claim.true for claim in claims if claim.claim.startswith(words)] == [False]


def test_a_cap_that_is_passed_is_false():
    found = document("L1", "1:0.2@1")
    own = replace(found.problem.guarantees[0], delta=Fraction(1, 1000))
    changed = replace(found, problem=replace(found.problem, guarantees=(own,)))
    assert "that is no more than 1/1000" in false_claims(changed)


@pytest.mark.parametrize(
    "ratios", [{"ratio": ratio_above(Fraction(1))}, {"bound_ratio": ratio_below(Fraction(1))}, {"ratio": Fraction(2)}]
)
def test_ratios_on_the_wrong_side_are_false(ratios):
    found = document()
    own = replace(found.problem.guarantees[0], **ratios)
    changed = replace(found, problem=replace(found.problem, guarantees=(own,)))
    assert "ratio and bound_ratio enclose exp(1), within 1e-9" in false_claims(changed)


def test_the_bound_is_proved_at_the_upper_ratio():
    found = document()
    costs = kernel.costs_of(found.problem, found.rows, found.denominator)
    low, high = (kernel.proved_bound(found.problem, found.certificate, costs, at_bound=at) for at in (True, False))
    assert low == found.lower_bound[0] < high == found.objective[0]


def forged(**arrays):
    """The bound of a document with other arrays in its dual."""
    found = document()
    costs = kernel.costs_of(found.problem, found.rows, found.denominator)
    return kernel.proved_bound(found.problem, found.certificate.changed(**arrays), costs, at_bound=False)


def set_at(name, place, value):
    array = list(document().certificate[name])
    array[place] = value
    return {name: tuple(array)}


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (lambda: set_at("stay", 2, -1), "a multiplier of the noise 0"),
        (lambda: set_at("variances", 2, -1), "a multiplier of a variance"),
        (lambda: set_at("means", 0, 1), "row 0 need not"),
        (lambda: set_at("mirror", 1, 1), "the last row need not"),
        (lambda: {"shape": ((2, 0, 1, 1),)}, "a multiplier of the shape"),
        (
            lambda: {"tests": (*document().certificate["tests"], (0, 2, 3, document().certificate.scale, ()))},
            "tests of a guarantee weigh",
        ),
    ],
)
def test_multipliers_of_what_nobody_asked_prove_nothing(arrays, words):
    with pytest.raises(ValueError, match=words):
        forged(**arrays())


def test_a_negative_multiplier_of_a_shape_proves_nothing():
    asked = {"noise": 3, "variance": 2, "guarantees": ["1@1"], "objective": "delta"}
    data = json.loads(document_text(design_document(md.design_noise_table(**asked))))
    data["dual"]["shape"].append([3, 0, 1, "-1"])
    found = kernel.read_noise_table(parse_json(json.dumps(data)))
    costs = kernel.costs_of(found.problem, found.rows, found.denominator)
    with pytest.raises(ValueError, match="a multiplier of the shape"):
        kernel.proved_bound(found.problem, found.certificate, costs, at_bound=False)


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3, 10), Fraction(1, 10**9), Fraction(999, 1000)])
def test_logarithms_are_enclosed(share):
    """`2^n <= x^m` in integers, for the bounds n/m of the logarithm."""
    low, high = kernel.log2_bounds(share)
    below, above = Fraction(floor(low * 64), 64), Fraction(ceil(high * 64), 64)
    assert Fraction(2) ** below.numerator <= share**below.denominator
    assert share**above.denominator <= Fraction(2) ** above.numerator
    assert low <= high <= low + Fraction(1, 1 << 62)


def test_entropy_is_charged_below_its_logarithms():
    """So that the bound of the cost is one of the entropy."""
    found = document("entropy", "1:0.2@1")
    costs = kernel.tangent_costs(found.problem, found.rows, found.denominator)
    for (j, v), cost in costs.items():
        low, high = kernel.log2_bounds(Fraction(found.rows[j][v], found.denominator))
        assert cost == low < high
