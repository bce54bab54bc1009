"""Reference clients of oracles whose users share out over levels have their oracle's law, to the last digit."""

import numpy as np
import pytest
from draw_tree import law_of
from report_keys import key_of
from system_oracles import LEVELS

from mechdesign import InputError
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import LEVEL_CLIENTS, reference_report, reference_row

every = pytest.mark.parametrize("label", LEVELS)


@every
def test_the_law_of_a_client_is_that_of_its_oracle(label):
    oracle = LEVELS[label]
    law = oracle.report_law()
    for value in range(oracle.k):
        expected = {report: chances[value] for report, chances in law.items() if chances[value]}
        assert law_of(lambda draws, value=value: key_of(reference_row(oracle, value, draws))) == expected


def test_every_oracle_of_levels_is_under_test():
    assert {type(oracle) for oracle in LEVELS.values()} == set(LEVEL_CLIENTS)


@every
def test_a_server_reads_the_reports_of_a_client(label):
    oracle = LEVELS[label]
    first = oracle.aggregate(reference_report(oracle, 0, ByteStream.of_system()))
    state = first.merge(oracle.aggregate(reference_report(oracle, oracle.k - 1, ByteStream.of_system())))
    assert state.users == 2
    assert int(np.sum(state.sums[: oracle.height])) == 2


def test_a_value_beyond_the_items_is_refused_and_not_told():
    with pytest.raises(InputError, match=r"value must be a whole number in 0..7, got another"):
        reference_row(LEVELS["haar"], 8, ByteStream.of_system())
