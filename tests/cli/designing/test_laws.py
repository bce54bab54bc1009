"""Laws on the command line: solve --n any, --method layer, auto above 128 people, and check of their documents."""

import json
import re
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.laws import finding
from mechdesign.verify.__main__ import main as verify
from mechdesign_cli.parsing import laws as asked_law

ANY = ("solve", "--n", "any", "--alpha", "0.8")
COLUMNS = (*ANY, "--props", "WH,CM")
INSTEAD = "design a matrix for one n of at most 4095 instead"


def summary(mechdesign, *options):
    """The summary of a design, that of a law or of a matrix; nothing is said beside it."""
    seen = mechdesign("solve", *options, "--json", "--summary")
    assert (seen.code, seen.err) == (0, "")
    return json.loads(seen.out)


def refusal(seen):
    """What a command says that refuses bad input and leaves nothing behind."""
    assert (seen.code, seen.out) == (2, "")
    assert len(seen.err.splitlines()) == 1
    assert list(Path().iterdir()) == []
    return seen.err.removeprefix("mechdesign: ").rstrip("\n")


@pytest.mark.parametrize("columns", [80, 200])
def test_a_law_in_words(mechdesign, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    seen = mechdesign(*COLUMNS)
    assert (seen.code, seen.err) == (0, "")
    assert max(map(len, seen.out.splitlines())) <= columns
    words = " ".join(seen.out.split())
    for told in (
        "asked any n, alpha = 0.8, WH, CM, loss L0, prior uniform epsilon 0.223144 = -ln(alpha), rounded up",
        "law the geometric mechanism but for the first and the last 4 rows; proved for every n from 11 on",
        "score 8/9 + (203/1152)/n for every n from 11 on score at 11 11467/12672 = 0.904909 score at 100 34201/38400",
        "gap 0 (exact: proved optimal for every n from 11 on)",
        "error at 1000000 above 3 with a chance of at most 46 % (46 % on average), above 10 with a chance of at",
        "holds WH, CH, CM, S",
        "Pr[output i | input j] at n = 11",
    ):
        assert told in words


def test_a_law_in_words_at_one_size(mechdesign):
    seen = mechdesign("solve", "--n", "1e6", "--epsilon", 1, "--props", "WH,CM", "--loss", "L1")
    assert (seen.code, seen.err) == (0, "")
    words = " ".join(seen.out.split())
    assert "asked n = 1000000, epsilon = 1 (alpha = 27634/75117), WH, CM, loss L1, prior uniform" in words
    assert "but for the first and the last row; proved for every n from 2 on" in words
    assert "score at 1000000 0.850916783 (rounded up)" in words
    assert "gap at 1000000 at most 8.4e-10 of the score, certified: no mechanism scores below 0.850916782107" in words
    assert "score at 100 " not in words
    assert "Pr[output" not in words


def test_the_fair_law_is_shown_as_a_matrix_too(mechdesign):
    seen = mechdesign("solve", "--n", 2, "--method", "layer", "--alpha", "1/2", "--props", "F")
    assert "EM, the explicit fair mechanism, by its formula; proved for every n from 2 on" in " ".join(seen.out.split())
    assert seen.out.split("at n = 2\n")[1].split("\n")[:4] == [
        "i\\j       0       1       2",
        "  0  0.5000  0.2500  0.2500",
        "  1  0.2500  0.5000  0.2500",
        "  2  0.2500  0.2500  0.5000",
    ]


def test_a_law_as_a_document(mechdesign):
    document = json.loads(mechdesign(*COLUMNS, "--json").out)
    assert document["format"] == "mechdesign-design/3"
    assert document["problem"]["n"] == {"from": 11}
    assert document["mechanism"]["depth"] == 4
    assert (document["score"]["exact"], document["status"]) == ("11467/12672", "exact")
    short = summary(mechdesign, *COLUMNS[1:])
    timed = "seconds"
    assert {**short, timed: 0} == {k: v for k, v in {**document, timed: 0}.items() if k not in ("mechanism", "dual")}


@pytest.mark.parametrize(
    "asked",
    [
        ("--n", "any", "--alpha", "0.8", "--props", "WH,CM"),
        ("--n", "any", "--epsilon", "0.5", "--props", "WH", "--loss", "L2"),
        ("--n", "any", "--alpha", "0.8", "--props", "F"),
        ("--n", "1000000000", "--alpha", "0.7", "--props", "RM", "--loss", "L1"),
        ("--n", "40", "--method", "layer", "--alpha", "0.8", "--props", "CM", "--loss", "L1"),
    ],
)
def test_both_checkers_prove_what_solve_writes(mechdesign, capsys, asked):
    seen = mechdesign("solve", *asked, "--output", "law.json", "--output", "again.json", "--quiet")
    assert (seen.code, seen.out, seen.err) == (0, "", "")
    assert Path("law.json").read_bytes() == Path("again.json").read_bytes()
    checked = mechdesign("check", "law.json")
    assert (checked.code, checked.err) == (0, "")
    assert "FALSE" not in checked.out
    assert checked.out.count("\ntrue ") > 5
    found = json.loads(mechdesign("check", "law.json", "--json").out)
    assert (found["kind"], found["passed"]) == ("law", True)
    assert all(claim["true"] for claim in found["claims"])
    assert verify(["law.json"]) == 0
    assert f"all {len(found['claims'])} claims are proved" in capsys.readouterr().out


def test_both_checkers_refute_a_changed_law(mechdesign, capsys):
    mechdesign(*COLUMNS, "-o", "law.json")
    document = json.loads(Path("law.json").read_text())
    document["problem"]["n"] = {"from": 10}
    Path("law.json").write_text(json.dumps(document))
    checked = mechdesign("check", "law.json")
    assert checked.code == 1
    assert "FALSE  n is at least 11" in checked.out
    assert verify(["law.json"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--props", "OS:9/10"], f"--props of a law for every n must be among WH, RH, .*, got OS:9/10; {INSTEAD}"),
        (
            ["--props", "F", "--loss", "L1"],
            f"--loss of a law for every n must be L0 where F is asked, got L1; .*{INSTEAD}",
        ),
        (["--loss", "L0:1"], f"--loss of a law for every n must be L0, L1 or L2, got L0:1; {INSTEAD}"),
        (["--loss", "PB:1/2"], f"--loss of a law for every n must be L0, L1 or L2, got PB:1/2; {INSTEAD}"),
        (["--prior", "binomial:0.5"], f"a law for every n goes without --prior, got it; leave it out, or {INSTEAD}"),
        (
            ["--aggregate", "worst", "--loss", "L1"],
            f"--loss of a law for every n must be L0 in the worst case, got L1; leave --aggregate out, or {INSTEAD}",
        ),
        (["--solver", "cvxpy:CLARABEL"], "a law for every n goes without --solver, got it; .*"),
        (["--exact"], "a law for every n goes without --exact, got it; .*"),
        (["--fractions"], "a law for every n goes without --fractions, got it; .*"),
        (["-o", "a.csv"], "--output of a law for every n must end in .json, got a.csv; state one n for others"),
        (["-o", "law.json", "-o", "a.vipr"], "--output of a law for every n must end in .json, got a.vipr; .*"),
        (["--plot", "a.gif"], "--plot must end in .png, .svg, .pdf, got a.gif"),
        (["-o", "none/law.json"], "output folder must exist, got .*none; create it with mkdir -p .*none"),
        (["--summary"], "--summary goes with --json, got it alone; .*"),
        (["--plan", "-o", "law.json"], "--plan designs nothing, got it with --output, .*"),
        (["--method", "full"], "--n must be at most 4095 with --method full, got any; .*"),
        (["--method", "ful"], "--method must be auto, closed-form, .*, full or layer, got ful"),
        (["--k", "5"], "--n goes with counts, --k with items, got both; leave one out"),
        (["--model", "ldp", "--k", "5"], "--n goes with --model count, got it with --model ldp; .*"),
        (["--unit", "2"], "--unit goes with --model metric, got it with --model count; .*"),
        (["--model", "count", "--radius", "2"], "--radius goes with --model lldp, got it with --model count; .*"),
        (["--props", "XX"], "--props must be one of WH, .*, got XX"),
    ],
)
def test_what_no_law_takes_is_refused_in_a_line(mechdesign, options, says):
    assert re.fullmatch(says, refusal(mechdesign(*ANY, *options)))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--n 0 --alpha 0.8", "--n must be an integer of at least 1, got 0"),
        ("--n -1 --alpha 0.8", "--n must be an integer of at least 1, got -1"),
        ("--n 1e10 --alpha 0.8", "--n must be at most 1000000000, got 10000000000"),
        ("--n anyy --alpha 0.8", "--n must be a whole number, got anyy; --n any is one law for groups of every size"),
        (
            "--n 1e30 --alpha 0.8",
            "--n must have at most 18 digits, got 1e30; --n any is one law for groups of every size",
        ),
        ("--n any", "give --alpha or --epsilon, got neither"),
        ("--n any --alpha 1", "--alpha must be in (0, 1), got 1"),
        ("--method layer --alpha 0.8", "give --n for counts or --k for items, got neither"),
        (
            "--n 5000 --method full --alpha 0.8",
            "--n must be at most 4095 with --method full, got 5000; leave --method out, or design a matrix for one n",
        ),
        ("--n 10 --method layer --alpha 0.8 --props CM", "--n must be from 11 to 1000000000 for this law, got 10"),
        (
            "--n any --alpha 0.999 --props CM",
            "a law for alpha = 0.999, CM, loss L0 is expected to need about 3,797 rows at each end, more than the 128 "
            "that are searched; take a smaller alpha or fewer properties",
        ),
        (
            "--n any --alpha 0.9999 --loss L2",
            "no law of at most 512 rows at each end was found for alpha = 0.9999, no properties, loss L2; take a "
            "smaller alpha or loss L0",
        ),
        ("--n 4096 --alpha 0.8 --loss L3", f"--loss of a law for every n must be L0, L1 or L2, got L3; {INSTEAD}"),
    ],
)
def test_sizes_and_settings_without_a_law(mechdesign, options, says):
    assert refusal(mechdesign("solve", *options.split())) == says


