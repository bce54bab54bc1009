"""How reports travel: columns of the smallest types, and messages, of every oracle."""

import numpy as np
import pytest
from oracle_cases import CASES

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, parse_marginal_oracle
from mechdesign_catalog.multidimensional.registry import make_tuple_oracle
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.product import joined_wires
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.reports import Reports
from mechdesign_catalog.oracles.wire import ByteStrings, Numbers, PackedBits, Wire, smallest_type

ONE = Privacy(epsilon=1)
USERS = 200


def tuples(oracle):
    return oracle, np.stack([np.arange(USERS) % items for items in oracle.domains], axis=1)


def marginal(name):
    binary = name in ("inpem", "marght")
    return tuples(parse_marginal_oracle(f"{name}:k=2", (2, 2, 2) if binary else (2, 3, 2), ONE))


ORACLES = {
    **{case.label: (lambda case=case: (oracle := case.usual(), np.arange(USERS) % oracle.k)) for case in CASES},
    "onebitmean": lambda: (OneBitMean.up_to(10, ONE, 5), np.arange(USERS) % 5),
    **{name: (lambda name=name: marginal(name)) for name in MARGINAL_ORACLES},
    **{name: (lambda name=name: tuples(make_tuple_oracle(name, (3, 300), ONE))) for name in ("spl", "smp", "rs+fd")},
}


def sums_of(oracle, reports):
    return oracle.aggregate(reports).sums.tolist()


@pytest.mark.parametrize("label", ORACLES)
def test_messages_are_the_reports(label):
    oracle, values = ORACLES[label]()
    wire, reports = oracle.wire, oracle.privatize(values, seeded_words(3))
    assert tuple(reports.columns) == wire.names
    for column in wire.columns:
        found = reports.columns[column.name]
        if isinstance(column, ByteStrings):
            (chooser,) = (one for one in wire.columns if one.name == column.chosen_by)
            chosen = reports.columns[chooser.name].tolist()
            assert found.widths.tolist() == [column.wires[number - chooser.first].width for number in chosen]
        else:
            assert found.dtype == column.dtype
            assert found.shape == (USERS, *column.shape)
            assert not column.outside(found).any()
    messages = wire.messages(reports)
    assert len(messages) == USERS
    if wire.fixed:
        assert {len(message) for message in messages} == {wire.width}
        packed = wire.pack(reports)
        assert [row.tobytes() for row in packed] == messages
        assert sums_of(oracle, wire.unpack(packed, oracle.parameters)) == sums_of(oracle, reports)
    again = wire.from_messages(messages, oracle.parameters)
    assert wire.messages(again) == messages
    assert sums_of(oracle, again) == sums_of(oracle, reports)
    for number, message in ((1, messages[0] + b"x"), (2, messages[1][:-1])):
        with pytest.raises(InputError, match=f"message must have .* bytes, got {len(message)} in message {number}"):
            wire.from_messages([*messages[: number - 1], message], oracle.parameters)


@pytest.mark.parametrize("name", ["grr", "oue", "hrr", "olh", "dbitflip", "ss"])
def test_keys_of_a_law_are_its_messages(name):
    oracle = make_oracle(name, 5, ONE)
    keys = {bytes(oracle.wire.key(report)) for report in oracle.report_law()}
    assert len(keys) == len(oracle.report_law())
    assert set(oracle.wire.messages(oracle.privatize(np.arange(300) % 5, seeded_words(4)))) <= keys


