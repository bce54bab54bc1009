"""Made-up items: laws against scipy's, and the commuting generator against the published sizes.

Statistical tests have fixed seeds; each fails a right generator with a chance of 1e-3 at most.
"""

import numpy as np
import pytest
from scipy import stats

from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.datasets.items.commuting import DIVISIONS, SETS, Gravity, Region
from mechdesign_catalog.datasets.items.synthetic import parse_item_law

CHANCE = 1e-3


@pytest.mark.parametrize(
    ("name", "law"),
    [("normal", stats.norm(12, 4)), ("cauchy", stats.cauchy(12, 2)), ("uniform", stats.uniform(0, 24))],
)
@pytest.mark.parametrize("k", [2, 7, 32])
def test_laws_on_hours(name, law, k):
    weights = parse_item_law(name).weights(k)
    edges = np.linspace(0, 24, k + 1)
    assert weights == pytest.approx(np.diff(law.cdf(edges)) / (law.cdf(24) - law.cdf(0)), abs=1e-12)
    assert weights == pytest.approx(weights[::-1])


def test_other_laws():
    assert parse_item_law("zipf").weights(3) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    assert parse_item_law("zipf:0").weights(4) == pytest.approx([0.25] * 4)
    assert parse_item_law("Zipf:1.5").weights(2) == pytest.approx([1 / (1 + 2**-1.5), 2**-1.5 / (1 + 2**-1.5)])
    assert (parse_item_law("zipf:3/2").name, parse_item_law("zipf:1").name) == ("zipf:3/2", "zipf")
    assert parse_item_law("constant").weights(32).argmax() == 16
    assert parse_item_law("constant:3").weights(5).tolist() == [0, 0, 0, 1, 0]
    assert parse_item_law("titanic") is None


@pytest.mark.parametrize("name", ["normal", "cauchy", "zipf:2", "uniform"])
def test_draws_follow_the_law(name):
    people = 100_000
    items = open_items(name, k=16, people=people, seed=3)
    expected = people * parse_item_law(name).weights(16)
    statistic = ((items.counts - expected) ** 2 / expected).sum()
    assert items.users == people
    assert statistic <= stats.chi2.ppf(1 - CHANCE / 4, 15)


def test_seeds_and_defaults():
    first = open_items("normal", seed=1)
    assert (first.k, first.users, first.label(0), first.label(31)) == (32, 10_000, "0 to 0.75 h", "23.25 to 24 h")
    assert np.array_equal(first.counts, open_items("normal", seed=1).counts)
    assert not np.array_equal(first.counts, open_items("normal", seed=2).counts)
    assert not np.array_equal(open_items("normal").counts, open_items("normal").counts)
    assert open_items("constant", people=7).counts[16] == 7
    large = open_items("zipf", k=10_000, people=50, seed=1)
    assert (large.items, large.label(9_999)) == (None, "9999")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_electoral_divisions_come_out_near_the_published_numbers(seed):
    items = open_items("commuting:ed", seed=seed)
    assert (items.k, items.users) == (9_796_900, 2_750_238)
    assert np.count_nonzero(items.counts) == pytest.approx(287_000, rel=0.03)
    assert np.count_nonzero(items.counts == 1) == pytest.approx(135_000, rel=0.03)
    assert items.label(3130) == "2 to 1"
    assert items.label(9_796_899) == "3130 to 3130"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_counties_have_the_published_numbers(seed):
    items = open_items("commuting", seed=seed)
    assert (items.name, items.k, items.users) == ("commuting:county", 1085, 2_750_238)
    assert np.count_nonzero(items.counts == 0) == 6
    assert items.label(35) == "2 to 1"
    at_home = np.trace(items.counts.reshape(31, 35)[:, :31])
    assert at_home > 0.7 * items.users


@pytest.mark.parametrize(("name", "people"), [("commuting:subset-large", 218_860), ("commuting:subset-small", 38_630)])
def test_subsets_have_the_published_numbers(name, people):
    items = open_items(name, seed=1)
    assert (items.k, items.users) == (26_244, people) == (SETS[name].pairs, SETS[name].people)
    assert np.array_equal(items.counts, open_items(name, seed=1).counts)
    assert not np.array_equal(items.counts, open_items(name, seed=2).counts)


def test_a_region_is_the_gravity_model():
    """The chances of every pair, by the formula one pair at a time."""
    gravity = Gravity(places=7, city_places=2, range_km=50.0, at_home=0.4)
    region = Region.drawn(gravity, np.random.default_rng(5))
    assert region.people.sum() == pytest.approx(1)
    assert region.people[:2].sum() == pytest.approx(gravity.city_people)
    assert region.jobs[:2].sum() == pytest.approx(gravity.city_jobs)
    assert np.hypot(*(region.where[:2] - [240, 150]).T).max() <= gravity.city_radius_km
    chances = region.chances(slice(2, 5))
    assert chances.sum(axis=1) == pytest.approx(1)
    for i in range(2, 5):
        pull = [region.jobs[j] * np.exp(-np.linalg.norm(region.where[i] - region.where[j]) / 50) for j in range(7)]
        for j in range(7):
            assert chances[i - 2, j] == pytest.approx(0.6 * pull[j] / sum(pull) + 0.4 * (i == j))
    only = region.only(np.array([1, 4, 6]))
    assert np.array_equal(only.where, region.where[[1, 4, 6]])
    assert np.array_equal(only.jobs, region.jobs[[1, 4, 6]])


def test_pairs_are_drawn_by_people_and_chances():
    region = Region.drawn(Gravity(places=6, city_places=2, range_km=150.0), np.random.default_rng(6))
    people = 400_000
    counts = region.drawn_pairs(people, np.random.default_rng(7))
    expected = people * (region.people[:, None] * region.chances(slice(0, 6))).reshape(-1)
    assert counts.sum() == people
    assert expected.min() > 5
    assert ((counts - expected) ** 2 / expected).sum() <= stats.chi2.ppf(1 - CHANCE, 35)


def test_the_small_subset_is_far_from_the_city():
    region = Region.drawn(DIVISIONS, np.random.default_rng(1))
    nearest = np.argsort(np.hypot(*region.where.T))[:162]
    assert nearest.min() >= DIVISIONS.city_places
