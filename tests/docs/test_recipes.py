"""Each recipe of the page on extending is followed word for word on a copy of the sources, and works there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import COLUMNS, console_commands, difference

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
PAGE = (HOW_TO / "extend.md").read_text(encoding="utf-8")
PACKAGES = (
    "mechdesign",
    "catalog/mechdesign_catalog",
    "figures/mechdesign_figures",
    "cli/mechdesign_cli",
    "cli/mechdesign_studio",
)
TESTS = ("tests/helpers", "tests/mechdesign")
"""Those that recipes add to, and run."""

RECIPES = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)+)", PAGE, flags=re.MULTILINE))
BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(recipe: str, tree: Path) -> list[str]:
    """Do what the blocks of a recipe say, in their order; returns the blocks of commands."""
    commands = []
    for language, block in BLOCK.findall(recipe):
        name, text = block.split("\n", 1)
        if language == "console":
            commands.append(block)
        elif language == "python":
            write_new(tree / name.removeprefix("# "), text)
        else:
            edit(tree / name.removeprefix("--- "), text.splitlines())
    return commands


def write_new(path: Path, text: str) -> None:
    assert not path.exists()
    path.write_text(text, encoding="utf-8")


def edit(path: Path, lines: list[str]) -> None:
    """Replace the lines of an edit; those that are there already must stand in one place alone."""
    before, after = (
        "".join(f"{line[1:]}\n" for line in lines if line[:1] != left_out or not line) for left_out in ("+", "-")
    )
    text = path.read_text(encoding="utf-8")
    assert f"\n{text}".count(f"\n{before}") == 1, f"{path.name} must have these lines once:\n{before}"
    path.write_text(f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:], encoding="utf-8")


def run(command: str, tree: Path) -> str:
    """What a command prints with the packages of the copy."""
    roots = [tree, *(tree / package for package in ("catalog", "figures", "cli"))]
    words = command.replace("mechdesign ", "python -m mechdesign_cli ", 1) if command[:4] == "mech" else command
    ran = subprocess.run(
        ["bash", "-c", words],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "COLUMNS": str(COLUMNS),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}"
    return ran.stdout


@pytest.fixture
def tree(tmp_path):
    for package in (*PACKAGES, *TESTS):
        shutil.copytree(ROOT / package, tmp_path / package)
    for name in ("pyproject.toml", "tests/conftest.py", "tests/wording.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def class_of_own_oracle() -> str:
    """The module of the class that the page on an oracle of one's own writes."""
    page = (HOW_TO / "own-oracle.md").read_text(encoding="utf-8")
    block = next(text for _, text in BLOCK.findall(page) if "class Keep" in text)
    text = block.partition("\n\noracle = ")[0].replace("import mechdesign as md\n", "")
    return f'"""Keep the own item half as often."""\n\n{text}'


def test_the_page_has_the_six_recipes():
    kinds = ("property", "loss", "workload", "local system", "command", "figure")
    assert list(RECIPES) == [f"A {kind}" for kind in kinds]


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works(name, tree):
    if name == "A local system":
        write_new(tree / "catalog/mechdesign_catalog/systems/flat/keep.py", class_of_own_oracle())
    blocks = follow(RECIPES[name], tree)
    assert blocks
    for command, promised in (one for block in blocks for one in console_commands(block)):
        printed = run(command, tree)
        assert difference(promised, printed) is None
        assert "FALSE" not in printed


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+/[\w/]+\.(?:py|pyi|js|md))`", PAGE))))
def test_a_file_that_the_page_names_is_there(name):
    places = [ROOT, ROOT / "catalog/mechdesign_catalog", ROOT / "cli/mechdesign_studio/page/js"]
    assert any((place / name).is_file() for place in places)


@pytest.mark.parametrize(("recipe", "sibling"), [("A loss", "PB"), ("A workload", "circular")])
def test_the_places_that_no_test_names_list_the_others(recipe, sibling):
    """A file that a recipe ends with has the names of its kind, so whoever follows it finds the line."""
    _, _, after = RECIPES[recipe].partition("No test names these:")
    end = "\n".join(line for line in after.splitlines() if line.startswith("- "))
    places = [ROOT, ROOT / "cli/mechdesign_studio/page/js", HOW_TO]
    names = [*re.findall(r"`([\w/]+\.(?:py|js|md))`", end), *re.findall(r"\]\(([\w./-]+\.md)\)", end)]
    assert len(names) > 4
    for name in names:
        texts = [(place / name).read_text(encoding="utf-8") for place in places if (place / name).is_file()]
        assert any(sibling in text for text in texts), f"{name} must name {sibling}"
