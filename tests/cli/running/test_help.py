"""What the help says of every command that the app has, and what the pages say of it."""

import re
import shlex
import signal
from pathlib import Path

import pytest

from mechdesign_cli.commands import GROUPS, SUMMARIES, TITLES, module_name
from mechdesign_cli.group import load_command, load_record

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
ON_PAGES = "".join(page.read_text() for page in HOW_TO.glob("*.md"))
"""Pages whose commands `tests/docs/test_blocks.py` runs."""

COMMANDS = list(SUMMARIES)
WIDTH = 80

PEOPLE = (
    "local privatize --oracle inpht:k=2 --epsilon 1 --input people.csv --columns cc,tip --domain attributes.csv "
    "-o people.parquet"
)

NOISE_TABLE = "table design --noise 5 --variance 3 --block 2 --guarantee 1:0.02@1 -o t.json"

BEFORE = {
    "table compare": [NOISE_TABLE, "table export t.json --for tau-argus -o p5.csv"],
    "table export": [NOISE_TABLE],
    "table apply": [NOISE_TABLE, "data titanic --columns class,sex,survived -o people.csv"],
    "check": ["solve --n 12 --alpha 0.9 --props WH,CM -o wm.json"],
    "derive": ["solve --n 8 --alpha 0.9 -o design.json"],
    "release": ["solve --n 12 --alpha 0.9 --props WH,CM -o wm.json"],
    "studio": ["solve --n 12 --alpha 0.9 --props WH,CM -o wm.json"],
    "report": [
        "solve --n 12 --alpha 0.9 --props WH,CM -o wm.json",
        "solve --n any --alpha 0.8 --props WH,CM -o law.json",
    ],
    "estimate": [
        "solve --n 12 --alpha 0.9 --props WH,CM -o wm.json",
        "release --data saxony --mechanism wm.json -o released.csv",
    ],
    "simulate": ["solve --n 12 --alpha 0.9 --props WH,CM -o wm.json"],
    "local oracles": ["local design --k 16 --epsilon 1 --workload prefixes --gap 0.05 -o prefix16.json"],
    "local task receive": ["local task new --oracle olh --epsilon 1 --domain d.txt -o task.json"],
    "local task show": ["local task new --oracle olh --epsilon 1 --domain d.txt -o task.json"],
    "local privatize": ["local task new --oracle olh --epsilon 1 --domain d.txt -o task.json"],
    "ledger list": ["ledger new office.db --budget 1"],
    "ledger export": ["ledger new office.db --budget 1"],
    "local aggregate": [
        "local task new --oracle olh --epsilon 1 --domain d.txt -o task.json",
        "local privatize --oracle olh --epsilon 1 --input v.csv --domain d.txt -o reports.parquet",
    ],
    "local ranges": ["local privatize --oracle hh:b=4 --epsilon 1 --input ages.csv --bins 0:120:1 -o ages.parquet"],
    "local marginals": [PEOPLE],
    "local dependence": [PEOPLE],
}
"""What must be there before a command's example can run."""


def test_every_module_is_a_command():
    rooms = Path(load_record.__code__.co_filename).parent / "commands"
    modules = {f"{path.parent.name}.{path.stem}" for path in rooms.glob("*/*.py") if path.stem != "__init__"}
    listed = {module_name(command).removeprefix("mechdesign_cli.commands.") for command in COMMANDS}
    assert modules == listed, "ROOMS of cli/mechdesign_cli/commands/__init__.py must have a line for each module"


