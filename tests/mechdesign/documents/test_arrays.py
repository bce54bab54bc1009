"""Numpy files: what promises too much is refused before it is allocated; nothing is unpickled."""

import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from wording import refused

from mechdesign import DesignProblem, InputError, design, export, read_matrix
from mechdesign.documents import arrays
from mechdesign.documents.arrays import read_arrays


def header(descr, shape):
    stream = io.BytesIO()
    said = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, said)
    return stream.getvalue()


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def zipped(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            if isinstance(content, bytes):
                archive.writestr(name, content)
                continue
            head, zeros = content
            with archive.open(name, "w", force_zip64=True) as part:
                part.write(head)
                for _ in range(zeros >> 20):
                    part.write(bytes(1 << 20))
    return path


@pytest.fixture
def wm(tmp_path):
    path = tmp_path / "wm.npz"
    export(design(DesignProblem(4, "0.9")), path)
    return path


def member(path, name):
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


@pytest.mark.slow
def test_a_text_of_zeros_is_refused_before_it_is_allocated(tmp_path, wm):
    """Less than a megabyte that says `<U104857600`: 400 MiB."""
    size = 400 << 20
    bomb = zipped(
        tmp_path / "bomb.npz",
        [("matrix.npy", member(wm, "matrix.npy")), ("document.npy", (header(f"<U{size // 4}", ()), size))],
    )
    assert bomb.stat().st_size < 600_000
    tracemalloc.start()
    try:
        with refused(InputError):
            read_matrix(bomb)
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


BAD = {
    "more than there is": [("matrix.npy", header("<f8", (9999, 9999)) + bytes(80))],
    "less than there is": [("matrix.npy", header("<f8", (1, 1)) + bytes(80))],
    "a negative shape": [("matrix.npy", header("<f8", (-1, -1)) + bytes(8))],
    "too many numbers": [("matrix.npy", (header("<f8", (1, 16 << 20)), 128 << 20))],
    "pickled": [("matrix.npy", npy(np.array([{}]), allow_pickle=True))],
    "a raw pickle": [("matrix.npy", pickle.dumps([1]))],
    "structured": [("matrix.npy", npy(np.zeros(2, [("a", "f8")])))],
    "complex": [("matrix.npy", npy(np.zeros((2, 2), complex)))],
    "dates": [("matrix.npy", npy(np.zeros((2, 2), "M8[s]")))],
    "no array": [("matrix.txt", b"0.5")],
    "twice": [("matrix.npy", npy(np.eye(2)))] * 2,
    "many": [(f"{k}.npy", npy(np.eye(2))) for k in range(17)],
    "a future format": [("matrix.npy", b"\x93NUMPY\x03\x00" + bytes(90))],
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(tmp_path, case):
    members = BAD[case]
    path = zipped(tmp_path / "bad.npz", members)
    with refused(InputError):
        read_matrix(path)


def test_a_single_array_is_checked_too(tmp_path):
    path = tmp_path / "bad.npy"
    path.write_bytes(header("<f8", (9999, 9999)) + bytes(80))
    with refused(InputError):
        read_matrix(path)
    path.write_bytes(npy(np.asfortranarray(np.arange(6.0).reshape(2, 3))))
    assert read_arrays(path)["matrix"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("kind", ["<f8", ">f4", "<i8", "u1", "?", "<U3"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (2, 3)])
def test_good_arrays_are_those_of_numpy(tmp_path, kind, shape):
    wanted = np.zeros(shape, kind)
    path = tmp_path / "good.npz"
    np.savez(path, a=wanted, b=wanted)
    found = read_arrays(path)
    assert list(found) == ["a", "b"]
    for array in found.values():
        assert (array.dtype, array.shape) == (wanted.dtype, wanted.shape)
        assert np.array_equal(array, wanted)


def test_documents_stay_far_from_the_limit(wm):
    with zipfile.ZipFile(wm) as archive:
        part = archive.getinfo("document.npy")
    assert part.file_size / part.compress_size < arrays.LARGEST_RATIO / 5


@pytest.mark.parametrize("order", ["<", ">"])
def test_letters_that_do_not_exist_are_refused(tmp_path, order):
    letters = np.array([ord("{"), 0x110000], dtype=f"{order}u4").tobytes()
    path = zipped(tmp_path / "a.npz", [("document.npy", header(f"{order}U2", ()) + letters)])
    with refused(InputError):
        read_arrays(path)
