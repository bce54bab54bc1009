"""The map names what is there: every room, every function, and the way that values really take."""

import importlib
import inspect
import re
import shlex
import sys
from functools import cached_property
from pathlib import Path
from types import CodeType

import pytest

from mechdesign_cli.app import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
sys.path.insert(0, str(ROOT / "docs"))
MADE = importlib.import_module("extensions.room_tables")
ROOMS = MADE.room_tables()["rooms.md"]
NAMES = sorted(set(re.findall(r"`(mechdesign(?:_\w+)?(?:\.\w+)+)`", PAGE)))
WAYS = dict(re.findall(r"^### (A.*)\n((?:(?!^##).*\n)+)", PAGE, flags=re.MULTILINE))


def find(name):
    """The module of that name, or what stands in a module under it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = inspect.getattr_static(found, part, None)
        assert found is not None, f"docs/explanation/architecture.md names {name}, which is not there"
        return found
    raise AssertionError(f"{name} is in no package")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_is_there(name):
    assert find(name) is not None


@pytest.mark.parametrize("package", MADE.PACKAGES)
def test_every_room_stands_in_the_tables(package):
    part = ROOMS.partition(f"### {package}\n")[2].partition("\n###")[0]
    folder = Path(importlib.import_module(package).__file__).parent
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    rooms |= {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}
    assert rooms
    shown = re.findall(r"^\| \d+ \| `(\w+)` \|", part, flags=re.MULTILINE)
    beside = re.findall(r"`(\w+)`", part.partition("On no floor:")[2])
    assert sorted([*shown, *beside]) == sorted(rooms), "pyproject.toml has the contracts of import-linter"


def test_every_contract_stands_on_the_map():
    for contract in MADE.read_contracts():
        modules = [name for layer in contract.get("layers", ()) for name in MADE.names_in(layer)]
        own = {name.partition(".")[0] for name in modules}
        if not MADE.is_of_package(contract):
            assert f"| {contract['name']} |" in ROOMS
        else:
            part = ROOMS.partition(f"### {own.pop()}\n")[2].partition("\n###")[0]
            assert all(f"| `{name.partition('.')[2]}` |" in part for name in modules)


def test_what_is_forbidden_is_not_said_to_be_allowed():
    (row,) = re.findall(r"^\| 1 \| `verify` \|.*$", ROOMS, flags=re.MULTILINE)
    assert "`errors`" not in row


def code_of(name):
    """The code that runs when the function of that name is called, or an object of that class is made."""
    found = find(name)
    if inspect.isclass(found):
        found = found.__init__
    if isinstance(found, property | cached_property):
        found = found.fget if isinstance(found, property) else found.func
    if isinstance(found, classmethod | staticmethod):
        found = found.__func__
    return inspect.unwrap(found).__code__


def called_by(commands) -> dict[CodeType, int]:
    """The functions that commands call, in the order of their first calls."""
    seen: dict[CodeType, int] = {}

    def note(frame, event, _):
        if event == "call":
            seen.setdefault(frame.f_code, len(seen))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        codes = [run(shlex.split(command)[1:]) for command in commands]
    finally:
        sys.setprofile(before)
    assert codes == [0] * len(codes)
    return seen


@pytest.mark.parametrize("way", WAYS)
def test_a_value_goes_the_way_that_the_page_says(way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("city\n" + "a\nb\nb\n" * 20)
    Path("d.txt").write_text("a\nb\nc\n")
    Path("people.csv").write_text("area,poor\n" + "".join(f"{'abc'[k % 3]},{k % 2}\n" for k in range(12)))
    text = WAYS[way]
    commands = [" ".join(line.split()) for line in re.findall(r"`(mechdesign [^`]+)`", text)]
    names = re.findall(r"^\| `([\w.]+)` \|", text, flags=re.MULTILINE)
    assert commands
    assert len(names) >= 10
    called = called_by(commands)
    assert [name for name in names if code_of(name) not in called] == []
    assert names == sorted(names, key=lambda name: called[code_of(name)])


def test_the_page_has_three_ways_and_ten_decisions():
    assert len(WAYS) == 3
    assert [int(number) for number in re.findall(r"^\*\*(\d+)\. ", PAGE, flags=re.MULTILINE)] == list(range(1, 11))
    decisions = PAGE.partition("## Ten decisions")[2]
    assert decisions.count("Rejected:") == 10
