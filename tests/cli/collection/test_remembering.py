"""Rounds with a memory: one domain, real or simulated, each estimated by itself, and what is said of it all."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from mechdesign.mechanism.sampling import seeded_words
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles.collection.memory import Memory
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip

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

    def round_(output, *options, memory="m.npz", oracle="dbitflip:d=2"):
        base = ["--oracle", oracle, "--epsilon", 1, "--input", "values.csv", "--column", "city", "-o", output]
        remembered = ["--user", "user", "--memory", memory] if memory else []
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
    before = Path("m.npz").read_bytes()
    write_domain(*OTHER_DOMAINS[name])
    seen = collect("two.parquet")
    unchanged(seen, "a memory must be used with its own domain, got items for m.npz that are others", "two.parquet")
    assert Path("m.npz").read_bytes() == before
    write_domain()
    assert collect("two.parquet").code == 0
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_a_simulated_memory_is_not_used_for_real_reports(collect):
    assert collect("one.parquet", "--seed", 7).code == 0
    seen = collect("two.parquet")
    unchanged(seen, "got m.npz, a simulation with the seed 7; give a new file, or a seed", "two.parquet")
    assert collect("two.parquet", "--seed", 8).code == 0
    assert pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_a_real_memory_is_not_used_for_a_simulation(collect):
    assert collect("one.parquet").code == 0
    seen = collect("two.parquet", "--seed", 7)
    unchanged(seen, "got m.npz of real answers with the seed 7; give a new file, or no seed", "two.parquet")


def test_a_later_round_of_a_simulation_draws_by_itself(collect):
    """With the words of the first round newcomers would get the very answers of the first users."""
    assert collect("one.parquet", "--seed", 7).code == 0
    first = np.load("m.npz")["buckets"]
    write_users(500)
    assert collect("two.parquet", "--seed", 7).code == 0
    later = np.load("m.npz")["buckets"]
    assert np.array_equal(later[:500], first)
    assert not np.array_equal(later[500:], first)
    _, alone = Memory.empty(DBitFlip(5, Privacy(epsilon=1), 2)).answer(
        np.arange(500), np.zeros(500, dtype=np.int64), seeded_words(7)
    )
    assert np.array_equal(first, alone.columns["buckets"])


def test_rounds_of_one_memory_are_estimated_each_by_itself(collect, mechdesign):
    for name in ("one", "two"):
        assert collect(f"{name}.parquet").code == 0
        write_users(0, 400)
    seen = mechdesign("aggregate", "one.parquet", "two.parquet")
    unchanged(
        seen, "reports of the same users and must be estimated each by itself, got two.parquet beside one.parquet"
    )
    assert mechdesign("aggregate", "two.parquet").code == 0
    write_users(1000, 100)
    assert collect("other.parquet", memory="others.npz").code == 0
    seen = mechdesign("aggregate", "one.parquet", "other.parquet", "--json")
    assert seen.code == 0, seen.err
    assert '"users": 600' in seen.out


@pytest.mark.parametrize("memory", ["m.npz", None])
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


def test_a_seeded_file_among_others_is_said(collect, mechdesign):
    assert collect("real.parquet", memory=None).code == 0
    assert collect("seeded.parquet", "--seed", 3, memory=None).code == 0
    seen = mechdesign("aggregate", "real.parquet", "seeded.parquet")
    assert seen.err == "the reports were seeded with 3: a simulation\n"


def test_new_and_known_users_are_counted(collect):
    assert "new memory m.npz\n" in collect("one.parquet").err
    write_users(100, 450)
    seen = collect("two.parquet")
    assert "memory m.npz: 400 known users, 50 new\n" in seen.err
    assert "new memory" not in seen.err


def test_a_memory_that_others_may_read_is_said(collect):
    assert "warning" not in collect("one.parquet").err
    Path("m.npz").chmod(0o640)
    seen = collect("two.parquet")
    assert "warning: others may open m.npz (mode 640); chmod 600 m.npz keeps it to its owner\n" in seen.err
    assert Path("m.npz").stat().st_mode & 0o777 == 0o640  # may be the owner's wish


@pytest.mark.parametrize("content", [b"", b"PK\3\4 cut off", b"user,city\n"])
def test_what_is_no_memory_is_not_thrown_away_lightly(collect, content):
    Path("m.npz").write_bytes(content)
    seen = collect("two.parquet")
    unchanged(
        seen, "memory must be a whole memory file of mechdesign privatize, got m.npz (cut off, changed, or another"
    )
    assert "with a new one all users answer anew, which spends their privacy again" in seen.err
    assert Path("m.npz").read_bytes() == content
