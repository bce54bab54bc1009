"""Steps of a studio's job, run as commands and as Python, with the results compared."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.studio.python_text import python_text

DISTANCES = "0,1,3\n1,0,2\n3,2,0\n"


@dataclass(frozen=True)
class Step:
    command: str
    arguments: tuple = ()
    options: dict = field(default_factory=dict)

    @property
    def words(self):
        return words_of(self)


@dataclass(frozen=True)
class Case:
    """Steps, and how what the Python found and what the last command's JSON says are compared."""

    steps: list
    found: Callable
    stated: Callable


def rows_of(space):
    return json.loads(json.dumps(space["rows"].tabulate().entries()))


def stated_rows(document):
    return document["rows"]


def write_inputs():
    Path("km.csv").write_text(DISTANCES)
    Path("loss.csv").write_text("0,1,5\n1/2,0,1/2\n5,1,0\n")
    Path("prior.txt").write_text("0.5\n0.25\n0.25\n")
    Path("rows.csv").write_text("0.5,0.25,0.25\n0.25,0.5,0.25\n0.125,0.375,0.5\n")
    Path("bad.csv").write_text("0.9,0.1,0.1\n0.05,0.8,0.1\n0.05,0.1,0.8001\n")
    Path("released.csv").write_text("town,released\n" + "a,1\nb,2\nc,3\n" * 9)
    rows = "".join(f"{'abc'[k % 3]},{k % 2},{k % 70}\n" for k in range(60))
    Path("people.csv").write_text(f"town,yes,age\n{rows}")
    Path("ranges.csv").write_text("first,last\n0,29\n10..19,10..19\n")
    Path("messages.txt").write_text("00\n02\n01\n00\n")
    Path("sums.csv").write_text("place,sum\n0,50\n1,30\n2,20\n")
    Path("towns.txt").write_text("a\nb\nc\n")
    Path("attributes.csv").write_text("column,item\ntown,a\ntown,b\ntown,c\nyes,0\nyes,1\n")


def words_of(step):
    words = step.command.split()
    for name, value in step.options.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name}"] if one is True else [f"--{name}", one]
    return [*words, *step.arguments]


def run_python(text):
    space = {}
    exec(compile(text, "snippet", "exec"), space)
    return space


def require_same(case, mechdesign, monkeypatch, tmp_path):
    steps = [Step(*step) for step in case.steps]
    for folder in ("command", "python"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "command")
    write_inputs()
    for step in steps[:-1]:
        assert mechdesign(*words_of(step)).code == 0
    wants_json = () if steps[-1].command == "privatize" else ("--json",)
    seen = mechdesign(*words_of(steps[-1]), *wants_json)
    assert seen.code in (0, 1), seen.err
    assert seen.out, seen.err
    stated = case.stated(json.loads(seen.out)) if case.stated else case.found({})
    written = {path.name for path in Path.cwd().iterdir()}
    monkeypatch.chdir(tmp_path / "python")
    write_inputs()
    text = python_text(steps, COMMAND_LINE)
    assert text is not None
    assert case.found(run_python(text)) == stated
    assert {path.name for path in Path.cwd().iterdir()} == written
