"""Exact intervals of single counts: their coverage by enumeration, against a slow statement of the same rule."""

import json
from fractions import Fraction

import pytest

from mechdesign.counts.estimation.intervals import confidence_of_each, count_intervals
from mechdesign.designs import design
from mechdesign.documents.document import design_document, document_text
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.verify.document import read_document
from mechdesign.verify.output import _ends
from mechdesign.verify.texts import Decimals

ALPHAS = ("1/100", "1/10", "1/4", "367880/1000001", "1/2", "3/5", "3/4", "9/10", "19/20", "99/100", "999/1000")
LEVELS = (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20), Fraction(99, 100), Fraction(99_999, 100_000))


def chance_held(mechanism, bounds, j):
    column = [mechanism.fraction(i, j) for i in range(mechanism.n_outputs)]
    return sum((chance for chance, (low, high) in zip(column, bounds, strict=True) if low <= j <= high), Fraction(0))


def slow(mechanism, confidence):
    """The rule as FORMAT.md states it."""
    size, bounds = mechanism.n_inputs, []
    for i in range(size):
        kept = []
        for j in range(size):
            column = [mechanism.fraction(r, j) for r in range(size)]
            if min(sum(column[: i + 1]), sum(column[i:])) > (1 - confidence) / 2:
                kept.append(j)
        bounds.append((kept[0], kept[-1]) if kept else (0, size - 1))
    return tuple(bounds)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("asked", [("L1", "WH,RM,CM"), ("L0", "WH,RM,CM"), ("L2", ""), ("L0", "F")], ids=str)
def test_every_true_count_is_covered(alpha, asked):
    loss, properties = asked
    for n in range(1, 13):
        mechanism = design(DesignProblem(n, alpha, loss=loss, properties=properties)).mechanism
        for level in LEVELS:
            bounds = count_intervals(mechanism, level)
            assert all(0 <= low <= high <= n for low, high in bounds)
            assert min(chance_held(mechanism, bounds, j) for j in range(n + 1)) >= level
        if n in (1, 4, 7):
            assert bounds == slow(mechanism, level)


@pytest.mark.parametrize("groups", [1, 2, 7, 500, 10**6])
def test_all_groups_are_covered_at_once(groups):
    """Independent draws: the chance that all intervals hold is the product, and at least that asked for."""
    mechanism = design(DesignProblem(6, "3/4", loss="L1", properties="WH,RM,CM")).mechanism
    for level in LEVELS:
        bounds = count_intervals(mechanism, confidence_of_each(level, groups))
        least = min(chance_held(mechanism, bounds, j) for j in range(7))
        assert least ** min(groups, 500) >= level
        assert 1 - groups * (1 - least) >= level  # and by the union bound, whatever depends on what


def test_outputs_that_rule_out_everything_tell_nothing():
    odd = Mechanism(((1, 1, 1), (98, 98, 98), (1, 1, 1)), 100)
    assert count_intervals(odd, Fraction(19, 20)) == ((0, 2), (0, 2), (0, 2))


def test_the_interval_is_as_short_as_the_tails_allow():
    mechanism = design(DesignProblem(12, "1/100", loss="L1")).mechanism
    assert count_intervals(mechanism, Fraction(19, 20)) == tuple((j, j) for j in range(13))


@pytest.mark.parametrize("alpha", ALPHAS[1::3])
def test_the_kernel_finds_the_same_by_another_way(alpha, documents):
    for n in (1, 5, 12):
        document = documents(n, alpha)
        for level in LEVELS:
            mechanism = Mechanism(tuple(map(tuple, document.weights)), document.denominator)
            assert tuple(_ends(document, level)) == count_intervals(mechanism, level)


@pytest.fixture
def documents():
    def make(n, alpha):
        text = document_text(design_document(design(DesignProblem(n, alpha, loss="L1", properties="WH,RM,CM"))))
        return read_document(json.loads(text, parse_float=Decimals))

    return make
