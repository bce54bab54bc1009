"""Heavy ranges: the shortest ones without noise, what intervals promise, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import State
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.unary import Oue
from mechdesign_catalog.ordered.heavy_ranges import heavy_ranges

QUIET = Privacy(alpha="1e-15")


def shortest(counts, share):
    """Every range with the share that holds no other such range, by looking at all."""
    k, total = len(counts), counts.sum()
    heavy = {(a, b) for a in range(k) for b in range(a, k) if counts[a : b + 1].sum() >= share * total}
    return sorted((a, b) for a, b in heavy if not {(a + 1, b), (a, b - 1)} & heavy)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=12).filter(any), st.integers(1, 10))
def test_without_noise_they_are_the_shortest(counts, tenths):
    counts = np.array(counts)
    oracle = Grr(len(counts), QUIET)
    found = heavy_ranges(oracle, State(oracle.parameters, int(counts.sum()), counts), tenths / 10)
    assert sorted(zip(found.first.tolist(), found.last.tolist(), strict=True)) == shortest(counts, tenths / 10)


def test_windows_of_a_length_are_those_that_reach_the_share():
    counts = np.array([1, 2, 4, 2, 1])
    oracle = Grr(5, QUIET)
    found = heavy_ranges(oracle, State(oracle.parameters, 10, counts), "0.59", length=2)
    assert list(zip(found.first, found.last, strict=True)) == [(1, 2), (2, 3)]
    assert found.shares == pytest.approx([0.6, 0.6])
    assert len(found) == 2


COUNTS = np.random.default_rng(1).multinomial(20_000, np.exp(-((np.arange(64) - 20) ** 2) / 60) / 13.73)


@pytest.mark.parametrize("length", [None, 8])
def test_all_intervals_hold_at_once(length):
    """400 collections at level 0.9: in at least 84 % (4 sigma below) all ranges that are listed hold their shares.

    That is more than asked where few ranges are listed: the chance is for all that could be.
    """
    oracle = Oue(64, Privacy(epsilon=1))
    rng = np.random.default_rng(2)
    running = np.concatenate([[0], COUNTS.cumsum()]) / COUNTS.sum()
    right, sure = [], 0
    for _ in range(400):
        found = heavy_ranges(oracle, oracle.draw_state(COUNTS, rng), "0.2", length=length, level=0.9)
        truth = running[found.last + 1] - running[found.first]
        right.append(((found.low <= truth) & (truth <= found.high)).all())
        sure += found.is_sure.sum()
        assert not right[-1] or (truth[found.is_sure] >= 0.2).all()
    assert np.mean(right) >= 0.84
    assert sure > 0 or length is None


def test_windows_are_listed_by_their_estimates_and_sure_by_their_intervals():
    oracle = Oue(64, Privacy(epsilon=1))
    found = heavy_ranges(oracle, oracle.draw_state(COUNTS, np.random.default_rng(2)), "0.2", length=12)
    assert (found.shares >= 0.2).all()
    assert (found.is_sure == (found.low >= 0.2)).all()
    assert 0 < found.is_sure.sum() < len(found)


def test_intervals_are_wider_than_single_ones():
    oracle = Oue(64, Privacy(epsilon=1))
    found = heavy_ranges(oracle, oracle.draw_state(COUNTS, np.random.default_rng(5)), "0.2")
    ratio = (found.high - found.low) / (2 * found.standard_errors)
    assert ratio == pytest.approx(ndtri((1 + 0.95 ** (1 / 2080)) / 2))  # there are 2080 ranges


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 0}, r"share must be in \(0, 1\], got share=0"),
        ({"share": "1.1"}, r"share must be in \(0, 1\], got share=1.1"),
        ({"share": "much"}, "share must be a decimal"),
        ({"share": "0.1", "length": 0}, r"length must be in 1\.\.64, got length=0"),
        ({"share": "0.1", "length": 65}, r"length must be in 1\.\.64, got length=65"),
        ({"share": "0.1", "level": 1}, r"level must be in \(0, 1\), got level=1"),
    ],
)
def test_bad_input_is_refused(options, message):
    oracle = Oue(64, Privacy(epsilon=1))
    with pytest.raises(InputError, match=message):
        heavy_ranges(oracle, oracle.draw_state(COUNTS, np.random.default_rng(1)), **options)
