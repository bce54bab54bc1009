"""REPORTS.md names every oracle, every constant of its tasks and every column of its reports: all that clients have."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "REPORTS.md").read_text(encoding="utf-8")
VECTORS = sorted((ROOT / "tests" / "vectors").glob("*.json"))
NESTED = ("levels", "attributes", "combinations", "tables", "functions")
"""Constants that are objects with constants of their own, or lists of these."""


def sections():
    """The text of each section by the oracles in its heading, with the introduction of its chapter."""
    found = {}
    for chapter in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        introduction, *parts = re.split(r"^### ", chapter, flags=re.MULTILINE)
        for part in parts:
            names, _, text = part.partition("\n")
            found.update(dict.fromkeys(names.split(", "), introduction + text))
    return found


SECTIONS = sections()


def marked(text):
    """The words in code type."""
    return set(re.findall(r"`([^`]+)`", text))


def keys_of(constants, oracle, text):
    """Pairs of a constant's name and the text that must say what it is: an oracle within another has its own."""
    for key, value in constants.items():
        yield key, text
        for inner in (value if isinstance(value, list) else [value]) if key in NESTED else []:
            yield from inner_keys(inner, text)


def inner_keys(inner, text):
    own = SECTIONS.get(inner.get("oracle", ""), "")
    for key in inner:
        yield key, text + own


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_section_names_all_constants_and_columns(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    oracle = document["oracle"]
    text = SECTIONS[oracle]
    for case in document["cases"]:
        for key, told in keys_of(case["task"]["constants"], oracle, text):
            assert key in marked(told), f"{key} of {oracle}"
        parts = "".join(SECTIONS.get(name, "") for name in oracles_of(case["task"]["constants"]))
        for column in case["reports"][0]["columns"]:
            assert re.sub(r"_\d+$", "", column) in marked(text + parts), f"{column} of {oracle}"


def oracles_of(constants):
    """Names of the oracles whose columns stand side by side in reports."""
    return [
        kind["oracle"] for kind in (*constants.get("attributes", []), constants.get("combinations", {"oracle": ""}))
    ]


def test_every_section_is_of_an_oracle_with_vectors_or_of_a_part_of_one():
    named = {json.loads(path.read_text(encoding="utf-8"))["oracle"] for path in VECTORS}
    assert set(SECTIONS) == named | {"signed-hrr"}