def test_a_time_limit_ends_the_search(mechdesign):
    seen = mechdesign(*ANY, "--props", "CM", "--loss", "L1", "--time-limit", "0.000001")
    assert (seen.code, seen.out) == (1, "")
    check_wording(seen.err)


def test_the_uniform_prior_may_be_said(mechdesign):
    said = summary(mechdesign, *COLUMNS[1:], "--prior", "Uniform", "--aggregate", "expected", "--solver", "highs")
    assert said["format"] == "mechdesign-design/3"


@pytest.mark.parametrize("n", [129, 500, 4095, 4096])
def test_auto_takes_the_law_under_l0(mechdesign, n):
    found = summary(mechdesign, "--n", n, "--alpha", "0.8", "--props", "WH,CM")
    assert (found["format"], found["problem"]["n"], found["method"]) == ("mechdesign-design/3", n, "layer")
    assert found["status"] == "exact"


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ("--n 128 --alpha 0.5 --props CM", "closed-form"),  # to 128 people nothing changes
        ("--n 129 --alpha 0.5 --loss L1 --props CM", "closed-form"),  # exact at this n, where a law is certified alone
        ("--n 129 --alpha 0.5 --prior binomial:1/2", "closed-form"),
        ("--n 129 --alpha 0.5 --props CM --method closed-form", "closed-form"),
        ("--n 129 --alpha 0.5 --props CM --exact", "closed-form"),
        ("--n 129 --alpha 0.999 --props CM", "closed-form"),  # a law would be too deep
        ("--n 129 --alpha 0.5 --props CM -o gm.csv", "closed-form"),
        ("--n 129 --alpha 0.5 --props CM --plot gm.svg", "closed-form"),
    ],
)
def test_auto_keeps_the_matrix(mechdesign, options, method):
    seen = mechdesign("solve", *options.split(), "--json", "--summary")
    assert seen.code == 0
    assert json.loads(seen.out)["method"] == method


