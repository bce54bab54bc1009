"""Documents and matrices in files: round trips, and one clear line for everything unusable."""

import json
import os
from fractions import Fraction

import numpy as np
import pytest
from cases import SKEWED
from tampering import FORGED, TAMPERINGS, set_in, tampered

from mechdesign import DesignProblem, InputError, Loss, RefusedError, design, export, read_matrix, read_mechanism
from mechdesign.audits.audit import audit
from mechdesign.documents.document import document_text
from mechdesign.documents.files import require_writable, whole_file, write_together
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.unnamed import scratch_files

LOSS = Loss.from_matrix(tuple(tuple(Fraction(abs(i - j), 3) for j in range(5)) for i in range(5)))
DESIGNS = [
    design(DesignProblem(8, "9/10", properties="WH,CM")),
    design(DesignProblem(4, "7/10", properties="F,S", loss=LOSS, prior=SKEWED)),
    design(DesignProblem(5, epsilon="0.3", loss="L1:1", prior="binomial:1/3"), solver="cvxpy:CLARABEL"),
]


@pytest.fixture(params=range(len(DESIGNS)))
def result(request):
    return DESIGNS[request.param]


def test_documents_survive_a_round_trip_byte_for_byte(result, tmp_path):
    path = tmp_path / "design.json"
    export(result, path)
    stored = read_matrix(path).document
    assert document_text(stored.raw).encode() == path.read_bytes()
    assert stored.mechanism() == result.mechanism
    assert stored.parsed.certificate == result.certificate
    assert (stored.score, stored.lower_bound) == (result.score, result.lower_bound)
    assert stored.problem.cost == result.problem.cost
    assert audit(stored).passed


def test_the_document_is_the_contract(tmp_path):
    path = tmp_path / "design.json"
    export(DESIGNS[0], path)
    data = json.loads(path.read_text())
    assert data["format"] == "mechdesign-design/1"
    assert data["problem"] == {
        "model": "count",
        "n": 8,
        "alpha": "9/10",
        "epsilon": pytest.approx(0.10536, abs=1e-5),
        "properties": ["WH", "CM"],
        "loss": "L0",
        "aggregate": "expected",
        "prior": "uniform",
    }
    weights = [[int(weight) for weight in row] for row in data["weights"]]
    assert {sum(column) for column in zip(*weights, strict=True)} == {int(data["denominator"])}
    assert data["score"] == {"exact": "114025/118098", "value": pytest.approx(0.965512, abs=1e-6)}
    assert data["lower_bound"] == data["score"]
    assert data["status"] == "exact"
    assert set(data["holds"]) == {"CH", "CM", "RH", "RM", "S", "WH"}
    assert set(data["seconds"]) == {"solve", "certify", "verify"}
    assert isinstance(data["version"], str)


def test_csv_is_the_plain_matrix(result, tmp_path):
    path = tmp_path / "design.csv"
    export(result, path)
    assert np.array_equal(np.loadtxt(path, delimiter=","), result.mechanism.matrix())
    assert path.read_text() == "".join(
        ",".join(repr(float(x)) for x in row) + "\n" for row in result.mechanism.matrix()
    )


def test_npz_holds_matrix_and_document_without_pickles(result, tmp_path):
    path = tmp_path / "design.npz"
    export(result, path)
    with np.load(path, allow_pickle=False) as arrays:
        assert np.array_equal(arrays["matrix"], result.mechanism.matrix())
    assert read_mechanism(path) == result.mechanism
    assert audit(read_matrix(path).document).passed


@pytest.mark.parametrize("change", TAMPERINGS)
def test_every_claim_of_a_tampered_document_is_tested(change, tmp_path):
    found = audit(read_matrix(tampered(DESIGNS[0], tmp_path, change)).document)
    assert not found.passed


@pytest.mark.parametrize("change", TAMPERINGS)
def test_a_tampered_mechanism_is_not_used(change, tmp_path):
    with pytest.raises((InputError, RefusedError)):
        read_mechanism(tampered(DESIGNS[0], tmp_path, change))


def test_remarks_of_a_stranger_have_their_place(tmp_path):
    document = read_matrix(tampered(DESIGNS[0], tmp_path, set_in("x", value={"reviewed": [True, None, 1.5]}))).document
    assert audit(document).passed
    assert document_text(document.raw).endswith('"x": {"reviewed": [true, null, 1.5]}\n}\n')


@pytest.mark.parametrize(("text", "instead", "key"), FORGED)
def test_no_key_stands_twice(text, instead, key, tmp_path):
    path = tampered(DESIGNS[0], tmp_path, lambda data: None)
    path.write_text(path.read_text().replace(text, instead, 1))
    with pytest.raises(InputError, match=f"JSON objects must have every key once, got '{key}' twice in .*json"):
        read_matrix(path)


def npz(**arrays):
    def write(path):
        np.savez(path, **arrays)

    return write


def npy(array, **options):
    def write(path):
        np.save(path, array, **options)

    return write


