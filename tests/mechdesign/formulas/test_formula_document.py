"""The document of a formula: read back, proved, and refused where it is changed."""

import json

import pytest
from formula_cases import PROBLEMS
from wording import refused

import mechdesign as md
from mechdesign.formulas.finding import formula as find


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_document_reads_back(name, tmp_path):
    found = md.formula(**PROBLEMS[name])
    path = tmp_path / "formula.json"
    path.write_text(found.text)
    read = md.read_formula(path)
    assert read == found
    assert read.text == found.text


def test_the_same_question_has_the_same_answer():
    first = md.formula(n=6, properties="CM")
    md.formula(n=6, properties="CH", loss="L1")
    assert md.formula(n=6, properties="CM") == first


def change_score(document):
    document["pieces"][0]["score"]["numerator"][-1] = "3"


def change_entry(document):
    document["pieces"][0]["parts"][0]["matrix"][0][0] = ["2"]


@pytest.mark.parametrize("change", [change_score, change_entry])
def test_a_changed_document_is_refused(change, tmp_path):
    document = json.loads(md.formula(n=2, properties="WH").text)
    change(document)
    path = tmp_path / "formula.json"
    path.write_text(json.dumps(document))
    with refused(md.RefusedError):
        md.read_formula(path)


def test_what_is_no_formula_is_refused(tmp_path):
    path = tmp_path / "design.json"
    md.export(md.design(n=1, alpha="1/2"), path)
    with refused(md.InputError):
        md.read_formula(path)
    path.write_text(md.formula(n=1).text)
    with refused(md.InputError):
        md.read_design(path)


def test_part_of_a_formula_when_time_is_over(monkeypatch):
    calls = iter([False] * 4 + [True] * 100)
    clock_left = "mechdesign.formulas.march.Clock.left"

    def left(clock):
        if next(calls):
            raise md.LimitReachedError("the time limit was reached")

    monkeypatch.setattr(clock_left, left)
    found = find(n=6, loss="L2")
    assert not found.is_complete
    assert found.pieces
    start, end = found.covered[0]
    alpha = (start.between[1] + end.between[0]) / 2
    assert found.score(alpha) == md.design(found.problem.at(alpha), exact=True).score
    with refused(md.InputError, about="alpha"):
        found.score(found.covered[-1][1].between[1] + (1 - found.covered[-1][1].between[1]) / 2)
