"""Reference clients of oracles for several attributes have their oracle's law, to the last digit."""

from itertools import product

import pytest
from draw_tree import law_of
from report_keys import key_of

from mechdesign import InputError, Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_CLASSES, parse_marginal_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.registry import ATTRIBUTE_CLIENTS, reference_report, reference_row

CASES = {
    "spl": (2, 6),
    "smp": (2, 6, 3),
    "rs+fd:encoding=grr": (2, 3),
    "rs+fd:encoding=oue-z": (2, 3),
    "rs+fd:encoding=adp": (2, 7),
    "inprr:sue": (2, 2),
    "inprr:oue": (2, 3),
    "inpps": (2, 3, 2),
    "inpolh": (2, 2),
    "inphtcms:hashes=3:width=4:seed=7": (3, 2),
    "inpem": (2, 2, 2),
    "margrr:sue": (2, 3, 2),
    "margrr": (2, 2, 2),
    "margps": (2, 3, 4),
    "marght": (2, 2, 2, 2),
    "calm": (2, 3, 2, 2),
    "calm:k=2:sets=0.1.2+0.3+1.3+2.3": (2, 2, 2, 2),
    "inpht": (2, 3, 4),
    "inpht:k=3:draw=uniform": (2, 2, 2),
    "inpes": (3, 4, 2),
    "inpes:basis=helmert": (4, 3),
    "inpes:basis=walsh:draw=uniform": (4, 2),
}
every = pytest.mark.parametrize("text", CASES)


def made(text):
    """At an alpha where tables of up to 5 cells have GRR, and larger ones OUE, of those oracles that choose."""
    return parse_marginal_oracle(text, CASES[text], Privacy(alpha="3/4"))


@every
def test_the_law_of_a_client_is_that_of_its_oracle(text):
    oracle = made(text)
    law = oracle.report_law()
    for place, value in enumerate(product(*map(range, oracle.domains))):
        expected = {report: chances[place] for report, chances in law.items() if chances[place]}
        assert law_of(lambda draws, value=value: key_of(reference_row(oracle, value, draws))) == expected


def test_every_oracle_of_attributes_is_under_test():
    assert {type(made(text)) for text in CASES} == set(ATTRIBUTE_CLIENTS) == set(MARGINAL_CLASSES)


@every
def test_a_server_reads_the_reports_of_a_client(text):
    oracle = made(text)
    values = [tuple(k - 1 for k in oracle.domains), (0,) * len(oracle.domains)]
    one, other = (oracle.aggregate(reference_report(oracle, value, ByteStream.of_system())) for value in values)
    assert one.merge(other).users == 2


@pytest.mark.parametrize("value", [3, (0,), (0, 0, 0), [0, 0]], ids=repr)
def test_a_value_that_is_no_tuple_of_items_is_refused(value):
    with pytest.raises(InputError, match="value must be 2 whole numbers, got another"):
        reference_row(made("spl"), value, ByteStream.of_system())


def test_an_item_beyond_its_attribute_is_refused_and_not_told():
    with pytest.raises(InputError, match=r"value of attribute 2 must be a whole number in 0..5, got another"):
        reference_row(made("spl"), (1, 6), ByteStream.of_system())


def test_a_function_of_one_choice_reads_no_byte():
    """An attribute of two items has one function, whose signs are sure: what remains is the set and the response."""
    oracle = parse_marginal_oracle("inpes:k=1", (2,), Privacy(alpha="1/3"))
    stream = ByteStream.of(bytes([3]))
    assert oracle.functions[0].weights == (1,)
    assert reference_row(oracle, (0,), stream) == {"report": 0}
    assert stream.taken == 1
