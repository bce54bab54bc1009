"""The constants of a task: exact, in JSON's types, and enough to know each oracle's probabilities."""

import json
from fractions import Fraction

import pytest
from flat_oracles import SMALL

from mechdesign import Privacy
from mechdesign_catalog.oracles import make_oracle

QUARTER = Privacy(alpha="1/4")


@pytest.mark.parametrize(
    ("oracle", "constants"),
    [
        (make_oracle("grr", 4, QUARTER), {"alpha": "1/4", "p": "4/7", "q": "1/7"}),
        (make_oracle("sue", 4, QUARTER), {"alpha": "1/4", "p": "2/3", "q": "1/3"}),
        (make_oracle("ss", 6, QUARTER), {"alpha": "1/4", "size": 1, "p": "4/9", "q": "1/9"}),
        (make_oracle("dbitflip", 6, QUARTER, d=2), {"alpha": "1/4", "d": 2, "p": "2/3", "q": "1/3"}),
        (
            make_oracle("olh", 6, QUARTER, hash_bits=3),
            {
                "alpha": "1/4",
                "item_bits": 3,
                "words": 3,
                "word_bits": 4,
                "buckets": 5,
                "kept": "1/2",
                "p": "1/2",
                "q": "53/256",
            },
        ),
        (
            make_oracle("design:none:L0", 2, QUARTER),
            {"alpha": "1/4", "denominator": "5", "weights": [["4", "1"], ["1", "4"]]},
        ),
    ],
    ids=["grr", "sue", "ss", "dbitflip", "olh", "design"],
)
def test_constants_are_exact(oracle, constants):
    assert oracle.constants == constants


@pytest.mark.parametrize("label", SMALL)
def test_constants_are_what_json_has(label):
    oracle = SMALL[label]()
    constants = oracle.constants
    assert json.loads(json.dumps(constants)) == constants
    assert Fraction(constants["alpha"]) == oracle.alpha
