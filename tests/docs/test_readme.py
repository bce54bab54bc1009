"""The README is short, and leads to files that are there."""

import re
from pathlib import Path

import pytest

from mechdesign.version import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
A_SCREEN_AND_A_HALF = 80
"""Lines."""


def test_the_readme_is_a_screen_and_a_half_with_four_pictures():
    assert len(README.splitlines()) <= A_SCREEN_AND_A_HALF
    assert len(re.findall(r"!\[[^\]]+\]\([^)]+\.png\)", README)) == 4


@pytest.mark.parametrize("address", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_what_the_readme_leads_to_is_there(address):
    assert (ROOT / address).is_file()


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, flags=re.MULTILINE) == [__version__]
    assert citation.startswith("cff-version: 1.2.0\n")
