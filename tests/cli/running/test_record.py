"""Commands as records: one field is an option of the command line, the page, the Python text and the pages."""

import sys
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import typer
from wording import refused

from mechdesign_cli import commands
from mechdesign_cli.app import COMMAND_LINE, run
from mechdesign_cli.group import load_command
from mechdesign_cli.parsing import options
from mechdesign_cli.python_text import NoPythonError, PythonText
from mechdesign_cli.record import Command, Group, argument, function_of, option, panels_of, python_of, record_of
from mechdesign_cli.studio.options_table import find_command
from mechdesign_cli.studio.python_text import python_text
from mechdesign_cli.studio.steps import read_steps

DOCS = Path(__file__).parents[3] / "docs"


class Wording(Group, title="Wording"):
    """How it is said."""

    loud: bool = option("In capital letters.", default=False)
    json: bool = option("As JSON.", default=False)


class Greet(Command):
    """Say hello.

    Example: mechdesign greet Ann --top 2
    """

    names: list[str] | None = argument("Whom to greet.")
    top: int = option("How many of them.", default=3)
    hidden: int | None = option("No Python has it.")
    tone: str | None = option("How it is sung.", autocompletion=options.words("high", "low"))
    wording: Wording

    def run(self):
        for name in (self.names or ())[: self.top]:
            print(name.upper() if self.wording.loud else name)

    def python(self, text: PythonText):
        text.call("", text.use("greetings", "greet"), self.names, top=self.top, **self.wording.arguments("json"))


@pytest.fixture
def greet(monkeypatch):
    module = ModuleType("greet")
    module.Greet = Greet
    monkeypatch.setitem(commands.ROOMS, "scratch", {"greet": "Greet people."})
    monkeypatch.setitem(commands.SUMMARIES, "greet", "Greet people.")
    monkeypatch.setitem(sys.modules, "mechdesign_cli.commands.scratch", ModuleType("scratch"))
    monkeypatch.setitem(sys.modules, "mechdesign_cli.commands.scratch.greet", module)
    yield
    load_command.cache_clear()


def test_a_field_is_an_option_everywhere(greet, capsys, monkeypatch):
    assert run(["greet", "Ann", "Bob", "--top", "1", "--loud"]) == 0
    assert capsys.readouterr().out == "ANN\n"
    run(["greet", "--help"])
    help_ = capsys.readouterr().out
    assert "--top TOP How many of them. [default: 3]" in " ".join(help_.split())
    arguments, options, wording = (help_.index(title) for title in ("Arguments:", "Options:\n", "Wording:"))
    assert arguments < options < wording
    assert options < help_.index("--top TOP") < wording < help_.index("--loud ") < help_.index("--help ")
    monkeypatch.syspath_prepend(DOCS)
    assert "## Wording" in (page := import_module("extensions.command_pages").command_page("greet"))
    assert page.index("--top") < page.index("## Wording") < page.index("--loud")
    form = find_command("greet", COMMAND_LINE)
    assert asdict(form.options["top"]) == {
        **{"name": "top", "kind": "number", "negation": None, "repeatable": False},
        **{"help": "How many of them.", "default": "3", "metavar": "TOP", "choices": (), "printed": False},
    }
    assert form.options["tone"].choices == ("high", "low")
    assert form.options["json"].printed
    steps = read_steps(
        [{"command": "greet", "arguments": ["Ann"], "options": {"top": 2, "loud": True}}], {"greet": form}, {}
    )
    assert python_text(steps.steps, COMMAND_LINE) == (
        "from greetings import greet\n\ngreet(['Ann'], top=2, loud=True)\n"
    )


def test_an_option_that_python_leaves_out_is_noticed():
    given = {"names": ["Ann"], "top": 3, "hidden": 4, "tone": None, "loud": False, "json": True}
    record = record_of(Greet, given)
    assert record == Greet(names=["Ann"], hidden=4, wording=Wording(json=True))
    with refused(NoPythonError):
        python_of(record, PythonText())
    text = PythonText()
    python_of(replace(record, hidden=None), text)
    assert "greet(['Ann'], top=3)" in text.text()


def test_what_is_given_differs_from_the_default():
    assert Wording().arguments() == {}
    assert Wording(loud=True, json=True).arguments("json") == {"loud": True}
    greet = Greet(names=["Ann"], hidden=4, wording=Wording(loud=True, json=True))
    assert greet.given("json") == {"names": ["Ann"], "hidden": 4, "loud": True}
    assert list(greet.wording.given()) == ["loud", "json"]


class Pitch(Group, title="Pitch"):
    """A group whose option has another name than its field."""

    name: str | None = argument("Whom to greet.")
    octave: int = option("How high.", "--how-high", default=0)


class Sing(Command):
    """Sing, with an exit code."""

    loud: bool = option("In capital letters.", default=False)
    context: typer.Context
    pitch: Pitch

    def run(self):
        return self.pitch.octave + self.context.obj


def test_options_have_the_names_that_are_typed_and_the_code_is_returned():
    pitch = Pitch(name="Ann", octave=2)
    assert pitch.given() == {"name": "Ann", "how-high": 2}
    assert panels_of(Sing) == {"Arguments": ("name",), "Options": ("loud",), "Pitch": ("octave",)}
    app = typer.Typer()
    app.command()(function_of(Sing))
    assert app(["Ann", "--how-high", "2"], obj=40, standalone_mode=False) == 42
