"""`mechdesign report`: reports on proved designs, and their conversions."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from wording import check_wording

from mechdesign import export, read_design

ENDINGS = (".json", ".csv", ".npz", ".vipr", ".lp", ".mps")


@pytest.fixture
def wm(mechdesign):
    assert mechdesign("solve", "--n", 4, "--alpha", "0.9", "--props", "WH,CM", "-o", "wm.json").code == 0
    return Path("wm.json")


def test_conversions_are_what_solve_exports(mechdesign, wm):
    names = [f"made{ending}" for ending in ENDINGS]
    solved = [word for ending in ENDINGS for word in ("-o", f"solved{ending}")]
    assert mechdesign("solve", "--n", 4, "--alpha", "0.9", "--props", "WH,CM", *solved).code == 0
    seen = mechdesign("report", wm, *(word for name in names for word in ("-o", name)))
    assert (seen.code, seen.out) == (0, "")
    assert seen.err.splitlines()[: len(names)] == [f"wrote {name}" for name in names]
    for ending in (".csv", ".vipr", ".lp", ".mps"):
        assert Path(f"made{ending}").read_bytes() == Path(f"solved{ending}").read_bytes()
    assert Path("made.json").read_text() == wm.read_text()
    with np.load("made.npz") as made:
        assert str(made["document"]) == wm.read_text()


def test_a_document_that_came_back_from_npz_gives_the_same(mechdesign, wm):
    assert mechdesign("report", wm, "-o", "one.npz").code == 0
    assert mechdesign("report", "one.npz", "-o", "two.json").code == 0
    assert Path("two.json").read_text() == wm.read_text()


@pytest.mark.slow
def test_pictures_and_the_page(mechdesign, wm):
    seen = mechdesign("report", wm, "-o", "wm.html", "-o", "wm.png", "-o", "wm.svg", "-o", "wm.pdf")
    assert (seen.code, seen.out) == (0, "")
    assert Path("wm.png").read_bytes().startswith(b"\x89PNG")
    assert Path("wm.svg").read_text().startswith("<?xml")
    assert Path("wm.pdf").read_bytes().startswith(b"%PDF")
    page = Path("wm.html").read_text()
    assert "What each property costs" in page
    assert mechdesign("report", wm, "-o", "short.html", "--no-prices").code == 0
    assert "What each property costs" not in Path("short.html").read_text()


def test_the_page_to_hand_on_is_that_of_export(mechdesign, wm):
    seen = mechdesign("report", wm, "--page", "board.html", "-o", "wm.csv")
    assert (seen.code, seen.out) == (0, "")
    export(read_design(wm), "export.html")
    assert Path("board.html").read_bytes() == Path("export.html").read_bytes()
    for arguments in (
        ("--page", "board.txt"),
        ("--page", "two.html", "-o", "two.html"),
        ("--page", wm),
        ("--page", "no/such/folder.html"),
    ):
        seen = mechdesign("report", wm, *arguments)
        check_wording(seen.err)
        assert (seen.code, seen.out, len(seen.err.splitlines())) == (2, "", 1)
    assert not Path("two.html").exists()


def test_a_false_document_gets_no_page(mechdesign, wm):
    Path("false.json").write_text(wm.read_text().replace('"391/405"', '"390/405"'))
    seen = mechdesign("report", "false.json", "--page", "false.html")
    assert (seen.code, Path("false.html").exists()) == (1, False)


def test_json_is_the_report_as_data(mechdesign, wm):
    seen = mechdesign("report", wm, "--json")
    found = json.loads(seen.out)
    assert (seen.code, seen.err, found["score"]["exact"]) == (0, "", "391/405")
    assert found["prices"] is None
    priced = json.loads(mechdesign("report", wm, "--json", "--prices").out)["prices"]
    assert priced["format"] == "mechdesign-landscape/1"
    assert any(group["score"]["exact"] == "391/405" for group in priced["classes"])


def test_without_files_the_report_is_printed(mechdesign, wm):
    seen = mechdesign("report", wm, "--prices", "--data", "binomial:1/3", "--repetitions", 2, "--seed", 1)
    assert (seen.code, seen.err) == (0, "")
    for part in ("391/405", "every score exact", "this design", "error-rate", "2,500 groups of n = 4"):
        assert part in seen.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "wm.txt"),
        ("-o", "wm.json"),
        ("--repetitions", 3),
        ("--bit", "x"),
        ("--data", "saxony"),
        ("--data", "saxony", "--input", "x.csv"),
    ],
    ids=["ending", "itself", "repetitions", "bit", "size", "both"],
)
def test_what_cannot_be_reported_is_one_line(mechdesign, wm, arguments):
    seen = mechdesign("report", wm, *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


def test_a_false_document_is_refused_before_anything_is_written(mechdesign, wm):
    Path("false.json").write_text(wm.read_text().replace('"391/405"', '"390/405"'))
    seen = mechdesign("report", "false.json", "-o", "false.html", "-o", "false.npz")
    assert seen.code == 1
    check_wording(seen.err)
    assert not list(Path.cwd().glob("false.[hn]*"))


def test_a_plain_matrix_has_no_proof_to_report(mechdesign):
    Path("m.csv").write_text("0.5,0.5\n0.5,0.5\n")
    seen = mechdesign("report", "m.csv")
    assert seen.code == 2
    check_wording(seen.err)


@pytest.fixture
def prefixes(mechdesign):
    words = (
        "local",
        "design",
        "--k",
        4,
        "--epsilon",
        1,
        "--workload",
        "prefixes",
        "-o",
        "prefix4.json",
        "-o",
        "prefix4.npz",
    )
    return mechdesign(*words)


def test_a_design_for_a_workload_is_reported_as_it_was_shown(mechdesign, prefixes):
    seen = mechdesign("report", "prefix4.json")
    assert (seen.code, seen.err) == (0, "")
    shown = [re.sub(r"solve .*", "", line).rstrip() for line in prefixes.out.splitlines()]
    assert [
        re.sub(r"solve .*", "", line).rstrip() for line in seen.out.replace("--json)", "--json --summary)").splitlines()
    ] == shown
    found = json.loads(mechdesign("report", "prefix4.npz", "--json").out)
    assert found["variance"]["upper"] == json.loads(Path("prefix4.json").read_text())["variance"]["upper"]
    assert all(row["ratio"] >= 1 for row in found["oracles"])


@pytest.mark.slow
def test_a_design_for_a_workload_is_converted(mechdesign, prefixes):
    words = ("-o", "a.html", "-o", "a.csv", "-o", "a.npz", "-o", "a.json", "-o", "a.png")
    assert mechdesign("report", "prefix4.json", *words).code == 0
    assert Path("a.json").read_bytes() == Path("prefix4.json").read_bytes()
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    with np.load("a.npz") as made:
        assert str(made["document"]) == Path("prefix4.json").read_text()
    page = Path("a.html").read_text()
    assert "Report on prefix4.json" in page
    assert "warped-blocks" in page
    assert not any(words in page for words in ("<script", " src="))


@pytest.mark.parametrize(
    "words", [("--n", 4), ("--data", "saxony"), ("--prices",), ("--released", "r.csv"), ("-o", "a.vipr")]
)
def test_options_of_other_designs_do_not_go_with_one_for_a_workload(mechdesign, prefixes, words):
    seen = mechdesign("report", "prefix4.json", *words)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert not Path("a.vipr").exists()


def test_a_false_design_for_a_workload_has_no_report(mechdesign, prefixes):
    document = json.loads(Path("prefix4.json").read_text())
    document["weights"][0] = str(int(document["weights"][0]) + 1)
    Path("prefix4.json").write_text(json.dumps(document))
    seen = mechdesign("report", "prefix4.json", "-o", "a.html")
    assert (seen.code, seen.out) == (1, "")
    assert not Path("a.html").exists()


def test_a_design_of_levels_is_reported(mechdesign):
    made = mechdesign("local", "design", "--k", 100, "--epsilon", 1, "--workload", "ranges", "-o", "levels.json")
    seen = mechdesign("report", "levels.json")
    assert (seen.code, seen.err) == (0, "")
    shown, again = (
        [line.rstrip() for line in text.splitlines() if "solve" not in line] for text in (made.out, seen.out)
    )
    assert again == shown
    found = json.loads(mechdesign("report", "levels.json", "--json").out)
    assert (found["format"], found["oracles"]) == ("mechdesign-workload/3", [])
    assert mechdesign("report", "levels.json", "-o", "again.json", "-o", "a.html").code == 0
    assert Path("again.json").read_bytes() == Path("levels.json").read_bytes()
    assert "How often each level is drawn" in Path("a.html").read_text()
    refused = mechdesign("report", "levels.json", "-o", "a.csv")
    assert (refused.code, refused.out) == (2, "")
    check_wording(refused.err)
