"""The README is short, and leads to files that are there."""

import re
import subprocess
from pathlib import Path

import pytest

from mechdesign.version import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TWO_SCREENS = 120
"""Lines."""

SETS_UP_AND_DOES_THE_MAIN_JOB = (
    "pip install -e . && mechdesign solve --n 8 --alpha 0.75 --props WH,CM --then canonical --plot wm.png"
)
SETS_UP_AND_TESTS = 'pip install -e ".[test]" && pytest -q -n auto'
DOORS = ("Publish counts", "Teach", "Research", "Collect")


def test_the_readme_is_two_screens():
    assert len(README.splitlines()) <= TWO_SCREENS


def test_four_doors_of_five_lines_stand_above_every_picture():
    doors = re.findall(r"^\*\*([^*]+)\.\*\* (.+?)\n\n", README.partition("![")[0], flags=re.MULTILINE | re.DOTALL)
    assert tuple(name for name, _ in doors) == DOORS
    assert [text.count("\n") + 1 for _, text in doors] == [5, 5, 5, 5]


@pytest.mark.parametrize(("number", "command"), [(1, SETS_UP_AND_DOES_THE_MAIN_JOB), (2, SETS_UP_AND_TESTS)])
def test_one_command_does_the_main_job_and_one_tests_and_both_are_run_as_they_stand(number, command):
    assert f"```shell\n{command}\n```\n" in README.partition("## Two commands")[2].partition("\n## ")[0]
    told = subprocess.run([ROOT / ".ci/readme-command", str(number)], capture_output=True, text=True, check=True)
    assert told.stdout == f"{command}\n"
    assert re.search(rf"^as_in_readme {number}\b", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_picture_that_the_first_command_draws_is_not_for_git():
    assert "wm.png" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("address", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_what_the_readme_leads_to_is_there(address):
    assert (ROOT / address).is_file()


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, flags=re.MULTILINE) == [__version__]
    assert citation.startswith("cff-version: 1.2.0\n")
    (year,) = re.findall(r"^date-released: (\d{4})-\d\d-\d\d$", citation, flags=re.MULTILINE)
    page = (ROOT / "docs/explanation/literature.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^@misc\{mechdesign,\n(.*?)^\}$", page, flags=re.MULTILINE | re.DOTALL)
    fields = dict(re.findall(r"^  (\w+) += \{(.*)\},?$", entry, flags=re.MULTILINE))
    (title,) = re.findall(r'^title: "(.*)"$', citation, flags=re.MULTILINE)
    (author,) = re.findall(r"^authors:\n  - name: (.*)$", citation, flags=re.MULTILINE)
    assert fields == {
        "author": f"{{{author}}}",
        "title": title,
        "year": year,
        "note": f"Software, version {__version__}",
    }
