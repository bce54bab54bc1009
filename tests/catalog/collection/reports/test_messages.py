"""Messages of clients in other languages become files of reports, checked as a server checks."""

import hashlib
from pathlib import Path

import pytest
from task_cases import TASKS, reports_of, task_of
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.collection.reports.batches import ReportFile
from mechdesign_catalog.collection.reports.messages import ReceivedReports, receive_messages
from mechdesign_catalog.collection.reports.report_files import read_header
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.collection.states.collection_state import CollectionState

every = pytest.mark.parametrize("label", TASKS)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(messages, name="messages.txt"):
    Path(name).write_text("".join(f"{message.hex()}\n" for message in messages))
    return name


@every
def test_messages_are_counted_as_the_reports_that_they_are(label):
    task, (oracle, reports) = task_of(label), reports_of(label, 30)
    messages = oracle.report_schema.messages(reports)
    assert receive_messages(written(messages), task, "reports.parquet") == ReceivedReports(30, 0)
    Path("messages.bin").write_bytes(b"".join(messages))
    assert receive_messages("messages.bin", task, "raw.parquet", raw=True) == ReceivedReports(30, 0)
    direct = oracle.aggregate(reports)
    for name in ("reports.parquet", "raw.parquet"):
        state = CollectionState.empty(task).add(ReportFile.at(name))
        assert state.users == direct.users
        assert state.sums.sums.tolist() == direct.sums.tolist()
    assert read_header("reports.parquet") == read_header("raw.parquet")


@pytest.mark.parametrize("label", ["grr", "dbitflip:d=2", "hh:b=2", "margps"])
def test_many_messages_come_in_pieces(label, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.reports.messages.AT_ONCE", 7)
    task, (oracle, reports) = task_of(label), reports_of(label, 30)
    told = []
    receive_messages(written(oracle.report_schema.messages(reports)), task, "reports.parquet", report=told.append)
    assert told == [7, 14, 21, 28, 30]
    state = CollectionState.empty(task).add(ReportFile.at("reports.parquet"))
    assert state.sums.sums.tolist() == oracle.aggregate(reports).sums.tolist()


def test_messages_that_come_twice_count_once():
    task, (oracle, reports) = task_of("olh"), reports_of("olh", 30)
    messages = written(oracle.report_schema.messages(reports))
    receive_messages(messages, task, "one.parquet")
    Path(messages).write_text(Path(messages).read_text().upper())
    receive_messages(messages, task, "two.parquet")
    with refused(InputError):
        aggregate(["one.parquet", "two.parquet"])
    receive_messages(messages, task, "three.parquet", batch="2026-11-20")
    assert aggregate(["one.parquet", "three.parquet"]).users == 60


def test_what_is_no_message_refuses_the_file():
    for content, raw in [
        (b"03\n0x\n", False),
        (b"03\n\n", False),
        (b"03\n030\n", False),
        (b"03\n0304\n", False),
        (b"03\n05\n", False),
        (b"\x03\x05", True),
        (b"", False),
        (b"", True),
    ]:
        Path("m.txt").write_bytes(content)
        with refused(InputError):
            receive_messages("m.txt", task_of("grr"), "out.parquet", raw=raw)
        assert not Path("out.parquet").exists()


@pytest.mark.parametrize("label", ["grr", "olh", "hh:b=2", "margps"])
def test_what_is_no_message_is_left_out_if_asked(label, monkeypatch):
    monkeypatch.setattr("mechdesign_catalog.collection.reports.messages.AT_ONCE", 7)
    task, (oracle, reports) = task_of(label), reports_of(label, 30)
    lines = [message.hex() for message in oracle.report_schema.messages(reports)]
    receive_messages(written(map(bytes.fromhex, lines)), task, "good.parquet")
    wrong = [*lines[:9], "no digits", "", *lines[9:20], lines[0] + "00", "ff" * (len(lines[0]) // 2), *lines[20:]]
    Path("bad.txt").write_text("\n".join(wrong) + "\n")
    assert receive_messages("bad.txt", task, "kept.parquet", drop_invalid=True) == ReceivedReports(30, 4)
    assert read_header("kept.parquet") == read_header("good.parquet")
    Path("good.txt").write_text("\n".join(lines) + "\n")
    assert receive_messages("good.txt", task, "all.parquet", drop_invalid=True) == ReceivedReports(30, 0)


def test_no_file_of_no_valid_message():
    Path("m.txt").write_text("05\n06\nxx\n")
    with refused(InputError):
        receive_messages("m.txt", task_of("grr"), "out.parquet", drop_invalid=True)
    assert not Path("out.parquet").exists()


def test_raw_messages_that_are_cut_are_refused_all_the_same():
    task = task_of("grr")
    Path("m.bin").write_bytes(b"\x03\x05\x00")
    assert receive_messages("m.bin", task, "out.parquet", raw=True, drop_invalid=True) == ReceivedReports(2, 1)
    Path("cut.bin").write_bytes(b"\x01" + b"\x01\x00\x00\x00")
    with refused(InputError):
        receive_messages("cut.bin", task_of("hh:b=2"), "cut.parquet", raw=True, drop_invalid=True)


def test_a_byte_string_of_a_false_length_is_no_gigabyte():
    Path("m.bin").write_bytes(b"\x01" + b"\xff" * 4)
    with refused(InputError):
        receive_messages("m.bin", task_of("hh:b=2"), "out.parquet", raw=True)


def test_the_identity_is_the_digest_of_the_messages():
    task = task_of("grr")
    receive_messages(written([b"\x03", b"\x00"]), task, "out.parquet", batch="May")
    content = f"{task.digest} May\n".encode() + b"".join(b"\1" + bytes(7) + message for message in (b"\x03", b"\x00"))
    assert read_header("out.parquet").identity == hashlib.sha256(content).hexdigest()[:32]
