"""Rounds with a memory: one domain, real or simulated, each estimated by itself, and what is said of it all."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest

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

    def round_(output, *options, memory="m.db", oracle="dbitflip:d=2", name=None):
        base = ["--oracle", oracle, "--epsilon", 1, "--input", "values.csv", "--column", "city", "-o", output]
        remembered = ["--user", "user", "--memory", memory, "--round", name or Path(output).stem] if memory else []
        return mechdesign("privatize", *base, "--domain", "cities.txt", *remembered, *options)

    return round_


def unchanged(seen, message, target="none.parquet"):
    assert (seen.code, seen.err.splitlines()[:-1], seen.out) == (2, [], "")
    assert message in seen.err
    assert not Path(target).exists()


OTHER_DOMAINS = {"sorted": sorted(CITIES), "other items": [*CITIES[:4], "Sligo"], "reversed": CITIES[::-1]}


@pytest.mark.parametrize("name", OTHER_DOMAINS)
def test_another_domain_of_the_same_size_does_not_spend_anew(collect, name):
    assert collect("one.parquet").code == 0
    before = Path("m.db").read_bytes()
    write_domain(*OTHER_DOMAINS[name])
    seen = collect("two.parquet")
    unchanged(seen, "a memory must be used with its own domain, got items for m.db that are others", "two.parquet")
    assert Path("m.db").read_bytes() == before
    write_domain()
    assert collect("two.parquet").code == 0
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_a_simulated_memory_is_not_used_for_real_reports(collect):
    assert collect("one.parquet", "--seed", 7).code == 0
    seen = collect("two.parquet")
    unchanged(seen, "got m.db, a simulation with the seed 7; give a new file, or a seed", "two.parquet")
    assert collect("two.parquet", "--seed", 8).code == 0
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_a_real_memory_is_not_used_for_a_simulation(collect):
    assert collect("one.parquet").code == 0
    seen = collect("two.parquet", "--seed", 7)
    unchanged(seen, "got m.db of real answers with the seed 7; give a new file, or no seed", "two.parquet")


def answers():
    with closing(sqlite3.connect("m.db")) as connection:
        return [row for (row,) in connection.execute("SELECT answers FROM users ORDER BY number")]


def test_a_later_round_of_a_simulation_draws_by_itself(collect):
    """With the words of the first round newcomers would get the very answers of the first users."""
    assert collect("one.parquet", "--seed", 7).code == 0
    first = answers()
    write_users(500)
    assert collect("two.parquet", "--seed", 7).code == 0
    later = answers()
    assert later[:500] == first
    assert later[500:] != first


def test_batches_of_one_round_add_up(collect, mechdesign):
    """Five disjoint batches of a day, one of them written again, and the next day."""
    for number in range(5):
        write_users(500 * number)
        seen = collect(f"day1_{number}.parquet", name="day1")
        assert seen.code == 0
        assert ("0 known users, 500 new" in seen.err) == (number > 0)
    batches = [f"day1_{number}.parquet" for number in range(5)]
    seen = mechdesign("aggregate", *batches, "--json")
    assert seen.code == 0, seen.err
    assert '"users": 2500' in seen.out
    before = Path("day1_4.parquet").read_bytes()
    seen = collect("again.parquet", name="day1")
    assert "the batch was answered before: the same reports again" in seen.err
    assert Path("again.parquet").read_bytes() == before
    unchanged(mechdesign("aggregate", *batches, "again.parquet"), "holds the same reports as day1_4.parquet")
    rows = Path("values.csv").read_text().splitlines()
    Path("values.csv").write_text("\n".join([rows[0], *rows[:0:-1]]) + "\n")
    assert collect("turned.parquet", name="day1").code == 0
    message = (
        "each batch must be given once, got turned.parquet, which has the users of day1_4.parquet in the same round"
    )
    unchanged(mechdesign("aggregate", *batches, "turned.parquet"), message)
    assert collect("next.parquet", name="day2").code == 0
    message = "got round day2 in next.parquet beside round day1 in day1_0.parquet; estimate each round by itself"
    unchanged(mechdesign("aggregate", *batches, "next.parquet"), message)
    write_users(2400)
    before = Path("m.db").read_bytes()
    message = "got 100 of 500 users who answered in round day1 before; give the others alone, or name another round"
    unchanged(collect("none.parquet", name="day1"), message)
    write_users(300)
    message = "got 500 of 500 users who answered in round day1 before; give each of its batches as it was, or"
    unchanged(collect("none.parquet", name="day1"), message)
    assert Path("m.db").read_bytes() == before


def test_without_a_memory_a_second_run_is_said_to_spend(collect):
    said = "running this again on the same people spends epsilon again, unless a memory keeps their answers"
    assert collect("one.parquet", memory=None).err.splitlines()[-1] == said


def test_more_than_fits_is_refused_before_a_report(collect):
    """40,000 users, 500 items, all asked of each: what serves is said, and serves."""
    write_domain(*map(str, range(500)))
    rows = [f"u{number},{number % 500}" for number in range(40_000)]
    Path("values.csv").write_text("\n".join(["user,city", *rows]) + "\n")
    seen = collect("none.parquet", oracle="dbitflip")
    unchanged(seen, "got 40,000 new users of dbitflip with 31.5 kB each, about 1.27 GB; dbitflip:d=")
    assert seen.err.endswith("users would do\n")
    assert not Path("m.db").exists()
    assert collect("few.parquet", oracle="dbitflip:d=4").code == 0


def test_rounds_of_one_memory_are_estimated_each_by_itself(collect, mechdesign):
    for name in ("one", "two"):
        assert collect(f"{name}.parquet").code == 0
        write_users(0, 400)
    seen = mechdesign("aggregate", "one.parquet", "two.parquet")
    unchanged(
        seen, "reports of the same users, got round two in two.parquet beside round one in one.parquet; estimate each"
    )
    assert mechdesign("aggregate", "two.parquet").code == 0
    write_users(1000, 100)
    assert collect("other.parquet", memory="others.db").code == 0
    seen = mechdesign("aggregate", "one.parquet", "other.parquet", "--json")
    assert seen.code == 0, seen.err
    assert '"users": 600' in seen.out


@pytest.mark.parametrize("memory", ["m.db", None])
@pytest.mark.parametrize("seed", [(), ("--seed", 3)])
def test_copies_are_not_new_users(collect, mechdesign, memory, seed):
    assert collect("one.parquet", *seed, memory=memory).code == 0
    shutil.copy("one.parquet", "copy.parquet")
    unchanged(
        mechdesign("aggregate", "one.parquet", "copy.parquet"),
        "each report must be given once, got copy.parquet, which holds the same reports as one.parquet",
    )


def test_a_simulation_that_is_run_twice_is_a_copy(collect, mechdesign):
    for name in ("one", "two"):
        assert collect(f"{name}.parquet", "--seed", 3, memory=None).code == 0
    assert Path("one.parquet").read_bytes() == Path("two.parquet").read_bytes()
    unchanged(mechdesign("aggregate", "one.parquet", "two.parquet"), "the same reports as one.parquet")


def test_few_reports_may_be_equal_by_chance(collect, mechdesign):
    """Files of one user each: with a large epsilon two who have the same value send the same."""
    write_users(0, 1)
    names = ["a.parquet", "b.parquet"]
    for name in names:
        assert collect(name, "--epsilon", 60, memory=None, oracle="grr").code == 0
    assert pq.read_table(names[0]).equals(pq.read_table(names[1]))
    assert mechdesign("aggregate", *names).code == 0


def test_a_seeded_file_does_not_go_with_real_ones(collect, mechdesign):
    assert collect("real.parquet", memory=None).code == 0
    assert collect("seeded.parquet", "--seed", 3, memory=None).code == 0
    unchanged(
        mechdesign("aggregate", "real.parquet", "seeded.parquet"),
        "must be all real or all simulated, got seeded.parquet with the seed 3 beside real.parquet without one",
    )


def test_new_and_known_users_are_counted(collect):
    assert "new memory m.db\n" in collect("one.parquet").err
    write_users(100, 450)
    seen = collect("two.parquet")
    assert "memory m.db: 400 known users, 50 new\n" in seen.err
    assert "new memory" not in seen.err


def test_a_memory_that_others_may_read_is_said(collect):
    assert "warning" not in collect("one.parquet").err
    Path("m.db").chmod(0o640)
    seen = collect("two.parquet")
    assert "warning: others may open m.db (mode 640); chmod 600 m.db keeps it to its owner\n" in seen.err
    assert Path("m.db").stat().st_mode & 0o777 == 0o640  # may be the owner's wish


@pytest.mark.parametrize("content", [b"", b"PK\3\4 cut off", b"user,city\n"])
def test_what_is_no_memory_is_not_thrown_away_lightly(collect, content):
    Path("m.db").write_bytes(content)
    seen = collect("two.parquet")
    unchanged(
        seen, "memory must be a whole memory file of mechdesign privatize, got m.db (cut off, changed, or another"
    )
    assert "with a new one all users answer anew, which spends their privacy again" in seen.err
    assert Path("m.db").read_bytes() == content