def test_every_line_of_the_help_is_whole(mechdesign, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    lines = mechdesign("--help").out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    listed = lines[lines.index("Counts:") :]
    assert [line for line in listed if re.fullmatch(r"\S.*:", line)] == [f"{title}:" for title in TITLES.values()]
    shown = dict(found.groups() for line in listed if (found := re.fullmatch(r"  (\S+) +(.*)", line)))
    assert shown == {command: summary for command, summary in {**SUMMARIES, **GROUPS}.items() if " " not in command}
    assert list(shown) == list(dict.fromkeys(command.partition(" ")[0] for command in COMMANDS))
    assert all(summary.endswith(".") for summary in {**SUMMARIES, **GROUPS}.values())


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_that_runs(mechdesign, monkeypatch, command):
    text = " ".join(mechdesign(*command.split(), "--help").out.split())
    assert text.startswith(f"Usage: mechdesign {command} ")
    assert SUMMARIES[command] in text
    headings = ["Options", "Arguments", *getattr(load_command(command), "panels", ())]
    before = min((text.split(f" {heading}:")[0] for heading in headings), key=len)
    examples = before.split("Example: mechdesign ")[1:]
    assert examples
    Path("v.csv").write_text("city\n" + "a\nb\nb\n" * 20)
    Path("u.csv").write_text("id,city\n" + "".join(f"u{number},{'abb'[number % 3]}\n" for number in range(60)))
    Path("ages.csv").write_text("age\n" + "30\n41\n0\n" * 20)
    Path("ranges.csv").write_text("first,last\n0,17\n18,64\n")
    Path("d.txt").write_text("a\nb\nc\n")
    Path("sums.csv").write_text("place,sum\n0,20\n1,40\n2,30\n")
    Path("messages.txt").write_text("000102\n030201\n")
    Path("people.csv").write_text("cc,toll,far,tip\n" + "no,no,no,no\nyes,no,yes,yes\n" * 60)
    bits = [f"{name},{item}\n" for name in ("cc", "toll", "far", "tip") for item in ("no", "yes")]
    Path("attributes.csv").write_text("column,item\n" + "".join(bits))
    monkeypatch.setattr("mechdesign_studio.serving.serve", lambda *_: signal.SIGCHLD)  # ignored; else until Ctrl-C
    alone = [line for line in map(str.strip, examples) if f"$ mechdesign {line}\n" not in ON_PAGES]
    for line in [*BEFORE.get(command, []), *alone] if alone else []:
        seen = mechdesign(*shlex.split(line))
        assert seen.code == 0, seen.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_a_how_to_page(command):
    is_used = any(re.search(rf"\bmechdesign {command}(?![\w-])", page.read_text()) for page in HOW_TO.glob("*.md"))
    assert is_used, f"a page of docs/how-to must use `mechdesign {command}`"


@pytest.mark.parametrize("name", ["local aggregate", "local privatize", "release", "report", "local task new"])
def test_grouped_options_are_each_shown_once(mechdesign, name):
    command = load_command(name)
    shown = [name for names in command.panels.values() for name in names]
    assert sorted([*shown, "quiet"]) == sorted([*(parameter.name for parameter in command.params), "help"])
    lines = [line.strip() for line in mechdesign(*name.split(), "--help").out.splitlines()]
    for title in command.panels:
        assert f"{title}:" in lines
    assert sum(line.startswith("-q, --quiet") for line in lines) == 1


def test_the_comparisons_have_only_their_own_options():
    taken = {
        name: {text for p in load_command(name).params for text in p.opts} for name in ("compare", "local compare")
    }
    assert taken["compare"].isdisjoint({"--model", "--oracles", "--domain", "--k", "--simulate", "--post"})
    assert taken["local compare"].isdisjoint(
        {"--model", "--mechanisms", "--target", "--bit", "--group", "--n", "--loss"}
    )


LONGEST = 25
"""Words that a sentence of the help may have."""

RIDDLES = re.compile(
    r"(?:^|[.;:,] )[Ww]ho(?:m|ever)? |of which it|of whom|it is said|\b(?:is|are) told\b|\bstands? in\b|by themselves"
)
"""What made sentences of the help hard to read: subjects without a name, and verbs that do not say what happens."""


@pytest.mark.parametrize("command", COMMANDS)
def test_sentences_of_the_help_are_short_and_no_riddles(command):
    found = load_command(command)
    paragraphs = [text for text in (found.help or "").split("\n\n") if not text.strip().startswith("Example")]
    for text in (*paragraphs, *(parameter.help or "" for parameter in found.params)):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z-])", " ".join(text.split())):
            assert len(sentence.split()) <= LONGEST, sentence
            assert not RIDDLES.search(sentence), sentence


@pytest.mark.parametrize("command", COMMANDS)
def test_values_have_telling_names(mechdesign, command):
    seen = " ".join(mechdesign(*command.split(), "--help").out.split())
    assert not re.search(r"<\w+|\{\w+\}", seen)
    for parameter in load_command(command).params:
        if parameter.param_type_name == "option" and not parameter.is_flag:
            assert re.search(rf"{parameter.opts[0]} [A-Z]+", seen), parameter.name
