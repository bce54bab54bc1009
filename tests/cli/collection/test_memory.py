"""Rounds with a memory: answers that stay while values do, and what is refused before anybody is drawn anew."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from local_reports import PRIVATIZE, write_cities
from wording import check_wording

REMEMBERED = ["--user", "id", "--round", "one", "--memory"]


BAD_MEMORY = [
    ["--memory", "m.db"],
    ["--round", "one"],
    [*REMEMBERED, "m.db", "--round", "a b"],
    [*REMEMBERED, "m.db", "--oracle", "oue"],
    [*REMEMBERED, "cities.txt"],
    [*REMEMBERED, "new.parquet"],
    [*REMEMBERED, "foreign.db"],
    [*REMEMBERED, "damaged.db"],
]


def test_bad_memory_changes_nothing(mechdesign):
    write_cities(200)
    base = [*PRIVATIZE, "--epsilon", 1, "-o", "new.parquet"]
    assert mechdesign(*base, "--oracle", "dbitflip:d=3", *REMEMBERED, "foreign.db").code == 0
    Path("damaged.db").write_bytes(Path("foreign.db").read_bytes()[:5000])
    for arguments in BAD_MEMORY:
        if "new.parquet" not in arguments:
            Path("new.parquet").unlink(missing_ok=True)
        else:
            Path("new.parquet").write_bytes(b"")
        before = {path: path.read_bytes() for path in Path().iterdir()}
        oracle = [] if "--oracle" in arguments else ["--oracle", "dbitflip:d=2"]
        seen = mechdesign(*base, *oracle, *arguments)
        assert (seen.code, seen.err.count("\n")) == (2, 1), arguments
        check_wording(seen.err)
        assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_a_user_stands_once_in_a_round(mechdesign):
    write_cities(100)
    with Path("values.csv").open("a") as file:
        file.write("3,Cork\n")
    remembered = [*REMEMBERED, "m.db", "-o", "r.parquet"]
    seen = mechdesign(*PRIVATIZE, "--epsilon", 1, "--oracle", "dbitflip:d=2", *remembered)
    assert seen.code == 2
    check_wording(seen.err)
    assert not Path("r.parquet").exists()
    assert not Path("m.db").exists()


CITIES = ["Cork", "Galway", "Dublin", "Belfast", "Derry"]


def write_domain(*items):
    Path("cities.txt").write_text("\n".join(items or CITIES) + "\n")


def write_users(first=0, users=500):
    rows = [f"u{number},{CITIES[number % 5]}" for number in range(first, first + users)]
    Path("values.csv").write_text("\n".join(["user,city", *rows]) + "\n")


@pytest.fixture
def collect(mechdesign):
    """One round: privatize with these further options."""
    write_domain()
    write_users()

    def round_(output, *options, name=None):
        base = ["--oracle", "dbitflip:d=2", "--epsilon", 1, "--input", "values.csv", "--column", "city", "-o", output]
        remembered = ["--user", "user", "--memory", "m.db", "--round", name or Path(output).stem]
        return mechdesign("local", "privatize", *base, "--domain", "cities.txt", *remembered, *options)

    return round_


def unchanged(seen, target="none.parquet"):
    assert (seen.code, seen.err.splitlines()[:-1], seen.out) == (2, [], "")
    check_wording(seen.err)
    assert not Path(target).exists()


def test_another_domain_of_the_same_size_does_not_spend_anew(collect):
    assert collect("one.parquet").code == 0
    before = Path("m.db").read_bytes()
    write_domain(*sorted(CITIES))
    seen = collect("two.parquet")
    unchanged(seen, "two.parquet")
    assert Path("m.db").read_bytes() == before
    write_domain()
    seen = collect("two.parquet", "--seed", 7)
    unchanged(seen, "two.parquet")
    assert collect("two.parquet").code == 0
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_batches_of_one_round_add_up(collect, mechdesign):
    """Five disjoint batches of a day, one of them written again, and the next day."""
    for number in range(5):
        write_users(500 * number)
        seen = collect(f"day1_{number}.parquet", name="day1")
        assert seen.code == 0
        assert ("0 known users, 500 new" in seen.err) == (number > 0)
    batches = [f"day1_{number}.parquet" for number in range(5)]
    seen = mechdesign("local", "aggregate", *batches, "--json")
    assert seen.code == 0, seen.err
    assert '"users": 2500' in seen.out
    before = Path("day1_4.parquet").read_bytes()
    seen = collect("again.parquet", name="day1")
    check_wording(seen.err)
    assert Path("again.parquet").read_bytes() == before
    unchanged(mechdesign("local", "aggregate", *batches, "again.parquet"))
    rows = Path("values.csv").read_text().splitlines()
    Path("values.csv").write_text("\n".join([rows[0], *rows[:0:-1]]) + "\n")
    assert collect("turned.parquet", name="day1").code == 0
    unchanged(mechdesign("local", "aggregate", *batches, "turned.parquet"))
    assert collect("next.parquet", name="day2").code == 0
    unchanged(mechdesign("local", "aggregate", *batches, "next.parquet"))
    write_users(2400)
    before = Path("m.db").read_bytes()
    unchanged(collect("none.parquet", name="day1"))
    write_users(300)
    unchanged(collect("none.parquet", name="day1"))
    assert Path("m.db").read_bytes() == before


def test_what_is_said_of_a_memory(collect):
    seen = collect("one.parquet")
    check_wording(seen.err)
    write_users(100, 450)
    seen = collect("two.parquet")
    check_wording(seen.err)
    assert "new memory" not in seen.err
    assert "warning" not in seen.err
    Path("m.db").chmod(0o640)
    seen = collect("three.parquet")
    check_wording(seen.err)
    assert Path("m.db").stat().st_mode & 0o777 == 0o640  # may be the owner's wish
