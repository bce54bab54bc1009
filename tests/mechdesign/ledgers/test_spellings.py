"""Spellings of one name: what is invisible, what separates, what looks alike, by Unicode's own tables."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign.ledgers.spellings import IGNORABLE, dataset_keys, in_common, user_keys, without_invisible

HIDDEN = re.compile(f"[{IGNORABLE}]")

PREPENDED = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd]")
HIEROGLYPHS = range(0x13430, 0x13440)
"""Format characters that are shown: marks before numbers, annotations, and the joiners of hieroglyphs."""

RESERVED = {0x2065, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)}
"""Code points that stay ignorable, whatever is assigned to them."""


@pytest.mark.slow
def test_what_is_ignorable_follows_from_its_definition():
    """Unicode derives it: format characters and variation selectors, less a few, and what is listed besides."""
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        kind, name = unicodedata.category(letter), unicodedata.name(letter, "")
        if kind == "Cs":
            continue
        is_format = kind == "Cf" and not PREPENDED.match(letter) and code not in HIEROGLYPHS
        is_listed = (
            name.startswith(("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION SELECTOR", "KHMER VOWEL INHERENT"))
            or name.endswith(("CHOSEONG FILLER", "JUNGSEONG FILLER", "HANGUL FILLER", "GRAPHEME JOINER"))
            or code in RESERVED
        )
        assert bool(HIDDEN.match(letter)) == (is_format or is_listed), f"{code:04X} {name}"


SAXONY = {
    "case": "SAXONY",
    "blank": "sax ony",
    "hyphen": "sa-xony",
    "en dash": "sa\u2013xony",
    "underscore": "sax_ony",
    "no-break blank": "sax\u00a0ony",
    "variation selector": "saxony\ufe0f",
    "zero-width blank": "sax\u200bony",
    "grapheme joiner": "sa\u034fxony",
    "accent": "saxony\u0301",
    "overlay": "sax\u0336ony",
    "thousands sign": "saxony\u0488",
    "blank of Braille": "saxony\u2800",
    "modifier minus": "sax\u02d7ony",
    "alpha": "s\u0251xony",
    "full width": "\uff53\uff41\uff58\uff4f\uff4e\uff59",
    "long s": "\u017faxony",
    "Cyrillic s": "\u0455axony",
    "Cyrillic a": "s\u0430xony",
    "Cyrillic h for x": "sa\u0445ony",
    "Cyrillic o": "sax\u043eny",
    "Cyrillic u for y": "saxon\u0443",
    "Cyrillic capitals": "\u0405\u0410\u0425\u041eN\u0423",
    "Greek capitals": "SAX\u039f\u039d\u03a5",
    "Greek omicron": "sax\u03bfny",
}


@pytest.mark.parametrize("spelled", SAXONY)
def test_spellings_of_one_name_share_a_key(spelled):
    assert "saxony" in dataset_keys(SAXONY[spelled]) & set(user_keys(SAXONY[spelled]))
    assert not dataset_keys("saxony", rule=2).isdisjoint(dataset_keys(SAXONY[spelled], rule=2))
    assert spelled == "Greek capitals" or user_keys(SAXONY[spelled], rule=2) == ("saxony",)


@pytest.mark.parametrize("other", ["saxon", "saxony2", "saxony-anhalt", "saxo\u014by", "\u0928\u093f", "2026", ""])
def test_other_names_do_not(other):
    assert dataset_keys("saxony").isdisjoint(dataset_keys(other))
    assert "saxony" not in user_keys(other)


def test_vowel_signs_are_letters():
    """Marks of a script tell its words apart; those of none are accents."""
    assert dataset_keys("\u0915\u0941").isdisjoint(dataset_keys("\u0915\u0942"))


@pytest.mark.slow
@given(st.from_regex(r"[a-z0-9]{1,12}", fullmatch=True), st.data())
def test_whatever_is_put_between_letters_changes_no_key(name, data):
    hidden = st.sampled_from(["", "\u200b", "\ufe0f", "\u00ad", "\u0301", "\U000e0041"])
    gaps = data.draw(st.lists(hidden, min_size=len(name), max_size=len(name)))
    other = "".join(map("".join, zip(name, gaps, strict=True)))
    assert dataset_keys(other) == dataset_keys(name) == {name}
    assert user_keys(other.upper()) == user_keys(name) == (name, name)
    spread = " - ".join(other)
    assert dataset_keys(spread) == {name}
    assert {key.replace("-", "") for key in user_keys(spread)} == {name}


@pytest.mark.slow
@given(st.text(max_size=12))
def test_a_key_is_a_spelling_of_its_name(name):
    for key in dataset_keys(name):
        assert not dataset_keys(key).isdisjoint(dataset_keys(name))
    assert without_invisible(without_invisible(name)) == without_invisible(name)
    assert user_keys(without_invisible(name)) == user_keys(name)


def test_numbers_of_users_stay_apart():
    names = ["1-12", "11-2", "112", "1-1-2"]
    assert [user_keys(name) for name in names] == [(name, name) for name in names]
    assert user_keys("1 12") == user_keys("1 \u2013 12") == ("1-12", "1-12")
    assert dataset_keys("1-12") == dataset_keys("11-2")


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("\u0397ans", "Hans"),
        ("\u039dina", "Nina"),
        ("\u03a5vonne", "yvonne"),
        ("Saxon\u03a5", "SAXONY"),
        ("\u0399da", "Ida"),
        ("\u0406da", "lda"),
        ("\u0389ans", "hans"),
        ("\U0001d6aeans", "hans"),
        ("\u0397\u0391\u039d\u03a3", "\u03b7\u03b1\u03bd\u03c3"),
        ("\u0397ans", "\u03b7ans"),
        ("\u03b7ans", "nans"),
    ],
    ids=ascii,
)
def test_a_capital_looks_like_another_letter_than_its_small_one(name, looks):
    assert not dataset_keys(name).isdisjoint(dataset_keys(looks))
    assert not set(user_keys(name)).isdisjoint(user_keys(looks))
    assert len({in_common(key) for key in (*user_keys(name), *user_keys(looks))}) == 1


@pytest.mark.parametrize("other", ["\u03b7ans", "\u039dans", "Lans", "nans"], ids=ascii)
def test_names_that_look_otherwise_stay_apart(other):
    assert set(user_keys("Hans")).isdisjoint(user_keys(other))


@given(
    st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("\u0397\u039d\u03a5\u0399hnylHNYLvi"), max_size=12)
)
def test_all_keys_of_a_name_have_one_in_common(name):
    small, written = user_keys(name)
    assert in_common(small) == in_common(written)
    assert user_keys(name, rule=2) == (small,)
