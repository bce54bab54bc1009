"""Commands of two words: how they are run, listed, completed and documented, by a group that is made up here."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from wording import check_wording

from mechdesign_cli import commands
from mechdesign_cli.commands import GROUPS, SUMMARIES, command_of, module_name
from mechdesign_cli.group import load_command
from mechdesign_cli.record import Command, option
from mechdesign_cli.showing.messages import say


class PairUpAll(Command):
    """Pair them.

    Example: mechdesign pair up-all
    """

    count: int = option("How many.", default=2)

    def run(self):
        print("paired", self.count)
        say("all of them")


@pytest.fixture
def pair(monkeypatch):
    """A group `pair` with the commands `up-all` and `off`."""
    monkeypatch.setitem(commands.ROOMS, "made-up", {"pair up-all": "Pair all.", "pair off": "Pair some."})
    monkeypatch.setitem(SUMMARIES, "pair up-all", "Pair all.")
    monkeypatch.setitem(SUMMARIES, "pair off", "Pair some.")
    monkeypatch.setitem(GROUPS, "pair", "Make pairs.")
    module = ModuleType(module_name("pair up-all"))
    module.PairUpAll = PairUpAll
    monkeypatch.setitem(sys.modules, module.__name__, module)
    yield
    load_command.cache_clear()


def test_names_of_modules(pair):
    assert module_name("pair up-all") == "mechdesign_cli.commands.made-up.pair_up_all"


def test_a_command_of_two_words_runs(mechdesign, pair):
    seen = mechdesign("pair", "up-all", "--count", 3)
    assert (seen.code, seen.out) == (0, "paired 3\n")
    check_wording(seen.err)


@pytest.mark.parametrize(
    "words", [("-q", "pair", "up-all"), ("pair", "-q", "up-all"), ("pair", "up-all", "-q")], ids=" ".join
)
def test_it_may_be_quiet(mechdesign, pair, words):
    seen = mechdesign(*words)
    assert (seen.code, seen.out, seen.err) == (0, "", "")


@pytest.mark.parametrize("words", [("pair",), ("pair", "--help")], ids=" ".join)
def test_the_first_word_lists_them(mechdesign, pair, words):
    seen = mechdesign(*words)
    assert (seen.code, seen.err) == (0, "")
    lines = [line.strip() for line in seen.out.splitlines()]
    assert lines[0] == "Usage: mechdesign pair [OPTIONS] COMMAND [ARGS]..."
    assert "Make pairs." in lines
    assert [line.split(maxsplit=1) for line in lines[lines.index("Commands:") + 1 :]] == [
        ["up-all", "Pair all."],
        ["off", "Pair some."],
    ]


def test_the_list_of_all_has_the_group(mechdesign, pair):
    lines = [line.split(maxsplit=1) for line in mechdesign("--help").out.splitlines() if line]
    assert ["pair", "Make pairs."] in lines
    assert not any(line[0] in ("up-all", "off") for line in lines)


def test_errors_name_the_whole_command(mechdesign, pair):
    check_wording(mechdesign("pair", "up-all", "--count", "x").err)
    seen = mechdesign("pair", "of")
    assert seen.code == 2
    check_wording(seen.err)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "offered"),
    [("mechdesign pai", "pair"), ("mechdesign pair ", "up-all\noff"), ("mechdesign pair up-all --c", "--count")],
    ids=["group", "commands", "options"],
)
def test_words_are_completed(mechdesign, pair, monkeypatch, line, offered):
    monkeypatch.setenv("_MECHDESIGN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    assert mechdesign("pair").out.split() == offered.split()


def test_pages(pair, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "docs")
    pages = import_module("extensions.command_pages")
    monkeypatch.setitem(commands.TITLES, "made-up", "Made up")
    assert "| [`mechdesign pair up-all`](pair-up-all.md) | Pair all. |" in pages.index_page()
    page = pages.command_page("pair up-all")
    assert page.startswith("# mechdesign pair up-all\n\nPair all.\n")
    assert "```{program} mechdesign pair up-all\n```" in page
    assert "mechdesign pair up-all [OPTIONS]" in page


@pytest.mark.parametrize(
    ("words", "command"),
    [([], ""), (["solve", "--n"], "solve"), (["pair"], "pair"), (["pair", "off", "x"], "pair off")],
    ids=["none", "alone", "group", "grouped"],
)
def test_the_command_of_a_line(pair, words, command):
    assert command_of(words) == command
