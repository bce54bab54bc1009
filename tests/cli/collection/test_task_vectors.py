"""`mechdesign local task vectors`: the committed test vectors, written again into any folder."""

from pathlib import Path

import pytest
from wording import check_wording

VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.fixture
def quick(monkeypatch):
    """One file of vectors, in place of those of all oracles."""
    monkeypatch.setattr("mechdesign_catalog.reference.vectors.vector_files.vector_files", lambda: {"grr.json": "{}"})


@pytest.mark.slow
def test_the_command_writes_the_committed_vectors(mechdesign):
    written = mechdesign("local", "task", "vectors", "new")
    names = sorted(path.name for path in VECTORS.iterdir())
    assert (written.code, written.out) == (0, "")
    assert written.err == f"wrote test vectors of {len(names)} oracles to new\n"
    assert sorted(path.name for path in Path("new").iterdir()) == names
    assert all((Path("new") / name).read_bytes() == (VECTORS / name).read_bytes() for name in names)


def test_a_folder_that_is_there_serves_too(mechdesign, quick):
    Path("new").mkdir()
    assert mechdesign("local", "task", "vectors", "new", "--quiet").err == ""
    assert Path("new/grr.json").read_text() == "{}"


def test_what_cannot_be_a_folder_is_refused(mechdesign, quick):
    Path("a.txt").write_text("")
    Path("new/grr.json").mkdir(parents=True)
    for folder in (
        "a.txt",
        "no/where",
        "new",
    ):
        seen = mechdesign("local", "task", "vectors", folder)
        assert seen.code == 2
        check_wording(seen.err)
    assert Path("a.txt").read_text() == ""
    assert [path.name for path in Path("new").iterdir()] == ["grr.json"]
