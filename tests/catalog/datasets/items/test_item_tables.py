"""Items of real people: facts inside the package, Adult and Nursery, and the two frozen values."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets.items import (
    ItemCounts,
    ItemTable,
    find_item_entry,
    item_entries,
    means_items,
    open_item_table,
    open_items,
)
from mechdesign_catalog.datasets.items.categorical import CATEGORICAL
from mechdesign_catalog.datasets.items.contingency import CONTINGENCIES
from mechdesign_catalog.datasets.items.ordered import ORDERED

REAL = Path(os.environ.get("MECHDESIGN_DATA") or "no folder")
real_adult = pytest.mark.skipif(
    not ((REAL / "adult.data").exists() and (REAL / "adult.test").exists()), reason="no folder with Adult is named"
)
real_nursery = pytest.mark.skipif(not (REAL / "nursery.data").exists(), reason="no folder with Nursery is named")

ROW = "39, {work}, 77516, Bachelors, 13, Never-married, Sales, Wife, White, Male, 2174, 0, 40, {home}, {income}\n"


def adult_rows(*rows):
    """Lines of Adult with the given workclass, country and income."""
    return "".join(ROW.format(work=work, home=home, income=income) for work, home, income in rows).encode()


def test_margins_of_the_facts():
    for name, margin, counts in [
        ("titanic", "class", [325, 285, 706, 885]),
        ("titanic", "sex", [1731, 470]),
        ("titanic", "age", [109, 2092]),
        ("titanic", "survived", [1490, 711]),
        ("ucb", "admit", [1755, 2771]),
        ("ucb", "gender", [2691, 1835]),
        ("ucb", "dept", [933, 585, 918, 792, 584, 714]),
        ("hair-eye", "hair", [108, 286, 71, 127]),
        ("hair-eye", "eye", [220, 215, 93, 64]),
        ("hair-eye", "sex", [279, 313]),
    ]:
        items = open_items(f"{name}:{margin.upper()}")
        assert (items.name, items.counts.tolist()) == (f"{name}:{margin}", counts)
        assert items.users == open_items(name).users == CONTINGENCIES[name].users


def test_cells_of_the_facts():
    """Single cells in the published order, against slips that leave the margins alone."""
    titanic = open_items("titanic")
    cells = dict(zip(titanic.items, titanic.counts.tolist(), strict=True))
    assert (titanic.users, titanic.k, titanic.items[0]) == (2201, 32, "1st, male, child, no")
    assert [label for label, count in cells.items() if not count] == [
        *("1st, male, child, no", "1st, female, child, no", "2nd, male, child, no", "2nd, female, child, no"),
        *("crew, male, child, no", "crew, male, child, yes", "crew, female, child, no", "crew, female, child, yes"),
    ]
    survivors = [cells[f"{c}, {s}, {a}, yes"] for s in ("male", "female") for a in ("child", "adult") for c in CLASSES]
    assert survivors == [5, 11, 13, 0, 57, 14, 75, 192, 1, 13, 14, 0, 140, 80, 76, 20]
    assert [cells[f"{c}, male, adult, no"] for c in CLASSES] == [118, 154, 387, 670]
    ucb = open_items("ucb")
    admitted = dict(zip(ucb.items, ucb.counts.tolist(), strict=True))
    assert [admitted[f"admitted, female, {dept}"] for dept in "ABCDEF"] == [89, 17, 202, 131, 94, 24]
    assert [admitted[f"rejected, male, {dept}"] for dept in "ABCDEF"] == [313, 207, 205, 279, 138, 351]
    eyes = open_item_table("hair-eye")
    male = eyes.values[eyes.values[:, 2] == 0]
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (male[:, 0], male[:, 1]), 1)
    assert table.tolist() == [[32, 11, 10, 3], [53, 50, 25, 15], [10, 10, 7, 7], [3, 30, 5, 8]]


CLASSES = ("1st", "2nd", "3rd", "crew")


@pytest.mark.slow
@real_adult
def test_the_real_adult():
    table = open_item_table("adult", data_dir=REAL)
    assert (table.users, table.sizes) == (45_222, (7, 16, 7, 14, 6, 5, 2, 41, 2))
    assert table.attribute("income").counts.tolist() == [11_208, 34_014]
    assert table.attribute("sex").counts.tolist() == [14_695, 30_527]
    assert table.attribute("workclass").counts.tolist() == [33_307, 3796, 1646, 1406, 3100, 1946, 21]
    countries = table.attribute("native-country")
    assert (countries.counts[0], countries.counts.min(), countries.label(40)) == (41_292, 1, "Holand-Netherlands")
    assert all(table.attribute(name).counts.min() > 0 for name in table.attributes)
    assert table.values[0].tolist() == [5, 0, 2, 8, 3, 0, 1, 0, 1]  # State-gov, Bachelors, Never-married, ...
    with refused(InputError, about="data"):
        open_items("adult", data_dir=REAL)


@real_nursery
def test_the_real_nursery():
    table = open_item_table("nursery", data_dir=REAL)
    assert (table.users, table.sizes) == (12_960, (3, 5, 4, 4, 3, 2, 3, 3, 5))
    assert table.attribute("class").counts.tolist() == [4320, 2, 328, 4266, 4044]
    assert all(len(set(table.attribute(name).counts)) == 1 for name in table.attributes[:-1])
    assert len(np.unique(table.values[:, :-1], axis=0)) == 12_960  # each combination once
    assert open_items("nursery:class", data_dir=REAL).frequencies[1] == 2 / 12_960


@pytest.mark.slow
@real_adult
def test_the_numbers_of_the_real_adult():
    ages = open_items("adult:age", data_dir=REAL)
    assert (ages.name, ages.users, ages.k, ages.label(30)) == ("adult:age", 45_222, 100, "30")
    assert (np.flatnonzero(ages.counts)[[0, -1]].tolist(), ages.counts[36]) == ([17, 90], 1283)
    hours = open_items("adult:hours-per-week", data_dir=REAL)
    assert open_items("Adult:hours", data_dir=REAL).name == hours.name == "adult:hours-per-week"
    with refused(InputError):
        open_items("adult:gain", data_dir=REAL)
    assert (hours.users, hours.k, hours.counts[40]) == (45_222, 100, 21_358)
    gains = open_items("adult:capital-gain", data_dir=REAL)
    assert (gains.users, gains.k, gains.label(999)) == (45_222, 1000, "99900..99999")
    assert gains.counts[0] == gains.counts.max() > 41_000


def test_numbers_fall_into_their_bins():
    gains = ORDERED["adult:capital-gain"]
    rows = adult_rows(("Private", "Peru", ">50K"), ("?", "Peru", ">50K"), ("State-gov", "Peru", "<=50K"))
    for cell, bin_ in (("0", 0), ("99", 0), ("100", 1), ("99999", 999)):
        content = rows.replace(b", 2174, 0, ", f", {cell}, 0, ".encode())
        assert np.flatnonzero(gains.parse([(content, "a")]).counts).tolist() == [bin_]
        assert gains.parse([(content, "a"), (content, "b")]).users == 4
    for cell in ("100000", "-1", "1.5", "x", ""):
        content = rows.replace(b", 2174, 0, ", f", {cell}, 0, ".encode())
        with refused(InputError):
            gains.parse([(content, "a")])


def test_adult_without_incomplete_rows_and_full_stops():
    first = adult_rows(("Private", "Peru", ">50K"), ("?", "Peru", ">50K"), ("State-gov", "?", "<=50K"))
    second = b"|1x3 Cross validator\n" + adult_rows(("Local-gov", "Laos", "<=50K."), ("Private", "Peru", ">50K."))
    table = CATEGORICAL["adult"].parse([(first, "adult.data"), (second, "adult.test")])
    assert table.attribute("workclass").counts.tolist() == [2, 0, 0, 0, 1, 0, 0]
    assert table.attribute("income").values().tolist() == [0, 0, 1]
    assert table.values[:, 8].tolist() == [0, 1, 0]


def test_a_label_outside_of_the_domain_is_named_with_its_row():
    for rows in [
        [("Never-worked", "Peru", ">50K")],
        [("Private", "Peru", "50K")],
        [("Private, x", "Peru", "50K")],
    ]:
        good = adult_rows(("Private", "Peru", ">50K"))
        with refused(InputError):
            CATEGORICAL["adult"].parse([(good, "a"), (good + adult_rows(*rows), "b")])
        with refused(InputError, about="adult"):
            CATEGORICAL["adult"].parse([(adult_rows(("?", "Peru", ">50K")), "a")])


@pytest.mark.slow
@given(st.lists(st.integers(0, 20), min_size=2, max_size=30).filter(any), st.integers(0, 2**32))
def test_values_and_counts_agree(counts, seed):
    items = ItemCounts("made up", None, np.array(counts))
    for values in (items.values(), items.values(seed)):
        assert np.bincount(values, minlength=items.k).tolist() == counts
    assert np.array_equal(items.values(seed), items.values(seed))
    assert items.users == sum(counts) == len(items.values())
    assert items.frequencies.sum() == pytest.approx(1)
    assert (np.diff(items.values()) >= 0).all()


def test_frozen_values_refuse_what_does_not_fit():
    for items, counts in (
        (None, [3]),
        (("a", "a"), [1, 2]),
        (("a", "b", "c"), [1, 2]),
        (None, [1, -1]),
        (None, [0, 0]),
        (None, [0.5, 0.5]),
    ):
        with refused(InputError):
            ItemCounts("x", items, np.array(counts))
    items = ItemCounts("x", None, np.array([1, 2]))
    assert items.label(1) == "1"
    with refused(InputError, about="item"):
        items.label(2)
    with refused(ValueError):
        items.counts[0] = 5
    domains = (("a", "b"), ("c", "d"))
    for attributes, values in (
        (("x", "x"), [[0, 0]]),
        (("x", "y"), [[0]]),
        (("x", "y"), [[0, 1], [0, 2]]),
        (("x", "y"), [[-1, 1]]),
    ):
        with refused(InputError):
            ItemTable("t", attributes, domains, np.array(values))


def test_bad_names_and_options():
    for name, options in [
        ("titanc", {}),
        ("titanic:clas", {}),
        ("ms-fimu", {}),
        ("titanic", {"people": 5}),
        ("titanic", {"data_dir": Path(".")}),
        ("normal:3", {}),
        ("zipf:30", {}),
        ("cauchy:1.5", {}),
        ("timeseries:taxis", {}),
        ("adult:age", {"k": 5}),
        ("constant:x", {}),
        ("constant:32", {}),
        ("uniform", {"k": 1}),
        ("uniform", {"seed": -1}),
    ]:
        with refused(InputError) as caught:
            open_items(name, **options)
        assert "\n" not in str(caught.value)


def test_the_listing():
    names = [entry.name for entry in item_entries()]
    assert len(set(names)) == len(names)
    by_name = {entry.name: entry for entry in item_entries()}
    for name, data in CONTINGENCIES.items():
        assert f"{data.users:,} users, k = {data.k}" == by_name[name].size
    assert by_name["commuting:ed"].size == "2,750,238 users, k = 9,796,900"
    assert all("not available" in by_name[name].obtained for name in ("ms-fimu", "census-income"))
    assert all(entry.title and entry.source and entry.licence and entry.obtained for entry in item_entries())
    assert find_item_entry("adult:age") == by_name["adult:age"]
    assert by_name["adult:capital-gain"].size == "45,222 users, k = 1,000"
    assert by_name["timeseries:taxi"].size == "16,777,216 users or --people, k = 131,072"
    assert find_item_entry("adult:sex") == by_name["adult:ATTRIBUTE"]
    assert find_item_entry("titanic:sex") == by_name["titanic"]
    assert find_item_entry("commuting:ed") == by_name["commuting:ed"]
    assert find_item_entry("zipf:2") is None


def test_which_names_are_of_items():
    assert all(map(means_items, ("titanic", "Titanic:sex", "adult:sex", "nursery", "commuting", "ms-fimu", "titanc")))
    assert not any(
        map(means_items, ("adult", "adult-test", "saxony", "zipf:2", "constant:3", "binomal:0.1", "own.csv"))
    )


def test_users_of_a_part_are_those_of_all():
    counts = ItemCounts("made up", None, np.array([0, 3, 0, 4, 1, 0]))
    for start in range(counts.users):
        for stop in range(start + 1, counts.users + 1):
            assert counts.values_between(start, stop).tolist() == counts.values()[start:stop].tolist()
