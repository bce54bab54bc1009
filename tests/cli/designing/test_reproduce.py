"""`mechdesign reproduce`, as a caller sees it."""

import json
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign import InputError
from mechdesign_catalog.datasets import published
from mechdesign_figures.claims import ledger
from mechdesign_figures.studies.registry import STUDIES


def test_the_list(mechdesign):
    seen = mechdesign("reproduce")
    assert seen.code == 0
    assert seen.out.count("\n    setting  ") == len(STUDIES)
    studies = json.loads(mechdesign("reproduce", "--json").out)["studies"]
    assert [study["number"] for study in studies] == list(STUDIES)


@pytest.mark.slow
def test_a_picture_and_its_table(mechdesign):
    seen = mechdesign("reproduce", "6.2", "6.2", "--jobs", "1")
    assert (seen.code, seen.out) == (0, "")
    assert seen.err == "wrote figures/gallery/6.2.png\nwrote figures/gallery/6.2.csv\n"
    assert Path("figures/gallery/6.2.png").read_bytes().startswith(b"\x89PNG")
    assert Path("figures/gallery/6.2.csv").read_text().startswith("mechanism,n,alpha,output,input,")
    again = mechdesign("reproduce", "6.2", "--output", "elsewhere", "--format", "SVG", "--jobs", "1")
    assert again.code == 0
    assert sorted(path.name for path in Path("elsewhere/gallery").iterdir()) == ["6.2.csv", "6.2.svg"]


def test_the_ledger(mechdesign, monkeypatch):
    monkeypatch.setattr(ledger, "CLAIMS", [claim for claim in ledger.CLAIMS if claim.key == "Example 1"])
    measure = ledger.measure_claims
    monkeypatch.setattr(
        ledger, "measure_claims", lambda cache, report: measure(cache, report=report, claims=ledger.CLAIMS)
    )
    seen = mechdesign("reproduce", "--claims")
    assert (seen.code, seen.err) == (0, "wrote figures/CLAIMS.md\n")
    assert "| holds |" in Path("figures/CLAIMS.md").read_text()


@pytest.mark.slow
def test_without_the_adult_file_the_rest_is_made(mechdesign, monkeypatch):
    def out_of_reach(file):
        raise InputError("adult.data must be fetched, got no answer")

    monkeypatch.delenv("MECHDESIGN_DATA", raising=False)
    monkeypatch.setattr(published.PublishedFile, "_cached", out_of_reach)
    seen = mechdesign("reproduce", "6.9", "6.2", "--jobs", "1")
    assert seen.code == 2
    assert seen.err.splitlines() == [
        "6.9 is left out, for want of its data",
        "wrote figures/gallery/6.2.png",
        "wrote figures/gallery/6.2.csv",
        "mechdesign: adult.data must be fetched, got no answer",
    ]
    assert sorted(path.name for path in Path("figures/gallery").iterdir()) == ["6.2.csv", "6.2.png"]


def test_nothing_made_leaves_no_folder(mechdesign, monkeypatch):
    def out_of_reach(file):
        raise InputError("adult.data must be fetched, got no answer")

    monkeypatch.delenv("MECHDESIGN_DATA", raising=False)
    monkeypatch.setattr(published.PublishedFile, "_cached", out_of_reach)
    assert mechdesign("reproduce", "6.9", "-o", "here").code == 2
    assert not Path("here/gallery").exists()


BAD = [
    ["6.99"],
    ["6.2", "--all"],
    ["6.2", "--format", "gif"],
    ["6.2", "--jobs", "0"],
    ["6.2", "--json"],
    ["6.2", "-o", "taken"],
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda value: " ".join(value)[:40])
def test_bad_input_is_one_line_and_nothing_is_written(mechdesign, arguments):
    Path("taken").write_text("a file")
    seen = mechdesign("reproduce", *arguments)
    assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
    check_wording(seen.err)
    assert [path.name for path in Path().iterdir()] == ["taken"]
