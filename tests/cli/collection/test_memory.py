"""`mechdesign privatize --memory`: answers that stay while values do."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from local_reports import MEAN, PRIVATIZE, write_cities, write_hours


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        [*MEAN, "--column", "hours"],
        [*PRIVATIZE, "--oracle", "dbitflip:d=2", "--epsilon", 1],
    ],
    ids=["onebitmean", "dbitflip"],
)
def test_memory_makes_every_round_the_same(mechdesign, command):
    write_hours([3, 9])
    write_cities(600)
    name = "user" if "hours" in command else "id"
    for round_ in ("one", "two"):
        remembered = ["--user", name, "--memory", "answers.db", "--round", round_]
        seen = mechdesign(*command, *remembered, "-o", f"{round_}.parquet")
        assert seen.code == 0, seen.err
        assert "SECRET" in seen.err
    assert os.stat("answers.db").st_mode & 0o777 == 0o600
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))
    mechdesign(*command, "-o", "anew.parquet")
    assert not pq.read_table("anew.parquet").equals(pq.read_table("one.parquet"))


REMEMBERED = ["--user", "id", "--round", "one", "--memory"]
BAD_MEMORY = {
    "user alone": (["--user", "id"], "--user, --memory and --round go together, got only --user"),
    "memory alone": (["--memory", "m.db"], "--user, --memory and --round go together, got only --memory"),
    "no round": (["--user", "id", "--memory", "m.db"], "go together, got only --user and --memory"),
    "round alone": (["--round", "one"], "go together, got only --round"),
    "no name of a round": ([*REMEMBERED, "m.db", "--round", "a b"], "round must be 1 to 64 letters, digits or . _ : -"),
    "other oracle": ([*REMEMBERED, "m.db", "--oracle", "oue"], "memory goes with dbitflip and"),
    "not a memory": ([*REMEMBERED, "cities.txt"], "output must not replace what is read"),
    "foreign": (
        [*REMEMBERED, "foreign.db"],
        "the memory foreign.db must be made with the same parameters",
    ),
    "damaged": ([*REMEMBERED, "damaged.db"], "got damaged.db (cut off, changed, or"),
    "same file": ([*REMEMBERED, "new.parquet"], "output must not"),
}


@pytest.mark.parametrize("name", BAD_MEMORY)
def test_bad_memory(mechdesign, name):
    arguments, message = BAD_MEMORY[name]
    write_cities(200)
    base = [*PRIVATIZE, "--epsilon", 1, "-o", "new.parquet"]
    mechdesign(*base, "--oracle", "dbitflip:d=3", *REMEMBERED, "foreign.db")
    Path("damaged.db").write_bytes(Path("foreign.db").read_bytes()[:5000])
    if name != "same file":
        Path("new.parquet").unlink()
    before = {path: path.read_bytes() for path in Path().iterdir()}
    oracle = [] if "--oracle" in arguments else ["--oracle", "dbitflip:d=2"]
    seen = mechdesign(*base, *oracle, *arguments)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert message in seen.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_user_stands_once_in_a_round(mechdesign):
    write_cities(100)
    with Path("values.csv").open("a") as file:
        file.write("3,Cork\n")
    remembered = [*REMEMBERED, "m.db", "-o", "r.parquet"]
    seen = mechdesign(*PRIVATIZE, "--epsilon", 1, "--oracle", "dbitflip:d=2", *remembered)
    assert seen.code == 2
    assert "users must stand once in a batch, got that of row 4 again in row 101 of values.csv" in seen.err
    assert not Path("r.parquet").exists()
    assert not Path("m.db").exists()
