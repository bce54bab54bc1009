"""Rows of comparisons: lists that show themselves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from html_pages import Page

from mechdesign.documents.tabular import MOST_SHOWN
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.loss import Loss
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.of_mechanisms import MechanismComparison, measure_mechanisms
from mechdesign_catalog.comparisons.of_oracles import OracleComparison, measure_oracles
from mechdesign_catalog.comparisons.rows import ComparisonRows
from mechdesign_catalog.datasets.counts import People
from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.mechanisms.candidates import parse_candidates

GROUPED = (People("a town", np.arange(100) % 3 == 0).grouped(4),)
MECHANISMS = MechanismComparison(
    parse_candidates("GM;UM"), GROUPED, (Fraction(1, 2),), "error-rate,rmse", Loss.parse("L0"), 3
)
ORACLES = OracleComparison(open_items("titanic"), ("grr", "olh"), (Privacy(epsilon=1),), "mse,max", 2)


@pytest.fixture(scope="module", params=["mechanisms", "oracles"])
def rows(request):
    if request.param == "mechanisms":
        return measure_mechanisms(MECHANISMS, seeded_words(1))
    return measure_oracles(ORACLES, seed=1)


def test_a_notebook_shows_every_cell(rows):
    page = Page(rows._repr_html_())
    assert page.cells == sum(len(row.entry()) for row in rows)
    for row in rows:
        assert all(value in page.texts for value in row.entry().values() if isinstance(value, str))


def test_a_repr_is_one_line(rows):
    names = ", ".join(dict.fromkeys(row.measured.metric for row in rows))
    assert repr(rows) == f"<Comparison: 4 rows; {names}>"
    assert len(repr(rows[0])) < 500
    assert rows == list(rows)


@pytest.mark.slow
def test_long_and_empty_comparisons_are_light(rows):
    long = ComparisonRows(list(rows) * 1000)
    page = Page(long._repr_html_())
    assert page.cells == MOST_SHOWN * len(rows[0].entry())
    assert f"the first {MOST_SHOWN} of 4000 rows" in page.texts
    assert len(repr(long)) < 200
    assert Page(ComparisonRows([])._repr_html_()).cells == 0


def test_names_are_escaped():
    (row, *_) = measure_mechanisms(MECHANISMS, seeded_words(1))
    evil = "<script>x</script>"
    assert evil in Page(ComparisonRows([replace(row, mechanism=evil)])._repr_html_()).texts