@pytest.mark.slow
def test_auto_keeps_the_matrix_where_the_gap_of_the_law_is_wide(mechdesign):
    asked = ("--alpha", "0.9", "--loss", "L1", "--props", "CM")
    layered, auto = (summary(mechdesign, "--n", 129, *asked, *more) for more in (["--method", "layer"], []))
    gap = 1 - layered["lower_bound"]["value"] / layered["score"]["value"]
    assert 1e-8 < gap < 1e-6
    assert auto["method"] == "split-and-cut"
    assert layered["lower_bound"]["value"] < auto["score"]["value"] <= layered["score"]["value"]
    assert summary(mechdesign, "--n", 200, *asked)["method"] == "layer"


@pytest.mark.slow
def test_auto_designs_a_matrix_where_a_law_is_deep(mechdesign, monkeypatch):
    asked = ("--n", 129, "--alpha", "0.8", "--props", "CM", "--loss", "L1")
    monkeypatch.setattr(finding, "AUTO_DEPTH", 8)
    monkeypatch.setattr(asked_law, "AUTO_DEPTH", 8)
    assert summary(mechdesign, *asked)["method"] == "split-and-cut"
    assert summary(mechdesign, *asked, "--method", "layer")["method"] == "layer"
    seen = mechdesign("solve", *asked, "--time-limit", "0.0000001")
    assert (seen.code, seen.out) == (1, "")


