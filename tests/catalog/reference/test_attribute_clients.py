"""Reference clients of oracles for several attributes have their oracle's law, to the last digit."""

from fractions import Fraction
from itertools import product

import pytest
from draw_tree import law_of, law_of_bytes
from report_keys import key_of
from system_oracles import ATTRIBUTES, oracle_of

from mechdesign import InputError, Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_CLASSES, parse_marginal_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import ATTRIBUTE_CLIENTS, reference_report, reference_row

every = pytest.mark.parametrize("text", ATTRIBUTES)


@every
def test_the_law_of_a_client_is_that_of_its_oracle(text):
    oracle = oracle_of(text)
    law = oracle.report_law()
    for place, value in enumerate(product(*map(range, oracle.domains))):
        expected = {report: chances[place] for report, chances in law.items() if chances[place]}
        assert law_of(lambda draws, value=value: key_of(reference_row(oracle, value, draws))) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "domains", "alpha", "value"),
    [("inpem", (2, 2), "1/9", (1, 0)), ("smp", (2, 2), "1/2", (0, 1)), ("marght:k=1", (2, 2), "1/2", (1, 1))],
    ids=["inpem", "smp", "marght"],
)
def test_streams_of_two_bytes_give_the_law_but_for_what_is_thrown_away(text, domains, alpha, value):
    """End to end, from bytes: each report's chance is above what two bytes give by what is left over, at most."""
    oracle = parse_marginal_oracle(text, domains, Privacy(alpha=alpha))
    law, place = oracle.report_law(), 2 * value[0] + value[1]
    found, left = law_of_bytes(lambda draws: key_of(reference_row(oracle, value, draws)), 2)
    assert left < Fraction(1, 40)
    assert sum(found.values()) == 1 - left
    assert set(found) == set(law)
    assert all(chance <= law[report][place] <= chance + left for report, chance in found.items())


def test_every_oracle_of_attributes_is_under_test():
    assert {type(oracle_of(text)) for text in ATTRIBUTES} == set(ATTRIBUTE_CLIENTS) == set(MARGINAL_CLASSES)


@every
def test_a_server_reads_the_reports_of_a_client(text):
    oracle = oracle_of(text)
    values = [tuple(k - 1 for k in oracle.domains), (0,) * len(oracle.domains)]
    one, other = (oracle.aggregate(reference_report(oracle, value, ByteStream.of_system())) for value in values)
    assert one.merge(other).users == 2


@pytest.mark.parametrize("value", [3, (0,), (0, 0, 0), [0, 0]], ids=repr)
def test_a_value_that_is_no_tuple_of_items_is_refused(value):
    with pytest.raises(InputError, match="value must be 2 whole numbers, got another"):
        reference_row(oracle_of("spl"), value, ByteStream.of_system())


def test_an_item_beyond_its_attribute_is_refused_and_not_told():
    with pytest.raises(InputError, match=r"value of attribute 2 must be a whole number in 0..5, got another"):
        reference_row(oracle_of("spl"), (1, 6), ByteStream.of_system())


def test_a_function_of_one_choice_reads_no_byte():
    """An attribute of two items has one function, whose signs are sure: what remains is the set and the response."""
    oracle = parse_marginal_oracle("inpes:k=1", (2,), Privacy(alpha="1/3"))
    stream = ByteStream.of(bytes([3]))
    assert oracle.functions[0].weights == (1,)
    assert reference_row(oracle, (0,), stream) == {"report": 0}
    assert stream.taken == 1
