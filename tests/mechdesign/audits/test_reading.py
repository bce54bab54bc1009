"""Designs read back from their files are proved again, or refused."""

from dataclasses import replace

import numpy as np
import pytest
from tampering import TAMPERINGS, tampered
from wording import refused

from mechdesign import Claim
from mechdesign.audits.audit import audit
from mechdesign.audits.mending import mend
from mechdesign.audits.reading import read_design
from mechdesign.designs import design
from mechdesign.documents.storage import export, export_content
from mechdesign.documents.stored import claims_words, require_true
from mechdesign.errors import InputError, RefusedError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.program.clock import Seconds

DESIGN = design(DesignProblem(8, "9/10", properties="WH,CM"))
PROBLEMS = [
    DesignProblem(8, "9/10", properties="WH,CM"),
    DesignProblem(5, epsilon="0.3", loss="L1:1", prior="binomial:1/3"),
    DesignProblem(model=Model.lldp(5, 2), alpha="1/2", aggregate="worst", loss="L1"),
    DesignProblem(model=Model.metric([[0, 1, 2.5], [1, 0, 2], [2.5, 2, 0]]), alpha="0.7"),
]


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("problem", PROBLEMS, ids=DesignProblem.describe)
def test_what_is_read_is_what_was_exported(problem, suffix, tmp_path):
    best = design(problem)
    path = tmp_path / f"best{suffix}"
    export(best, str(path))
    back = read_design(str(path))
    times = [round(value, 6) for value in (best.seconds.solve, best.seconds.certify, best.seconds.verify)]
    assert back == replace(best, seconds=Seconds(*times))
    assert export_content(back, path.with_suffix(".json")) == export_content(best, path.with_suffix(".json"))


@pytest.mark.parametrize("change", TAMPERINGS)
def test_a_tampered_design_is_not_returned(change, tmp_path):
    with pytest.raises((InputError, RefusedError)) as error:
        read_design(tampered(DESIGN, tmp_path, change))
    assert "\n" not in str(error.value)


def test_the_refusal_names_the_claim(tmp_path):
    def claims_a_lower_score(data):
        data["score"]["exact"] = "114024/118098"

    path = tampered(DESIGN, tmp_path, claims_a_lower_score)
    with refused(RefusedError):
        read_design(path)


def test_a_plain_matrix_is_no_design(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("1/2,1/4\n1/2,3/4\n")
    with refused(InputError):
        read_design(path)


@pytest.mark.parametrize("name", ["best.json", "best.csv", "best.npz"])
def test_files_are_audited_and_mended_by_their_path(name, tmp_path):
    path = tmp_path / name
    export(DESIGN, path)
    found = audit(str(path), alpha="0.9", properties="WH,CM")
    assert found.scores["L0"] == pytest.approx(float(DESIGN.score))
    assert found.passed == (name != "best.csv")  # floats cost the last bit of privacy
    assert mend(DESIGN.problem, path).design.score == pytest.approx(float(DESIGN.score))


def test_what_is_no_matrix_is_named():
    with refused(InputError, about="matrix"):
        audit({"matrix": 1})
    with refused(InputError, about="matrix"):
        mend(DESIGN.problem, np.eye(3))


def test_the_first_false_claim_is_named_with_what_is_true():
    claims = (Claim("a", True), Claim("b", False, "it is c"), Claim("d", False))
    with refused(RefusedError):
        require_true(claims, "file.json")
    require_true(claims[:1], "file.json")
    assert claims_words(claims) == "2 of 3 claims false"
    assert claims_words((Claim("a", True),) * 2) == "2 claims, all true"
