"""Warps against the rule item by item in fractions, and against the density that they are made of."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechdesign_catalog.decoders.lines.warp import LARGEST_DENSITY, Warp, stretches


def ruled_edges(warp, blocks, shift, shifts):
    """Count the density before the middle of each item one item after the other, and say where labels begin."""
    densities = np.repeat(warp.densities, np.diff(warp.starts)).tolist()
    labels, before, total = [], 0, sum(densities)
    for density in densities:
        part = Fraction(2 * before + density, 2 * total)
        labels.append(math.floor(blocks * part + Fraction(2 * shift + 1, 2 * shifts)))
        before += density
    return labels, [sum(label < least for label in labels) for least in range(blocks + 2)]


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 50)), min_size=1, max_size=6),
    st.integers(1, 40),
    st.integers(1, 7),
)
def test_edges_and_labels_follow_the_rule(parts, blocks, shifts):
    widths, densities = zip(*parts, strict=True)
    warp = Warp((0, *np.cumsum(widths).tolist()), densities)
    edges = warp.edges(blocks, shifts)
    for shift in range(shifts):
        labels, expected = ruled_edges(warp, blocks, shift, shifts)
        assert warp.labels(np.arange(warp.k), blocks, shift, shifts).tolist() == labels
        assert edges[shift].tolist() == expected
        assert max(labels) <= blocks


@pytest.mark.parametrize(("k", "blocks"), [(16, 2), (43, 6), (1000, 31), (65536, 1023)])
def test_the_tied_density_is_a_power_of_a_sine(k, blocks):
    warp = Warp.tied(k, blocks)
    power = 1 - math.log(blocks) / math.log(k)
    middles = (np.array(warp.starts[:-1]) + warp.starts[1:]) / (2 * k)
    assert warp.starts == stretches(k)
    assert np.abs(LARGEST_DENSITY * np.sin(np.pi * middles) ** power - warp.densities).max() <= 0.5 + 1e-6
    assert warp.densities == warp.densities[::-1]


@pytest.mark.parametrize("k", [1, 2, 3, 7, 64, 100, 43830])
def test_stretches_cover_all_items_evenly_from_both_ends(k):
    starts = stretches(k)
    assert (starts[0], starts[-1]) == (0, k)
    assert (np.diff(starts) > 0).all()
    assert tuple(k - start for start in reversed(starts)) == starts


def test_a_million_items_stay_within_whole_numbers_of_64_bits():
    k, blocks, shifts = 1 << 20, (1 << 19) - 1, 8
    warp = Warp.tied(k, blocks)
    last = np.array([0, 1, k // 2, k - 1])
    expected = [
        math.floor(
            Fraction(blocks * place, int(warp.places(np.array([k - 1]))[0]) + warp.densities[-1]) + Fraction(15, 16)
        )
        for place in warp.places(last).tolist()
    ]
    assert warp.labels(last, blocks, 7, shifts).tolist() == expected
    edges = warp.edges(blocks, shifts)
    assert (np.diff(edges, axis=1) >= 0).all()
    own = warp.labels(edges[3, 1:-1][:1000], blocks, 3, shifts)
    assert own.tolist() == list(range(1, 1001))