def test_up_to_128_people_a_document_has_weights(mechdesign):
    document = json.loads(mechdesign("solve", "--n", 128, "--alpha", "0.5", "--props", "CM", "--json").out)
    assert len(document["weights"]) == 129
    assert len(document["weights"][0]) == 129


def test_a_plan_tells_of_the_law_first(mechdesign):
    law = "law for every n: the geometric mechanism but for about 3 rows at each end, or more (method layer)"
    assert mechdesign(*COLUMNS, "--plan").out == f"{law}\n"
    assert json.loads(mechdesign(*COLUMNS, "--plan", "--json").out) == {"law": law}
    asked = ("solve", "--n", 200, "--alpha", "0.8", "--props", "WH,CM", "--plan")
    first, *rest = mechdesign(*asked).out.splitlines()
    taken = "taken if 64 rows are enough and the gap at n = 200 is at most 1e-9 of the score, else a matrix"
    assert first == f"{law}; {taken}"
    assert any(line.startswith("1. split-and-cut") for line in rest)
    document = json.loads(mechdesign(*asked, "--json").out)
    assert document["law"] == first
    assert document["order"] == ["split-and-cut", "symmetric"]
    assert "law" not in json.loads(mechdesign("solve", "--n", 128, "--alpha", "0.8", "--plan", "--json").out)


def test_a_plan_says_that_no_matrix_fits_beside_a_law(mechdesign):
    asked = ("solve", "--n", 4095, "--alpha", "0.8", "--props", "WH,CM", "--plan")
    law, matrix = mechdesign(*asked).out.splitlines()
    assert law.startswith("law for every n: ")
    assert matrix.startswith("no matrix: the problem must fit the memory ")
    assert set(json.loads(mechdesign(*asked, "--json").out)) == {"law", "no matrix"}


