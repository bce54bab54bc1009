"""The reference client, which knows the documents of tasks alone, has the law of each oracle, to the last digit."""

from fractions import Fraction
from itertools import product

import pytest
from draw_tree import law_of, law_of_bytes
from flat_oracles import SMALL
from random_tasks import NAMES, stated
from report_keys import key_of
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import InputError, Privacy
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.registry import make_oracle
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.systems import KINDS, report

HALF = Privacy(alpha="1/2")
SLOW = {"ss, given size", "oue, more than a byte", "sue, more than a byte", "olh, more parities than even buckets need"}
PARTS_ALONE = {"signed-hrr", "oue-z"}


def follow(oracle, values):
    """The law of the client for each value, beside that of the oracle."""
    known, law = stated(oracle), oracle.report_law()
    for place, value in enumerate(values):
        found = law_of(lambda draws, value=value: key_of(report(known, value, draws)))
        yield found, {told: chances[place] for told, chances in law.items() if chances[place]}


@pytest.mark.parametrize("label", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in SMALL])
def test_oracles_of_one_item(label):
    oracle = SMALL[label]()
    for found, expected in follow(oracle, range(oracle.k)):
        assert found == expected


@pytest.mark.parametrize("label", LEVELS)
def test_oracles_of_levels(label):
    for found, expected in follow(LEVELS[label], range(LEVELS[label].k)):
        assert found == expected


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_oracles_of_attributes(text):
    oracle = oracle_of(text)
    for found, expected in follow(oracle, product(*map(range, oracle.domains))):
        assert found == expected


def test_every_oracle_is_under_test():
    oracles = [*(make() for make in SMALL.values()), *LEVELS.values(), *map(oracle_of, ATTRIBUTES)]
    lacking = set(NAMES) - {oracle.name for oracle in oracles}
    assert not lacking, f"tests/helpers/oracle_cases.py or system_oracles.py must have a case of {sorted(lacking)}"


def test_every_oracle_has_a_reference():
    different = set(KINDS) ^ {*NAMES, *PARTS_ALONE}
    assert not different, f"catalog/mechdesign_catalog/reference/systems.py must name each oracle: {sorted(different)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("oracle", "value"),
    [
        (make_oracle("grr", 4, HALF), 1),
        (make_oracle("oue", 2, HALF), 1),
        (make_oracle("blh", 4, HALF), 1),
        (make_oracle("design:none:L0", 5, HALF), 1),
        (OneBitMean(4, HALF, Fraction(1)), 1),
        (parse_marginal_oracle("inpem", (2, 2), Privacy(alpha="1/9")), (1, 0)),
        (parse_marginal_oracle("smp", (2, 2), HALF), (0, 1)),
        (parse_marginal_oracle("marght:k=1", (2, 2), HALF), (1, 1)),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_streams_of_two_bytes_give_the_law_but_for_what_is_thrown_away(oracle, value):
    """End to end, from bytes: each report comes as often as its chance says, and what lacks is what is rejected.

    A report's chance is above what two bytes give by what is left over, at most.
    """
    known, law = stated(oracle), oracle.report_law()
    place = value if isinstance(value, int) else 2 * value[0] + value[1]
    found, left = law_of_bytes(lambda draws: key_of(report(known, value, draws)), 2)
    assert left < Fraction(1, 40)
    assert sum(found.values()) == 1 - left
    assert set(found) == set(law)
    assert all(chance <= law[told][place] <= chance + left for told, chance in found.items())


@pytest.mark.parametrize("value", [-1, 4, True, 1.0, (1,)], ids=repr)
def test_a_value_beyond_the_items_is_refused_and_not_told(value):
    with pytest.raises(InputError, match=r"value must be a whole number in 0..3, got another"):
        report(stated(make_oracle("grr", 4, HALF)), value, ByteStream.of_system())
    with pytest.raises(InputError, match=r"value must be a whole number in 0..3, got another"):
        report(stated(make_oracle("haar", 4, HALF)), value, ByteStream.of_system())


@pytest.mark.parametrize("value", [3, (0,), (0, 0, 0), [0, 0]], ids=repr)
def test_a_value_that_is_no_tuple_of_items_is_refused(value):
    with pytest.raises(InputError, match="value must be 2 whole numbers, got another"):
        report(stated(oracle_of("spl")), value, ByteStream.of_system())


def test_an_item_beyond_its_attribute_is_refused_and_not_told():
    with pytest.raises(InputError, match=r"value of attribute 2 must be a whole number in 0..5, got another"):
        report(stated(oracle_of("spl")), (1, 6), ByteStream.of_system())


def test_a_function_of_one_choice_reads_no_byte():
    """An attribute of two items has one function, whose signs are sure: what remains is the set and the response."""
    oracle = parse_marginal_oracle("inpes:k=1", (2,), Privacy(alpha="1/3"))
    stream = ByteStream.of(bytes([3]))
    assert oracle.functions[0].weights == (1,)
    assert report(stated(oracle), (0,), stream) == {"report": 0}
    assert stream.taken == 1