BAD_FILES = [
    ("a.json", "", "must not be empty"),
    ("a.json", "   \n", "must not be empty"),
    ("a.json", '{"format": "mechdesign-design/1", ', "cut off at line 1"),
    ("a.json", "[1, 2]", "design document"),
    ("a.json", "[[1, 2], [3]]", "equally long"),
    ("a.json", '[[1, "x"], [3, 4]]', "row 1, column 2"),
    ("a.json", "[[1, null], [3, 4]]", "row 1, column 2"),
    ("a.json", "[[1, NaN], [3, 4]]", "numbers alone, got NaN"),
    ("a.json", "[" * 100_000, "JSON"),
    ("a.json", "1" * 5000, "design document"),
    ("a.json", b"\xff\xfe\x00", "binary"),
    ("a.csv", "0.5,0.5\n0.5\n", "1 cells in row 2"),
    ("a.csv", "0.5,nan\n0.5,0.5\n", "row 1, column 2"),
    ("a.csv", "0.5,1e301\n0.5,0.5\n", "at most 1e300"),
    ("a.csv", "i,j\n0.5,0.5\n", "got 'i' in row 1, column 1"),
    ("a.csv", b"0.5,\x00\n", "binary"),
    ("a.txt", "0.5", "must end in"),
    ("a.npy", "no numpy", "without pickles"),
    ("a.npy", npy(np.zeros(3)), "two-dimensional"),
    ("a.npy", npy(np.zeros((2, 2, 2))), "two-dimensional"),
    ("a.npy", npy(np.zeros((2, 2), dtype=complex)), "real"),
    ("a.npy", npy(np.array([[0.5, np.inf], [0.5, 0]])), "row 1, column 2"),
    ("a.npy", npy(np.array([[None]]), allow_pickle=True), "without pickles"),
    ("a.npz", npz(a=np.eye(2), b=np.eye(2)), "one array, or one called matrix, got a, b"),
    ("a.npz", b"PK\x03\x04 damaged", "without pickles"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES)
def test_unusable_files(name, content, message, tmp_path):
    path = tmp_path / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message) as error:
        read_matrix(path)
    assert "\n" not in str(error.value)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(InputError, match="must exist"):
        read_matrix(tmp_path / "missing.json")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="must be readable"):
        read_matrix(tmp_path / "folder.csv")


def test_other_tools_matrices(tmp_path):
    rows = [[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 2), Fraction(3, 4)]]
    (tmp_path / "a.csv").write_text("\ufeff0.5, 1/4\r\n.5,0.75\r\n")
    (tmp_path / "a.json").write_text('{"matrix": [[0.5, "1/4"], [0.5, 0.75]]}')
    np.save(tmp_path / "a.npy", np.array([[0.5, 0.25], [0.5, 0.75]]))
    np.savez(tmp_path / "a.npz", anything=np.array([[0.5, 0.25], [0.5, 0.75]]))
    for name in ("a.csv", "a.json", "a.npy", "a.npz"):
        assert read_matrix(tmp_path / name).rows == rows
    assert read_mechanism(tmp_path / "a.csv").fraction(0, 1) == Fraction(1, 4)


def test_floats_are_the_rationals_that_they_are(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[0.1]]))
    assert read_matrix(tmp_path / "a.npy").rows == [[Fraction(0.1)]]


def test_mechanisms_for_use_must_be_exact(tmp_path):
    path = tmp_path / "a.csv"
    for text, message in (
        ("0.5,0.3\n0.5,0.6\n", "column 1 must sum .* --repair"),
        ("1,0.5\n0,0.5\n", "finite epsilon"),
        ("0.5,0.5\n0.25,0.25\n0.25,0.25\n", "square"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_mechanism(path)


def test_two_halves_of_an_npz_must_agree(tmp_path):
    path = tmp_path / "a.npz"
    export(DESIGNS[0], path)
    with np.load(path) as arrays:
        document = arrays["document"]
    np.savez(path, matrix=np.eye(9), document=document)
    with pytest.raises(InputError, match="must agree"):
        read_matrix(path)


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def interrupted():
        with whole_file(path) as stream:
            stream.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_several_files_appear_together_or_not_at_all(tmp_path):
    with pytest.raises(InputError, match="device"):
        write_together({tmp_path / "a.txt": b"a", tmp_path.__class__("/dev/full"): b"b"})
    assert list(tmp_path.iterdir()) == []


def test_files_are_forced_to_the_disk_before_one_appears_unless_they_are_scratch(tmp_path, monkeypatch):
    forced = []
    monkeypatch.setattr(os, "fsync", lambda _handle: forced.append([path.name for path in tmp_path.iterdir()]))
    files = {tmp_path / "a.txt": b"a", tmp_path / "b.txt": b"b"}
    write_together(files)
    assert forced[:2] == [[], []]
    assert len(forced) == 4  # the folder last, for each name
    with scratch_files():
        write_together(files)
    assert len(forced) == 4
    write_together(files)
    assert len(forced) == 8


def test_long_files_are_written_piece_by_piece_or_not_at_all(tmp_path):
    write_together({tmp_path / "a.txt": iter([b"one ", b"two"]), tmp_path / "b.txt": b"three"})
    assert (tmp_path / "a.txt").read_bytes() == b"one two"

    def broken():
        yield b"one "
        raise RefusedError("refused")

    with pytest.raises(RefusedError):
        write_together({tmp_path / "b.txt": b"four", tmp_path / "c.txt": broken()})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"one two", "b.txt": b"three"}


def test_permissions_and_links_are_kept(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    export(DESIGNS[0], link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert read_mechanism(target) == DESIGNS[0].mechanism


def test_what_cannot_be_written_is_found_out_first(tmp_path):
    with pytest.raises(InputError, match="folder must exist"):
        require_writable(tmp_path / "no" / "a.json")
    with pytest.raises(InputError, match="got the folder"):
        require_writable(tmp_path)
    with pytest.raises(InputError, match="must end in"):
        export(DESIGNS[0], tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    "text", ['{"a": "\\ud83d"}', '{"\\uDE00": 1}', '["\\ude00\\ud83d"]'], ids=["first", "key", "turned"]
)
def test_half_a_letter_is_refused(text):
    with pytest.raises(InputError, match=r"whole letters, got half of one \(a lone surrogate\) in a.json"):
        parse_json(text, "a.json")
    assert parse_json('["\\ud83d\\ude00"]', "a.json") == ["\U0001f600"]
