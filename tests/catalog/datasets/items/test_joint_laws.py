"""Made-up rows: the facts that are printed of taxi trips and films, and laws that are known to the last digit."""

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign_catalog.datasets.items import means_items, open_item_table, open_items
from mechdesign_catalog.datasets.items.joint.films import RARITY
from mechdesign_catalog.datasets.items.joint.registry import parse_joint_law

BITS = ["cc", "toll", "far", "night_pick", "night_drop", "m_pick", "m_drop", "tip"]
STRONG = [("night_pick", "night_drop"), ("toll", "far"), ("cc", "tip")]
NEARLY_INDEPENDENT = [("m_drop", "cc"), ("far", "night_pick"), ("toll", "night_pick")]
NAMES = ["taxi", "taxi:d=3", "taxi:d=11:weak=1/50", "films:d=4", "films", "skewed", "skewed:1:d=3", "skewed:d=2"]


def pair(law, first, second):
    """The shares of two bits, 00, 01, 10, 11, the first named before the second."""
    i, j = law.attributes.index(first), law.attributes.index(second)
    table = law.shares((min(i, j), max(i, j))).reshape(2, 2)
    return table if i < j else table.T


def phi(table):
    """Pearson's correlation of two bits."""
    row, column = table[1].sum(), table[:, 1].sum()
    return (table[1, 1] - row * column) / np.sqrt(row * (1 - row) * column * (1 - column))


def test_trips_by_where_they_begin_and_end():
    law = parse_joint_law("taxi")
    assert list(law.attributes) == BITS
    np.testing.assert_allclose(pair(law, "m_pick", "m_drop"), [[0.20, 0.10], [0.15, 0.55]], atol=1e-12)
    other = parse_joint_law("taxi:manhattan=0.5-0.1-0.1-0.3")
    np.testing.assert_allclose(pair(other, "m_pick", "m_drop"), [[0.3, 0.1], [0.1, 0.5]], atol=1e-12)


def test_which_pairs_of_bits_go_together():
    """Three strongly, with both ends in Manhattan; three nearly not at all; the others weakly, or negatively."""
    law = parse_joint_law("taxi")
    assert [phi(pair(law, *names)) for names in STRONG] == pytest.approx([0.6] * 3)
    assert [phi(pair(law, *names)) for names in NEARLY_INDEPENDENT] == pytest.approx([0.002, 0.002, 0.0012])
    known = {frozenset(names) for names in (*STRONG, ("m_pick", "m_drop"))}
    others = [names for names in itertools.combinations(BITS, 2) if frozenset(names) not in known]
    assert max(phi(pair(law, *names)) for names in others) < 0.01
    assert min(phi(pair(law, *names)) for names in others) == pytest.approx(-0.3)


def test_the_correlations_of_trips_are_set():
    law = parse_joint_law("taxi:strong=0.7:weak=-0.05")
    assert [phi(pair(law, *names)) for names in STRONG] == pytest.approx([0.7] * 3)
    assert [phi(pair(law, *names)) for names in NEARLY_INDEPENDENT] == pytest.approx([-0.05, -0.05, -0.035])


def test_more_columns_repeat_the_bits():
    table = open_item_table("taxi:d=19", people=500, seed=3)
    assert table.attributes == (*BITS, *(f"{bit}_2" for bit in BITS), *(f"{bit}_3" for bit in BITS[:3]))
    assert (table.values[:, 8:16] == table.values[:, :8]).all()
    assert (table.values[:, 16:] == table.values[:, :3]).all()
    shares = parse_joint_law("taxi:d=19").shares((0, 8, 16))
    np.testing.assert_allclose(shares, [0.45, 0, 0, 0, 0, 0, 0, 0.55], atol=1e-12)
    assert parse_joint_law("taxi:d=4").attributes == tuple(BITS[:4])


def test_all_genres_are_positively_related():
    law = parse_joint_law("films")
    assert len(law.attributes) == 17
    phis = [phi(pair(law, *names)) for names in itertools.combinations(law.attributes, 2)]
    assert min(phis) > 0.03
    assert pair(law, "drama", "war")[1, 1] == pytest.approx(2 / (2 + 0.1 + 1.1))


