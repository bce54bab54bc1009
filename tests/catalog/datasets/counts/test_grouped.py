import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign import InputError
from mechdesign_catalog.datasets.counts import HISTOGRAMS, CountsTable, GroupedCounts, People, open_data


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 12))
def test_people_are_grouped_in_order(bits, n):
    people = People("them", np.array(bits))
    if len(bits) < n:
        with pytest.raises(InputError, match=f"n must be at most {len(bits)}, the number of people in them, got n={n}"):
            people.grouped(n)
        return
    slowly = [sum(bits[k : k + n]) for k in range(0, len(bits) - n + 1, n)]
    grouped = people.grouped(n)
    assert grouped.counts.tolist() == slowly
    assert grouped.counts.dtype == np.int64
    assert grouped.histogram == tuple(slowly.count(c) for c in range(n + 1))
    assert grouped.groups == len(slowly)
    assert grouped.people + grouped.dropped == len(bits)
    assert 0 <= grouped.dropped < n


@pytest.mark.parametrize("n", [0, -1, 10**9])
def test_what_is_no_group_size(n):
    with pytest.raises(InputError, match=f"n must be in 1..1000000, got n={n}"):
        People("them", np.ones(3, dtype=bool)).grouped(n)


@pytest.mark.parametrize(
    ("counts", "message"), [([], "at least one group"), ([0, 4], "got 4 in group 2"), ([-1], "-1")]
)
def test_counts_of_no_group(counts, message):
    with pytest.raises(InputError, match=message):
        GroupedCounts("them", 3, np.array(counts, dtype=np.int64))


def test_the_published_totals():
    saxony, weldon = open_data("saxony").grouped(12), open_data(" WELDON").grouped(12)
    assert (saxony.groups, saxony.people, saxony.counts.sum()) == (6115, 73_380, 38_100)  # boys, a share of 0.5192
    assert (weldon.groups, weldon.people, weldon.counts.sum()) == (26306, 315_672, 106_602)  # a share of 0.3377


@pytest.mark.parametrize("data", HISTOGRAMS.values(), ids=lambda data: data.name)
def test_every_histogram_comes_back(data):
    assert len(data.groups) == data.n + 1 == data.own_n + 1
    assert data.grouped(data.n).histogram == data.groups == data.shuffled(3).histogram
    assert data.grouped(data.n).dropped == 0
    assert data.source
    assert data.licence
    with pytest.raises(InputError, match=f"n must be 12 like the groups of {data.name}, got n=8"):
        data.grouped(8)


def test_shuffling_hides_the_order_and_is_repeated_by_a_seed():
    saxony = HISTOGRAMS["saxony"]
    first = saxony.shuffled(3).counts.tolist()
    assert first == saxony.shuffled(3).counts.tolist()
    assert first != saxony.shuffled().counts.tolist()
    assert first != sorted(first)


def test_counts_given_directly():
    table = CountsTable("towns.csv", np.array([3, 0, 3]))
    assert table.grouped(4).histogram == (1, 0, 0, 2, 0)
    with pytest.raises(InputError, match=r"count must be at most n = 2, got more in row 1 of towns.csv"):
        table.grouped(2)
    with pytest.raises(InputError, match=r"n must be 5 like the groups of towns.csv, got n=4"):
        CountsTable("towns.csv", np.array([3]), own_n=5).grouped(4)
