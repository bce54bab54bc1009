import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import refused

from mechdesign import InputError
from mechdesign.mechanism.sampling import seeded_words
from mechdesign_catalog.datasets.counts import Synthetic, open_data
from mechdesign_catalog.datasets.counts.laws import parse_law
from mechdesign_catalog.datasets.counts.synthetic import DATA_STREAM

STANDARD_ERRORS = 5
LAWS = ["binomial:0.1", "binomial:2/3", "binomial:1", "uniform", "zipf", "zipf:2", "zipf:0.5", "constant:2"]


def test_binomial_by_enumerating_all_people():
    for chance in ["0", "1/10", "2/3", "1"]:
        p = Fraction(chance)
        weights = [Fraction(0)] * 5
        for bits in itertools.product((0, 1), repeat=4):
            weights[sum(bits)] += math.prod(p if bit else 1 - p for bit in bits)
        assert list(parse_law(f"Binomial:{chance}").weights(4)) == weights


def test_laws_by_hand():
    thirds = [Fraction(1, 3)] * 3
    assert list(parse_law("uniform").weights(2)) == list(parse_law("zipf:0").weights(2)) == thirds
    assert list(parse_law("zipf").weights(2)) == [Fraction(6, 11), Fraction(3, 11), Fraction(2, 11)]
    assert list(parse_law("ZIPF:2").weights(1)) == [Fraction(4, 5), Fraction(1, 5)]
    assert list(parse_law("constant:1").weights(3)) == [0, 1, 0, 0]
    assert parse_law("saxony") is None


@given(st.sampled_from(LAWS), st.integers(2, 40))
def test_every_law_sums_to_one(text, n):
    weights = parse_law(text).weights(n)
    assert len(weights) == n + 1
    assert min(weights) >= 0
    assert sum(weights) == 1


def test_a_fractional_zipf_falls_as_it_should():
    weights = parse_law("zipf:1.5").weights(9)
    assert [float(weights[0] / w) for w in weights] == pytest.approx([(j + 1) ** 1.5 for j in range(10)], rel=1e-12)


def test_draws_follow_the_law():
    for text in LAWS:
        n, people = 6, 600_000
        grouped = open_data(text, people=people, seed=11).grouped(n)
        groups = people // n
        for count, weight in enumerate(parse_law(text).weights(n)):
            deviation = math.sqrt(groups * weight * (1 - weight))
            assert abs(grouped.histogram[count] - groups * weight) <= STANDARD_ERRORS * deviation


def test_people_beyond_a_multiple_are_dropped():
    grouped = open_data("uniform").grouped(12)
    assert (grouped.groups, grouped.people, grouped.dropped) == (833, 9_996, 4)
    assert grouped.counts.dtype == np.int64


def test_seeds_repeat_the_data_and_each_size_is_drawn_anew():
    data = open_data("uniform", seed=5)
    again = open_data("uniform", seed=5)
    assert data.grouped(9).counts.tolist() == again.grouped(9).counts.tolist()
    assert data.grouped(9).counts.tolist() != open_data("uniform", seed=6).grouped(9).counts.tolist()
    assert (data.grouped(9).counts[:1000] != np.minimum(data.grouped(10).counts, 9)[:1000]).mean() > 0.5
    assert open_data("uniform").grouped(9).counts.tolist() != open_data("uniform").grouped(9).counts.tolist()


def test_noise_of_the_same_seed_is_another_stream():
    assert set(seeded_words(5)(100).tolist()).isdisjoint(seeded_words((5, 9, DATA_STREAM))(100).tolist())


def test_a_file_of_probabilities(tmp_path):
    path = tmp_path / "Law.txt"
    path.write_text("1/2\n0.25\n0.25\n0\n")
    data = open_data(str(path), people=30, seed=1)
    assert (data.own_n, data.name) == (3, str(path))
    assert data.grouped(3).groups == 10
    with refused(InputError, about="n"):
        data.grouped(4)


def test_files_that_hold_no_probabilities(tmp_path):
    for text in [
        "1",
        "0.5,0.6",
        "1.5,-0.5",
    ]:
        path = tmp_path / "law.csv"
        path.write_text(text)
        with refused(InputError):
            open_data(str(path))


def test_names_that_name_nothing():
    for text in [
        "binomial",
        "uniform:3",
        "zipf:-1",
        "constant:",
        "sax",
        "binom:0.1",
        "",
        "gone.csv",
    ]:
        with refused(InputError):
            open_data(text)


def test_options_out_of_place():
    with refused(InputError, about="target"):
        open_data("saxony", target="income")
    with refused(InputError, about="target"):
        open_data("zipf", target="sex")
    for name in ("adult", "weldon"):
        with refused(InputError):
            open_data(name, people=5)


def test_too_few_people_and_a_count_beyond_n():
    with refused(InputError, about="n"):
        open_data("uniform", people=3).grouped(4)
    with refused(InputError, about="people"):
        open_data("uniform", people=0)
    with refused(InputError):
        open_data("constant:5").grouped(4)
    with refused(InputError, about="seed"):
        Synthetic(parse_law("uniform"), seed=-1)
