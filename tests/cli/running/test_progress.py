"""Progress of long work: a line a minute where nobody watches a terminal, also while nothing is told."""

import re
import threading
import time

import pytest

from mechdesign_cli.showing import progress

A_LINE = r"counting: 5 % after 0 min\n"


@pytest.fixture
def short_minutes(monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)


def test_a_line_a_minute_off_a_terminal(capsys, short_minutes):
    with progress.progress_after_a_second("counting", 200) as show:
        show(10)
        time.sleep(0.3)
        show(250)
        time.sleep(0.3)
    lines = capsys.readouterr().err
    assert re.match(f"({A_LINE}){{2,}}(counting: 100 % after 0 min\n){{2,}}$", lines)


def test_work_of_unknown_length(capsys, short_minutes):
    with progress.line_a_minute("designing"):
        time.sleep(0.3)
    assert re.match(r"(designing: after 0 min\n){2,}$", capsys.readouterr().err)


def test_short_work_says_nothing_and_leaves_no_thread(capsys):
    before = threading.active_count()
    with progress.progress_after_a_second("counting", 0) as show:
        show(0)
    with progress.line_a_minute("designing"):
        pass
    assert capsys.readouterr().err == ""
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "--n", 24, "--alpha", "0.9", "--loss", "L1", "--props", "CM", "--exact"),
        ("landscape", "--n", 6, "--alpha", "0.9", "--loss", "L1"),
        ("sweep", "--n", "16,20,24", "--alpha", "0.9", "--loss", "L1", "--props", "CM", "--jobs", 1, "-o", "t.csv"),
        ("compare", "--data", "binomial:0.3", "--n", 20, "--alpha", "0.9", "--mechanisms", "design:CM:L1,GM"),
    ],
)
def test_commands_that_take_long(mechdesign, monkeypatch, arguments):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    seen = mechdesign(*arguments)
    assert seen.code == 0
    assert re.search(r"^(designing|property subsets|releasing):.* after 0 min$", seen.err, re.MULTILINE)
