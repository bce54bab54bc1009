"""Sums of pieces: those of all reports at once, in memory that no other state has."""

import numpy as np
import pytest
from oracle_cases import CASES, Case
from wording import refused

from mechdesign.errors import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.collection.states.summing import sum_up
from mechdesign_catalog.randomizers.reports.reports import State, joined


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_pieces_add_up_to_all_reports(case: Case):
    """The sums of a piece, taken before and after, are the same: no oracle hands out memory that it uses again."""
    oracle = case.small()
    pieces = [oracle.privatize(np.arange(30) % oracle.k, seeded_words(seed)) for seed in range(3)]
    alone = oracle.aggregate(pieces[0])
    found = sum_up(oracle, pieces, "pieces").sums
    assert found is not None
    whole = oracle.aggregate(joined(pieces))
    assert (found.users, found.sums.tolist()) == (whole.users, whole.sums.tolist())
    assert alone.sums.tolist() == oracle.aggregate(pieces[0]).sums.tolist()


def test_a_state_grows_by_its_like_alone():
    one, other = (State({"k": 2}, users, np.array([users, 0])) for users in (3, 4))
    grown = one.grown_by(other)
    assert (grown.users, grown.sums.tolist()) == (7, [7, 0])
    assert grown.sums is one.sums
    assert other.sums.tolist() == [4, 0]
    for wrong in (State({"k": 3}, 1, np.array([1, 0])), State({"k": 2}, 1, np.array([1]))):
        with refused(InputError):
            grown.grown_by(wrong)
    assert grown.sums.tolist() == [7, 0]
