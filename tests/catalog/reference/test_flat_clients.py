"""Reference clients of oracles whose users have one item each have their oracle's law, to the last digit."""

from fractions import Fraction

import numpy as np
import pytest
from draw_tree import law_of, law_of_bytes
from flat_oracles import SMALL
from report_keys import key_of

from mechdesign import InputError, Privacy
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.registry import make_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.flat import FLAT_CLIENTS
from mechdesign_catalog.reference.hashed import word_bytes
from mechdesign_catalog.reference.registry import reference_report, reference_row

HALF = Privacy(alpha="1/2")
every = pytest.mark.parametrize("label", SMALL)


SLOW = {"ss, given size", "oue, more than a byte", "sue, more than a byte", "olh, more parities than even buckets need"}


@pytest.mark.parametrize("label", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in SMALL])
def test_the_law_of_a_client_is_that_of_its_oracle(label):
    oracle = SMALL[label]()
    law = oracle.report_law()
    for value in range(oracle.k):
        expected = {report: chances[value] for report, chances in law.items() if chances[value]}
        assert law_of(lambda draws, value=value: key_of(reference_row(oracle, value, draws))) == expected


def test_every_flat_oracle_is_under_test():
    assert {type(make()) for make in SMALL.values()} == set(FLAT_CLIENTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "oracle",
    [
        make_oracle("grr", 4, HALF),
        make_oracle("oue", 2, HALF),
        make_oracle("blh", 4, HALF),
        make_oracle("design:none:L0", 5, HALF),
        OneBitMean(4, HALF, Fraction(1)),
    ],
    ids=lambda oracle: oracle.name,
)
def test_streams_of_two_bytes_give_the_law_but_for_what_is_thrown_away(oracle):
    """End to end, from bytes: each report comes as often as its chance says, and what lacks is what is rejected.

    A report's chance is above what two bytes give by what is left over, at most.
    """
    law = oracle.report_law()
    found, left = law_of_bytes(lambda draws: key_of(reference_row(oracle, 1, draws)), 2)
    assert left < Fraction(1, 40)
    assert sum(found.values()) == 1 - left
    assert set(found) == set(law)
    assert all(chance <= law[report][1] <= chance + left for report, chance in found.items())


@every
def test_a_server_reads_the_reports_of_a_client(label):
    oracle = SMALL[label]()
    state = oracle.aggregate(reference_report(oracle, oracle.k - 1, ByteStream.of_system()))
    assert state.users == 1
    assert np.isfinite(oracle.estimate(state)).all()


@pytest.mark.parametrize("value", [-1, 4, True, 1.0], ids=repr)
def test_a_value_beyond_the_items_is_refused_and_not_told(value):
    with pytest.raises(InputError, match=r"value must be a whole number in 0..3, got another"):
        reference_row(make_oracle("grr", 4, HALF), value, ByteStream.of_system())


def test_words_travel_in_whole_integer_types():
    assert [word_bytes(bits) for bits in (1, 8, 9, 16, 17, 32, 33, 40)] == [1, 1, 2, 2, 4, 4, 8, 8]
