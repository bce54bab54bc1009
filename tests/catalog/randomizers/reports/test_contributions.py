"""What a user adds to the sums: stated by every oracle, held against its reports, and refused where it cannot be."""

from itertools import product

import numpy as np
import pytest
from task_cases import BITS, TASKS, reports_of, task_of
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.contributions import (
    BitVector,
    ConcatenatedVectors,
    Multihot,
    OneOf,
    OneSign,
    Parities,
    SampledBits,
    Sign,
    Spectrum,
    require_sums,
)

every = pytest.mark.parametrize("label", TASKS)


def summed(label):
    oracle, reports = reports_of(label, 40)
    return oracle, oracle.aggregate(reports)


@every
def test_reports_add_up_to_what_is_stated(label):
    oracle, state = summed(label)
    assert require_sums(oracle.contribution, state.sums, state.users) is state.sums
    assert sum(part.length for part in oracle.contribution.parts) == oracle.contribution.length == len(state.sums)
    assert len({part.name for part in oracle.contribution.parts}) == len(oracle.contribution.parts)


@every
def test_one_more_anywhere_is_refused_where_the_total_or_the_parity_is_known(label):
    oracle, state = summed(label)
    for place in range(0, len(state.sums), 1 + len(state.sums) // 50):
        sums = state.sums.copy()
        sums[place] += 1
        part = part_of(oracle.contribution, place)
        if "bits" in part.kind:
            sums[place] += state.users
        with pytest.raises(InputError, match=r"^sums of "):
            require_sums(oracle.contribution, sums, state.users)


def part_of(contribution, place):
    for part in contribution.parts:
        if place < part.length:
            return part
        place -= part.length
    raise AssertionError(place)


@every
def test_another_number_of_users_is_refused(label):
    oracle, state = summed(label)
    if all("bits" in part.kind for part in oracle.contribution.parts):
        wrong = int(state.sums.max()) - 1
    elif label.startswith("hrr"):
        wrong = int(oracle.supports(state).max()) - 1
    else:
        wrong = state.users + 1
    with pytest.raises(InputError):
        require_sums(oracle.contribution, state.sums, wrong)
    with refused(InputError):
        require_sums(oracle.contribution, state.sums[:-1], state.users)


SMALL = {
    "bits": (BitVector(2), list(product((0, 1), repeat=2))),
    "one-hot": (Multihot(3), [(1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    "multihot": (Multihot(3, 2), [(1, 1, 0), (1, 0, 1), (0, 1, 1)]),
    "drawn bits": (SampledBits(2, 1), [(0, 0, 1, 0), (1, 0, 1, 0), (0, 0, 0, 1), (0, 1, 0, 1)]),
    "sign": (Sign(2, "cells"), [(1, 0), (-1, 0), (0, 1), (0, -1)]),
    "spectrum": (Spectrum(2, 1), [(1, 1), (1, -1), (2, 0), (0, 0)]),
    "parities": (Parities(2), [(1, 1), (1, -1), (-1, 1), (-1, -1)]),
    "one sign": (OneSign((1, 2)), [
        (1, 0, 1, 0, 0), (1, 0, -1, 0, 0), (0, 1, 0, 1, 0), (0, 1, 0, -1, 0), (0, 1, 0, 0, 1), (0, 1, 0, 0, -1),
    ]),
    "together": (ConcatenatedVectors((Multihot(2), BitVector(1))), [(1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1)]),
    "one of": (OneOf((Multihot(2), BitVector(1)), "level"), [
        (1, 0, 1, 0, 0), (1, 0, 0, 1, 0), (0, 1, 0, 0, 0), (0, 1, 0, 0, 1),
    ]),
}  # fmt: skip
"""Small vectors, and all that one user may add."""


@pytest.mark.parametrize("name", SMALL)
def test_sums_of_one_and_two_users_pass_and_no_others(name):
    contribution, vectors = SMALL[name]
    two = {tuple(map(sum, zip(one, other, strict=True))) for one in vectors for other in vectors}
    for users, possible in ((1, set(vectors)), (2, two)):
        passed, most = set(), 4 if contribution.length < 3 else 3
        for sums in product(range(-most, most + 1), repeat=contribution.length):
            try:
                contribution.require(np.array(sums), users)
            except InputError:
                continue
            passed.add(sums)
        assert passed == possible


@pytest.mark.parametrize(
    ("contribution", "sums", "users"),
    [
        (BitVector(2), [0, 5], 4),
        (Multihot(2), [1, 2], 4),
        (SampledBits(2, 1), [3, 0, 2, 2], 4),
        (Sign(2, "cells"), [3, -2], 4),
        (Sign(2, "cells"), [2, -1], 4),
        (Sign(2, "cells"), [-(2**63), 0], 4),
        (Sign(2, "cells"), [0, 0], 2**62),
        (Parities(2), [2, 1], 4),
        (OneSign((1, 2)), [1, 3, 1, 1, 1], 4),
        (OneOf((Multihot(2),) * 2, "level"), [2, 2, 1, 1, 1, 2], 4),
        (OneOf((Multihot(2),) * 2, "level"), [4, 0, 3, 1, 0, 1], 4),
        (ConcatenatedVectors((BitVector(1),) * 2), [1, 5], 4),
    ],
    ids=[
        "bits", "total", "bits beyond drawn", "signs", "parity", "least number", "many users", "parities", "one sign",
        "total of a level", "level of nobody", "attribute",
    ],
)  # fmt: skip
def test_messages(contribution, sums, users):
    with refused(InputError):
        contribution.require(np.array(sums), users)


def test_parts_name_whose_users_add():
    oracle = task_oracle(task_of("hh:b=2"))
    assert [(part.name, part.length, part.users) for part in oracle.contribution.parts] == [
        ("users", 3, None), ("level 1", 2, 0), ("level 2", 3, 1), ("level 3", 5, 2),
    ]  # fmt: skip
    assert task_oracle(task_of("inpem")).contribution.length == len(BITS) * (len(BITS) + 1) // 2
