"""REPORTS.md against the code: what it says of oracles of one item is what tasks and messages have."""

import re
from pathlib import Path

import pytest

from mechdesign_catalog.collection.tasks.constants import constants_of
from mechdesign_catalog.reference.flat import FLAT_CLIENTS
from mechdesign_catalog.reference.vectors.flat_cases import flat_cases

PAGE = (Path(__file__).parents[3] / "REPORTS.md").read_text(encoding="utf-8")
CHAPTER = PAGE.partition("\n## Oracles of one item\n")[2].partition("\n## ")[0]
SECTIONS = {
    name: text
    for heading, text in re.findall(r"### (.+)\n\n((?:(?!### ).*\n)+)", CHAPTER)
    for name in heading.split(", ")
}


def constants_in(section):
    """The constants that a section lists."""
    (listed,) = re.findall(r"Constants: (.+?)\. ", section)
    return re.findall(r"`(\w+)`", listed)


def columns_in(section):
    """The columns that a section names, each with what it holds: numbers below a bound, so many numbers or bits."""
    described = section.partition("Column")[2]
    return re.findall(r"`(\w+)`(?: below [\w^]+|, \w numbers below|, \w bits)", described)


def test_every_oracle_of_one_item_has_a_section():
    assert sorted(SECTIONS) == sorted(oracle.name for oracle in FLAT_CLIENTS)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_names_the_constants_and_the_columns(name):
    for case in flat_cases():
        if case.task.oracle == name:
            section = SECTIONS[name].replace("\n", " ")
            assert constants_in(section) == list(constants_of(case.oracle))
            without = {"buckets"} if name == "dbitflip" and case.oracle.draws_all else set()
            assert [column for column in columns_in(section) if column not in without] == list(case.oracle.wire.names)
