"""Tasks at random: the reference, which knows their documents alone, and the catalog make one thing of them.

`tests/helpers/random_tasks.py COUNT SEED` goes through as many as one likes.
"""

from random import Random

import pytest
from flat_oracles import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import NAMES, check, random_oracle
from system_oracles import ATTRIBUTES, LEVELS, oracle_of


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_messages_refusals_and_estimates_are_the_same(name, seed):
    random = Random(seed)
    check(random_oracle(name, random), random)


@pytest.mark.parametrize("label", [*SMALL, *LEVELS, *ATTRIBUTES])
def test_so_they_are_of_oracles_made_by_hand(label):
    oracle = SMALL[label]() if label in SMALL else LEVELS.get(label) or oracle_of(label)
    assert "estimates" in check(oracle, Random(4), users=250)
