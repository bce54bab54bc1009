"""`mechdesign task vectors`: the committed test vectors, written again into any folder."""

from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.mark.slow
def test_the_command_writes_the_committed_vectors(mechdesign):
    written = mechdesign("task", "vectors", "new")
    names = sorted(path.name for path in VECTORS.iterdir())
    assert (written.code, written.out) == (0, "")
    assert written.err == f"wrote test vectors of {len(names)} oracles to new\n"
    assert sorted(path.name for path in Path("new").iterdir()) == names
    assert all((Path("new") / name).read_bytes() == (VECTORS / name).read_bytes() for name in names)
    assert mechdesign("task", "vectors", "new", "--quiet").err == ""  # a folder that is there serves too


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("a.txt", "folder must not be a file, got a.txt"),
        ("no/where", "folder must be one that can be made, got no/where (No such file or directory)"),
    ],
    ids=["a file", "no folder above"],
)
def test_what_cannot_be_a_folder_is_refused(mechdesign, folder, message):
    Path("a.txt").write_text("")
    seen = mechdesign("task", "vectors", folder)
    assert (seen.code, seen.err) == (2, f"mechdesign: {message}\n")
    assert Path("a.txt").read_text() == ""


def test_a_folder_in_the_way_of_a_file_leaves_nothing_written(mechdesign):
    Path("new/grr.json").mkdir(parents=True)
    seen = mechdesign("task", "vectors", "new")
    assert (seen.code, seen.err) == (2, "mechdesign: output must be a file, got the folder new/grr.json\n")
    assert [path.name for path in Path("new").iterdir()] == ["grr.json"]
