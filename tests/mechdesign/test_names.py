"""Names as people type them: one place looks them up, and knows the nearest."""

from pathlib import Path

import pytest
from wording import refused

import mechdesign
from mechdesign import InputError
from mechdesign.names import nearest_name, require_known

KNOWN = ("GM", "EM", "zipf:S", "binomial:P", "commuting:county", "commuting:ed")
ROOT = Path(mechdesign.__file__).parents[1]


@pytest.mark.parametrize(("typed", "meant"), [("gm", "GM"), (" EM ", "EM"), ("Zipf:s", "zipf:S")])
def test_case_and_blanks_do_not_matter(typed, meant):
    assert require_known(typed, KNOWN, "mechanism") == meant


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("gn", "GM"),
        ("binomal:0.25", "binomial:P"),
        ("zpf:1.123456789", "zipf:S"),
        ("commuting:contry", "commuting:county"),
        ("qqq", None),
    ],
)
def test_a_slip_gets_the_nearest_name(typed, near):
    assert nearest_name(typed, KNOWN) == near
    with pytest.raises(InputError) as seen:
        require_known(typed, KNOWN, "thing", ["a file"])
    hint = f"; did you mean {near}?" if near else ""
    assert str(seen.value) == f"thing must be one of {', '.join(KNOWN)}, a file, got {typed}{hint}"


def test_a_name_with_another_meaning_is_told_so():
    with refused(InputError):
        require_known("wm", KNOWN, "thing", meanings={"WM": "WH,RM,CM"})


def test_nothing_and_too_much_are_shown_short():
    with refused(InputError):
        require_known("", KNOWN, "thing")
    with refused(InputError):
        require_known("q" * 500, KNOWN, "thing")


def test_names_are_looked_up_in_one_place():
    sources = [path for room in ("mechdesign", "catalog", "figures", "cli") for path in (ROOT / room).rglob("*.py")]
    assert [path.name for path in sources if "difflib" in path.read_text()] == ["names.py"]
