"""The map of rooms: the purpose of each, by its docstring, and its permitted imports.

These are import-linter's contracts.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from extensions.system_tables import table

ROOT = Path(__file__).parents[2]
PACKAGES = ("mechdesign", "mechdesign_catalog", "mechdesign_figures", "mechdesign_studio", "mechdesign_cli")
HOMES = (ROOT, ROOT / "catalog", ROOT / "figures", ROOT / "cli")


def room_tables() -> dict[str, str]:
    """Return the text of the map by file name."""
    contracts = read_contracts()
    parts = []
    for package in PACKAGES:
        parts += [f"### {package}\n\n{first_sentence(package)}\n"]
        parts += [table("floor | room | what it is for | may import", rows_of(package, contracts))]
        on_floors = {name for names, _ in floors_of(package, contracts) for name in names}
        if others := sorted(set(rooms_of(package)) - on_floors):
            parts += [f"On no floor: {listed(others, package)}.\n"]
    rules = [one for one in contracts if not is_of_package(one)]
    parts += ["### Rules within rooms, and what is forbidden\n"]
    parts += [table("rule | of", ([one["name"], subject(one)] for one in rules))]
    return {"rooms.md": "\n".join(parts)}


def read_contracts() -> list[dict[str, Any]]:
    """Return the contracts of import-linter, as `pyproject.toml` has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return contracts


def is_of_package(contract: dict[str, Any]) -> bool:
    """Return whether a contract is about the rooms directly in one package."""
    return contract["type"] == "layers" and all(
        re.fullmatch(r"\w+\.\w+", name) for layer in contract["layers"] for name in names_in(layer)
    )


def names_in(layer: str) -> list[str]:
    """Return the modules of a layer."""
    return re.split(r"\s*[|:]\s*", layer)


def floors_of(package: str, contracts: list[dict[str, Any]]) -> list[tuple[list[str], bool]]:
    """Return the floors of a package from the top down: its rooms, and whether these may import each other."""
    layers = [
        layer
        for one in contracts
        if is_of_package(one)
        for layer in one["layers"]
        if all(name.startswith(f"{package}.") for name in names_in(layer))
    ]
    return [(names_in(layer), ":" in layer) for layer in layers]


def rows_of(package: str, contracts: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield a row for each room; the ground floor has the number 1."""
    floors = floors_of(package, contracts)
    for number, (names, is_open) in zip(range(len(floors), 0, -1), floors, strict=True):
        below = {1: [], 2: ["floor 1"], 3: ["floors 1 and 2"]}.get(number, [f"floors 1 to {number - 1}"])
        for name in names:
            never = forbidden_to(name, contracts)
            beside = [other for other in names if is_open and other not in {name, *never}]
            allowed = ", ".join([*below, *([listed(beside, package)] if beside else [])]) or "none"
            yield [str(number), listed([name], package), first_sentence(name), allowed]


def forbidden_to(name: str, contracts: list[dict[str, Any]]) -> list[str]:
    """Return what a contract forbids a room to import."""
    return [other for one in contracts if name in one.get("source_modules", ()) for other in one["forbidden_modules"]]


def subject(contract: dict[str, Any]) -> str:
    """Return what a contract is about: its layers from the top down, or who must not import what."""
    if contract["type"] == "layers":
        return " above ".join(coded(names_in(layer)) for layer in contract["layers"])
    ignored = coded(one.partition(" ")[0] for one in contract.get("ignore_imports", ()))
    never = f"{coded(contract['source_modules'])}: never {coded(contract['forbidden_modules'])}"
    return f"{never}; only {ignored} may" if ignored else never


def listed(names: Iterable[str], package: str) -> str:
    """Return names of rooms as code, without their package."""
    return coded(name.removeprefix(f"{package}.") for name in names)


def coded(names: Iterable[str]) -> str:
    """Return names as code, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


def rooms_of(package: str) -> Iterator[str]:
    """Yield all rooms directly in a package: its folders of modules, and its modules."""
    for path in sorted(path_of(package).parent.iterdir()):
        if path.name.startswith("__") or not (path.suffix == ".py" or (path / "__init__.py").is_file()):
            continue
        yield f"{package}.{path.stem}"


def path_of(module: str) -> Path:
    """Return the file of a module, without importing it."""
    parts = Path(*module.split("."))
    places = (place for home in HOMES for place in (home / parts / "__init__.py", home / parts.with_suffix(".py")))
    return next(place for place in places if place.is_file())


def first_sentence(module: str) -> str:
    """Return the first line of a module's docstring."""
    text = ast.get_docstring(ast.parse(path_of(module).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
