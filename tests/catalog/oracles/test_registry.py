"""Oracles as they are written on a command line: options are whole numbers where they are, else text."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle, oracle_of, parse_oracle
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.registry import ORACLES, READABLE


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("hrr:t=3", "hrr", {"t": 3}),
        (" HRR:T= 3 ", "hrr", {"t": 3}),
        ("dbitflip:d=4", "dbitflip", {"d": 4}),
        ("ss:size=2", "ss", {"size": 2}),
        ("olh:hash_bits=5", "olh", {"hash_bits": 5}),
        ("hcms:hashes=3:width=4:seed=8", "hcms", {"hashes": 3, "width": 4, "seed": 8}),
        ("rappor:p=0.25:q=0.75", "rappor", {"p": Fraction(1, 4), "q": Fraction(3, 4)}),
        ("rappor:q=3/4:p=1/4", "rappor", {"p": Fraction(1, 4), "q": Fraction(3, 4)}),
        ("rappor:p=0:q=1", "rappor", {}),
        ("flat:hrr:t=3", "hrr", {"t": 3}),
        (" FLAT: grr ", "grr", {}),
        ("flat:design:none:L0", "design:none:L0", {}),
    ],
)
def test_options_are_read(text, name, options):
    assert parse_oracle(text, 9, Privacy(epsilon="1")) == make_oracle(name, 9, Privacy(epsilon=1), **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hrr:t=2.5", "t must be a whole number from 1 to 12, got t=2.5"),
        ("hrr:t=-1", "t must be a whole number from 1 to 12, got t=-1"),
        ("dbitflip:d=two", "d must be in 1..k, got d=two"),
        ("ss:size=1e1", "size must be a whole number from 1 to 8, rare or mean, got size=1e1"),
        ("hcms:hashes=2^4", "hashes must be a whole number in"),
        ("rappor:p=0.25", "rappor must have both p and q or neither, got p=0.25"),
        ("rappor:p=a:q=1", "p must be a decimal or a fraction"),
        ("flat:", "flat must be followed by an oracle on all items .flat:olh., got flat:"),
        ("flat: flat:grr", "flat must be followed by an oracle on all items .flat:olh., got flat: flat:grr"),
        ("flat:hh:b=2", "flat must be followed by an oracle on all items .flat:olh., got flat:hh:b=2"),
        ("flat:haar", "flat must be followed by an oracle"),
        ("flat:hh2:sides=3x3", "flat must be followed by an oracle"),
        ("flat", "oracle must be "),
        ("flat:gr", "oracle must be .*; did you mean grr"),
        ("flat:onebitmean", "oracle must be for frequencies of items, got onebitmean"),
        ("hcms:seed_=1", "options of an oracle must be NAME=VALUE"),
        ("hrr:3", "options of an oracle must be NAME=VALUE, each after a colon"),
    ],
)
def test_other_options_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_oracle(text, 9, Privacy(epsilon="1"))


def test_a_flat_mechanism_is_read_from_its_file(tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("0.75,0.25\n0.25,0.75\n")
    assert parse_oracle(f"flat:{file}", 2, None) == parse_oracle(str(file), 2, None)


@dataclass(frozen=True)
class Reserved(Grr):
    """An oracle with an option that Python reserves, and one that is a method as well."""

    in_: str = "one"
    estimate_: int = 1
    name: ClassVar[str] = "reserved"


def test_options_with_reserved_names_are_fields_with_an_underscore(monkeypatch):
    monkeypatch.setitem(ORACLES, "reserved", Reserved)
    monkeypatch.setitem(READABLE, "reserved", Reserved)
    privacy = Privacy(epsilon=1)
    wanted = Reserved(4, privacy, in_="two", estimate_=3)
    assert wanted.parameters == {
        "oracle": "reserved", "k": 4, "privacy": "epsilon=1", "in": "two", "estimate": 3,
    }  # fmt: skip
    assert oracle_of(wanted.parameters) == wanted
    assert parse_oracle("reserved:in=two:estimate=3", 4, privacy) == wanted
    assert make_oracle("reserved", 4, privacy, in_="two", estimate=3) == wanted
    with pytest.raises(InputError, match=r"within must not be given for reserved, .*; its options are estimate, in$"):
        make_oracle("reserved", 4, privacy, within=1)
    with pytest.raises(InputError, match=r"options of an oracle must be NAME=VALUE, .*, got 'in_=two'"):
        parse_oracle("reserved:in_=two", 4, privacy)
    with pytest.raises(InputError, match="parameters of reserved must be estimate, in, k, privacy, got "):
        oracle_of({"oracle": "reserved", "k": 4, "privacy": "epsilon=1", "in_": "two", "estimate": 3})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("ss", "ss"),
        ("ss:size=2", "ss"),
        ("ss:size=1", "ss:size=1"),
        ("ss:size=rare", "ss"),
        ("hrr:t=1", "hrr"),
        ("hrr:t=2", "hrr:t=2"),
        ("dbitflip:d=6", "dbitflip"),
        ("dbitflip:d=2", "dbitflip:d=2"),
        ("rappor:p=1/4:q=3/4", "rappor:p=1/4:q=3/4"),
        ("hcms:width=64:seed=3", "hcms:width=64:seed=3"),
        ("flat:olh", "olh"),
    ],
)
def test_a_title_makes_the_oracle_again(text, title):
    """As on the command line; files go on naming the oracle and its options apart."""
    privacy = Privacy(epsilon="1/2")
    oracle = parse_oracle(text, 6, privacy)
    assert oracle.title == title
    assert parse_oracle(title, 6, privacy) == oracle
    assert oracle.parameters["oracle"] == title.partition(":")[0]
