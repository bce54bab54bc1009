"""How reports travel: columns of the smallest types, byte strings, and messages, of every oracle."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import CASES
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.product import joined_wires
from mechdesign_catalog.randomizers.reports.ragged import Ragged, concatenated
from mechdesign_catalog.randomizers.reports.report_schema import (
    ByteStrings,
    Numbers,
    PackedBits,
    ReportSchema,
    smallest_type,
)
from mechdesign_catalog.randomizers.reports.reports import Reports, joined
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.attributes.registry import make_tuple_oracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle

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


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in ("grr", "sue", "ss", "blh", "olh", "hrr", "dbitflip")),
        ("ss", {"size": 2}),
        ("hrr", {"t": 2}),
        ("hcms", {"hashes": 5, "width": 8}),
    ],
)
def test_bits_tell_all_reports_apart_and_no_column_has_one_too_many(name, options):
    oracle = make_oracle(name, 5, ONE, **options)
    reports = len(oracle.report_law())
    assert 2 ** (oracle.bits - len(oracle.report_schema.columns)) < reports <= 2**oracle.bits


def test_bits_of_columns():
    inner = ReportSchema((Numbers("item", 1000),)), ReportSchema((PackedBits("bits", 12),))
    columns = Numbers("level", 4, first=1), ByteStrings("report", "level", inner)
    assert [column.bits_sent for column in columns] == [2, 12]
    assert ReportSchema(columns).bits == 14
    assert Numbers("buckets", 1000, count=3).bits_sent == 30
    assert Numbers("hash", 1).bits_sent == 0
    assert PackedBits("bits", 7, ones=3).bits_sent == 6  # 35 sets


def sums_of(oracle, reports):
    return oracle.aggregate(reports).sums.tolist()


@pytest.mark.parametrize("label", ORACLES)
def test_messages_are_the_reports(label):
    oracle, values = ORACLES[label]()
    report_schema, reports = oracle.report_schema, oracle.privatize(values, seeded_words(3))
    assert tuple(reports.columns) == report_schema.names
    for column in report_schema.columns:
        found = reports.columns[column.name]
        if isinstance(column, ByteStrings):
            (chooser,) = (one for one in report_schema.columns if one.name == column.chosen_by)
            chosen = reports.columns[chooser.name].tolist()
            assert found.widths.tolist() == [column.wires[number - chooser.first].width for number in chosen]
        else:
            assert found.dtype == column.dtype
            assert found.shape == (USERS, *column.shape)
            assert not column.outside(found).any()
    messages = report_schema.messages(reports)
    assert len(messages) == USERS
    if report_schema.fixed:
        assert {len(message) for message in messages} == {report_schema.width}
        packed = report_schema.pack(reports)
        assert [row.tobytes() for row in packed] == messages
        assert sums_of(oracle, report_schema.unpack(packed, oracle.parameters)) == sums_of(oracle, reports)
    again = report_schema.from_messages(messages, oracle.parameters)
    assert report_schema.messages(again) == messages
    assert sums_of(oracle, again) == sums_of(oracle, reports)
    for number, message in ((1, messages[0] + b"x"), (2, messages[1][:-1])):
        with refused(InputError):
            report_schema.from_messages([*messages[: number - 1], message], oracle.parameters)


@pytest.mark.parametrize(
    ("name", "k"), [("grr", 5), ("grr", 300), ("oue", 5), ("hrr", 5), ("olh", 5), ("dbitflip", 5), ("ss", 5)]
)
def test_keys_of_a_law_are_its_messages(name, k):
    oracle = make_oracle(name, k, ONE)
    keys = {bytes(oracle.report_schema.key(report)) for report in oracle.report_law()}
    assert len(keys) == len(oracle.report_law())
    assert set(oracle.report_schema.messages(oracle.privatize(np.arange(300) % k, seeded_words(4)))) <= keys


def test_numbers_take_the_smallest_type_that_holds_them():
    for bound in (1, 2, 255, 256, 257, 1 << 16, (1 << 16) + 1, 1 << 32, (1 << 32) + 1, 1 << 63):
        kind = smallest_type(bound)
        assert kind.kind == "u"
        assert np.iinfo(kind).max >= bound - 1
        assert kind.itemsize == 1 or bound - 1 >= 256 ** (kind.itemsize // 2)


def test_bits_count_from_the_lowest():
    oracle = make_oracle("dbitflip", 20, Privacy(epsilon=200), d=20)
    assert oracle.report_schema.messages(oracle.privatize(np.array([0, 9, 19]), seeded_words(1))) == [
        b"\x01\x00\x00",
        b"\x00\x02\x00",
        b"\x00\x00\x08",
    ]
    unary = make_oracle("sue", 20, Privacy(epsilon=200))
    assert unary.report_schema.messages(unary.privatize(np.array([9]), seeded_words(1))) == [b"\x00\x02\x00"]


def test_a_message_by_hand():
    inner = ReportSchema((Numbers("item", 300),)), ReportSchema((PackedBits("bits", 9),))
    report_schema = ReportSchema((Numbers("level", 3, first=1), ByteStrings("report", "level", inner)))
    strings = Ragged(np.array([0, 2, 4]), np.array([44, 1, 255, 1], dtype=np.uint8))
    reports = report_schema.reports({"oracle": "x"}, np.array([1, 2]), strings)
    assert report_schema.messages(reports) == [b"\x01\x02\x00\x00\x00\x2c\x01", b"\x02\x02\x00\x00\x00\xff\x01"]
    for use in (
        lambda: report_schema.width,
        lambda: report_schema.pack(reports),
        lambda: joined_wires([report_schema]),
    ):
        with refused(InputError):
            use()


def test_columns_that_are_not_stated_are_refused():
    report_schema = ReportSchema((Numbers("item", 300), Numbers("places", 5, count=2), PackedBits("bits", 9)))
    good = {
        "item": np.array([299, 0]),
        "places": np.array([[0, 4], [1, 2]]),
        "bits": np.array([[255, 1], [0, 0]], dtype=np.uint8),
    }
    parameters = {"oracle": "x"}
    typed = report_schema.typed(Reports(parameters, dict(reversed(good.items()))))
    assert [str(column.dtype) for column in typed.arrays().values()] == ["uint16", "uint8", "uint8"]
    assert [column.tolist() for column in report_schema.checked(typed, parameters)] == [
        one.tolist() for one in good.values()
    ]
    strings = Ragged(np.array([0, 1, 2]), np.array([1, 2], dtype=np.uint8))
    for name, column in (
        ("item", np.array([0, 300])),
        ("item", np.array([0, 300], dtype=np.uint16)),
        ("item", np.array([-1, 3])),
        ("item", np.array([0.5, 1])),
        ("item", strings),
        ("places", np.array([[0, 4], [1, 5]])),
        ("places", np.array([0, 4])),
        ("bits", np.array([[255, 3], [0, 0]], dtype=np.uint8)),
        ("bits", np.array([[255], [0]], dtype=np.uint8)),
        ("bits", good["places"]),
        ("bits", strings),
    ):
        with refused(InputError):
            report_schema.checked(Reports(parameters, {**good, name: column}), parameters)
    with refused(InputError):
        report_schema.typed(Reports(parameters, {"item": good["item"]}))
    with refused(InputError):
        report_schema.checked(Reports(parameters, good), {"oracle": "y"})
    with refused(InputError):
        report_schema.from_messages([], parameters)
    with refused(InputError):
        ByteStrings("report", "item", ()).checked(np.array([1]))


texts = st.lists(st.binary(max_size=5), max_size=12)


def column_of(rows: list[bytes]) -> Ragged:
    offsets = np.cumsum([0, *map(len, rows)])
    return Ragged(offsets, np.frombuffer(b"".join(rows), dtype=np.uint8) if any(rows) else np.zeros(0, dtype=np.uint8))


def rows_of(column: Ragged) -> list[bytes]:
    return [column.data[a:b].tobytes() for a, b in zip(column.offsets[:-1], column.offsets[1:], strict=True)]


@given(texts, st.integers(-3, 14), st.integers(-3, 14))
def test_a_slice_has_the_rows_of_the_list(rows, start, stop):
    column = column_of(rows)
    assert rows_of(column) == rows
    assert len(column) == len(rows) == column.shape[0]
    assert column.widths.tolist() == list(map(len, rows))
    assert rows_of(column[start:stop]) == rows[start:stop]
    assert rows_of(column[start:stop][1:]) == rows[start:stop][1:]


@given(st.lists(texts, min_size=1, max_size=4))
def test_columns_join_in_order(parts):
    assert rows_of(concatenated([column_of(part) for part in parts])) == list(chain(*parts))
    assert rows_of(concatenated([column_of(part)[1:] for part in parts])) == list(chain(*(part[1:] for part in parts)))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_gathered_groups_come_back_as_they_were(levels):
    """Group g has rows of g bytes."""
    groups = [np.flatnonzero(np.array(levels) == g) for g in range(4)]
    parts = [np.arange(len(rows) * g, dtype=np.uint8).reshape(len(rows), g) + 10 * g for g, rows in enumerate(groups)]
    column = Ragged.gathered(len(levels), groups, parts)
    assert column.widths.tolist() == levels
    for g, (rows, part) in enumerate(zip(groups, parts, strict=True)):
        assert np.array_equal(column.rows(rows, g), part)


def test_rows_of_another_length_are_named():
    column = column_of([b"ab", b"c", b"de"])
    assert column.rows(np.array([2, 0]), 2).tolist() == [[100, 101], [97, 98]]
    with refused(InputError):
        column.rows(np.array([0, 1]), 2)


@pytest.mark.parametrize(
    ("offsets", "data"),
    [
        ([0, 2, 1], b"ab"),
        ([0, 3, 2], b"ab"),
        ([1, 2], b"ab"),
        ([0, 1], b"ab"),
        ([0, 3], b"ab"),
        ([], b""),
        ([0.0, 2.0], b"ab"),
        ([[0, 2]], b"ab"),
    ],
)
def test_offsets_that_are_none_are_refused(offsets, data):
    with refused(InputError):
        Ragged(np.array(offsets), np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8))


def test_other_data_steps_and_groups_are_refused():
    with refused(InputError):
        Ragged(np.array([0, 2]), np.array([1, 2]))
    with refused(InputError):
        column_of([b"a", b"b"])[::2]
    one = np.array([[1]], dtype=np.uint8)
    for rows in ([np.array([0])], [np.array([0]), np.array([0])], [np.array([0]), np.array([0, 1])]):
        parts = [np.repeat(one, len(places), axis=0) for places in rows]
        with refused(InputError, about="groups"):
            Ragged.gathered(2, rows, parts)


def test_reports_are_cut_and_joined_with_their_byte_strings():
    reports = Reports({"oracle": "x"}, {"level": np.array([1, 2, 1]), "report": column_of([b"a", b"bcd", b""])})
    assert len(reports) == 3
    again = joined([reports[:1], reports[1:1], reports[1:]])
    assert rows_of(again.columns["report"]) == [b"a", b"bcd", b""]
    assert again.columns["level"].tolist() == [1, 2, 1]
    with refused(InputError):
        Reports({}, {"level": np.array([1, 2, 1]), "report": column_of([b"a", b"b"])})
    with refused(InputError, about="reports"):
        reports.arrays()
    other = Reports({"oracle": "x"}, {"level": np.array([1]), "report": np.array([1])})
    with refused(InputError):
        joined([reports, other])