def test_films_are_a_mixture_over_activities():
    """Against the sum over 200,000 activities u with the density 2u."""
    law = parse_joint_law("films")
    genres = (2, 11, 15)
    u = np.sqrt((np.arange(200_000) + 0.5) / 200_000)
    seen = [u ** RARITY[law.attributes[genre]] for genre in genres]
    expected = [
        prod(p if bit else 1 - p for p, bit in zip(seen, bits, strict=True)).mean()
        for bits in itertools.product((0, 1), repeat=3)
    ]
    np.testing.assert_allclose(law.shares(genres), expected, atol=1e-5)


def test_skewed_tuples_have_a_zipf_law():
    raw = np.arange(1, 17) ** -0.75
    np.testing.assert_allclose(parse_joint_law("skewed:3/4:d=4").shares((0, 1, 2, 3)), raw / raw.sum())
    assert parse_joint_law("skewed").shares(()) == pytest.approx(1)
    assert len(parse_joint_law("skewed").shares(tuple(range(8)))) == 256


def test_rows_are_drawn_by_the_law():
    """Every pair of columns and their shares, within five standard errors."""
    for name in NAMES:
        people = 20_000
        law, table = parse_joint_law(name), open_item_table(name, people=people, seed=11)
        assert (table.name, table.attributes, table.users) == (law.name, law.attributes, people)
        assert (table.values == open_item_table(name, people=people, seed=11).values).all()
        assert (table.values != open_item_table(name, people=people, seed=12).values).any()
        for i, j in itertools.combinations(range(len(law.attributes)), 2):
            found = np.bincount(2 * table.values[:, i] + table.values[:, j], minlength=4) / people
            shares = law.shares((i, j))
            assert (np.abs(found - shares) <= 5 * np.sqrt(shares * (1 - shares) / people) + 1e-12).all()


def test_tables_agree_and_names_read_back():
    for name in NAMES:
        law = parse_joint_law(f" {name.upper()} ")
        assert parse_joint_law(law.name).name == law.name
        for i, j in itertools.combinations(range(len(law.attributes)), 2):
            table = law.shares((i, j)).reshape(2, 2)
            assert table.min() >= -1e-12
            np.testing.assert_allclose(table.sum(axis=1), law.shares((i,)), atol=1e-12)
            np.testing.assert_allclose(table.sum(axis=0), law.shares((j,)), atol=1e-12)


@given(st.floats(-0.2, 0.8), st.floats(-0.1, 0.3))
def test_any_correlations_that_are_possible_make_a_law(strong, weak):
    name = f"taxi:strong={strong!r}:weak={weak!r}"
    if strong <= np.sqrt(0.4 * 0.45 / (0.55 * 0.6)) and strong >= -np.sqrt(0.12 * 0.1 / (0.88 * 0.9)):
        law = parse_joint_law(name)
        assert law.weights.min() >= 0
        assert law.weights.sum() == pytest.approx(1)
    else:
        with pytest.raises(InputError, match="correlation must be one that"):
            parse_joint_law(name)


def test_laws_of_rows_are_items_too():
    assert all(means_items(name) for name in ("taxi", "taxi:tip", "films:d=3", "skewed:0.5", "taxy"))
    assert open_items("taxi", people=100, seed=1).k == 256
    assert open_items("taxi:d=4", people=100, seed=1).label(0) == "no, no, no, no"
    tip = open_items("taxi:d=4:far", people=1000, seed=1)
    assert (tip.name, tip.users) == ("taxi:d=4:far", 1000)
    assert tip.counts.tolist() == open_items("taxi:d=3:far", people=1000, seed=1).counts.tolist()
    assert open_items("skewed:1:bit_2", people=10, seed=1).name == "skewed:1:bit_2"
    assert open_items("films:drama", seed=1).users == 1 << 18


def test_what_is_no_law_of_rows_is_refused_in_one_line():
    for make in [
        lambda: open_item_table("taxi:d=0"),
        lambda: open_item_table("taxi:e=1"),
        lambda: open_item_table("taxi:d=3:d=3"),
        lambda: open_item_table("taxi:strong=0.9"),
        lambda: open_item_table("taxi:manhattan=1-0-0-0"),
        lambda: open_item_table("taxi:manhattan=0.5-0.5"),
        lambda: open_item_table("skewed:-1"),
        lambda: open_item_table("taxi", people=0),
        lambda: open_item_table("titanic", people=5),
        lambda: open_item_table("taxi", data_dir="x"),
        lambda: open_item_table("taxy"),
        lambda: open_items("taxi:tipp"),
        lambda: open_items("taxi", k=3),
        lambda: open_items("taxi:d=30"),
    ]:
        with refused(InputError) as caught:
            make()
        assert "\n" not in str(caught.value)
