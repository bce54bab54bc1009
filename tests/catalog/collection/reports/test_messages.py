"""Messages of clients in other languages become files of reports, checked as a server checks."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from task_cases import OF_ATTRIBUTES, OF_BITS, TASKS, task_of

from mechdesign import InputError
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.reports.messages import Received, receive_messages
from mechdesign_catalog.collection.reports.report_files import read_header
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle

every = pytest.mark.parametrize("label", TASKS)


def reports_of(label, users=30):
    oracle = task_oracle(task_of(label))
    generator = np.random.default_rng(3)
    if label in OF_ATTRIBUTES or label in OF_BITS:
        values = np.array([generator.integers(0, k, users) for k in oracle.domains]).T
    else:
        values = generator.integers(0, oracle.k, users)
    return oracle, oracle.privatize(values)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(messages, name="messages.txt"):
    Path(name).write_text("".join(f"{message.hex()}\n" for message in messages))
    return name


@every
def test_messages_are_counted_as_the_reports_that_they_are(label):
    task, (oracle, reports) = task_of(label), reports_of(label)
    messages = oracle.wire.messages(reports)
    assert receive_messages(written(messages), task, "reports.parquet") == Received(30, 0)
    Path("messages.bin").write_bytes(b"".join(messages))
    assert receive_messages("messages.bin", task, "raw.parquet", raw=True) == Received(30, 0)
    direct = oracle.aggregate(reports)
    for name in ("reports.parquet", "raw.parquet"):
        state = CollectionState.empty(task).add(ReportFile.at(name))
        assert state.users == direct.users
        assert state.sums.sums.tolist() == direct.sums.tolist()
    assert read_header("reports.parquet") == read_header("raw.parquet")


@pytest.mark.parametrize("label", ["grr", "dbitflip:d=2", "hh:b=2", "margps"])
def test_many_messages_come_in_pieces(label, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.reports.messages.AT_ONCE", 7)
    task, (oracle, reports) = task_of(label), reports_of(label)
    told = []
    receive_messages(written(oracle.wire.messages(reports)), task, "reports.parquet", report=told.append)
    assert told == [7, 14, 21, 28, 30]
    state = CollectionState.empty(task).add(ReportFile.at("reports.parquet"))
    assert state.sums.sums.tolist() == oracle.aggregate(reports).sums.tolist()


def test_messages_that_come_twice_count_once():
    task, (oracle, reports) = task_of("olh"), reports_of("olh")
    messages = written(oracle.wire.messages(reports))
    receive_messages(messages, task, "one.parquet")
    Path(messages).write_text(Path(messages).read_text().upper())
    receive_messages(messages, task, "two.parquet")
    with pytest.raises(InputError, match=r"two\.parquet"):
        aggregate(["one.parquet", "two.parquet"])
    receive_messages(messages, task, "three.parquet", batch="2026-11-20")
    assert aggregate(["one.parquet", "three.parquet"]).users == 60


@pytest.mark.parametrize(
    ("content", "raw", "message"),
    [
        (b"03\n0x\n", False, "pairs of hexadecimal digits, got something else in line 2 of m.txt"),
        (b"03\n\n", False, "pairs of hexadecimal digits, got something else in line 2 of m.txt"),
        (b"03\n030\n", False, "pairs of hexadecimal digits, got something else in line 2 of m.txt"),
        (b"03\n0304\n", False, "message must have 1 bytes, got 2 in message 2 of m.txt"),
        (b"03\n05\n", False, "item in 0..4, got 5 in row 2 of m.txt"),
        (b"\x03\x05", True, "item in 0..4, got 5 in row 2 of m.txt"),
        (b"", False, "at least one message must be there, got none in m.txt"),
        (b"", True, "at least one message must be there, got none in m.txt"),
    ],
    ids=["no digits", "blank", "half a byte", "long", "no report", "no report, raw", "empty", "empty, raw"],
)
def test_what_is_no_message_refuses_the_file(content, raw, message):
    Path("m.txt").write_bytes(content)
    with pytest.raises(InputError, match=message):
        receive_messages("m.txt", task_of("grr"), "out.parquet", raw=raw)
    assert not Path("out.parquet").exists()


@pytest.mark.parametrize("label", ["grr", "olh", "hh:b=2", "margps"])
def test_what_is_no_message_is_left_out_if_asked(label, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.reports.messages.AT_ONCE", 7)
    task, (oracle, reports) = task_of(label), reports_of(label)
    lines = [message.hex() for message in oracle.wire.messages(reports)]
    receive_messages(written(map(bytes.fromhex, lines)), task, "good.parquet")
    wrong = [*lines[:9], "no digits", "", *lines[9:20], lines[0] + "00", "ff" * (len(lines[0]) // 2), *lines[20:]]
    Path("bad.txt").write_text("\n".join(wrong) + "\n")
    assert receive_messages("bad.txt", task, "kept.parquet", drop_invalid=True) == Received(30, 4)
    assert read_header("kept.parquet") == read_header("good.parquet")
    Path("good.txt").write_text("\n".join(lines) + "\n")
    assert receive_messages("good.txt", task, "all.parquet", drop_invalid=True) == Received(30, 0)


def test_no_file_of_no_valid_message():
    Path("m.txt").write_text("05\n06\nxx\n")
    with pytest.raises(InputError, match=r"one that a client makes, got none of 3 in m\.txt"):
        receive_messages("m.txt", task_of("grr"), "out.parquet", drop_invalid=True)
    assert not Path("out.parquet").exists()


def test_raw_messages_that_are_cut_are_refused_all_the_same():
    task = task_of("grr")
    Path("m.bin").write_bytes(b"\x03\x05\x00")
    assert receive_messages("m.bin", task, "out.parquet", raw=True, drop_invalid=True) == Received(2, 1)
    Path("cut.bin").write_bytes(b"\x01" + b"\x01\x00\x00\x00")
    with pytest.raises(InputError, match="got the beginning of one at the end, message 1"):
        receive_messages("cut.bin", task_of("hh:b=2"), "cut.parquet", raw=True, drop_invalid=True)


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_cut_raw_message_is_found(cut):
    task, (oracle, reports) = task_of("hh:b=2"), reports_of("hh:b=2", 1)
    (message,) = oracle.wire.messages(reports)
    Path("m.bin").write_bytes(message + message[:cut])
    assert len(message) == 6  # the level, the length of the rest, and a byte of bits
    with pytest.raises(InputError, match=r"got the beginning of one at the end, message 2 of m\.bin"):
        receive_messages("m.bin", task, "out.parquet", raw=True)


def test_a_byte_string_of_a_false_length_is_no_gigabyte():
    Path("m.bin").write_bytes(b"\x01" + b"\xff" * 4)
    with pytest.raises(InputError, match=r"at most 2\^24 bytes, got 4294967295 in message 1"):
        receive_messages("m.bin", task_of("hh:b=2"), "out.parquet", raw=True)


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"file must exist, got none\.txt"):
        receive_messages("none.txt", task_of("grr"), "out.parquet")
    with pytest.raises(InputError, match=r"must be saved to a \.parquet file, got out\.csv"):
        receive_messages("none.txt", task_of("grr"), "out.csv")


def test_the_identity_is_the_digest_of_the_messages():
    task = task_of("grr")
    receive_messages(written([b"\x03", b"\x00"]), task, "out.parquet", batch="May")
    content = f"{task.digest} May\n".encode() + b"".join(b"\1" + bytes(7) + message for message in (b"\x03", b"\x00"))
    assert read_header("out.parquet").identity == hashlib.sha256(content).hexdigest()[:32]
