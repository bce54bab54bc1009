"""`solve --then` and `--ties`: what is printed, what is written, and what is refused in a line."""

import json

import pytest
from wording import check_wording

from mechdesign.verify import __main__ as program
from mechdesign_cli.showing.designs import OTHERS

ASKED = ("solve", "--n", "8", "--alpha", "3/4", "--props", "WH,CM")


def test_the_report_tells_of_every_respect(mechdesign):
    seen = mechdesign(*ASKED, "--then", "L1", "--then", "worst:L2")
    assert seen.code == 0
    told = [" ".join(line.split()) for line in seen.out.splitlines() if line.startswith("then")]
    assert told == ["then loss L1, prior uniform: 1.919260, exact", "then loss L2, worst case: 7.968575, exact"]
    assert seen.err == ""


def test_the_document_is_proved_by_check(mechdesign, tmp_path):
    path = tmp_path / "best.json"
    assert mechdesign(*ASKED, "--then", "canonical", "--output", str(path)).code == 0
    assert json.loads(path.read_text())["format"] == "mechdesign-design/4"
    assert mechdesign("check", str(path)).code == 0
    data = json.loads(path.read_text())
    data["stages"][0]["lower_bound"]["exact"] = "2"
    path.write_text(json.dumps(data))
    assert mechdesign("check", str(path)).code == 1


def test_without_then_a_line_says_that_there_are_others(mechdesign):
    assert f"ties {OTHERS}" in " ".join(mechdesign(*ASKED).out.split())
    assert OTHERS[:30] not in mechdesign("solve", "--n", "8", "--alpha", "3/4").out
    assert OTHERS[:30] not in mechdesign(*ASKED, "--then", "L1").out


def test_ties_are_told_in_words_and_as_json(mechdesign):
    seen = mechdesign(*ASKED, "--ties")
    assert "ties other mechanisms have the same score (proved)" in " ".join(seen.out.split())
    assert "L1 1.919259 to 2.083508" in " ".join(seen.out.split())
    found = json.loads(mechdesign(*ASKED, "--ties", "--json").out)
    assert found["design"]["format"] == "mechdesign-design/1"
    assert found["unique"] is False
    assert found["ranges"][0]["low"]["exact"] == "835753/435456"
    alone = mechdesign(*ASKED, "--ties", "--then", "L1")
    assert "ties no other mechanism at this alpha has this score (proved)" in " ".join(alone.out.split())


REFUSED = [
    ("--then", "L0"),
    ("--then", "L1", "--then", "L1"),
    ("--then", "best"),
    ("--then", "L1", "--plan"),
    ("--ties", "--plan"),
    ("--ties", "--summary", "--json"),
    ("--ties", "--method", "layer"),
    ("--then", "worst:L1", "--method", "layer"),
    ("--then", "canonical", "--method", "full"),
]


@pytest.mark.parametrize("words", REFUSED)
def test_what_does_not_go_together_is_refused_in_a_line(words, mechdesign):
    seen = mechdesign(*ASKED, *words)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


@pytest.mark.parametrize("words", [("--n", "any"), ("--n", "8", "--model", "ldp"), ("--k", "4"), ("--n", "5000")])
def test_only_matrices_for_counts_have_ties_and_no_local_design_has_respects(words, mechdesign):
    of_laws = words[-1] in ("any", "5000")
    for option in (("--then", "canonical" if of_laws else "L1"), ("--ties",)):
        seen = mechdesign("solve", *words, "--alpha", "1/2", *option)
        assert (seen.code, seen.out) == (2, "")
        check_wording(seen.err)


@pytest.mark.parametrize("words", [("--n", "any"), ("--n", "300"), ("--n", "20", "--method", "layer")])
def test_a_law_has_further_respects(words, mechdesign, capsys):
    asked = ("solve", *words, "--alpha", "4/5", "--props", "WH,CM", "--then", "L1")
    found = mechdesign(*asked, "--output", "law.json")
    assert (found.code, found.err) == (0, "wrote law.json\n")
    assert "above the least by at most" in " ".join(found.out.split())
    assert json.loads(mechdesign(*asked, "--json", "--summary").out)["format"] == "mechdesign-design/5"
    assert mechdesign("check", "law.json").code == program.main(["law.json"]) == 0
    assert "proved" in capsys.readouterr().out