def test_an_explanation_goes_to_stderr_beside_the_law(mechdesign):
    seen = mechdesign("solve", "--n", "any", "--alpha", "0.5", "--props", "F", "--explain")
    assert seen.code == 0
    check_wording(seen.err)
    assert seen.out.startswith("asked ")


@pytest.mark.slow
def test_a_law_is_written_out_at_one_size(mechdesign, capsys):
    """By solve and by report alike; the document is a design like any other."""
    mechdesign(*COLUMNS, "-o", "law.json", "-q")
    endings = (".csv", ".tex", ".lp", ".mps", ".vipr", ".png")
    asked = [option for ending in (".json", ".npz", *endings) for option in ("-o", f"of-law{ending}")]
    seen = mechdesign("report", "law.json", "--n", 20, *asked, "-q")
    assert (seen.code, seen.out) == (0, "")
    options = [option for ending in endings[:-1] for option in ("-o", f"asked{ending}")]
    layer = ("--n", 20, "--method", "layer", "--alpha", "0.8", "--props", "WH,CM")
    seen = mechdesign("solve", *layer, *options, "-q")
    assert (seen.code, seen.out) == (0, "")
    for ending in endings[:-1]:
        assert Path(f"asked{ending}").read_bytes() == Path(f"of-law{ending}").read_bytes()
    assert verify(["of-law.json"]) == 0
    capsys.readouterr()
    mechdesign("solve", "--n", 20, "--alpha", "0.8", "--props", "WH,CM", "-o", "own.json", "-q")
    own, of_law = (json.loads(Path(name).read_text()) for name in ("own.json", "of-law.json"))
    assert (of_law["format"], of_law["status"], of_law["method"]) == ("mechdesign-design/1", "exact", "layer")
    assert (of_law["score"], of_law["lower_bound"]) == (own["score"], own["lower_bound"])
    proof = [line for line in Path("of-law.vipr").read_text().splitlines() if line.startswith("RTP range ")]
    assert proof == [f"RTP range {of_law['score']['exact']} {of_law['score']['exact']}"]


def test_a_law_of_one_size_has_that_one(mechdesign):
    mechdesign("solve", "--n", 30, "--method", "layer", "--alpha", "0.8", "--props", "CM", "-o", "law.json", "-q")
    assert mechdesign("report", "law.json", "--n", 30, "-o", "a.csv", "-q").code == 0
    seen = mechdesign("report", "law.json", "--n", 31, "-o", "b.csv")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert not Path("b.csv").exists()


@pytest.mark.slow
def test_a_report_on_a_law(mechdesign):
    mechdesign(*COLUMNS, "-o", "law.json", "-q")
    shown = mechdesign("report", "law.json")
    assert (shown.code, shown.err) == (0, "")
    assert "8/9 + (203/1152)/n for every n from 11 on" in shown.out
    found = json.loads(mechdesign("report", "law.json", "--json").out)
    assert (found["from"], found["scores"][0]["score"]) == (11, "11467/12672 = 0.904909 (rounded up)")
    seen = mechdesign("report", "law.json", "-o", "law.html", "-o", "law.svg")
    assert (seen.code, seen.out, seen.err) == (0, "", "wrote law.html\nwrote law.svg\n")
    assert "for every n" in Path("law.html").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("report law.json -o a.csv", "--output of a law must end in .html, .png, .svg, .pdf, got a.csv; state --n"),
        ("report law.json --data saxony", "--data goes with a law with --n, got it with a law alone"),
        ("report law.json --n 10", "--n must be from 11 to 1000000000 for this law, got 10"),
        ("report law.json --n 5000", "--n must be at most 4095 to be written out as a matrix, got 5000"),
        ("derive law.json -o a.csv", "--output of a law for every n must end in .json, got a.csv; .*"),
        ("derive law.json --row-stochastic", "--row-stochastic goes with plain matrices, got it with a law"),
        ("simulate --data saxony --mechanism law.json", "--n must be given for a law for groups .*"),
        ("estimate a.csv --mechanism law.json", "--n must be given for a law for groups of every size, got none .*"),
    ],
)
def test_what_a_law_has_to_be_told(mechdesign, options, says):
    mechdesign(*COLUMNS, "-o", "law.json", "-q")
    seen = mechdesign(*options.split())
    assert (seen.code, seen.out) == (2, "")
    assert re.fullmatch(f"mechdesign: {says}\n", seen.err)
    assert [path.name for path in Path().iterdir()] == ["law.json"]