def test_numbers_take_the_smallest_type_that_holds_them():
    for bound in (1, 2, 255, 256, 257, 1 << 16, (1 << 16) + 1, 1 << 32, (1 << 32) + 1, 1 << 63):
        kind = smallest_type(bound)
        assert kind.kind == "u"
        assert np.iinfo(kind).max >= bound - 1
        assert kind.itemsize == 1 or bound - 1 >= 256 ** (kind.itemsize // 2)


def test_bits_count_from_the_lowest():
    oracle = make_oracle("dbitflip", 20, Privacy(epsilon=200), d=20)
    assert oracle.wire.messages(oracle.privatize(np.array([0, 9, 19]), seeded_words(1))) == [
        b"\x01\x00\x00",
        b"\x00\x02\x00",
        b"\x00\x00\x08",
    ]
    unary = make_oracle("sue", 20, Privacy(epsilon=200))
    assert unary.wire.messages(unary.privatize(np.array([9]), seeded_words(1))) == [b"\x00\x02\x00"]


def test_a_message_by_hand():
    inner = Wire((Numbers("item", 300),)), Wire((PackedBits("bits", 9),))
    wire = Wire((Numbers("level", 3, first=1), ByteStrings("report", "level", inner)))
    strings = Ragged(np.array([0, 2, 4]), np.array([44, 1, 255, 1], dtype=np.uint8))
    reports = wire.reports({"oracle": "x"}, np.array([1, 2]), strings)
    assert wire.messages(reports) == [b"\x01\x02\x00\x00\x00\x2c\x01", b"\x02\x02\x00\x00\x00\xff\x01"]
    for use in (lambda: wire.width, lambda: wire.pack(reports), lambda: joined_wires([wire])):
        with pytest.raises(InputError, match="must have no byte strings"):
            use()


def test_columns_that_are_not_stated_are_refused():
    wire = Wire((Numbers("item", 300), Numbers("places", 5, count=2), PackedBits("bits", 9)))
    good = {
        "item": np.array([299, 0]),
        "places": np.array([[0, 4], [1, 2]]),
        "bits": np.array([[255, 1], [0, 0]], dtype=np.uint8),
    }
    parameters = {"oracle": "x"}
    typed = wire.typed(Reports(parameters, dict(reversed(good.items()))))
    assert [str(column.dtype) for column in typed.arrays().values()] == ["uint16", "uint8", "uint8"]
    assert [column.tolist() for column in wire.checked(typed, parameters)] == [one.tolist() for one in good.values()]
    strings = Ragged(np.array([0, 1, 2]), np.array([1, 2], dtype=np.uint8))
    for name, column, message in (
        ("item", np.array([0, 300]), r"item in 0\.\.299, got 300 in row 2"),
        ("item", np.array([0, 300], dtype=np.uint16), r"item in 0\.\.299, got 300 in row 2"),
        ("item", np.array([-1, 3]), r"item in 0\.\.299, got -1 in row 1"),
        ("item", np.array([0.5, 1]), "item of whole numbers, got float64"),
        ("item", strings, "item of whole numbers, got byte strings"),
        ("places", np.array([[0, 4], [1, 5]]), r"places in 0\.\.4, got 1, 5 in row 2"),
        ("places", np.array([0, 4]), r"places of shape \(2,\) each, got \(\)"),
        ("bits", np.array([[255, 3], [0, 0]], dtype=np.uint8), "column bits must have no bit beyond bit 8, got one in"),
        ("bits", np.array([[255], [0]], dtype=np.uint8), r"2 bytes for each user, got uint8 of shape \(2, 1\)"),
        ("bits", good["places"], r"2 bytes for each user, got int64 of shape \(2, 2\)"),
        ("bits", strings, "2 bytes for each user, got byte strings"),
    ):
        with pytest.raises(InputError, match=message):
            wire.checked(Reports(parameters, {**good, name: column}), parameters)
    with pytest.raises(InputError, match="reports of x must have the columns item, places, bits, got item"):
        wire.typed(Reports(parameters, {"item": good["item"]}))
    with pytest.raises(InputError, match="got oracle=x beside oracle=y"):
        wire.checked(Reports(parameters, good), {"oracle": "y"})
    with pytest.raises(InputError, match="at least one message must be given, got none"):
        wire.from_messages([], parameters)
    with pytest.raises(InputError, match="must have byte strings as report, got int64"):
        ByteStrings("report", "item", ()).checked(np.array([1]))
