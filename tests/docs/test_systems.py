"""The page of systems shows every registered system, as its own parts say."""

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import ORACLES, PLANES, READABLE, parse_oracle
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

MADE = import_module("extensions.system_tables")
NAMES = list(dict.fromkeys((*READABLE, *MEAN_ORACLES, *MARGINAL_ORACLES)))


@cache
def tables() -> dict[str, str]:
    made: dict[str, str] = MADE.system_tables()
    return made


@cache
def systems() -> dict[str, LocalOracle]:
    return {system.name: system for system in MADE.samples()}


def rows() -> dict[str, list[str]]:
    lines = tables()["systems.md"].split("\n")[2:-1]
    return {line.split("`")[1]: [cell.strip() for cell in line.split("|")[1:-1]] for line in lines}


def test_every_registered_system_has_one_row() -> None:
    assert rows().keys() == systems().keys() == set(NAMES)
    assert tables()["systems.md"].count("\n") == len(NAMES) + 2


def names_in(system: LocalOracle) -> set[str]:
    """The leaves of a tree of depth two at most, found without a walk."""
    parts = [*system.parts, *(inner for part in system.parts for inner in part.parts)]
    return {part.name for part in parts if not part.parts} or {system.name}


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_what_the_system_reports_through(name: str) -> None:
    system, (_, leaves, combinator, decoder, source, options) = systems()[name], rows()[name]
    assert set(leaves.replace("`", "").split(", ")) == names_in(system)
    assert (combinator == "-") == (not system.parts)
    assert decoder
    assert source.startswith("own") == (not system.is_published)
    assert all(one.short in source for one in system.sources)
    assert all(f"`{option}" in options for option in system.parameters.keys() - {"oracle", "k", "domains", "privacy"})
    assert all(f"| `{leaf}` |" in tables()["leaves.md"] for leaf in names_in(system))
    assert all(one.venue in tables()["papers.md"] for one in system.sources)


STATED = {
    "levels": ("hh", "haar", "blocks", "warped-blocks", "hh2", "haar2", "blocks2"),
    "attributes": ("spl", "smp"),
    "tables": ("margps", "margrr", "margrr:sue", "calm"),
    "combinations": ("inprr:sue", "inprr:oue", "inpps", "inpolh", "inphtcms"),
}


@pytest.mark.parametrize(("place", "name"), [(place, name) for place in STATED for name in STATED[place]])
def test_a_task_names_the_leaves_of_the_row(place: str, name: str) -> None:
    told: Any = systems()[name].constants[place]
    names = {part["oracle"] for part in (told if isinstance(told, list) else [told])}
    assert names == set(rows()[name][1].replace("`", "").split(", "))


@pytest.mark.parametrize("name", ["systems.md", "leaves.md"])
def test_tables_have_as_many_cells_in_each_row(name: str) -> None:
    lines = tables()[name].strip().split("\n")
    assert {line.count("|") for line in lines} == {lines[0].count("|")}


def test_the_table_to_choose_from_has_every_oracle_on_items() -> None:
    page = (DOCS / "how-to" / "choose-oracle.md").read_text(encoding="utf-8")
    rows = page.partition("| name | report | good where |")[2].partition("\n\n")[0].splitlines()[2:]
    told = [word for row in rows for word in row.split("|")[1].split("`")[1::2] if not word.endswith(".json")]
    listed, known = {word.partition(":")[0] for word in told}, {*ORACLES, *PLANES, *MEAN_ORACLES, "design"}
    assert listed == known, f"docs/how-to/choose-oracle.md must have a row of {sorted(known ^ listed)}, or none of it"
    for word in told:
        if word not in MEAN_ORACLES:
            assert parse_oracle(word, 128 if "sides" in word else 8, MADE.ONE).name in READABLE
