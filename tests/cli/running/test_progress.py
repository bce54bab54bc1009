"""Progress of long work: a line a minute where nobody watches a terminal, also while nothing is told."""

import re
import threading

import pytest
from studios import wait_until

from mechdesign_cli.showing import progress


@pytest.fixture
def lines(monkeypatch):
    """What is said, a line every 0.05 seconds."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)
    said = []
    monkeypatch.setattr(progress, "say", said.append)
    return said


def await_lines(lines, start):
    """Wait until two lines that start so were said."""
    wait_until(lambda: sum(line.startswith(start) for line in lines) >= 2)


def test_a_line_a_minute_off_a_terminal(lines):
    with progress.progress_after_a_second("counting", 200) as show:
        show(10)
        await_lines(lines, "counting: 5 % after ")
        show(250)
        await_lines(lines, "counting: 100 % after ")
    pattern = r"(counting: 5 % after \d+ min\n){2,}(counting: 100 % after \d+ min\n){2,}"
    assert re.fullmatch(pattern, "\n".join([*lines, ""]))


def test_work_of_unknown_length(lines):
    with progress.line_a_minute("designing"):
        await_lines(lines, "designing: after ")
    assert all(re.fullmatch(r"designing: after \d+ min", line) for line in lines)


class Bar:
    """Notes what is done to a progress bar."""

    def __init__(self):
        self.calls = []

    def start(self):
        self.calls.append("start")

    def add_task(self, label, total):
        self.calls.append((label, total))
        return "task"

    def update(self, task, completed):
        assert task == "task"
        self.calls.append(completed)

    def stop(self):
        self.calls.append("stop")


@pytest.mark.parametrize(
    ("patience", "calls"), [(1e9, []), (-1.0, ["start", ("counting", 200), 10, 60, "stop"])], ids=["short", "long"]
)
def test_a_bar_on_a_terminal_comes_with_long_work_alone(monkeypatch, patience, calls):
    bar = Bar()
    monkeypatch.setattr(progress, "Progress", lambda **_: bar)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    with progress.progress_after_a_second("counting", 200) as show:
        show(10)
        show(60)
    assert bar.calls == calls


def test_short_work_says_nothing_and_leaves_no_thread(capsys):
    before = threading.active_count()
    with progress.progress_after_a_second("counting", 0) as show:
        show(0)
    with progress.line_a_minute("designing"):
        pass
    assert capsys.readouterr().err == ""
    assert threading.active_count() == before


class FirstMinute(threading.Event):
    """An event of which the first minute is always over."""

    is_over = False

    def wait(self, timeout=None):
        was_over, self.is_over = self.is_over, True
        return was_over and super().wait(timeout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "--n", 24, "--alpha", "0.9", "--loss", "L1", "--props", "CM", "--exact"),
        ("landscape", "--n", 6, "--alpha", "0.9", "--loss", "L1"),
        ("sweep", "--n", "16,20,24", "--alpha", "0.9", "--loss", "L1", "--props", "CM", "--jobs", 1, "-o", "t.csv"),
        ("compare", "--data", "binomial:0.3", "--n", 20, "--alpha", "0.9", "--mechanisms", "design:CM:L1;GM"),
    ],
)
def test_commands_that_take_long(mechdesign, monkeypatch, arguments):
    monkeypatch.setattr(progress, "Event", FirstMinute)
    seen = mechdesign(*arguments)
    assert seen.code == 0
    assert re.search(r"^(designing|property subsets|releasing):.* after \d+ min$", seen.err, re.MULTILINE)