def test_a_false_law_is_written_out_by_nobody(mechdesign):
    mechdesign(*COLUMNS, "-o", "law.json", "-q")
    document = json.loads(Path("law.json").read_text())
    document["score"] = {"exact": "9/10", "value": 0.9}
    Path("law.json").write_text(json.dumps(document))
    for command in (["report", "law.json"], ["report", "law.json", "--n", 20], ["derive", "law.json"]):
        seen = mechdesign(*command)
        assert (seen.code, seen.out) == (1, "")
        check_wording(seen.err)


def test_whether_gm_gives_a_law_at_every_size(mechdesign):
    mechdesign(*COLUMNS, "-o", "law.json", "-q")
    mechdesign(*ANY, "--props", "F", "-o", "em.json", "-q")
    seen = mechdesign("derive", "law.json", "-o", "remap.json")
    assert (seen.code, seen.err) == (0, "wrote remap.json\n")
    assert "yes, for every n from 11 on: P = T GM exactly" in seen.out
    found = json.loads(Path("remap.json").read_text())
    assert found["remap"] == [
        ["125/256", *"000"],
        ["125/256", *"000"],
        ["3/128", "1", "11/16", "0"],
        [*"00", "5/16", "1"],
    ]
    at_one = json.loads(mechdesign("derive", "law.json", "--n", 11, "--json").out)
    assert [row[:4] for row in at_one["remap"][:4]] == found["remap"]
    seen = mechdesign("derive", "em.json", "-o", "remap.json", "--alpha", "0.5")
    assert (seen.code, "no, at no n: GM at alpha = 0.8 cannot give output 0" in seen.out) == (1, True)
    check_wording(seen.err)


def test_check_takes_no_options_of_matrices_with_a_law(mechdesign):
    mechdesign(*ANY, "-o", "law.json")
    seen = mechdesign("check", "law.json", "--alpha", "0.8")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


def test_the_remap_of_a_law_is_told_at_its_least_n(mechdesign):
    mechdesign("solve", "--n", "any", "--alpha", "0.62", "--props", "WH,RM", "--output", "law.json")
    found = json.loads(mechdesign("derive", "law.json", "--json").out)
    assert (found["derivable"], found["n"], found["remap_at"], found["fails_at"]) == (True, {"from": 4}, 4, None)
    mechdesign("solve", "--n", "any", "--alpha", "0.9", "--props", "WH,CM", "--output", "not.json")
    found = json.loads(mechdesign("derive", "not.json", "--json").out)
    assert (found["derivable"], found["n"], found["remap_at"], found["fails_at"]) == (False, {"from": 23}, None, 23)


def test_scores_of_a_law_are_exact_where_that_is_short_and_else_rounded_up(mechdesign):
    words = " ".join(mechdesign("solve", "--n", "any", "--alpha", "1/2", "--loss", "L2").out.split())
    assert "score at 7 519/256 = 2.027344 " in words
    assert re.search(r"score at 100 3\.83828383 \(rounded up\) score at 1000 3\.98368299 \(rounded up\)", words)


@pytest.mark.parametrize(("alpha", "rows"), [("1/2", "1 row"), ("0.9", "12 rows")])
def test_a_plan_counts_the_rows_of_a_law(mechdesign, alpha, rows):
    seen = mechdesign("solve", "--n", "any", "--alpha", alpha, "--props", "WH,CM", "--plan")
    assert f"the geometric mechanism but for about {rows} at each end, or more" in seen.out
