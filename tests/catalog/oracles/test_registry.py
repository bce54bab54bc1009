"""Oracles as they are written on a command line: options are whole numbers where they are, else text."""

from fractions import Fraction

import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle, parse_oracle


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
        ("ss:size=1e1", "size must be a whole number from 1 to 8, got size=1e1"),
        ("hcms:hashes=2^4", "hashes must be a whole number in"),
        ("rappor:p=0.25", "rappor must have both p and q or neither, got p=0.25"),
        ("rappor:p=a:q=1", "p must be a decimal or a fraction"),
        ("hrr:3", "options of an oracle must be NAME=VALUE, each after a colon"),
    ],
)
def test_other_options_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_oracle(text, 9, Privacy(epsilon="1"))
