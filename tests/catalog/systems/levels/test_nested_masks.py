"""Nested masks: the law by enumeration, draws by their frequencies, scores, information, bad input."""

from fractions import Fraction

import numpy as np
import pytest
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.systems.levels.nested_masks import NestedMasks

CASES = {
    "two cells": NestedMasks(8, Privacy(epsilon=2), 2),
    "three cells": NestedMasks(12, Privacy(epsilon=1), 3),
    "three cells, sparse": NestedMasks(12, Privacy(epsilon="5/2"), 3),
    "pairs": NestedMasks(6, Privacy(epsilon=2), 3),
}


def laws(oracle):
    """All reports' chances for each item, and which items each holds: those that make it likelier than others do."""
    law = oracle.report_law()
    least = [min(row) for row in law.values()]
    held = np.array([[chance > low for chance in row] for row, low in zip(law.values(), least, strict=True)])
    return law, held


@pytest.mark.parametrize("oracle", CASES.values(), ids=CASES)
def test_the_law_is_private_and_holds_labels_of_one_cell_alone(oracle):
    law, held = laws(oracle)
    assert [sum(column) for column in zip(*law.values(), strict=True)] == [1] * oracle.k
    assert {max(row) / min(row) for row in law.values()} == {1 / oracle.privacy.alpha}
    assert oracle.alpha == oracle.privacy.alpha
    cells = held.reshape(len(held), oracle.cells, -1)
    assert set(cells.sum(axis=(1, 2))) == {oracle.chosen}
    assert (cells.any(axis=2).sum(axis=1) == 1).all()
    own, rows = oracle.labels - 1, list(law.values())
    chances = [
        sum((row[0] for row, of_report in zip(rows, held, strict=True) if of_report[label]), Fraction(0))
        for label in (oracle.labels, own, 0)
    ]
    assert chances == list(oracle.held)


@pytest.mark.parametrize("oracle", CASES.values(), ids=CASES)
def test_estimates_are_unbiased_and_the_highest_score_bounds_all(oracle):
    law, held = laws(oracle)
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    reports = [
        oracle.reports_of(*(np.array([number]) for number in (key[0],)), np.array([key[1:-1]]), np.array([key[-1]]))
        for key in law
    ]
    scores = np.array([oracle.estimate(oracle.aggregate(report)) for report in reports])
    assert scores.T @ chances == pytest.approx(np.eye(oracle.k), abs=1e-12)
    supports = np.array([oracle.supports(oracle.aggregate(report)) for report in reports])
    assert (supports == held).all()
    weights = np.random.default_rng(1).normal(size=(20, oracle.k))
    assert (oracle.highest_scores(weights) >= (scores @ weights.T).max(axis=0) - 1e-12).all()
    lies = oracle.worst_bias(Fraction(1, 10))
    assert lies.value >= 0.1 * scores[:, 0].max() - 1e-12


@pytest.mark.parametrize("oracle", CASES.values(), ids=CASES)
def test_the_information_is_that_of_the_law(oracle):
    law, _ = laws(oracle)
    chances = np.array([[float(chance) for chance in row] for row in law.values()])
    for counts in (np.ones(oracle.k, dtype=np.int64), np.repeat(np.arange(oracle.cells) + 1, oracle.labels)):
        means = chances @ (counts / counts.sum())
        assert oracle.information_at(counts) == pytest.approx(chances.T @ (chances / means[:, None]))


def test_reports_are_drawn_by_the_law():
    oracle = CASES["pairs"]
    law, item = oracle.report_law(), 3
    reports = oracle.privatize(np.full(40_000, item), seeded_words(6))
    columns = [column.reshape(40_000, -1) for column in reports.columns.values()]
    seen = {}
    for key in map(tuple, np.column_stack(columns).tolist()):
        seen[key] = seen.get(key, 0) + 1
    expected = {key: 40_000 * float(row[item]) for key, row in law.items()}
    assert set(seen) <= set(expected)
    statistic = sum((seen.get(key, 0) - count) ** 2 / count for key, count in expected.items())
    assert statistic < len(law) + 4.5 * (2 * len(law)) ** 0.5
    oracle.contribution.require(oracle.aggregate(reports).sums, 40_000)


@pytest.mark.parametrize(("k", "cells"), [(12, 1), (12, 5), (12, 0), (9, 3), (3, 3)])
def test_other_cells_are_refused(k, cells):
    with refused(InputError, about="cells"):
        NestedMasks(k, Privacy(epsilon=2), cells)
