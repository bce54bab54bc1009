"""`--quiet`: files, documents, errors and exit codes alone."""

import json
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign_cli.commands import SUMMARIES

DESIGN = ("solve", "--n", "6", "--alpha", "0.9", "--props", "WH,CM")


@pytest.mark.parametrize("place", ["before", "after"])
def test_no_report_and_no_remarks(mechdesign, place):
    wanted = ("--output", "wm.json")
    line = ("--quiet", *DESIGN, *wanted) if place == "before" else (*DESIGN, *wanted, "-q")
    seen = mechdesign(*line)
    assert (seen.code, seen.out, seen.err) == (0, "", "")
    assert json.loads(Path("wm.json").read_text())["status"] == "exact"


def test_the_document_that_was_asked_for_is_printed(mechdesign):
    assert json.loads(mechdesign(*DESIGN, "--json", "-q").out)["problem"]["n"] == 6


def test_a_verdict_is_the_exit_code(mechdesign):
    mechdesign(*DESIGN, "--output", "wm.json")
    assert mechdesign("check", "wm.json", "--alpha", "0.9", "-q").code == 0
    text = Path("wm.json").read_text().replace('"alpha": "9/10"', '"alpha": "99/100"')
    Path("false.json").write_text(text)
    seen = mechdesign("check", "false.json", "-q")
    assert (seen.code, seen.out, seen.err) == (1, "", "")


def test_errors_are_said(mechdesign):
    seen = mechdesign("--quiet", "solve", "--n", "6", "--alpha", "1.7")
    assert seen.code == 2
    check_wording(seen.err)


def test_the_next_command_speaks_again(mechdesign):
    mechdesign(*DESIGN, "-q")
    seen = mechdesign(*DESIGN, "--output", "wm.json")
    assert "score" in seen.out
    assert seen.err == "wrote wm.json\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", SUMMARIES)
def test_every_command_has_it(mechdesign, command):
    assert "-q, --quiet" in mechdesign(*command.split(), "--help").out
