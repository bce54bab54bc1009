"""Reference clients of oracles whose users share out over levels have their oracle's law, to the last digit."""

import numpy as np
import pytest
from draw_tree import law_of
from report_keys import key_of

from mechdesign import InputError, Privacy
from mechdesign_catalog.oracles.registry import make_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import LEVEL_CLIENTS, reference_report, reference_row

HALF = Privacy(alpha="1/2")
SMALL = {
    "hh, oue": make_oracle("hh", 4, HALF, b=2),
    "hh, hrr, ragged": make_oracle("hh", 5, HALF, b=3, in_="hrr"),
    "hh, grr, weighted": make_oracle("hh", 7, HALF, b=4, in_="grr", levels="3-2"),
    "hh, olh, one level": make_oracle("hh", 3, Privacy(alpha="1/3"), b=4, in_="olh"),
    "hh, the least noise": make_oracle("hh", 6, Privacy(epsilon=1), b=3, in_="auto"),
    "haar": make_oracle("haar", 8, HALF),
    "haar, ragged, weighted": make_oracle("haar", 5, HALF, levels="3-2-2"),
    "hh2": make_oracle("hh2", 8, HALF, sides="2x4", b=2, in_="grr"),
    "hh2, ragged, weighted": make_oracle("hh2", 15, HALF, sides="5x3", b=3, in_="grr", levels="4-1-2-2-1"),
    "hh2, hrr": make_oracle("hh2", 6, HALF, sides="2x3", b=2, in_="hrr"),
    "haar2": make_oracle("haar2", 8, HALF, sides="4x2"),
    "haar2, ragged": make_oracle("haar2", 15, HALF, sides="3x5"),
}
every = pytest.mark.parametrize("label", SMALL)


@every
def test_the_law_of_a_client_is_that_of_its_oracle(label):
    oracle = SMALL[label]
    law = oracle.report_law()
    for value in range(oracle.k):
        expected = {report: chances[value] for report, chances in law.items() if chances[value]}
        assert law_of(lambda draws, value=value: key_of(reference_row(oracle, value, draws))) == expected


def test_every_oracle_of_levels_is_under_test():
    assert {type(oracle) for oracle in SMALL.values()} == set(LEVEL_CLIENTS)


@every
def test_a_server_reads_the_reports_of_a_client(label):
    oracle = SMALL[label]
    first = oracle.aggregate(reference_report(oracle, 0, ByteStream.of_system()))
    state = first.merge(oracle.aggregate(reference_report(oracle, oracle.k - 1, ByteStream.of_system())))
    assert state.users == 2
    assert int(np.sum(state.sums[: oracle.height])) == 2


def test_a_value_beyond_the_items_is_refused_and_not_told():
    with pytest.raises(InputError, match=r"value must be a whole number in 0..7, got another"):
        reference_row(SMALL["haar"], 8, ByteStream.of_system())
