"""Made-up items: laws against scipy's, and the commuting generator against the published sizes.

Statistical tests have fixed seeds; each fails a right generator with a chance of 1e-3 at most.
"""

import math

import numpy as np
import pytest
from scipy import stats

from mechdesign_catalog.datasets.items import open_items
from mechdesign_catalog.datasets.items.commuting import DIVISIONS, SETS, Gravity, Region
from mechdesign_catalog.datasets.items.synthetic import parse_item_law

CHANCE = 1e-3


def test_laws_on_hours():
    for name, law in [("normal", stats.norm(12, 4)), ("uniform", stats.uniform(0, 24))]:
        for k in [2, 7, 32]:
            weights = parse_item_law(name).weights(k)
            edges = np.linspace(0, 24, k + 1)
            assert weights == pytest.approx(np.diff(law.cdf(edges)) / (law.cdf(24) - law.cdf(0)), abs=1e-12)
            assert weights == pytest.approx(weights[::-1])


def test_cauchy_has_its_centre_and_scale():
    for name, centre in [("cauchy", 0.4), ("cauchy:0.25", 0.25), ("CAUCHY:1", 1)]:
        for k in [2, 10, 1000]:
            law = stats.cauchy(centre * k, k / 10)
            expected = np.diff(law.cdf(np.arange(k + 1))) / (law.cdf(k) - law.cdf(0))
            assert parse_item_law(name).weights(k) == pytest.approx(expected, abs=1e-12)
            assert parse_item_law("cauchy:2/5").name == parse_item_law("cauchy").name == "cauchy"
            assert parse_item_law("cauchy:0.25").name == "cauchy:1/4"


def test_the_mixture_is_what_it_says():
    k, edges, law = 200, np.arange(201), np.full(200, 0.1 / 200)
    for share, mean, deviation in ((0.3, 50, 5), (0.4, 110, 20), (0.2, 160, 2)):
        group = stats.norm(mean, deviation).cdf(edges)
        law += share * np.diff(group) / (group[-1] - group[0])
    assert parse_item_law("mixture").weights(k) == pytest.approx(law, abs=1e-12)


def test_series_have_the_published_sizes():
    for name, k, users in [
        ("timeseries:stackoverflow", 2**18, 2**21),
        ("timeseries:movielens", 2**18, 2**21),
        ("timeseries:taxi", 2**17, 2**24),
        ("checkins", 2**16, 2**21),
    ]:
        law = parse_item_law(name)
        assert (law.name, law.k, law.people) == (name, k, users)
        weights = law.weights(k)
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert weights.min() > 0
        items = open_items(name, k=500, people=40, seed=1)
        assert (items.k, items.users, items.name) == (500, 40, name)


def test_a_slot_has_the_rate_that_is_stated():
    """Slots of the taxi series by the formula, one at a time."""
    k, golden = 2000, (5**0.5 - 1) / 2
    rush = ((8.5, 1.2, 1), (13, 2.5, 0.6), (18.5, 1.8, 1.4))
    starts = [int(k * ((j + 0.5) * golden % 1)) for j in range(40)]

    def rate(slot):
        minute = 30 * (slot + 0.5)
        hour = minute % 1440 / 60
        busy = sum(height * math.exp(-(((hour - peak) / width) ** 2) / 2) for peak, width, height in rush)
        ages = [((slot - start) / 2, 0.5 / (j + 1)) for j, start in enumerate(starts) if 0 <= slot - start <= 720]
        bursts = math.prod(1 + height * math.exp(-age / 12) for age, height in ages)
        return (0.15 + busy) * (0.9 if minute // 1440 % 7 >= 5 else 1) * bursts

    rates = np.array([rate(slot) for slot in range(k)])
    law = parse_item_law("timeseries:taxi")
    assert law.weights(k) == pytest.approx(rates / rates.sum(), rel=1e-12)
    assert [law.labels(k)(slot) for slot in (0, 1, 49)] == ["day 1 00:00", "day 1 00:30", "day 2 00:30"]


def test_films_are_rated_in_the_middle_and_posts_at_the_end():
    films, posts = (parse_item_law(f"timeseries:{name}").weights(45 * 1000) for name in ("movielens", "stackoverflow"))
    thirds = [part.sum() for part in np.split(films, 3)]
    assert thirds[1] > 1.5 * max(thirds[0], thirds[2])
    assert [part.sum() for part in np.split(posts, 3)] == pytest.approx([1 / 9, 3 / 9, 5 / 9], abs=0.02)
    assert parse_item_law("timeseries").name == "timeseries:stackoverflow"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cauchy", "checkins"])
def test_four_million_items(name):
    items = open_items(name, k=2**22, people=2**26, seed=1)
    assert (items.k, items.users) == (2**22, 2**26)
    half = items.counts[: 2**21].sum() / items.users
    assert half == pytest.approx(parse_item_law(name).weights(2**22)[: 2**21].sum(), abs=3.5 * 0.5 / 2**13)


def test_other_laws():
    assert parse_item_law("zipf").weights(3) == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    assert parse_item_law("zipf:0").weights(4) == pytest.approx([0.25] * 4)
    assert parse_item_law("Zipf:1.5").weights(2) == pytest.approx([1 / (1 + 2**-1.5), 2**-1.5 / (1 + 2**-1.5)])
    assert (parse_item_law("zipf:3/2").name, parse_item_law("zipf:1").name) == ("zipf:3/2", "zipf")
    assert parse_item_law("constant").weights(32).argmax() == 16
    assert parse_item_law("constant:3").weights(5).tolist() == [0, 0, 0, 1, 0]
    assert parse_item_law("titanic") is None


def test_draws_follow_the_law():
    for name in ["normal", "cauchy:0.7", "zipf:2", "uniform", "mixture", "timeseries:taxi", "checkins"]:
        people = 100_000
        items = open_items(name, k=16, people=people, seed=3)
        expected = people * parse_item_law(name).weights(16)
        statistic = ((items.counts - expected) ** 2 / expected).sum()
        assert items.users == people
        assert statistic <= stats.chi2.ppf(1 - CHANCE / 7, 15)


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
def test_electoral_divisions_come_out_near_the_published_numbers():
    items = open_items("commuting:ed", seed=1)
    assert (items.k, items.users) == (9_796_900, 2_750_238)
    assert np.count_nonzero(items.counts) == pytest.approx(287_000, rel=0.03)
    assert np.count_nonzero(items.counts == 1) == pytest.approx(135_000, rel=0.03)
    assert items.label(3130) == "2 to 1"
    assert items.label(9_796_899) == "3130 to 3130"


def test_counties_have_the_published_numbers():
    for seed in [1, 2, 3]:
        items = open_items("commuting", seed=seed)
        assert (items.name, items.k, items.users) == ("commuting:county", 1085, 2_750_238)
        assert np.count_nonzero(items.counts == 0) == 6
        assert items.label(35) == "2 to 1"
        at_home = np.trace(items.counts.reshape(31, 35)[:, :31])
        assert at_home > 0.7 * items.users


def test_subsets_have_the_published_numbers():
    for name, people in [("commuting:subset-large", 218_860), ("commuting:subset-small", 38_630)]:
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
