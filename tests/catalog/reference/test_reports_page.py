"""REPORTS.md against the code: every constant of a task, and every column of a report, is what it says."""

import re
from pathlib import Path

import pytest

from mechdesign_catalog.collection.tasks.task_document import task_body
from mechdesign_catalog.reference.stated import stated_oracle
from mechdesign_catalog.reference.systems import KINDS, columns_of
from mechdesign_catalog.reference.vectors.vector_files import all_cases
from mechdesign_catalog.systems.mean import MEAN_ORACLES
from mechdesign_catalog.systems.registry import PLANES, READABLE, SYSTEMS
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES

PAGE = (Path(__file__).parents[3] / "REPORTS.md").read_text(encoding="utf-8")
CASES = all_cases()
NODES = ("signed-hrr", "masked-blocks", "masked-rectangles", "nested-masks", "rotated-cells")
"""Oracles of levels alone."""


def chapter(title):
    """The introduction of a chapter, and its sections by oracle, in lines without ends."""
    introduction, *parts = re.split(r"^### ", PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0], flags=re.M)
    sections = {}
    for part in parts:
        names, _, text = part.partition("\n")
        sections.update(dict.fromkeys(names.split(", "), text.replace("\n", " ")))
    return introduction.replace("\n", " "), sections


ITEMS = chapter("Oracles of one item")[1]
INTRODUCTION, LEVELS = chapter("Oracles of levels")
TABLES, ATTRIBUTES = chapter("Oracles of several attributes")


def marked(text):
    """The words in code type."""
    return re.findall(r"`([^`]+)`", text)


def constants_in(text):
    """The constants that a text lists."""
    (listed,) = re.findall(r"Constants: (.+?)\. ", text)
    return sorted(word for word in marked(listed) if word.isidentifier())


def own_constants(stated):
    """The constants of an oracle within another that are not its name, its size or its own."""
    inner = {**{name: LEVELS[name] for name in NODES}, **ITEMS}[stated["oracle"].removesuffix("-z")]
    return set(stated) - {"oracle", "k", *constants_in(inner)}


def cases_of(name):
    """The constants of all tasks of an oracle, and the names of the columns."""
    documents = [task_body(case.task) for case in CASES if case.task.oracle == name]
    return [(one["constants"], {column.name for column in columns_of(stated_oracle(one))}) for one in documents]


def test_every_oracle_has_a_section():
    of_levels = {*SYSTEMS, *PLANES}
    different = set(LEVELS) ^ {*NODES, *of_levels} | set(ITEMS) ^ ({*READABLE, *MEAN_ORACLES} - of_levels)
    different |= set(ATTRIBUTES) ^ set(MARGINAL_ORACLES)
    assert not different, f"REPORTS.md must have a section of each oracle, and of no other: {sorted(different)}"


def test_every_oracle_is_interpreted():
    lacking = {*READABLE, *MEAN_ORACLES, *MARGINAL_ORACLES} - set(KINDS)
    files = "leaves.py (flat systems) or systems.py (others) of catalog/mechdesign_catalog/reference"
    assert not lacking, (
        f"{files} must have an entry of each oracle, which says how a report is drawn: {sorted(lacking)}"
    )


@pytest.mark.parametrize("name", ITEMS)
def test_items_are_told_constant_by_constant(name):
    for constants, columns in cases_of(name):
        assert constants_in(ITEMS[name]) == sorted(constants)
        assert columns <= set(marked(ITEMS[name].partition("Column")[2]))


@pytest.mark.parametrize("name", [name for name in LEVELS if name not in NODES])
def test_levels_are_told_constant_by_constant(name):
    for constants, columns in cases_of(name):
        also = re.findall(r"Also a constant: `(.+?)`", LEVELS[name])
        assert sorted([*constants_in(INTRODUCTION), *also]) == sorted(constants)
        for level in constants["levels"]:
            (listed,) = re.findall(r"A level has (.+?)\. ", LEVELS[name])
            own = re.findall(rf"A level of `{level['oracle']}` also has `(.+?)`", LEVELS[name])
            assert own_constants(level) == {"weight", *marked(listed), *own}
        assert columns <= set(marked(INTRODUCTION + LEVELS[name]))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_are_told_constant_by_constant(name):
    text = ATTRIBUTES[name]
    for constants, columns in cases_of(name):
        assert constants_in(text) == sorted(constants)
        parts = [*constants.get("attributes", []), *constants.get("tables", [])]
        parts += [constants["combinations"]] if "combinations" in constants else []
        told = set(marked(text))
        for part in parts:
            assert own_constants(part) <= told
            assert part["oracle"] in told or name.startswith("marg") or name in ("calm", "smp")
        for made in constants.get("functions", []):
            assert set(made) <= told
        of_parts = {word for part in parts for word in marked(ITEMS.get(part["oracle"], ""))}
        assert {re.sub(r"_\d+$", "", column) for column in columns} <= told | of_parts
