"""Mechanisms by the names that people compare them under."""

from fractions import Fraction
from pathlib import Path

import pytest

from mechdesign import DesignProblem, InputError, Loss, Prior, design, design_law, export
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign_catalog.mechanisms.candidates import as_candidates, make_mechanism, parse_candidate, parse_candidates

ALPHA = Fraction(9, 10)
L0, L1 = Loss.parse("L0"), Loss.parse("L1")


@pytest.mark.parametrize(
    ("name", "under_l0", "under_l1"),
    [("UCM", "none", "none"), ("WH", "WH", "WH"), ("WM", "WH,RM,CM", "WH"), ("FM", "F", "F"), ("AM", "all", "all")],
)
def test_named_designs_ask_for_what_the_study_says(name, under_l0, under_l1):
    candidate = parse_candidate(name.lower())
    assert candidate.problem(8, ALPHA, L0) == DesignProblem(8, ALPHA, properties=under_l0)
    assert candidate.problem(8, ALPHA, L1) == DesignProblem(8, ALPHA, properties=under_l1, loss="L1")


def test_closed_forms_need_no_design():
    candidate = parse_candidate("GM")
    assert candidate.problem(8, ALPHA, L0) is None
    assert candidate.mechanism(8, ALPHA, L0, designer=None) == geometric(8, ALPHA)
    with pytest.raises(InputError, match="n must be 1 for RR, got n=8"):
        parse_candidate("RR").mechanism(8, ALPHA, L0)


def test_designs_of_ones_own():
    candidates = parse_candidates("GM;design:WH,CM:L1;design:none:L0:1; design:OS:1/2,WH:L2;UM")
    assert [c.name for c in candidates] == ["GM", "design:WH,CM:L1", "design:none:L0:1", "design:OS:1/2,WH:L2", "UM"]
    own = candidates[1].problem(4, ALPHA, L0, Prior.parse("binomial:1/2"))
    assert own == DesignProblem(4, ALPHA, properties="WH,CM", loss="L1", prior="binomial:1/2")
    assert candidates[3].problem(4, ALPHA, L0) == DesignProblem(4, ALPHA, properties="OS:1/2,WH", loss="L2")
    assert (
        candidates[1].mechanism(4, ALPHA, L0)
        == design(DesignProblem(4, ALPHA, properties="WH,CM", loss="L1")).mechanism
    )


def test_a_file_serves_its_own_n_alone(tmp_path):
    path = tmp_path / "wm.json"
    found = design(DesignProblem(4, ALPHA, properties="WH"))
    export(found, path)
    candidate = parse_candidate(str(path))
    assert candidate.path == Path(path)
    assert candidate.mechanism(4, ALPHA, L0) == found.mechanism
    with pytest.raises(InputError, match="mechanism must have n = 5 like the groups, got n = 4"):
        candidate.mechanism(5, ALPHA, L0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WMM", "did you mean WM?"),
        ("GRR", "mechanism must be one of GM, EM, UM, RR, EXP, UCM, WH, WM, FM, AM, design:PROPS:LOSS, a file (.json"),
        ("", "got an empty name"),
        ("design:WH", "design must be design:PROPS:LOSS"),
        ("design:XX:L0", "properties must be one of"),
        ("gone.json;GM", None),
        ("GM,UM", "mechanisms must have semicolons between them, got GM,UM; write mechanisms 'GM;UM'"),
        ("GM,design:WH,CM:L1", "write mechanisms 'GM;design:WH,CM:L1'"),
        ("design:WH+CM:L1", "properties must be one of"),
    ],
)
def test_unknown_names(text, message):
    if message is None:
        assert len(parse_candidates(text)) == 2  # a file is looked for when it is read
        return
    with pytest.raises(InputError) as error:
        parse_candidates(text)
    assert message in str(error.value)


def test_twice_is_once():
    assert len(parse_candidates("GM;gm;EM")) == 2


def test_a_law_is_a_candidate_of_every_size(tmp_path):
    law = design_law(alpha="4/5", properties="WH,CM")
    export(law, tmp_path / "law.json")
    from_file = parse_candidate(str(tmp_path / "law.json"))
    (given,) = as_candidates({"ours": law})
    for candidate in (from_file, given):
        assert (candidate.is_made, candidate.own_n) == (True, None)
        assert [candidate.read(n) for n in (11, 30)] == [law.at(11), law.at(30)]
        with pytest.raises(InputError, match="n must be from 11 to 1000000000 for this law, got n=8"):
            candidate.read(8)


def test_designs_of_large_groups_come_of_laws():
    law = design_law(alpha="4/5", properties="WH,RM,CM")
    assert make_mechanism("WM", 200, "4/5") == law.at(200)
