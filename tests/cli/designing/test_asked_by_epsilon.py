"""What is said of a design that was asked by epsilon: of which alpha it is the best, and how near for epsilon."""

import json
from fractions import Fraction

import pytest
from wording import check_wording

SAID = "exact for alpha = 27634/75117; for epsilon = 1 at most 5.1e-10 above the least"


def spaced(text):
    return " ".join(text.split())


def test_solve_says_both(mechdesign):
    seen = mechdesign("solve", "--n", "8", "--epsilon", "1")
    assert seen.code == 0
    assert f"gap {SAID}" in spaced(seen.out)
    assert "n = 8, epsilon = 1 (alpha = 27634/75117), no properties" in spaced(seen.out)
    assert "optimal" not in seen.out


def test_solve_says_one_of_an_alpha(mechdesign):
    out = spaced(mechdesign("solve", "--n", "8", "--alpha", "27634/75117").out)
    assert "gap 0 (exact: proved optimal in rational arithmetic)" in out


def test_the_document_that_is_printed_is_of_version_2(mechdesign):
    document = json.loads(mechdesign("solve", "--n", "8", "--epsilon", "1", "--json").out)
    assert (document["format"], document["status"]) == ("mechdesign-design/2", "certified")
    score, bound = (Fraction(document[key]["exact"]) for key in ("score", "lower_bound"))
    assert 0 < score - bound <= Fraction("5.1e-10")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--epsilon=1", ["for this alpha = 27634/75117: gap 0", "for epsilon = 1: the gap is at most 5.01e-10", SAID]),
        ("--alpha=1/2", ["for this alpha = 0.5: gap 0", "<td>0 (exact: proved optimal in rational arithmetic)"]),
    ],
)
def test_a_report_says_for_which_it_is_the_best(given, said, mechdesign, tmp_path):
    page, design = tmp_path / "report.html", str(tmp_path / "design.json")
    mechdesign("solve", "--n", "8", given, "-o", design)
    assert mechdesign("report", design, "-o", str(page)).code == 0
    for words in said:
        assert words in page.read_text()


def test_a_report_in_json_has_the_words_of_the_studio(mechdesign, tmp_path):
    design = str(tmp_path / "design.json")
    mechdesign("solve", "--n", "8", "--epsilon", "1", "-o", design)
    report = json.loads(mechdesign("report", design, "--json").out)
    assert (report["status"], report["optimality"], report["is_exact_for_alpha"]) == ("certified", SAID, True)


def test_a_landscape_says_for_which_alpha_its_scores_are(mechdesign):
    seen = spaced(mechdesign("landscape", "--n", "3", "--epsilon", "3/2").out)
    assert "scores for this alpha, just above exp(-3/2)" in seen
    assert "every score exact" in seen
    assert "just above" not in mechdesign("landscape", "--n", "3", "--alpha", "1/2").out


def test_a_sweep_has_both_numbers(mechdesign, tmp_path):
    table = tmp_path / "sweep.csv"
    mechdesign("sweep", "--n", "4", "--epsilon", "1", "-o", str(table))
    row = dict(zip(*(line.split(",") for line in table.read_text().splitlines()), strict=False))
    assert row["status"] == "certified"
    assert Fraction(row["lower_bound_exact"]) < Fraction(row["score_exact"])


def test_check_says_alpha_or_epsilon(mechdesign, tmp_path):
    for given, at in (("--alpha=1/2", "at this alpha"), ("--epsilon=1", "at this epsilon")):
        path = tmp_path / "design.json"
        mechdesign("solve", "--n", "4", given, "-o", str(path))
        seen = mechdesign("check", str(path))
        assert seen.code == 0
        assert at in spaced(seen.out)
        assert ("bound_alpha is at most exp(-asked_epsilon)" in spaced(seen.out)) == (at == "at this epsilon")


def test_a_workload_design_says_its_epsilon(mechdesign):
    seen = spaced(mechdesign("local", "design", "--workload", "prefixes", "--k", "3", "--epsilon", "1/2").out)
    assert "of the bound, certified for epsilon = 0.5" in seen
    assert "at this epsilon" in seen


def test_a_start_of_the_alpha_that_was_made_from_epsilon_serves(mechdesign, tmp_path):
    older = tmp_path / "older.json"
    mechdesign("local", "design", "--workload", "prefixes", "--k", "4", "--alpha", "27634/75117", "-o", str(older))
    seen = mechdesign("local", "design", "--workload", "prefixes", "--k", "4", "--epsilon", "1", "--start", str(older))
    assert seen.code == 0
    other = mechdesign("local", "design", "--workload", "prefixes", "--k", "4", "--epsilon", "2", "--start", str(older))
    assert other.code == 2
    check_wording(other.err)
