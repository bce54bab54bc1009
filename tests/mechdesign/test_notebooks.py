"""Objects in a notebook: well-formed HTML of bearable size, exact tooltips, escaped texts, and reprs of one line."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from html_pages import Page

from mechdesign.audits.audit import audit
from mechdesign.counts.estimation.posterior import posterior
from mechdesign.counts.tables import estimate
from mechdesign.designs import design
from mechdesign.mechanism import notebook
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.rational import fraction_text
from mechdesign.sweeps.landscape import landscape

MEGABYTE = 1_000_000
SMALL = design(DesignProblem(4, "9/10", properties="WH,CM"))
LARGE = design(DesignProblem(64, "9/10", properties="WH,CM"))
LOCAL = design(DesignProblem(model=Model.metric([[0, 1, 3], [1, 0, 2], [3, 2, 0]]), alpha="1/2", aggregate="worst"))
LONG = DesignProblem(
    2,
    Fraction(10**90 + 1, 10**91),
    loss=Loss.from_matrix([[0, Fraction(1, 10**60), 1], [1, 0, 1], [1, 1, 0]]),
    prior=Prior.from_weights([Fraction(1, 10**60), Fraction(1, 2), Fraction(1, 2) - Fraction(1, 10**60)]),
)
UNIFORM = Mechanism(((1,) * 5,) * 5, 5)
OBJECTS = {
    "design": SMALL,
    "design, n = 64": LARGE,
    "design of a metric": LOCAL,
    "design of long numbers": design(LONG),
    "audit": audit(SMALL, alpha="0.9", properties="WH,F"),
    "audit, n = 64": audit(LARGE),
    "audit of a plain matrix": audit(np.array([[0.5, 0.25], [0.5, 0.7]])),
    "audit without privacy": audit(np.eye(3)),
    "audit of a metric": audit(LOCAL),
    "landscape": landscape(DesignProblem(4, "9/10", loss="L1")),
    "estimate": estimate([0, 1, 1, 4], UNIFORM),
    "estimate with a mean": estimate([0, 1, 1, 4], design(DesignProblem(4, "9/10"))),
    "estimate of one with a mean": estimate([3], design(DesignProblem(4, "9/10"))),
    "estimate, n = 64": estimate([0, 64, 3], LARGE),
    "estimate of one": estimate([3], UNIFORM),
    "posterior": posterior(2, SMALL),
    "posterior, n = 64": posterior(2, LARGE),
    "mechanism, n = 64": LARGE.mechanism,
}


@pytest.fixture(params=OBJECTS)
def shown(request):
    return OBJECTS[request.param]


def test_pages_are_well_formed_and_light(shown):
    html = shown._repr_html_()
    assert len(html.encode()) < MEGABYTE
    assert Page(html).text


def test_a_repr_is_one_line(shown):
    text = repr(shown)
    assert text.isprintable()
    assert len(text) <= 200
    assert text.startswith(f"<{type(shown).__name__}: ")


def test_reprs_say_what_it_is():
    assert repr(SMALL) == ("<Design: n = 4, alpha = 0.9, WH, CM, loss L0, prior uniform; score 0.965433, exact>")
    assert repr(OBJECTS["audit"]) == ("<Audit: 5 outputs x 5 inputs, n = 4; epsilon 0.105361; 1 of 4 claims false>")
    assert "epsilon infinite>" in repr(OBJECTS["audit without privacy"])
    assert "classes; 1.2" in repr(OBJECTS["landscape"])
    assert repr(OBJECTS["estimate"]) == "<Estimate: 4 releases of 0..4; no unbiased mean>"
    assert repr(OBJECTS["estimate with a mean"]).startswith("<Estimate: 4 releases of 0..4; mean ")


def test_small_mechanisms_are_their_own_repr():
    coin = Mechanism(((2, 1), (1, 2)), 3)
    assert eval(repr(coin), {"Mechanism": Mechanism}) == coin
    assert repr(LARGE.mechanism) == "<Mechanism: 65 outputs x 65 inputs, in exact integers>"


def test_every_entry_has_its_fraction_as_a_tooltip():
    for found in (SMALL, LARGE):
        matrix = found.mechanism
        exact = [fraction_text(matrix.fraction(i, j)) for i in range(matrix.n_outputs) for j in range(matrix.n_inputs)]
        titles = Page(found._repr_html_()).titles
        assert titles[-len(exact) :] == exact
        assert titles[:2] == [fraction_text(found.score), fraction_text(found.lower_bound)]


def heavy(size, digits):
    """Every entry a fraction of so many digits above and below."""
    first = [10**digits + j for j in range(size)]
    return Mechanism.from_weights([first[i:] + first[:i] for i in range(size)], sum(first))


@pytest.mark.slow
@pytest.mark.parametrize("size", [65, notebook.MOST_SHOWN])
def test_long_fractions_are_told_by_their_length(size):
    matrix = heavy(size, 2000)
    html = matrix._repr_html_()
    assert len(html) < MEGABYTE
    titles = Page(html).titles
    assert len(titles) == size**2
    assert (
        titles[0] == f"{float(matrix.fraction(0, 0)):.17g} (exact: {len(fraction_text(matrix.fraction(0, 0)))} digits)"
    )


def test_matrices_too_large_are_described():
    wide = heavy(notebook.MOST_SHOWN + 1, 1)
    assert "101 x 101, too large to be shown here" in Page(wide._repr_html_()).text


def test_texts_of_others_are_escaped():
    evil = "</td><script>alert(1)</script>&\"'"
    for shown in (
        replace(SMALL, how=evil, method=evil),
        replace(OBJECTS["audit"], holds=(evil,), claims=(replace(OBJECTS["audit"].claims[0], detail=evil),)),
    ):
        html = shown._repr_html_()
        assert "<script" not in html
        assert evil in Page(html).text
    assert evil in Page(notebook.table((evil,), [(evil,)], evil)).text
    assert Page(notebook.heat_table([[Fraction(1)]], evil)).text.count(evil) == 1


def test_texts_of_others_are_cut():
    html = replace(SMALL, how="x" * 10**7)._repr_html_()
    assert len(html) < 20_000


def test_colours_fall_evenly_and_numbers_are_written_while_they_fit():
    page = Page(SMALL._repr_html_())
    assert f"{float(SMALL.mechanism.fraction(0, 0)):.4f}" in page.text
    assert Page(LARGE.mechanism._repr_html_()).texts[-65:] == [str(i) for i in range(65)]


@pytest.mark.parametrize("alpha", ["1/3", "3/7", "5/8", "7/9"])
def test_stated_scores_are_never_below_and_bounds_never_above(alpha):
    found = design(DesignProblem(5, alpha, properties="WH,CM", loss="L1"))
    seen = audit(found)
    texts = [*Page(found._repr_html_()).texts, *Page(seen._repr_html_()).texts]
    shown = {label: Fraction(text) for label, text in pairwise(texts) if text[:2] in ("0.", "1.")}
    assert found.score <= shown["score"] < found.score + Fraction(1, 10**6)
    assert found.lower_bound >= shown["lower bound"] > found.lower_bound - Fraction(1, 10**6)
    assert seen.alpha >= shown["alpha"] > seen.alpha - Fraction(1, 10**6)
    for name, score in seen.scores.items():
        assert score <= shown.get(f"score {name}", score) < score + Fraction(1, 10**6)


def test_no_picture_library_is_loaded():
    code = (
        "import mechdesign as md, sys; best = md.design(md.DesignProblem(n=4, alpha='0.9')); "
        "best._repr_html_(); md.audit(best)._repr_html_(); print('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_audit_has_its_claims():
    page = Page(OBJECTS["audit"]._repr_html_())
    claims = OBJECTS["audit"].claims
    assert [claim.claim in page.texts for claim in claims] == [True] * len(claims)
    assert page.texts.count("FALSE") == 1
